"""What rules say of messages as a whole."""

RULE = "option (buf.validate.message).cel = {id: 'x', message: 'the end comes after the start', expression: 'true'}"


def test_the_rules_of_the_root_are_its_description(input_of):
    assert input_of(f"string v = 1; {RULE}")["description"] == "the end comes after the start"


def test_the_rules_of_a_message_within_are_told_with_its_comment(input_of):
    schema = input_of(f"\n\n// A span.\nmessage Span {{ string from = 1; {RULE}; }} repeated Span v = 1")
    assert schema["properties"]["v"]["items"]["description"] == "A span. (the end comes after the start)"


def test_rules_without_words_are_told_once(input_of):
    rules = "; ".join(f"option (buf.validate.message).cel_expression = 'size(this.v) > {n}'" for n in (1, 2))
    assert input_of(f"string v = 1; {rules}")["description"] == "a rule of the backend that has no words"

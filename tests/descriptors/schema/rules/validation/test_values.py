"""Rules of single values as schemas: booleans, enums, expressions, predefined rules."""


def test_a_constant_boolean_is_a_choice_of_one(field_of):
    assert field_of("optional bool", ".bool.const = false") == {"type": "boolean", "enum": [False]}


def test_the_rules_of_an_enum_choose_among_its_names(field_of):
    assert [
        field_of("optional Color", f".enum = {{{rules}}}")["enum"]
        for rules in ("defined_only: true", "in: [2, 1]", "not_in: [1]", "const: 2", "in: [1, 2], not_in: [1]")
    ] == [["RED", "GREEN", "BLUE"], ["GREEN", "BLUE"], ["RED", "BLUE"], ["BLUE"], ["BLUE"]]


def test_numbers_without_a_name_are_told_in_words(field_of):
    field = field_of("optional Color", ".enum = {in: [7, 8]}")
    assert field == {"type": "string", "enum": ["RED", "GREEN", "BLUE"], "description": "number 7 or 8"}


def test_the_zero_that_may_stay_is_among_the_choices(field_of):
    assert field_of("Color", " = {ignore: IGNORE_IF_ZERO_VALUE, enum: {in: [2]}}")["enum"] == ["RED", "BLUE"]


def test_wrappers_have_the_rules_of_what_they_wrap(field_of):
    assert field_of("google.protobuf.StringValue", ".string.min_len = 2") == {"type": "string", "minLength": 2}
    assert field_of("repeated google.protobuf.StringValue", ".repeated.items.string.min_len = 2")["items"] == {
        "type": "string",
        "minLength": 2,
    }


def test_an_expression_is_told_by_its_message_or_its_id_and_never_shown(field_of):
    rules = (
        " = {cel: [{id: 'a', message: 'must be even', expression: 'size(this) % 2 == 0'},"
        " {id: 'short', expression: 'size(this) < 9'}], cel_expression: 'size(this) < 8'}"
    )
    field = field_of("optional string", rules)
    assert field == {
        "type": "string",
        "description": "must be even; short; a rule of the backend that has no words",
    }


def test_predefined_rules_are_told_by_their_message_or_their_id_with_their_value(field_of):
    assert field_of("optional string", ".string.(t.shouts) = true")["description"] == "must be in capitals"
    assert "description" not in field_of("optional string", ".string.(t.shouts) = false")
    assert field_of("optional int32", ".int32.(t.multiple) = 3")["description"] == "multiple (3)"


def test_values_of_other_types_than_their_rules_have_none(field_of):
    assert field_of("optional int32", ".string.min_len = 3") == {
        "type": "integer",
        "minimum": -(2**31),
        "maximum": 2**31 - 1,
    }


def test_a_zero_that_breaks_the_rules_is_refused_where_a_keyword_can_say_so(input_of):
    schema = input_of(
        "string a = 1 [R.required = true]; bytes b = 2 [R.required = true]; bool c = 3 [R.required = true]; "
        "uint32 d = 4 [R.required = true]; int32 e = 5 [R.required = true]; Color f = 6 [R.required = true]; "
        "optional string g = 7 [R.required = true]; int64 h = 8 [R.int64.not_in = 0]"
    )
    assert schema["required"] == ["a", "b", "c", "d", "e", "f", "g", "h"]
    properties = schema["properties"]
    assert [properties["a"], properties["g"]] == [{"type": "string", "minLength": 1}, {"type": "string"}]
    assert (properties["b"]["minLength"], properties["c"]["enum"], properties["d"]["minimum"]) == (2, [True], 1)
    assert (properties["e"]["description"], properties["f"]["enum"]) == ("not 0", ["GREEN", "BLUE"])
    assert properties["h"]["description"] == "64-bit integer as string; not 0"

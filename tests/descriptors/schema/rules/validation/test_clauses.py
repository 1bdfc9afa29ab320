"""How several rules about one value become one schema."""

from gateway.descriptors.schema.rules.validation.clauses import (
    LIMIT_TEXT,
    choose,
    exact,
    merge_clauses,
    merge_leniently,
    partly,
    said,
)


def test_the_stricter_of_two_bounds_counts():
    clauses = [exact("a", {"minLength": 2}), exact("b", {"minLength": 1, "maxLength": 5}), exact("c", {"maxLength": 4})]
    assert merge_clauses(clauses) == ({"minLength": 2, "maxLength": 4}, ())


def test_what_keywords_say_in_part_is_told_as_well():
    assert merge_clauses([partly("5 bytes", {"maxLength": 5}), said("odd")]) == ({"maxLength": 5}, ("5 bytes", "odd"))


def test_a_second_pattern_is_told_in_words():
    clauses = [exact("starts with a", {"pattern": "^a"}), exact("ends with b", {"pattern": "b$"})]
    assert merge_clauses(clauses) == ({"pattern": "^a"}, ("ends with b",))


def test_choices_that_exclude_each_other_leave_the_first_in_the_schema():
    assert merge_clauses([choose([1], ["1"]), choose([2], ["2"])]) == ({"enum": [1]}, ("2",))


def test_exempt_values_keep_only_bounds_that_they_hold():
    clauses = [exact("a", {"maxLength": 5}), exact("b", {"minLength": 2}), partly("c", {"maxLength": 4}), said("d")]
    assert merge_leniently(clauses, "empty") == ({"maxLength": 5}, ("unless empty: b, c, d",))
    assert merge_leniently([exact("a", {"maxLength": 5})], "empty") == ({"maxLength": 5}, ())


def test_texts_are_bounded_lines():
    (text,) = merge_clauses([said("x\ny" * 1000)])[1]
    assert "\n" not in text
    assert len(text) == LIMIT_TEXT


def test_choices_beside_bounds_are_those_within_them():
    assert merge_clauses([choose(["a", "abc"], "ab"), exact("x", {"maxLength": 2})])[0]["enum"] == ["a"]
    assert merge_clauses([exact("x", {"minimum": 2}), choose([1, 2, 3], "123")])[0]["enum"] == [2, 3]
    # Where none is, nothing can be right.
    assert merge_clauses([exact("x", {"minimum": 4}), choose([1, 2], "12")])[0]["enum"] == [1, 2]

import pytest

from gateway.app.settings.yaml_text import YamlError, parse_yaml


def reason(text: str) -> str:
    with pytest.raises(YamlError) as refusal:
        parse_yaml(text)
    return refusal.value.reason


def test_plain_values_are_read() -> None:
    assert parse_yaml('a: 1\nb: [x, 2.5, true, null]\nc: {d: "8"}\n') == {
        "a": 1,
        "b": ["x", 2.5, True, None],
        "c": {"d": "8"},
    }


def test_an_empty_text_is_none() -> None:
    assert parse_yaml("# nothing\n") is None


def test_anchors_and_merges_work_and_own_keys_win() -> None:
    text = "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\none: {<<: [*base, *other], a: 5}\n"
    assert parse_yaml(text)["one"] == {"a": 5, "b": 2, "c": 4}


def test_a_doubled_key_is_refused_with_both_lines() -> None:
    assert reason("a: 1\nb: 2\na: 3\n") == 'line 3: the key "a" stands here again, first on line 1'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [1, 2\n", "line 2: expected ',' or ']', but got '<stream end>'"),
        (
            "a: !!python/object/apply:os.system [id]\n",
            "line 1: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not read here",
        ),
        ("a: !!python/name:os.system\n", None),
        ("1: a\n", "line 1: a key must be a string; put it in quotes"),
        ("? [a]\n: b\n", "line 1: a key must be a string; put it in quotes"),
        ("a: 2026-01-02\n", "line 1: '2026-01-02' reads as a date; put it in quotes"),
        ("a: .nan\n", "line 1: .nan is no finite number"),
        ("a: 1\n---\nb: 2\n", "line 2: but found another document"),
        ("a: \x00\n", None),
        ("<<: 1\n", "line 1: << takes a mapping or a list of mappings"),
    ],
)
def test_what_is_not_plain_yaml_is_refused_in_one_line(text: str, why: str | None) -> None:
    found = reason(text)
    assert "\n" not in found
    if why is not None:
        assert found == why


def test_aliases_that_unfold_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "unfolds to more than 100000 values" in reason("\n".join(lines))
    assert "nested deeper than 50 levels" in reason("a: &a [*a]\n")
    assert "nested deeper than" in reason("[" * 5000)

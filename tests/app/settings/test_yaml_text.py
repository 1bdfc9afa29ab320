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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("True", True),
        ("~", None),
        ("", None),
        ("010", 10),
        ("0o17", 15),
        ("0xFF", 255),
        ("-3", -3),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-02", "2026-01-02"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("!!float 5", 5.0),
        ("0.1.2", "0.1.2"),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(text: str, value: object) -> None:
    (read,) = parse_yaml(f"a: {text}\n").values()
    assert (read, type(read)) == (value, type(value))


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
        ("a:\n\t- b\n", "line 2: YAML is indented with spaces; there is a tab"),
        ("a: [1, 2\n", "line 2: expected ',' or ']', but got '<stream end>'"),
        (
            "a: !!python/object/apply:os.system [id]\n",
            "line 1: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not read here",
        ),
        ("a: !!python/name:os.system\n", None),
        ("1: a\n", "line 1: a key must be a string; put it in quotes"),
        ("? [a]\n: b\n", "line 1: a key must be a string; put it in quotes"),
        ("a: .nan\n", "line 1: .nan is no finite number"),
        ("a: -.inf\n", "line 1: -.inf is no finite number"),
        ("a: 1e400\n", "line 1: 1e400 is no finite number"),
        (f"a: {'9' * 5000}\n", "line 1: a number has at most 100 digits"),
        ("a: !!int x\n", 'line 1: "x" is not written as int'),
        ("a: !!bool no\n", 'line 1: "no" is not written as bool'),
        ("a: !!timestamp 2026-01-02\n", "line 1: the tag 'tag:yaml.org,2002:timestamp' is not read here"),
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

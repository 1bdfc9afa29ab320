import pytest

from gateway.app.settings.environment import expand

ENVIRON = {"HOST": "example.com", "PORT": "443", "EMPTY": "", "NESTED": "${HOST}"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("${HOST}:${PORT}", "example.com:443"),
        ("${UNSET:-fallback}", "fallback"),
        ("${UNSET:-}", ""),
        ("${EMPTY:-fallback}", "fallback"),
        ("${EMPTY}", ""),
        ("${NESTED}", "${HOST}"),
        ("costs $$5", "costs $5"),
        ("$${HOST}", "${HOST}"),
        ("$HOST", "$HOST"),
    ],
)
def test_references_are_filled_in_once(text: str, expected: str) -> None:
    assert (expand(text, ENVIRON).text, expand(text, ENVIRON).problem) == (expected, None)


def test_a_variable_that_is_not_set_is_named() -> None:
    assert (
        expand("Bearer ${TOKEN}", ENVIRON).problem == "the environment has no TOKEN; set it or write ${TOKEN:-default}"
    )


@pytest.mark.parametrize("text", ["${HOST", "${}", "${1A}", "${HOST:default}"])
def test_half_a_reference_is_refused(text: str) -> None:
    problem = expand(text, ENVIRON).problem
    assert problem is not None
    assert "write $${ for the characters themselves" in problem

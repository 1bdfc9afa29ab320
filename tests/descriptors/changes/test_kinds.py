import pytest

from gateway.descriptors.changes.kinds import Change, Kind, Side, breaks, list_kinds


def test_every_kind_has_a_verdict_on_some_side():
    assert {kind for kind, _ in list_kinds()} == set(Kind)
    assert all(verdicts for _, verdicts in list_kinds())


def test_what_takes_less_breaks_arguments_and_what_gives_more_breaks_results():
    assert (breaks(Kind.LIMIT_TIGHTER, Side.INPUT), breaks(Kind.LIMIT_TIGHTER, Side.OUTPUT)) == (True, False)
    assert (breaks(Kind.LIMIT_LOOSER, Side.INPUT), breaks(Kind.LIMIT_LOOSER, Side.OUTPUT)) == (False, True)
    assert (breaks(Kind.PROPERTY_GONE, Side.INPUT), breaks(Kind.PROPERTY_GONE, Side.OUTPUT)) == (True, True)


def test_a_side_that_a_kind_cannot_have_is_refused():
    with pytest.raises(ValueError, match="tool gone is no change of input"):
        breaks(Kind.TOOL_GONE, Side.INPUT)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            Change(kind=Kind.TOOL_GONE, side=Side.TOOL, tool="a", detail="t.S/A"),
            "a: tool gone: t.S/A",
        ),
        (
            Change(kind=Kind.VALUE_GONE, side=Side.INPUT, tool="a", at="/x/*", detail='"RED"'),
            'a: input /x/*: enum value gone: "RED"',
        ),
        (Change(kind=Kind.OBJECT_CLOSED, side=Side.OUTPUT, tool="a"), "a: output: object closed"),
    ],
)
def test_a_change_is_told_in_one_line(change, line):
    assert change.describe() == line

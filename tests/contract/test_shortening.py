import copy

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.shortening import Cut, Shortened, shorten


def size(value):
    return len(orjson.dumps(value))


def test_what_fits_is_left_alone():
    value = {"rows": [1, 2, 3]}
    assert shorten(value, size(value)) == Shortened(encoded=orjson.dumps(value), cuts=())


def test_the_one_large_list_keeps_as_many_items_as_fit():
    rows = [{"id": f"{number:05}", "text": "x" * 180} for number in range(50_000)]
    value = {"rows": rows, "next": "page-2", "count": 50_000}
    shortened = shorten(copy.deepcopy(value), 4_000_000)
    (cut,) = shortened.cuts
    assert (cut.at, cut.total) == ("/rows", 50_000)
    assert orjson.loads(shortened.encoded) == {**value, "rows": rows[: cut.kept]}
    assert len(shortened.encoded) <= 4_000_000 < size({**value, "rows": rows[: cut.kept + 1]})


@pytest.mark.parametrize(
    ("value", "limit", "expected", "cuts"),
    [
        (
            {"a": ["x" * 10] * 10, "b": ["x" * 10] * 4},
            100,
            {"a": ["x" * 10] * 2, "b": ["x" * 10] * 4},
            (Cut(at="/a", kept=2, total=10),),
        ),
        (
            {"groups": [{"rows": list(range(100))}, {"rows": [1]}]},
            60,
            {"groups": [{"rows": list(range(11))}, {"rows": [1]}]},
            (Cut(at="/groups/0/rows", kept=11, total=100),),
        ),
        (
            {"groups": [{"rows": ["x" * 20] * 2}, {"rows": ["x" * 20] * 2}]},
            70,
            {"groups": [{"rows": ["x" * 20] * 2}]},
            (Cut(at="/groups", kept=1, total=2),),
        ),
        (
            {"a/b": [["x" * 20, "y" * 20], ["x" * 30]], "t": "z" * 20},
            64,
            {"a/b": [["x" * 20]], "t": "z" * 20},
            (Cut(at="/a~1b", kept=1, total=2), Cut(at="/a~1b/0", kept=1, total=2)),
        ),
        ([1, 2, 3, 4], 5, [1, 2], (Cut(at="", kept=2, total=4),)),
    ],
)
def test_the_list_that_saves_most_goes_first_and_no_further_than_needed(value, limit, expected, cuts):
    assert shorten(value, limit) == Shortened(encoded=orjson.dumps(expected), cuts=cuts)


@pytest.mark.parametrize(
    "value", ["x" * 100, {"t": "x" * 100}, {"rows": ["x" * 100]}, {"m": {"k": 1} | {"t": "x" * 99}}]
)
def test_what_holds_no_list_to_shorten_does_not_fit(value):
    assert shorten(value, 50) is None


def test_what_would_be_cut_everywhere_does_not_fit():
    assert shorten({str(number): [1, 2] for number in range(1000)}, 1000) is None


JSON = st.recursive(
    st.none() | st.integers(-9, 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text("ab~/", max_size=3), inner, max_size=4),
    max_leaves=40,
)


def undo(value, original, cuts):
    """The value with every list that a cut names as it was; fails where it is no beginning of what it was."""
    for cut in reversed(cuts):
        shown, whole = find(value, cut.at), find(original, cut.at)
        assert (cut.kept, cut.total) == (len(shown), len(whole))
        assert 0 < cut.kept < cut.total
        shown.extend(whole[cut.kept :])
    return value


def find(value, pointer):
    for step in pointer.split("/")[1:]:
        value = value[int(step) if isinstance(value, list) else step.replace("~1", "/").replace("~0", "~")]
    return value


@given(JSON, st.integers(0, 200))
def test_what_comes_out_fits_and_is_the_value_but_for_the_ends_of_the_lists_that_are_named(value, limit):
    shortened = shorten(copy.deepcopy(value), limit)
    if shortened is None:
        assert size(value) > limit
        return
    assert len(shortened.encoded) <= limit
    assert (shortened.cuts == ()) == (size(value) <= limit)
    assert undo(orjson.loads(shortened.encoded), value, shortened.cuts) == value

"""The order in which files are built."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.files.ordering import FileOrder, order_files


def graph(**needs: str) -> dict[str, frozenset[str]]:
    return {name: frozenset(needed.split()) for name, needed in needs.items()}


def test_each_file_follows_what_it_needs():
    assert order_files(graph(a="b c", b="c", c="", d="")) == FileOrder(names=("c", "b", "a", "d"), circular=frozenset())


def test_circles_are_found_and_what_needs_them_still_ordered():
    order = order_files(graph(a="b", b="a", user="a", base="", other="base"))
    assert order.circular == {"a", "b"}
    assert sorted(order.names) == ["base", "other", "user"]


def test_what_only_leads_to_a_circle_or_away_from_it_is_no_part_of_it():
    assert order_files(graph(x="y", y="z", z="y", w="x", base="", v="z")).circular == {"y", "z"}
    assert order_files(graph(a="a", b="a")).circular == {"a"}


def test_long_chains_need_no_stack():
    chain = {str(n): frozenset([str(n + 1)]) if n < 20_000 else frozenset() for n in range(20_001)}
    assert order_files(chain).names == tuple(str(n) for n in range(20_000, -1, -1))


@settings(max_examples=60)
@given(data=st.data(), size=st.integers(0, 8))
def test_every_order_holds_and_loses_no_file(data, size):
    names = "abcdefgh"[:size]
    needs = {name: frozenset(data.draw(st.sets(st.sampled_from(names)))) for name in names}
    order = order_files(needs)
    assert sorted([*order.names, *order.circular]) == sorted(names)
    place = {name: index for index, name in enumerate(order.names)}
    for name in order.names:
        assert all(place[needed] < place[name] for needed in needs[name] - order.circular)
    assert order == order_files(dict(reversed(needs.items())))

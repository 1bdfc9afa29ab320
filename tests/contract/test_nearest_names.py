import pytest

from gateway.contract.nearest_names import find_nearest_name


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("fliter", ["filter", "pageSize"], "filter"),
        ("page_size", ["filter", "pageSize"], "pageSize"),
        ("PAGESIZE", ["pageSizes", "pageSize"], "pageSize"),
        ("color", ["colour", "shape"], "colour"),
        ("zzz", ["filter", "pageSize"], None),
        ("filter", [], None),
        ("", ["filter"], None),
        ("filter" * 20, ["filter"], None),
    ],
)
def test_the_name_that_was_meant_is_found(name, known, nearest):
    assert find_nearest_name(name, known) == nearest


def test_no_more_names_are_compared_than_the_limit():
    endless = (f"name{i}" for i in iter(int, 1))
    assert find_nearest_name("name", endless) == "name0"

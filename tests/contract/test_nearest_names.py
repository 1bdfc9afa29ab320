import difflib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.nearest_names import NearestNames, find_nearest_name


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


def test_names_that_are_all_alike_cost_little():
    names = NearestNames(f"some_quite_long_field_name_number_{number}" for number in range(400))
    began = time.process_time()
    found = [names.find(f"sme_quite_long_field_name_numbr_{number}") for number in range(300)]
    assert time.process_time() - began < 3
    assert None not in found
    assert names.find("sme_quite_long_field_name_numbr_7") == names.find("sme_quite_long_field_name_numbr_7")


NAMES = st.text("abcdeF_-", max_size=12)


@given(NAMES, st.lists(NAMES, max_size=4))
def test_the_nearest_of_few_names_is_the_one_that_a_close_look_at_each_finds(name, known):
    def plain(text):
        return text.lower().replace("_", "").replace("-", "")

    found = find_nearest_name(name, known)
    likeness = {other: difflib.SequenceMatcher(a=plain(other), b=plain(name)).ratio() for other in known}
    best = max(likeness.values(), default=0)
    if found is None:
        assert best < 0.6
    else:
        assert likeness[found] == best >= 0.6

from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.conditions import Condition
from gateway.contract.distilled import Distilled, Problem, distil, make_pointer, relocate
from gateway.contract.envelopes import distilled_refusal, encode_envelope, refusal_response


def test_problems_are_sorted_by_place_and_told_once():
    distilled = distil(
        [
            Problem(at="/b", text="is required"),
            Problem(at="/a", text="must be a string, got 5"),
            Problem(at="/b", text="is required"),
            Problem(at="/a", text="is too short"),
            Problem(at="", text="is odd"),
        ],
        subject="arguments",
    )
    assert distilled == Distilled(
        message="arguments: is odd (and 2 more)",
        errors=(
            {"at": "", "problems": ["is odd"]},
            {"at": "/a", "problems": ["must be a string, got 5", "is too short"]},
            {"at": "/b", "problems": ["is required"]},
        ),
    )


def test_a_single_problem_is_the_whole_summary():
    assert distil([Problem(at="/email", text="must be an address")], subject="arguments").message == (
        "arguments: /email must be an address"
    )


def test_without_a_problem_the_subject_is_still_not_valid():
    assert distil([], subject="request") == Distilled(message="request: not valid", errors=())


def test_at_most_twenty_locations_are_told_and_the_rest_is_counted():
    problems = [Problem(at=f"/{i:03}", text="is required") for i in range(50)]
    distilled = distil(problems, subject="request")
    assert [location["at"] for location in distilled.errors] == [f"/{i:03}" for i in range(20)] + [""]
    assert distilled.errors[-1] == {"at": "", "problems": ["and 30 more locations"]}
    assert distilled.message == "request: /000 is required (and 49 more)"
    cut_short = distil(problems, subject="request", is_complete=False)
    assert cut_short.errors[-1] == {"at": "", "problems": ["and at least 30 more locations"]}
    assert cut_short.message == "request: /000 is required (and at least 49 more)"


def test_at_most_five_problems_of_a_place_are_told():
    distilled = distil([Problem(at="/a", text=f"problem {i}") for i in range(9)], subject="request")
    assert distilled.errors == ({"at": "/a", "problems": [*(f"problem {i}" for i in range(5)), "and 4 more problems"]},)


def test_a_pointer_escapes_what_is_syntax_and_what_cannot_be_seen():
    assert make_pointer([]) == ""
    assert make_pointer(["items", 3, "a/b~c", "größe", "x\n\u202e"]) == "/items/3/a~1b~0c/größe/x\\n\\u202e"
    assert make_pointer(["n" * 1000]) == "/" + "n" * 64 + "… (1000 characters)"


def test_a_deep_pointer_is_cut():
    pointer = make_pointer(["name"] * 100_000)
    assert (len(pointer), pointer[:10], pointer[-2:]) == (256, "/name/name", "e…")


@given(st.lists(st.builds(Problem, at=st.text(), text=st.text(st.characters(codec=None))), max_size=60), st.text())
def test_whatever_is_distilled_makes_an_envelope(problems, subject):
    distilled = distil(problems, subject=subject)
    encode_envelope(refusal_response(distilled_refusal(Condition.INVALID_PARAMS, distilled, rejection=False), 1))
    places = [location["at"] for location in distilled.errors[:20]]
    assert places == sorted(set(places))


def test_a_refusal_is_told_anew_with_its_places_in_another_form():
    told = distil(
        [Problem(at="/m/a", text="must be 1"), Problem(at="/m/b", text="must be 2"), Problem(at="/x", text="is odd")],
        subject="arguments",
    )
    moved = relocate(told, lambda at, text: Problem(at=at.replace("/m/a", "/m/0").replace("/m/b", "/m/0"), text=text))
    assert moved.message == "arguments: /m/0 must be 1 (and 2 more)"
    assert moved.errors == (
        {"at": "/m/0", "problems": ["must be 1", "must be 2"]},
        {"at": "/x", "problems": ["is odd"]},
    )
    hidden = relocate(told, lambda _at, _text: Problem(at="", text="is not yours to mend"))
    assert hidden.message == "arguments: is not yours to mend (and 2 more)"
    assert hidden.errors == ({"at": "", "problems": ["is not yours to mend"]},)

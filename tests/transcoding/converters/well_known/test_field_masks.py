import pytest

from tests.transcoding.kit import Kit

KIT = Kit("message M { string name = 1; google.protobuf.FieldMask mask = 2; }")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("displayName,photo", ["display_name", "photo"]),
        ("a.bC.dEF", ["a.b_c.d_e_f"]),
        ("*", ["*"]),
        ("", []),
    ],
)
def test_paths_are_camel_case_in_json_and_snake_case_in_the_message(text, paths):
    message = KIT.make(mask={"paths": paths})
    assert KIT.parse({"mask": text}) == message
    assert KIT.print(message) == {"mask": text}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("display_name", 'so "displayName" for "display_name"'),
        ("name, display_name", 'so "displayName" for " display_name"'),
        ("name, photo", 'so "photo" for " photo"'),
        ("a,,b", "without empty ones"),
        ("a__b", 'which "a__b" is not'),
        (["displayName"], 'got ["displayName"]'),
        (5, "got 5"),
    ],
)
def test_other_spellings_are_refused_with_the_right_one(value, why):
    assert KIT.find_problems({"mask": value}) == {
        "/mask": f'must be field paths such as "displayName,address.city", {why}'
    }


def test_a_path_that_has_no_camel_case_is_shown_as_it_is_and_noted():
    message = KIT.make(name="ok", mask={"paths": ["foo__bar", "foo_3_bar", "ok_path", "Upper"]})
    assert KIT.print_noting(message) == (
        {"name": "ok", "mask": "foo__bar,foo_3_bar,okPath,Upper"},
        {"/mask": 'has the path "foo__bar", which has no lowerCamelCase form; it is shown as it is'},
    )

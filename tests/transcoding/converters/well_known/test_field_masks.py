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
    ("value", "shown", "meant"),
    [
        ("display_name", '"display_name"', "displayName"),
        ("name, display_name.first_name", '"name, display_name.first_name"', "name,displayName.firstName"),
        ("name, photo", '"name, photo"', "name,photo"),
        ("a,,b", '"a,,b"', "a,b"),
        (["displayName", "photo"], '["displayName","photo"]', "displayName,photo"),
        ({"paths": ["display_name"]}, '{"paths":["display_name"]}', "displayName"),
    ],
)
def test_other_spellings_are_refused_with_the_right_one(value, shown, meant):
    assert KIT.find_problems({"mask": value}) == {
        "/mask": f'must be camelCase field paths joined by commas, got {shown}; did you mean "{meant}"?'
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a__b", '"a__b"'),
        ("foo_1", '"foo_1"'),
        (",", '","'),
        ("\ud800", '"\\ud800"'),
        ([], "[]"),
        ([5], "[5]"),
        ({"paths": 5}, '{"paths":5}'),
        (5, "5"),
        ("_b" * 1000, f'"{"_b" * 31}…" (2000 characters)'),
    ],
)
def test_what_has_no_right_spelling_is_refused_with_a_sample(value, shown):
    assert KIT.find_problems({"mask": value}) == {
        "/mask": f'must be camelCase field paths such as "displayName,address.city", got {shown}'
    }


def test_a_path_that_has_no_camel_case_is_shown_as_it_is_and_noted():
    message = KIT.make(name="ok", mask={"paths": ["foo__bar", "foo_3_bar", "ok_path", "Upper"]})
    assert KIT.print_noting(message) == (
        {"name": "ok", "mask": "foo__bar,foo_3_bar,okPath,Upper"},
        {"/mask": 'has the path "foo__bar", which has no lowerCamelCase form; it is shown as it is'},
    )

import pytest

from tests.descriptors.schema.rules.library import MASK, make_library
from tests.laws.compiled import compile_body


@pytest.mark.parametrize(
    ("response", "paths"),
    [("Book", "name, title, isbn, etag, pageCount, old"), ("Page", "name, title, isbn, etag, pageCount, old")],
)
def test_a_read_mask_lists_the_paths_of_what_is_read(schemas_of, response, paths):
    api = make_library(
        f"rpc Read(Request) returns ({response});",
        """message Request { google.protobuf.FieldMask read_mask = 1; google.protobuf.FieldMask other = 2; }
        message Page { repeated Book books = 1; string next_page_token = 2; }""",
    )
    note = "comma-separated camelCase paths"
    assert schemas_of(api)[0]["properties"] == {
        "readMask": {"type": "string", "description": f"{note}; of {paths}"},
        "other": {"type": "string", "description": note},
    }


def test_paths_are_bounded_and_leave_out_what_has_no_path(schemas_of):
    fields = " ".join(f"string quite_a_long_name_x{number} = {number};" for number in range(1, 100))
    api = compile_body(
        f"""message Request {{ google.protobuf.FieldMask read_mask = 1; }}
        message Big {{ string foo__bar = 200; string foo_3_bar = 201; string Upper = 202; {fields} }}
        service S {{ rpc Read(Request) returns (Big); }}""",
        imports=(MASK,),
    )
    text = schemas_of(api)[0]["properties"]["readMask"]["description"]
    assert len(text) < 500
    assert text.startswith("comma-separated camelCase paths; of quiteALongNameX1, quiteALongNameX2, ")
    assert text.endswith(", …")

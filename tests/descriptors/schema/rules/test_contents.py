import pytest

from tests.descriptors.schema.rules.library import BEHAVIOR, EMPTY, LRO, RESOURCE, SHELF
from tests.laws.compiled import compile_body

OPERATION_IMPORTS = (LRO, EMPTY, RESOURCE, BEHAVIOR)


def make_operation(schemas_of, info):
    api = compile_body(
        f"""{SHELF} message Progress {{ int32 percent = 1; }} message Request {{}}
        service S {{ rpc Scan(Request) returns (google.longrunning.Operation) {{ {info} }} }}""",
        imports=OPERATION_IMPORTS,
    )
    return schemas_of(api)[1]


def test_a_long_running_operation_shows_what_it_ends_in_and_takes_anything(schemas_of):
    schema = make_operation(
        schemas_of,
        'option (google.longrunning.operation_info) = {response_type: "Book", metadata_type: "t.Progress"};',
    )
    assert "required" not in schema
    assert list(schema["properties"]) == ["name", "metadata", "done", "error", "response"]
    metadata, response = (schema["properties"][name]["anyOf"] for name in ("metadata", "response"))
    assert metadata == [{"type": "object", "properties": {"percent": {"type": "integer"}}}, {"type": "object"}]
    assert list(response[0]["properties"]) == ["name", "title", "isbn", "etag", "pageCount", "old"]
    assert response[1] == {"type": "object"}


@pytest.mark.parametrize(
    "info",
    [
        "",
        'option (google.longrunning.operation_info) = {response_type: "Nowhere", metadata_type: "x.y.Z"};',
        'option (google.longrunning.operation_info) = {response_type: "google.protobuf.Empty", metadata_type: ""};',
    ],
)
def test_an_operation_whose_end_is_not_known_is_open(schemas_of, info):
    found = make_operation(schemas_of, info)["properties"]
    assert [found[name]["type"] for name in ("metadata", "response")] == ["object", "object"]
    assert [found[name].keys() for name in ("metadata", "response")] == [{"type", "description"}] * 2

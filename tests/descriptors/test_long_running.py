import pytest

from gateway.descriptors.long_running import find_operation_result
from tests.laws.compiled import compile_body

IMPORTS = ("google/longrunning/operations_proto.proto",)


def find(info: str = "", kind: str = "returns (google.longrunning.Operation)") -> str | None:
    option = f"option (google.longrunning.operation_info) = {{{info}}};" if info else ""
    api = compile_body(
        f"message Q {{}} message Book {{}} service S {{ rpc Scan(Q) {kind} {{ {option} }} }}", imports=IMPORTS
    )
    (rpc,) = (rpc for rpc in api.rpcs if rpc.name == "t.S/Scan")
    found = find_operation_result(rpc, api)
    return None if found is None else found.full_name


@pytest.mark.parametrize(
    ("info", "result"),
    [
        ('response_type: "Book"', "t.Book"),
        ('response_type: "t.Book"', "t.Book"),
        ('response_type: "google.protobuf.Any"', "google.protobuf.Any"),
        ('response_type: "Nowhere"', "google.protobuf.Any"),
        ('metadata_type: "Book"', "google.protobuf.Any"),
        ("", "google.protobuf.Any"),
    ],
)
def test_operation_info_says_what_an_operation_ends_in(info: str, result: str) -> None:
    assert find(info) == result


@pytest.mark.parametrize("kind", ["returns (Book)", "returns (stream google.longrunning.Operation)"])
def test_other_rpcs_start_no_operation(kind: str) -> None:
    assert find(kind=kind) is None


def test_the_rpcs_by_which_operations_are_followed_start_none() -> None:
    api = compile_body("", imports=IMPORTS)
    assert {rpc.method: find_operation_result(rpc, api) for rpc in api.rpcs} == dict.fromkeys(
        ("CancelOperation", "DeleteOperation", "GetOperation", "ListOperations", "WaitOperation")
    )

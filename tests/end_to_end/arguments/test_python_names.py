"""Fields named like what Python's protobuf classes have, or like words of Python itself."""

import pytest

NAMES = ("DESCRIPTOR", "ListFields", "SerializeToString", "from", "None", "self", "HasField", "Extensions", "__class__")
FIELDS = " ".join(f"string {name} = {number};" for number, name in enumerate(NAMES, 1))
PROTO = f"message W {{ {FIELDS} }} service S {{ rpc Echo(W) returns (W); }}"
RPC = "t.S/Echo"


@pytest.mark.parametrize("names", [NAMES, *((name,) for name in NAMES)])
async def test_no_name_of_a_field_is_in_the_way(make_stage, names):
    stage = await make_stage(PROTO)
    published = list(stage.get_tool(RPC)["inputSchema"]["properties"])
    arguments = {published[NAMES.index(name)]: "x" for name in names}
    answer = await stage.structured(RPC, arguments)
    assert list(answer.values()) == ["x"] * len(names)
    # What was printed is taken again.
    assert await stage.structured(RPC, answer) == answer

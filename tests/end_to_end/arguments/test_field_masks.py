PROTO = """
message U { string name = 1; google.protobuf.FieldMask mask = 2; }
service S { rpc Echo(U) returns (U); }
"""
RPC = "t.S/Echo"


async def test_camel_case_paths_reach_the_backend_as_it_names_them(make_stage):
    stage = await make_stage(PROTO)
    assert await stage.structured(RPC, {"mask": "displayName,photo"}) == {"mask": "displayName,photo"}
    assert list(stage.received(RPC, "t.U").mask.paths) == ["display_name", "photo"]


async def test_other_spellings_are_refused_with_the_right_one(make_stage):
    stage = await make_stage(PROTO)
    told = "INVALID_ARGUMENT: arguments: /mask must be camelCase field paths joined by commas, got "
    assert await stage.refusal(RPC, {"mask": "display_name"}) == (f'{told}"display_name"; did you mean "displayName"?')
    assert await stage.refusal(RPC, {"mask": ["displayName"]}) == (
        f'{told}["displayName"]; did you mean "displayName"?'
    )
    assert stage.requests(RPC) == []


async def test_a_mask_that_has_no_json_form_costs_nothing_else_of_the_reply(make_stage):
    stage = await make_stage(PROTO)
    paths = ["foo__bar", "foo_3_bar", "ok_path"]
    stage.backend.answers[RPC] = stage.make("t.U", name="ok", mask={"paths": paths})
    result = await stage.call(RPC, {})
    assert result["structuredContent"] == {"name": "ok", "mask": "foo__bar,foo_3_bar,okPath"}
    assert result["_meta"]["dev.propylon/notes"] == [
        {
            "at": "/mask",
            "problems": ['has the path "foo__bar", which has no lowerCamelCase form; it is shown as it is'],
        }
    ]

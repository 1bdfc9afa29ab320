"""What is left of replies: as much is listed, and no more is shown."""

import pytest

from tests.end_to_end.surface.configured import configure

PROTO = """
message Line { string sku = 1; int64 price_cents = 2; string note = 3; }
message Order {
  string id = 1; repeated Line lines = 2; map<string, Line> by_name = 3; Line best = 4; string card_number = 5;
  Order parent = 6; double weight = 7;
}
message Ask {}
service S { rpc Get(Ask) returns (Order); rpc Raw(Ask) returns (google.protobuf.StringValue); }
"""
RPC = "t.S/Get"


def make_order(stage):
    line = {"sku": "a", "price_cents": 5, "note": "n"}
    fields = {"id": "o1", "lines": [line, line], "by_name": {"k": line}, "best": line, "card_number": "4111"}
    return stage.make("t.Order", **fields, parent={**fields, "parent": fields}, weight=float("nan"))


def mask(*paths):
    return configure({"match": RPC, "output_mask": list(paths)})


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        (["id"], {"id": "o1"}),
        (["id", "lines.sku"], {"id": "o1", "lines": [{"sku": "a"}, {"sku": "a"}]}),
        (["by_name.price_cents", "best"], {
            "byName": {"k": {"priceCents": "5"}}, "best": {"sku": "a", "priceCents": "5", "note": "n"},
        }),
        (["byName.priceCents"], {"byName": {"k": {"priceCents": "5"}}}),
        (["lines.sku", "lines"], {"lines": [{"sku": "a", "priceCents": "5", "note": "n"}] * 2}),
        (["parent.parent.id"], {"parent": {"parent": {"id": "o1"}}}),
        (["parent.best.note", "parent.id"], {"parent": {"best": {"note": "n"}, "id": "o1"}}),
    ],
)  # fmt: skip
async def test_a_reply_has_the_named_fields_alone_and_its_schema_says_so(make_stage, paths, left):
    stage = await make_stage(PROTO, settings=mask(*paths))
    stage.backend.answers[RPC] = make_order(stage)
    result = await stage.call(RPC, {})
    assert result["structuredContent"] == left
    assert [block["type"] for block in result["content"]] == ["text"]
    assert "_meta" not in result or "dev.propylon/notes" not in result["_meta"]
    schema = stage.get_tool(RPC)["outputSchema"]
    assert schema["properties"].keys() == left.keys()
    assert ("$defs" in schema) is ("$ref" in str(schema["properties"]))


async def test_a_note_on_a_value_that_is_left_is_told(make_stage):
    stage = await make_stage(PROTO, settings=mask("weight", "id"))
    stage.backend.answers[RPC] = make_order(stage)
    assert await stage.structured(RPC, {}) == {"id": "o1", "weight": "NaN"}


async def test_a_reply_without_the_named_fields_is_empty(make_stage):
    stage = await make_stage(PROTO, settings=mask("best.note"))
    stage.backend.answers[RPC] = stage.make("t.Order", id="o1")
    assert await stage.structured(RPC, {}) == {}


async def test_paths_that_a_reply_does_not_have_are_told(make_stage):
    stage = await make_stage(PROTO, settings=mask("id", "lines.skuu", "nope"))
    (offer,) = stage.gateway.discovery.offers()
    assert offer.findings.warnings == (
        f'{RPC}: its output_mask names "lines.skuu", which the reply does not have',
        f'{RPC}: its output_mask names "nope", which the reply does not have',
    )
    stage = await make_stage(PROTO, settings=mask("nope"))
    stage.backend.answers[RPC] = make_order(stage)
    (offer,) = stage.gateway.discovery.offers()
    assert offer.findings.warnings[1] == f"{RPC}: nothing is left of its output_mask, so replies stay whole"
    assert len(await stage.structured(RPC, {})) == 7


async def test_a_reply_that_is_one_value_stays_whole(make_stage):
    stage = await make_stage(PROTO, settings=configure({"match": "*/Raw", "output_mask": ["value"]}))
    stage.backend.answers["t.S/Raw"] = stage.make("google.protobuf.StringValue", value="text")
    (offer,) = stage.gateway.discovery.offers()
    assert offer.findings.warnings == ("t.S/Raw: its output_mask is not used: the reply is no message with fields",)
    assert (await stage.call("t.S/Raw", {}))["content"] == [{"type": "text", "text": '"text"'}]

import jsonschema_rs
import orjson
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract.distilled import Problem
from gateway.contract.envelopes import encode_envelope, success_response
from gateway.contract.remarks import note_cuts, note_values
from gateway.contract.shortening import Cut
from gateway.contract.tool_results import tool_success_json
from gateway.contract.validation import load_protocol_schema

RESULT = jsonschema_rs.Draft202012Validator(
    load_protocol_schema("2026-07-28") | {"$ref": "#/$defs/CallToolResult"}, offline=True
)


def test_nothing_to_say_changes_nothing():
    result = tool_success_json(b"[]", is_structured=False)
    note_values(result, ())
    note_cuts(result, (), 100)
    assert result == tool_success_json(b"[]", is_structured=False)


def test_all_remarks_stand_behind_the_result_and_in_meta():
    result = tool_success_json(b"[1]", is_structured=False)
    note_cuts(result, (Cut(at="", kept=1, total=3), Cut(at="/0/x", kept=2, total=4)), 100)
    note_values(result, [Problem(at="/0", text="is odd"), Problem(at="/0", text="is old")])
    assert [block["text"] for block in result["content"]] == [
        "[1]",
        (
            "truncated to keep to the gateway's limit of 100 bytes: the list shows the first 1 of 3 items, the other 2 "
            "are left out; /0/x shows the first 2 of 4 items, the other 2 are left out.\nNo page token leads to what "
            "is left out: to see it, ask for less at once, by a smaller page size, a narrower filter or fewer fields."
        ),
        "not shown as the backend sent it:\n/0: is odd; is old",
    ]
    assert result["_meta"] == {
        "dev.propylon/truncated": {
            "reason": "bytes",
            "limit": 100,
            "lists": [{"at": "", "kept": 1, "total": 3}, {"at": "/0/x", "kept": 2, "total": 4}],
        },
        "dev.propylon/notes": ({"at": "/0", "problems": ["is odd", "is old"]},),
    }


@given(st.lists(st.builds(Problem, at=st.text(), text=st.text()), max_size=50))
def test_notes_of_any_kind_are_bounded_and_valid(notes):
    result = tool_success_json(b"{}")
    note_values(result, notes)
    sent = orjson.loads(encode_envelope(success_response(1, result)))["result"]
    assert RESULT.is_valid(sent)
    assert len(orjson.dumps(sent)) < 100_000

"""Whatever bytes come in, an envelope of the contract goes out (the suite holds each to it) and nothing breaks."""

import base64

import orjson
from hypothesis import assume, given
from hypothesis import strategies as st

from gateway.contract.validation import PER_REQUEST_REVISION
from gateway.mcp.mirroring.values import decode_header_value
from tests.end_to_end.stage import META, derive_headers
from tests.laws.kitchen_sinks import WELL_KNOWN

RPCS = (
    *(
        f"modern.Kitchen/Do{name}"
        for name in ("Scalars", "WellKnown", "Tree", "Names", "Choices", "Annotated", "Everything")
    ),
    "legacy.Kitchen/DoOld",
    "legacy.Kitchen/DoNeeds",
    "edition.Kitchen/DoThing",
    *(f"whole.S/Do{name}" for name in (*WELL_KNOWN, "HttpBody")),
)

# Stands for half of a character until the message is bytes.
HALF = "\ue000"
TEXTS = st.text(max_size=8) | st.sampled_from(
    [
        "",
        "1",
        "1_0",
        "NaN",
        "true",
        "RED",
        "2026-01-31T09:00:00Z",
        "1.5s",
        "a,b",
        "YQ==",
        "\u202e",
        "\x00",
        "٧",
        "x" * 300,
        HALF,
        f"a{HALF}",
    ]
)
NUMBERS = st.integers(-(2**64), 2**64 - 1).filter(lambda number: number >= -(2**63)) | st.floats(
    allow_nan=False, allow_infinity=False
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
# What an envelope's bytes become in the hands of an enemy: halves of characters, numbers and depths beyond all readers.
SPOILS = st.sampled_from(
    [
        (b'"', b'"\\ud800'),
        (b'":', b'\\udc00":'),
        (b":1", b":1e999"),
        (b"null", b"9" * 400),
        (b"[]", b"[" * 99 + b"]" * 99),
        (b"{}", b'{"a":' * 120 + b"1" + b"}" * 120),
        (b"}", b",}"),
        (b"true", b"tru\xff"),
    ]
)


@given(st.binary(max_size=200) | JSON.map(orjson.dumps))
def test_any_body_is_answered(kitchen, body):
    answer = kitchen.run(kitchen.stage.post(body))
    assert answer.status in (200, 202, 400, 404)
    if answer.status != 202:
        assert answer.json["jsonrpc"] == "2.0"
        assert answer.json["error"]["code"] != -32603
    assert kitchen.tracebacks == []


@st.composite
def messages(draw):
    """Requests that are nearly right: each part of them may be anything."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": draw(st.sampled_from(["tools/call", "tools/list", "server/discover"])),
    }
    params = {"name": draw(st.sampled_from(["t_S_Do", "plain_Plain_Say"])), "arguments": {}, "_meta": dict(META)}
    message["params"] = params
    places = [message, params, params["_meta"]]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(places))
        key = draw(st.sampled_from(sorted(place)) | TEXTS)
        if draw(st.booleans()):
            place[key] = draw(JSON)
        else:
            place.pop(key, None)
    return message


@given(messages(), st.lists(SPOILS, max_size=2))
def test_any_message_is_answered_the_same_on_both_fronts(kitchen, message, spoils):
    body = orjson.dumps(message)
    for found, spoilt in spoils:
        body = body.replace(found, spoilt, 1)
    assume(b"notifications/cancelled" not in body)
    stage = kitchen.stage
    answer = kitchen.run(stage.post(body, derive_headers(message)))
    over_stdio = kitchen.run(stage.talk(body))
    assert answer.status in (200, 202, 400, 404)
    if answer.status == 202:
        assert over_stdio == []
        return
    envelope = answer.json
    assert envelope.get("error", {}).get("code") != -32603
    # Headers that no client could have made are held against the body first.
    if envelope.get("error", {}).get("code") != -32020:
        assert over_stdio == [envelope]
    assert kitchen.tracebacks == []


@given(st.sampled_from(RPCS), st.dictionaries(TEXTS, JSON, max_size=4), st.data())
def test_any_arguments_reach_the_backend_or_are_refused_by_their_places(kitchen, rpc, arguments, data):
    stage = kitchen.stage
    stage.backend.answers.clear()
    stage.backend.calls.clear()
    properties = stage.get_tool(rpc)["inputSchema"]["properties"]
    named = data.draw(st.dictionaries(st.sampled_from(sorted(properties)), JSON, max_size=4)) if properties else {}
    request = stage.make_call(rpc, named | (arguments if data.draw(st.integers(0, 3)) == 0 else {}))
    envelope = kitchen.run(stage.post_raw(request, {HALF.encode(): b"\\ud800"})).json
    reached = stage.requests(rpc)
    result = envelope["result"]
    if not result.get("isError"):
        assert len(reached) == 1
        return
    assert reached == []
    status = result["_meta"]["dev.propylon/status"]
    text = result["content"][0]["text"]
    assert (status["code"], status["status"]) == (3, "INVALID_ARGUMENT")
    assert text.startswith("INVALID_ARGUMENT: arguments: ")
    assert len(text) <= 4096
    assert all(line.isprintable() for line in text.split("\n"))
    for location in status["errors"]:
        assert location["at"] == "" or location["at"].startswith("/")
    for word in ("Traceback", "google.protobuf", "NoneType", "object at 0x", "<class"):
        assert word not in text
    assert kitchen.tracebacks == []


MIRRORED = {"mcp-protocol-version": PER_REQUEST_REVISION, "mcp-method": "tools/call", "mcp-name": "plain_Plain_Say"}
# What HTTP lets through in a value (RFC 9110 section 5.5), obsolete bytes included.
HEADER_TEXTS = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=40)


@st.composite
def header_values(draw, value):
    """The right value, one that looks like it, or any other."""
    encoded = base64.b64encode(value.encode()).decode()
    near = [value, f" {value}\t", value.upper(), value + "x", f"=?base64?{encoded}?=", f"=?BASE64?{encoded}?="]
    near += [f"=?base64?{encoded.rstrip('=')}?=", f"=?base64?{encoded[:-1]}!?=", "=?base64??=", "=?base64?="]
    return draw(st.sampled_from(near) | HEADER_TEXTS)


@given(st.sampled_from(sorted(MIRRORED)), st.data())
def test_a_header_agrees_or_the_request_is_refused(kitchen, header, data):
    stage = kitchen.stage
    value = data.draw(header_values(MIRRORED[header]) | st.none())
    shown = None if value is None else value.strip(" \t")
    if header == "mcp-name" and shown is not None:
        shown = decode_header_value(shown)
    request = stage.make_call("plain.Plain/Say", {"text": "x"})
    answer = kitchen.run(stage.post(request, {header: value}))
    if shown == MIRRORED[header]:
        assert (answer.status, answer.json["result"]["structuredContent"]) == (200, {"text": "x"})
    else:
        assert (answer.status, answer.json["error"]["code"]) == (400, -32020)
        assert answer.json["error"]["data"]["header"].lower() == header
    assert kitchen.tracebacks == []

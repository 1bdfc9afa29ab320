"""Whatever a backend answers, the result fits the tool's output schema, or the reply is refused whole."""

import grpc
import jsonschema_rs
from google.protobuf import any_pb2
from google.rpc import error_details_pb2 as details_pb2
from google.rpc.status_pb2 import Status
from hypothesis import given
from hypothesis import strategies as st

from gateway.descriptors.api import describe_api
from tests.end_to_end.laws.conftest import PROTOS
from tests.end_to_end.laws.test_requests import RPCS
from tests.laws.compiled import compile_files
from tests.laws.messages import MessageMaker

API = describe_api(compile_files(**PROTOS))
RESPONSES = {rpc.name: rpc.response for rpc in API.rpcs}
CODES = {code.value[0]: code for code in grpc.StatusCode}
MAKER = MessageMaker(API.pool, any_types=("modern.Choices", "google.protobuf.Value"), wild=True)


def spoil(data, draw):
    """The bytes of a message with some of them changed, doubled or left out."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=4)) + data[at + draw(st.integers(0, 4)) :]
    return data


@given(st.sampled_from(RPCS), st.data())
def test_any_reply_is_told_by_its_schema_or_refused(kitchen, rpc, data):
    stage = kitchen.stage
    message = data.draw(MAKER.messages(RESPONSES[rpc]))
    stage.backend.answers[rpc] = spoil(type(message).SerializePartialToString(message), data.draw)
    envelope = kitchen.run(stage.answer(stage.make_call(rpc, ARGUMENTS.get(rpc))))
    if "error" in envelope:
        assert envelope["error"]["code"] == -32603
        assert envelope["error"]["message"].startswith("the backend's reply could not be read (reference ")
        return
    result = envelope["result"]
    schema = stage.get_tool(rpc).get("outputSchema")
    assert (schema is None) == ("structuredContent" not in result)
    if schema is not None:
        jsonschema_rs.Draft202012Validator(schema, offline=True).validate(result["structuredContent"])
    assert kitchen.tracebacks == []


# What the requests with required fields need to be sent at all.
_NEEDS = {"id": "x", "inner": {"kind": "A"}}
ARGUMENTS = {"legacy.Kitchen/DoNeeds": _NEEDS, "edition.Kitchen/DoThing": {"id": "x"}}

DETAILS = st.one_of(
    st.builds(any_pb2.Any, type_url=st.text(max_size=30), value=st.binary(max_size=40)),
    st.builds(
        any_pb2.Any,
        type_url=st.sampled_from(
            [
                f"type.googleapis.com/{name}"
                for name in (
                    "google.rpc.BadRequest", "google.rpc.RetryInfo", "google.rpc.ErrorInfo", "google.rpc.DebugInfo",
                    "google.rpc.QuotaFailure", "google.rpc.Help", "google.rpc.Status", "google.protobuf.Any",
                    "google.protobuf.Timestamp", "google.protobuf.Struct", "modern.Tree", "modern.WellKnown",
                    "legacy.Needs",
                )
            ]
        ),
        value=st.binary(max_size=60),
    ),
)  # fmt: skip
PATHS = st.text(max_size=30) | st.sampled_from(
    ["a[", "a.b[3].c", "]]]", "/x/y", "kids[0].kids[1].v", "." * 50, '["\x00"]']
)
VIOLATIONS = st.lists(
    st.builds(
        details_pb2.BadRequest.FieldViolation,
        field=PATHS,
        description=st.text(max_size=60),
        reason=st.text(max_size=20),
    ),
    max_size=40,
)


@st.composite
def statuses(draw):
    status = Status(code=draw(st.integers(-5, 20)), message=draw(st.text(max_size=300)))
    status.details.extend(draw(st.lists(DETAILS, max_size=4)))
    if draw(st.booleans()):
        status.details.add().Pack(details_pb2.BadRequest(field_violations=draw(VIOLATIONS)))
    return status.SerializeToString() if draw(st.integers(0, 4)) else draw(st.binary(max_size=60))


@given(st.sampled_from(range(1, 17)), st.text(max_size=2000), statuses())
def test_any_failure_is_told_in_bounded_and_printable_words(kitchen, code, message, details):
    stage = kitchen.stage
    rpc = "modern.Kitchen/DoTree"

    async def fail(request, context):
        await context.abort(CODES[code], message, (("grpc-status-details-bin", details),))

    stage.backend.answers[rpc] = fail
    answer = kitchen.run(stage.post(stage.make_call(rpc)))
    assert answer.status == 200
    assert len(answer.body) < 120_000
    envelope = answer.json
    if "result" in envelope:
        text = envelope["result"]["content"][0]["text"]
        assert envelope["result"]["isError"] is True
        assert len(text) <= 4096
        assert all(line.isprintable() for line in text.split("\n")), text
        assert text.startswith(CODES[code].name)
    assert kitchen.tracebacks == []

"""What gRPC's core is known to say and no server here makes it say; the rest is in test_unary_calls."""

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.backends.statuses import CallFacts, find_cause, read_status
from gateway.transcoding.rpc_status import RpcStatus, StatusOrigin

FACTS = CallFacts(
    backend="orders",
    path="/shop.v1.Orders/Get",
    elapsed_seconds=0.5,
    timeout_seconds=10.0,
    receive_limit_bytes=100,
    metadata_limit_bytes=200,
)
UNREACHABLE = 'backend "orders" cannot be reached'
BROKEN = 'the connection to backend "orders" broke before its answer'


def read(code: grpc.StatusCode, text: str | None) -> RpcStatus:
    empty = grpc.aio.Metadata()
    return read_status(grpc.aio.AioRpcError(code, empty, empty, text, None), FACTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("connections to all backends failing; last error: UNKNOWN: ipv4:10.0.0.5:9: refused", UNREACHABLE),
        ("empty address list: ", UNREACHABLE),
        ("DNS resolution failed for orders.internal:50051: C-ares status is not ARES_SUCCESS", UNREACHABLE),
        ("Stream removed (GOAWAY received; Error code: 11; Debug Text: too_many_pings)", BROKEN),
        ("GOAWAY received; Error code: 2; Debug Text: bye", BROKEN),
        ("Stream removed", "Stream removed"),
        ("keepalive timeout", BROKEN),
        ("recvmsg:Connection reset by peer", BROKEN),
        ("odd news of ipv6:[::1]:50051 here", BROKEN),
    ],
)
def test_a_lost_connection_is_told_in_words_of_ours(text: str, message: str) -> None:
    origin = StatusOrigin.BACKEND if message == text else StatusOrigin.CONNECTION
    assert read(grpc.StatusCode.UNAVAILABLE, text) == RpcStatus(code=14, message=message, origin=origin)


@pytest.mark.parametrize("text", ["Connection pool exhausted", "down for maintenance", "socket closed early", ""])
def test_what_a_backend_says_of_its_own_connections_stays_its_own(text: str) -> None:
    assert read(grpc.StatusCode.UNAVAILABLE, text) == RpcStatus(code=14, message=text)


def test_a_deadline_that_a_backend_passes_on_early_is_the_backends() -> None:
    assert read(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded") == RpcStatus(
        code=4, message="Deadline Exceeded"
    )


def test_what_core_says_of_a_stream_in_other_words_is_not_passed_on() -> None:
    text = "Stream removed (something at chttp2_transport.cc:1435)"
    message = 'backend "orders" sent what is no valid gRPC reply'
    assert read(grpc.StatusCode.INTERNAL, text) == RpcStatus(code=13, message=message, origin=StatusOrigin.CONNECTION)


def test_no_text_at_all_is_an_empty_message() -> None:
    assert read(grpc.StatusCode.ABORTED, None) == RpcStatus(code=10, message="")


@given(
    code=st.sampled_from([code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]),
    text=st.text(max_size=80) | st.builds("Stream removed ({})".format, st.text(max_size=40)),
)
def test_every_error_keeps_its_code_or_becomes_unknown(code: grpc.StatusCode, text: str) -> None:
    status = read(code, text)
    assert status.code in {code.value[0], grpc.StatusCode.UNKNOWN.value[0]}
    if status.origin is not StatusOrigin.BACKEND:
        assert status.message.isprintable()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("ipv4:10.0.0.5:9: Failed to connect to remote host: Connection refused", "connection refused"),
        (
            "Custom verification check failed with error: UNAUTHENTICATED: Hostname Verification Check failed.",
            "its TLS certificate is for another host",
        ),
        ("Failed to connect to remote host: Network is unreachable", "there is no route to it"),
        ("Failed to connect to remote host: Timeout occurred: FD Shutdown", "it does not answer"),
        (
            "Failed parsing HTTP/2 (Expected SETTINGS frame as the first frame) (Trying to connect an http1.x server)",
            "what listens there does not speak HTTP/2",
        ),
        ("something new", None),
    ],
)
def test_a_cause_is_found_in_what_core_says_without_its_addresses(text: str, cause: str | None) -> None:
    assert find_cause(text) == cause

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from gateway.backends.backend import Backend, BackendSettings, ChannelLimits, DiscoveryFailed
from gateway.backends.channels import ChannelError, Transport, open_channel
from gateway.backends.targets import parse_target
from gateway.transcoding.rpc_status import RpcStatus

CERTIFICATES = Path(__file__).parent / "certificates"
ROOTS = CERTIFICATES / "localhost.pem"


@pytest.fixture
async def tls_port() -> AsyncIterator[int]:
    pair = ((CERTIFICATES / "localhost.key").read_bytes(), ROOTS.read_bytes())
    server = grpc.aio.server()
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    await server.start()
    yield port
    await server.stop(0)


async def call(settings: BackendSettings) -> bytes | RpcStatus:
    async with Backend(settings) as backend:
        return await backend.unary("a.B/C")(b"", timeout_seconds=5, metadata=())


async def test_a_target_of_https_is_called_with_tls_and_the_given_roots(tls_port: int) -> None:
    target = parse_target(f"https://localhost:{tls_port}")
    status = await call(BackendSettings(name="b", target=target, roots_file=ROOTS))
    assert status == RpcStatus(code=12, message='backend "b" does not serve /a.B/C: Method not found!')


async def test_tls_can_be_asked_for_beside_the_target(tls_port: int) -> None:
    target = parse_target(f"localhost:{tls_port}")
    status = await call(BackendSettings(name="b", target=target, tls=True, roots_file=ROOTS))
    assert isinstance(status, RpcStatus)
    assert status.code == 12


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("https://localhost", "its TLS certificate is not trusted"),
        ("localhost", "it closes the connection; does it want TLS?"),
    ],
)
async def test_a_server_of_tls_that_cannot_be_talked_to_is_told_with_a_plain_cause(
    tls_port: int, text: str, cause: str
) -> None:
    target = parse_target(f"{text}:{tls_port}")
    with pytest.raises(DiscoveryFailed) as caught:
        await Backend(BackendSettings(name="b", target=target)).discover()
    assert caught.value.reason == f"{target.text} cannot be reached: {cause}"


async def test_roots_that_are_none_are_refused(tmp_path: Path) -> None:
    target = parse_target("https://localhost:1")
    missing, other, torn = tmp_path / "no.pem", tmp_path / "other.pem", tmp_path / "torn.pem"
    other.write_text("-----BEGIN EC PRIVATE KEY-----")
    torn.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    for path, problem in (
        (missing, "cannot be read: No such file or directory"),
        (other, "are no PEM certificates: -----BEGIN CERTIFICATE----- is not in it"),
        (torn, "are no PEM certificates: one of them cannot be read"),
    ):
        backend = Backend(BackendSettings(name="b", target=target, roots_file=path))
        with pytest.raises(ChannelError) as refused:
            backend.unary("a.B/C")
        with pytest.raises(DiscoveryFailed) as failed:
            await backend.discover()
        assert str(refused.value) == failed.value.reason == f"the roots in {path} {problem}"


async def test_a_backend_on_this_machine_is_not_called_through_a_proxy(
    start_server: Callable[..., Awaitable[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"here"

    target = parse_target(await start_server({"/a.B/C": answer}))
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("grpc_proxy", "http://127.0.0.1:1")
    assert await call(BackendSettings(name="b", target=target)) == b"here"


@pytest.mark.parametrize(
    ("seconds", "warns"), [(10.0, True), (299.0, True), (300.0, False), (360.0, False), (0.0, False)]
)
def test_a_keepalive_that_stock_servers_take_amiss_is_warned_of(
    caplog: pytest.LogCaptureFixture, seconds: float, warns: bool
) -> None:
    limits = ChannelLimits(keepalive_seconds=seconds)
    Backend(BackendSettings(name="orders", target=parse_target("localhost:1"), channel_limits=limits))
    lines = [record.getMessage() for record in caplog.records]
    expected = (
        f"backend orders: keepalive_seconds {seconds:g} is under 300, which servers with gRPC's defaults answer with "
        "GOAWAY too_many_pings"
    )
    assert lines == ([expected] if warns else [])


async def test_the_default_keepalive_pings_less_often_than_stock_servers_allow() -> None:
    assert ChannelLimits().keepalive_seconds > 300


async def test_a_channel_that_is_opened_and_never_used_closes_in_silence() -> None:
    channel = open_channel(Transport(target=parse_target("localhost:1")), ChannelLimits())
    await channel.close()


def test_secrets_are_not_in_the_representation_of_settings() -> None:
    metadata = (("authorization", "s3cret"),)
    settings = BackendSettings(
        name="b", target=parse_target("localhost:1"), call_metadata=metadata, discovery_metadata=metadata
    )
    assert "s3cret" not in repr(settings)

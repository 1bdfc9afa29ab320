import pytest

from gateway.fronts.http.callers import Callers
from gateway.fronts.http.settings import LOOPBACK_HOSTS, choose_allowed_hosts

LOOPBACK = Callers(allowed_hosts=LOOPBACK_HOSTS, allowed_origins=())
NAMED = Callers(allowed_hosts=("mcp.example.com:8443", "inner"), allowed_origins=("https://app.example.com/",))
OPEN = Callers(allowed_hosts=None, allowed_origins=("https://app.example.com",))


@pytest.mark.parametrize("host", [b"localhost", b"LOCALHOST:80", b"127.0.0.1:8080", b"[::1]", b"[::1]:8080"])
def test_loopback_names_are_served_on_any_port(host: bytes) -> None:
    assert LOOPBACK.is_host_allowed(host)
    assert LOOPBACK.is_origin_allowed(b"http://" + host)
    assert LOOPBACK.is_origin_allowed(b"https://" + host)


@pytest.mark.parametrize(
    "host",
    [b"", b"evil.example.com", b"localhost.evil.com", b"127.0.0.1.evil.com:80", b"localhost:", b"localhost:80a",
     b"localhost:80:80", b"x@localhost", b"[::2]", b"127.0.0.2", b"\xff"],
)  # fmt: skip
def test_any_other_name_is_not(host: bytes) -> None:
    assert not LOOPBACK.is_host_allowed(host)
    assert not LOOPBACK.is_origin_allowed(b"http://" + host)


@pytest.mark.parametrize(
    "origin", [b"null", b"", b"localhost", b"file://localhost", b"http://localhost/path", b"http://"]
)
def test_an_origin_without_a_served_host_may_not_call(origin: bytes) -> None:
    assert not LOOPBACK.is_origin_allowed(origin)


def test_a_request_without_a_host_is_not_served_where_hosts_are_named() -> None:
    assert not LOOPBACK.is_host_allowed(None)
    assert OPEN.is_host_allowed(None)


def test_a_host_with_a_port_is_that_port_alone() -> None:
    assert NAMED.is_host_allowed(b"mcp.example.com:8443")
    assert not NAMED.is_host_allowed(b"mcp.example.com")
    assert not NAMED.is_host_allowed(b"mcp.example.com:80")
    assert NAMED.is_host_allowed(b"inner:9000")
    assert not NAMED.is_host_allowed(b"localhost")


def test_further_origins_are_exact_but_for_case() -> None:
    assert NAMED.is_origin_allowed(b"HTTPS://app.example.com")
    assert not NAMED.is_origin_allowed(b"http://app.example.com")
    assert not NAMED.is_origin_allowed(b"https://app.example.com:8443")
    assert NAMED.is_origin_allowed(b"https://mcp.example.com:8443")


def test_where_every_host_is_served_no_page_may_call_unless_named() -> None:
    assert OPEN.is_host_allowed(b"anything:1")
    assert OPEN.is_origin_allowed(b"https://app.example.com")
    assert not OPEN.is_origin_allowed(b"http://anything:1")


@pytest.mark.parametrize(
    ("listen_host", "configured", "served"),
    [
        ("127.0.0.1", (), LOOPBACK_HOSTS),
        ("::1", (), LOOPBACK_HOSTS),
        ("[::1]", (), LOOPBACK_HOSTS),
        ("127.8.8.8", (), LOOPBACK_HOSTS),
        ("localhost", (), LOOPBACK_HOSTS),
        ("0.0.0.0", (), None),
        ("::", (), None),
        ("mcp.example.com", (), None),
        ("0.0.0.0", ["mcp.example.com"], ("mcp.example.com",)),
        ("127.0.0.1", ["mcp.example.com"], ("mcp.example.com",)),
    ],
)
def test_the_address_decides_where_nothing_is_configured(
    listen_host: str, configured: list[str], served: tuple[str, ...] | None
) -> None:
    assert choose_allowed_hosts(listen_host, configured) == served

import socket

import pytest

from gateway.app.operator_error import OperatorError
from gateway.app.serving.http_server import get_url, open_listening_socket, open_listening_sockets
from gateway.app.settings.model import ListenAddress


def test_port_0_takes_a_free_one_and_the_url_names_it() -> None:
    with open_listening_socket(ListenAddress(host="127.0.0.1", port=0)) as listening:
        port = listening.getsockname()[1]
        assert port > 0
        assert get_url(listening, "/mcp") == f"http://127.0.0.1:{port}/mcp"


def test_every_address_is_shown_as_one_that_can_be_typed() -> None:
    with open_listening_socket(ListenAddress(host="0.0.0.0", port=0)) as listening:
        assert get_url(listening, "/mcp").startswith("http://127.0.0.1:")


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_stands_in_brackets() -> None:
    try:
        listening = open_listening_socket(ListenAddress(host="::1", port=0))
    except OperatorError:
        pytest.skip("this machine has no IPv6 loopback")
    with listening:
        assert get_url(listening, "/mcp").startswith("http://[::1]:")


def test_a_host_that_is_none_says_so() -> None:
    with pytest.raises(OperatorError) as refusal:
        open_listening_socket(ListenAddress(host="no such host", port=0))
    assert refusal.value.line == "cannot listen on no such host:0: no such host; choose another with --listen"


def test_an_address_of_another_machine_says_so() -> None:
    with pytest.raises(OperatorError, match="this machine has no such address"):
        open_listening_socket(ListenAddress(host="192.0.2.1", port=0))


def test_a_port_that_is_taken_says_so() -> None:
    with open_listening_socket(ListenAddress(host="127.0.0.1", port=0)) as first:
        first.listen()
        port = first.getsockname()[1]
        with pytest.raises(OperatorError, match=f"cannot listen on 127.0.0.1:{port}: another process listens there"):
            open_listening_socket(ListenAddress(host="127.0.0.1", port=port))


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no TCP_USER_TIMEOUT")
def test_clients_have_30_s_to_read_what_was_sent_to_them() -> None:
    address = ListenAddress(host="127.0.0.1", port=0)
    (several,) = open_listening_sockets(address, 1)
    with open_listening_socket(address) as one, several:
        for listening in (one, several):
            listening.listen()
            with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000

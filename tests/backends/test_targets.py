import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.backends.targets import Target, TargetError, parse_target

KNOWN = "http://, grpc://, https://, grpcs://, dns:, ipv4:, ipv6:, unix:, unix-abstract:"


@pytest.mark.parametrize(
    ("text", "address", "tls", "loopback"),
    [
        ("127.0.0.1:50051", "dns:///127.0.0.1:50051", False, True),
        ("localhost:1", "dns:///localhost:1", False, True),
        ("orders.shop.svc.cluster.local.:443", "dns:///orders.shop.svc.cluster.local.:443", False, False),
        ("my_orders-2:65535", "dns:///my_orders-2:65535", False, False),
        ("[::1]:50051", "dns:///[::1]:50051", False, True),
        ("[fe80::1%eth0]:50051", "dns:///[fe80::1%eth0]:50051", False, False),
        ("http://127.0.0.1:50051", "dns:///127.0.0.1:50051", False, True),
        ("grpc://orders:50051", "dns:///orders:50051", False, False),
        ("HTTPS://h:443", "dns:///h:443", True, False),
        ("grpcs://[::1]:443", "dns:///[::1]:443", True, True),
        ("dns:///localhost:50051", "dns:///localhost:50051", False, True),
        ("dns:orders:50051", "dns:///orders:50051", False, False),
        ("dns://10.0.0.2/orders:50051", "dns://10.0.0.2:53/orders:50051", False, False),
        ("dns://10.0.0.2:5353/h:1", "dns://10.0.0.2:5353/h:1", False, False),
        ("dns://[::1]:53/h:1", "dns://[::1]:53/h:1", False, False),
        ("dns://[::1]/h:1", "dns://[::1]:53/h:1", False, False),
        ("ipv4:10.0.0.1:5,10.0.0.2:5", "ipv4:10.0.0.1:5,10.0.0.2:5", False, False),
        ("ipv6:[::1]:5", "ipv6:[::1]:5", False, True),
        ("unix:/tmp/x.sock", "unix:/tmp/x.sock", False, True),
        ("unix:///tmp/x.sock", "unix:/tmp/x.sock", False, True),
        ("unix:run/x.sock", "unix:run/x.sock", False, True),
        ("unix-abstract:orders", "unix-abstract:orders", False, True),
    ],
)
def test_a_target_means_one_address(text: str, address: str, tls: bool, loopback: bool) -> None:
    assert parse_target(text) == Target(text=text, address=address, tls=tls, loopback=loopback)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the target is empty: write HOST:PORT, for example localhost:50051"),
        ("127.0.0.1:50051/", 'target "127.0.0.1:50051/": gRPC has no paths; write 127.0.0.1:50051'),
        ("http://h:1/", 'target "http://h:1/": gRPC has no paths; write http://h:1'),
        ("https://h:1/v1?x=1", 'target "https://h:1/v1?x=1": gRPC has no paths; write https://h:1'),
        ("::1:50051", 'target "::1:50051": an IPv6 address stands in brackets; write [::1]:50051'),
        ("fe80::a:b", 'target "fe80::a:b": an IPv6 address stands in brackets; write [fe80::a:b]:PORT'),
        ("[::1]", 'target "[::1]": the port is missing; write [::1]:PORT, for example [::1]:50051'),
        ("[x]:1", 'target "[x]:1": no IPv6 address stands between the brackets; write for example [::1]:50051'),
        ("localhost", 'target "localhost": the port is missing; write localhost:PORT, for example localhost:50051'),
        ("https://h", 'target "https://h": the port is missing; write https://h:PORT, for example https://h:50051'),
        ("dns:///h", 'target "dns:///h": the port is missing; write dns:///h:PORT, for example dns:///h:50051'),
        ("localhost:", 'target "localhost:": the port is missing; write localhost:PORT, for example localhost:50051'),
        ("localhost:0", 'target "localhost:0": "0" is no port; write a number from 1 to 65535'),
        ("localhost:65536", 'target "localhost:65536": "65536" is no port; write a number from 1 to 65535'),
        ("localhost:http", 'target "localhost:http": "http" is no port; write a number from 1 to 65535'),
        ("h:1:2", 'target "h:1:2": it has more than one port; write HOST:PORT, for example localhost:50051'),
        (":50051", 'target ":50051": "" is no host name; write HOST:PORT, for example localhost:50051'),
        ("1.2.3:1", 'target "1.2.3:1": "1.2.3" is no host name; write HOST:PORT, for example localhost:50051'),
        ("bücher:1", 'target "bücher:1": "bücher" is no host name; write HOST:PORT, for example localhost:50051'),
        (
            "a b:1",
            'target "a b:1": it holds a space or a control character; write HOST:PORT, for example localhost:50051',
        ),
        ("xds:///orders", f'target "xds:///orders": the scheme is not known; write HOST:PORT or one of {KNOWN}'),
        ("dns://h:1", 'target "dns://h:1": a third slash is missing; write dns:///h:1'),
        (
            "dns://h/orders:1",
            'target "dns://h/orders:1": "h" is no address of a DNS server; write dns:///orders:1 to use the system\'s',
        ),
        (
            "dns://::1/h:1",
            'target "dns://::1/h:1": "::1" is no address of a DNS server; write dns:///h:1 to use the system\'s',
        ),
        ("ipv4:h:1", 'target "ipv4:h:1": ipv4: takes addresses and no names; write for example ipv4:127.0.0.1:50051'),
        (
            "ipv6:1.2.3.4:1",
            'target "ipv6:1.2.3.4:1": ipv6: takes addresses and no names; write for example ipv6:[::1]:50051',
        ),
        ("unix:", 'target "unix:": no socket is named; write for example unix:/run/backend.sock'),
        ("unix://tmp/x", 'target "unix://tmp/x": no socket is named; write for example unix:/run/backend.sock'),
        ("unix-abstract:", 'target "unix-abstract:": no socket is named; write for example unix-abstract:backend'),
        (
            "https://admin:s3cret@h:443",
            "target (not shown: it holds an @): a target takes no user and password; give credentials as metadata",
        ),
    ],
)
def test_a_target_that_cannot_be_meant_is_refused_with_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_target(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("scheme", ["unix:/", "unix:///", "unix-abstract:/"])
def test_a_socket_is_named_by_what_a_socket_address_holds(scheme: str) -> None:
    assert parse_target(scheme + "é" * 53).loopback
    with pytest.raises(TargetError, match=r"the socket's name has 109 bytes; a socket has at most 107$"):
        parse_target(scheme + "é" * 54)


@settings(max_examples=60)
@given(st.text(max_size=40) | st.from_regex(r"[a-z0-9:/.\[\]@]{0,20}", fullmatch=True))
def test_whatever_is_written_is_a_target_or_a_refusal_of_one_line(text: str) -> None:
    try:
        shown = parse_target(text).address
    except TargetError as error:
        shown = str(error)
    assert shown.isprintable()
    assert len(shown) < 400

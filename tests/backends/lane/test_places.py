import pytest

from gateway.backends.lane.places import Place, find_place
from gateway.backends.targets import parse_target


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("localhost:50051", Place(authority="localhost:50051", host="localhost", port=50051)),
        ("orders.internal:443", Place(authority="orders.internal:443", host="orders.internal", port=443)),
        ("10.0.0.1:1", Place(authority="10.0.0.1:1", host="10.0.0.1", port=1)),
        ("[::1]:50051", Place(authority="[::1]:50051", host="::1", port=50051)),
        ("http://a.b:80", Place(authority="a.b:80", host="a.b", port=80)),
        ("ipv4:127.0.0.1:7", Place(authority="127.0.0.1:7", host="127.0.0.1", port=7)),
        ("ipv6:[::1]:7", Place(authority="[::1]:7", host="::1", port=7)),
        ("unix:/run/a.sock", Place(authority="localhost", path="/run/a.sock")),
        # What grpc.aio alone knows how to reach.
        ("https://a.b:443", None),
        ("dns://8.8.8.8/a.b:443", None),
        ("ipv4:10.0.0.1:7,10.0.0.2:7", None),
        ("unix-abstract:a", None),
        ("unix:a.sock", None),
    ],
)
def test_the_lane_reaches_plain_sockets(target: str, place: Place | None) -> None:
    assert find_place(parse_target(target), tls=False, environ={}) == place
    assert find_place(parse_target(target), tls=True, environ={}) is None


@pytest.mark.parametrize("name", ["http_proxy", "https_proxy", "grpc_proxy"])
def test_a_proxy_keeps_the_lane_to_this_machine(name: str) -> None:
    environ = {name: "http://proxy:3128"}
    assert find_place(parse_target("orders:1"), tls=False, environ=environ) is None
    assert find_place(parse_target("localhost:1"), tls=False, environ=environ) is not None

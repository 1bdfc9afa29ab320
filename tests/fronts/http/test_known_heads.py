from hypothesis import given
from hypothesis import strategies as st

from gateway.fronts.http.head import RequestHead, read_head
from gateway.fronts.http.known_heads import LIMIT_HEADS, KnownHeads
from gateway.fronts.http.responses import HttpResponse, refuse

names = st.sampled_from([b"host", b"accept", b"mcp-name", b"mcp-param-a", b"content-length", b"x", b"authorization"])
headers = st.lists(st.tuples(names, st.sampled_from([b"", b"a", b" b "])), max_size=5)


def judge_host(http_method: str, head: RequestHead) -> HttpResponse | None:
    return None if head.values.get(b"host") and http_method == "POST" else refuse(421, "no host")


@given(st.lists(st.tuples(st.sampled_from(["POST", "GET"]), headers), max_size=8))
def test_a_head_that_came_before_is_read_and_judged_as_if_it_had_not(
    requests: list[tuple[str, list[tuple[bytes, bytes]]]],
) -> None:
    heads = KnownHeads(judge_host)
    for http_method, sent in [*requests, *requests]:
        fresh = read_head(sent)
        assert heads.read(http_method, sent) == (judge_host(http_method, fresh) or fresh)


def test_a_head_is_read_once() -> None:
    heads = KnownHeads(judge_host)
    assert heads.read("POST", [(b"host", b"a")]) is heads.read("POST", [(b"host", b"a")])


def test_secrets_and_large_heads_are_not_kept_and_few_others_are() -> None:
    heads = KnownHeads(judge_host)
    for sent in ([(b"host", b"a"), (b"authorization", b"Bearer s3cret")], [(b"host", b"a"), (b"x", b"y" * 3000)]):
        assert heads.read("POST", sent) is not heads.read("POST", sent)
    for number in range(3 * LIMIT_HEADS):
        heads.read("POST", [(b"host", b"%d" % number)])
        assert len(heads._heads) <= LIMIT_HEADS
    assert b"s3cret" not in repr(heads._heads).encode()


def test_headers_that_arguments_come_from_are_kept_and_doubled_ones_told() -> None:
    sent = [(b"host", b"a"), (b"x-tenant", b" acme "), (b"x-other", b"o"), (b"x-level", b"1"), (b"x-level", b"1")]
    head = read_head(sent, frozenset({"host", "x-tenant", "x-level", "x-gone"}))
    assert head.kept == {"host": "a", "x-tenant": "acme", "x-level": None}
    assert read_head(sent).kept == {}
    heads = KnownHeads(judge_host, frozenset({"x-tenant"}))
    for tenant in (b"acme", b"other", b"acme"):
        found = heads.read("POST", [(b"host", b"a"), (b"x-tenant", tenant)])
        assert isinstance(found, RequestHead)
        assert found.kept == {"x-tenant": tenant.decode()}

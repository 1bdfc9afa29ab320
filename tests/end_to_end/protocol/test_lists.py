"""Lists in pages, and how long they may be kept."""

from dataclasses import replace

import pytest

COUNT = 250
RPCS = " ".join(f"rpc Do{number:03}(M) returns (M);" for number in range(COUNT))
PROTO = f"message M {{ string t = 1; }} service S {{ {RPCS} }}"


def in_pages(settings):
    return replace(settings, tools=replace(settings.tools, page_size=100))


async def walk(stage, cursor=None):
    """The names on the pages from a cursor on."""
    pages = []
    while True:
        params = {} if cursor is None else {"cursor": cursor}
        result = (await stage.answer(stage.make_request("tools/list", params)))["result"]
        pages.append([tool["name"] for tool in result["tools"]])
        cursor = result.get("nextCursor")
        if cursor is None:
            return pages


async def test_all_pages_together_are_all_tools(make_stage):
    stage = await make_stage(PROTO, settings=in_pages)
    pages = await walk(stage)
    names = [name for page in pages for name in page]
    assert [len(page) for page in pages] == [100, 100, COUNT + 1 - 200]
    assert len(set(names)) == COUNT + 1
    assert names == sorted(names)


async def test_a_cursor_is_good_on_another_replica_and_after_a_change(make_stage):
    stage = await make_stage(PROTO, settings=in_pages)
    first, second, third = await walk(stage)
    params = {"cursor": (await stage.answer(stage.make_request("tools/list")))["result"]["nextCursor"]}
    replica = await make_stage(PROTO, settings=in_pages)
    assert await walk(replica, params["cursor"]) == [second, third]
    gone = PROTO.replace("rpc Do099(M) returns (M);", "").replace("rpc Do150(M) returns (M);", "")
    changed = await make_stage(gone, settings=in_pages)
    rest = [name for page in await walk(changed, params["cursor"]) for name in page]
    assert set(rest) == {*second, *third} - {"t_S_Do150", "t_S_Do099"}
    assert not set(rest) & set(first)


@pytest.mark.parametrize(("cursor", "status"), [("x", 200), (5, 400), ([], 400), ("x" * 10_000, 200), ("é", 200)])
async def test_a_cursor_that_no_page_ended_with_is_refused(make_stage, cursor, status):
    stage = await make_stage("message M {} service S { rpc Do(M) returns (M); }", settings=in_pages)
    answer = await stage.post(stage.make_request("tools/list", {"cursor": cursor}))
    assert (answer.status, answer.json["error"]["code"]) == (status, -32602)
    assert len(answer.json["error"]["message"]) <= 200


@pytest.mark.parametrize("cursor", ["", None])
async def test_an_empty_cursor_is_none(make_stage, cursor):
    stage = await make_stage("message M {} service S { rpc Do(M) returns (M); }", settings=in_pages)
    answer = await stage.answer(stage.make_request("tools/list", {"cursor": cursor}))
    assert len(answer["result"]["tools"]) == 2


@pytest.mark.parametrize(
    ("ttl", "refresh", "expected"), [(60, 60, 60_000), (60, 10, 10_000), (5, 10, 5_000), (60, 0, 60_000), (0, 10, 0)]
)
async def test_a_list_is_never_kept_beyond_the_next_refresh(make_stage, ttl, refresh, expected):
    def settle(settings):
        return replace(
            settings,
            tools=replace(settings.tools, ttl_seconds=ttl),
            discovery=replace(settings.discovery, refresh_seconds=refresh),
        )

    stage = await make_stage("message M {} service S { rpc Do(M) returns (M); }", settings=settle)
    assert (await stage.answer(stage.make_request("tools/list")))["result"]["ttlMs"] == expected

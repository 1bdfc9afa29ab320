from typing import Any

TASKS = {"io.modelcontextprotocol/tasks": {}}
CAPABILITIES = {"completions": {}, "extensions": TASKS, "logging": {}, "prompts": {}, "resources": {}, "tools": {}}


async def test_discovery_states_revisions_and_capabilities(kit: Any) -> None:
    dispatcher = kit.make_dispatcher(catalogue=kit.make_catalogue(kit.make_tool(), ttl_ms=60_000, instructions="Ask."))
    message = kit.make_request("server/discover")
    assert await kit.ask(dispatcher, message, kit.mirror(message)) == (
        200,
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": CAPABILITIES,
                "instructions": "Ask.",
                "ttlMs": 60_000,
                "cacheScope": "public",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "propylon", "version": "1.2.3"}},
            },
        },
    )


async def test_discovery_is_answered_before_any_tool_is_known(kit: Any) -> None:
    _, body = await kit.ask(kit.make_dispatcher(), kit.make_request("server/discover"))
    assert body["result"]["capabilities"] == CAPABILITIES
    assert body["result"]["ttlMs"] == 0
    assert "instructions" not in body["result"]

from typing import Any

import pytest

from gateway.fronts.http import Readiness


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_liveness_depends_on_nothing(client: Any, health: Any, method: str) -> None:
    health.readiness = Readiness(is_ready=False, reasons=("nothing works",))
    answer = await client.send(method, "/healthz")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"


async def test_readiness_says_why_not(client: Any, health: Any) -> None:
    health.readiness = Readiness(is_ready=False, reasons=("backend shop: not discovered yet",))
    answer = await client.send("GET", "/readyz")
    assert (answer.status, answer.json) == (
        503,
        {"status": "not ready", "reasons": ["backend shop: not discovered yet"]},
    )
    health.readiness = Readiness(is_ready=True)
    answer = await client.send("GET", "/readyz")
    assert (answer.status, answer.json) == (200, {"status": "ready"})


@pytest.mark.parametrize("path", ["/", "/mcp/more", "/MCP", "/.well-known/oauth-protected-resource", "/\u202e"])
async def test_any_other_path_is_not_found_in_json(client: Any, path: str) -> None:
    answer = await client.send("GET", path)
    assert (answer.status, answer.error["code"]) == (404, -32600)
    assert answer.error["message"].endswith("the MCP endpoint is /mcp")
    assert answer.error["message"].isprintable()


async def test_a_probe_by_another_method_is_not_allowed(client: Any) -> None:
    answer = await client.send("POST", "/healthz")
    assert (answer.status, answer.error["message"]) == (405, '"POST" is not served at "/healthz"')
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


async def test_the_path_of_the_endpoint_is_a_setting(make_client: Any) -> None:
    client = make_client(path="/agents")
    headers = [("Host", "localhost")]
    assert (await client.send("GET", "/agents", headers)).status == 405
    assert (await client.send("GET", "/mcp", headers)).status == 404

"""`propylon serve` as a process: start, ready, drain, stop, over HTTP and over standard input and output."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

Start = Callable[..., Any]

URL = r"(http://127\.0\.0\.1:\d+/mcp)"
REVISION = "2026-07-28"
GET_ORDER = "demo_shop_v1_OrderService_GetOrder"
WAIT = "demo_shop_v1_DiagnosticsService_Wait"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
}


def make_request(method: str, request_id: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**params, "_meta": META}}


def post(url: str, method: str, **params: Any) -> dict[str, Any]:
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    answer = httpx.post(url, json=make_request(method, **params), headers=headers, timeout=20)
    body: dict[str, Any] = answer.json()
    return body


def ready(url: str) -> tuple[int, Any]:
    answer = httpx.get(url.removesuffix("/mcp") + "/readyz")
    return answer.status_code, answer.json()


def test_the_demo_tells_a_curl_line_that_works_and_stops_well(start: Start) -> None:
    demo = start("serve", "--demo", "--listen", "127.0.0.1:0")
    url = demo.wait_for(rf"^Propylon serves 23 tools of 1 backend at {URL}$")
    assert ready(url) == (200, {"status": "ready"})
    line = demo.wait_for(r"^  (curl .*)$")
    if shutil.which("curl"):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["result"]["structuredContent"]["order"]["id"] == "o-1001"
    demo.wait_for(r"Claude Desktop")
    demo.process.send_signal(signal.SIGTERM)
    assert demo.wait() == 0
    told = "".join(demo.output)
    assert f"claude mcp add --transport http shop {url}\n" in told
    assert json.loads(demo.output[-1])["mcpServers"]["shop"]["args"][-3:] == ["serve", "--demo", "--stdio"]
    assert max(len(paragraph.splitlines()) for paragraph in told.split("\n\n")) < 10


def test_a_wrong_port_leaves_the_process_up_and_not_ready_until_the_server_appears(
    start: Start, closed_port: int, tmp_path: Path
) -> None:
    target = f"127.0.0.1:{closed_port}"
    config = tmp_path / "propylon.yaml"
    config.write_text(
        f"listen: 127.0.0.1:0\nbackends: [{{name: late, target: '{target}'}}]\n"
        "discovery: {retry_initial_seconds: 0.1, retry_max_seconds: 0.2}\n"
    )
    gateway = start("serve", "-c", str(config))
    url = f"http://{gateway.wait_for(r'listening address=(.*)')}/mcp"
    reason = gateway.wait_for(r"backend is not served; trying again backend=late reason=\"(.*)\"$")
    assert reason.startswith(f"{target} cannot be reached")
    assert ready(url) == (503, {"status": "not ready", "reasons": [f"backend late: {reason}"]})
    assert httpx.get(url.removesuffix("/mcp") + "/healthz").status_code == 200
    assert post(url, "tools/list")["result"]["tools"] == []
    start_shop = [sys.executable, "-m", "gateway.demo", "--port", str(closed_port)]
    shop = subprocess.Popen(start_shop, stdout=subprocess.DEVNULL)
    try:
        assert gateway.wait_for(rf"^Propylon serves 23 tools of 1 backend at {URL}$") == url
        assert ready(url)[0] == 200
        assert len(post(url, "tools/list")["result"]["tools"]) == 23
    finally:
        shop.terminate()
        shop.wait(20)
    gateway.process.send_signal(signal.SIGINT)
    assert gateway.wait() == 0
    assert sum("trying again" in line for line in gateway.errors) == 1
    assert gateway.output == [f"Propylon serves 23 tools of 1 backend at {url}\n"]


def test_one_backend_that_is_away_does_not_blank_the_list(start: Start, shop: str, closed_port: int) -> None:
    away = f"127.0.0.1:{closed_port}"
    gateway = start("serve", away, shop, "--listen", "127.0.0.1:0")
    url = gateway.wait_for(rf"^Propylon serves 23 tools of 1 backend at {URL} \(still waiting for {away}\)$")
    assert ready(url)[0] == 503
    listed = post(url, "tools/list")["result"]
    assert (len(listed["tools"]), listed["ttlMs"]) == (23, 0)
    assert post(url, "tools/call", name=GET_ORDER, arguments={"id": "o-1001"})["result"]["structuredContent"]


def test_what_grpc_itself_would_print_stays_unsaid(start: Start, shop: str) -> None:
    gateway = start("serve", f"https://{shop}", "--listen", "127.0.0.1:0")
    gateway.wait_for("the TLS handshake failed; does it speak TLS\\?")
    gateway.process.send_signal(signal.SIGTERM)
    assert gateway.wait() == 0
    assert [
        line for line in gateway.errors if not re.match(r"20\d\d-\d\d-\d\dT[\d:.]+Z (INFO|WARNING) propylon\.", line)
    ] == []


def test_a_port_that_is_taken_is_one_line(start: Start, shop: str) -> None:
    gateway = start("serve", shop, "--listen", shop)
    assert gateway.wait() == 2
    assert gateway.output == []
    assert "".join(gateway.errors) == (
        f"propylon: cannot listen on {shop}: another process listens there; stop it, or choose a port with --listen "
        "(0: any free one)\n"
    )


def test_a_collision_of_names_is_refused_at_start(start: Start, shop: str) -> None:
    gateway = start("serve", shop, shop.replace("127.0.0.1", "localhost"), "--listen", "127.0.0.1:0")
    assert gateway.wait() == 2
    told = [line for line in gateway.errors if line.startswith("propylon: ")]
    assert len(told) == 1
    assert f"of backend {shop} and " in told[0]
    assert "Traceback" not in "".join(gateway.errors)


def test_sighup_has_every_backend_asked_at_once(start: Start, closed_port: int, tmp_path: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("listen: 127.0.0.1:0\ndiscovery: {retry_initial_seconds: 3600, retry_max_seconds: 3600}\n")
    gateway = start("serve", f"127.0.0.1:{closed_port}", "-c", str(config))
    gateway.wait_for("backend is not served; trying again")
    start_shop = [sys.executable, "-m", "gateway.demo", "--port", str(closed_port)]
    shop = subprocess.Popen(start_shop, stdout=subprocess.PIPE, text=True)
    assert shop.stdout is not None
    with shop.stdout:
        shop.stdout.readline()
        gateway.process.send_signal(signal.SIGHUP)
        gateway.wait_for(rf"^Propylon serves 23 tools of 1 backend at {URL}$")
        shop.terminate()
        shop.wait(20)

"""What `propylon serve --demo` tells: the URL, a call to try, and how to tell clients about it.

Printed as it is, without wrapping, so that every line can be copied.
"""

import json
import shlex
import sys
from pathlib import Path

EXAMPLE_RPC_TOOL = "demo_shop_v1_OrderService_GetOrder"
EXAMPLE_ARGUMENTS = {"id": "o-1001"}
_REVISION = "2026-07-28"


def make_demo_text(url: str) -> str:
    """The whole text for people, its last line ended."""
    http_entry = json.dumps({"mcpServers": {"shop": {"url": url}}})
    code_entry = json.dumps({"servers": {"shop": {"type": "http", "url": url}}})
    command, *arguments = make_stdio_command()
    stdio_entry = json.dumps({"mcpServers": {"shop": {"command": command, "args": arguments}}})
    return f"""
Try a call:
  {make_curl_line(url)}

Claude Code:
  claude mcp add --transport http shop {url}
Cursor (.cursor/mcp.json):
  {http_entry}
VS Code (.vscode/mcp.json):
  {code_entry}
Claude Desktop (claude_desktop_config.json), over stdio:
  {stdio_entry}
"""


def make_curl_line(url: str) -> str:
    """One line for a POSIX shell that calls a tool of the demo and prints the answer (MCP 2026-07-28, tools/call)."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": _REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "8"},
    }
    params = {"name": EXAMPLE_RPC_TOOL, "arguments": EXAMPLE_ARGUMENTS, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, separators=(",", ":"))
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": EXAMPLE_RPC_TOOL,
    }
    words = ["curl", "-sS", url]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    return shlex.join([*words, "-d", body])


def make_stdio_command() -> tuple[str, ...]:
    """How a client starts this very installation over stdio, wherever the client's own path leads."""
    script = Path(sys.argv[0])
    if script.name == "propylon" and script.exists():
        return (str(script.absolute()), "serve", "--demo", "--stdio")
    return (sys.executable, "-m", "gateway", "serve", "--demo", "--stdio")

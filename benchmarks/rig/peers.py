"""Who is measured: how each is started, what it is asked, and how to see that it answers the workload at all."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.installs import CACHE, HERE, ROOT, Installed
from rig.load import Request, WrongAnswer, ask, make_call
from rig.processes import Server, find_free_port, running

TOOL = "bench_v1_Orders_GetOrder"
RPC = "bench.v1.Orders.GetOrder"
LINES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One server that is running, and the request that it is measured with."""

    name: str
    server: Server
    request: Request


@contextmanager
def running_backend(installed: Installed) -> Iterator[Server]:
    """The gRPC server that everybody calls, on one core."""
    port = find_free_port()
    command = (installed.backend, "-listen", f"127.0.0.1:{port}")
    with running("backend", command, port=port, log=_log("backend"), environment={"GOMAXPROCS": "1"}) as server:
        yield server


@contextmanager
def running_peers(installed: Installed, backend: Server) -> Iterator[dict[str, Peer]]:
    """Every peer that can be had, each of which has answered the workload once as it should."""
    with ExitStack() as stack:
        peers = {
            "gateway": stack.enter_context(running_gateway(installed, backend)),
            "two workers": stack.enter_context(running_gateway(installed, backend, workers=2)),
            "echo": stack.enter_context(_running_echo(installed)),
        }
        if installed.fastmcp is not None:
            peers["FastMCP"] = stack.enter_context(_running_fastmcp(installed, backend))
        if installed.envoy is not None:
            peers["Envoy"] = stack.enter_context(_running_envoy(installed, backend))
        for peer in peers.values():
            check(peer)
        yield peers


@contextmanager
def running_gateway(
    installed: Installed, backend: Server, *, workers: int = 1, arguments: tuple[str, ...] = ()
) -> Iterator[Peer]:
    """The gateway of this checkout over the backend, as `propylon serve` starts it."""
    port = find_free_port()
    command = (installed.gateway, "-m", "gateway", "serve", f"127.0.0.1:{backend.port}",
               "--listen", f"127.0.0.1:{port}", "--descriptors", installed.descriptors, *arguments)  # fmt: skip
    if workers > 1:
        command = (*command, "--workers", str(workers))
    name = "gateway" if workers == 1 else f"gateway-{workers}"
    environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
    # Python looks for modules in the folder that it is started in first.
    with running(name, command, port=port, log=_log(name), environment=environment, folder=ROOT) as server:
        _wait_until_ready(server)
        yield Peer(name=name, server=server, request=make_call(TOOL))


@contextmanager
def _running_echo(installed: Installed) -> Iterator[Peer]:
    with _running_uvicorn(installed.gateway, "echo", "echo:app", {}) as server:
        yield Peer(name="echo", server=server, request=make_call(TOOL))


@contextmanager
def _running_fastmcp(installed: Installed, backend: Server) -> Iterator[Peer]:
    environment = {"BACKEND": f"127.0.0.1:{backend.port}", "PYTHONPATH": str(installed.stubs)}
    with _running_uvicorn(installed.fastmcp, "fastmcp", "fastmcp_orders:app", environment) as server:
        yield Peer(name="FastMCP", server=server, request=make_call(TOOL))


@contextmanager
def _running_uvicorn(python: Path | None, name: str, application: str, environment: dict[str, str]) -> Iterator[Server]:
    port = find_free_port()
    command = (python, "-m", "uvicorn", application, "--app-dir", HERE / "peers", "--port", port, "--loop", "uvloop",
               "--http", "httptools", "--log-level", "warning", "--no-access-log")  # fmt: skip
    with running(name, command, port=port, log=_log(name), environment=environment) as server:
        yield server


@contextmanager
def _running_envoy(installed: Installed, backend: Server) -> Iterator[Peer]:
    port = find_free_port()
    file = CACHE / "envoy.json"
    file.write_text(json.dumps(_configure_envoy(port, backend.port, installed.descriptors), indent=1))
    command = (installed.envoy, "-c", file, "--concurrency", "1", "--use-dynamic-base-id", "--log-level", "error")
    with running("envoy", command, port=port, log=_log("envoy")) as server:
        # Envoy 1.40 answers "Unsupported MCP version" to a header that names 2026-07-28, and does so without a call.
        yield Peer(name="Envoy", server=server, request=make_call(RPC, revision="2025-11-25"))


def check(peer: Peer) -> None:
    """Raises WrongAnswer unless the peer answers the workload with the whole order."""
    answer = ask(peer.server, peer.request)
    if peer.name == "echo":
        is_right = answer == peer.request.body
    else:
        text = _find_text(answer)
        is_right = text is not None and len(json.loads(text).get("lines", ())) == LINES
    if not is_right:
        raise WrongAnswer(f"{peer.name} does not answer with the order: {answer[:300]!r}")


def _find_text(answer: bytes) -> str | None:
    try:
        result = json.loads(answer)["result"]
        return None if result.get("isError") else result["content"][0]["text"]
    except (ValueError, LookupError, TypeError):
        return None


def _wait_until_ready(server: Server) -> None:
    import time
    import urllib.error
    import urllib.request

    end = time.monotonic() + 10
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/readyz", timeout=2).close()
        except urllib.error.HTTPError:
            if time.monotonic() > end:
                raise WrongAnswer(f"{server.name} is not ready after 10 s") from None
            time.sleep(0.05)
        else:
            return


def _log(name: str) -> Path:
    return CACHE / f"{name}.log"


def _configure_envoy(port: int, backend_port: int, descriptors: Path) -> dict[str, Any]:
    """One listener that makes a REST call of a tools/call, and a gRPC call of that."""
    extensions = "type.googleapis.com/envoy.extensions"
    http = f"{extensions}.filters.http"
    filters = {
        "bridge": {
            "@type": f"{http}.mcp_json_rest_bridge.v3.McpJsonRestBridge",
            "tool_config": {"tools": [{"name": RPC, "http_rule": {"post": "/v1/orders:get", "body": "*"}}]},
        },
        "transcoder": {
            "@type": f"{http}.grpc_json_transcoder.v3.GrpcJsonTranscoder",
            "proto_descriptor": str(descriptors),
            "services": ["bench.v1.Orders"],
        },
        "router": {"@type": f"{http}.router.v3.Router"},
    }
    manager = {
        "@type": f"{extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "in",
        "http_filters": [{"name": name, "typed_config": config} for name, config in filters.items()],
        "route_config": {
            "virtual_hosts": [
                {
                    "name": "all",
                    "domains": ["*"],
                    "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "orders", "timeout": "30s"}}],
                }
            ]
        },
    }
    http2 = {
        "@type": f"{extensions}.upstreams.http.v3.HttpProtocolOptions",
        "explicit_http_config": {"http2_protocol_options": {}},
    }
    cluster = {
        "name": "orders",
        "type": "STATIC",
        "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": http2},
        "load_assignment": {
            "cluster_name": "orders",
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": _address(backend_port)}}]}],
        },
    }
    listener = {
        "name": "in",
        "address": _address(port),
        "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
    }
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}

"""Backends that tell of themselves, and a gateway over any number of them: what an agent and an operator see."""

import itertools
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import grpc
import httpx
from google.api import annotations_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_tools import protoc

from gateway.app.discovery_loop import DiscoveryLoop
from gateway.app.serving.readiness import ProcessHealth
from gateway.app.settings.loader import read_settings
from gateway.app.wiring import make_http_application, open_gateway
from gateway.contract.validation import PER_REQUEST_REVISION
from tests.backends.reflection_table import V1, ReflectionTable
from tests.end_to_end.stage import META, Answer, MockBackend

RPC_META_KEY = "dev.propylon/rpc"
_INCLUDES = (resources("grpc_tools") / "_proto", Path(annotations_pb2.__file__).parents[2])


def compile_protos(texts: Mapping[str, str], *, source_info: bool = False) -> list[FileDescriptorProto]:
    """Compiles {file name: proto text}; the named files alone, in the order of their imports."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        out = Path(folder, "set.pb")
        flags = [*(f"-I{include}" for include in (folder, *_INCLUDES)), f"--descriptor_set_out={out}"]
        flags += ["--include_source_info"] if source_info else []
        assert protoc.main(["protoc", *flags, *texts]) == 0
        return list(FileDescriptorSet.FromString(out.read_bytes()).file)


def write_set(path: Path, files: Iterable[FileDescriptorProto]) -> str:
    """Writes a descriptor set; gives its path as text, as it stands in a configuration."""
    path.write_bytes(FileDescriptorSet(file=files).SerializeToString())
    return str(path)


def make_types(files: Iterable[FileDescriptorProto], *names: str) -> tuple[type[Message], ...]:
    """The classes of these messages, out of a pool of their own; the files in the order of their imports."""
    pool = DescriptorPool()
    for file in files:
        pool.Add(file)
    return tuple(GetMessageClass(pool.FindMessageTypeByName(name)) for name in names)


def list_services(files: Iterable[FileDescriptorProto]) -> list[str]:
    """The full names of all services in the files."""
    return [f"{file.package}.{service.name}".lstrip(".") for file in files for service in file.service]


class Backend(MockBackend):
    """A mock backend that says of itself what `reflection` says, under the `versions` of reflection.

    It serves the RPCs of `serves`, names of services; None: every RPC there is.
    """

    def __init__(
        self,
        reflection: ReflectionTable | None = None,
        answers: Mapping[str, Answer] | None = None,
        *,
        versions: Iterable[str] = (V1,),
        serves: Iterable[str] | None = None,
    ) -> None:
        super().__init__()
        self.reflection = reflection
        self.answers.update(answers or {})
        self.versions = tuple(versions)
        self.serves = serves
        self.target = ""
        self._server: Any = None

    @classmethod
    def of(
        cls, files: Iterable[FileDescriptorProto], answers: Mapping[str, Answer] | None = None, **table: Any
    ) -> "Backend":
        """A backend that serves these files and lists every service in them."""
        known = list(files)
        return cls(ReflectionTable(**{"services": list_services(known), "files": known, **table}), answers)

    @property
    def table(self) -> ReflectionTable:
        """The reflection table, where there is one."""
        assert self.reflection is not None
        return self.reflection

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        path: str = handler_call_details.method
        if path in [f"/{version}/ServerReflectionInfo" for version in self.versions]:
            return self.reflection and grpc.stream_stream_rpc_method_handler(self.reflection.serve)
        if self.serves is not None and path.split("/")[1] not in self.serves:
            return None
        return super().service(handler_call_details)

    async def start(self, address: str = "127.0.0.1:0") -> None:
        """Begins to listen; `target` is where. May be started again after its end."""
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((self,))
        port = self._server.add_insecure_port(address)
        await self._server.start()
        self.target = address if address.startswith("unix") else f"{address.rpartition(':')[0]}:{port}"

    async def stop(self) -> None:
        """Ends at once."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(0)


class AgentSide:
    """The gateway as an agent meets it, by HTTP; `discovery` is its inside, for tests to move on."""

    def __init__(self, client: httpx.AsyncClient, discovery: DiscoveryLoop) -> None:
        self.client = client
        self.discovery = discovery
        self._ids = itertools.count(1)

    async def post(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole answer to a request."""
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": {**params, "_meta": META}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": PER_REQUEST_REVISION}
        headers |= {"Mcp-Method": method} | ({"Mcp-Name": params["name"]} if "name" in params else {})
        answer = (await self.client.post("/mcp", json=body, headers=headers)).json()
        assert isinstance(answer, dict)
        return answer

    async def list_tools(self) -> list[dict[str, Any]]:
        """The entries of tools/list, all pages of it."""
        tools: list[dict[str, Any]] = []
        page: dict[str, Any] = {"nextCursor": ""}
        while "nextCursor" in page:
            page = (await self.post("tools/list", cursor=page["nextCursor"]))["result"]
            tools += page["tools"]
        return tools

    async def map_rpcs(self) -> dict[str, str]:
        """The name of the tool of every RPC that is listed."""
        return {tool["_meta"][RPC_META_KEY]: tool["name"] for tool in await self.list_tools()}

    async def call(self, rpc: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result, or the error as {"error": ...}, of the tool that is listed for an RPC."""
        return await self.call_tool((await self.map_rpcs())[rpc], arguments)

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result, or the error as {"error": ...}, of a tool."""
        answer = await self.post("tools/call", name=name, arguments=dict(arguments or {}))
        result: dict[str, Any] = answer["result"] if "result" in answer else {"error": answer["error"]}
        return result

    async def probe(self, path: str) -> tuple[int, Any]:
        """Status and body of a health path."""
        answer = await self.client.get(path)
        return answer.status_code, answer.json()


def name_backends(*backends: Backend, **more: Any) -> list[dict[str, Any]]:
    """How these backends are written in propylon.yaml: as b0, b1 and so on, each with `more`."""
    return [{"name": f"b{index}", "target": backend.target, **more} for index, backend in enumerate(backends)]


@asynccontextmanager
async def run_gateway(
    backends: Iterable[Mapping[str, Any]], *, discover: bool = True, folder: Path = Path(), **sections: Any
) -> AsyncIterator[AgentSide]:
    """A gateway over backends, each as it is written in propylon.yaml; so are the other sections.

    Every backend has been asked once when it is there, unless `discover` is False.
    """
    raw = {"backends": [dict(backend) for backend in backends], **sections}
    settings = read_settings(raw, folder=folder, environ={}, source="propylon.yaml")
    async with open_gateway(settings) as gateway:
        if discover:
            await gateway.discovery.run_once()
        application: Any = make_http_application(gateway, ProcessHealth(gateway.discovery))
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", timeout=20) as client:
            yield AgentSide(client, gateway.discovery)

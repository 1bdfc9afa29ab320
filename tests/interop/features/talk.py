"""A client of the protocol's own, what it hears and is asked, and the content that the fixture answers with.

What is asked back is answered by the client itself, from the same callbacks in both eras.
"""

import asyncio
import base64
from dataclasses import dataclass, field
from typing import Any

from mcp import Client
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

from tests.conformance.fixture.blocks import PNG, WAV

LOG_LEVEL = "io.modelcontextprotocol/logLevel"
# How the client is connected, and how it settles on a revision.
WAYS = (("http", "auto"), ("http", "2026-07-28"), ("http", "legacy"), ("stdio", "auto"), ("stdio", "legacy"))
SECONDS = 10.0
# What the user fills in, by the name of the field.
ANSWERS = {"name": "Ada", "color": "blue", "ok": True, "context": "the moon", "username": "ada", "email": "a@b.example"}
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"}


@dataclass(slots=True, kw_only=True)
class Talk:
    """A client in one era that is connected by one front, and what it heard and was asked during one test."""

    server: Any
    mode: str
    client: Client = field(init=False)
    action: Any = "accept"
    questions: list[Any] = field(default_factory=list)
    logged: list[Any] = field(default_factory=list)
    changes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    @property
    def is_legacy(self) -> bool:
        return self.mode == "legacy"

    async def ask_user(self, _: Any, params: Any) -> ElicitResult:
        self.questions.append((params.message, params.requested_schema))
        if self.action != "accept":
            return ElicitResult(action=self.action)
        filled_in = {name: ANSWERS[name] for name in params.requested_schema["properties"] if name in ANSWERS}
        return ElicitResult(action="accept", content=filled_in)

    async def ask_model(self, _: Any, params: Any) -> CreateMessageResult:
        self.questions.append([dump(message) for message in params.messages])
        return CreateMessageResult(role="assistant", content=TextContent(text="Paris"), model="tiny")

    async def list_roots(self, _: Any) -> ListRootsResult:
        self.questions.append("roots")
        return ListRootsResult(roots=[Root(uri="file:///home/ada", name="home"), Root(uri="file:///srv")])

    async def hear_log(self, params: Any) -> None:
        self.logged.append(dump(params))

    async def hear_message(self, message: Any) -> None:
        if type(message).__name__.endswith("ListChangedNotification"):
            self.changes.put_nowait(message.method)

    async def call(self, name: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
        """All that matters of a tool's result."""
        result = await self.client.call_tool(name, arguments, read_timeout_seconds=SECONDS, **more)
        assert not result.is_error, result.content
        return [dump(block) for block in result.content]

    async def want_log_lines(self, level: Any) -> dict[str, Any]:
        """Has this level of log lines sent; what a call needs to carry for it."""
        if not self.is_legacy:
            return {LOG_LEVEL: level}
        await self.client.set_logging_level(level)
        return {}


def dump(model: Any) -> Any:
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


def text(line: str) -> dict[str, Any]:
    return {"type": "text", "text": line}


def make_resource(uri: str, held: str, mime_type: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": held}}

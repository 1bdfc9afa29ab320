"""A reflection service that answers from a table: whatever a server may say can be put into it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

V1 = "grpc.reflection.v1.ServerReflection"
V1ALPHA = "grpc.reflection.v1alpha.ServerReflection"

Reply = ServerReflectionResponse | Callable[[grpc.aio.ServicerContext], Awaitable[Any]] | None


@dataclass
class ReflectionTable:
    """A reflection service that answers from a table.

    `answers` come first, by what was asked ("*" for the list): a response, a coroutine function that ends the stream
    some way, or None to close it. What is not in it is answered out of `services` and `files`, one file an answer,
    or with all that it imports where `closures` is set. `asked` and `ended` record what came.
    """

    services: list[str] = field(default_factory=list)
    files: list[FileDescriptorProto] = field(default_factory=list)
    answers: dict[str, Reply] = field(default_factory=dict)
    closures: bool = False
    answers_a_stream: int = 1_000_000
    metadata: tuple[str, str] | None = None
    asked: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    seen_metadata: list[dict[str, str | bytes]] = field(default_factory=list)

    async def serve(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext) -> AsyncIterator[bytes]:
        self.seen_metadata.append(dict(context.invocation_metadata() or ()))
        end = "CANCELLED"
        try:
            if self.metadata is not None and self.metadata not in (context.invocation_metadata() or ()):
                end = "ABORTED"
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
            left = self.answers_a_stream
            async for content in requests:
                request = ServerReflectionRequest.FromString(content)
                kind = request.WhichOneof("message_request")
                question = "*" if kind == "list_services" else getattr(request, kind or "")
                self.asked.append(question)
                reply = self.answers[question] if question in self.answers else self._reply(kind, question)
                if callable(reply):
                    end = "ABORTED"
                    reply = await reply(context)
                if reply is None or not left:
                    end = "CLOSED"
                    return
                left -= 1
                yield reply if isinstance(reply, bytes) else reply.SerializeToString()
            end = "OK"
        finally:
            self.ended.append(end)

    def _reply(self, kind: str | None, question: str) -> ServerReflectionResponse:
        response = ServerReflectionResponse()
        if kind == "list_services":
            for name in self.services:
                response.list_services_response.service.add(name=name)
            return response
        found = [file for file in self.files if question == file.name or question in _services(file)][:1]
        if self.closures:
            for file in found:
                found += [one for one in self.files if one.name in file.dependency and one not in found]
        if not found:
            response.error_response.error_code = grpc.StatusCode.NOT_FOUND.value[0]
            return response
        response.file_descriptor_response.file_descriptor_proto.extend(file.SerializeToString() for file in found)
        return response


def _services(file: FileDescriptorProto) -> list[str]:
    return [f"{file.package}.{service.name}".lstrip(".") for service in file.service]

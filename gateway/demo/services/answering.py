"""Turns a plain method that answers or raises `Refused` into an RPC's handler."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from gateway.demo.failures import Context, Refused, abort

Request = TypeVar("Request")
Reply = TypeVar("Reply")


def answering(
    method: Callable[[Any, Request, Context], Awaitable[Reply]],
) -> Callable[[Any, Request, Context], Awaitable[Reply]]:
    """The handler of an RPC with one reply: a refusal that `method` raises ends the call with its status."""

    @wraps(method)
    async def handler(self: Any, request: Request, context: Context) -> Reply:
        try:
            return await method(self, request, context)
        except Refused as refused:
            await abort(context, refused.status)

    return handler


def streaming(
    method: Callable[[Any, Request, Context], AsyncIterator[Reply]],
) -> Callable[[Any, Request, Context], AsyncIterator[Reply]]:
    """The handler of an RPC with many replies: as `answering`, also after some were sent."""

    @wraps(method)
    async def handler(self: Any, request: Request, context: Context) -> AsyncIterator[Reply]:
        try:
            async for reply in method(self, request, context):
                yield reply
        except Refused as refused:
            await abort(context, refused.status)

    return handler

"""The stdio front's dispatcher while the backends are still being asked for the first time.

A client that starts this process sends its first requests at once and, as a rule, asks for each list only once: an
empty one would stay with it. So whatever is about what backends offer waits for the first round of discovery; the rest
does not.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from gateway.contract.envelopes import Envelope
from gateway.mcp.dispatch import Dispatcher
from gateway.mcp.exchange import Exchange
from gateway.mcp.sessions.session import SessionHolder

# Under the 10 s that clients give a first request (the official SDK's), with room for the answer.
PATIENCE_SECONDS = 8.0
_ABOUT_OFFERS = ("tools/", "resources/", "prompts/", "completion/")


class PatientDispatcher(Dispatcher):
    """A dispatcher that gives discovery a moment; `asked` is set when every backend has been asked once."""

    def __init__(self, *, asked: asyncio.Event, **options: Any) -> None:
        super().__init__(**options)
        self._asked = asked

    async def dispatch(self, message: dict[str, Any], exchange: Exchange) -> Envelope | None:
        """The answer to a message; one about what is offered may wait until the first round of discovery is over."""
        await self._wait(message)
        return await super().dispatch(message, exchange)

    async def dispatch_in_session(
        self, message: dict[str, Any], exchange: Exchange, holder: SessionHolder
    ) -> Envelope | None:
        """The same in the handshake era."""
        await self._wait(message)
        return await super().dispatch_in_session(message, exchange, holder)

    async def _wait(self, message: Mapping[str, Any]) -> None:
        if not self._asked.is_set() and str(message.get("method")).startswith(_ABOUT_OFFERS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._asked.wait()

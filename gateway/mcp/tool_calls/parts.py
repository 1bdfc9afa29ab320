"""What becomes of all that a reply says beside its value: content goes into the result, the rest is told at once."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote as quote_fragment

import orjson

from gateway.contract.content_blocks import MENDED, make_attached_content
from gateway.contract.distilled import Problem
from gateway.mcp.catalogue import Tool
from gateway.mcp.log_messages import ClientLog
from gateway.mcp.progress import Progress
from gateway.transcoding.reply_parts import Parts

Block = Mapping[str, Any]


def list_blocks(tool: Tool, parts: Parts, *, place: str = "") -> tuple[tuple[Block, ...], tuple[Problem, ...]]:
    """The content of a reply as blocks of a result, and notes on it: media first, then what is content by itself.

    `place` is the JSON pointer to the reply in the whole result; the notes are by pointers into the reply alone.
    """
    blocks: list[Block] = []
    notes: list[Problem] = []
    for attachment in parts.attachments:
        at = place + attachment.at
        uri = f"grpc:///{tool.rpc}#{quote_fragment(at)}"
        content = make_attached_content(at, attachment.media_type, attachment.encoded, uri=uri)
        blocks += content.blocks
        if not content.is_exact:
            notes.append(Problem(at=attachment.at, text=MENDED))
    return (*blocks, *parts.content), tuple(notes)


def measure(blocks: tuple[Block, ...]) -> int:
    """The size of the blocks' JSON, in bytes."""
    return sum(len(orjson.dumps(block)) for block in blocks)


async def tell_parts(parts: Parts, progress: Progress | None, log: ClientLog | None) -> None:
    """Tells the client what it wants to hear at once: progress and lines for its log. Waits for it to have room."""
    if progress is not None:
        for one in parts.progress:
            await progress.report(one.progress, total=one.total, message=one.message or None)
    if log is not None:
        for line in parts.logs:
            await log.tell(line.level, line.data, logger=line.logger)

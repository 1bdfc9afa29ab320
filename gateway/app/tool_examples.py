"""Examples of a tool's arguments: those that hold are told in its description."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from gateway.contract.distilled import Distilled
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from gateway.transcoding.surface.surface_transcoder import SurfaceTranscoder


def choose_examples(
    transcoder: RpcTranscoder | SurfaceTranscoder, examples: Sequence[Mapping[str, Any]], faults: list[str]
) -> list[Mapping[str, Any]]:
    """The examples that the value gate would take; what comes from headers is not known here."""
    reads_headers = isinstance(transcoder, SurfaceTranscoder) and transcoder.reads_headers
    chosen: list[Mapping[str, Any]] = []
    for number, example in enumerate(examples, start=1):
        refusal = None if reads_headers else transcoder.encode_requests(dict(example))
        if isinstance(refusal, Distilled):
            faults.append(f"its example {number} is left out, since it would be refused: {refusal.message}")
        else:
            chosen.append(example)
    return chosen


def tell_examples(examples: Sequence[Mapping[str, Any]]) -> str:
    """A paragraph with the arguments of each example as JSON, or nothing."""
    lines = [orjson.dumps(dict(example)).decode() for example in examples]
    if not lines:
        return ""
    return "\n\n" + "\n".join([f"Example{'s' if len(lines) > 1 else ''} of arguments:", *lines])

"""JSON text that is kept for long, in no more memory than it needs."""

from typing import Any

import orjson


def encode_to_keep(value: Any) -> bytes:
    """The value as JSON in UTF-8, for what lives as long as a catalogue.

    The encoder's own answer keeps the buffer that it was written to, three times the text of a few kilobytes. Raises
    TypeError for what is no JSON.
    """
    return memoryview(orjson.dumps(value)).tobytes()

"""Converters of protos written down in a test, and shorthands for what they say."""

from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.api import Api
from gateway.transcoding.codec import Codec
from gateway.transcoding.errors import ArgumentProblems
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.laws.compiled import compile_api

WELL_KNOWN = tuple(
    f"google/protobuf/{name}.proto"
    for name in ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
)

PROTO2, PROTO3, EDITION = 'syntax = "proto2";', 'syntax = "proto3";', 'edition = "2023";'


class Kit:
    """The converters of one proto file in package `t`."""

    def __init__(self, body: str, *, syntax: str = PROTO3, ignores_unknown: bool = False, **others: str) -> None:
        """`others`: further files, by stem, that the body's own file imports."""
        names = (*WELL_KNOWN, *(f"{stem}.proto" for stem in others))
        imports = "".join(f'import "{name}";' for name in names)
        self.api: Api = compile_api(t=f"{syntax} package t; {imports} {body}", **others)
        self.codec = Codec(self.api, ignores_unknown=ignores_unknown)

    def descriptor(self, name: str = "M") -> Descriptor:
        """The message type of that name in package `t`, or of that full name."""
        return self.api.pool.FindMessageTypeByName(name if "." in name else f"t.{name}")

    def make(self, name: str = "M", /, **fields: Any) -> Any:
        """A message made by protobuf's own constructor."""
        return GetMessageClass(self.descriptor(name))(**fields)

    def parse(self, value: Any, name: str = "M") -> Any:
        """The message that JSON data is."""
        return self.codec.parser_for(self.descriptor(name))(value)

    def find_problems(self, value: Any, name: str = "M") -> dict[str, str]:
        """What is wrong with JSON data, by JSON pointer; empty where nothing is."""
        try:
            self.parse(value, name)
        except ArgumentProblems as refusal:
            return {problem.at: problem.text for problem in refusal.problems}
        return {}

    def print(self, message: Message) -> Any:
        """The JSON data of a message, which must have no notes."""
        printed = self.codec.noting_printer_for(message.DESCRIPTOR)(message)
        assert printed.notes == ()
        return printed.value

    def print_noting(self, message: Message) -> tuple[Any, dict[str, str]]:
        """The JSON data of a message, and the notes by JSON pointer."""
        printed = self.codec.noting_printer_for(message.DESCRIPTOR)(message)
        return printed.value, {note.at: note.text for note in printed.notes}

    def transcoder(self, method: str) -> RpcTranscoder:
        """The transcoder of the file's RPC of that name."""
        return RpcTranscoder(self.codec, next(rpc for rpc in self.api.rpcs if rpc.method == method))


def get_bytes(message: Message) -> bytes:
    """The message's bytes, equal for equal messages."""
    return type(message).SerializeToString(message, deterministic=True)

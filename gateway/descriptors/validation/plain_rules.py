"""Message types again, with nothing but the standard rules of their fields.

Rules in the Common Expression Language may fail over a message without values (an item of an empty list, a division by
zero), and the engine then says nothing of the others. In these copies the others stand alone.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FieldOptions, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.files.option_bytes import collect_fields, drop_field
from gateway.descriptors.validation.vocabulary import OPTION_NUMBER, Vocabulary

# Expressions, and the rules of elements: without values there are none.
_BESIDE = {"": ("cel", "cel_expression"), "repeated": ("items",), "map": ("keys", "values")}


class PlainRules:
    """Makes the copies; each file is copied once, when a type of it is first asked for."""

    def __init__(self, files: Mapping[str, FileDescriptorProto], vocabulary: Vocabulary) -> None:
        self._files = files
        self._vocabulary = vocabulary
        self._pools: dict[str, DescriptorPool] = {}

    def get_class(self, message: Descriptor) -> type[Message]:
        """The class of the copy of this type; it is in a pool of its own."""
        name = message.file.name
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = self._make_pool(name)
        return GetMessageClass(pool.FindMessageTypeByName(message.full_name))

    def _make_pool(self, name: str) -> DescriptorPool:
        pool = DescriptorPool()
        added: set[str] = set()
        path = [(name, iter(self._files[name].dependency))]
        while path:
            current, imports = path[-1]
            imported = next(imports, None)
            if imported is None:
                path.pop()
                file = self._files[current]
                pool.AddSerializedFile((self._copy(file) if current == name else file).SerializeToString())
            elif imported not in added:
                added.add(imported)
                path.append((imported, iter(self._files[imported].dependency)))
        return pool

    def _copy(self, file: FileDescriptorProto) -> FileDescriptorProto:
        copy = FileDescriptorProto()
        copy.CopyFrom(file)
        pending: list[DescriptorProto] = list(copy.message_type)
        while pending:
            message = pending.pop()
            pending.extend(message.nested_type)
            if message.HasField("options"):
                message.options.ParseFromString(drop_field(message.options.SerializeToString(), OPTION_NUMBER))
            for field in message.field:
                self._simplify(field)
        return copy

    def _simplify(self, field: FieldDescriptorProto) -> None:
        data = field.options.SerializeToString() if field.HasField("options") else b""
        payloads = [value for value in collect_fields(data).get(OPTION_NUMBER, []) if isinstance(value, bytes)]
        rules = self._vocabulary.read("FieldRules", b"".join(payloads))
        if rules is None:
            return
        rules.DiscardUnknownFields()
        for part, names in _BESIDE.items():
            if part and not rules.HasField(part):
                continue
            inner: Any = getattr(rules, part) if part else rules
            for each in names:
                inner.ClearField(each)
        rest = drop_field(data, OPTION_NUMBER) + self._vocabulary.write_field_option(rules)
        field.options.CopyFrom(FieldOptions.FromString(rest))

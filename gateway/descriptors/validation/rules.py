"""What the validation rules of one backend say: its options of buf.validate, typed.

Rules are read from the bytes of options, so they are found whether or not the backend serves validate.proto. A backend
without any costs one look at its files. This module knows nothing of JSON, and runs no rule.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.files.runtime_files import VALIDATE_FILE
from gateway.descriptors.options import AnyDescriptor, Options
from gateway.descriptors.validation.vocabulary import (
    OPTION_NUMBER,
    PREDEFINED_NUMBER,
    RuleMessage,
    Vocabulary,
)

# The option's field number and wire type as they stand in bytes (protobuf.dev, "Encoding").
_OPTION_TAG = b"\xba\x48"
_EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {
        "FieldOptions": "buf.validate.field",
        "MessageOptions": "buf.validate.message",
        "OneofOptions": "buf.validate.oneof",
    }
)

IGNORE_IF_ZERO_VALUE = 1
IGNORE_ALWAYS = 3
"""buf.validate.Ignore."""


class Rules:
    """The rules of the types of one pool."""

    def __init__(self, pool: DescriptorPool, files: Mapping[str, FileDescriptorProto], options: Options) -> None:
        """`files`: the pool's files, by name."""
        self.files = files
        self._pool = pool
        self._options = options
        self._fields: dict[FieldDescriptor, RuleMessage | None] = {}
        self._messages: dict[Descriptor, RuleMessage | None] = {}
        self._ruled: dict[Descriptor, bool] = {}
        self._inner: dict[Descriptor, tuple[Descriptor, ...]] = {}
        self._reached: dict[Descriptor, tuple[Descriptor, ...]] = {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The reader of payloads; the first use costs about a tenth of a second."""
        return Vocabulary()

    @cached_property
    def _ruled_files(self) -> frozenset[str]:
        """The files that may carry rules: a few of them carry the tag's bytes by chance."""
        names = (name for name, file in self.files.items() if name != VALIDATE_FILE)
        return frozenset(name for name in names if _OPTION_TAG in self.files[name].SerializeToString())

    @property
    def exist(self) -> bool:
        """False where no type of the backend has a rule."""
        return bool(self._ruled_files)

    def find_field_rules(self, field: FieldDescriptor) -> RuleMessage | None:
        """The field's buf.validate.FieldRules, or None."""
        if field not in self._fields:
            payload = self._get_payload(field, "FieldOptions")
            self._fields[field] = self.vocabulary.read("FieldRules", payload) if payload else None
        return self._fields[field]

    def find_message_rules(self, message: Descriptor) -> RuleMessage | None:
        """The message's buf.validate.MessageRules, or None."""
        if message not in self._messages:
            payload = self._get_payload(message, "MessageOptions")
            self._messages[message] = self.vocabulary.read("MessageRules", payload) if payload else None
        return self._messages[message]

    def is_oneof_required(self, oneof: OneofDescriptor) -> bool:
        """Whether one member of the oneof must be set."""
        payload = self._get_payload(oneof, "OneofOptions")
        rules = self.vocabulary.read("OneofRules", payload) if payload else None
        return rules is not None and bool(rules.required)

    def list_ruled_types(self, root: Descriptor) -> tuple[Descriptor, ...]:
        """The messages with rules that a message of this type can hold, itself included, nearest first."""
        if not self.exist:
            return ()
        found = self._reached.get(root)
        if found is None:
            found = self._reached[root] = tuple(filter(self.has_rules, self._reach(root)))
        return found

    def _reach(self, root: Descriptor) -> Iterable[Descriptor]:
        """Every message in which a message of this type is looked at, itself included, nearest first."""
        reached = {root: None}
        pending = [root]
        for message in pending:
            for inner in self._list_inner(message):
                if inner not in reached:
                    reached[inner] = None
                    pending.append(inner)
        return pending

    def _list_inner(self, message: Descriptor) -> tuple[Descriptor, ...]:
        """The types of the message's own fields, map entries among them, that are looked at."""
        inner = self._inner.get(message)
        if inner is None:
            fields = [field for field in message.fields if field.message_type is not None]
            types = (field.message_type for field in fields if not self._is_ignored(field))
            inner = self._inner[message] = tuple(dict.fromkeys(kind for kind in types if kind is not None))
        return inner

    def has_rules(self, message: Descriptor) -> bool:
        """Whether the message itself, a field or a oneof of it has rules."""
        known = self._ruled.get(message)
        if known is None:
            known = self._ruled[message] = message.file.name in self._ruled_files and self._carries_rules(message)
        return known

    def _carries_rules(self, message: Descriptor) -> bool:
        return (
            self.find_message_rules(message) is not None
            or any(self.find_field_rules(field) is not None for field in message.fields)
            or any(self.is_oneof_required(oneof) for oneof in message.oneofs)
        )

    def list_predefined(self, rules: RuleMessage) -> tuple[str, ...]:
        """What the rules of the backend's own making say (extensions of StringRules and the like), a line each.

        A rule that the pool does not describe is left out.
        """
        try:
            kind = GetMessageClass(self._pool.FindMessageTypeByName(rules.DESCRIPTOR.full_name))
            own = kind.FromString(rules.SerializeToString())
        except (KeyError, DecodeError):
            return ()
        told: list[str] = []
        for field, value in own.ListFields():
            if not field.is_extension or value is False:
                continue
            payload = b"".join(self._options.raw_option(field, PREDEFINED_NUMBER))
            predefined = self.vocabulary.read("PredefinedRules", payload)
            lines = () if predefined is None else tuple(filter(None, map(tell_rule, predefined.cel)))
            shown = f" ({value})" if isinstance(value, int | float | str) and value is not True else ""
            told += [f"{line}{shown}" for line in lines or (field.name.replace("_", " "),)]
        return tuple(told)

    def _is_ignored(self, field: FieldDescriptor) -> bool:
        rules = self.find_field_rules(field) if field.has_options else None
        return rules is not None and rules.ignore == IGNORE_ALWAYS

    def _get_payload(self, descriptor: AnyDescriptor, extendee: str) -> bytes:
        if not descriptor.has_options or not self._options.is_unclaimed(extendee, OPTION_NUMBER, _EXTENSIONS[extendee]):
            return b""
        return b"".join(self._options.raw_option(descriptor, OPTION_NUMBER))


def tell_rule(rule: RuleMessage) -> str:
    """What a rule in the Common Expression Language says in words: its message, else its id, else "".

    The expression itself is for machines.
    """
    return str(rule.message or rule.id)

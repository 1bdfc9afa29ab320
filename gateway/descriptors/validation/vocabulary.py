"""The messages in which validation rules are written: buf/validate/validate.proto, as the engine has it.

They live in a pool of their own, so that rules can be read whether or not a backend describes them, and are read in
the same version in which they are enforced.
"""

from typing import Any

from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from gateway.descriptors.files.runtime_files import VALIDATE_FILE, find_runtime_file

RuleMessage = Any
"""A message of buf.validate, whose fields are known by name only."""

OPTION_NUMBER = 1159
"""The field number of buf.validate's extensions of field, message and oneof options (validate.proto)."""

PREDEFINED_NUMBER = 1160
"""The same for the option of an extension that is a rule by itself (`buf.validate.predefined`)."""


class Vocabulary:
    """Reads the payloads of buf.validate's options."""

    def __init__(self) -> None:
        pool = DescriptorPool()
        _add(pool, VALIDATE_FILE, set())
        names = ("FieldRules", "MessageRules", "OneofRules", "PredefinedRules")
        self._classes = {name: GetMessageClass(pool.FindMessageTypeByName(f"buf.validate.{name}")) for name in names}
        self._field_options: Any = GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FieldOptions"))
        self._field_extension = pool.FindExtensionByName("buf.validate.field")

    def read(self, name: str, payload: bytes) -> RuleMessage | None:
        """The rules of that kind ("FieldRules"), or None where there are none or the bytes are no such message."""
        if not payload:
            return None
        try:
            return self._classes[name].FromString(payload)
        except DecodeError:
            return None

    def write_field_option(self, rules: RuleMessage) -> bytes:
        """The bytes of a field's options that hold these FieldRules and nothing else."""
        options = self._field_options()
        options.Extensions[self._field_extension].CopyFrom(rules)
        written: bytes = options.SerializeToString()
        return written


def _add(pool: DescriptorPool, name: str, added: set[str]) -> None:
    file = find_runtime_file(name)
    if file is None or name in added:
        return
    added.add(name)
    for imported in file.dependency:
        _add(pool, imported, added)
    pool.AddSerializedFile(file.SerializeToString())

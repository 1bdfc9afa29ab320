"""What a google.protobuf.Any can be expected to hold: the end of a long-running operation, or one of a few messages."""

from gateway.descriptors.api import Api
from gateway.descriptors.files.runtime_files import VALIDATE_FILE
from gateway.descriptors.long_running import find_named_message
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.schema.rules.facts import FieldFacts, Place
from gateway.descriptors.schema.types.special_messages import ANY, OPERATION, SPECIAL_MESSAGES

LIMIT_ANY_TYPES = 8

# google/longrunning/operations.proto: which field of an Operation holds what operation_info names.
_OPERATION_FIELDS = ("response", "metadata")


def find_operation_content(api: Api, place: Place) -> FieldFacts | None:
    """What a long-running operation's Any fields will hold (AIP-151), where the names can be resolved."""
    field, method = place.field, place.method
    if method is None or place.direction is Direction.INPUT or place.message.full_name != OPERATION:
        return None
    info = api.options.operation_info(method)
    if info is None or field.name not in _OPERATION_FIELDS:
        return None
    name = info.response_type if field.name == "response" else info.metadata_type
    content = find_named_message(api, name, method)
    # One that has a JSON form of its own does not stand in an Any as an object.
    if content is None or content.full_name in SPECIAL_MESSAGES:
        return None
    return FieldFacts(content=content)


def list_any_types(names: tuple[str, ...], place: Place) -> FieldFacts | None:
    """These types as what an Any in arguments may hold."""
    message = place.value.message_type
    if not names or place.direction is Direction.OUTPUT or message is None or message.full_name != ANY:
        return None
    return FieldFacts(notes=(f"known types: {', '.join(names)}",))


def find_any_types(api: Api) -> tuple[str, ...]:
    """The messages that only an Any can hold, by full name; none where they are too many to name.

    Those are the top level messages that no field and no RPC of the backend mentions, outside google.* and the language
    of validation rules.
    """
    declared: set[str] = set()
    mentioned: set[str] = set()
    for file in api.files.values():
        if file.package.split(".")[0] == "google" or file.name == VALIDATE_FILE:
            continue
        scope = f".{file.package}." if file.package else "."
        declared.update(scope + message.name for message in file.message_type)
        mentioned.update(t for service in file.service for m in service.method for t in (m.input_type, m.output_type))
        mentioned.update(extension.type_name for extension in file.extension)
        pending = list(file.message_type)
        while pending:
            message = pending.pop()
            pending.extend(message.nested_type)
            mentioned.update(field.type_name for field in (*message.field, *message.extension))
    names = sorted(name[1:] for name in declared - mentioned)
    return tuple(names) if len(names) <= LIMIT_ANY_TYPES else ()

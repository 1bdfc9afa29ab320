"""Facts about the fields of an RPC's messages: those that are annotated, and those that the operator names by path.

Either way they end up under the field itself: a path of proto names from the request where the place counts, the
field's full name where it does not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.distilled import make_pointer
from gateway.descriptors.api import Rpc
from gateway.descriptors.facts.annotations import HTTP_BODY, Annotations
from gateway.descriptors.facts.entries import FIELD_FACTS, RpcEntry
from gateway.descriptors.facts.values import FieldPath
from gateway.descriptors.field_names import get_field_names

_OWN_FORM = "google.protobuf."
# google/api/httpbody.proto says the media type of its data itself, wherever it stands.
_BODIES: Mapping[str, Any] = {f"{HTTP_BODY}.data": {"beside": "content_type"}}


def read_fields(annotations: Annotations, rpc: Rpc) -> dict[str, Any]:
    """What is annotated of the fields of an RPC's messages, by the names of the configuration; and of HTTP bodies."""
    asked, answered = annotations.walk_fields(rpc.request), annotations.walk_fields(rpc.response)
    bodies = dict(_BODIES) if annotations.holds_bodies(rpc.response) else {}
    if not (asked or answered or bodies):
        return {}
    said: dict[str, Any] = {
        "headers": dict(_iterate_headers(annotations, rpc.request, ())),
        "media_types": bodies
        | {
            field.full_name: {"beside": about.media_type_field} if about.media_type_field else about.media_type
            for field, about in answered
            if about.media_type or about.media_type_field
        },
        "sensitive": [field.full_name for field, about in (*asked, *answered) if about.sensitive],
    }
    return {name: value for name, value in said.items() if value}


def resolve_paths(entry: RpcEntry, rpc: Rpc, index: int) -> tuple[dict[str, Any], frozenset[str]]:
    """What the entry says, about the fields that this RPC has; and which of its paths fitted, as JSON pointers.

    `index` is the entry's place in the configuration.
    """
    resolved: dict[str, Any] = {name: value for name, value in entry.facts.items() if name not in FIELD_FACTS}
    fitting: set[str] = set()
    for name in FIELD_FACTS:
        said = entry.facts.get(name)
        if said is None:
            continue
        found: dict[Any, Any] = {}
        for step, path, value in _iterate_paths(said):
            keys = _KEYS[name](rpc, path)
            found |= dict.fromkeys(keys, value)
            if keys:
                fitting.add(make_pointer(("rpcs", index, name, step)))
        resolved[name] = found if isinstance(said, Mapping) else list(found)
    return resolved, frozenset(fitting)


def find_field(root: Descriptor, path: str, *, through_lists: bool) -> tuple[FieldDescriptor, ...] | None:
    """The fields that a path such as "order.customer_id" leads through, the meant one last; None where there is none.

    Proto and JSON names are taken. `through_lists`: also through the messages of a list and the values of a map, which
    take no name in the path.
    """
    fields: list[FieldDescriptor] = []
    message: Descriptor | None = root
    for name in path.split("."):
        found = None if message is None else get_field_names(message).accepted.get(name)
        if found is None:
            return None
        fields.append(found)
        message = _get_inner(found, through_lists=through_lists)
    return tuple(fields)


def _get_inner(field: FieldDescriptor, *, through_lists: bool) -> Descriptor | None:
    """The message in which a path goes on behind this field, or None where it must end."""
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        message = message.fields_by_name["value"].message_type
    if message is None or message.full_name.startswith(_OWN_FORM) or (field.is_repeated and not through_lists):
        return None
    return message


def _iterate_paths(said: Any) -> Iterator[tuple[str | int, str, Any]]:
    """The step, the path and the value of each; a list of paths has no values."""
    if isinstance(said, Mapping):
        for path, value in said.items():
            yield path, path, value
    else:
        for index, path in enumerate(said):
            yield index, path, None


def _find_place(rpc: Rpc, path: str) -> list[FieldPath]:
    fields = find_field(rpc.request, path, through_lists=False)
    return [] if fields is None else [tuple(field.name for field in fields)]


def _find_answered(rpc: Rpc, path: str) -> list[str]:
    fields = find_field(rpc.response, path, through_lists=True)
    return [] if fields is None else [fields[-1].full_name]


def _find_anywhere(rpc: Rpc, path: str) -> list[str]:
    found = (find_field(message, path, through_lists=True) for message in (rpc.request, rpc.response))
    return [fields[-1].full_name for fields in found if fields is not None]


_KEYS: Mapping[str, Callable[[Rpc, str], Sequence[FieldPath | str]]] = {
    "headers": _find_place,
    "arguments": _find_place,
    "media_types": _find_answered,
    "sensitive": _find_anywhere,
}


def _iterate_headers(
    annotations: Annotations, message: Descriptor, path: FieldPath, above: frozenset[str] = frozenset()
) -> Iterator[tuple[FieldPath, str]]:
    """The mirrored fields below a message: not those of lists and maps, nor of a message within itself."""
    for field, about in annotations.list_fields(message):
        if about.header:
            yield (*path, field.name), about.header
    above |= {message.full_name}
    for field in message.fields:
        inner = _get_inner(field, through_lists=False)
        if inner is None or inner.full_name in above or not _has_headers(annotations, inner):
            continue
        yield from _iterate_headers(annotations, inner, (*path, field.name), above)


def _has_headers(annotations: Annotations, message: Descriptor) -> bool:
    return any(about.header for _, about in annotations.walk_fields(message))

"""What is left of a reply: the fields that the operator names, out of the JSON of a message that may have more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.quoting import quote
from gateway.descriptors.facts.fields import find_field
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.root_forms import is_structured
from gateway.descriptors.typed_fields import STREAM_EVENT
from gateway.transcoding.converters.type_index import get_containing_type, is_map
from gateway.transcoding.printed import Printed

_OWN_FORM = "google.protobuf."
Tree = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """One field that is left: whole, or of what it holds the fields in `below`."""

    is_list: bool = False
    is_map: bool = False
    below: "Mapping[str, _Kept] | None" = None


class ReplyMask:
    """The fields that are left of the replies of one type."""

    def __init__(self, kept: Mapping[str, _Kept]) -> None:
        self._kept = kept

    def make_tree(self) -> Tree:
        """The names that are left, as nested mappings; None where all of a field is."""
        return _make_tree(self._kept)

    def apply(self, printed: Printed) -> Printed:
        """The reply without the rest, and without what was to be said of the rest."""
        if not isinstance(printed.value, dict):
            return printed
        notes = tuple(note for note in printed.notes if self._has_place(note.at))
        parts = printed.parts
        if parts is not None and parts.attachments:
            attachments = tuple(one for one in parts.attachments if self._has_place(one.at))
            parts = replace(parts, attachments=attachments)
        return replace(printed, value=_prune(self._kept, printed.value), notes=notes, parts=parts)

    def _has_place(self, pointer: str) -> bool:
        kept: Mapping[str, _Kept] | None = self._kept
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        while steps and kept is not None:
            one = kept.get(steps.pop(0))
            if one is None:
                return False
            if (one.is_list or one.is_map) and steps:
                steps.pop(0)
            kept = one.below
        return True


def make_reply_mask(response: Descriptor, paths: Sequence[str]) -> tuple[ReplyMask | None, tuple[str, ...]]:
    """The mask of these paths, and a line for what of them cannot be used. None: replies stay whole."""
    if not paths:
        return None, ()
    if not is_structured(response) or response.full_name == STREAM_EVENT or response.full_name.startswith(_OWN_FORM):
        return None, ("its output_mask is not used: the reply is no message with fields",)
    found = {path: find_field(response, path, through_lists=True) for path in paths}
    faults = tuple(
        f"its output_mask names {quote(path)}, which the reply does not have"
        for path, fields in found.items()
        if not fields
    )
    used = [fields for fields in found.values() if fields]
    if not used:
        return None, (*faults, "nothing is left of its output_mask, so replies stay whole")
    return ReplyMask(_compile(used)), faults


def _compile(paths: Sequence[Sequence[FieldDescriptor]]) -> dict[str, _Kept]:
    grouped: dict[int, list[Sequence[FieldDescriptor]]] = {}
    for path in paths:
        grouped.setdefault(path[0].number, []).append(path)
    kept: dict[str, _Kept] = {}
    for number, members in grouped.items():
        target = members[0][0]
        name = get_field_names(get_containing_type(target)).printed[number]
        rest = [path[1:] for path in members]
        below = None if any(not path for path in rest) else _compile(rest)
        kept[name] = _Kept(is_list=target.is_repeated and not is_map(target), is_map=is_map(target), below=below)
    return kept


def _make_tree(kept: Mapping[str, _Kept]) -> Tree:
    return {name: None if one.below is None else _make_tree(one.below) for name, one in kept.items()}


def _prune(kept: Mapping[str, _Kept], value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    pruned: dict[str, Any] = {}
    for name, one in kept.items():
        if name not in value:
            continue
        member, below = value[name], one.below
        if below is None:
            pruned[name] = member
        elif one.is_list and isinstance(member, list):
            pruned[name] = [_prune(below, item) for item in member]
        elif one.is_map and isinstance(member, dict):
            pruned[name] = {key: _prune(below, item) for key, item in member.items()}
        else:
            pruned[name] = _prune(below, member)
    return pruned

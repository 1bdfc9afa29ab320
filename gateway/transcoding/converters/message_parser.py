"""Messages from JSON objects, closed: unknown names, two spellings of one field and two members of a oneof are refused.

A parser compiles itself when it is first called, so that recursive types end and unused ones cost nothing. A message
becomes the dict of fields that its constructor takes, or the message itself where extensions are set on it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.contract.nearest_names import NearestNames
from gateway.transcoding.converters.explanations import expect_structure, explain_unknown_field
from gateway.transcoding.converters.outcomes import (
    LIMIT_CAUSES,
    Cause,
    Parse,
    RefusedError,
    gather,
    refuse,
    refuse_depth,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldParser:
    """How one field is parsed. Values of type `kind` pass unchanged (None: no type does).

    `takes_null` is set where null is a value; elsewhere it means that the field is not set.
    """

    kind: type | None
    parse: Parse
    takes_null: bool = False


Entry = tuple[type | None, str, Parse, bool]
"""kind, proto name, parse, takes_null: a FieldParser as the loop wants it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePlan:
    """What a message takes: entries by every accepted spelling, required fields, oneofs with several members.

    `required` maps the proto name to the name that is published; `known` holds the published names,
    `nearest` finds among them.
    """

    entries: Mapping[str, Entry]
    known: Sequence[str]
    nearest: NearestNames
    required: Mapping[str, str]
    oneofs: tuple[frozenset[str], ...]


FindExtension = Callable[[str], tuple[Any, Parse] | None]
"""An extension and its parser by full name."""

BuildExtended = Callable[[dict[str, Any], dict[Any, Any]], Any]
"""A message of plain fields and of extensions."""


def make_message_parser(
    make_plan: Callable[[], MessagePlan],
    find_extension: FindExtension,
    build_extended: BuildExtended,
    *,
    ignores_unknown: bool = False,
    explains: bool = True,
) -> Parse:
    """A parser of one message type. `ignores_unknown` drops unknown fields and unknown enum names (ProtoJSON).

    Without `explains` the first fault ends it, in no words worth telling: for who parses once more to have them all.
    """
    plan: MessagePlan | None = None
    find_entry: Callable[[str], Entry | None]
    required: Mapping[str, str]
    oneofs: tuple[frozenset[str], ...]

    def parse_message(value: Any, room: int) -> Any:
        nonlocal plan, find_entry, required, oneofs
        if type(value) is not dict:
            raise refuse(expect_structure("an object", value))
        if room < 1:
            raise refuse_depth()
        if plan is None:
            made = make_plan()
            # The plan last: another thread that finds it finds the rest as well.
            find_entry, required, oneofs = made.entries.get, made.required, made.oneofs
            plan = made
        room -= 1
        fields: dict[str, Any] = {}
        extensions: dict[Any, Any] | None = None
        causes: list[Cause] | None = None
        for key, item in value.items():
            entry = find_entry(key)
            try:
                if entry is None:
                    found = find_extension(key[1:-1]) if key[:1] == "[" and key[-1:] == "]" else None
                    if found is not None:
                        extensions = {} if extensions is None else extensions
                        if item is not None:
                            extensions[found[0]] = found[1](item, room)
                    elif not ignores_unknown:
                        raise refuse(explain_unknown_field(key, plan.known, plan.nearest) if explains else "is unknown")
                else:
                    kind, name, parse, takes_null = entry
                    if type(item) is kind:
                        fields[name] = item
                    elif item is not None or takes_null:
                        fields[name] = parse(item, room)
            except RefusedError as refusal:
                if ignores_unknown and refusal.names_unknown_enum:
                    continue
                if not explains:
                    raise
                causes = gather(causes, key, refusal.causes)
                if len(causes) >= LIMIT_CAUSES:
                    break
        # Every key has set a field of its own, unless there were nulls, extensions, faults or two spellings.
        if len(fields) < len(value):
            causes = _find_doubles(value, plan.entries, causes)
        if required and not fields.keys() >= required.keys():
            causes = _find_missing(value, plan, causes)
        for members in oneofs:
            if len(members & fields.keys()) > 1:
                causes = [*(causes or ()), _explain_oneof(value, plan.entries, members)]
        if causes is not None:
            raise RefusedError(*causes)
        return fields if extensions is None else build_extended(fields, extensions)

    return parse_message


def _find_doubles(
    value: Mapping[str, Any], entries: Mapping[str, Entry], causes: list[Cause] | None
) -> list[Cause] | None:
    first: dict[str, str] = {}
    for key in value:
        entry = entries.get(key)
        if entry is None:
            continue
        other = first.setdefault(entry[1], key)
        if other != key:
            causes = [*(causes or ()), Cause(f"is the same field as `{other}`; give it once", (key,))]
    return causes


def _find_missing(value: Mapping[str, Any], plan: MessagePlan, causes: list[Cause] | None) -> list[Cause] | None:
    given = {entry[1] for key, item in value.items() if item is not None and (entry := plan.entries.get(key))}
    missing = [published for name, published in plan.required.items() if name not in given]
    if not missing:
        return causes
    return [*(causes or ()), *(Cause("is required", (published,)) for published in missing)]


def _explain_oneof(value: Mapping[str, Any], entries: Mapping[str, Entry], members: frozenset[str]) -> Cause:
    given = [
        f"`{key}`"
        for key, item in value.items()
        if (entry := entries.get(key)) and entry[1] in members and (item is not None or entry[3])
    ]
    listed = " and ".join(given)
    return Cause(f"takes only one of {listed}; they exclude each other")

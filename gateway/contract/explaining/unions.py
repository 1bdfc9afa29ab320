"""The keywords that combine schemas: the causes of a union's best branch stand for the union."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from jsonschema import ValidationError

from gateway.contract.explaining.descent import Causes, Judge, descend
from gateway.contract.explaining.leaves import enum_words, type_words

TAGS = frozenset({"const", "enum"})


def _all_of(validator: Any, parts: Any, value: Any, schema: Any) -> Causes:
    for index, part in enumerate(parts):
        yield from descend(validator, value, part, schema_path=index)


def _any_of(validator: Any, branches: Any, value: Any, schema: Any) -> Causes:
    failures: list[list[ValidationError]] = []
    for index, branch in enumerate(branches):
        causes = list(descend(validator, value, branch, schema_path=index))
        if not causes:
            return
        failures.append(causes)
    yield from _choose_branch(failures, value)


def _one_of(validator: Any, branches: Any, value: Any, schema: Any) -> Causes:
    outcomes = [list(descend(validator, value, branch, schema_path=index)) for index, branch in enumerate(branches)]
    failures = [causes for causes in outcomes if causes]
    if len(failures) == len(outcomes):
        yield from _choose_branch(failures, value)
    elif len(outcomes) - len(failures) > 1:
        yield ValidationError("fits more than one of the forms that exclude each other")


def _not(validator: Any, subschema: Any, value: Any, schema: Any) -> Causes:
    if not any(True for _ in descend(validator, value, subschema)):
        yield ValidationError("has the form that its schema excludes")


def _choose_branch(failures: list[list[ValidationError]], value: Any) -> Causes:
    """The causes that tell best why no branch of a union fits.

    Where every branch wants another type, one cause names all types. Else the branch counts that the value came nearest
    to: of the right type, with the right tags (constants one level down, as in `{"type": "text"}`), with the fewest
    members missing and the fewest causes at all. Where even that branch has another tag, one cause names all tags.
    """
    types = [next((cause for cause in causes if _is_own_type(cause)), None) for causes in failures]
    if all(types):
        wanted = _merge(_listed(cause.validator_value) for cause in types if cause is not None)
        yield ValidationError(type_words(wanted, value), validator="type", validator_value=wanted)
        return
    best = min(failures, key=_distance)
    tag = next((cause for cause in best if _is_tag(cause)), None)
    if tag is None:
        yield from best
        return
    place = list(tag.path)
    rivals = [cause for causes in failures for cause in causes if _is_tag(cause) and list(cause.path) == place]
    wanted = _merge(map(_allowed_values, rivals))
    yield ValidationError(
        enum_words(wanted, tag.instance), validator="enum", validator_value=wanted, path=place, instance=tag.instance
    )


def _distance(causes: list[ValidationError]) -> tuple[bool, int, int, int]:
    missing = sum(1 for cause in causes if cause.validator == "required" and len(cause.path) == 1)
    return any(map(_is_own_type, causes)), sum(map(_is_tag, causes)), missing, len(causes)


def _is_own_type(cause: ValidationError) -> bool:
    return cause.validator == "type" and not cause.path


def _is_tag(cause: ValidationError) -> bool:
    """Whether a cause tells branches apart: a constant of the value itself or of one member, or values of its own.

    An enumeration of a member is no tag: several values there are the member's range, not the branch's name.
    """
    if cause.validator not in TAGS:
        return False
    return not cause.path or (len(cause.path) == 1 and len(_allowed_values(cause)) == 1)


def _allowed_values(cause: ValidationError) -> list[Any]:
    allowed: Any = cause.validator_value
    return allowed if cause.validator == "enum" else [allowed]


def _listed(names: Any) -> list[Any]:
    return [names] if isinstance(names, str) else names


def _merge(lists: Iterable[list[Any]]) -> list[Any]:
    merged: list[Any] = []
    for item in chain.from_iterable(lists):
        if item not in merged:
            merged.append(item)
    return merged


UNIONS: Mapping[str, Judge] = {"allOf": _all_of, "anyOf": _any_of, "oneOf": _one_of, "not": _not}

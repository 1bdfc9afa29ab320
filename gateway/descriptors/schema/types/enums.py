"""Enum types as schemas: the names that are offered in arguments, and all that a result can hold.

The names are those that the printer prints: one for each number, the first declared, or the value's own JSON string.
"""

from collections.abc import Collection, Iterable, Sequence

from google.protobuf.descriptor import EnumDescriptor, EnumValueDescriptor

from gateway.contract.quoting import one_line
from gateway.descriptors.comments import Comments
from gateway.descriptors.options import Options
from gateway.descriptors.schema.dialect import Direction, Part
from gateway.descriptors.schema.types.special_messages import SPECIAL_ENUMS

LIMIT_VALUE_COMMENT = 80
LIMIT_VALUE_COMMENTS = 600


def make_enum_part(
    enum: EnumDescriptor,
    direction: Direction,
    comments: Comments,
    options: Options,
    *,
    allowed: Collection[int] | None = None,
) -> Part:
    """The schema of one enum type; in arguments with the `allowed` numbers alone, of which some must have a name.

    Arguments are offered the names that are worth choosing, with their comments; the parser takes the others as well.
    Results may hold every name, and of an open enum every number (an upgraded server may send one without a name).
    """
    special = SPECIAL_ENUMS.get(enum.full_name)
    if special is not None:
        return special.get_part(direction)
    comment = comments.get_comment(enum.full_name)
    if direction is Direction.INPUT:
        values = _pick_offered(enum.values if allowed is None else _pick(enum, allowed), options)
        names = {"type": "string", "enum": _get_names(values, options)}
        return Part(schema=names, comment=comment, notes=_explain(values, enum, comments, options))
    names = {"type": "string", "enum": _get_names(_pick_first(enum.values), options)}
    if enum.is_closed:
        return Part(schema=names, comment=comment)
    return Part(schema={"anyOf": [names, {"type": "integer"}]}, comment=comment)


def list_offered_names(enum: EnumDescriptor, options: Options) -> list[str]:
    """The names that a caller may choose from, one for each number, as arguments are offered them."""
    return _get_names(_pick_offered(enum.values, options), options)


def _pick(enum: EnumDescriptor, numbers: Collection[int]) -> list[EnumValueDescriptor]:
    return [value for value in enum.values if value.number in numbers]


def _pick_first(values: Iterable[EnumValueDescriptor]) -> list[EnumValueDescriptor]:
    """The first of these values with each number: the others are aliases of it."""
    first: dict[int, EnumValueDescriptor] = {}
    for value in values:
        first.setdefault(value.number, value)
    return list(first.values())


def _pick_offered(values: Sequence[EnumValueDescriptor], options: Options) -> list[EnumValueDescriptor]:
    """The values without the deprecated ones and the zero that means "not set" (AIP-126), as long as any are left."""
    current = _pick_first(value for value in values if not options.is_deprecated(value)) or _pick_first(values)
    return [value for value in current if not _means_unset(value)] or current


def _means_unset(value: EnumValueDescriptor) -> bool:
    return value.number == 0 and (value.name == "UNSPECIFIED" or value.name.endswith("_UNSPECIFIED"))


def _get_name(value: EnumValueDescriptor, options: Options) -> str:
    return options.json_string(value) or value.name


def _get_names(values: list[EnumValueDescriptor], options: Options) -> list[str]:
    return list(dict.fromkeys(_get_name(value, options) for value in values))


def _explain(
    values: list[EnumValueDescriptor], enum: EnumDescriptor, comments: Comments, options: Options
) -> tuple[str, ...]:
    """One note with the comments of these values, as far as there are any and there is room."""
    lines: list[str] = []
    room = LIMIT_VALUE_COMMENTS
    for value in values:
        comment = comments.get_comment(f"{enum.full_name}.{value.name}")
        if not comment:
            continue
        line = f"{_get_name(value, options)}: {one_line(comment, LIMIT_VALUE_COMMENT).rstrip('.')}"
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return ("; ".join(lines),) if lines else ()

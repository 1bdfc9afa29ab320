"""Repeated fields both ways. A list that is right is taken at the speed of C; a wrong one names each wrong item."""

from typing import Any

from gateway.transcoding.converters.explanations import expect_structure
from gateway.transcoding.converters.outcomes import (
    LIMIT_CAUSES,
    BlemishError,
    Cause,
    Parse,
    Print,
    RefusedError,
    gather,
    refuse,
)

# Messages of a list are taken out so many at a time: the runtime (upb) keeps track of every one that Python holds, at a
# cost of up to tens of microseconds each once they are hundreds of thousands.
CHUNK = 1024


def make_list_parser(parse_item: Parse, kind: type | None, *, skips_unknown_enums: bool = False) -> Parse:
    """A parser of arrays. `kind`: the type of items that pass unchanged, None where each must be looked at."""
    unchanged = None if kind is None else {kind}

    def parse_list(value: Any, room: int) -> list[Any]:
        if type(value) is not list:
            raise refuse(expect_structure("an array", value))
        if unchanged is not None and unchanged.issuperset(map(type, value)):
            return value
        items: list[Any] = []
        append = items.append
        causes: list[Cause] | None = None
        for index, item in enumerate(value):
            try:
                append(parse_item(item, room))
            except RefusedError as refusal:
                if skips_unknown_enums and refusal.names_unknown_enum:
                    continue
                causes = gather(causes, index, refusal.causes)
                if len(causes) >= LIMIT_CAUSES:
                    break
        if causes is not None:
            raise RefusedError(*causes)
        return items

    return parse_list


def make_list_printer(print_item: Print | None) -> Print:
    """A printer of repeated fields; `print_item` None where JSON has the items as they are."""

    def print_list(value: Any, room: int) -> list[Any]:
        if print_item is None:
            copied: list[Any] = value[:]
            return copied
        items: list[Any] = []
        append = items.append
        causes: list[Cause] | None = None
        for start in range(0, len(value), CHUNK):
            for item in value[start : start + CHUNK]:
                try:
                    append(print_item(item, room))
                except BlemishError as blemish:
                    causes = gather(causes, len(items), blemish.causes)
                    append(blemish.value)
        if causes is not None:
            raise BlemishError(items, *causes)
        return items

    return print_list

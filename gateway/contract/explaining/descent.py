"""How the keyword judges descend into a schema, and the bound on how often they may.

A hostile value could keep an explanation busy for minutes; a number of steps ends it.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator, FormatChecker, ValidationError

Causes = Iterator[ValidationError]
# What `jsonschema` calls for a keyword: its validator, the keyword's value, the instance and the whole schema.
Judge = Callable[[Any, Any, Any, Any], Causes]


# Keywords that `jsonschema` has to see itself: references mean something else below them, or they look to both sides.
# So it has a `$ref` that does not stand alone, beside which nothing counted before 2019-09.
_CHANGES_SCOPE = frozenset({"$id", "$dynamicRef", "$recursiveRef", "if"})


class StepsSpentError(Exception):
    """Explaining took more steps than it is allowed."""


class Steps(FormatChecker):
    """Counts the steps of one explanation; a step is one schema applied to one value, some 5 to 10 microseconds.

    A validator hands its format checker down to every descent and to nobody else. Formats are annotations here, as JSON
    Schema 2020-12 (validation, section 7.2.1) has it by default, so the place is free for what has to travel along: the
    count, and the whole schema, in which most references can be followed without a search.
    """

    def __init__(self, left: int, root: Any) -> None:
        super().__init__(formats=())
        self._left = left
        self._root = root
        self._is_at_home = True

    def spend(self) -> None:
        """Counts one step. Raises StepsSpentError when none is left."""
        self._left -= 1
        if self._left < 0:
            raise StepsSpentError

    def leave_home(self) -> None:
        """Says that references may mean something else from here on."""
        self._is_at_home = False

    def find(self, reference: str) -> Any:
        """The schema that a reference within the whole schema names; None where that is not to be seen at a glance."""
        if not self._is_at_home or not reference.startswith("#/") or "~" in reference or "%" in reference:
            return None
        found = self._root
        for name in reference[2:].split("/"):
            found = found.get(name) if isinstance(found, dict) and "$id" not in found else None
        return found


def descend(validator: Any, value: Any, schema: Any, **where: Any) -> Causes:
    """The causes for which a value does not fit a schema below; `where` is `jsonschema`'s `path` and `schema_path`."""
    validator.format_checker.spend()
    if schema is False:
        # Where `jsonschema` meets this schema itself, it forgets the path and writes out the value.
        yield ValidationError("is not allowed", path=[where["path"]] if "path" in where else ())
    elif schema is True:
        return
    elif _CHANGES_SCOPE.isdisjoint(schema) and ("$ref" not in schema or len(schema) == 1):
        yield from _judge_keywords(validator, value, schema, **where)
    else:
        if not _CHANGES_SCOPE.isdisjoint(schema):
            validator.format_checker.leave_home()
        yield from validator.descend(value, schema, **where)


def _judge_keywords(
    validator: Any, value: Any, schema: Any, *, path: str | int | None = None, schema_path: str | int | None = None
) -> Causes:
    """What `jsonschema`'s own descent gives for a schema in which references mean what they meant outside.

    That makes a validator for every subschema, which is most of an explanation's time; here the one at hand goes on.
    """
    judges = validator.VALIDATORS
    for keyword, limit in schema.items():
        judge = judges.get(keyword)
        if judge is None:
            continue
        for cause in judge(validator, limit, value, schema) or ():
            cause._set(
                validator=keyword,
                validator_value=limit,
                instance=value,
                schema=schema,
                type_checker=validator.TYPE_CHECKER,
            )
            cause.schema_path.appendleft(keyword)
            if path is not None:
                cause.path.appendleft(path)
            if schema_path is not None:
                cause.schema_path.appendleft(schema_path)
            yield cause


def fits(keyword: str, limit: Any, value: Any) -> bool:
    """The native validator's verdict on one keyword, so that explaining cannot disagree with accepting."""
    if type(limit) is str:
        return _compile(keyword, limit).is_valid(value)
    return jsonschema_rs.Draft202012Validator({keyword: limit}, offline=True).is_valid(value)


@lru_cache(maxsize=256)
def _compile(keyword: str, limit: str) -> jsonschema_rs.Draft202012Validator:
    """A type, a pattern, a text: schemas repeat them, and compiling costs more than judging."""
    return jsonschema_rs.Draft202012Validator({keyword: limit}, offline=True)


def follow(validator: Any, reference: Any, value: Any, schema: Any) -> Causes:
    """The causes for which a value does not fit what a `$ref` names."""
    target = validator.format_checker.find(reference)
    if target is None:
        yield from Draft202012Validator.VALIDATORS["$ref"](validator, reference, value, schema)
    else:
        yield from descend(validator, value, target)

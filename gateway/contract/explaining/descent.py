"""How the keyword judges descend into a schema, and the bound on how often they may.

A hostile value could keep an explanation busy for minutes; a number of steps ends it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
from jsonschema import FormatChecker, ValidationError

Causes = Iterator[ValidationError]
# What `jsonschema` calls for a keyword: its validator, the keyword's value, the instance and the whole schema.
Judge = Callable[[Any, Any, Any, Any], Causes]


# Keywords beside which others mean something else, or nothing (`$ref` before 2019-09), or references do.
_CHANGES_SCOPE = frozenset({"$id", "id", "$ref", "$dynamicRef", "$recursiveRef", "if"})


class StepsSpentError(Exception):
    """Explaining took more steps than it is allowed."""


class Steps(FormatChecker):
    """Counts the steps of one explanation; a step is one schema applied to one value, some 5 to 10 microseconds.

    A validator hands its format checker down to every descent and to nobody else. Formats are annotations here, as JSON
    Schema 2020-12 (validation, section 7.2.1) has it by default, so the place is free for what has to travel along.
    """

    def __init__(self, left: int) -> None:
        super().__init__(formats=())
        self._left = left

    def spend(self) -> None:
        """Counts one step. Raises StepsSpentError when none is left."""
        self._left -= 1
        if self._left < 0:
            raise StepsSpentError


def descend(validator: Any, value: Any, schema: Any, **where: Any) -> Causes:
    """The causes for which a value does not fit a schema below; `where` is `jsonschema`'s `path` and `schema_path`."""
    validator.format_checker.spend()
    if schema is False:
        # Where `jsonschema` meets this schema itself, it forgets the path and writes out the value.
        yield ValidationError("is not allowed", path=[where["path"]] if "path" in where else ())
    elif schema is True:
        return
    elif _CHANGES_SCOPE.isdisjoint(schema):
        yield from _judge_keywords(validator, value, schema, **where)
    else:
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
    return jsonschema_rs.Draft202012Validator({keyword: limit}, offline=True).is_valid(value)

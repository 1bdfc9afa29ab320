"""Distils why a value does not fit a JSON Schema into the shape that reaches the wire.

Only causes come through: a union's best branch instead of the union (`contract.explaining`), no type beside the
constants that imply it, every missing or unknown member at its own place. Nothing here says no: a value is refused
before, and this module must always find something to say about it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import ValidationError
from referencing.exceptions import Unresolvable

from gateway.contract.distilled import Distilled, Problem, distil, make_pointer
from gateway.contract.explaining.descent import StepsSpentError
from gateway.contract.explaining.explainer import get_text, iter_causes
from gateway.contract.explaining.unions import TAGS
from gateway.contract.lone_surrogates import replace_lone_surrogates

_UNSAID = Problem(at="", text="does not fit, and is too large or too deeply nested to say where")


def distil_refused(schema: Mapping[str, Any], value: Any, *, subject: str) -> Distilled:
    """Why a value that was refused does not fit its schema.

    `subject` opens the summary, as in `distilled.distil`. Never raises and does a bounded amount of work: of a value
    too large or too deep to explain within it, the causes found so far are told, or that it is too large.
    """
    causes: list[ValidationError] = []
    is_complete = True
    try:
        causes.extend(iter_causes(schema, value))
    except UnicodeEncodeError:
        return distil_refused(schema, replace_lone_surrogates(value), subject=subject)
    except (StepsSpentError, RecursionError, Unresolvable, ValueError, TypeError):
        # ValueError and TypeError are the native validator's answers to what is no JSON data at all.
        is_complete = False
    problems = list(_select(causes)) or [_UNSAID]
    return distil(problems, subject=subject, is_complete=is_complete)


def _select(causes: list[ValidationError]) -> Iterator[Problem]:
    """The problems of these causes, without the types that a constant at the same place implies."""
    tagged = {tuple(cause.absolute_path) for cause in causes if cause.validator in TAGS}
    for cause in causes:
        path = tuple(cause.absolute_path)
        if cause.validator != "type" or path not in tagged:
            yield Problem(at=make_pointer(path), text=get_text(cause))

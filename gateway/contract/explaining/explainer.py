"""Explains why a value does not fit a JSON Schema: one error for each cause, at the place that it is about.

The skeleton (references, descent, dialects of JSON Schema) is the package `jsonschema`'s. The words and the judgement
of unions are ours: that package writes whole values into its messages, however large, and says of a union no more than
"not valid under any of the given schemas". This module must never decide whether a value is accepted: the native
validator does, and is asked here too wherever a keyword can be judged by itself.
"""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator, ValidationError
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from gateway.contract.explaining.descent import Causes, Judge, Steps, follow
from gateway.contract.explaining.leaves import LEAVES
from gateway.contract.explaining.members import MEMBERS
from gateway.contract.explaining.unions import UNIONS

LIMIT_STEPS = 2000

_JUDGES: Mapping[str, Judge] = {**LEAVES, **MEMBERS, **UNIONS, "$ref": follow}
# Draft 7 is what the protocol's revisions before 2025-11-25 are written in.
_EXPLAINERS: Mapping[Any, Any] = {
    dialect: extend(  # type: ignore[no-untyped-call]
        dialect, {name: judge for name, judge in _JUDGES.items() if name in dialect.VALIDATORS}
    )
    for dialect in (Draft202012Validator, Draft7Validator)
}


def iter_causes(schema: Mapping[str, Any], value: Any, *, limit_steps: int = LIMIT_STEPS) -> Causes:
    """Every cause for which a value does not fit a schema, in the order of the schema.

    Raises `StepsSpentError` once `limit_steps` are spent and RecursionError where schema and value nest too deeply: the
    causes before it still stand. A remote `$ref` is never fetched.
    """
    dialect = validator_for(schema, default=Draft202012Validator)
    explainer = _EXPLAINERS.get(dialect, _EXPLAINERS[Draft202012Validator])
    # The registry holds the metaschemas and fetches nothing.
    yield from explainer(schema, registry=REGISTRY, format_checker=Steps(limit_steps, schema)).iter_errors(value)


def get_text(cause: ValidationError) -> str:
    """The words of a cause: one line, ours even where the keyword is one that only `jsonschema` judges."""
    if cause.validator in _JUDGES:
        return cause.message
    return "is not allowed" if cause.validator is None else f"does not meet `{cause.validator}` of its schema"

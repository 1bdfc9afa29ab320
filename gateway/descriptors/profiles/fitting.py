"""Whether a tool fits a profile, and in what form: the door of this room."""

from collections.abc import Iterator, Mapping
from typing import Any

from gateway.descriptors.profiles.levels import cut_levels, measure_levels
from gateway.descriptors.profiles.limits import find_faults
from gateway.descriptors.profiles.profile import Profile, References
from gateway.descriptors.profiles.projection import Projection, project_schema
from gateway.descriptors.profiles.references import LIMIT_ROUNDS


def fit_tool(name: str, schema: Mapping[str, Any], profile: Profile) -> Projection | tuple[str, ...]:
    """The projection of a tool's input schema, or every reason why the profile cannot list the tool.

    As much is described as there is room for: of messages within themselves fewer rounds, then of deep messages the
    names of their fields alone.
    """
    faults: tuple[str, ...] = ()
    for attempt in _list_attempts(schema, profile):
        faults = find_faults(name, attempt.schema, profile)
        if not faults:
            return attempt
    return faults


def _list_attempts(schema: Mapping[str, Any], profile: Profile) -> Iterator[Projection]:
    """Projections that describe ever less."""
    yield project_schema(schema, profile)
    is_cut = "$defs" in schema and profile.references in (References.NO_CIRCLES, References.NONE)
    for rounds in range(LIMIT_ROUNDS - 1, -1, -1) if is_cut else ():
        yield project_schema(schema, profile, rounds=rounds)
    for levels in range(measure_levels(schema) - 1, 0, -1):
        yield project_schema(cut_levels(schema, levels), profile, rounds=0)

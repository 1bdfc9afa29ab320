"""Whether a tool fits a profile, and in what form: the door of this room."""

from collections.abc import Mapping
from typing import Any

from gateway.descriptors.profiles.limits import find_faults
from gateway.descriptors.profiles.profile import Profile
from gateway.descriptors.profiles.projection import Projection, project_schema
from gateway.descriptors.profiles.references import LIMIT_ROUNDS


def fit_tool(name: str, schema: Mapping[str, Any], profile: Profile) -> Projection | tuple[str, ...]:
    """The projection of a tool's input schema, or every reason why the profile cannot list the tool.

    Of messages within themselves so many rounds are written out as there is room for.
    """
    projection = project_schema(schema, profile)
    faults = find_faults(name, projection.schema, profile)
    rounds = LIMIT_ROUNDS if "$defs" in schema else 0
    while faults and rounds > 0:
        rounds -= 1
        smaller = project_schema(schema, profile, rounds=rounds)
        if smaller.schema == projection.schema:
            break
        projection = smaller
        faults = find_faults(name, projection.schema, profile)
    return faults or projection

"""What holds of every profile, on requests of every construct and on the demo's: forth and back is as if never gone."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.contract.distilled import Distilled
from gateway.descriptors.profiles.levels import cut_levels
from gateway.descriptors.profiles.profile import Profile, References
from gateway.descriptors.profiles.projection import Projection, project_schema
from gateway.descriptors.profiles.table import PROFILES
from gateway.descriptors.profiles.wording import list_lost
from gateway.descriptors.schema import SchemaBuilder
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from tests.descriptors.profiles.projected_arguments import projected_arguments
from tests.laws.arguments import Manner, arguments
from tests.laws.kitchen_sinks import make_kitchen_sinks
from tests.laws.subjects import make_demo

KITCHEN, DEMO = make_kitchen_sinks(), make_demo()
# Of the demo those that the kitchen has no like of: streams of requests, circles, and plain requests.
CHOSEN = ("CreateOrder", "ImportStock", "Echo", "SetStock")
RPCS = {rpc.name: (KITCHEN, rpc) for rpc in KITCHEN.rpcs} | {
    rpc.name: (DEMO, rpc) for rpc in DEMO.rpcs if rpc.method in CHOSEN
}
EXAMPLES = 5

by_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES.keys())
by_rpc = pytest.mark.parametrize("name", RPCS)


@cache
def get_neutral(name: str) -> Mapping[str, Any]:
    api, rpc = RPCS[name]
    return SchemaBuilder(api).input_schema(rpc)


@cache
def get_transcoder(name: str) -> RpcTranscoder:
    api, rpc = RPCS[name]
    return RpcTranscoder(Codec(api), rpc)


@cache
def get_projection(name: str, profile_name: str) -> Projection:
    return project_schema(get_neutral(name), PROFILES[profile_name])


@cache
def get_validator(name: str, profile_name: str) -> Any:
    return jsonschema_rs.Draft202012Validator(get_projection(name, profile_name).schema, offline=True)


@cache
def get_loosened_validator(name: str, profile_name: str) -> Any:
    """The neutral schema without the keywords that the profile does not take, nor what is asked where it is cut."""
    loosened = loosen(get_neutral(name), PROFILES[profile_name])
    if PROFILES[profile_name].references in (References.NO_CIRCLES, References.NONE):
        for body in loosened.get("$defs", {}).values():
            body.pop("required", None)
    return jsonschema_rs.Draft202012Validator(loosened, offline=True)


def loosen(part: Any, profile: Profile) -> Any:
    match part:
        case dict():
            lost = dict(list_lost(part, profile))
            return {key: loosen(value, profile) for key, value in part.items() if key not in lost}
        case list():
            return [loosen(item, profile) for item in part]
        case _:
            return part


def judge(name: str, given: Mapping[str, Any]) -> bytes | Distilled:
    """What the value gate makes of arguments: the request, or why there is none."""
    transcoder = get_transcoder(name)
    if not RPCS[name][1].client_streaming:
        return transcoder.encode_arguments(given)
    requests = transcoder.encode_requests(given)
    return requests if isinstance(requests, Distilled) else b"\0".join(requests)


@by_profile
@by_rpc
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_neutral_arguments_fit_the_projected_schema_once_projected_and_come_back_the_same(name, profile, data):
    neutral = data.draw(arguments(get_neutral(name), data.draw(st.sampled_from([Manner.CAREFUL, Manner.LITERAL]))))
    projection = get_projection(name, profile.name)
    projected = projection.project(neutral)
    get_validator(name, profile.name).validate(projected)
    assert projection.restore(projected) == neutral


@by_profile
@by_rpc
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_what_fits_the_projected_schema_is_restored_to_what_fits_the_neutral_one(name, profile, data):
    projection = get_projection(name, profile.name)
    projected = data.draw(projected_arguments(projection.schema))
    get_validator(name, profile.name).validate(projected)
    restored = projection.restore(projected)
    assert isinstance(restored, dict)
    get_loosened_validator(name, profile.name).validate(restored)
    assert projection.project(restored) == projected


@by_profile
@by_rpc
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_the_gate_makes_the_same_of_arguments_that_went_forth_and_back(name, profile, data):
    neutral = data.draw(arguments(get_neutral(name), Manner.CAREFUL))
    projection = get_projection(name, profile.name)
    restored = projection.restore(projection.project(neutral))
    assert isinstance(restored, dict)
    assert judge(name, restored) == judge(name, neutral)
    assert not isinstance(judge(name, restored), Distilled)


@by_profile
@by_rpc
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_a_schema_that_tells_less_takes_the_same_arguments(name, profile, data):
    neutral = data.draw(arguments(get_neutral(name), Manner.CAREFUL))
    cut = cut_levels(get_neutral(name), data.draw(st.integers(1, 3)))
    projection = project_schema(cut, profile, rounds=data.draw(st.integers(0, 2)))
    projected = projection.project(neutral)
    jsonschema_rs.Draft202012Validator(projection.schema, offline=True).validate(projected)
    assert projection.restore(projected) == neutral


@by_profile
@by_rpc
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_a_place_of_the_neutral_form_is_found_in_the_profiles(name, profile, data):
    """A value that the gate refuses at some place is refused at a place that is there, in the profile's form."""
    neutral = data.draw(arguments(get_neutral(name), Manner.LITERAL))
    projection = get_projection(name, profile.name)
    projected = projection.project(neutral)
    refusal = judge(name, neutral)
    for location in refusal.errors if isinstance(refusal, Distilled) else ():
        spot = projection.find_spot(location["at"], projected)
        value = projected
        for step in spot.path[:-1]:
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert isinstance(value, dict | list)

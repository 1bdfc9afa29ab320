import json
import math

import orjson
import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.contract.lone_surrogates import read_with_surrogates
from gateway.transcoding.codec import Codec
from gateway.transcoding.converters.outcomes import ROOT_ROOM, RefusedError
from gateway.transcoding.converters.parser_compiler import ParserCompiler
from gateway.transcoding.converters.type_index import TypeIndex
from gateway.transcoding.errors import ArgumentProblems
from tests.laws.kitchen_sinks import make_kitchen_sinks
from tests.laws.messages import MessageMaker
from tests.transcoding.kit import get_bytes

API = make_kitchen_sinks()
CODEC = Codec(API)
MAKER = MessageMaker(API.pool, any_types=("modern.Choices", "google.protobuf.Duration", "legacy.Old"))
WILD = MessageMaker(API.pool, any_types=("modern.Choices", "google.protobuf.Value"), wild=True)
TYPES = [rpc.request for rpc in API.rpcs]

by_type = pytest.mark.parametrize("descriptor", TYPES, ids=lambda descriptor: descriptor.full_name)

ODD_NUMBERS = (0, 1, -1, 1.5, 7.0, 1e2, 2**31, 2**63, 2**64, -(2**63) - 1, 1e39)
ODD_NUMERALS = ("0", "1", "-1", "01", "1e2", "1_0", "+7", " 7", "7\n", "\u0667", "NaN", "Infinity", "infinity", "1.5")
ODD_TEXTS = (
    "",
    "true",
    "YQ==",
    "YQ",
    "-_8",
    "+/8=",
    "a",
    "A",
    "\x00",
    "2026-01-31T09:00:00Z",
    "1.5s",
    "a,b_c",
    "\ud800",
    "x/\udc00",
)
ODD_CONTAINERS = (
    [],
    {},
    [None],
    [1, "x"],
    {"": None},
    {"1": 1},
    {"true": "1"},
    {"@type": "type.googleapis.com/modern.Choices"},
    {"@type": "x/y", "value": "YQ=="},
    {"a": {"a": [{}]}},
    {"\ud800": 1},
    {"@type": "x/y\ud800", "value": "YQ=="},
)
ODD = st.sampled_from([None, True, False, *ODD_NUMBERS, *ODD_NUMERALS, *ODD_TEXTS, *ODD_CONTAINERS])


@st.composite
def spoilt(draw, value, spoils):
    """A JSON value in which some members and items are replaced, renamed, doubled or left out."""
    if draw(st.integers(0, 9)) < spoils:
        return draw(ODD)
    if isinstance(value, dict):
        members = {name: draw(spoilt(item, spoils)) for name, item in value.items()}
        if members and draw(st.integers(0, 19)) < spoils:
            members[draw(st.sampled_from(["nope", "a_b", "[t.x]", "", "[\ud800]"]))] = draw(ODD)
        return members
    if isinstance(value, list):
        return [draw(spoilt(item, spoils)) for item in value]
    return value


def judge(compiler, descriptor, value):
    """The message's bytes, or what it was refused for."""
    try:
        return get_bytes(compiler.get_builder(descriptor)(value, ROOT_ROOM))
    except RefusedError:
        return "refused"


@by_type
@given(data=st.data())
def test_parsers_that_trust_the_constructor_take_and_give_what_those_do_that_judge_all_themselves(descriptor, data):
    message = data.draw(MAKER.messages(descriptor))
    value = data.draw(spoilt(CODEC.printer_for(descriptor)(message), data.draw(st.integers(0, 2))))
    value = read_with_surrogates(json.dumps(value).encode())
    types = TypeIndex(API.pool, API.options.json_string, lambda enum: list(enum.values_by_name))
    careful = judge(ParserCompiler(types, trusting=False), descriptor, value)
    try:
        trusting = judge(ParserCompiler(types, trusting=True), descriptor, value)
    except (ValueError, TypeError, OverflowError):
        trusting = "refused"
    assert trusting == careful


@by_type
@given(data=st.data())
def test_whatever_json_is_given_becomes_a_message_or_is_refused_with_bounded_causes(descriptor, data):
    message = data.draw(MAKER.messages(descriptor))
    value = data.draw(spoilt(CODEC.printer_for(descriptor)(message), data.draw(st.integers(1, 4))))
    parsed, problems = find_outcome(descriptor, value)
    assert (parsed is None) == bool(problems)
    assert parsed is None or type(parsed).IsInitialized(parsed)
    for problem in problems:
        assert problem.text.isprintable()
        assert len(problem.text) <= 250
        assert not any(word in problem.text for word in ("google.protobuf", "Error", "<class", "NoneType", "dict"))


def find_outcome(descriptor, value):
    try:
        return CODEC.parser_for(descriptor)(value), ()
    except ArgumentProblems as refusal:
        return None, refusal.problems


@by_type
@given(data=st.data())
def test_what_protobufs_own_printer_prints_is_printed_the_same(descriptor, data):
    message = data.draw(MAKER.messages(descriptor))
    try:
        stock = json_format.MessageToDict(message, descriptor_pool=API.pool)
    except (json_format.SerializeToJsonError, TypeError, ValueError, AttributeError):
        return  # it gives up on a field called DESCRIPTOR, and on more
    ours = CODEC.printer_for(descriptor)(message)
    if mentions_custom_names(stock, ours):
        return
    assert normalise(ours) == normalise(stock)


def mentions_custom_names(stock, ours):
    """Stock reads an enum value's own JSON name, and renames fields that share one, in the default pool only."""
    return orjson.dumps(sorted(flatten(stock))) != orjson.dumps(sorted(flatten(ours)))


def flatten(value):
    if isinstance(value, dict):
        return [text for name, item in value.items() for text in (name, *flatten(item))]
    if isinstance(value, list):
        return [text for item in value for text in flatten(item)]
    return [value] if isinstance(value, str) else []


def normalise(value):
    """Numbers compare by value: 1 and 1.0 are one number in JSON."""
    if isinstance(value, dict):
        return {name: normalise(item) for name, item in value.items()}
    if isinstance(value, list):
        return [normalise(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (float(value), math.copysign(1.0, value)) if value == 0 else float(value)
    return value


@by_type
@given(data=st.data())
def test_fast_and_complete_printers_print_the_same(descriptor, data):
    message = data.draw(WILD.messages(descriptor))
    fast = CODEC.printer_for(descriptor)(message)
    assert orjson.dumps(fast) == orjson.dumps(CODEC._print_noting(descriptor, message).value)


@settings(max_examples=30)
@given(data=st.data())
def test_ignoring_what_is_unknown_changes_nothing_else(data):
    descriptor = data.draw(st.sampled_from(TYPES))
    message = data.draw(MAKER.messages(descriptor))
    printed = CODEC.printer_for(descriptor)(message)
    lenient = Codec(API, ignores_unknown=True).parser_for(descriptor)
    assert get_bytes(lenient(printed)) == get_bytes(message)
    assert get_bytes(lenient({**printed, "noSuchField": [1]})) == get_bytes(message)

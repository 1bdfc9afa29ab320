"""What a proof comes to, as values: the laws, what breaks one, and what could not be tried and why."""

import enum
from dataclasses import dataclass

from gateway.contract.quoting import one_line

DEFAULT_EXAMPLES = 20
DEFAULT_SEED = 0

LIMIT_DETAIL = 300
LIMIT_EXAMPLE = 400


class Law(enum.Enum):
    """What has to hold of every RPC; each value is the law in words."""

    TOOL_NAME = "the tool's name is legal and its own"
    SCHEMA_COMPILES = "the schema is JSON Schema 2020-12"
    SCHEMA_REFERENCES = "every $ref leads to a definition, and every definition is used"
    SCHEMA_ROOT = "the arguments are a plain object"
    SCHEMA_KEYWORDS = "the schema uses documented keywords alone"
    SCHEMA_KEYS = "model providers take the arguments' names"
    REPLY_FITS = "what is printed fits the output schema"
    REPLY_READS_BACK = "what is printed reads back equal"
    ARGUMENTS_FIT = "arguments of what is offered fit the input schema"
    ARGUMENTS_ARE_READ = "arguments that fit are read as they are meant"
    NO_FAULT = "nothing fails inside the gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One law that an RPC ("pkg.Service/Method") breaks. `detail` and `example` (JSON, or empty) are bounded lines."""

    rpc: str
    law: Law
    detail: str
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Untried:
    """What was not proved: the request or the reply of an RPC, or a field, and why, in one line."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The outcome. `messages` counts the random messages that were tried, `schema_bytes` the JSON of all schemas."""

    rpcs: int
    messages: int
    schema_bytes: int
    findings: tuple[Finding, ...]
    untried: tuple[Untried, ...]


def make_finding(rpc: str, law: Law, detail: str, example: str = "") -> Finding:
    """A finding with its texts bounded."""
    return Finding(rpc=rpc, law=law, detail=one_line(detail, LIMIT_DETAIL), example=one_line(example, LIMIT_EXAMPLE))

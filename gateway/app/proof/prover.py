"""Proves one backend's Api: every law of `findings.Law`, on every RPC, with random messages of its own making.

Nothing that an Api holds makes it raise: what fails is a finding. The same Api and seed give the same proof.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import orjson
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from gateway.app.proof.findings import DEFAULT_EXAMPLES, DEFAULT_SEED, Finding, Law, Proof, Untried, make_finding
from gateway.app.proof.messages import Growth, MessageMaker
from gateway.app.proof.names import find_name_faults
from gateway.app.proof.offered import MisfitError, Offered, offer
from gateway.app.proof.roots import find_request_place, place_reply, place_request
from gateway.app.proof.scalars import NoValueError
from gateway.app.proof.schema_faults import find_schema_faults
from gateway.app.proof.spelling import spell_arguments
from gateway.contract.validation import SchemaValidator
from gateway.descriptors.api import Api, Rpc
from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.descriptors.schema.dialect import Direction, Schema
from gateway.descriptors.tool_names import make_tool_name
from gateway.transcoding.codec import Codec
from gateway.transcoding.errors import ArgumentProblems

# The first examples of every type are of these kinds, all others random in all.
_FIRST_GROWTHS = (Growth.ALL, Growth.LEAST, Growth.CHAIN)
_LIMIT_ANY_TYPES = 8


class _Broken(Exception):
    """One example that breaks a law."""

    def __init__(self, law: Law, detail: str, example: Any) -> None:
        super().__init__(detail)
        self.law = law
        self.detail = detail
        self.example = example


@dataclass(slots=True, kw_only=True)
class _Record:
    """What has been found so far; `broken` are the laws that each RPC is known to break."""

    findings: list[Finding] = field(default_factory=list)
    broken: set[tuple[str, Law]] = field(default_factory=set)
    untried: dict[str, str] = field(default_factory=dict)
    messages: int = 0
    schema_bytes: int = 0


def prove_api(
    api: Api,
    *,
    rpcs: Sequence[Rpc] | None = None,
    tool_names: Mapping[str, str] | None = None,
    examples: int = DEFAULT_EXAMPLES,
    seed: int = DEFAULT_SEED,
    codec: Codec | None = None,
    schemas: SchemaBuilder | None = None,
) -> Proof:
    """The proof of these RPCs (None: of all), with `examples` messages for each request and as many for each reply.

    `tool_names`: from RPC to the tool's name, where it is not the one that `make_tool_name` gives. `codec` and
    `schemas` are what is proved, where it is not what an ordinary backend is served with. Of one law an RPC has one
    finding at most.
    """
    chosen = api.rpcs if rpcs is None else tuple(rpcs)
    names = {rpc.name: make_tool_name(rpc.name) for rpc in chosen} if tool_names is None else tool_names
    faults = find_name_faults(names, are_derived=tool_names is None)
    record = _Record(findings=[make_finding(rpc, Law.TOOL_NAME, detail) for rpc, detail in faults])
    prover = _Prover(api, codec or Codec(api), schemas or SchemaBuilder(api), record, examples=examples, seed=seed)
    for rpc in chosen:
        prover.prove(rpc)
    return Proof(
        rpcs=len(chosen),
        messages=record.messages,
        schema_bytes=record.schema_bytes,
        findings=tuple(record.findings),
        untried=tuple(Untried(name=name, reason=reason) for name, reason in sorted(record.untried.items())),
    )


class _Prover:
    def __init__(
        self, api: Api, codec: Codec, schemas: SchemaBuilder, record: _Record, *, examples: int, seed: int
    ) -> None:
        self._codec = codec
        self._schemas = schemas
        self._record = record
        self._examples = examples
        self._seed = seed
        self._maker = MessageMaker(api, _choose_any_types(api))

    def prove(self, rpc: Rpc) -> None:
        self._guard(rpc, lambda: self._prove_reply(rpc))
        self._guard(rpc, lambda: self._prove_request(rpc))
        self._record.untried.update(self._maker.left_out)

    def _guard(self, rpc: Rpc, prove: Callable[[], None]) -> None:
        try:
            prove()
        except Exception as error:  # noqa: BLE001 - whatever a descriptor sets off is a finding
            self._find(rpc, Law.NO_FAULT, f"{type(error).__name__}: {error}")

    def _find(self, rpc: Rpc, law: Law, detail: str, example: Any = None) -> None:
        if (rpc.name, law) in self._record.broken:
            return
        self._record.broken.add((rpc.name, law))
        text = "" if example is None else orjson.dumps(example).decode()
        self._record.findings.append(make_finding(rpc.name, law, detail, text))

    def _judge_schema(self, rpc: Rpc, schema: Schema, direction: Direction) -> SchemaValidator | None:
        self._record.schema_bytes += len(orjson.dumps(schema))
        for law, detail in find_schema_faults(schema, direction):
            self._find(rpc, law, f"{direction.value} schema: {detail}")
        try:
            return SchemaValidator(schema, subject=direction.value)
        except ValueError:
            return None  # found above

    def _prove_reply(self, rpc: Rpc) -> None:
        schema = self._schemas.output_schema(rpc)
        validator = None if schema is None else self._judge_schema(rpc, schema, Direction.OUTPUT)
        self._try(rpc, rpc.response, "reply", lambda random, growth: self._try_reply(rpc, validator, random, growth))

    def _prove_request(self, rpc: Rpc) -> None:
        schema = self._schemas.input_schema(rpc)
        validator = self._judge_schema(rpc, schema, Direction.INPUT)
        place = offer(schema)
        self._try(
            rpc, rpc.request, "request", lambda random, growth: self._try_request(rpc, place, validator, random, growth)
        )

    def _try(self, rpc: Rpc, message: Descriptor, what: str, attempt: Callable[[Random, Growth], None]) -> None:
        if not self._maker.can_be_complete(message):
            self._record.untried[f"{rpc.name} ({what})"] = f"no {message.full_name} can ever be complete"
            return
        for index in range(self._examples):
            growth = _FIRST_GROWTHS[index] if index < len(_FIRST_GROWTHS) else Growth.SOME
            self._record.messages += 1
            try:
                attempt(Random(f"{self._seed} {rpc.name} {what} {index}"), growth)  # noqa: S311 - no secret
            except _Broken as broken:
                self._find(rpc, broken.law, broken.detail, broken.example)
            except MisfitError as misfit:
                self._find(rpc, Law.ARGUMENTS_FIT, str(misfit))
            except NoValueError as reason:
                self._record.untried[f"{rpc.name} ({what})"] = str(reason)

    def _try_reply(self, rpc: Rpc, validator: SchemaValidator | None, random: Random, growth: Growth) -> None:
        message = self._maker.make_message(random, rpc.response, growth)
        printed = self._print(rpc.response, message)
        if validator is not None:
            refusal = validator.validate(place_reply(rpc, printed))
            if refusal is not None:
                raise _Broken(Law.REPLY_FITS, refusal.message, printed)
        self._read(rpc.response, printed, message, Law.REPLY_READS_BACK)

    def _try_request(
        self, rpc: Rpc, place: Offered, validator: SchemaValidator | None, random: Random, growth: Growth
    ) -> None:
        inner = find_request_place(rpc, place)
        message = self._maker.make_message(random, rpc.request, growth, inner)
        spelled = spell_arguments(self._print(rpc.request, message), rpc.request, inner, self._maker)
        arguments = place_request(rpc, spelled)
        refusal = None if validator is None else validator.validate(arguments)
        if refusal is not None:
            raise _Broken(Law.ARGUMENTS_FIT, refusal.message, arguments)
        self._read(rpc.request, spelled, message, Law.ARGUMENTS_ARE_READ)

    def _print(self, descriptor: Descriptor, message: Message) -> Any:
        """The message as JSON, by way of text, as callers get and give it."""
        printed = self._codec.noting_printer_for(descriptor)(message)
        if printed.notes:
            note = printed.notes[0]
            raise _Broken(Law.REPLY_READS_BACK, f"{note.at} {note.text}", printed.value)
        return orjson.loads(orjson.dumps(printed.value))

    def _read(self, descriptor: Descriptor, value: Any, message: Message, law: Law) -> None:
        try:
            read = self._codec.parser_for(descriptor)(value)
        except ArgumentProblems as refusal:
            raise _Broken(law, str(refusal), value) from None
        if _get_bytes(read) != _get_bytes(message):
            raise _Broken(law, "it is read as another message", value)


def _choose_any_types(api: Api) -> list[Descriptor]:
    """A few of the backend's own types, evenly spread over its RPCs, and well-known ones that it describes."""
    own = list(dict.fromkeys(rpc.request.full_name for rpc in api.rpcs))
    names = own[:: max(1, len(own) // (_LIMIT_ANY_TYPES // 2))][: _LIMIT_ANY_TYPES // 2]
    names += [f"google.protobuf.{name}" for name in ("Any", "Duration", "Empty", "Struct", "StringValue", "Value")]
    found = []
    for name in names:
        try:
            found.append(api.pool.FindMessageTypeByName(name))
        except KeyError:
            continue
    return found


def _get_bytes(message: Message) -> bytes:
    # Asked of the class: a field may bear the name of a method and hide it.
    return type(message).SerializeToString(message, deterministic=True)

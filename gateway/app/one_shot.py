"""What can be done without a front: look at what the backends offer, or call one tool, once, and end."""

import dataclasses
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from gateway.app.event_loop import run_loop
from gateway.app.operator_error import OperatorError
from gateway.app.settings.model import Settings
from gateway.telemetry.logs import LogLevel, set_up_logging

if TYPE_CHECKING:
    from gateway.app.catalogue_builder import Offer
    from gateway.app.proof.findings import Proof
    from gateway.app.wiring import Gateway
    from gateway.mcp.catalogue import Catalogue

FRONT = "command line"
# The loggers that tell why a call failed.
_TELLING_OF_CALLS = ("propylon.mcp", "propylon.backends")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOrder:
    """That what is offered be proved (`app.proof`): with how many messages of each type, made from which seed."""

    examples: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the backends offer.

    `failures` are the backends that could not be asked, each with the reason; `idle_patterns` what `include`, `exclude`
    and `rpcs` hold that fits no RPC, and `idle_paths` where `rpcs` names a field that no RPC has, as far as all
    backends could be asked; `proofs` hold the proof of each backend that could be asked, by its name, where they were
    ordered.
    """

    catalogue: "Catalogue"
    offers: "tuple[Offer, ...]"
    failures: tuple[tuple[str, str], ...]
    idle_patterns: tuple[str, ...] = ()
    idle_paths: tuple[str, ...] = ()
    proofs: "tuple[tuple[str, Proof], ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call came to, as text for people: either the result or the error.

    `notes` are lines for the operator on why there may be no such tool.
    """

    result: str | None = None
    error: str | None = None
    notes: tuple[str, ...] = ()


def look_once(settings: Settings, *, demo: bool = False, proof: ProofOrder | None = None) -> Look:
    """What the backends offer now. Raises `OperatorError` where none of them can be asked."""
    return run_loop(_look(settings, demo=demo, proof=proof))


def call_once(
    settings: Settings,
    *,
    demo: bool = False,
    tool: str,
    arguments: Mapping[str, Any],
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """The answer of one tools/call. Raises `OperatorError` where none of the backends can be asked.

    `headers` are those that arguments come from, by their names in lower case.
    """
    return run_loop(_call(settings, demo=demo, tool=tool, arguments=arguments, headers=headers))


async def _look(settings: Settings, *, demo: bool, proof: ProofOrder | None) -> Look:
    from gateway.app.catalogue_builder import find_idle_paths, find_idle_patterns

    async with _discovered(settings, demo=demo) as gateway:
        failures = tuple((state.name, state.reason) for state in gateway.discovery.states() if state.reason)
        offers = gateway.discovery.offers()
        return Look(
            catalogue=gateway.discovery.catalogue,
            offers=offers,
            failures=failures,
            idle_patterns=() if failures else find_idle_patterns(settings.tools, offers, settings.rpcs),
            idle_paths=() if failures else find_idle_paths(offers, settings.rpcs),
            proofs=() if proof is None else tuple(_prove(gateway, proof)),
        )


def _prove(gateway: "Gateway", order: ProofOrder) -> "Iterator[tuple[str, Proof]]":
    """Proves what each backend is offered as, under the names that its tools have."""
    from gateway.app.proof.prover import prove_api
    from gateway.descriptors.api import describe_api

    discovered = gateway.discovery.discovered()
    for offer in gateway.discovery.offers():
        api = describe_api(discovered[offer.backend].files, discovered[offer.backend].services)
        names = {tool.rpc: tool.name for tool in offer.tools}
        rpcs = [rpc for rpc in api.rpcs if rpc.name in names]
        yield offer.backend, prove_api(api, rpcs=rpcs, tool_names=names, examples=order.examples, seed=order.seed)


async def _call(
    settings: Settings, *, demo: bool, tool: str, arguments: Mapping[str, Any], headers: Mapping[str, str]
) -> Answer:
    from gateway.contract.envelopes import encode_envelope
    from gateway.mcp.exchange import Exchange

    async with _discovered(settings, demo=demo) as gateway:
        with _tell_of_calls():
            exchange = Exchange(front=FRONT, headers=headers)
            envelope = await gateway.dispatcher.dispatch(_make_message(tool, arguments), exchange)
        notes = () if tool in gateway.discovery.catalogue.tools else tuple(_explain_absence(gateway, settings, tool))
    if envelope is None:
        raise TypeError("a request was taken for a notification")
    return dataclasses.replace(_read_answer(orjson.loads(encode_envelope(envelope))), notes=notes)


@contextmanager
def _tell_of_calls() -> Iterator[None]:
    """Lets the log tell what an answer withholds: here the caller is the one who may read it."""
    loggers = [logging.getLogger(name) for name in _TELLING_OF_CALLS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _explain_absence(gateway: "Gateway", settings: Settings, tool: str) -> Iterator[str]:
    """Why there may be no such tool: its RPC is not offered, or a backend that might have it is away."""
    from gateway.descriptors.tool_names import make_tool_name

    prefixes = {section.name: section.prefix for section in settings.backends}
    reasons = [
        f"{one.name} of backend {offer.backend} is not offered: {one.reason}"
        for offer in gateway.discovery.offers()
        for one in (*offer.findings.skipped, *offer.findings.left_out)
        if "/" in one.name and tool in (one.name, make_tool_name(one.name, prefix=prefixes.get(offer.backend, "")))
    ]
    yield from reasons
    yield from (f"backend {one.name} is missing here: {one.reason}" for one in gateway.discovery.states() if one.reason)
    if not reasons:
        yield "propylon tools lists the tools there are, propylon check what is not offered and why"


@asynccontextmanager
async def _discovered(settings: Settings, *, demo: bool) -> AsyncIterator["Gateway"]:
    from gateway.app.demo_backend import run_demo
    from gateway.app.wiring import open_gateway

    set_up_logging(level=LogLevel.ERROR, line_format=settings.log.format, secrets=settings.secrets())
    if demo:
        async with run_demo() as section, open_gateway(dataclasses.replace(settings, backends=(section,))) as gateway:
            await gateway.discovery.run_once()
            yield gateway
        return
    async with open_gateway(settings) as gateway:
        await gateway.discovery.run_once()
        states = gateway.discovery.states()
        if not any(state.is_discovered for state in states):
            raise _nothing_found([(state.name, state.reason or "") for state in states])
        yield gateway


def _nothing_found(failures: list[tuple[str, str]]) -> OperatorError:
    lines = tuple(reason if reason.startswith(name) else f"{name}: {reason}" for name, reason in failures)
    if len(lines) == 1:
        return OperatorError(f"cannot learn the services: {lines[0]}")
    return OperatorError("cannot learn the services of any backend:", lines)


def _make_message(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    from gateway import __version__
    from gateway.contract.validation import PER_REQUEST_REVISION

    meta = {
        "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "propylon", "version": __version__},
    }
    params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _read_answer(body: Mapping[str, Any]) -> Answer:
    match body:
        case {"error": {"code": code, "message": message, **more}}:
            details = "".join(f"\n{_dump(more['data'])}" for _ in [0] if "data" in more)
            return Answer(error=f"error {code}: {message}{details}")
        case {"result": {"isError": True, "content": content}}:
            return Answer(error=_read_text(content))
        case {"result": {"structuredContent": structured}}:
            return Answer(result=_dump(structured))
        case _:
            return Answer(result=_read_text(body["result"]["content"]))


def _dump(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _read_text(content: Any) -> str:
    return "\n".join(block["text"] if block.get("type") == "text" else _dump(block) for block in content)

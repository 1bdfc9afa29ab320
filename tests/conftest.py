"""Holds every envelope of the whole test run to the contract, whichever test sends it and whichever front.

The capture sits where envelopes become bytes, so no test can forget to take part: a test during which a bad envelope
was encoded fails, and one that was encoded outside of any test fails the run.
"""

import logging
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema_rs
import orjson
import pytest

from gateway.contract import envelopes
from gateway.contract.conditions import CONDITIONS
from gateway.contract.envelopes import DATA_KEYS, LIMIT_MESSAGE
from gateway.contract.validation import PER_REQUEST_REVISION, load_protocol_schema
from gateway.telemetry.logs import LineHandler

hypothesis.settings.register_profile("default", max_examples=50, deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("search", max_examples=2000, deadline=None, database=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

LIMIT_DATA_STRING = 256
HANDSHAKE_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
CODES = {row.code for row in CONDITIONS.values()}
# Conditions whose whole error the protocol defines, by code.
TYPED_ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}


def compile_definition(revision: str, name: str) -> Any:
    schema = load_protocol_schema(revision)
    key = "$defs" if "$defs" in schema else "definitions"
    return jsonschema_rs.validator_for(
        {"$schema": schema["$schema"], key: schema[key], "allOf": [{"$ref": f"#/{key}/{name}"}]}, offline=True
    )


class EnvelopeRules:
    """What every envelope is held to: the four clauses, and the protocol's own shapes."""

    def __init__(self) -> None:
        schema = load_protocol_schema(PER_REQUEST_REVISION)
        names = {"JSONRPCNotification", "JSONRPCResponse", *TYPED_ERRORS.values()}
        self._shapes = {
            name: jsonschema_rs.Draft202012Validator(schema | {"$ref": f"#/$defs/{name}"}, offline=True)
            for name in names
        }
        self._handshake_shapes = {
            (revision, name): compile_definition(revision, name)
            for revision in HANDSHAKE_REVISIONS
            for name in ("JSONRPCRequest", "JSONRPCResponse", "CallToolResult", "ListToolsResult", "ServerRequest")
        }

    def find_faults(self, encoded: bytes, revision: str | None = None) -> list[str]:
        """Every rule that these bytes break, in words; empty where they are an envelope of ours.

        `revision` is the one of the handshake era that it is said in.
        """
        try:
            message = orjson.loads(encoded)
        except orjson.JSONDecodeError as fault:
            return [f"is not JSON: {fault}"]
        if not isinstance(message, dict):
            return ["is not an object"]
        faults = [] if b"\n" not in encoded else ["is more than one line"]
        kinds = {"method", "result", "error"} & message.keys()
        if len(kinds) != 1:
            return [*faults, f"is not exactly one of notification, result and error: {sorted(kinds)}"]
        if "id" in message and type(message["id"]) not in (str, int):
            faults.append("has an id that is neither a string nor an integer")
        if revision is not None and "error" not in kinds:
            return [*faults, *self._find_handshake_faults(message, revision)]
        if "method" in kinds:
            shape = "JSONRPCNotification"
            faults += ["is a notification with an id"] if "id" in message else []
        else:
            shape = "JSONRPCResponse"
        if unknown := message.keys() - {"jsonrpc", "id", "params", *kinds}:
            faults.append(f"has keys that no envelope has: {sorted(unknown)}")
        if not self._shapes[shape].is_valid(message):
            faults.append(f"does not have the shape {shape}")
        if "error" in kinds and isinstance(message["error"], dict):
            faults += self._find_error_faults(message["error"])
        return faults

    def _find_handshake_faults(self, message: dict[str, Any], revision: str) -> Iterator[str]:
        """What an envelope of an earlier revision may not be, or may not say: words that came later."""
        if unknown := message.keys() - {"jsonrpc", "id", "method", "params", "result"}:
            yield f"has keys that no envelope has: {sorted(unknown)}"
        shapes = ["JSONRPCRequest", "ServerRequest"] if "method" in message else ["JSONRPCResponse"]
        result = message.get("result", {})
        for name in shapes:
            if not self._handshake_shapes[revision, name].is_valid(message):
                yield f"does not have the shape {name} of {revision}"
        for member, name in (("content", "CallToolResult"), ("tools", "ListToolsResult")):
            if member in result and not self._handshake_shapes[revision, name].is_valid(result):
                yield f"has a result that does not have the shape {name} of {revision}"
        if later := result.keys() & {"resultType", "ttlMs", "cacheScope", "inputRequests", "requestState"}:
            yield f"has members that {revision} does not know: {sorted(later)}"

    def _find_error_faults(self, error: dict[str, Any]) -> Iterator[str]:
        code, message = error.get("code"), error.get("message")
        if code not in CODES:
            yield f"clause 1: the code {code} is not in the table"
        elif code in TYPED_ERRORS:
            shape = self._shapes[TYPED_ERRORS[code]]
            # The protocol defines some of these as the error alone, some as the response around it.
            if not (shape.is_valid(error) or shape.is_valid({"jsonrpc": "2.0", "error": error})):
                yield f"does not have the shape {TYPED_ERRORS[code]}"
        if not isinstance(message, str) or not message or len(message) > LIMIT_MESSAGE or not message.isprintable():
            yield "clause 2: the message is not one printable line of at most 200 characters"
        if unknown := error.keys() - {"code", "message", "data"}:
            yield f"has error members that no envelope has: {sorted(unknown)}"
        if "data" in error:
            yield from _find_data_faults(error["data"])


def _find_data_faults(data: Any) -> Iterator[str]:
    if not isinstance(data, dict) or not data:
        yield "clause 3: data is not an object with members"
        return
    if unknown := data.keys() - DATA_KEYS:
        yield f"clause 4: data has keys outside DATA_KEYS: {sorted(unknown)}"
    for text in _iter_strings(data):
        if len(text) > LIMIT_DATA_STRING or not text.isprintable():
            yield f"clause 3: data holds a string that is long or not printable: {text[:40]!r}"
    for location in data.get("errors", ()):
        if not (isinstance(location, dict) and location.keys() == {"at", "problems"} and location["problems"]):
            yield f"clause 3: data.errors holds no location: {location!r}"


def _iter_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _iter_strings(member)
    elif isinstance(value, list):
        for item in value:
            yield from _iter_strings(item)


class EnvelopeLedger:
    """Stands at the one exit of envelopes and remembers those that break a rule."""

    def __init__(self) -> None:
        self.rules = EnvelopeRules()
        self.faults: list[str] = []
        self.count = 0
        self._write: Callable[..., bytes] = envelopes._write

    def write(self, envelope: envelopes.Envelope) -> bytes:
        encoded = self._write(envelope)
        self.count += 1
        if faults := self.rules.find_faults(encoded, envelope.revision):
            self.faults.append(f"an envelope {' and '.join(faults[:3])}: {encoded[:300]!r}")
        return encoded

    def take_faults(self) -> list[str]:
        faults, self.faults = self.faults, []
        return faults


LEDGER = pytest.StashKey[EnvelopeLedger]()


def pytest_configure(config: pytest.Config) -> None:
    ledger = config.stash[LEDGER] = EnvelopeLedger()
    envelopes._write = ledger.write


def pytest_unconfigure(config: pytest.Config) -> None:
    envelopes._write = config.stash[LEDGER]._write


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    outcome = yield
    if faults := item.config.stash[LEDGER].take_faults():
        pytest.fail("the envelope contract is broken:\n" + "\n".join(faults[:10]), pytrace=False)
    return outcome


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Takes over what one of several processes found outside of its tests."""
    node.config.stash[LEDGER].faults += getattr(node, "workeroutput", {}).get("envelope_faults", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    handed_over = getattr(session.config, "workeroutput", None)
    if handed_over is not None:
        handed_over["envelope_faults"] = session.config.stash[LEDGER].take_faults()
    if session.config.stash[LEDGER].faults and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for fault in config.stash[LEDGER].faults:
        terminalreporter.write_line(f"outside of any test, {fault}", red=True)


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Gives each test the loggers as they are at first: one that sets up logging takes no log away from the next."""
    _reset_logging()
    yield
    _reset_logging()


def _reset_logging() -> None:
    for logger, level in ((logging.getLogger(), logging.WARNING), (logging.getLogger("propylon"), logging.NOTSET)):
        logger.setLevel(level)
        logger.propagate, logger.disabled = True, False
        logger.handlers[:] = [one for one in logger.handlers if not isinstance(one, LineHandler)]


@pytest.fixture(scope="session")
def envelope_ledger(pytestconfig: pytest.Config) -> EnvelopeLedger:
    """The ledger of this run, for the tests that prove it."""
    return pytestconfig.stash[LEDGER]


@pytest.fixture(scope="session")
def protocol_references() -> Path:
    """The folder with the protocol's own schemas and examples; skips where it is not at hand."""
    folder = Path(__file__).parents[1].parent / "shared" / "mcp"
    if not folder.is_dir():
        pytest.skip("the protocol's own schemas and examples are not beside this checkout (shared/mcp)")
    return folder

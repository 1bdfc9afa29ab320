"""Proves the rules that `tests/conftest.py` holds every envelope of the whole run to."""

import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import encode_envelope, error_response

ROOT = Path(__file__).parents[2]
GOOD = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Invalid params"}}


def make_error(**members):
    return GOOD | {"error": GOOD["error"] | members}


@pytest.mark.parametrize(
    "envelope",
    [
        GOOD,
        {key: value for key, value in GOOD.items() if key != "id"},
        make_error(data={"errors": [{"at": "/a", "problems": ["is required"]}]}),
        make_error(code=-32022, data={"supported": ["2026-07-28"], "requested": "x"}),
        {"jsonrpc": "2.0", "id": "a", "result": {"resultType": "complete"}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
    ],
)
def test_an_envelope_of_the_contract_has_no_faults(envelope_ledger, envelope):
    assert envelope_ledger.rules.find_faults(orjson.dumps(envelope)) == []


@pytest.mark.parametrize(
    ("envelope", "fault"),
    [
        ([GOOD], "is not an object"),
        ({"jsonrpc": "2.0", "id": 1}, "exactly one of"),
        (GOOD | {"result": {"resultType": "complete"}}, "exactly one of"),
        (GOOD | {"jsonrpc": "1.0"}, "the shape JSONRPCResponse"),
        (GOOD | {"id": None}, "an id that is neither"),
        (GOOD | {"id": 1.5}, "an id that is neither"),
        (GOOD | {"trace": "x"}, "keys that no envelope has"),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "the shape JSONRPCResponse"),
        ({"jsonrpc": "2.0", "result": {"resultType": "complete"}}, "the shape JSONRPCResponse"),
        ({"jsonrpc": "2.0", "id": 1, "method": "notifications/progress"}, "a notification with an id"),
        (make_error(code=-32000), "clause 1"),
        (make_error(message=""), "clause 2"),
        (make_error(message="two\nlines"), "clause 2"),
        (make_error(message="x" * 201), "clause 2"),
        (make_error(message="\x1b[31m"), "clause 2"),
        (make_error(data={}), "clause 3"),
        (make_error(data="Traceback"), "clause 3"),
        (make_error(data={"received": "x" * 10_000}), "clause 3"),
        (make_error(data={"received": "a\nb"}), "clause 3"),
        (make_error(data={"errors": [{"at": "/a", "problems": []}]}), "clause 3"),
        (make_error(data={"cause": "x"}), "clause 4"),
        (make_error(detail="x"), "error members"),
        (make_error(code=-32022, data={"requested": "x"}), "UnsupportedProtocolVersionError"),
        (make_error(code=-32021), "MissingRequiredClientCapabilityError"),
    ],
    ids=str,
)
def test_an_envelope_that_breaks_a_rule_is_found(envelope_ledger, envelope, fault):
    faults = envelope_ledger.rules.find_faults(orjson.dumps(envelope))
    assert any(fault in found for found in faults), faults


def test_bytes_that_are_no_single_line_of_json_are_found(envelope_ledger):
    assert envelope_ledger.rules.find_faults(b"oops")[0].startswith("is not JSON")
    assert envelope_ledger.rules.find_faults(orjson.dumps(GOOD, option=orjson.OPT_INDENT_2)) == [
        "is more than one line"
    ]


def test_every_envelope_passes_the_capture(envelope_ledger):
    before = envelope_ledger.count
    for condition in Condition:
        if condition not in {Condition.MISSING_CLIENT_CAPABILITY, Condition.UNSUPPORTED_PROTOCOL_VERSION}:
            encode_envelope(error_response(condition, 1))
    assert envelope_ledger.count == before + len(Condition) - 2
    assert envelope_ledger.faults == []


def run_suite(folder, source, *options):
    """The exit status and the output of a run of one test file under the same capture."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "conftest.py")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(
        "import pytest\n"
        "from gateway.contract.conditions import Condition\n"
        "from gateway.contract.envelopes import Envelope, encode_envelope, error_response\n"
        "BAD = Envelope(body={'jsonrpc': '2.0', 'id': None, 'error': {'code': -1, 'message': 'x'}})\n" + source
    )
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini", *options, "."],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return outcome.returncode, outcome.stdout


def test_a_run_that_sends_good_envelopes_passes(tmp_path):
    status, output = run_suite(
        tmp_path, "def test_it():\n    encode_envelope(error_response(Condition.NOT_FOUND, 1))\n"
    )
    assert status == 0, output


def test_a_test_that_sends_a_bad_envelope_fails_even_if_it_swallows_everything(tmp_path):
    status, output = run_suite(
        tmp_path,
        "def test_it():\n"
        "    try:\n"
        "        encode_envelope(BAD)\n"
        "    except BaseException:\n"
        "        pass\n"
        "def test_other():\n"
        "    pass\n",
    )
    assert (status, "1 failed, 1 passed" in output) == (1, True), output
    assert "clause 1: the code -1 is not in the table" in output


@pytest.mark.parametrize("options", [("-n", "0"), ("-n", "1")], ids=["one process", "several"])
def test_a_bad_envelope_outside_of_any_test_fails_the_run(tmp_path, options):
    status, output = run_suite(
        tmp_path,
        "@pytest.fixture\ndef late():\n    yield\n    encode_envelope(BAD)\ndef test_it(late):\n    pass\n",
        *options,
    )
    assert (status, "1 passed" in output) == (1, True), output
    assert "outside of any test, an envelope has an id that is neither a string nor an integer" in output


@pytest.mark.parametrize(
    ("envelope", "revision", "fault"),
    [
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "2025-11-25", None),
        ({"jsonrpc": "2.0", "id": 1, "method": "roots/list", "params": {}}, "2025-03-26", None),
        (GOOD, "2025-06-18", None),
        ({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}, "2025-11-25", "does not know"),
        ({"jsonrpc": "2.0", "result": {}}, "2025-11-25", "the shape JSONRPCResponse of 2025-11-25"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"content": 5}}, "2025-06-18", "the shape CallToolResult"),
        ({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}}, "2025-03-26", "ServerRequest"),
    ],
)
def test_an_envelope_of_the_handshake_era_is_held_to_its_own_revision(envelope_ledger, envelope, revision, fault):
    faults = envelope_ledger.rules.find_faults(orjson.dumps(envelope), revision)
    assert any(fault in found for found in faults) if fault else faults == [], faults

import re
from pathlib import Path

import orjson
import pytest

from gateway.contract.conditions import CONDITIONS
from gateway.contract.envelopes import DATA_KEYS, encode_envelope, success_response
from gateway.contract.status_report import StatusReport
from gateway.contract.statuses import STATUSES
from gateway.contract.tool_results import tool_error
from gateway.contract.validation import PER_REQUEST_REVISION, MessageValidator, load_protocol_schema

PAGE = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")


def read_table(heading):
    """The rows of the first table under a heading, as lists of cells without code marks."""
    section = PAGE.partition(f"# {heading}\n")[2]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE).group().splitlines()
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_page_lists_every_condition_as_it_stands_in_the_table():
    def http(row):
        if row.http_status == row.http_status_rejected:
            return str(row.http_status)
        return f"{row.http_status}, rejected {row.http_status_rejected}"

    assert read_table("Conditions") == [
        [
            condition.value,
            str(row.code),
            row.message,
            http(row),
            str(row.grpc_status),
            row.fault.value,
            "yes" if row.retryable else "no",
        ]
        for condition, row in CONDITIONS.items()
    ]


def test_the_page_lists_every_status_as_it_stands_in_the_table():
    assert read_table("Statuses of a backend") == [
        [
            f"{row.number} {row.name}",
            str(CONDITIONS[row.condition].code),
            row.dialect.value,
            "yes" if row.retryable else "no",
        ]
        for row in STATUSES[1:]
    ]


def test_the_page_lists_every_data_key():
    assert sorted(row[0] for row in read_table("Data keys")) == sorted(DATA_KEYS)


@pytest.fixture(scope="module")
def samples():
    return [orjson.loads(sample) for sample in re.findall(r"```json\n(.*?)\n```", PAGE, re.DOTALL)]


def test_the_protocol_error_on_the_page_is_what_is_sent(samples):
    validator = MessageValidator(load_protocol_schema(PER_REQUEST_REVISION))
    meta = {
        "io.modelcontextprotocol/protocolVersion": PER_REQUEST_REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    refusal = validator.refuse_message(
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5, "_meta": meta}}
    )
    assert samples[0]["error"]["message"] == refusal.message
    assert samples[0]["error"]["code"] == CONDITIONS[refusal.condition].code
    assert samples[0]["error"]["data"] == {"errors": list(refusal.data["errors"])}


def test_the_tool_error_on_the_page_is_what_is_sent(samples):
    report = StatusReport(
        code=3,
        message="the order is not valid",
        errors=({"at": "/email", "problems": ["must be an address"]},),
        retry_after_ms=5000,
        reference="4bf92f35",
    )
    assert orjson.loads(encode_envelope(success_response(1, tool_error(report))))["result"] == samples[1]

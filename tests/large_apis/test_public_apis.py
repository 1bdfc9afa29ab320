"""Every RPC of large public APIs becomes a sound tool, and schemas and converters agree on its messages."""

import time

import pytest

from gateway.app.catalogue_builder import draft_tools
from gateway.app.proof.prover import prove_api
from gateway.app.settings.loader import default_settings, make_backend
from gateway.backends.discovery import Discovered
from gateway.contract.validation import PER_REQUEST_REVISION, SchemaValidator, load_protocol_schema
from gateway.descriptors.api import describe_api
from tests.large_apis.reading import get_version
from tests.large_apis.report import Row
from tests.large_apis.sources import SOURCES

EXAMPLES = 10
SEED = 0

by_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.package)


def make_listing_validator():
    protocol = load_protocol_schema(PER_REQUEST_REVISION)
    return SchemaValidator({"$schema": protocol["$schema"], "$ref": "#/$defs/Tool", "$defs": protocol["$defs"]})


@by_source
def test_every_rpc_becomes_a_sound_tool(source, rows):
    start = time.perf_counter()
    files = source.read()
    api = describe_api(files)
    proof = prove_api(api, examples=EXAMPLES, seed=SEED)
    seconds = time.perf_counter() - start
    services = tuple(sorted({rpc.service for rpc in api.rpcs}))
    discovered = Discovered(files=tuple(files), services=services, skipped=(), warnings=())
    drafts, findings = draft_tools(make_backend(name="public", target="h:1"), default_settings().tools, discovered)
    rows.append(
        Row(
            package=source.package,
            version=get_version(source.package),
            rpcs=proof.rpcs,
            tools=len(drafts),
            skipped=len(api.skipped),
            schema_bytes=proof.schema_bytes,
            messages=proof.messages,
            seconds=seconds,
            findings=len(proof.findings),
        )
    )
    assert proof.findings == ()
    assert proof.untried == ()
    assert {skipped.name: skipped.reason for skipped in api.skipped} == source.skipped
    assert proof.rpcs >= source.rpcs
    assert len(drafts) + len(findings.left_out) == proof.rpcs
    validator = make_listing_validator()
    assert [fault for draft in drafts if (fault := validator.validate(dict(draft.listing))) is not None] == []

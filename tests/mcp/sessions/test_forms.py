from typing import Any

import orjson
import pytest

from gateway.mcp.revisions import REVISIONS
from gateway.mcp.sessions.forms import fit_result, fit_tool

LINK = {"type": "resource_link", "name": "log", "uri": "file:///log"}
TEXT = {"type": "text", "text": "[1]"}


def fit(result: dict[str, Any], revision: str) -> dict[str, Any]:
    return fit_result(result, REVISIONS[revision])


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_words_of_later_revisions_are_left_out(revision: str) -> None:
    result = {"resultType": "complete", "ttlMs": 5, "cacheScope": "public", "tools": [], "_meta": {"a": 1}}
    assert fit(result, revision) == {"tools": [], "_meta": {"a": 1}}


@pytest.mark.parametrize(
    ("revision", "structured", "kept"),
    [
        ("2025-11-25", {"a": 1}, True),
        ("2025-11-25", orjson.Fragment(b'{"a":1}'), True),
        ("2025-11-25", orjson.Fragment(b"[1]"), False),
        ("2025-06-18", [1], False),
        ("2025-06-18", 5, False),
        ("2025-03-26", {"a": 1}, False),
    ],
)
def test_structured_content_is_an_object_or_not_there(revision: str, structured: Any, kept: bool) -> None:
    fitted = fit({"content": [TEXT], "structuredContent": structured}, revision)
    assert fitted == {"content": [TEXT], **({"structuredContent": structured} if kept else {})}


def test_a_value_that_cannot_be_structured_is_told_as_text() -> None:
    picture = {"type": "image", "data": "", "mimeType": "image/png"}
    fitted = fit({"content": [picture], "structuredContent": [1]}, "2025-06-18")
    assert fitted == {"content": [picture, TEXT]}


def test_a_block_that_a_revision_has_no_word_for_is_told_as_text() -> None:
    for content in ([LINK], orjson.Fragment(orjson.dumps([LINK]))):
        assert fit({"content": content}, "2025-03-26") == {"content": [{"type": "text", "text": "log: file:///log"}]}
    assert fit({"content": [LINK]}, "2025-06-18") == {"content": [LINK]}


def test_the_same_goes_for_messages_of_prompts() -> None:
    told = {"role": "user", "content": {"type": "text", "text": "log: file:///log"}}
    assert fit({"messages": [{"role": "user", "content": LINK}, told]}, "2025-03-26") == {"messages": [told, told]}
    linked = {"messages": [{"role": "user", "content": LINK}]}
    assert fit(dict(linked), "2025-06-18") == linked


def test_entries_of_lists_say_what_the_revision_knows() -> None:
    prompt = {"name": "p", "title": "P", "icons": [], "_meta": {}}
    assert fit({"prompts": [prompt]}, "2025-11-25") == {"prompts": [prompt]}
    assert fit({"prompts": [prompt]}, "2025-06-18") == {"prompts": [{"name": "p", "title": "P", "_meta": {}}]}
    assert fit({"prompts": [prompt]}, "2025-03-26") == {"prompts": [{"name": "p"}]}


@pytest.mark.parametrize(
    ("output", "kept"),
    [({"type": "object"}, True), ({"type": "array"}, False), ({"anyOf": []}, False), (True, False)],
)
def test_schemas_are_of_type_object(output: Any, kept: bool) -> None:
    entry = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output}
    fitted = orjson.loads(fit_tool(orjson.dumps(entry), REVISIONS["2025-11-25"]))
    assert ("outputSchema" in fitted) is kept


def test_properties_are_objects() -> None:
    schema = {"type": "object", "properties": {"a": True, "b": False, "c": {"type": "string"}}}
    entry = {"name": "t", "inputSchema": schema, "outputSchema": schema}
    fitted = orjson.loads(fit_tool(orjson.dumps(entry), REVISIONS["2025-06-18"]))
    properties = {"a": {}, "b": {"not": {}}, "c": {"type": "string"}}
    assert [fitted[name]["properties"] for name in ("inputSchema", "outputSchema")] == [properties] * 2

"""Prompts and resources that stand in the configuration."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.app.settings.loader import load_settings
from gateway.app.settings.model import Settings

YAML = """
prompts:
  - name: review
    title: Review
    description: Reviews a change.
    arguments:
      - {name: tone, description: How to say it, required: true, values: [kind, blunt]}
    messages:
      - text: "Be {{tone}}, {{ tone }}{{other}}."
      - {role: assistant, text: Gladly.}
resources:
  - {uri: "docs://style", text: "Be brief.", description: The style guide}
  - {uri: "docs://logo", file: logo.png, mime_type: image/png}
  - {uri: "docs://gone", file: gone.txt}
"""


@pytest.fixture
async def stage(make_stage: Any, tmp_path: Path) -> Any:
    (tmp_path / "logo.png").write_bytes(b"\x89PNG")
    (tmp_path / "propylon.yaml").write_text(YAML)
    configured = load_settings(tmp_path / "propylon.yaml", {})

    def configure(settings: Settings) -> Settings:
        return replace(settings, prompts=configured.prompts, resources=configured.resources)

    return await make_stage("", settings=configure)


async def ask(stage: Any, method: str, **params: Any) -> Any:
    header = params.get("name") or params.get("uri")
    envelope = (await stage.post(stage.make_request(method, params), {"mcp-name": header} if header else None)).json
    return envelope.get("error") or envelope["result"]


async def test_a_configured_prompt_is_listed_filled_in_and_completed(stage: Any) -> None:
    assert (await ask(stage, "prompts/list"))["prompts"] == [
        {
            "name": "review",
            "title": "Review",
            "description": "Reviews a change.",
            "arguments": [{"name": "tone", "description": "How to say it", "required": True}],
        }
    ]
    got = await ask(stage, "prompts/get", name="review", arguments={"tone": "kind"})
    assert got["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Be kind, kind."}},
        {"role": "assistant", "content": {"type": "text", "text": "Gladly."}},
    ]
    missing = await ask(stage, "prompts/get", name="review")
    assert missing["message"] == "request: /params/arguments/tone is required"
    reference = {"type": "ref/prompt", "name": "review"}
    completed = await ask(stage, "completion/complete", ref=reference, argument={"name": "tone", "value": "B"})
    assert completed["completion"] == {"values": ["blunt"]}


async def test_configured_resources_are_read_as_text_or_bytes(stage: Any) -> None:
    listed = (await ask(stage, "resources/list"))["resources"]
    assert [one["uri"] for one in listed] == ["docs://gone", "docs://logo", "docs://style"]
    assert (await ask(stage, "resources/read", uri="docs://style"))["contents"] == [
        {"uri": "docs://style", "mimeType": "text/plain", "text": "Be brief."}
    ]
    assert (await ask(stage, "resources/read", uri="docs://logo"))["contents"] == [
        {"uri": "docs://logo", "mimeType": "image/png", "blob": "iVBORw=="}
    ]


async def test_a_file_that_is_not_there_is_a_resource_that_is_not_found(stage: Any) -> None:
    error = await ask(stage, "resources/read", uri="docs://gone")
    assert (error["code"], error["data"]) == (-32602, {"uri": "docs://gone"})

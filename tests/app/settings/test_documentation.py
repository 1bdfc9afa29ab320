"""docs/configuration.md tells what the schema tells, and its example is a file that works."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gateway.app.settings.loader import read_settings
from gateway.app.settings.schema import SETTINGS_SCHEMA
from gateway.app.settings.yaml_text import parse_yaml

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def iter_rows(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, member in schema["properties"].items():
        place = f"{path}{name}"
        if member["type"] == "array" and "properties" in member["items"]:
            yield from iter_rows(member["items"], f"{place}[].")
            continue
        if "properties" in member:
            if "default" not in member:
                yield f"| `{place}` | absent | {member['description']} |"
            yield from iter_rows(member, f"{place}.")
            continue
        required = name in schema.get("required", ())
        default = "required" if required else f"`{json.dumps(member['default'])}`" if "default" in member else "absent"
        yield f"| `{place}` | {default} | {member['description']}{say_range(member)} |"


def say_range(member: Mapping[str, Any]) -> str:
    if "enum" in member:
        return f" One of {', '.join(f'`{value}`' for value in member['enum'])}."
    if "minimum" in member:
        return f" From {member['minimum']:,} to {member['maximum']:,}."
    return ""


def make_table() -> str:
    return "\n".join(["| key | default | what it is for |", "| --- | --- | --- |", *iter_rows(SETTINGS_SCHEMA)])


def test_the_table_of_the_page_is_that_of_the_schema() -> None:
    assert make_table() in PAGE.read_text("utf-8")


def test_the_example_of_the_page_is_read_without_a_fault(tmp_path: Path) -> None:
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    example = parse_yaml(found[1])
    for name in ("ca.pem", "orders.binpb"):
        (tmp_path / name).touch()
    (tmp_path / "proto").mkdir()
    settings = read_settings(example, folder=tmp_path, environ={"ORDERS_TOKEN": "a"}, source=str(PAGE))
    assert [backend.name for backend in settings.backends] == ["orders", "stock"]

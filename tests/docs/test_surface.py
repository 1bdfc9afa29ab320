"""docs/surface.md tells what the tables of the source tell, and its examples are configurations that work."""

import re
from pathlib import Path

import pytest

from gateway.app.settings.loader import read_settings
from gateway.app.settings.schema import PROFILE_PATHS
from gateway.app.settings.yaml_text import parse_yaml
from gateway.descriptors.changes.kinds import Side, list_kinds
from gateway.descriptors.profiles.table import PROFILES
from gateway.mcp.search.tools import CALL, DESCRIBE, SEARCH

PAGE = Path(__file__).parents[2] / "docs" / "surface.md"
TEXT = PAGE.read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


def test_the_table_of_changes_is_that_of_the_source() -> None:
    words = {True: "breaks", False: "safe"}
    rows = []
    for kind, verdicts in list_kinds():
        cells = [kind.value, *(words.get(verdicts.get(side), "") for side in Side)]
        rows.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    assert "\n".join(rows) in TEXT


def test_every_profile_has_its_endpoint_and_its_limits() -> None:
    for path, profile in PROFILE_PATHS.items():
        assert f"| `/mcp/{path}` | `{profile}` |" in TEXT
    heading = next(line for line in TEXT.splitlines() if line.startswith("| | openai-strict"))
    assert {cell.strip() for cell in heading.strip("| ").split("|")} == set(PROFILES)
    numbers = [
        number
        for profile in PROFILES.values()
        for number in (
            profile.limits.properties,
            profile.limits.levels,
            profile.limits.named_characters,
            profile.limits.enum_values,
            profile.limits.optional,
            profile.limits.unions,
            profile.limits.tools,
        )
        if number is not None
    ]
    assert [number for number in numbers if f"{number:,}" not in TEXT] == []


def test_the_three_tools_are_named() -> None:
    assert [name for name in (SEARCH, DESCRIBE, CALL) if f"| `{name}` |" not in TEXT] == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_read_without_a_fault(example: str) -> None:
    read_settings(parse_yaml(example), folder=Path(), environ={"SHOP_KEY": "k"}, source=str(PAGE))

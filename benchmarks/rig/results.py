"""One result for each commit that was measured, and the chart of all of them."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rig.chart import draw
from rig.installs import HERE, ROOT

FOLDER = HERE / "results"
CHART = FOLDER / "chart.svg"


def store(result: Mapping[str, Any]) -> Path:
    """Keeps a result under the date and name of the commit; one of a changed tree says so. Redraws the chart."""
    FOLDER.mkdir(exist_ok=True)
    name, date = _git("log", "-1", "--format=%h %cs").split()
    is_changed = bool(_git("status", "--porcelain", "--", "gateway", "pyproject.toml"))
    kept = {
        "commit": name,
        "date": date,
        "changed": is_changed,
        "ratios": result["ratios"],
        "machine": result["machine"],
    }
    kept["raw"] = {
        peer: {kind: _round(one[kind]) for kind in ("loaded", "lone") if one[kind]}
        for peer, one in result["raw"].items()
    }
    order = len({file.name for file in FOLDER.glob("*.json")} - {f.name for f in FOLDER.glob(f"*-{name}.json")}) + 1
    existing = next(iter(FOLDER.glob(f"*-{name}.json")), None)
    file = existing or FOLDER / f"{order:04}-{name}.json"
    file.write_text(json.dumps(kept, indent=1) + "\n")
    CHART.write_text(draw([json.loads(one.read_text()) for one in sorted(FOLDER.glob("*.json"))]))
    return file.relative_to(ROOT)


def _round(medians: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in medians.items()}


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

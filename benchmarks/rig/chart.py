"""Draws the stored results as SVG: one small panel for each ratio, commits from left to right, the target as a line."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from rig.report import TARGETS, Target

_PANEL_WIDTH, _PANEL_HEIGHT = 300, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 14, 34, 26
_COLUMNS = 2
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#57606a}.name{font-weight:600;fill:#24292f}"
    ".value{fill:none;stroke:#0969da;stroke-width:1.8}.dot{fill:#0969da}"
    ".target{stroke:#cf222e;stroke-dasharray:4 3}.axis{stroke:#d0d7de}"
    "@media(prefers-color-scheme:dark){text{fill:#9198a1}.name{fill:#f0f6fc}.value{stroke:#4493f8}.dot{fill:#4493f8}}"
)


def draw(results: Sequence[Mapping[str, Any]]) -> str:
    """The chart of results in the order of their commits."""
    panels = [_draw_panel(target, results) for target in TARGETS]
    rows = -(-len(panels) // _COLUMNS)
    width, height = _COLUMNS * _PANEL_WIDTH, rows * _PANEL_HEIGHT
    placed = "".join(
        f'<g transform="translate({index % _COLUMNS * _PANEL_WIDTH},{index // _COLUMNS * _PANEL_HEIGHT})">{panel}</g>'
        for index, panel in enumerate(panels)
    )
    title = "Ratios of each measured commit; the dashed line is the target"
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title><style>{_STYLE}</style>'
    return f"{head}{placed}</svg>\n"


def _draw_panel(target: Target, results: Sequence[Mapping[str, Any]]) -> str:
    points = [
        (one["commit"], one["ratios"][target.name]) for one in results if one["ratios"].get(target.name) is not None
    ]
    has_limit = target.limit != float("inf")
    values = [value for _, value in points] + ([target.limit] if has_limit else [])
    top = max(values, default=1) * 1.15
    inner_width, inner_height = _PANEL_WIDTH - _LEFT - _RIGHT, _PANEL_HEIGHT - _TOP - _BOTTOM
    step = inner_width / max(1, len(points) - 1)

    def y(value: float) -> float:
        return round(_TOP + inner_height * (1 - value / top), 1)

    parts = [f'<text class="name" x="{_LEFT}" y="16">{escape(target.name)}</text>']
    if points:
        parts.append(f'<text x="{_PANEL_WIDTH - _RIGHT}" y="16" text-anchor="end">{points[-1][1]:.3g}</text>')
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{_PANEL_WIDTH - _RIGHT}" y1="{y(0)}" y2="{y(0)}"/>')
    if has_limit:
        ends = f'x1="{_LEFT}" x2="{_PANEL_WIDTH - _RIGHT}" y1="{y(target.limit)}" y2="{y(target.limit)}"'
        parts.append(f'<line class="target" {ends}/>')
        parts.append(f'<text x="{_LEFT - 4}" y="{y(target.limit) + 4}" text-anchor="end">{target.limit:.3g}</text>')
    at = [(round(_LEFT + index * step, 1), y(value)) for index, (_, value) in enumerate(points)]
    if len(at) > 1:
        parts.append(f'<polyline class="value" points="{" ".join(f"{x},{height}" for x, height in at)}"/>')
    for (x, height), (commit, value) in zip(at, points, strict=True):
        parts.append(
            f'<circle class="dot" cx="{x}" cy="{height}" r="2.6"><title>{escape(commit)}: {value:.3g}</title></circle>'
        )
    for (x, _), (commit, _), anchor in _ends(at, points):
        parts.append(f'<text x="{x}" y="{_PANEL_HEIGHT - 10}" text-anchor="{anchor}">{escape(commit)}</text>')
    return "".join(parts)


def _ends(at: Sequence[Any], points: Sequence[Any]) -> list[Any]:
    if not at:
        return []
    ends = [(at[0], points[0], "start")]
    return ends if len(at) == 1 else [*ends, (at[-1], points[-1], "end")]

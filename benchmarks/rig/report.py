"""What a run says: a table, ratios of the one run against their targets, JSON."""

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rig.rounds import Seen

Medians = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A ratio and what it should be: at least, or at most, this. `what` says what is divided by what."""

    name: str
    limit: float
    is_least: bool
    what: str

    def is_met(self, ratio: float) -> bool:
        return ratio >= self.limit if self.is_least else ratio <= self.limit


TARGETS = (
    Target(name="fastmcp_throughput", limit=10, is_least=True, what="calls a second, over FastMCP's"),
    Target(name="fastmcp_p50", limit=1 / 3, is_least=False, what="median latency at one connection, over FastMCP's"),
    Target(name="envoy_throughput", limit=0.25, is_least=True, what="calls a second, over Envoy's"),
    Target(name="envoy_p50", limit=float("inf"), is_least=False, what="median latency at one connection, over Envoy's"),
    Target(name="floor_cpu", limit=1.8, is_least=False, what="processor time a call, over bare echo + bare grpc.aio"),
    Target(name="floor_p50", limit=1.35, is_least=False, what="median latency at one connection, over the same sum"),
    Target(name="two_workers", limit=1.25, is_least=True, what="calls a second of two workers, over one's"),
)
REJECTED_LIMIT = 1.0


def describe(seen: Mapping[str, Seen]) -> dict[str, Any]:
    """The whole run as JSON data: `ratios` by name (None where a peer is missing), and `raw`."""
    raw = {name: one.describe() for name, one in seen.items()}
    return {"ratios": make_ratios(raw), "raw": raw, "machine": describe_machine()}


def make_ratios(raw: Medians) -> dict[str, float | None]:
    """The ratios of one run."""
    ours = raw["gateway"]

    def over(kind: str, value: str, *others: str) -> float | None:
        if any(name not in raw for name in others):
            return None
        return round(ours[kind][value] / sum(raw[name][kind][value] for name in others), 4)

    return {
        "fastmcp_throughput": over("loaded", "per_second", "FastMCP"),
        "fastmcp_p50": over("lone", "p50_us", "FastMCP"),
        "envoy_throughput": over("loaded", "per_second", "Envoy"),
        "envoy_p50": over("lone", "p50_us", "Envoy"),
        "floor_cpu": over("loaded", "cpu_us", "echo", "grpc.aio"),
        "floor_p50": over("lone", "p50_us", "echo", "grpc.aio"),
        "two_workers": round(raw["two workers"]["loaded"]["per_second"] / ours["loaded"]["per_second"], 4),
    }


def describe_machine() -> dict[str, Any]:
    """What the numbers were seen on; a high load average says that they were seen in company."""
    return {
        "cores": os.cpu_count(),
        "load_average": [round(one, 2) for one in os.getloadavg()],
        "python": platform.python_version(),
    }


def format_report(result: Mapping[str, Any]) -> str:
    """The table and the ratios, for people."""
    raw = result["raw"]
    lines = [f"{'':28} {'calls/s':>9} {'CPU us':>8} {'p50 us':>8} {'p99 us':>8} {'p50 us':>9} {'failed':>7}"]
    lines.append(f"{'':28} {'at 32 connections':>36} {'at one':>9}")
    for name, one in raw.items():
        loaded, lone = one["loaded"], one["lone"]
        alone = f"{lone['p50_us']:9.0f}" if lone else f"{'':9}"
        latencies = f"{loaded['p50_us']:8.0f} {loaded['p99_us']:8.0f} {alone}"
        rate = f"{loaded['per_second']:9.0f} {loaded['cpu_us']:8.1f}"
        lines.append(f"{name:28} {rate} {latencies} {_tell_failed(name, one)}")
    lines.append("")
    lines += [_format_ratio(target, result["ratios"][target.name]) for target in TARGETS]
    accepted = raw["gateway"]["loaded"]["cpu_us"]
    for name, one in raw.items():
        if name.startswith("rejected"):
            lines.append(
                f"{one['loaded']['cpu_us'] / accepted:9.3f}  processor time, {name}, over an accepted call (at most 1)"
            )
    lines.append(f"\nload average {result['machine']['load_average']}, {result['machine']['cores']} cores")
    return "\n".join(lines)


def _format_ratio(target: Target, ratio: float | None) -> str:
    if ratio is None:
        return f"{'-':>9}  {target.name}: the peer is missing"
    aim = (
        f"{'at least' if target.is_least else 'at most'} {target.limit:.3g}"
        if target.limit != float("inf")
        else "no target"
    )
    verdict = "" if target.limit == float("inf") else ("  met" if target.is_met(ratio) else "  MISSED")
    return f"{ratio:9.3f}  {target.name}: {target.what} ({aim}){verdict}"


def _tell_failed(name: str, one: Mapping[str, Any]) -> str:
    if name.startswith("rejected"):
        return f"{'':7}"  # refusals are what is measured
    return f"{sum(burst['failed'] for kind in one['rounds'].values() for burst in kind):7}"

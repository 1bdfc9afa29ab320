"""What a serving process is told and what it tells: plans, announcements, and both of them between processes."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from gateway.app.operator_error import OperatorError
from gateway.app.settings.model import Settings
from gateway.telemetry.logs import LogLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which fronts serve what.

    `demo` adds the demo shop as the one backend, `log_level` is that of the process, `locked` the file of the surface
    that is held to.
    """

    settings: Settings
    http: bool
    stdio: bool
    demo: bool
    log_level: LogLevel = LogLevel.INFO
    locked: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What is served once something is: `url` of the HTTP front, how many tools, and who is still missing."""

    url: str | None
    tools: int
    backends: int
    waiting: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What one worker does: the plan, its number, and the descriptor of its listening socket."""

    plan: Plan
    number: int
    listening: int


def write_announcement(announcement: Announcement) -> bytes:
    """A line that tells the parent what is served."""
    return json.dumps({"serving": asdict(announcement)}).encode() + b"\n"


def write_refusal(refusal: OperatorError) -> bytes:
    """A line that tells the parent why nothing can be served."""
    return json.dumps({"refused": [refusal.line, list(refusal.findings)]}).encode() + b"\n"


def read_news(line: bytes) -> Announcement | OperatorError:
    """What a worker's line says."""
    news = json.loads(line)
    if "refused" in news:
        said, findings = news["refused"]
        return OperatorError(said, tuple(findings))
    told = news["serving"]
    return Announcement(**{**told, "waiting": tuple(told["waiting"])})

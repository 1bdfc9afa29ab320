"""Liveness and readiness, for whoever runs the process: not MCP, and never about one caller.

Liveness says that the process answers and depends on nothing else, so that a backend's failure restarts nobody.
"""

from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Whether this process should get requests, and if not, why: one line each, fit for strangers to read."""

    is_ready: bool
    reasons: tuple[str, ...] = ()


class HealthReport(Protocol):
    """What this front asks about the process's state; `app` fills it in."""

    def get_readiness(self) -> Readiness:
        """The state now, at once."""
        ...


def make_health_routes(health: HealthReport) -> list[Route]:
    """`/healthz` (200 while the process answers) and `/readyz` (200 or 503 with the reasons), for GET and HEAD."""

    async def answer_liveness(_: Request) -> JSONResponse:
        return JSONResponse({"status": "alive"})

    async def answer_readiness(_: Request) -> JSONResponse:
        readiness = health.get_readiness()
        if readiness.is_ready:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "reasons": list(readiness.reasons)}, status_code=503)

    return [
        Route("/healthz", answer_liveness, methods=["GET"]),
        Route("/readyz", answer_readiness, methods=["GET"]),
    ]

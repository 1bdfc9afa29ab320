"""The whole HTTP front as one ASGI application: the MCP endpoint on its path, Starlette for the rest."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.contract.quoting import quote
from gateway.fronts.http.endpoint import McpEndpoint
from gateway.fronts.http.health import HealthReport, make_health_routes
from gateway.fronts.http.responses import refuse
from gateway.fronts.http.settings import HttpSettings
from gateway.mcp.dispatch import Dispatcher


def build_http_app(
    dispatcher: Dispatcher,
    settings: HttpSettings,
    health: HealthReport,
    profiles: Mapping[str, Dispatcher] = MappingProxyType({}),
) -> ASGIApp:
    """The ASGI application: `settings.path` (with or without a slash at its end), `/healthz`, `/readyz`.

    `profiles` are the dispatchers of further endpoints, by what follows `settings.path` and a slash. Any other path is
    a 404 with a JSON body. The application keeps no state and needs no lifespan.
    """
    path = settings.path.rstrip("/") or settings.path
    served = {path: dispatcher} | {f"{path}/{name}": one for name, one in profiles.items()}
    endpoints = {place: McpEndpoint(one, settings) for place, one in served.items()}
    endpoints |= {f"{place}/": endpoint for place, endpoint in endpoints.items()}

    async def answer_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        refusal = refuse(status, _explain(status, request, served))
        return Response(refusal.body, status, headers, "application/json")

    handlers = {HTTPException: answer_error, Exception: answer_error}
    rest = Starlette(routes=make_health_routes(health), exception_handlers=handlers)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = endpoints.get(scope["path"]) if scope["type"] == "http" else None
        if endpoint is not None:
            await endpoint(scope, receive, send)
        else:
            await rest(scope, receive, send)

    return serve


def _explain(status: int, request: Request, paths: Collection[str]) -> str:
    shown = quote(request.url.path)
    match status:
        case 404:
            path, *others = paths
            more = f", those of profiles are {', '.join(others)}" if others else ""
            return f"nothing is served at {shown}: the MCP endpoint is {path}{more}"
        case 405:
            return f"{quote(request.method)} is not served at {shown}"
        case _:
            return f"{shown} could not be answered"

"""The Streamable HTTP front."""

from gateway.fronts.http.app import build_http_app
from gateway.fronts.http.health import HealthReport, Readiness
from gateway.fronts.http.settings import HttpSettings, choose_allowed_hosts

__all__ = ["HealthReport", "HttpSettings", "Readiness", "build_http_app", "choose_allowed_hosts"]

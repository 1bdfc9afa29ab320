"""The stdio front."""

from gateway.fronts.stdio.serving import serve_stdio
from gateway.fronts.stdio.settings import StdioSettings

__all__ = ["StdioSettings", "serve_stdio"]

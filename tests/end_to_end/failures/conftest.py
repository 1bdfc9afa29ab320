"""A server that speaks bare HTTP/2, for what gRPC's own would not send."""

from tests.backends.conftest import start_raw

__all__ = ["start_raw"]

"""The demo shop as a backend like any other: a gRPC server in this process, on a free port of loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources

from gateway.app.settings.loader import make_backend
from gateway.app.settings.model import BackendSection

DEMO_NAME = "shop"


@asynccontextmanager
async def run_demo() -> AsyncIterator[BackendSection]:
    """The running shop as a configured backend, its descriptor set with the comments included; stopped at the end."""
    from gateway.demo.server import DESCRIPTOR_SET, start_demo

    with resources.as_file(resources.files("gateway.demo").joinpath(DESCRIPTOR_SET)) as descriptors:
        server = await start_demo()
        try:
            yield make_backend(name=DEMO_NAME, target=server.target, descriptors=(descriptors,))
        finally:
            await server.stop()

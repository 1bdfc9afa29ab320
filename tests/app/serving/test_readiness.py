from dataclasses import replace

from gateway.app.catalogue_builder import Findings, Offer
from gateway.app.discovery_loop import DiscoveryLoop, Source
from gateway.app.serving.readiness import ProcessHealth
from gateway.app.settings.loader import default_settings
from gateway.backends.discovery import Discovered, DiscoveryFailed
from gateway.fronts.http.health import Readiness

SETTINGS = replace(default_settings().discovery, retry_initial_seconds=0.01, retry_max_seconds=0.01)


def make_source(name: str, *, is_up: bool) -> Source:
    async def discover() -> Discovered:
        if not is_up:
            raise DiscoveryFailed("nothing answers")
        return Discovered(files=(), services=(), skipped=(), warnings=())

    async def build(_: Discovered) -> Offer:
        return Offer(backend=name, tools=(), findings=Findings())

    return Source(name=name, discover=discover, build=build)


async def test_not_ready_before_the_backends_have_answered() -> None:
    health = ProcessHealth(DiscoveryLoop([make_source("eu", is_up=True)], SETTINGS))
    assert health.get_readiness() == Readiness(is_ready=False, reasons=("backend eu: has not answered yet",))


async def test_not_ready_with_one_backend_away_and_says_which() -> None:
    discovery = DiscoveryLoop([make_source("eu", is_up=True), make_source("us", is_up=False)], SETTINGS)
    await discovery.run_once()
    assert ProcessHealth(discovery).get_readiness() == Readiness(
        is_ready=False, reasons=("backend us: nothing answers",)
    )


async def test_ready_with_every_backend_discovered_and_not_any_more_when_draining() -> None:
    discovery = DiscoveryLoop([make_source("eu", is_up=True)], SETTINGS)
    await discovery.run_once()
    health = ProcessHealth(discovery)
    assert health.get_readiness() == Readiness(is_ready=True)
    health.start_draining()
    assert health.get_readiness() == Readiness(is_ready=False, reasons=("shutting down",))

"""Whether this process should get requests, as `/readyz` says it; `/healthz` asks nothing of this.

Ready once the backends that `discovery.ready_when` asks for have been discovered, from then on whatever happens to them
(their last good tools stay, and a call tells what is wrong), and not ready from the first signal to stop.
"""

from gateway.app.discovery_loop import DiscoveryLoop
from gateway.fronts.http.health import Readiness


class ProcessHealth:
    """What the HTTP front asks about the process (`fronts.http.health.HealthReport`)."""

    def __init__(self, discovery: DiscoveryLoop) -> None:
        self._discovery = discovery
        self._is_draining = False

    def start_draining(self) -> None:
        """From now on the process is not ready."""
        self._is_draining = True

    def get_readiness(self) -> Readiness:
        """The state now, with one reason for each backend that has something wrong with it."""
        if self._is_draining:
            return Readiness(is_ready=False, reasons=("shutting down",))
        reasons = tuple(f"backend {state.name}: {state.reason}" for state in self._discovery.states() if state.reason)
        return Readiness(is_ready=self._discovery.ready.is_set(), reasons=reasons)

"""How long to wait before the next try: doubling, capped, and spread so that replicas do not come back together."""

import random
from collections.abc import Callable
from dataclasses import dataclass

_LIMIT_DOUBLINGS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The pauses after failures. `spread` gives a number in [0, 1): chance, unless a test wants none."""

    initial_seconds: float
    max_seconds: float
    spread: Callable[[], float] = random.random

    def pause_seconds(self, failures: int) -> float:
        """The pause after that many failures in a row (from 1): between half and the whole of the doubled pause."""
        whole = min(self.max_seconds, self.initial_seconds * 2.0 ** min(failures - 1, _LIMIT_DOUBLINGS))
        return whole * (0.5 + 0.5 * self.spread())

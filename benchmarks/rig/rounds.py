"""The measuring itself: every peer in turn, several times, and the medians of what was seen."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields

from rig.installs import HERE, Installed
from rig.load import Burst, Request, burst
from rig.peers import Peer, running_backend, running_peers
from rig.processes import Server

ROUNDS = 3
CONNECTIONS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long each burst takes, in seconds: at 32 connections, at one, and to warm up. wrk takes whole seconds."""

    loaded: float
    lone: float
    warm: float


FULL = Pace(loaded=6, lone=3, warm=2)
QUICK = Pace(loaded=1, lone=1, warm=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One peer: bursts at 32 connections, bursts at one."""

    loaded: tuple[Burst, ...]
    lone: tuple[Burst, ...]

    def describe(self) -> dict[str, object]:
        """Medians first, then every burst."""
        return {
            "loaded": _medians(self.loaded),
            "lone": _medians(self.lone),
            "rounds": {"loaded": [asdict(one) for one in self.loaded], "lone": [asdict(one) for one in self.lone]},
        }


# Answered without a call to the backend: what it costs to refuse. None: the call, with arguments that are wrong.
REJECTED: dict[str, bytes | None] = {
    "rejected: not JSON": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":',
    "rejected: not a request": b'{"jsonrpc":"1.0","id":{},"method":5,"params":[]}',
    "rejected: unknown arguments": None,
}


def measure(installed: Installed, pace: Pace, rounds: int = ROUNDS) -> dict[str, Seen]:
    """What was seen of each peer, and of the bare grpc.aio client, by name."""
    with running_backend(installed) as backend, running_peers(installed, backend) as peers:
        works: dict[str, tuple[Callable[[], Burst], Callable[[], Burst] | None]] = {}
        for name, peer in peers.items():
            works[name] = (
                _load(installed, peer, CONNECTIONS, pace.loaded),
                None if name == "two workers" else _load(installed, peer, 1, pace.lone),
            )
        works["grpc.aio"] = (
            lambda: call_backend(installed, backend, CONNECTIONS, pace.loaded),
            lambda: call_backend(installed, backend, 1, pace.lone),
        )
        for name, request in make_rejected(peers["gateway"].request).items():
            refused = Peer(name=name, server=peers["gateway"].server, request=request)
            works[name] = (_load(installed, refused, CONNECTIONS, max(1, pace.loaded / 3)), None)
        for name, peer in peers.items():
            _tell(f"warming {name}")
            _load(installed, peer, CONNECTIONS, pace.warm)()
        seen: dict[str, tuple[list[Burst], list[Burst]]] = {name: ([], []) for name in works}
        for number in range(1, rounds + 1):
            for name, (load, call) in works.items():
                if pace is QUICK and number > 1 and name in REJECTED:
                    continue  # what it costs to refuse is a matter of processor time, which varies little
                _tell(f"round {number}: {name}")
                seen[name][0].append(load())
                if call is not None:
                    seen[name][1].append(call())
        return {name: Seen(loaded=tuple(loaded), lone=tuple(lone)) for name, (loaded, lone) in seen.items()}


def make_rejected(call: Request) -> dict[str, Request]:
    """Messages that are refused, made of one that is not."""
    message = json.loads(call.body)
    message["params"]["arguments"] = {"orderid": 7, "lines": "three", "tags": [1, 2]}
    wrong = json.dumps(message, separators=(",", ":")).encode()
    return {
        name: Request(path=call.path, body=wrong if body is None else body, headers=call.headers)
        for name, body in REJECTED.items()
    }


def call_backend(installed: Installed, backend: Server, in_flight: int, seconds: float) -> Burst:
    """The bare grpc.aio client, in a process of its own."""
    command = (installed.gateway, HERE / "peers" / "grpc_calls.py", f"127.0.0.1:{backend.port}", in_flight, seconds)
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=seconds + 30, check=True
    )
    return Burst(failed=0, **json.loads(done.stdout.splitlines()[-1]))


def _load(installed: Installed, peer: Peer, connections: int, seconds: float) -> Callable[[], Burst]:
    return lambda: burst(installed.wrk, peer.server, peer.request, connections=connections, seconds=seconds)


def _medians(bursts: Iterable[Burst]) -> dict[str, float]:
    bursts = tuple(bursts)
    names = [field.name for field in fields(Burst)]
    return {name: statistics.median(getattr(one, name) for one in bursts) for name in names} if bursts else {}


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

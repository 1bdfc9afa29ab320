"""The floor on the way out: what grpc.aio takes for a call whose bytes nobody looks at.

    python grpc_calls.py HOST:PORT CALLS_IN_FLIGHT SECONDS

Prints one line of JSON: calls a second, microseconds of processor time a call, the median latency.
"""

import asyncio
import json
import resource
import statistics
import sys
import time

import grpc.aio
import uvloop

PATH = "/bench.v1.Orders/GetOrder"
REQUEST = b"\x0a\x02o1\x18\x03"  # order_id "o1", lines 3
WARM_SECONDS = 0.3
DEADLINE_SECONDS = 30.0


async def measure(target: str, in_flight: int, seconds: float) -> dict[str, float]:
    async with grpc.aio.insecure_channel(target) as channel:
        call = channel.unary_unary(PATH)

        async def keep_calling(until: float, latencies: list[float]) -> None:
            now = time.perf_counter()
            while now < until:
                await call(REQUEST, timeout=DEADLINE_SECONDS)
                before, now = now, time.perf_counter()
                latencies.append(now - before)

        async def run(seconds: float) -> list[float]:
            latencies: list[float] = []
            until = time.perf_counter() + seconds
            await asyncio.gather(*(keep_calling(until, latencies) for _ in range(in_flight)))
            return latencies

        await run(WARM_SECONDS)
        before, started = used_seconds(), time.perf_counter()
        latencies = await run(seconds)
        return {
            "per_second": len(latencies) / (time.perf_counter() - started),
            "cpu_us": (used_seconds() - before) / len(latencies) * 1e6,
            "p50_us": statistics.median(latencies) * 1e6,
            "p99_us": statistics.quantiles(latencies, n=100)[98] * 1e6,
            "requests": len(latencies),
        }


def used_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps(uvloop.run(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))))

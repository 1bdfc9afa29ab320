"""Runs the shop alone: `python -m gateway.demo --port 50051`."""

import argparse
import asyncio
import signal
import sys

from gateway.demo.server import start_demo


def main() -> int:
    """The exit code after the shop was stopped by SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(
        prog="python -m gateway.demo", description="Runs the demo's shop as a gRPC server."
    )
    parser.add_argument(
        "--port", type=int, default=50051, help="port on 127.0.0.1; 0 takes a free one (default: 50051)"
    )
    try:
        asyncio.run(_serve(parser.parse_args().port))
    except OSError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


async def _serve(port: int) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    demo = await start_demo(port)
    print(f"shop listening on {demo.target}", flush=True)  # noqa: T201
    await stopped.wait()
    await demo.stop()


if __name__ == "__main__":
    sys.exit(main())

import asyncio
import signal
import sys

import grpc

from gateway.demo.server import start_demo
from gateway.gen.demo.shop.v1.orders_pb2 import GetOrderRequest
from gateway.gen.demo.shop.v1.orders_pb2_grpc import OrderServiceStub


async def run_demo(port: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.demo", "--port", str(port)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_the_demo_runs_alone_until_it_is_stopped() -> None:
    process = await run_demo(0)
    assert process.stdout is not None
    target = (await process.stdout.readline()).decode().removeprefix("shop listening on ").strip()
    async with grpc.aio.insecure_channel(target) as channel:
        assert (await OrderServiceStub(channel).GetOrder(GetOrderRequest(id="o-1001"))).order.id == "o-1001"
    process.send_signal(signal.SIGTERM)
    _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")


async def test_a_port_in_use_ends_it_with_one_line() -> None:
    demo = await start_demo()
    port = demo.target.rpartition(":")[2]
    process = await run_demo(int(port))
    output, errors = await process.communicate()
    await demo.stop()
    assert (process.returncode, output) == (1, b"")
    assert errors.decode().splitlines()[-1] == f"the demo cannot listen on 127.0.0.1:{port}: choose another port"

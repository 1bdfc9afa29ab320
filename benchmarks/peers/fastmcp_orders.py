"""What somebody who has FastMCP at hand writes around the generated client of the backend at BACKEND (host:port).

The generated modules have to be on the path; uvicorn serves `app`.
"""

import os
from functools import cache

import bench_pb2 as messages
import bench_pb2_grpc as services
import fastmcp
import grpc.aio
from google.protobuf.json_format import MessageToDict

mcp = fastmcp.FastMCP("orders")


@cache
def orders() -> services.OrdersStub:
    # A channel belongs to the loop that runs when it is opened.
    return services.OrdersStub(grpc.aio.insecure_channel(os.environ["BACKEND"]))


@mcp.tool(name="bench_v1_Orders_GetOrder")
async def get_order(orderId: str, withLines: bool = False, lines: int = 0) -> dict:  # noqa: N803 - names of the JSON
    """Gets an order by its id, with as many lines as are asked for."""
    order = await orders().GetOrder(messages.GetOrderRequest(order_id=orderId, with_lines=withLines, lines=lines))
    return MessageToDict(order)


app = mcp.http_app(path="/mcp", json_response=True, stateless_http=True)

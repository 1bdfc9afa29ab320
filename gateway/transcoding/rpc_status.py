"""A gRPC failure as a frozen value: all of it that crosses out of `backends/`."""

import enum
from dataclasses import dataclass


class StatusOrigin(enum.Enum):
    """Who ended the RPC: the answers read differently."""

    BACKEND = "backend"  # the server sent this status in its trailers
    REPLY = "reply"  # the server answered with what is no gRPC reply
    GATEWAY = "gateway"  # this side ended it: its deadline, its caps, its caller
    CONNECTION = "connection"  # no server was reached, or the connection broke


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcStatus:
    """How an RPC ended other than well. `code` is the number on the wire and may lie outside 0..16.

    `message` is the server's where `origin` is BACKEND, and this side's own words otherwise; what gRPC's own core said
    (addresses, file names) stays out of it. `details` is the `grpc-status-details-bin` trailer: a serialised
    google.rpc.Status, or b"".
    """

    code: int
    message: str
    details: bytes = b""
    origin: StatusOrigin = StatusOrigin.BACKEND

"""Prints how fast the converters are beside protobuf's own json_format, on a small, a medium and a large message.

    python benchmarks/converters.py [--seconds 1.0]

Both sides go the whole way: JSON text to wire bytes ("parse"), wire bytes to JSON text ("print"). Times are the best of
many rounds, in microseconds of processor time.
"""

import argparse
import math
import tempfile
import time
import timeit
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import grpc_tools
import orjson
from google.protobuf import json_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message_factory import GetMessageClass
from grpc_tools import protoc

from gateway.descriptors.api import describe_api
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder

_ROUND_SECONDS = 0.005

PROTO = """
syntax = "proto3";
package bench;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
service Bench {
  rpc Small(SmallMessage) returns (SmallMessage);
  rpc Medium(MediumMessage) returns (MediumMessage);
  rpc Large(LargeMessage) returns (LargeMessage);
  rpc Free(google.protobuf.Struct) returns (google.protobuf.Struct);
}
enum State { STATE_UNSPECIFIED = 0; STATE_OPEN = 1; STATE_SHIPPED = 2; }
message SmallMessage {
  string order_id = 1; bool with_lines = 2; int32 lines = 3; int64 revision = 4; repeated string tags = 5;
}
message Money { string currency = 1; int64 units = 2; int32 nanos = 3; }
message Address { string street = 1; string city = 2; string country = 3; double latitude = 4; double longitude = 5; }
message Line { string sku = 1; int32 quantity = 2; Money price = 3; string note = 4; State state = 5; }
message MediumMessage {
  string order_id = 1; State state = 2;
  google.protobuf.Timestamp created_at = 3; google.protobuf.Timestamp updated_at = 4;
  repeated Line lines = 5; map<string, string> labels = 6; Money total = 7; string customer = 8; double weight = 9;
  bytes token = 10; bool gift = 11; Address ship_to = 12; Address bill_to = 13; google.protobuf.Duration window = 14;
  repeated int64 history = 15; repeated State states = 16; google.protobuf.StringValue memo = 17; float ratio = 18;
  oneof payment { string card = 19; string invoice = 20; }
  optional int32 priority = 21; string note = 22; uint64 serial = 23; repeated double scores = 24; bool paid = 25;
  int32 boxes = 26; string carrier = 27; string tracking = 28; map<string, Money> fees = 29; string channel = 30;
  int64 warehouse_id = 31; string currency = 32; string locale = 33; bool fragile = 34; int32 attempts = 35;
  string coupon = 36; double discount = 37; string agent = 38;
  google.protobuf.Timestamp due_at = 39; string origin = 40;
}
message LargeMessage { repeated Line lines = 1; string next_page_token = 2; }
"""

LINE = {
    "sku": "AB-1234",
    "quantity": 3,
    "price": {"currency": "EUR", "units": "1234", "nanos": 500000000},
    "note": "leave at the door",
    "state": "STATE_OPEN",
}
ADDRESS = {"street": "1 Main St", "city": "Springfield", "country": "US", "latitude": 39.78, "longitude": -89.65}
MESSAGES: dict[str, dict[str, Any]] = {
    "Small": {
        "orderId": "o-1234567",
        "withLines": True,
        "lines": 20,
        "revision": "9007199254740993",
        "tags": ["a", "b"],
    },
    "Medium": {
        "orderId": "o-1234567",
        "state": "STATE_SHIPPED",
        "createdAt": "2026-01-31T09:00:00Z",
        "updatedAt": "2026-01-31T10:20:30.123Z",
        "lines": [LINE, LINE, LINE],
        "labels": {"team": "blue", "tier": "gold"},
        "total": {"currency": "EUR", "units": "4321"},
        "customer": "customers/42",
        "weight": 12.5,
        "token": "3q2+78r+ur4=",
        "gift": True,
        "shipTo": ADDRESS,
        "billTo": ADDRESS,
        "window": "3600s",
        "history": ["1", "2", "3", "4"],
        "states": ["STATE_OPEN", "STATE_SHIPPED"],
        "memo": "call before",
        "ratio": 0.25,
        "card": "4242",
        "priority": 2,
        "note": "fragile",
        "serial": "18446744073709551615",
        "scores": [1.5, 2.5, 3.5],
        "paid": True,
        "boxes": 2,
        "carrier": "post",
        "tracking": "TR123456789",
        "fees": {"handling": {"currency": "EUR", "units": "3"}},
        "channel": "web",
        "warehouseId": "77",
        "currency": "EUR",
        "locale": "en-GB",
        "fragile": True,
        "attempts": 1,
        "coupon": "SPRING",
        "discount": 0.1,
        "agent": "agents/7",
        "dueAt": "2026-02-03T12:00:00Z",
        "origin": "warehouse",
    },
    "Large": {"lines": [{**LINE, "sku": f"AB-{number}", "quantity": number} for number in range(1, 1001)]},
    "Free": {"a": 1, "b": "text", "c": [1, 2, {"d": True}], "e": {"f": None, "g": "text", "h": {"i": 1.5}}},
}


def compile_proto() -> FileDescriptorSet:
    include = Path(str(resources.files(grpc_tools)), "_proto")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bench.proto").write_text(PROTO, encoding="utf-8")
        target = Path(folder, "out.binpb")
        arguments = [f"-I{folder}", f"-I{include}", "--include_imports", f"--descriptor_set_out={target}"]
        if protoc.main(["protoc", *arguments, "bench.proto"]):
            raise SystemExit("protoc refuses the benchmark's own proto")
        return FileDescriptorSet.FromString(target.read_bytes())


def measure(works: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """Microseconds for one run of each: the best of many short rounds in turn, so that a busy machine hits all."""
    timers = [timeit.Timer(work, timer=time.thread_time) for work in works]
    numbers = [max(1, int(_ROUND_SECONDS / max(timer.timeit(1), 1e-7))) for timer in timers]
    best = [math.inf] * len(works)
    end = time.monotonic() + seconds * len(works)
    while time.monotonic() < end:
        for index, (timer, number) in enumerate(zip(timers, numbers, strict=True)):
            best[index] = min(best[index], timer.timeit(number) / number * 1e6)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement takes")
    seconds = parser.parse_args().seconds
    api = describe_api(compile_proto().file)
    codec = Codec(api)
    print(
        f"{'message':8} {'bytes of JSON':>13} | {'parse us':>9} {'stock':>9} {'times':>6} "
        f"| {'print us':>9} {'stock':>9} {'times':>6}"
    )
    for rpc in sorted(api.rpcs, key=lambda rpc: list(MESSAGES).index(rpc.method)):
        transcoder = RpcTranscoder(codec, rpc)
        message_class: Any = GetMessageClass(rpc.request)
        text = orjson.dumps(MESSAGES[rpc.method])
        wire = json_format.Parse(text, message_class()).SerializeToString()
        encoded = transcoder.encode_arguments(orjson.loads(text))
        if not isinstance(encoded, bytes) or message_class.FromString(encoded) != message_class.FromString(wire):
            raise SystemExit(f"{rpc.method}: the two converters disagree over what is parsed")
        printed = transcoder.encode_reply_json(wire)
        if json_format.Parse(printed, message_class()) != message_class.FromString(wire):
            raise SystemExit(f"{rpc.method}: the two converters disagree over what is printed")

        def parse_ours(text: bytes = text, encode: Any = transcoder.encode_arguments) -> None:
            encode(orjson.loads(text))

        def parse_stock(text: bytes = text, message_class: Any = message_class) -> None:
            json_format.Parse(text, message_class()).SerializeToString()

        def print_ours(wire: bytes = wire, encode: Any = transcoder.encode_reply_json) -> None:
            encode(wire)

        def print_stock(wire: bytes = wire, message_class: Any = message_class) -> None:
            json_format.MessageToJson(message_class.FromString(wire), indent=None)

        times = measure((parse_ours, parse_stock, print_ours, print_stock), seconds)
        print(
            f"{rpc.method:8} {len(text):13} | {times[0]:9.2f} {times[1]:9.2f} {times[1] / times[0]:6.1f} "
            f"| {times[2]:9.2f} {times[3]:9.2f} {times[3] / times[2]:6.1f}"
        )


if __name__ == "__main__":
    main()

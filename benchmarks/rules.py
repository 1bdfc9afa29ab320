"""Prints what validation rules cost a call: arguments to request bytes, with the rules and without them.

    python benchmarks/rules.py [--seconds 1.0]

Times are the best of many rounds, in microseconds of processor time.
"""

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from converters import measure

from gateway.backends.sources import compile_protos
from gateway.descriptors.api import Api, describe_api
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder

PROTO = """
syntax = "proto3"; package bench; import "buf/validate/validate.proto";
message Flat {
  string name = 1 [(buf.validate.field).string = {min_len: 1, max_len: 100}];
  string email = 2 [(buf.validate.field).string.email = true];
  int32 count = 3 [(buf.validate.field).int32 = {gt: 0, lte: 1000}];
  double weight = 4 [(buf.validate.field).double.gte = 0];
  bool gift = 5;
}
message Line {
  string sku = 1 [(buf.validate.field).string.pattern = "^[A-Z]{2}-[0-9]+$"];
  int32 quantity = 2 [(buf.validate.field).int32.gt = 0];
}
message Nested {
  option (buf.validate.message).cel = {
    id: "few" message: "at most ten lines without a note" expression: "size(this.lines) <= 10 || this.note != ''"
  };
  string name = 1 [(buf.validate.field).required = true];
  repeated Line lines = 2 [(buf.validate.field).repeated.min_items = 1];
  oneof payment { option (buf.validate.oneof).required = true; string card = 3; string account = 4; }
  string note = 5;
}
service Bench { rpc DoFlat(Flat) returns (Flat); rpc DoNested(Nested) returns (Nested); }
"""
FLAT = {"name": "Ann", "email": "ann@example.com", "count": 3, "weight": 1.5, "gift": True}
NESTED = {"name": "Ann", "account": "7", "lines": [{"sku": f"AB-{number}", "quantity": 3} for number in range(3)]}
ARGUMENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "five fields": ("DoFlat", FLAT),
    "three lines": ("DoNested", NESTED),
    "four faults": ("DoFlat", {**FLAT, "name": "", "email": "ann", "count": 0, "weight": -1}),
}


def make_api(*, ruled: bool) -> Api:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bench.proto").write_text(PROTO, encoding="utf-8")
        files = compile_protos(Path(folder))
    if not ruled:
        (file,) = (file for file in files if file.name == "bench.proto")
        for message in file.message_type:
            for part in (message, *message.field, *message.oneof_decl):
                part.ClearField("options")
    return describe_api(files, ["bench.Bench"])


def make_work(api: Api, method: str, arguments: Mapping[str, Any]) -> Callable[[], object]:
    (rpc,) = (rpc for rpc in api.rpcs if rpc.method == method)
    encode = RpcTranscoder(Codec(api), rpc).encode_arguments
    return lambda: encode(arguments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement takes")
    seconds = parser.parse_args().seconds
    plain, ruled = make_api(ruled=False), make_api(ruled=True)
    print(f"{'arguments':12} | {'no rules us':>11} {'rules us':>9} {'added us':>9}")
    for name, (method, arguments) in ARGUMENTS.items():
        without, within = measure([make_work(api, method, arguments) for api in (plain, ruled)], seconds)
        print(f"{name:12} | {without:11.2f} {within:9.2f} {within - without:9.2f}")


if __name__ == "__main__":
    main()

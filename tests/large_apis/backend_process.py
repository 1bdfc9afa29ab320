"""A gRPC server that serves the reflection of a FileDescriptorSet and nothing else: `python backend_process.py FILE`.

It prints the port that it listens on, on loopback, and ends when its standard input does.
"""

import asyncio
import sys
from pathlib import Path

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha import reflection


async def main(files: FileDescriptorSet) -> None:
    pool = DescriptorPool()
    services: list[str] = []
    for proto in files.file:
        pool.Add(proto)
        services += [f"{proto.package}.{service.name}" for service in proto.service]
    server = grpc.aio.server()
    reflection.enable_server_reflection(services, server, pool=pool)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main(FileDescriptorSet.FromString(Path(sys.argv[1]).read_bytes())))

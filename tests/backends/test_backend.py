import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionResponse

from gateway.backends.backend import Backend, BackendSettings, Discovered, DiscoveryFailed, DiscoveryLimits
from gateway.backends.targets import parse_target
from gateway.descriptors.api import describe_api
from gateway.transcoding.rpc_status import RpcStatus

Start = Callable[..., Awaitable[str]]
MakeFile = Callable[..., FileDescriptorProto]
WriteSet = Callable[..., Path]


@pytest.fixture
def write_set(tmp_path: Path) -> WriteSet:
    def write(*files: FileDescriptorProto) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.binpb"
        path.write_bytes(FileDescriptorSet(file=files).SerializeToString())
        return path

    return write


def commented(file: FileDescriptorProto, text: str) -> FileDescriptorProto:
    """A copy of the file with a leading comment on its first method."""
    copy = FileDescriptorProto()
    copy.CopyFrom(file)
    copy.source_code_info.location.add(path=[6, 0, 2, 0], span=[1, 0, 1], leading_comments=text)
    return copy


async def discover(target: str, *sets: Path, **more: Any) -> Discovered:
    settings = BackendSettings(
        name="orders",
        target=parse_target(target),
        descriptor_sets=sets,
        discovery_limits=DiscoveryLimits(deadline_seconds=10),
        **more,
    )
    async with Backend(settings) as backend:
        return await backend.discover()


def refuse(code: int, message: str) -> ServerReflectionResponse:
    answer = ServerReflectionResponse()
    answer.error_response.error_code, answer.error_response.error_message = code, message
    return answer


async def failure_of(target: str, *sets: Path, **more: Any) -> str:
    with pytest.raises(DiscoveryFailed) as caught:
        await discover(target, *sets, **more)
    return caught.value.reason


async def test_reflection_alone_tells_all_there_is(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    file = make_file("a.proto", "shop", message="Order", service="Orders")
    table = reflection_table(services=["shop.Orders", "shop.Gone", "grpc.health.v1.Health"], files=[file])
    assert await discover(await start_reflection(table)) == Discovered(
        files=(file,),
        services=("shop.Orders",),
        skipped=(("shop.Gone", "reflection does not find it (NOT_FOUND)"),),
        warnings=(),
    )


async def test_a_descriptor_set_brings_the_comments_that_reflection_lacks(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    file = make_file("a.proto", "shop", message="Order", service="Orders")
    target = await start_reflection(reflection_table(services=["shop.Orders"], files=[file]))
    bare = await discover(target)
    rich = await discover(target, write_set(commented(file, " Gets an order.\n")))
    assert (bare.services, bare.warnings) == (rich.services, rich.warnings) == (("shop.Orders",), ())
    comments = [describe_api(one.files, one.services).comments.get_comment("shop.Orders.Get") for one in (bare, rich)]
    assert comments == ["", "Gets an order."]


async def test_a_descriptor_set_stands_in_for_what_the_server_cannot_describe(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    place = make_file("location/location.proto", "geo", message="Place")
    maps = make_file("maps.proto", "geo", imports=[place.name], service="Maps", request=".geo.Place")
    lost = make_file("lost.proto", "geo", message="Lost", service="LostAndFound")
    target = await start_reflection(reflection_table(services=["geo.Maps", "geo.LostAndFound"], files=[maps]))
    bare = await discover(target)
    assert bare.skipped == (("geo.LostAndFound", "reflection does not find it (NOT_FOUND)"),)
    assert bare.warnings == (
        "reflection did not give an imported file: descriptors can supply it (--descriptors or --protos)",
    )
    assert describe_api(bare.files, bare.services).rpcs == ()
    rich = await discover(target, write_set(place, maps, lost))
    assert (rich.services, rich.skipped, rich.warnings) == (("geo.LostAndFound", "geo.Maps"), (), ())
    offered = describe_api(rich.files, rich.services)
    assert [rpc.name for rpc in offered.rpcs] == ["geo.LostAndFound/Get", "geo.Maps/Get"]


async def test_an_import_that_comes_with_the_gateway_is_no_loss(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    file = make_file("a.proto", "shop", imports=["google/api/annotations.proto"], message="Order", service="Orders")
    found = await discover(await start_reflection(reflection_table(services=["shop.Orders"], files=[file])))
    assert found.warnings == ()
    assert [rpc.name for rpc in describe_api(found.files, found.services).rpcs] == ["shop.Orders/Get"]


async def test_what_only_the_descriptor_set_declares_is_named_and_not_offered(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    served = make_file("a.proto", "a", message="M", service="A")
    others = [make_file(f"b{number}.proto", "b", message=f"M{number}", service=f"B{number}") for number in range(7)]
    target = await start_reflection(reflection_table(services=["a.A"], files=[served]))
    found = await discover(target, write_set(served, *others))
    assert found.services == ("a.A",)
    shown = "b.B0, b.B1, b.B2, b.B3, b.B4 and 2 more"
    assert found.warnings == (f"the given descriptors declare {shown}, which the server does not list; not offered",)


async def test_the_server_is_believed_where_the_methods_differ(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    now_used = make_file("m.proto", "shop", message="New")
    now = make_file("a.proto", "shop", imports=["m.proto"], service="Orders", methods=["Fetch"], request=".shop.New")
    then_used = make_file("m.proto", "shop", message="Old")
    then = make_file("a.proto", "shop", imports=["m.proto"], service="Orders", methods=["Get"], request=".shop.Old")
    same = make_file("s.proto", "shop", message="Item", service="Stock")
    table = reflection_table(services=["shop.Orders", "shop.Stock"], files=[now, now_used, same])
    found = await discover(await start_reflection(table), write_set(then, then_used, commented(same, " Counts.\n")))
    assert found.warnings == (
        "shop.Orders: the given descriptors and the server disagree over its methods; the server is believed",
    )
    offered = describe_api(found.files, found.services)
    assert [(rpc.name, rpc.request.full_name) for rpc in offered.rpcs] == [
        ("shop.Orders/Fetch", "shop.New"),
        ("shop.Stock/Get", "shop.Item"),
    ]
    assert offered.comments.get_comment("shop.Stock.Get") == "Counts."


async def test_the_server_is_believed_even_where_the_set_keeps_the_service_in_another_file(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    now = make_file("orders.proto", "shop", message="Order", service="Orders", methods=["Fetch"])
    then = make_file("shop/orders.proto", "shop", message="Order", service="Orders", methods=["Get"])
    target = await start_reflection(reflection_table(services=["shop.Orders"], files=[now]))
    found = await discover(target, write_set(then))
    assert [rpc.name for rpc in describe_api(found.files, found.services).rpcs] == ["shop.Orders/Fetch"]


async def test_a_descriptor_set_does_alone_where_reflection_is_not_served(
    start_server: Start, make_file: MakeFile, write_set: WriteSet
) -> None:
    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return b"here"

    both = [make_file(f"{name}.proto", name, message="M", service=name.upper()) for name in "ba"]
    target = await start_server({"/a.A/Get": answer})
    reason = f"{target} does not serve reflection (neither grpc.reflection.v1 nor v1alpha)"
    settings = BackendSettings(name="b", target=parse_target(target), descriptor_sets=(write_set(*both),))
    async with Backend(settings) as backend:
        found = await backend.discover()
        assert found == Discovered(
            files=tuple(both),
            services=("a.A", "b.B"),
            skipped=(),
            warnings=(f"{reason}; its services are taken from the given descriptors alone",),
        )
        assert await backend.unary("a.A/Get")(b"", timeout_seconds=5, metadata=()) == b"here"
        status = await backend.unary("b.B/Get")(b"", timeout_seconds=5, metadata=())
        assert status == RpcStatus(code=12, message='backend "b" does not serve /b.B/Get: Method not found!')


async def test_a_descriptor_set_does_alone_where_reflection_is_refused(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    target = await start_reflection(reflection_table(metadata=("x-disco", "s3cret")))
    found = await discover(target, write_set(make_file("a.proto", "a", message="M", service="A")))
    assert found.services == ("a.A",)
    assert "UNAUTHENTICATED" in found.warnings[0]


async def test_a_descriptor_set_does_not_stand_in_for_a_server_that_has_told_of_itself_and_fails_to_now(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, write_set: WriteSet
) -> None:
    both = [make_file(f"{name}.proto", name, message="M", service=name.upper()) for name in "ab"]
    table = reflection_table(services=["a.A"], files=both)
    target = await start_reflection(table)
    settings = BackendSettings(name="b", target=parse_target(target), descriptor_sets=(write_set(*both),))
    async with Backend(settings) as backend:
        assert (await backend.discover()).services == ("a.A",)
        table.answers["*"] = refuse(13, "not now")
        with pytest.raises(DiscoveryFailed) as failed:
            await backend.discover()
        assert failed.value.reason == f"{target}: reflection failed with INTERNAL: not now"
        table.answers["*"] = refuse(12, "switched off")
        assert (await backend.discover()).services == ("a.A", "b.B")


async def test_a_server_that_is_not_there_fails_discovery_even_with_a_descriptor_set(
    make_file: MakeFile, write_set: WriteSet
) -> None:
    given = write_set(make_file("a.proto", "a", message="M", service="A"))
    assert await failure_of("127.0.0.1:1", given) == "127.0.0.1:1 cannot be reached: connection refused"


async def test_without_reflection_the_server_is_not_asked(make_file: MakeFile, write_set: WriteSet) -> None:
    given = write_set(make_file("a.proto", "a", message="M", service="A"))
    assert (await discover("127.0.0.1:1", given, reflection=False)).services == ("a.A",)
    assert await failure_of("127.0.0.1:1", reflection=False) == (
        "reflection is off and no descriptors are given; give them by --descriptors or --protos"
    )


async def test_a_folder_of_protos_is_a_source_like_a_descriptor_set(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, tmp_path: Path
) -> None:
    file = make_file("a.proto", "a", message="M", service="A")
    (tmp_path / "a.proto").write_text(
        'syntax = "proto3"; package a; service A {\n// Says so.\nrpc Get(M) returns (M); } message M { string a = 1; }'
    )
    target = await start_reflection(reflection_table(services=["a.A"], files=[file]))
    found = await discover(target, proto_folders=(tmp_path,))
    assert found.warnings == ()
    assert describe_api(found.files, found.services).comments.get_comment("a.A.Get") == "Says so."


async def test_a_source_that_is_of_no_use_fails_discovery_in_its_words(tmp_path: Path) -> None:
    assert await failure_of("127.0.0.1:1", tmp_path / "gone.binpb") == (
        f"{tmp_path / 'gone.binpb'} cannot be read: No such file or directory; "
        "write one with buf build -o FILE.binpb, or protoc --include_imports --include_source_info -o FILE"
    )


async def test_a_backend_that_changes_is_seen_anew_by_the_next_discovery(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    table = reflection_table(services=["s.Search"], files=[make_file("s.proto", "s", message="Q", service="Search")])
    settings = BackendSettings(name="b", target=parse_target(await start_reflection(table)))
    async with Backend(settings) as backend:
        seen = [[field.name for field in (await backend.discover()).files[0].message_type[0].field]]
        table.files[0].message_type[0].field.add(name="limit", number=2, type="TYPE_INT32", label="LABEL_OPTIONAL")
        seen.append([field.name for field in (await backend.discover()).files[0].message_type[0].field])
    assert seen == [["a"], ["a", "limit"]]


async def test_discovery_and_calls_each_carry_their_own_metadata_alone(
    start_server: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    called: dict[str, Any] = {}

    async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        called.update(context.invocation_metadata() or ())
        return b""

    table = reflection_table(services=["a.A"], files=[make_file("a.proto", "a", message="M", service="A")])
    target = await start_server(
        {"/a.A/Get": answer}, {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": table.serve}
    )
    settings = BackendSettings(
        name="b",
        target=parse_target(target),
        discovery_metadata=(("x-disco", "d"),),
        call_metadata=(("x-call", "c"),),
    )
    async with Backend(settings) as backend:
        await backend.discover()
        await backend.unary("a.A/Get")(b"", timeout_seconds=5, metadata=())
    (asked,) = table.seen_metadata
    assert ("x-disco" in asked, "x-call" in asked) == (True, False)
    assert ("x-disco" in called, "x-call" in called) == (False, True)


async def test_a_file_that_changes_is_a_sign(write_set: WriteSet, make_file: MakeFile) -> None:
    path = write_set(make_file("a.proto"))
    settings = BackendSettings(name="orders", target=parse_target("127.0.0.1:1"), descriptor_sets=(path,))
    async with Backend(settings) as backend:
        before = await backend.read_signs()
        assert await backend.read_signs() == before
        path.write_bytes(path.read_bytes() * 2)
        after = await backend.read_signs()
        assert after != before
        path.unlink()
        assert await backend.read_signs() not in (before, after)


@pytest.mark.parametrize("lane", [True, False])
async def test_a_server_that_comes_back_is_a_sign(lane: bool) -> None:
    async def serve(port: int) -> tuple[grpc.aio.Server, int]:
        server = grpc.aio.server()
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
        await server.start()
        return server, bound

    server, port = await serve(0)
    settings = BackendSettings(name="orders", target=parse_target(f"127.0.0.1:{port}"), lane=lane)
    async with Backend(settings) as backend:
        call = backend.unary("a.A/B")

        async def try_until(is_there: Callable[[], Awaitable[bool]]) -> None:
            async with asyncio.timeout(20):
                while not await is_there():
                    await call(b"", timeout_seconds=5, metadata=())

        async def is_reached() -> bool:
            status = await call(b"", timeout_seconds=5, metadata=())
            await backend.read_signs()
            return isinstance(status, RpcStatus) and status.code == grpc.StatusCode.UNIMPLEMENTED.value[0]

        async def is_lost() -> bool:
            return not await is_reached()

        async def has_given_a_sign() -> bool:
            return await backend.read_signs() != before

        await try_until(is_reached)
        before = await backend.read_signs()
        assert before.reconnections == 0
        await server.stop(0)
        await try_until(is_lost)
        server, _ = await serve(port)
        await try_until(has_given_a_sign)
        await server.stop(0)

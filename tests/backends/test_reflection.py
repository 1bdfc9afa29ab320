import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionResponse

from gateway.backends.channels import ChannelLimits, Transport
from gateway.backends.reflection import DiscoveryLimits, Learned, MissingImport, ReflectionFailed, learn
from gateway.backends.targets import parse_target

Start = Callable[..., Awaitable[str]]
MakeFile = Callable[..., FileDescriptorProto]


async def learn_from(target: str, *, metadata: tuple[tuple[str, str | bytes], ...] = (), **limits: Any) -> Learned:
    return await learn(
        Transport(target=parse_target(target)),
        backend="orders",
        metadata=metadata,
        limits=DiscoveryLimits(**{"deadline_seconds": 10.0} | limits),
        channel_limits=ChannelLimits(),
    )


async def refusal_of(target: str, **limits: Any) -> tuple[str, bool]:
    with pytest.raises(ReflectionFailed) as caught:
        await learn_from(target, **limits)
    return str(caught.value), caught.value.reached


def error(code: int, message: str = "") -> ServerReflectionResponse:
    response = ServerReflectionResponse()
    response.error_response.error_code = code
    response.error_response.error_message = message
    return response


def files(*contents: bytes) -> ServerReflectionResponse:
    response = ServerReflectionResponse()
    response.file_descriptor_response.file_descriptor_proto.extend(contents)
    return response


def abort(code: grpc.StatusCode, message: str = "") -> Callable[[grpc.aio.ServicerContext], Awaitable[Any]]:
    async def end(context: grpc.aio.ServicerContext) -> Any:
        await context.abort(code, message)

    return end


@pytest.fixture
def chain(make_file: MakeFile) -> list[FileDescriptorProto]:
    """a.proto, whose service uses a message of c.proto, which it gets by way of b.proto."""
    return [
        make_file("a.proto", "shop", imports=["b.proto"], service="Orders", request=".shop.Order"),
        make_file("b.proto", "shop", imports=["c.proto"]),
        make_file("c.proto", "shop", message="Order"),
    ]


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_either_version_of_reflection_tells_services_and_files(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto], version: str
) -> None:
    table = reflection_table(services=["shop.Orders"], files=chain)
    learned = await learn_from(await start_reflection(**{version: table}))
    assert learned == Learned(
        services=("shop.Orders",),
        files={file.name: file for file in chain},
        skipped=(),
        missing_imports=(),
        warnings=(),
    )


async def test_each_service_and_each_missing_import_is_asked_for_once_and_nothing_else(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, chain: list[FileDescriptorProto]
) -> None:
    other = make_file("d.proto", "shop", imports=["c.proto", "b.proto"], service="Stock", request=".shop.Order")
    table = reflection_table(services=["shop.Stock", "shop.Orders"], files=[*chain, other])
    learned = await learn_from(await start_reflection(table))
    assert learned.files.keys() == {"a.proto", "b.proto", "c.proto", "d.proto"}
    assert table.asked == ["*", "shop.Orders", "shop.Stock", "b.proto", "c.proto"]


async def test_a_server_that_sends_all_imports_along_is_not_asked_for_them(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile, chain: list[FileDescriptorProto]
) -> None:
    chain[0].service.add(name="Refunds")
    table = reflection_table(services=["shop.Orders", "shop.Refunds"], files=chain, closures=True)
    learned = await learn_from(await start_reflection(table))
    assert (learned.services, len(learned.files), learned.warnings) == (("shop.Orders", "shop.Refunds"), 3, ())
    assert table.asked == ["*", "shop.Orders"]


async def test_a_stream_ends_by_half_close_and_not_by_cancelling(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto]
) -> None:
    table = reflection_table(services=["shop.Orders"], files=chain)
    target = await start_reflection(table)
    for _ in range(4):
        await learn_from(target)
    assert table.ended == ["OK"] * 4


async def test_a_service_that_is_listed_twice_is_learnt_once_and_in_order(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    two = [make_file(f"{name}.proto", f"{name}.v1", message="M", service=name.upper()) for name in ("a", "b")]
    table = reflection_table(services=["b.v1.B", "a.v1.A", "b.v1.B"], files=two)
    assert (await learn_from(await start_reflection(table))).services == ("a.v1.A", "b.v1.B")


async def test_a_service_without_a_package_is_asked_for_by_its_bare_name(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    table = reflection_table(services=["Echo"], files=[make_file("e.proto", message="Msg", service="Echo")])
    assert (await learn_from(await start_reflection(table))).services == ("Echo",)
    assert table.asked == ["*", "Echo"]


async def test_the_services_that_look_at_a_server_are_neither_asked_for_nor_told(
    start_reflection: Start, reflection_table: Any
) -> None:
    looking = [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ]
    table = reflection_table(services=looking)
    learned = await learn_from(await start_reflection(table))
    assert (learned.services, learned.skipped, table.asked) == ((), (), ["*"])


async def test_three_ways_to_fail_for_one_service_are_three_reasons_and_cost_no_other(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    table = reflection_table(
        services=["s.A", "s.W", "s.X", "s.Y", "s.Z", "t.B"],
        files=[
            make_file("a.proto", "s", message="A_", service="A"),
            make_file("b.proto", "t", message="B_", service="B"),
        ],
        answers={
            "s.W": None,
            "s.X": error(5, "no such symbol"),
            "s.Y": error(13, "database\non fire"),
            "s.Z": abort(grpc.StatusCode.DATA_LOSS, "gone"),
        },
    )
    learned = await learn_from(await start_reflection(table))
    assert learned.services == ("s.A", "t.B")
    assert dict(learned.skipped) == {
        "s.W": "the reflection stream ended without an answer",
        "s.X": "reflection does not find it (NOT_FOUND)",
        "s.Y": "reflection answered INTERNAL: database on fire",
        "s.Z": "the reflection stream broke: DATA_LOSS: gone",
    }


async def test_a_server_that_closes_the_stream_after_each_answer_is_asked_on(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto]
) -> None:
    table = reflection_table(services=["shop.Orders"], files=chain, answers_a_stream=1)
    learned = await learn_from(await start_reflection(table))
    assert (learned.services, len(learned.files)) == (("shop.Orders",), 3)
    assert set(table.ended) <= {"CLOSED", "OK"}


async def test_v1alpha_takes_over_where_v1_stops_late_in_the_stream(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto]
) -> None:
    unserved = {name: abort(grpc.StatusCode.UNIMPLEMENTED) for name in ("b.proto", "c.proto")}
    v1 = reflection_table(services=["shop.Orders"], files=chain, answers=unserved)
    v1alpha = reflection_table(services=["shop.Orders"], files=chain)
    learned = await learn_from(await start_reflection(v1, v1alpha))
    assert (learned.services, len(learned.files), learned.missing_imports) == (("shop.Orders",), 3, ())
    assert (v1.asked, v1alpha.asked) == (["*", "shop.Orders", "b.proto"], ["b.proto", "c.proto"])


async def test_v1alpha_takes_over_where_v1_says_unimplemented_in_an_answer(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto]
) -> None:
    v1 = reflection_table(answers={"*": error(12)})
    v1alpha = reflection_table(services=["shop.Orders"], files=chain)
    learned = await learn_from(await start_reflection(v1, v1alpha))
    assert learned.services == ("shop.Orders",)
    assert v1.ended == ["OK"]


async def test_v1_goes_on_where_it_does_not_implement_one_question_and_v1alpha_is_not_there(
    start_reflection: Start, reflection_table: Any, chain: list[FileDescriptorProto], make_file: MakeFile
) -> None:
    odd = {"odd.Odd": abort(grpc.StatusCode.UNIMPLEMENTED, "not for this one")}
    table = reflection_table(services=["odd.Odd", "shop.Orders"], files=chain, answers=odd)
    learned = await learn_from(await start_reflection(table))
    assert learned.services == ("shop.Orders",)
    assert [name for name, _ in learned.skipped] == ["odd.Odd"]
    assert "UNIMPLEMENTED" in learned.skipped[0][1]


async def test_a_server_without_reflection_is_told_with_what_to_do(start_server: Start) -> None:
    target = await start_server()
    message = (
        f"{target} does not serve reflection (neither grpc.reflection.v1 nor v1alpha): "
        "switch it on there, or give descriptors by --descriptors or --protos"
    )
    assert await refusal_of(target) == (message, True)


async def test_metadata_for_discovery_opens_reflection_and_never_shows(
    start_reflection: Start,
    reflection_table: Any,
    chain: list[FileDescriptorProto],
    caplog: pytest.LogCaptureFixture,
) -> None:
    table = reflection_table(services=["shop.Orders"], files=chain, metadata=("x-disco", "s3cret"))
    target = await start_reflection(table)
    with caplog.at_level(logging.DEBUG, "propylon"):
        learned = await learn_from(target, metadata=(("x-disco", "s3cret"),))
        assert learned.services == ("shop.Orders",)
        message = (
            f"{target} refused reflection with UNAUTHENTICATED: check the metadata for discovery, or give descriptors "
            "by --descriptors or --protos"
        )
        assert await refusal_of(target) == (message, True)
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (error(7), "refused reflection with PERMISSION_DENIED"),
        (error(13, "no\nluck"), ": reflection failed with INTERNAL: no luck"),
        (error(42, "odd"), ": reflection failed with UNKNOWN (42): odd"),
        (abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "later"), ": reflection failed with RESOURCE_EXHAUSTED: later"),
        (error(0, "odd"), ": reflection gave no list of services: odd"),
        (None, ": reflection gave no list of services: the server closed the stream without an answer"),
        (files(b""), ": reflection gave no list of services when asked for it"),
        (b"\xff\xff", ": reflection gave no list of services when asked for it"),
    ],
)
async def test_a_list_that_does_not_come_fails_with_its_reason(
    start_reflection: Start, reflection_table: Any, reply: Any, reason: str
) -> None:
    message, reached = await refusal_of(await start_reflection(reflection_table(answers={"*": reply})))
    assert reason in message
    assert reached


@pytest.mark.parametrize(
    ("target", "cause"),
    [
        ("127.0.0.1:1", "connection refused"),
        ("no-such-host.invalid:50051", "its host name is not known"),
        ("unix:/nowhere/x.sock", "there is no such socket"),
    ],
)
async def test_a_server_that_is_not_there_is_told_with_a_plain_cause(target: str, cause: str) -> None:
    assert await refusal_of(target) == (f"{target} cannot be reached: {cause}", False)


async def test_a_server_that_speaks_no_tls_is_told_with_a_plain_cause(start_server: Start) -> None:
    target = f"https://{await start_server()}"
    assert await refusal_of(target) == (
        f"{target} cannot be reached: the TLS handshake failed; does it speak TLS?",
        False,
    )


async def test_a_server_that_never_answers_ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"127.0.0.1:{silent.getsockname()[1]}"
        message = (
            f"{target}: reflection: no answer within 0.2 s (this gateway's limit); "
            'backend "orders" has not accepted a connection'
        )
        assert await refusal_of(target, deadline_seconds=0.2) == (message, False)


async def test_a_question_that_is_never_answered_ends_at_the_deadline(
    start_reflection: Start, reflection_table: Any
) -> None:
    async def hang(context: grpc.aio.ServicerContext) -> Any:
        await asyncio.Event().wait()

    table = reflection_table(services=["s.A"], answers={"s.A": hang})
    target = await start_reflection(table)
    message = f"{target}: reflection gave 1 answer and was not done within 0.3 s: discovery.timeout_seconds allows more"
    assert await refusal_of(target, deadline_seconds=0.3) == (message, False)


async def test_an_import_that_is_not_served_is_told_and_the_rest_is_kept(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    orders = make_file("orders.proto", "shop", imports=["docs/annotations.proto"], message="Order", service="Orders")
    learned = await learn_from(await start_reflection(reflection_table(services=["shop.Orders"], files=[orders])))
    missing = MissingImport(
        name="docs/annotations.proto", importer="orders.proto", reason="reflection does not find it (NOT_FOUND)"
    )
    assert (learned.services, learned.missing_imports) == (("shop.Orders",), (missing,))


async def test_a_file_of_another_name_is_not_taken_for_an_import(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    orders = make_file("orders.proto", "shop", imports=["sub/b.proto"], message="Order", service="Orders")
    odd = files(make_file("b.proto", "shop", message="B").SerializeToString())
    table = reflection_table(services=["shop.Orders"], files=[orders], answers={"sub/b.proto": odd})
    learned = await learn_from(await start_reflection(table))
    assert learned.missing_imports == (
        MissingImport(name="sub/b.proto", importer="orders.proto", reason="reflection answered with other files"),
    )


async def test_bytes_that_are_no_file_cost_the_service_that_needs_them(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    good = make_file("a.proto", "s", message="M", service="A")
    answers = {
        "s.B": files(b"\xff\xffgarbage"),
        "s.F": files(FileDescriptorProto.FromString(b"\x0a\x01b\x1a\x02i\x93").SerializeToString()),
        "s.C": files(good.SerializeToString()),
        "s.D": ServerReflectionResponse(),
        "s.E": b"\xff\xff",
    }
    table = reflection_table(services=["s.A", *answers], files=[good], answers=answers)
    learned = await learn_from(await start_reflection(table))
    assert learned.services == ("s.A",)
    assert dict(learned.skipped) == {
        "s.B": "reflection answered with bytes that are no file descriptor (Wire format was corrupt)",
        "s.F": "reflection answered with bytes that are no file descriptor (String field had bad UTF-8)",
        "s.C": "reflection answered with files that do not declare it",
        "s.D": "reflection gave an answer that is none to what was asked",
        "s.E": "reflection gave an answer that is none to what was asked",
    }


async def test_a_name_that_is_none_is_skipped_without_being_asked_for(
    start_reflection: Start, reflection_table: Any
) -> None:
    table = reflection_table(services=["", "a b", ".s.A", "s..A", "s.\x1b[2J"])
    learned = await learn_from(await start_reflection(table))
    assert {reason for _, reason in learned.skipped} == {"the server lists it, but it is no name of a service"}
    assert (len(learned.skipped), table.asked) == (5, ["*"])


async def test_two_different_files_of_one_name_are_told(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    one = make_file("a.proto", "s", message="M", service="A")
    other = make_file("a.proto", "t", message="M", service="B")
    answers = {"t.B": files(other.SerializeToString())}
    table = reflection_table(services=["s.A", "t.B"], files=[one], answers=answers)
    learned = await learn_from(await start_reflection(table))
    assert learned.services == ("s.A",)
    assert learned.warnings == ('the server gave two files named "a.proto"; the first is used',)


async def test_files_without_end_stop_at_the_cap_which_is_named(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    class Endless(dict):  # type: ignore[type-arg]
        def __contains__(self, name: object) -> bool:
            return str(name).endswith(".proto")

        def __getitem__(self, name: str) -> ServerReflectionResponse:
            number = int(name.removesuffix(".proto"))
            return files(make_file(name, "s", imports=[f"{number + 1}.proto"]).SerializeToString())

    first = make_file("0.proto", "s", imports=["1.proto"], message="M", service="A")
    target = await start_reflection(reflection_table(services=["s.A"], files=[first], answers=Endless()))
    message = f"{target}: reflection gives more than 200 files, the limit for one backend"
    assert await refusal_of(target, limit_files=200) == (message, True)


async def test_services_without_number_stop_at_the_cap_which_is_named(
    start_reflection: Start, reflection_table: Any
) -> None:
    target = await start_reflection(reflection_table(services=[f"s.S{number}" for number in range(100_000)]))
    message = f"{target}: reflection gives more than 2000 services, the limit for one backend"
    assert await refusal_of(target) == (message, True)


async def test_bytes_without_number_stop_at_the_cap_which_is_named(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    large = [make_file(f"{name}.proto", "s", message="M" * 15_000, service=name) for name in "AB"]
    target = await start_reflection(reflection_table(services=["s.A", "s.B"], files=large))
    message = f"{target}: reflection gives more than 60000 bytes of files, the limit for one backend"
    assert await refusal_of(target, limit_bytes=60_000) == (message, True)


async def test_an_answer_larger_than_a_call_may_have_is_taken(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    large = make_file("a.proto", "s", message="M", service="A")
    large.source_code_info.location.add(leading_comments="x" * 6 * 1024 * 1024)
    learned = await learn_from(await start_reflection(reflection_table(services=["s.A"], files=[large])))
    assert learned.services == ("s.A",)


async def test_cancelling_a_discovery_cancels_its_stream(start_reflection: Start, reflection_table: Any) -> None:
    asked = asyncio.Event()

    async def hang(context: grpc.aio.ServicerContext) -> Any:
        asked.set()
        await asyncio.Event().wait()

    table = reflection_table(services=["s.A"], answers={"s.A": hang})
    task = asyncio.create_task(learn_from(await start_reflection(table)))
    async with asyncio.timeout(5):
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_nothing_reaches_the_default_pool(
    start_reflection: Start, reflection_table: Any, make_file: MakeFile
) -> None:
    odd = make_file("only/by/reflection.proto", "only.by.reflection", message="M", service="S")
    await learn_from(await start_reflection(reflection_table(services=["only.by.reflection.S"], files=[odd])))
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindFileByName("only/by/reflection.proto")

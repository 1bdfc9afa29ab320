"""What holds for any set of files, however broken."""

import random

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.descriptors.api import describe_api
from gateway.descriptors.linking import link_files

FILES = ("a.proto", "p/b.proto", "v/p/b.proto", "c.proto", "gone.proto")
TYPES = (*(f".p.M{n}" for n in range(6)), ".p.Gone", ".google.protobuf.Timestamp", "M1")


@st.composite
def file_sets(draw) -> list[FileDescriptorProto]:
    """Up to six small files of one package that import, use, double and contradict each other at random."""
    files = []
    for _ in range(draw(st.integers(0, 6))):
        name = draw(st.sampled_from(FILES[:-1]))
        imports = draw(st.lists(st.sampled_from(FILES), max_size=3))
        file = FileDescriptorProto(name=name, package="p", syntax="proto3", dependency=imports)
        if imports and draw(st.booleans()):
            file.public_dependency.append(0)
        for number in draw(st.sets(st.integers(0, 5), max_size=3)):
            message = file.message_type.add(name=f"M{number}")
            for place, kind in enumerate(draw(st.lists(st.sampled_from(TYPES), max_size=2)), 1):
                message.field.add(name=f"f{place}", number=place, label=1, type=11, type_name=kind)
        for number in draw(st.sets(st.integers(0, 3), max_size=2)):
            service = file.service.add(name=f"S{number}")
            for method in draw(st.sets(st.sampled_from("AB"), max_size=2)):
                ends = [draw(st.sampled_from(TYPES)) for _ in range(2)]
                service.method.add(name=method, input_type=ends[0], output_type=ends[1])
        files.append(file)
    return files


def list_served(files: list[FileDescriptorProto]) -> tuple[set[str], set[str]]:
    """The RPCs in the pool, and those that are left out."""
    linked = link_files(files)
    served = {
        f"{service.full_name}/{method.name}"
        for name in linked.files
        for service in linked.pool.FindFileByName(name).services_by_name.values()
        for method in service.methods
    }
    assert all("\n" not in reason and len(reason) <= 400 for reason in linked.left_out.values())
    return served, {name for name in linked.left_out if "/" in name}


@settings(max_examples=60, deadline=None)
@given(files=file_sets())
def test_every_rpc_is_served_or_left_out_with_a_reason(files):
    served, left_out = list_served(files)
    assert not served & left_out
    used = {file.name: file for file in link_files(files).files.values()}
    declared = {
        f"p.{service.name}/{method.name}"
        for file in used.values()
        for service in file.service
        for method in service.method
    }
    assert declared == served


@settings(max_examples=60, deadline=None)
@given(files=file_sets(), seed=st.integers(0, 99))
def test_files_with_names_of_their_own_link_alike_in_any_order(files, seed):
    first = {file.name: file for file in files}
    unique = list(first.values())
    shuffled = unique[:]
    random.Random(seed).shuffle(shuffled)
    assert list_served(unique) == list_served(shuffled)
    assert link_files(unique).problems == link_files(shuffled).problems


@settings(max_examples=60, deadline=None)
@given(files=file_sets(), data=st.data())
def test_damaged_files_never_stop_the_others(files, data):
    damaged = []
    for file in files:
        raw = bytearray(file.SerializeToString())
        for _ in range(data.draw(st.integers(0, 3))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        try:
            damaged.append(FileDescriptorProto.FromString(bytes(raw)))
        except DecodeError:
            continue
    sound = FileDescriptorProto(name="sound.proto", package="sound", syntax="proto3")
    sound.message_type.add(name="M")
    sound.service.add(name="S").method.add(name="Do", input_type=".sound.M", output_type=".sound.M")
    api = describe_api([*damaged, sound])
    assert "sound.S/Do" in {rpc.name for rpc in api.rpcs}
    for rpc in api.rpcs:
        api.options.http_rule(rpc.descriptor)
        api.comments.get_comment(rpc.descriptor.full_name)

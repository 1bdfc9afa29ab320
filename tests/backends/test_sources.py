import os
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from gateway.backends.sources import SourceError, compile_protos, read_descriptor_set

WRITE = "write one with buf build -o FILE.binpb, or protoc --include_imports --include_source_info -o FILE"
ROOT = "give the folder that the imports of the .proto files start from"


def test_a_descriptor_set_is_read_in_its_order(tmp_path: Path) -> None:
    files = [FileDescriptorProto(name="b.proto"), FileDescriptorProto(name="a.proto", dependency=["b.proto"])]
    path = tmp_path / "set.binpb"
    path.write_bytes(FileDescriptorSet(file=files).SerializeToString())
    assert read_descriptor_set(path) == tuple(files)


def test_an_image_of_buf_is_read_as_the_set_that_it_also_is(tmp_path: Path) -> None:
    # buf.alpha.image.v1.ImageFile is a FileDescriptorProto with a message under number 8042.
    file = FileDescriptorProto(name="a.proto", package="shop")
    content = file.SerializeToString() + bytes.fromhex("d2f70304") + b"\x08\x00\x18\x00"
    path = tmp_path / "image.binpb"
    path.write_bytes(b"\x0a" + bytes([len(content)]) + content)
    (read,) = read_descriptor_set(path)
    assert (read.name, read.package) == ("a.proto", "shop")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", f"is empty; {WRITE}"),
        (b"\x1f\x8b\x08\x00", "is compressed with gzip; decompress it first"),
        (b' {"file": []}', f"is JSON; a descriptor set is binary: {WRITE}"),
        (b'// Orders.\nsyntax = "proto3";', f"is .proto source; give its folder to --protos, or {WRITE}"),
        (b"syntax='proto3';", f"is .proto source; give its folder to --protos, or {WRITE}"),
        (b"\x00\x01\x02 no such thing", f"is no FileDescriptorSet; {WRITE}"),
        (FileDescriptorProto(name="a.proto", package="b").SerializeToString(), f"is no FileDescriptorSet; {WRITE}"),
        (FileDescriptorSet(file=[FileDescriptorProto()]).SerializeToString(), f"is no FileDescriptorSet; {WRITE}"),
    ],
)
def test_what_is_no_descriptor_set_is_refused_with_what_would_be_right(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_descriptor_set(path)
    assert str(caught.value) == f"{path} {problem}"


def test_a_descriptor_set_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_descriptor_set(tmp_path / "no.binpb")
    assert str(caught.value) == f"{tmp_path / 'no.binpb'} cannot be read: No such file or directory; {WRITE}"
    with pytest.raises(SourceError) as caught:
        read_descriptor_set(tmp_path)
    assert str(caught.value) == f"{tmp_path} is a folder; a folder of .proto files goes to --protos"


ORDERS = """\
syntax = "proto3";
package shop.v1;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
import "shop/v1/items.proto";
// Sells things.
service Orders {
  rpc Get(Item) returns (Item) { option (google.api.http) = {get: "/items"}; }
}
message Order { google.protobuf.Timestamp at = 1; repeated Item items = 2; }
"""
ITEMS = 'syntax = "proto3";\npackage shop.v1;\nmessage Item { string sku = 1; }\n'


@pytest.fixture
def protos(tmp_path: Path) -> Path:
    folder = tmp_path / "my protos: 1"
    (folder / "shop/v1").mkdir(parents=True)
    (folder / "shop/v1/orders.proto").write_text(ORDERS)
    (folder / "shop/v1/items.proto").write_text(ITEMS)
    return folder


def test_a_folder_is_compiled_with_its_comments_and_what_it_imports(
    protos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(protos.rglob("*"))
    files = {file.name: file for file in compile_protos(protos)}
    assert files.keys() == {
        "google/api/annotations.proto",
        "google/api/http.proto",
        "google/protobuf/descriptor.proto",
        "google/protobuf/timestamp.proto",
        "shop/v1/items.proto",
        "shop/v1/orders.proto",
    }
    comments = [location.leading_comments for location in files["shop/v1/orders.proto"].source_code_info.location]
    assert " Sells things.\n" in comments
    assert sorted(protos.rglob("*")) == before
    assert capfd.readouterr() == ("", "")


def test_a_folder_named_like_a_python_package_does_not_get_in_the_way(protos: Path) -> None:
    for name in ("google", "grpc_tools"):
        (protos / name).mkdir()
        (protos / name / "__init__.py").write_text("raise SystemExit(3)")
    assert "shop/v1/orders.proto" in {file.name for file in compile_protos(protos)}


def test_the_language_of_validation_rules_need_not_be_in_the_folder(protos: Path) -> None:
    text = """syntax = "proto3"; import "buf/validate/validate.proto";
        message M { string v = 1 [(buf.validate.field).string.min_len = 2]; }"""
    (protos / "ruled.proto").write_text(text)
    files = {file.name: file for file in compile_protos(protos)}
    assert files.keys() >= {"shop/v1/orders.proto", "ruled.proto", "buf/validate/validate.proto"}
    assert files["ruled.proto"].message_type[0].field[0].options.SerializeToString() == b"\xba\x48\x04\x72\x02\x10\x02"


def test_a_folder_may_have_a_language_of_validation_rules_of_its_own(protos: Path) -> None:
    (protos / "buf/validate").mkdir(parents=True)
    (protos / "buf/validate/validate.proto").write_text('syntax = "proto3"; package buf.validate; message Own {}')
    (protos / "ruled.proto").write_text(
        'syntax = "proto3"; import "buf/validate/validate.proto"; message M { buf.validate.Own v = 1; }'
    )
    files = {file.name: file for file in compile_protos(protos)}
    assert [message.name for message in files["buf/validate/validate.proto"].message_type] == ["Own"]


def test_hidden_folders_are_left_alone(protos: Path) -> None:
    (protos / ".git").mkdir()
    (protos / ".git/broken.proto").write_text("no")
    assert "shop/v1/orders.proto" in {file.name for file in compile_protos(protos)}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('syntax = "proto3";\n\nmessage A { Nope a = 1; }', 'bad.proto:3: "Nope" is not defined'),
        (
            'syntax = "proto3";\nimport "no/such.proto";',
            (
                'bad.proto:2: Import "no/such.proto" was not found or had errors; imports start from this folder, '
                "so give the one that they start from, or put the file there"
            ),
        ),
        ("nonsense", 'bad.proto:1: Expected top-level statement (e.g. "message")'),
        (
            'syntax = "proto3";\nimport "google/protobuf/any.proto";\nmessage A { B b = 1; C c = 2; }',
            'bad.proto:3: "B" is not defined (and 1 more)',
        ),
    ],
)
def test_a_fault_in_a_proto_is_one_line_with_file_and_line(protos: Path, source: str, problem: str) -> None:
    (protos / "bad.proto").write_text(source)
    with pytest.raises(SourceError) as caught:
        compile_protos(protos)
    assert str(caught.value) == f"{protos}: {problem}"


def test_a_folder_that_is_none_is_refused_with_what_would_be_right(tmp_path: Path) -> None:
    file = tmp_path / "set.binpb"
    file.write_bytes(b"x")
    os.mkdir(tmp_path / "empty")
    for path, problem in (
        (file, "is a file; a descriptor set goes to --descriptors"),
        (tmp_path / "gone", f"is not there; {ROOT}"),
        (tmp_path / "empty", f"holds no .proto file; {ROOT}"),
    ):
        with pytest.raises(SourceError) as caught:
            compile_protos(path)
        assert str(caught.value) == f"{path} {problem}"


def test_a_folder_that_cannot_be_worked_on_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.proto").write_text('syntax = "proto3";')
    long = tmp_path / ("x" * 300)
    with pytest.raises(SourceError) as refused:
        compile_protos(long)
    assert str(refused.value) == f"{long} cannot be compiled: File name too long"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError) as refused:
        compile_protos(tmp_path)
    assert str(refused.value) == f"{tmp_path} cannot be compiled: No such file or directory"

"""What a file declares and needs."""

from gateway.descriptors.files.symbols import ExtensionSlot, read_declarations

TEXT = """syntax = "proto2"; package s;
import "google/protobuf/timestamp.proto"; import "google/protobuf/descriptor.proto";
message A {
  optional google.protobuf.Timestamp at = 1; repeated A again = 2; map<string, B> many = 3; optional K k = 4;
  message B { optional A a = 1; enum Deep { D = 0; } }
  extend google.protobuf.FieldOptions { optional B note = 50001; }
  extensions 100 to 200;
}
enum K { Z = 0; }
extend A { optional string more = 100; }
service S { rpc Do(A) returns (stream A.B); }
"""


def test_a_file_is_read_part_by_part(compile_protos):
    file = compile_protos({"s.proto": TEXT})[-1]
    declarations = read_declarations(file)
    assert {item.file for item in declarations} == {"s.proto"}
    read = {item.name: (sorted(item.types), dict(item.needs), item.slots) for item in declarations}
    assert read == {
        "s.A": (
            ["s.A", "s.A.B", "s.A.B.Deep", "s.A.ManyEntry"],
            {
                "s.A": (".google.protobuf.Timestamp", ".s.A", ".s.A.ManyEntry", ".s.K"),
                "s.A.B": (".s.A",),
                "s.A.ManyEntry": (".s.A.B",),
                "s.A.note": (".google.protobuf.FieldOptions", ".s.A.B"),
            },
            (ExtensionSlot(node="s.A.note", extendee=".google.protobuf.FieldOptions", number=50001),),
        ),
        "s.K": (["s.K"], {}, ()),
        "s.S": ([], {"s.S/Do": (".s.A", ".s.A.B")}, ()),
        "s.more": ([], {"s.more": (".s.A",)}, (ExtensionSlot(node="s.more", extendee=".s.A", number=100),)),
    }

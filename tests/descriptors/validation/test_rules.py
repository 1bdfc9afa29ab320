"""What the rules of a backend say, and which of its types have any."""

import subprocess
import sys
from pathlib import Path

from gateway.descriptors.api import describe_api
from tests.laws.compiled import compile_api, compile_files
from tests.laws.ruled_messages import make_ruled_api

ROOT = Path(__file__).parents[3]

NESTED = """
syntax = "proto3"; package t; import "buf/validate/validate.proto";
message Plain { string a = 1; Deep deep = 2; }
message Deep { repeated Deep more = 1; map<string, Ruled> ruled = 2;
  Skipped skipped = 3 [(buf.validate.field).ignore = IGNORE_ALWAYS]; }
message Ruled { string a = 1 [(buf.validate.field).string.min_len = 1]; }
message Skipped { Other other = 1; }
message Other { string a = 1 [(buf.validate.field).string.min_len = 1]; }
message Whole { option (buf.validate.message).cel = { id: "x" expression: "true" }; }
message Choice { oneof k { option (buf.validate.oneof).required = true; string a = 1; } }
message Optional { oneof k { option (buf.validate.oneof).required = false; string a = 1; } }
message Free { string a = 1; Free free = 2; }
"""


def find_type(api, name):
    return api.pool.FindMessageTypeByName(f"t.{name}")


def test_the_types_with_rules_are_found_however_deep_unless_they_are_ignored():
    api = compile_api(t=NESTED)
    named = {
        name: [message.name for message in api.rules.list_ruled_types(find_type(api, name))]
        for name in ("Plain", "Skipped", "Whole", "Choice", "Optional", "Free")
    }
    assert named == {
        # Deep itself has one: that something in it is ignored.
        "Plain": ["Deep", "Ruled"],
        "Skipped": ["Other"],
        "Whole": ["Whole"],
        "Choice": ["Choice"],
        "Optional": [],
        "Free": [],
    }


def test_rules_are_read_from_fields_messages_and_oneofs():
    api = compile_api(t=NESTED)
    assert api.rules.find_field_rules(find_type(api, "Ruled").fields_by_name["a"]).string.min_len == 1
    assert api.rules.find_field_rules(find_type(api, "Plain").fields_by_name["a"]) is None
    assert [rule.id for rule in api.rules.find_message_rules(find_type(api, "Whole")).cel] == ["x"]
    assert api.rules.find_message_rules(find_type(api, "Plain")) is None
    oneofs = [find_type(api, name).oneofs_by_name["k"] for name in ("Choice", "Optional")]
    assert [api.rules.is_oneof_required(oneof) for oneof in oneofs] == [True, False]


def test_rules_are_found_although_nobody_describes_their_language():
    files = [file for file in compile_files(t=NESTED) if file.name == "t.proto"]
    del files[0].dependency[:]
    api = describe_api(files)
    assert list(api.files) == ["t.proto"]
    assert [message.name for message in api.rules.list_ruled_types(find_type(api, "Plain"))] == ["Deep", "Ruled"]


def test_a_backend_without_rules_has_none_and_never_loads_their_engine():
    script = """
import sys
from tests.laws.compiled import compile_api
from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.transcoding.codec import Codec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
api = compile_api(t='syntax = "proto3"; package t; message M { string a = 1; } service S { rpc Do(M) returns (M); }')
SchemaBuilder(api).input_schema(api.rpcs[0])
transcoder = RpcTranscoder(Codec(api), api.rpcs[0])
assert transcoder.encode_arguments({"a": "x"}) == b"\\n\\x01x"
assert not api.rules.exist
assert "protovalidate" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0


def test_another_extension_of_that_number_is_no_rule():
    api = compile_api(
        t="""
        syntax = "proto3"; package t; import "google/protobuf/descriptor.proto";
        extend google.protobuf.FieldOptions { M mine = 1159; }
        message M { string a = 1 [(mine).a = "x"]; }
        """
    )
    assert api.rules.list_ruled_types(find_type(api, "M")) == ()


def test_predefined_rules_are_told_by_their_message_or_id_and_value():
    api = make_ruled_api("string v = 1 [R.string.(t.shouts) = true]; int32 w = 2 [R.int32.(t.multiple) = 3]")
    v, w = (api.rules.find_field_rules(field) for field in find_type(api, "M").fields)
    assert api.rules.list_predefined(v.string) == ("must be in capitals",)
    assert api.rules.list_predefined(w.int32) == ("multiple (3)",)


def test_predefined_rules_that_nobody_describes_are_left_out():
    whole = make_ruled_api("string v = 1 [R.string.(t.shouts) = true]")
    api = describe_api([whole.files["t.proto"]])
    rules = api.rules.find_field_rules(find_type(api, "M").fields_by_name["v"])
    assert api.rules.list_predefined(rules.string) == ()

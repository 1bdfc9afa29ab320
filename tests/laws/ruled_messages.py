"""Request types with validation rules of every kind: what laws about rules are tried on."""

from google.protobuf.descriptor_pb2 import DescriptorProto

from gateway.descriptors.api import Api, describe_api
from gateway.descriptors.files.option_bytes import drop_field
from tests.laws.compiled import compile_api, compile_files
from tests.laws.kitchen_sinks import WELL_KNOWN_IMPORTS

# Bodies of the message M; R is (buf.validate.field). In needs a text of at least two characters.
BODIES = (
    "string v = 1 [R.required = true]",
    "optional string v = 1 [R.required = true]",
    "string v = 1 [R.string.const = 'abc']",
    "string v = 1 [R.string.len = 3]",
    "string v = 1 [R.string = {min_len: 2, max_len: 4}]",
    "string v = 1 [R.string.len_bytes = 4]",
    "string v = 1 [R.string = {min_bytes: 3, max_bytes: 5}]",
    "string v = 1 [R.string.pattern = '^[a-c]+$']",
    "string v = 1 [R.string.pattern = 'b{2}']",
    "string v = 1 [R.string.pattern = '^(?i)abc$']",
    r"string v = 1 [R.string.pattern = '^\\d+\\.\\w*$']",
    "string v = 1 [R.string.prefix = 'a.']",
    "string v = 1 [R.string.suffix = '(b)']",
    "string v = 1 [R.string.contains = 'a|b']",
    "string v = 1 [R.string = {prefix: 'ab', suffix: 'bc', contains: 'c'}]",
    "string v = 1 [R.string.not_contains = 'x']",
    "string v = 1 [R.string = {in: ['abc', 'b', '']}]",
    "string v = 1 [R.string = {in: ['abc', 'b'], max_len: 2}]",
    "string v = 1 [R.string = {not_in: ['abc', '']}]",
    "string v = 1 [R.string.email = true]",
    "string v = 1 [R.string.hostname = true]",
    "string v = 1 [R.string.ip = true]",
    "string v = 1 [R.string.ipv4 = true]",
    "string v = 1 [R.string.ipv6 = true]",
    "string v = 1 [R.string.uri = true]",
    "string v = 1 [R.string.uri_ref = true]",
    "string v = 1 [R.string.address = true]",
    "string v = 1 [R.string.uuid = true]",
    "string v = 1 [R.string.tuuid = true]",
    "string v = 1 [R.string.ip_with_prefixlen = true]",
    "string v = 1 [R.string.ipv4_prefix = true]",
    "string v = 1 [R.string.host_and_port = true]",
    "string v = 1 [R.string.ulid = true]",
    "string v = 1 [R.string.well_known_regex = KNOWN_REGEX_HTTP_HEADER_NAME]",
    "string v = 1 [R = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3, max_len: 5, email: true}}]",
    "optional string v = 1 [R = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3}}]",
    "string v = 1 [R = {ignore: IGNORE_ALWAYS, string: {min_len: 3}}]",
    "optional string v = 1 [R.string.min_len = 2]",
    "string v = 1 [R.cel = {id: 'even', message: 'must be even', expression: 'size(this) % 2 == 0'}]",
    "string v = 1 [R.cel = {id: 'long', expression: 'size(this) > 2'}]",
    "string v = 1 [R.cel_expression = 'size(this) > 2']",
    "string v = 1 [R.string.(t.shouts) = true]",
    "google.protobuf.StringValue v = 1 [R.string.min_len = 2]",
    *(
        f"{kind} v = 1 [R.{kind} = {{{rule}}}]"
        for kind in ("int32", "uint32", "sfixed32", "int64", "fixed64", "double", "float")
        for rule in (
            "gt: 3",
            "gte: 3, lt: 9",
            "lt: 3, gt: 5",
            "lte: 3, gte: 5",
            "const: 7",
            "in: [3, 4]",
            "not_in: [0, 7]",
        )
    ),
    "double v = 1 [R.double.finite = true]",
    "float v = 1 [R.float = {gte: 0.1, lte: 0.3}]",
    "double v = 1 [R.double = {gt: 0.1, lt: 0.3}]",
    "int32 v = 1 [R.int32.(t.multiple) = 3]",
    "int32 v = 1 [R.required = true]",
    "uint32 v = 1 [R.required = true]",
    "optional int32 v = 1 [R.int32.gt = 3]",
    "google.protobuf.Int64Value v = 1 [R.int64.gt = 3]",
    "bool v = 1 [R.bool.const = true]",
    "bool v = 1 [R.bool.const = false]",
    "bool v = 1 [R.required = true]",
    "bytes v = 1 [R.bytes.len = 4]",
    "bytes v = 1 [R.bytes = {min_len: 2, max_len: 4}]",
    "bytes v = 1 [R.bytes = {const: 'abc'}]",
    "bytes v = 1 [R.bytes = {in: ['abc', 'b']}]",
    "bytes v = 1 [R.bytes = {prefix: 'a', suffix: 'c', contains: 'b'}]",
    "bytes v = 1 [R.bytes.ip = true]",
    "bytes v = 1 [R.required = true]",
    "Color v = 1 [R.enum.defined_only = true]",
    "Color v = 1 [R.enum.const = 1]",
    "Color v = 1 [R.enum = {in: [0, 2]}]",
    "Color v = 1 [R.enum = {not_in: [0]}]",
    "Color v = 1 [R.required = true]",
    "optional Color v = 1 [R.enum = {not_in: [0, 1]}]",
    "Color v = 1 [R = {ignore: IGNORE_IF_ZERO_VALUE, enum: {in: [2]}}]",
    "repeated string v = 1 [R.required = true]",
    "repeated string v = 1 [R.repeated = {min_items: 2, max_items: 3}]",
    "repeated string v = 1 [R = {ignore: IGNORE_IF_ZERO_VALUE, repeated: {min_items: 2, max_items: 3}}]",
    "repeated string v = 1 [R.repeated = {unique: true, items: {string: {min_len: 1, max_len: 3}}}]",
    "repeated string v = 1 [R.repeated.items = {ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 3}}]",
    "repeated int32 v = 1 [R.repeated.items.int32 = {gt: 3}]",
    "repeated Color v = 1 [R.repeated.items.enum = {not_in: [0]}]",
    "repeated string v = 1 [R.cel = {id: 'some', message: 'must be some', expression: 'size(this) > 1'}]",
    "repeated In v = 1 [R.repeated.items.ignore = IGNORE_ALWAYS]",
    "repeated In v = 1",
    "map<string, string> v = 1 [R.map = {min_pairs: 1, max_pairs: 2}]",
    "map<string, string> v = 1 [R.map = {keys: {string: {min_len: 2}}, values: {string: {max_len: 2}}}]",
    "map<int32, int32> v = 1 [R.map = {keys: {int32: {in: [3, 4]}}, values: {int32: {gte: 3}}}]",
    "map<int32, In> v = 1 [R.map = {keys: {int32: {gt: 3}}, values: {ignore: IGNORE_ALWAYS}}]",
    "map<bool, Color> v = 1 [R.map = {keys: {bool: {const: true}}, values: {enum: {in: [1]}}}]",
    "In v = 1",
    "In v = 1 [R.required = true]",
    "In v = 1 [R.ignore = IGNORE_ALWAYS]",
    "google.protobuf.Any v = 1 [R.any = {in: ['type.googleapis.com/t.In']}]",
    "google.protobuf.Any v = 1 [R.any = {not_in: ['type.googleapis.com/t.In']}]",
    "google.protobuf.Timestamp v = 1 [R.timestamp = {lt_now: true, gt: {seconds: 1000000000}}]",
    "google.protobuf.Timestamp v = 1 [R.timestamp.within = {seconds: 3600}]",
    "google.protobuf.Duration v = 1 [R.duration = {gte: {seconds: 3}, lt: {seconds: 9}}]",
    "google.protobuf.Duration v = 1 [R.duration = {in: [{seconds: 3}]}]",
    "google.protobuf.FieldMask v = 1 [R.field_mask = {in: ['one_two']}]",
    "oneof k { option (buf.validate.oneof).required = true; string v = 1; string w = 2; }",
    "oneof k { string v = 1 [R.string.min_len = 2]; string w = 2 [R.required = true]; }",
    "string v = 1 [R.string.email = true]; string w = 2; option (buf.validate.message).oneof = {fields: ['v', 'w']}",
    "string v = 1; option (buf.validate.message).oneof = {fields: ['v'], required: true}",
    "string v = 1; option (buf.validate.message).cel = {id: 'm', message: 'must hold', expression: 'size(this.v) > 2'}",
    "M v = 1 [R.required = true]; string w = 2 [R.string.min_len = 1]",
    "Back v = 1 [R.required = true]; string w = 2",
)


_HEAD = f"""
syntax = "proto3"; package t; {WELL_KNOWN_IMPORTS} import "buf/validate/validate.proto"; import "own.proto";
enum Color {{ RED = 0; GREEN = 1; BLUE = 2; }}
message In {{ string text = 1 [(buf.validate.field).string.min_len = 2]; }}
message Back {{ M back = 1; }}
service S {{ rpc Do(M) returns (M); }}
"""
_OWN = """
syntax = "proto2"; package t; import "buf/validate/validate.proto";
extend buf.validate.StringRules { optional bool shouts = 1001 [(buf.validate.predefined).cel = {
  id: "shouts" message: "must be in capitals" expression: "!rule || this == this.upperAscii()" }]; }
extend buf.validate.Int32Rules { optional int32 multiple = 1001 [(buf.validate.predefined).cel = {
  id: "multiple" expression: "this % rule == 0 ? '' : 'must be a multiple'" }]; }
"""
_OPTION = 1159


def make_ruled_api(body: str) -> Api:
    """The Api of one RPC whose request and reply is the message M of this body."""
    return compile_api(**_write(body))


def make_plain_api(body: str) -> Api:
    """The same without a rule."""
    files = []
    for file in compile_files(**_write(body)):
        plain = type(file).FromString(file.SerializeToString())
        pending: list[DescriptorProto] = list(plain.message_type) if file.name == "t.proto" else []
        while pending:
            message = pending.pop()
            pending.extend(message.nested_type)
            for part in (message, *message.field, *message.oneof_decl):
                part.options.ParseFromString(drop_field(part.options.SerializeToString(), _OPTION))
        files.append(plain)
    return describe_api(files)


def _write(body: str) -> dict[str, str]:
    rules = body.replace("[R", "[(buf.validate.field)")
    return {"own": _OWN, "t": f"{_HEAD} message M {{ {rules}; }}"}

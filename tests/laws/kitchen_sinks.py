"""Protos that use every construct there is, in each syntax: what laws about any message are tried on."""

from gateway.descriptors.api import Api
from tests.laws.compiled import compile_api

INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint", "sint", "fixed", "sfixed") for bits in (32, 64))
KEYS = (*INTEGERS, "bool", "string")
SCALARS = (*KEYS, "double", "float", "bytes")
WRAPPERS = tuple(
    f"{kind}Value" for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)
WELL_KNOWN = ("Any", "Duration", "Empty", "FieldMask", "ListValue", "Struct", "Timestamp", "Value", *WRAPPERS)
WELL_KNOWN_FILES = ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")
WELL_KNOWN_IMPORTS = " ".join(f'import "google/protobuf/{name}.proto";' for name in WELL_KNOWN_FILES)


def _number(templates: list[str]) -> str:
    return "\n".join(template.replace("#", str(number)) for number, template in enumerate(templates, 1))


_EVERY_SCALAR = _number(
    [f"{kind} a_{kind} = #;" for kind in SCALARS]
    + [f"optional {kind} o_{kind} = #;" for kind in SCALARS]
    + [f"repeated {kind} r_{kind} = #;" for kind in SCALARS]
    + [f"map<string, {kind}> m_{kind} = #;" for kind in SCALARS]
    + [f"map<{kind}, string> k_{kind} = #;" for kind in KEYS]
)
_EVERY_WELL_KNOWN = _number(
    [f"google.protobuf.{kind} a_{kind.lower()} = #;" for kind in WELL_KNOWN]
    + [f"repeated google.protobuf.{kind} r_{kind.lower()} = #;" for kind in WELL_KNOWN]
    + [f"map<string, google.protobuf.{kind}> m_{kind.lower()} = #;" for kind in WELL_KNOWN]
    + [
        "google.protobuf.NullValue n = #;",
        "optional google.protobuf.NullValue o_n = #;",
        "repeated google.protobuf.NullValue r_n = #;",
        "map<int64, google.protobuf.NullValue> m_n = #;",
    ]
)

MODERN = f"""
syntax = "proto3"; package modern; {WELL_KNOWN_IMPORTS}
import "google/api/field_behavior.proto"; import "google/api/field_info.proto";
import "google/type/money.proto"; import "google/rpc/status.proto"; import "google/api/httpbody.proto";

enum Color {{ COLOR_UNSPECIFIED = 0; RED = 1; GREEN = 2; OLD = 3 [deprecated = true]; LOW = -5; }}
enum Alias {{ option allow_alias = true; ZERO = 0; NIL = 0; ONE = 1; UNO = 1; }}

message Scalars {{ {_EVERY_SCALAR} }}
message WellKnown {{ {_EVERY_WELL_KNOWN} }}

message Tree {{ string v = 1; repeated Tree kids = 2; map<bool, Tree> named = 3; Tree left = 4; Bush bush = 5; }}
message Bush {{ oneof what {{ Tree tree = 1; Bush bush = 2; string leaf = 3; }} repeated Bush more = 4; }}
message None {{}}

message Names {{
  string filter = 1 [json_name = "$filter"];
  string size = 2 [json_name = "größe"];
  string DESCRIPTOR = 3; string ListFields = 4; string SerializeToString = 5; string from = 6; string None = 7;
  string self = 8; string snake_case_name = 9; string camelCase = 10; int32 other = 11 [json_name = "a.b-c"];
  string a_name_that_is_much_longer_than_the_sixty_four_characters_that_are_taken = 12;
}}

message Choices {{
  oneof pick {{
    string a = 1; int32 b = 2; None c = 3; Color d = 4; google.protobuf.Value e = 5; google.protobuf.NullValue f = 6;
    google.protobuf.StringValue g = 7; bytes h = 8; double i = 9;
  }}
  oneof second {{ int64 x = 10; bool y = 11; }}
  optional Color o = 12; Color p = 13; repeated Color q = 14; map<string, Color> r = 15; Alias alias = 16;
}}

message Annotated {{
  string name = 1 [(google.api.field_behavior) = IDENTIFIER];
  string must = 2 [(google.api.field_behavior) = REQUIRED];
  string out = 3 [(google.api.field_behavior) = OUTPUT_ONLY];
  string in = 4 [(google.api.field_behavior) = INPUT_ONLY];
  string old = 5 [deprecated = true]; repeated Tree olds = 6 [deprecated = true];
  string id = 7 [(google.api.field_info).format = UUID4];
  google.type.Money price = 8; google.rpc.Status status = 9; google.api.HttpBody body = 10;
  int32 page_size = 11; string page_token = 12;
}}

message Everything {{
  Scalars scalars = 1; WellKnown well_known = 2; Tree tree = 3; Names names = 4; Choices choices = 5;
  Annotated annotated = 6; None none = 7; repeated Choices many = 8; map<uint32, Names> named = 9;
}}

service Kitchen {{
  rpc DoScalars(Scalars) returns (Scalars); rpc DoWellKnown(WellKnown) returns (WellKnown);
  rpc DoTree(Tree) returns (Tree); rpc DoNames(Names) returns (Names); rpc DoChoices(Choices) returns (Choices);
  rpc DoAnnotated(Annotated) returns (Annotated); rpc DoEverything(Everything) returns (Everything);
}}
"""

LEGACY = f"""
syntax = "proto2"; package legacy; {WELL_KNOWN_IMPORTS}

enum Closed {{ A = 1; B = 2; MINUS = -1; }}
enum Zeroed {{ Z = 0; Y = 1; }}
message Needs {{ required string id = 1; required Inner inner = 2; optional Needs again = 3; }}
message Inner {{ required Closed kind = 1; optional int32 n = 2 [default = 7]; }}
message Impossible {{ optional Loop loop = 1; optional int32 n = 2; }}
message Loop {{ required Loop loop = 1; }}

message Clash {{ optional string foo_bar = 1; optional int32 fooBar = 2; }}

message Old {{
  optional Clash clash = 1;
  repeated group Item = 3 {{ optional string sku = 1; optional bytes raw = 2; }}
  optional group Single = 4 {{ optional double d = 1; }}
  optional Closed closed = 5; repeated Closed list = 6; map<int32, Zeroed> by_key = 7;
  optional Needs needs = 8;
  oneof pick {{ string s = 9; Inner inner = 10; group Grouped = 11 {{ optional int32 i = 1; }} }}
  repeated Needs many = 12; optional google.protobuf.Timestamp when = 13; optional Impossible impossible = 14;
  repeated int32 packed = 15 [packed = true];
  extensions 100 to 199;
}}
extend Old {{
  optional string text = 100; repeated int64 numbers = 101; optional Inner more = 102; repeated Inner mores = 103;
  optional Closed which = 104;
}}
service Kitchen {{ rpc DoOld(Old) returns (Old); rpc DoNeeds(Needs) returns (Needs); }}
"""

EDITION = f"""
edition = "2023"; package edition; {WELL_KNOWN_IMPORTS}

enum Shut {{ option features.enum_type = CLOSED; S = 3; T = 4; }}
enum Zero {{ option features.enum_type = CLOSED; NULL = 0; FIVE = 5; }}
enum Open {{ ZERO = 0; ONE = 1; }}
message Part {{
  string s = 1 [features.field_presence = IMPLICIT];
  Part part = 2 [features.message_encoding = DELIMITED];
}}
message Thing {{
  string id = 1 [features.field_presence = LEGACY_REQUIRED];
  string implicit = 2 [features.field_presence = IMPLICIT]; string explicit = 3;
  double d = 4 [features.field_presence = IMPLICIT]; float f = 5;
  Shut shut = 6; Open open = 7; Open implied = 8 [features.field_presence = IMPLICIT];
  repeated int32 expanded = 9 [features.repeated_field_encoding = EXPANDED];
  Part part = 10; repeated Part parts = 11 [features.message_encoding = DELIMITED]; map<string, Zero> shuts = 12;
  oneof pick {{ Part p = 13 [features.message_encoding = DELIMITED]; Open o = 14; }}
  google.protobuf.Any any = 15; google.protobuf.Struct free = 16;
}}
service Kitchen {{ rpc DoThing(Thing) returns (Thing); }}
"""


def make_kitchen_sinks() -> Api:
    """The Api with the three files: services modern.Kitchen, legacy.Kitchen and edition.Kitchen."""
    return compile_api(modern=MODERN, legacy=LEGACY, edition=EDITION)

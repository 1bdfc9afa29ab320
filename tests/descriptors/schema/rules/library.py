"""A small library with annotated books, for the tests of rules."""

from tests.laws.compiled import compile_body

BEHAVIOR = "google/api/field_behavior.proto"
RESOURCE = "google/api/resource.proto"
INFO = "google/api/field_info.proto"
MASK = "google/protobuf/field_mask.proto"
LRO = "google/longrunning/operations_proto.proto"
EMPTY = "google/protobuf/empty.proto"

INT32_IN = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}

SHELF = """
message Book {
  option (google.api.resource) = {type: "lib.example.com/Book", pattern: "shelves/{shelf}/books/{book}"};
  string name = 1 [(google.api.field_behavior) = IDENTIFIER];
  string title = 2 [(google.api.field_behavior) = REQUIRED];
  string isbn = 3 [(google.api.field_behavior) = IMMUTABLE];
  string etag = 4 [(google.api.field_behavior) = OUTPUT_ONLY];
  string page_count = 5;
  string old = 6 [deprecated = true];
}
"""
NAME_NOTE = {"description": "resource name, e.g. `shelves/{shelf}/books/{book}`"}
TITLE = {"title": {"type": "string"}}
ISBN = {"isbn": {"type": "string", "description": "cannot change after creation"}}
PAGES = {"pageCount": {"type": "string"}}


def make_library(rpcs, messages=""):
    return compile_body(f"{SHELF} {messages} service S {{ {rpcs} }}", imports=(BEHAVIOR, RESOURCE, MASK, LRO))

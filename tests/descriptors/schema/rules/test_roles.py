import pytest

from tests.descriptors.schema.rules.library import ISBN, NAME_NOTE, PAGES, TITLE, make_library


def test_a_create_gives_no_name_to_its_resource(schemas_of):
    given, _ = schemas_of(make_library("rpc CreateBook(Create) returns (Book);", "message Create { Book book = 1; }"))
    assert given["properties"]["book"] == {
        "type": "object",
        "properties": TITLE | ISBN | PAGES,
        "required": ["title"],
        "additionalProperties": False,
    }


def test_an_update_names_its_resource_and_lists_what_its_mask_can_name(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc UpdateBook(Update) returns (Book);",
            "message Update { Book book = 1; google.protobuf.FieldMask update_mask = 2; }",
        )
    )
    assert given["properties"] == {
        "book": {
            "type": "object",
            "properties": {"name": {"type": "string"} | NAME_NOTE} | TITLE | ISBN | PAGES,
            "required": ["name"],
            "additionalProperties": False,
        },
        "updateMask": {"type": "string", "description": "comma-separated camelCase paths; of title, pageCount"},
    }


@pytest.mark.parametrize("mask", ["", "google.protobuf.FieldMask read_mask = 2;"])
def test_an_update_without_a_mask_replaces_its_resource_whole(schemas_of, mask):
    given, _ = schemas_of(
        make_library("rpc UpdateBook(Update) returns (Book);", f"message Update {{ Book book = 1; {mask} }}")
    )
    assert given["properties"]["book"]["required"] == ["name", "title"]


def test_a_mask_can_name_the_fields_of_messages_but_not_those_of_items(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc UpdateShelf(Update) returns (Shelf);",
            """message Update { Shelf shelf = 1 [(google.api.field_behavior) = REQUIRED];
                                google.protobuf.FieldMask update_mask = 2; }
            message Shelf { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; Place place = 2;
                            repeated Place places = 3; map<string, Place> by_name = 4; }
            message Place { string room = 1 [(google.api.field_behavior) = REQUIRED];
                            Spot spot = 2 [(google.api.field_behavior) = REQUIRED]; }
            message Spot { int32 x = 1 [(google.api.field_behavior) = REQUIRED]; }""",
        )
    )
    shelf = given["properties"]["shelf"]
    found = shelf["properties"]
    assert given["required"] == ["shelf"]
    assert shelf["required"] == ["name"]
    assert "required" not in found["place"]
    assert "required" not in found["place"]["properties"]["spot"]
    assert found["places"]["items"]["required"] == ["room", "spot"]
    assert found["places"]["items"]["properties"]["spot"]["required"] == ["x"]
    assert found["byName"]["additionalProperties"]["required"] == ["room", "spot"]


@pytest.mark.parametrize(
    ("rpc", "required"), [("GetBook", ["name"]), ("DeleteBook", ["name"]), ("ArchiveBook", None), ("CreateBook", None)]
)
def test_an_identifier_in_the_request_itself_is_required_where_it_says_which_one(schemas_of, rpc, required):
    given, _ = schemas_of(
        make_library(
            f"rpc {rpc}(Request) returns (Book);",
            "message Request { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; }",
        )
    )
    assert given.get("required") == required


def test_only_the_resource_itself_has_that_role(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc CreateShelf(Create) returns (Shelf);",
            """message Create { Shelf shelf = 1; }
            message Shelf { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; Book first = 2; }""",
        )
    )
    shelf = given["properties"]["shelf"]["properties"]
    assert list(shelf) == ["first"]
    assert "name" in shelf["first"]["properties"]


def test_a_resource_without_an_option_is_what_the_rpc_is_named_after(schemas_of):
    given, _ = schemas_of(
        make_library(
            "rpc CreateShelf(Create) returns (Created);",
            """message Shelf { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; string theme = 2; }
            message Create { Shelf shelf = 1; Shelf2 other = 2; } message Created { Shelf shelf = 1; }
            message Shelf2 { string name = 1 [(google.api.field_behavior) = IDENTIFIER]; }""",
        )
    )
    found = given["properties"]
    assert {name: list(found[name]["properties"]) for name in found} == {"shelf": ["theme"], "other": ["name"]}

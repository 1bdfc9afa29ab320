import re
from pathlib import Path

from gateway.descriptors.schema.dialect import FORMATS, KEYWORDS, LIMIT_COMMENT, LIMIT_DESCRIPTION, Part, describe

DOCUMENT = Path(__file__).parents[3] / "docs" / "protobuf.md"


def test_the_documented_keywords_and_formats_are_those_that_may_be_used():
    section = DOCUMENT.read_text(encoding="utf-8").split("## Keywords")[1].split("##")[0]
    listed, told = section.split("\n\n")[2:4]
    assert set(re.findall(r"`([^`]+)`", listed)) == KEYWORDS
    assert set(re.findall(r"`([^`]+)`", told.split("`format` is")[1].split(".")[0])) == FORMATS


def test_a_description_is_the_comment_and_then_each_note_once():
    assert [describe("What it is.", ()), describe("", ("a", "b", "a")), describe("What it is.", ("a", "b"))] == [
        "What it is.",
        "a; b",
        "What it is. (a; b)",
    ]
    assert describe("", ()) == ""


def test_a_description_is_one_bounded_line():
    assert describe("first\n\n  second", ("note",)) == "first second (note)"
    assert len(describe("x" * 5000, ())) == LIMIT_COMMENT
    assert len(describe("", ("x" * 5000,))) == LIMIT_DESCRIPTION


def test_the_comment_of_the_place_wins_and_the_notes_add_up():
    part = Part(schema={"type": "string"}, comment="The type.", notes=("of the type",))
    assert part.finish() == {"type": "string", "description": "The type. (of the type)"}
    assert part.finish(comment="The field.", notes=("of the field",), keywords={"format": "uuid"}) == {
        "type": "string",
        "format": "uuid",
        "description": "The field. (of the type; of the field)",
    }

"""The messages in which rules are written."""

import pytest

from gateway.descriptors.files.option_bytes import collect_fields
from gateway.descriptors.validation.vocabulary import OPTION_NUMBER, Vocabulary


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary()


def test_rules_are_read_by_kind(vocabulary):
    # FieldRules.string = 14, StringRules.min_len = 2.
    rules = vocabulary.read("FieldRules", b"\x72\x02\x10\x03")
    assert (rules.WhichOneof("type"), rules.string.min_len) == ("string", 3)
    assert vocabulary.read("OneofRules", b"\x08\x01").required is True


def test_no_payload_and_bytes_that_are_no_rules_are_none(vocabulary):
    assert [vocabulary.read("FieldRules", payload) for payload in (b"", b"\x72", b"\xff")] == [None, None, None]


def test_written_rules_are_read_again(vocabulary):
    rules = vocabulary.read("FieldRules", b"\x72\x02\x10\x03")
    option = collect_fields(vocabulary.write_field_option(rules))
    assert option == {OPTION_NUMBER: [b"\x72\x02\x10\x03"]}

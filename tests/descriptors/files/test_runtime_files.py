"""The libraries' own descriptor files."""

from google.protobuf import descriptor_pool

from gateway.descriptors.files import runtime_files
from gateway.descriptors.files.runtime_files import find_declaring_file, find_runtime_file
from gateway.descriptors.linking import link_files


def test_every_known_file_is_there_and_links_under_its_name():
    files = {name: find_runtime_file(name) for name in sorted(runtime_files._KNOWN_FILES)}
    # The two JSON option files came with protobuf 7.36; before that there is nothing to fill in.
    absent = [name for name, file in files.items() if file is None]
    assert set(absent) <= {"google/protobuf/json_enumvalue_options.proto", "google/protobuf/json_options.proto"}
    linked = link_files(file for file in files.values() if file is not None)
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    assert set(files) - set(absent) <= set(linked.files)


def test_types_are_found_by_name():
    assert {
        name: find_declaring_file(name)
        for name in ("google.rpc.Status", "google.protobuf.Value", "google.type.Money", "google.nothing.X", "a.B")
    } == {
        "google.rpc.Status": "google/rpc/status.proto",
        "google.protobuf.Value": "google/protobuf/struct.proto",
        "google.type.Money": "google/type/money.proto",
        "google.nothing.X": None,
        "a.B": None,
    }


def test_only_known_files_are_looked_for():
    assert [find_runtime_file(name) for name in ("os.proto", "google/../os.proto", "google/api/nothing.proto", "")] == [
        None
    ] * 4


def test_a_copy_is_given_that_may_be_changed():
    file = find_runtime_file("google/protobuf/any.proto")
    assert file is not None
    file.message_type[0].name = "Changed"
    assert descriptor_pool.Default().FindMessageTypeByName("google.protobuf.Any").name == "Any"
    assert find_runtime_file("google/protobuf/any.proto") != file


def test_the_language_of_validation_rules_comes_with_their_engine_and_links():
    file = find_runtime_file("buf/validate/validate.proto")
    assert file is not None
    linked = link_files([file])
    assert (linked.problems, dict(linked.left_out)) == ((), {})
    assert linked.pool.FindExtensionByName("buf.validate.field").number == 1159

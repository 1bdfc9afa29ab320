import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transcoding.violation_paths import follow_path
from tests.transcoding.kit import Kit

KIT = Kit("""
message Leaf { string deep_name = 1; }
message M {
  Leaf one_leaf = 1; repeated Leaf many_leaves = 2; map<string, Leaf> by_key = 3; map<int32, string> names = 4;
  string odd = 5 [json_name = "$odd"]; google.protobuf.Struct free = 6;
}
""")


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("", ""),
        ("one_leaf.deep_name", "/oneLeaf/deepName"),
        ("oneLeaf.deepName", "/oneLeaf/deepName"),
        ("many_leaves[0].deep_name", "/manyLeaves/0/deepName"),
        ("many_leaves.3.deep_name", "/manyLeaves/3/deepName"),
        ('by_key["a.b"].deep_name', "/byKey/a.b/deepName"),
        ("by_key['x'].deep_name", "/byKey/x/deepName"),
        ("by_key[x].deep_name", "/byKey/x/deepName"),
        ("by_key.x.deep_name", "/byKey/x/deepName"),
        ("names[7]", "/names/7"),
        ("odd", "/odd"),
        ("free.any_thing.at_all", "/free/any_thing/at_all"),
        ("no_such.deep_name", "/no_such/deep_name"),
        ("/already/a~1pointer", "/already/a~1pointer"),
        ("a/b", "/a~1b"),
    ],
)
def test_a_path_is_followed_through_the_request_to_published_names(path, pointer):
    assert follow_path(path, KIT.descriptor()) == pointer


@given(st.text(max_size=50) | st.text(alphabet='a.[]"\\/~\n', max_size=20))
def test_any_text_gives_one_bounded_line(path):
    pointer = follow_path(path * 20, KIT.descriptor())
    assert pointer.isprintable()
    assert len(pointer) <= 300

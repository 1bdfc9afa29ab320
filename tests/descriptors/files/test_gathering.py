"""What is taken of the files that a backend gives."""

from gateway.descriptors.files.gathering import LinkLimits, gather_files


def test_files_stand_in_order_of_preference(hand):
    files = [
        hand.file("vendor/a/b/x.proto", hand.message("X", t=".google.protobuf.Timestamp"), package="a.b"),
        hand.file("zz/q.proto", package="a"),
        hand.file("a/b/x.proto", package="a.b", imports=("google/rpc/status.proto", "not/there.proto")),
        hand.file("q.proto", package="a"),
    ]
    gathered = gather_files(files, LinkLimits())
    names = list(gathered.versions)
    assert names == [
        *("google/protobuf/any.proto", "google/protobuf/timestamp.proto"),
        *("a/b/x.proto", "q.proto", "zz/q.proto", "vendor/a/b/x.proto"),
        "google/rpc/status.proto",
    ]
    assert list(gather_files(files[::-1], LinkLimits()).versions) == names
    assert gathered.absent == {"not/there.proto": "is missing"}
    assert gathered.sources == tuple(files)
    assert gathered.problems == ()


def test_nothing_beyond_the_limit_is_even_asked_for(hand):
    asked = []

    def give():
        for n in range(100):
            asked.append(n)
            yield hand.file(f"f{n}.proto")

    gathered = gather_files(give(), LinkLimits(files=5))
    assert len(asked) == 6
    assert len(gathered.versions) == 5
    assert gathered.problems == (("descriptors", "more than 5 files were given: the files beyond are not read"),)


def test_what_is_given_again_does_not_count_towards_the_limit(hand):
    files = [hand.file(f"f{n % 5}.proto") for n in range(50)]
    gathered = gather_files(files, LinkLimits(files=5))
    assert (len(gathered.versions), gathered.problems) == (5, ())

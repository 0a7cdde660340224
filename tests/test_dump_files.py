import os

import pytest

from sparkbias.dump_files import list_dumps, open_dump
from sparkbias.errors import SourceError


@pytest.fixture
def dumps(tmp_path):
    (tmp_path / "d" / "2019").mkdir(parents=True)
    for name in ("RC_1.zst", "RC_2.zst", "RS_1.ZST", "notes.txt", "2019/RC_3.zst"):
        (tmp_path / "d" / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("d", ["2019/RC_3.zst", "RC_1.zst", "RC_2.zst", "RS_1.ZST"]),
        ("d/", ["2019/RC_3.zst", "RC_1.zst", "RC_2.zst", "RS_1.ZST"]),
        ("d/RC_*.zst", ["RC_1.zst", "RC_2.zst"]),
        ("d/RC_[2-9].zst", ["RC_2.zst"]),
        ("*/2019/*", ["d/2019/RC_3.zst"]),
        ("d/notes.txt", ["notes.txt"]),
    ],
)
def test_a_file_a_folder_or_a_pattern_names_files(dumps, path, names):
    found = list_dumps(path, [".zst"], folder=dumps)
    assert [file.name for file in found] == names
    for file in found:
        with open_dump(file.path) as stream:
            assert stream.read().decode().endswith(file.name.rpartition("/")[2])
    assert found == list_dumps(str(dumps / path), [".zst"])


def test_an_address_is_as_good_as_a_path(dumps):
    found = list_dumps(f"file://{dumps}/d/RC_*.zst", [".zst"])
    assert [file.name for file in found] == ["RC_1.zst", "RC_2.zst"]
    with open_dump(found[0].path) as stream:
        assert stream.read() == b"RC_1.zst"


def test_a_file_whose_name_looks_like_a_pattern_is_itself(dumps):
    (dumps / "d" / "a[1].zst").write_text("x")
    assert [file.name for file in list_dumps("d/a[1].zst", [], folder=dumps)] == ["a[1].zst"]


def test_the_fingerprint_is_that_of_the_content(dumps):
    def printed(name):
        return list_dumps(f"d/{name}", [".zst"], folder=dumps)[0].fingerprint

    before = printed("RC_1.zst")
    os.utime(dumps / "d" / "RC_1.zst", (1, 1))
    assert printed("RC_1.zst") == before
    assert printed("RC_2.zst") != before
    (dumps / "d" / "RC_1.zst").write_text("RC_X.zst")
    assert printed("RC_1.zst") != before


def test_of_a_large_file_pieces_size_and_time_are_taken(dumps):
    large = dumps / "d" / "large.zst"
    with large.open("wb") as file:
        file.truncate(200_000_000)

    def printed():
        return list_dumps("d/large.zst", [], folder=dumps)[0].fingerprint

    os.utime(large, (1, 1))
    before = printed()
    assert printed() == before
    with large.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
    os.utime(large, (1, 1))
    assert printed() != before
    os.utime(large, (2, 2))
    assert printed() != before


@pytest.mark.parametrize("path", ["nowhere", "nowhere/*.zst", "d/*.bz2", "empty", "d/RC_1.zst/x"])
def test_where_there_is_nothing_the_user_is_told_to_change_the_path(dumps, path):
    (dumps / "empty").mkdir()
    with pytest.raises(SourceError, match="change `path`"):
        list_dumps(path, [".zst"], folder=dumps)

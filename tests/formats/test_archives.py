import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.formats.archives import Member, read_members

FILES = {"a.story": b"one", "folder/b.story": b"two" * 5000, "notes.md": b"no", "c.story": b""}


def archive(files=FILES):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.story")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(link)
    return out.getvalue()


def read(data, n_bytes=1000, **options):
    pieces = (data[at : at + n_bytes] for at in range(0, len(data), n_bytes))
    return list(read_members("x.tar", pieces, (".story",), **options))


@pytest.mark.parametrize("n_bytes", [1, 7, 512, 100_000])
def test_files_come_out_whole_however_the_stream_is_cut_and_links_are_not_followed(n_bytes):
    found = read(archive(), n_bytes)
    assert {one.name: one.data for one in found} == {
        name: data for name, data in FILES.items() if name != "notes.md"
    }
    assert all(archive()[one.offset :].startswith(one.data) for one in found)


def test_an_archive_that_breaks_off_gives_what_is_whole_and_one_reject():
    *kept, last = read(archive()[:4000])
    assert [one.name for one in kept] == ["a.story"]
    assert last.reason == "bad_tar"


@pytest.mark.parametrize("data", [b"", b"<html>Not found</html>", b"\0" * 100])
def test_what_is_no_archive_is_one_reject(data):
    assert [one.reason for one in read(data)] == ["bad_tar"]


def test_a_file_beyond_the_bound_is_one_reject_and_the_next_is_read():
    found = read(archive(), max_bytes=1000)
    assert [getattr(one, "reason", "kept") for one in found] == ["kept", "file_too_long", "kept"]


@given(st.binary(max_size=50), st.integers(0, 3000))
def test_any_bytes_end_in_members_and_rejects(data, at):
    whole = archive({"a.story": b"one"})
    for one in read(whole[:at] + data + whole[at:]):
        assert isinstance(one, Member) or one.reason in ("bad_tar", "file_too_long")

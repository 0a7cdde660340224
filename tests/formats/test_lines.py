from hypothesis import given
from hypothesis import strategies as st

from sparkbias.formats.lines import Lines, whole_lines
from sparkbias.formats.rejects import Reject


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({min(place, len(data)) for place in places} | {len(data)})
    starts = [0, *ends[:-1]]
    return [data[start:end] for start, end in zip(starts, ends, strict=True) if end > start]


def read(pieces, **options):
    """(offset, line) of every line; a reject in place of one that is too long."""
    for found in whole_lines(pieces, **options):
        yield from found if isinstance(found, Lines) else [(found.offset, found)]


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r\n", "é😀".encode(), b" "]), max_size=40),
    st.lists(st.integers(0, 80), max_size=10),
)
def test_lines_and_their_offsets_are_the_same_however_the_stream_is_cut(parts, places):
    data = b"".join(parts)
    expected, at = [], 0
    for line in data.split(b"\n"):
        if line.strip():
            expected.append((at, line.removesuffix(b"\r")))
        at += len(line) + 1
    assert list(read(cut(data, places))) == expected


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\n"]), max_size=40),
    st.lists(st.integers(0, 80), max_size=10),
)
def test_every_line_starts_where_the_one_before_ended_however_the_stream_is_cut(parts, places):
    data = b"".join(parts)
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    expected = [at for at in [0, *ends] if at < len(data)]
    assert [at for lines in whole_lines(cut(data, places)) for at in lines.starts()] == expected


@given(st.lists(st.integers(0, 400), max_size=10))
def test_a_line_too_long_is_one_reject_and_its_neighbours_are_kept(places):
    data = b"first\n" + b"x" * 300 + b"\nlast"
    found = list(read(cut(data, [*places, *range(50, 400, 50)]), max_line_bytes=100))
    assert [found[0], found[2]] == [(0, b"first"), (307, b"last")]
    offset, reject = found[1]
    assert isinstance(reject, Reject)
    assert (offset, reject.reason) == (6, "line_too_long")
    assert reject.sample == "x" * len(reject.sample)


def test_a_line_of_a_hundred_megabytes_is_never_held():
    import tracemalloc

    piece = b"x" * 2**18
    tracemalloc.start()
    found = list(whole_lines(piece for _ in range(400)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.reason for one in found] == ["line_too_long"]
    assert peak < 40e6

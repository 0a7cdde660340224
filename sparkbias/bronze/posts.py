"""bronze.posts: Reddit comments and submissions, as delivered.

bytes of a dump -> lines that may be wanted -> posts -> rows of the table, rejects, and counts of
what was passed over
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa

from sparkbias.bronze.batches import closing_batch, reject_batch
from sparkbias.bronze.post_batches import post_batch
from sparkbias.formats.author_keys import AuthorKeys
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.lines import Lines, lines_of
from sparkbias.formats.post_filter import PostFilter
from sparkbias.formats.post_search import LineSearch
from sparkbias.formats.pushshift import Post, decode_block, decode_lines, problem_of, text_of
from sparkbias.formats.rejects import Reject
from sparkbias.left_out import UNPARSED
from sparkbias.tables import POSTS

VERSION = 1

BATCH_POSTS = 2_048
BATCH_BYTES = 2**23


@dataclass
class PostReader:
    """Reads one dump, in about 40 MB whatever its size, and the window that a zst was written with.

    That is a line of at most 16 MB and a batch of 8 MB of lines, as text, as posts and as columns.
    """

    keep: PostFilter
    keys: AuthorKeys
    max_words: int | None = None  # stop reading once so many words have been met
    _posts: list[Post] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _rejects: list[Reject] = field(default_factory=list)
    _filtered: Counter[str] = field(default_factory=Counter)
    _n_bytes: int = 0
    _n_words: int = 0

    def __post_init__(self) -> None:
        first = next(iter(self.keep.where.items()), None)
        self._search = LineSearch(*first) if first else None

    def batches(self, stream: BinaryIO, name: str) -> Iterator[pa.RecordBatch]:
        """Rows and rejects of a dump, and at the end its account."""
        n_given = 0
        for lines in lines_of(Decompressed(stream, name)):
            n_given += self._take(lines)
            if len(self._posts) >= BATCH_POSTS or self._n_bytes >= BATCH_BYTES:
                yield from self._flush()
            if self.max_words is not None and self._n_words > self.max_words:
                break
        yield from self._flush()
        yield closing_batch(POSTS, n_given, self._filtered)

    def _take(self, lines: Lines | Reject) -> int:
        """Decode what may be wanted of some lines; returns how many records they are."""
        if isinstance(lines, Reject):
            self._rejects.append(lines)
            return 1
        if self._search:
            return self._take_found(lines, self._search)
        starts = lines.starts()
        self._n_bytes += lines.end - lines.start
        block = memoryview(lines.data)[lines.start : lines.end]
        posts = decode_block(block, len(starts))
        if posts is not None:
            self._add_sound(posts, starts)
            return len(starts)
        whole = list(lines)
        self._filtered["blank_line"] += len(starts) - len(whole)
        self._add(*decode_lines(whole))
        return len(starts)

    def _take_found(self, lines: Lines, search: LineSearch) -> int:
        before = search.n_lines
        found = list(search.candidates(lines))
        n_lines = search.n_lines - before
        self._filtered[UNPARSED] += n_lines - len(found)
        if found:
            self._n_bytes += sum(len(line) for _, line in found)
            self._add(*decode_lines(found))
        return n_lines

    def _add_sound(self, posts: Sequence[Post], offsets: Sequence[int]) -> None:
        """Keep what is asked for."""
        n_looked_at_again = len(posts) - [post.meta for post in posts].count(None)
        if n_looked_at_again or not self.keep.asks_for_all:
            kept = list(self._sifted(posts, offsets))
            posts, offsets = [post for post, _ in kept], [offset for _, offset in kept]
        n_kept = len(posts) if self.max_words is None else self._n_within(posts, self.max_words)
        self._filtered["beyond_head"] += len(posts) - n_kept
        self._posts += posts[:n_kept]
        self._offsets += offsets[:n_kept]

    def _n_within(self, posts: Sequence[Post], max_words: int) -> int:
        """How many of the next posts stay within the number of words."""
        for place, post in enumerate(posts):
            self._n_words += len(text_of(post).split())
            if self._n_words > max_words:
                return place
        return len(posts)

    def _add(self, posts: list[Post], offsets: list[int], rejects: list[Reject]) -> None:
        """Keep what is fit and asked for."""
        self._rejects += rejects
        problems = [problem_of(post) for post in posts]
        self._rejects += [
            Reject(post.id or "", problem, offset)
            for post, offset, problem in zip(posts, offsets, problems, strict=True)
            if problem
        ]
        self._add_sound(
            [post for post, problem in zip(posts, problems, strict=True) if not problem],
            [offset for offset, problem in zip(offsets, problems, strict=True) if not problem],
        )

    def _sifted(self, posts: Iterable[Post], offsets: Iterable[int]) -> Iterator[tuple[Post, int]]:
        for post, offset in zip(posts, offsets, strict=True):
            if rule := self.keep.rule(post):
                self._filtered[rule] += 1
            else:
                yield post, offset

    def _flush(self) -> Iterator[pa.RecordBatch]:
        if self._posts:
            yield post_batch(self._posts, self._offsets, self.keys)
        if self._rejects:
            yield reject_batch(POSTS, self._rejects)
        self._posts, self._offsets, self._rejects, self._n_bytes = [], [], [], 0

"""Which lines of a dump can hold a wanted value, found by bytes, without parsing.

A line is passed over only where its bytes prove that the value is another. It never passes over a
line that the exact check would keep, however the value is escaped and wherever blanks stand. (A key
that is itself written with escapes is not seen: no writer does that.)
"""

import re
from collections.abc import Collection, Iterator

from sparkbias.formats.lines import Lines

_COLON_AND_QUOTE = re.compile(rb'[ \t\r]*:[ \t\r]*"')
# Line ends that are remembered: within 10 MB.
_MAX_KNOWN = 2**15
_LONGEST_KNOWN = 256  # bytes


class LineSearch:
    """Searches blocks of lines for the values of one key; letters' case does not count."""

    def __init__(self, key: str, values: Collection[str]) -> None:
        self._key = f'"{key}"'.encode()
        self._needle = b',"%b":"' % key.encode()  # as the dumps are written
        self._wanted = frozenset(value.lower().encode() for value in values)
        self._unwanted: set[bytes] = set()  # ends of lines, met before and judged
        self.n_lines = 0  # searched so far

    def candidates(self, lines: Lines) -> Iterator[tuple[int, bytes]]:
        """Offset and bytes of each line that may hold a wanted value, in order.

        The last place of the key decides, for it wins where a key stands twice, if it belongs to
        the record itself: then a single brace follows. (A crosspost carries its parent inside.)
        What stands from there to the end of a line is the same in most lines of a community.
        """
        data, at, end, unwanted = lines.data, lines.start, lines.end, self._unwanted
        find, rfind, needle, n_needle = data.find, data.rfind, self._needle, len(self._needle)
        n_lines = 0
        while at < end:  # all in one place: this loop sees every line of a dump
            stop = find(b"\n", at, end)
            if stop < 0:
                stop = end
            n_lines += 1
            first = rfind(needle, at, stop) + n_needle
            rest = data[first:stop]
            is_other = first >= n_needle and (rest in unwanted or self._ends_unwanted(rest))
            if not is_other and not self._all_other(data, at, stop):
                yield at + lines.offset - lines.start, data[at:stop]
            at = stop + 1
        self.n_lines += n_lines

    def _ends_unwanted(self, rest: bytes) -> bool:
        """Whether a line that ends so, from the value of its last key on, is not wanted."""
        end = rest.find(b'"')
        is_own = rest.find(b"}") == len(rest) - 1
        if end < 0 or not is_own or not self._is_unwanted(rest[:end]):
            return False
        if len(rest) <= _LONGEST_KNOWN and len(self._unwanted) < _MAX_KNOWN:
            self._unwanted.add(rest)
        return True

    def _all_other(self, data: bytes, start: int, stop: int) -> bool:
        """Whether no place of the key in a line can hold a wanted value."""
        at = data.find(self._key, start, stop)
        while at >= 0:
            at += len(self._key)
            match = _COLON_AND_QUOTE.match(data, at, stop)
            if match:
                end = data.find(b'"', match.end(), stop)
                if end < 0 or not self._is_unwanted(data[match.end() : end]):
                    return False
            at = data.find(self._key, at, stop)
        return True

    def _is_unwanted(self, value: bytes) -> bool:
        """Whether a value is none of the wanted; not, where bytes alone do not tell."""
        return not (value.lower() in self._wanted or b"\\" in value or not value.isascii())

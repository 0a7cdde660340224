"""Which lines of a dump can hold a wanted value, found by bytes, without parsing.

A line is passed over only where its bytes prove that the value is another. It never passes over a
line that the exact check would keep, however the value is escaped and wherever blanks stand. (A key
that is itself written with escapes is not seen: no writer does that.)
"""

import re
from collections.abc import Collection, Iterator

from sparkbias.formats.lines import Lines

_COLON_AND_QUOTE = re.compile(rb'[ \t\r]*:[ \t\r]*"')
_MAX_KNOWN = 2**20


class LineSearch:
    """Searches blocks of lines for the values of one key; letters' case does not count."""

    def __init__(self, key: str, values: Collection[str]) -> None:
        self._key = f'"{key}"'.encode()
        # As the dumps are written, and as `json.dumps` writes; whichever was met last comes first.
        self._needles = [b',"%b":"' % key.encode(), b', "%b": "' % key.encode()]
        self._wanted = frozenset(value.lower().encode() for value in values)
        self._unwanted: set[bytes] = set()  # met before and judged
        self.n_lines = 0  # searched so far

    def candidates(self, lines: Lines) -> Iterator[tuple[int, bytes]]:
        """Offset and bytes of each line that may hold a wanted value, in order."""
        data, at, end = lines.data, lines.start, lines.end
        find, shift = data.find, lines.offset - lines.start
        while at < end:
            stop = find(b"\n", at, end)
            if stop < 0:
                stop = end
            self.n_lines += 1
            if not self._is_other(data, at, stop):
                yield at + shift, data[at:stop]
            at = stop + 1

    def _is_other(self, data: bytes, start: int, stop: int) -> bool:
        """Whether a line surely holds another value.

        The last place of the key decides, for it wins where a key stands twice, if it belongs to
        the record itself: then a single brace follows. (A crosspost carries its parent inside.)
        """
        needle = self._needles[0]
        at = data.rfind(needle, start, stop)
        if at < 0:
            self._needles.reverse()
            return self._all_other(data, start, stop)
        first = at + len(needle)
        value = data[first : data.find(b'"', first, stop)]
        if value in self._unwanted and data.count(b"}", first, stop) == 1:
            return True
        return self._all_other(data, start, stop)

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
        if value.lower() in self._wanted or b"\\" in value or not value.isascii():
            return False
        if len(self._unwanted) < _MAX_KNOWN:
            self._unwanted.add(value)
        return True

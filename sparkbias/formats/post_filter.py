"""Which posts are asked for: the exact check after the byte search."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparkbias.formats.pushshift import Post, seconds, text_of

DELETED_LATER = "deleted_later"


@dataclass(frozen=True)
class PostFilter:
    """What a post must be like to be kept.

    Attributes:
        where: field -> values in lower case, one of which it must have.
        matching: field -> regular expression that must be found in it.
        first_second: of the first day, in UTC.
        end_second: after the last day.
        min_words: words between blanks, title and text together.
        keep_deleted_later: keep the text of posts that their authors or moderators took back.
    """

    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    matching: Mapping[str, str] = field(default_factory=dict)
    first_second: int | None = None
    end_second: int | None = None
    min_words: int = 0
    keep_deleted_later: bool = False

    @property
    def asks_for_all(self) -> bool:
        """Whether only what was deleted later is left out, if that."""
        dates = self.first_second is not None or self.end_second is not None
        return not (self.where or self.matching or dates or self.min_words)

    def rule(self, post: Post) -> str | None:
        """The rule by which a post is left out; none if it is kept."""
        for name, values in self.where.items():
            value = getattr(post, name)
            if value is None or value.lower() not in values:
                return f"other_{name}"
        for name, pattern in self.matching.items():
            value = text_of(post) if name == "text" else getattr(post, name)
            if value is None or not re.search(pattern, value):
                return f"{name}_does_not_match"
        if not self._is_in_time(post):
            return "outside_dates"
        if self.min_words and len(text_of(post).split()) < self.min_words:
            return "too_short"
        return DELETED_LATER if self.drops(post) else None

    def drops(self, post: Post) -> bool:
        """Whether a post was taken back later and is therefore left out."""
        return bool(post.meta and post.meta.was_deleted_later and not self.keep_deleted_later)

    def _is_in_time(self, post: Post) -> bool:
        second = seconds(post.created_utc) or 0
        if self.first_second is not None and second < self.first_second:
            return False
        return self.end_second is None or second < self.end_second

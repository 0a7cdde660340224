"""Reddit dumps of Pushshift and its successors: one JSON object a line, of any era since 2005.

bytes -> lines -> posts, or the reason why not. Lines are decoded by the block; a block that holds a
bad line is decoded line by line, and what msgspec refuses is tried with `json`, which is laxer.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from sparkbias.formats.rejects import Reject, sample_of

Number = int | float | str | bool | None


class Meta(msgspec.Struct, gc=False):
    """What a later look at the post found (2023 on)."""

    was_deleted_later: bool | None = None


class Post(msgspec.Struct, gc=False):
    """The fields of a comment or submission that are used; any may be missing."""

    id: str | None = None
    created_utc: Number = None
    author: str | None = None
    subreddit: str | None = None
    link_id: str | None = None
    score: int | float | None = None
    body: str | None = None
    title: str | None = None
    selftext: str | None = None
    domain: str | None = None
    edited: Number = None
    retrieved_on: Number = None
    retrieved_utc: Number = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


LAST_SECOND = 253_402_300_799  # of the year 9999
_IN_TIME = msgspec.Meta(ge=1, le=LAST_SECOND)


class SoundPost(Post, gc=False, kw_only=True):
    """A post that has what every post must have."""

    id: Annotated[str, msgspec.Meta(min_length=1)]
    created_utc: (
        Annotated[int, _IN_TIME]
        | Annotated[float, _IN_TIME]
        | Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]{0,10}$")]
    )


_DECODER = msgspec.json.Decoder(Post)
_BLOCK_DECODER = msgspec.json.Decoder(SoundPost)
_REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_SCORE = 2**53


def decode_block(block: bytes | memoryview, n_lines: int) -> Sequence[Post] | None:
    """The posts of whole lines, all of them sound; none where any line is not as it should be."""
    try:
        posts = _BLOCK_DECODER.decode_lines(block)
    except _REFUSED:
        return None
    only_comments = None not in [post.body for post in posts]
    sound = len(posts) == n_lines and (only_comments or all(map(has_text, posts)))
    return posts if sound else None


def decode_lines(lines: Iterable[tuple[int, bytes]]) -> tuple[list[Post], list[int], list[Reject]]:
    """Posts, their offsets, and the rejects among lines that are decoded one by one."""
    posts: list[Post] = []
    offsets: list[int] = []
    rejects: list[Reject] = []
    for offset, line in lines:
        try:
            post: Post | str = _DECODER.decode(line)
        except _REFUSED:
            post = _decode_laxly(line)
        if isinstance(post, Post):
            posts.append(post)
            offsets.append(offset)
        else:
            rejects.append(Reject("", post, offset, sample_of(line)))
    return posts, offsets, rejects


def _decode_laxly(line: bytes) -> Post | str:
    """The post in a line that msgspec refuses, or the reason why there is none."""
    if b"\0" in line:
        return "nul_bytes"
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not_utf8"
    except (ValueError, RecursionError):
        return "not_json"
    if not isinstance(found, dict):
        return "not_an_object"
    try:
        # Half of a character that was cut in two cannot be stored as UTF-8.
        whole = {
            key: _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value
            for key, value in found.items()
        }
        return msgspec.convert(whole, Post)
    except _REFUSED:
        return "wrong_type"


def has_text(post: Post) -> bool:
    """Whether it is a comment or a submission at all."""
    return post.body is not None or post.title is not None or post.selftext is not None


def problem_of(post: Post) -> str | None:
    """Why a post cannot be used, if it cannot."""
    if not post.id:
        return "no_id"
    if not has_text(post):
        return "no_text_field"
    return "bad_created_utc" if seconds(post.created_utc) is None else None


def seconds(value: Number) -> int | None:
    """A time as whole seconds since 1970, however it is spelled; none where it is no time."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        whole = int(float(value))
    except (ValueError, OverflowError):
        return None
    return whole if 0 < whole <= LAST_SECOND else None


def seconds_or_none(values: Sequence[Number]) -> list[int | None]:
    """Times of a column in which false, true and nothing mean that there is none."""
    return [seconds(value) for value in values]


def whole_score(value: float | None) -> int | None:
    """A score as an integer; none where there is none, or none that can be."""
    if value is None or value != value or abs(value) > _MAX_SCORE:
        return None
    return int(value)


def text_of(post: Post) -> str:
    """What a post says: a comment's body, a submission's title and text."""
    if post.body is not None:
        return post.body
    return f"{post.title or ''}\n{post.selftext or ''}".strip()

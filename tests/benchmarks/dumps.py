"""Reddit dumps of invented text: the fields, sizes and frequencies of a recent month.

Names of communities and authors follow Zipf's law, so that the wanted community holds about one
comment in a hundred, as r/TheRedPill never did but large ones do.
"""

import json
from pathlib import Path

import numpy as np
import zstandard

WANTED = "BirdWatchers"
WANTED_SHARE = 0.01
_SYLLABLES = (
    "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri".split()
)
N_WORDS, N_COMMUNITIES, N_AUTHORS = 20_000, 30_000, 200_000


def write_dump(path: Path, n_bytes: int, *, seed: int = 1) -> int:
    """Write a `.zst` of about so many plain bytes, and return how many comments it holds."""
    generator = np.random.default_rng(seed)
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    n_written = n_comments = 0
    with (
        path.open("wb") as file,
        zstandard.ZstdCompressor(compression_params=parameters).stream_writer(file) as stream,
    ):
        while n_written < n_bytes:
            block = b"".join(_comments(generator, 2_000, n_comments))
            n_written += stream.write(block) and len(block)
            n_comments += 2_000
    return n_comments


def _words(generator: np.random.Generator, n: int) -> np.ndarray:
    made = np.random.default_rng(7).integers(0, len(_SYLLABLES), (N_WORDS, 3))
    words = np.array(
        ["".join(_SYLLABLES[i] for i in row[: 1 + k % 3]) for k, row in enumerate(made)]
    )
    return words[np.minimum(generator.zipf(1.3, n) - 1, N_WORDS - 1)]


def _comments(generator: np.random.Generator, n: int, first: int):
    lengths = np.maximum(1, generator.lognormal(3.0, 1.0, n).astype(int))
    words = _words(generator, int(lengths.sum()))
    communities = np.minimum(generator.zipf(1.3, n), N_COMMUNITIES)
    authors = np.minimum(generator.zipf(1.2, n), N_AUTHORS)
    is_wanted = generator.random(n) < WANTED_SHARE
    end = np.cumsum(lengths)
    for i in range(n):
        said = words[end[i] - lengths[i] : end[i]].tolist()
        body = " ".join(said).capitalize() + (".\n\nAnd more.\u2019" if i % 7 == 0 else ".")
        community = WANTED if is_wanted[i] else f"Community{communities[i]}"
        post = _comment(first + i, f"author{authors[i]}", community, body)
        yield json.dumps(post, separators=(",", ":")).encode() + b"\n"


def _comment(number: int, author: str, community: str, body: str) -> dict[str, object]:
    """The 47 fields of 2020, in their order and without blanks."""
    return {
        "all_awardings": [],
        "associated_award": None,
        "author": author,
        "author_created_utc": 1_400_000_000 + number % 100_000,
        "author_flair_background_color": None,
        "author_flair_css_class": None,
        "author_flair_richtext": [],
        "author_flair_template_id": None,
        "author_flair_text": None,
        "author_flair_text_color": None,
        "author_flair_type": "text",
        "author_fullname": f"t2_{number * 7919 % 10**8:x}",
        "author_patreon_flair": False,
        "author_premium": False,
        "awarders": [],
        "body": body,
        "can_gild": True,
        "can_mod_post": False,
        "collapsed": False,
        "collapsed_because_crowd_control": None,
        "collapsed_reason": None,
        "controversiality": 0,
        "created_utc": 1_588_204_800 + number // 50,
        "distinguished": None,
        "edited": False,
        "gilded": 0,
        "gildings": {},
        "id": f"fp{number:x}",
        "is_submitter": number % 9 == 0,
        "link_id": f"t3_{number // 20:x}",
        "locked": False,
        "no_follow": True,
        "parent_id": f"t3_{number // 20:x}",
        "permalink": f"/r/{community}/comments/{number // 20:x}/title_of_a_thread/fp{number:x}/",
        "quarantined": False,
        "removal_reason": None,
        "retrieved_on": 1_594_652_276,
        "score": number % 23 - 3,
        "send_replies": True,
        "steward_reports": [],
        "stickied": False,
        "subreddit": community,
        "subreddit_id": "t5_2qh0u",
        "subreddit_name_prefixed": f"r/{community}",
        "subreddit_type": "public",
        "total_awards_received": 0,
        "treatment_tags": [],
    }

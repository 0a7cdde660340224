import os
import shutil

import pytest

from sparkbias.errors import SetupError
from sparkbias.jars import FOLDER_VARIABLE, cache_folder, find_jars, is_sound, read_settings
from sparkbias.resources import conf_path
from sparkbias.session import require_java


def fake_java(folder, version_line):
    home = folder / "java"
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{version_line}' >&2\n")
    java.chmod(0o755)
    return str(home)


def test_no_java_is_told_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SetupError, match="install Java 17"):
        require_java()


def test_a_java_home_without_java_is_told_so(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SetupError, match=r"JAVA_HOME=.* holds none"):
        require_java()


@pytest.mark.parametrize(
    "line", ['java version "1.8.0_392"', 'openjdk version "11.0.2"', "not a java at all"]
)
def test_a_java_that_is_too_old_is_named(monkeypatch, tmp_path, line):
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path, line))
    with pytest.raises(SetupError, match="needs Java 17"):
        require_java()


@pytest.mark.parametrize("line", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "21"'])
def test_a_java_that_will_do_is_taken(monkeypatch, tmp_path, line):
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path, line))
    assert require_java() == line


def test_the_cache_holds_exactly_the_committed_jars(tmp_path):
    assert is_sound(cache_folder()), "run `make setup`"
    copy = tmp_path / "jars"
    shutil.copytree(cache_folder(), copy)
    assert is_sound(copy)
    jar = next(copy.glob("*storage*.jar"))
    jar.write_bytes(jar.read_bytes() + b"x")
    assert not is_sound(copy)


def test_a_named_folder_comes_first_and_must_fit_this_spark(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(cache_folder()))
    found = find_jars()
    assert (found.way, len(found.files)) == ("folder", 7)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(SetupError, match=r"holds no delta-spark_4\.2_2\.13-"):
        find_jars()


def test_jars_on_the_class_path_come_before_the_cache(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert find_jars().way == "cache"
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "delta-spark_4.2_2.13-4.4.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert find_jars().way == "class path"


def test_without_any_jar_the_resolver_is_asked(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = find_jars()
    assert found.way == "resolver"
    assert found.settings == {"spark.jars.packages": "io.delta:delta-spark_4.2_2.13:4.4.0"}


def test_spark_settings_change_no_result():
    names = read_settings(conf_path("spark-defaults.conf"))
    assert names["spark.sql.session.timeZone"] == "UTC"
    assert not any("sparkbias" in name for name in names)


def test_an_active_session_is_taken_as_it_is(spark):
    from sparkbias.session import SessionOptions, start_session

    assert start_session(SessionOptions(master="local[7]")) is spark
    assert os.environ["PYSPARK_PYTHON"]

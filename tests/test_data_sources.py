import json

import pytest

import sparkbias


def test_dumps_are_read_by_format(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "0123456789abcdef" * 4)
    posts = [
        {"id": str(i), "created_utc": i + 1, "body": "x", "subreddit": "ab"[i % 2]}
        for i in range(5)
    ]
    for name in ("RC_1.ndjson", "RC_2.ndjson"):
        lines = "\n".join([*map(json.dumps, posts), "not json"])
        (tmp_path / name).write_text(lines)
    sparkbias.register(spark)
    frame = spark.read.format("pushshift").load(str(tmp_path))
    rows = frame.toPandas()
    assert sorted(rows["post_id"]) == sorted(2 * ["0", "1", "2", "3", "4"])
    assert rows["source_file"].value_counts().to_dict() == {"RC_1.ndjson": 5, "RC_2.ndjson": 5}
    some = spark.read.format("pushshift").option("subreddit", "B").load(f"{tmp_path}/RC_1.*")
    assert some.count() == 2


def test_without_a_path_the_user_is_told_how(spark):
    sparkbias.register(spark)
    with pytest.raises(Exception, match="name the dumps"):
        spark.read.format("pushshift").load().count()

"""The step that all dumps share, with a reader that is easily seen through."""

from dataclasses import replace

import pytest

from sparkbias.bronze.batches import deliver_rows
from sparkbias.dump_files import list_dumps
from sparkbias.errors import TooManyRejects
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.lines import Lines, whole_lines
from sparkbias.formats.rejects import Reject
from sparkbias.ingest import Delivery, ingest_dumps
from sparkbias.left_out import LEFT_OUT, UNPARSED, filtered
from sparkbias.run import Run
from sparkbias.spark_tables import SparkTables
from sparkbias.study_file import load_study
from sparkbias.tables import LEDGER, REJECTS, RUNS, TEXTS
from sparkbias.warehouse import open_warehouse
from tests import toy


def deliver(stream, file):
    """Lines `id body`; # is passed over unread, - marks what is filtered, ! a reject."""
    passed_over = {UNPARSED: 0}

    def rows():
        content = Decompressed(stream, file.name)
        for lines in whole_lines(content):
            for offset, line in lines if isinstance(lines, Lines) else ():
                yield from one(offset, line.decode())
        if content.problem:
            yield content.problem

    def one(offset, line):
        name, _, body = line.partition(" ")
        if name == "#":
            passed_over[UNPARSED] += 1
        elif name == "!":
            yield Reject(name, "bad_line", offset, line)
        else:
            mark = filtered("not_asked_for") if name.startswith("-") else None
            yield {"text_id": file.name + name, "body": body, "period": "2001", LEFT_OUT: mark}

    return deliver_rows(TEXTS, rows(), passed_over)


LINES = Delivery("ingest_lines", TEXTS, 1, {"source": "lines"}, deliver)


@pytest.fixture(scope="module")
def ingest(spark, tmp_path_factory):
    """Ingest what lies in a folder into one warehouse, again and again."""
    root = tmp_path_factory.mktemp("ingest")
    study = load_study(toy.write_study(root / "toy.yaml"))
    (root / "dumps").mkdir()

    def run(delivery=LINES):
        sources = {"tiny": list_dumps("dumps", [".txt"], folder=root)}
        one = Run(SparkTables(spark, root=str(root / "wh")), study, sources)
        ingest_dumps(one, "tiny", delivery)
        return one

    run.dumps = root / "dumps"
    run.opened = lambda: open_warehouse(root / "wh")
    return run


def test_a_life_of_a_folder_of_dumps(ingest):
    """One warehouse through everything that happens to a folder; each part stands on the last."""
    (ingest.dumps / "a.txt").write_text("1 one\n2 two\n# x\n# y\n-3 three\n! four\n")
    (ingest.dumps / "b.txt").write_text("\n".join(f"{i} body" for i in range(30)))
    (ingest.dumps / "notes.md").write_text("not a dump")
    first = ingest()
    rows = ingest.opened().frame(TEXTS).set_index("text_id")
    assert len(rows) == 32
    where = ["body", "corpus", "source_file"]
    assert rows.loc["a.txt2", where].tolist() == ["two", "tiny", "a.txt"]

    # Rows, rejects and what was passed over come from one pass, and add up.
    ledger = ingest.opened().frame(LEDGER, run_id=first.run_id)
    counts = ledger[ledger["slice"] == "corpus=tiny/source_file=a.txt"]
    assert {(kind, name): n for kind, name, n in counts[["kind", "name", "n"]].to_numpy()} == {
        ("in", ""): 6,
        ("out", ""): 2,
        ("filtered", "unparsed"): 2,
        ("filtered", "not_asked_for"): 1,
        ("rejected", "bad_line"): 1,
    }
    reject = ingest.opened().frame(REJECTS, run_id=first.run_id).iloc[0]
    place = ["source_file", "source_offset", "sample"]
    assert reject[place].tolist() == ["a.txt", 29, "! four"]

    # The same files again: nothing is done. A changed one replaces its slice and no other.
    assert not any(planned.n_todo for planned in ingest().planned)
    (ingest.dumps / "a.txt").write_text("9 nine\n")
    assert [planned.n_todo for planned in ingest().planned] == [1]
    again = ingest.opened().frame(TEXTS).set_index("text_id")
    assert len(again) == 31
    assert again.loc["a.txt9", "body"] == "nine"

    # Too many rejects: the job says no, the old rows stay, the rejects can be looked at.
    (ingest.dumps / "a.txt").write_text("# 1\n# 2\n# 3\n! four\n1 five\n")
    with pytest.raises(TooManyRejects, match="1 of 2 were rejected"):
        ingest()
    assert len(ingest.opened().frame(TEXTS)) == 31
    assert len(ingest.opened().frame(REJECTS)) == 2
    assert set(ingest.opened().frame(RUNS)["stage"]) == {"ingest_lines"}

    # Files that depend on each other are made anew together.
    (ingest.dumps / "a.txt").write_text("9 nine\n")
    joint = ingest(replace(LINES, is_joint=True))
    assert [planned.n_todo for planned in joint.planned] == [2]
    assert not any(p.n_todo for p in ingest(replace(LINES, is_joint=True)).planned)

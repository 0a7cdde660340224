"""Wikipedia from dumps to tokens: counts that are known, at any number of partitions."""

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from gensim.test.utils import datapath

from sparkbias.cli import main as command_line
from sparkbias.data_sources import register
from sparkbias.dump_files import list_dumps
from sparkbias.formats.multistream import index_name
from sparkbias.ingest import placed
from sparkbias.ingest_wikipedia import deliver
from sparkbias.left_out import LEFT_OUT
from sparkbias.silver.page_documents import Selection, documents_from_pages
from sparkbias.tables import DOCUMENTS, LEDGER, PAGES, REJECTS, SENTENCES
from sparkbias.warehouse import open_warehouse
from tests import toy
from tests.wiki_dumps import dump, head, multistream, page

MULTISTREAM = "toy-20210401-pages-articles-multistream.xml.bz2"

# The toy documents as articles, and pages that are none.
ARTICLES = [
    page(number, f"''{' '.join(sentences[:1])}'' {' '.join(sentences[1:])}\n\n[[Category:X]]")
    for number, (_, sentences) in enumerate(toy.DOCUMENTS.values(), 1)
]
OTHERS = [
    page(20, "#REDIRECT [[Page 1]]"),
    page(21, "She sings.", title="Talk:Page 1", namespace=1),
    page(22, "{}").replace("<model>wikitext", "<model>json"),
    page(23, "{{only a template}}"),
]
DELETED = page(24).replace(
    "<text xml:space=\"preserve\">Some ''text''.</text>", '<text deleted="deleted"/>'
)


def write_study(folder, path, **corpus):
    study = yaml.safe_load(toy.write_study(folder / "toy.yaml").read_text())
    study["corpora"] = {"wiki": {"source": "wikipedia", "path": path} | corpus}
    study.pop("periods", None)
    (folder / "wiki.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    return folder / "wiki.yaml"


def outcomes(opened, run, stage):
    ledger = opened.frame(LEDGER, run_id=run.run_id, stage=stage)
    return ledger.groupby(["kind", "name"])["n"].sum().to_dict()


def test_a_life_of_a_wiki(run_study, tmp_path):
    """One warehouse: a multistream dump with a broken page, the same again, a new dump beside."""
    pages = [*ARTICLES, *OTHERS, DELETED, page(25).replace("<id>25</id>", "<id>x</id>")]
    triples = [(i, f"T: {i}", xml.encode()) for i, xml in enumerate(pages)]
    data, index = multistream(head().encode(), triples)
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    (dumps / MULTISTREAM).write_bytes(data)
    (dumps / index_name(MULTISTREAM)).write_bytes(index)
    study, place = write_study(tmp_path, "dumps"), tmp_path / "wh"
    steps = ["ingest_wikipedia", "prepare_documents", "tokenise_documents"]
    first = run_study(study, place, "max_rejected_share=0.1", only=steps)
    opened = open_warehouse(place)

    assert outcomes(opened, first, "ingest_wikipedia") == {
        ("in", ""): 13, ("out", ""): 12, ("rejected", "bad_page_id"): 1,
    }  # fmt: skip
    rules = ("redirect", "other_namespace", "not_wikitext", "no_text", "text_deleted")
    filtered = {("filtered", rule): 1 for rule in rules}
    assert outcomes(opened, first, "prepare_documents") == filtered | {
        ("in", ""): 12,
        ("out", ""): 7,
    }
    reject = opened.frame(REJECTS).iloc[0]
    assert (reject["reason"], reject["source_file"]) == ("bad_page_id", MULTISTREAM)
    one = opened.frame(DOCUMENTS).set_index("document_id").loc["1"]
    assert (one["cluster_id"], one["title"], one["period"]) == ("1", "Page 1", "2021-04")
    assert one["text"] == "She sings. She sings. He sings. She cooks. He fights."

    # Nothing of the markup is among the tokens.
    tokens = opened.frame(SENTENCES).set_index("document_id")
    assert tokens.loc["1", "text"] == "she sings\nshe sings\nhe sings\nshe cooks\nhe fights"
    n_words = sum(len(" ".join(said).split()) for _, said in toy.DOCUMENTS.values())
    assert tokens["n_tokens"].sum() == n_words

    # The same again does nothing; a dump beside it that delivers a page anew replaces its text.
    again = run_study(study, place, "max_rejected_share=0.1", only=["ingest_wikipedia"])
    assert not any(planned.n_todo for planned in again.planned)
    (dumps / "toy-20220401.xml").write_bytes(dump(page(7, "She reads."), page(7, "Double.")))
    later = run_study(study, place, "max_rejected_share=0.5", only=steps[:2])
    assert outcomes(opened, later, "ingest_wikipedia")[("rejected", "duplicate_id")] == 1
    assert outcomes(opened, later, "prepare_documents")[("filtered", "duplicate_id")] == 1
    assert len(opened.frame(PAGES)) == 13
    texts = opened.frame(DOCUMENTS).set_index("document_id")["text"]
    assert texts["7"] == "Double."
    assert len(texts) == 7


REAL = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")


def test_real_articles_are_the_same_at_any_number_of_partitions(spark):
    pages = spark.createDataFrame(real_pages())
    made = [
        documents_from_pages(pages.repartition(n), Selection()).toArrow().to_pandas()
        for n in (1, 3, 17)
    ]
    # Of 106 articles one is a list and nothing else.
    assert made[0]["left_out"].value_counts().to_dict() == {
        "filtered:redirect": 99, "filtered:other_namespace": 1, "filtered:no_text": 1,
    }  # fmt: skip
    assert made[0]["left_out"].isna().sum() == 105
    by_id = [frame.sort_values("document_id").reset_index(drop=True) for frame in made]
    assert by_id[0].equals(by_id[1])
    assert by_id[0].equals(by_id[2])


def test_a_dump_is_a_data_source_and_a_command_reads_it(spark, tmp_path):
    register(spark)
    pages = spark.read.format("wikidump").load(REAL)
    counted = pages.groupBy("is_redirect").count().toArrow().to_pylist()
    assert {row["is_redirect"]: row["count"] for row in counted} == {True: 100, False: 106}
    assert pages.columns == [name for name in PAGES.columns if name != "corpus"]

    command_line(["ingest", "wikipedia", REAL, "--corpus", "w", "--warehouse", str(tmp_path)])
    assert len(open_warehouse(tmp_path).frame(PAGES)) == 206


def real_pages():
    """The pages of a real dump as rows of bronze.pages."""
    file = list_dumps(REAL, [])[0]
    with open(file.path, "rb") as stream:  # noqa: PTH123  # a path as the executors get it
        batches = [placed(b, corpus="w", source_file="f") for b in deliver(stream, file)]
    rows = pa.Table.from_batches(batches)
    return rows.filter(pc.is_null(rows[LEFT_OUT])).select(list(PAGES.columns))

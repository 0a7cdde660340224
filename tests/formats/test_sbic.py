import pytest

from sparkbias.formats.rejects import Reject
from sparkbias.formats.sbic import COLUMNS, Annotation, read_sbic


def row(**cells):
    given = dict.fromkeys(COLUMNS, "") | {"post": "a post"} | cells
    return ",".join(f'"{given[name]}"' for name in COLUMNS) + "\n"


def read(*rows):
    text = ",".join(COLUMNS) + "\n" + "".join(rows)
    return list(read_sbic("f.csv", [text.encode()]))


def test_cells_stay_as_delivered_and_posts_keep_their_line_breaks():
    (found,) = read(row(post=" two\nlines &amp; more ", annotatorMinority="None", intentYN="0.66"))
    assert found.row_number == 1
    assert found.cells["post"] == " two\nlines &amp; more "
    assert found.cells["annotatorMinority"] == "None"
    assert (found.cells["intentYN"], found.cells["whoTarget"]) == ("0.66", "")


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"post": " "}, "no_post"),
        ({"intentYN": "0.4"}, "unknown_grade"),
        ({"offensiveYN": "yes"}, "unknown_grade"),
        ({"sexYN": "nan"}, "unknown_grade"),
    ],
)
def test_a_row_with_an_answer_that_is_none_is_a_reject(cells, reason):
    kept, refused = read(row(), row(**cells))
    assert isinstance(kept, Annotation)
    assert isinstance(refused, Reject)
    assert (refused.record_id, refused.reason) == ("f.csv:2", reason)


def test_the_development_set_is_read_whole(shared_data):
    with (shared_data / "sbic" / "SBIC.v2.dev.csv").open("rb") as stream:
        rows = list(read_sbic("dev", stream))
    assert all(isinstance(one, Annotation) for one in rows)
    assert (len(rows), len({one.cells["post"] for one in rows})) == (16_738, 4_673)
    empty = {name: sum(not one.cells[name] for one in rows) for name in COLUMNS}
    assert (empty["whoTarget"], empty["offensiveYN"]) == (5_742, 241)
    assert (empty["targetStereotype"], empty["targetMinority"]) == (8_727, 8_572)
    assert sum(one.cells["annotatorMinority"] == "None" for one in rows) == 354

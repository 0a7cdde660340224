import io

from sparkbias.reading_progress import TalliedStream, Tally, reading_board


def test_what_tasks_have_read_is_added_up():
    with reading_board(20_000_000) as board:
        assert board.says() is None
        for task in (0, 1):
            tally = Tally(str(board.folder), task, n_records=500, n_rejects=task)
            TalliedStream(io.BytesIO(bytes(6_000_000)), tally).read()
            tally.tell(now=True)
        board.started -= 10
        assert board.says() == "12 of 20 MB, 100 records a second, 1 rejects"
        board.started -= 90
        assert board.says().startswith("12 of 20 MB, 10 records")
    assert not board.folder.exists()


def test_a_task_on_another_machine_reports_nothing_and_does_not_mind(tmp_path):
    tally = Tally(str(tmp_path / "not here"), 0)
    tally.tell(now=True)
    assert not list(tmp_path.iterdir())


def test_a_task_does_not_spend_its_time_on_telling():
    with reading_board(1) as board:
        tally = Tally(str(board.folder), 0)
        tally.tell()
        tally.n_records = 7
        tally.tell()
        assert (board.folder / "0").read_text() == "0 0 0"

"""The report in a real browser: it is drawn, and nothing in it is refused or fails."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from sparkbias.report.render import write_report
from tests.report.report_tables import tiny_tables

pytestmark = pytest.mark.browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--enable-logging=stderr --v=0"
).split()


@dataclass(frozen=True)
class Visit:
    """What a browser made of a page."""

    screenshot: Path
    complaints: list

    @property
    def n_colours(self):
        return len(np.unique(imread(self.screenshot)[..., :3].reshape(-1, 3), axis=0))


def visit(page, folder, width=1280, height=3000):
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    screenshot = folder / f"{page.stem}-{width}.png"
    place = [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}"]
    done = subprocess.run(
        [browser, *FLAGS, *place, f"--screenshot={screenshot}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Visit(screenshot, complaints)


@pytest.fixture
def report(tmp_path):
    return write_report(tiny_tables(), "tiny", tmp_path / "report.html")


@pytest.mark.parametrize("width", [1280, 480])
def test_the_report_is_drawn_and_the_browser_has_no_complaint(report, tmp_path, width):
    visited = visit(report, tmp_path, width)
    assert visited.complaints == []
    assert visited.screenshot.stat().st_size > 10_000
    assert visited.n_colours > 100


@pytest.mark.parametrize(
    "fault",
    [
        "<script>undefinedFunction()</script>",
        '<img src="https://example.invalid/x.png">',
        '<svg><image href="https://example.invalid/x.png"/></svg>',
    ],
)
def test_a_script_or_an_outside_image_in_the_report_would_be_noticed(report, tmp_path, fault):
    broken = tmp_path / "broken.html"
    html = report.read_text(encoding="utf-8")
    broken.write_text(html.replace("<main>", f"<main>{fault}"), encoding="utf-8")
    assert visit(broken, tmp_path).complaints


def test_a_script_that_fails_would_be_noticed(tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text("<!doctype html><script>undefinedFunction()</script>", encoding="utf-8")
    assert visit(broken, tmp_path).complaints


def test_a_blank_page_would_be_noticed(tmp_path):
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>blank</title>", encoding="utf-8")
    assert visit(blank, tmp_path).n_colours == 1

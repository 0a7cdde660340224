"""What the documentation says is true: commands, tables, studies, links."""

import re
from pathlib import Path

import pytest

from sparkbias.cli import cli
from sparkbias.reference import TABLES_END, TABLES_START, table_list
from sparkbias.study_file import load_study
from sparkbias.warehouse import Warehouse

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "DECISIONS.md", "CHANGELOG.md"]


def blocks(kind):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    return [content for found, content in fenced if found == kind]


def test_the_table_list_is_the_contracts():
    listed = README.partition(TABLES_START)[2].partition(TABLES_END)[0].strip()
    assert listed == table_list(), "run `make reference`"


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_is_named_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`(?:``\n)?make ([a-z-]+)", (ROOT / page).read_text()))
    assert named <= targets


def test_ci_calls_the_readmes_commands():
    assert [line.split()[:2] for line in blocks("")[0].splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]
    script = (ROOT / ".ci" / "run").read_text()
    assert "\nmake demo\n" in script
    assert "\nmake test\n" in script


def test_every_command_that_is_named_exists_with_its_options():
    lines = [line for block in blocks("") for line in block.splitlines()]
    calls = [line.split("#")[0].split() for line in lines if line.startswith("sparkbias ")]
    assert len(calls) >= 4
    for _, name, *words in calls:
        command = cli.commands[name]
        command = getattr(command, "commands", {}).get(words[0] if words else "", command)
        known = {option for one in command.params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= known, name


def test_the_study_of_the_readme_loads(tmp_path):
    (study,) = blocks("yaml")
    path = tmp_path / "my-study.yaml"
    path.write_text(study, encoding="utf-8")
    assert load_study(path).study == "my-study"


def test_the_python_of_the_readme_runs(toy_warehouse, monkeypatch):
    (code,) = blocks("python")
    monkeypatch.chdir(toy_warehouse.path.parent)
    assert toy_warehouse.path.name == "warehouse"
    names = {}
    exec(code, names)
    assert len(names["scores"]) > 0
    assert isinstance(names["open_warehouse"]("warehouse"), Warehouse)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), f"{page} links to {target}"

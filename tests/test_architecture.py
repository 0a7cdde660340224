"""A ring imports only the rings inside it; the inner ones know no Spark and touch no file."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "sparkbias"
SHARED = {"config", "corpora", "settings", "errors", "table", "tables", "arrow", "left_out"}
ALLOWED = {
    "core": {"core"} | SHARED,
    "formats": {"formats", "core"} | SHARED,
    "bronze": {"bronze", "formats", "core"} | SHARED,
    "silver": {"silver", "bronze", "formats", "core"} | SHARED,
    "gold": {"gold", "silver", "formats", "core"} | SHARED,
    "report": {"report", "core", "provenance", "explain"} | SHARED,
}
# gensim trains from a file, which is written where a task says.
WRITES_A_LOCAL_FILE = {"cell_file.py", "corpus_file.py"}
FILE_CALLS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "getOrCreate"}


def modules(ring):
    return sorted((PACKAGE / ring).rglob("*.py"))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def called(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        # To open a stream that was handed over touches no file.
        if isinstance(node, ast.Call) and "fileobj" not in [word.arg for word in node.keywords]:
            function = node.func
            yield (
                function.attr
                if isinstance(function, ast.Attribute)
                else getattr(function, "id", "")
            )


@pytest.mark.parametrize("ring", ALLOWED)
def test_a_ring_imports_only_the_rings_inside_it(ring):
    for path in modules(ring):
        for name in imports(path):
            if name.startswith("sparkbias."):
                assert name.split(".")[1] in ALLOWED[ring], f"{path.name} imports {name}"


@pytest.mark.parametrize("ring", ["core", "formats", "bronze", "silver", "gold"])
def test_the_inner_rings_do_no_io(ring):
    for path in modules(ring):
        found = FILE_CALLS & set(called(path))
        assert not found or path.name in WRITES_A_LOCAL_FILE, f"{path.name} calls {found}"


def test_the_core_the_formats_and_the_reading_of_tables_need_no_spark():
    names = [
        f"sparkbias.{path.relative_to(PACKAGE).with_suffix('').as_posix().replace('/', '.')}"
        for ring in ("core", "formats", "report")
        for path in modules(ring)
    ]
    code = f"""
import sys
sys.modules["pyspark"] = None  # any import of it fails
import importlib, sparkbias, sparkbias.cli
for name in {names!r}:
    importlib.import_module(name.removesuffix(".__init__"))
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_module_has_grown_past_350_lines():
    root = PACKAGE.parent
    for path in [
        *PACKAGE.rglob("*.py"),
        *(root / "jobs").rglob("*.py"),
        *(root / "tests").rglob("*.py"),
    ]:
        n_lines = len(path.read_text(encoding="utf-8").splitlines())
        assert n_lines <= 350, f"{path.relative_to(root)} has {n_lines} lines"

"""From raw text at any scale to defensible statements about bias."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparkbias import metrics
    from sparkbias.core.query import Query
    from sparkbias.core.weat_query import weat
    from sparkbias.data_sources import register
    from sparkbias.query_table import run_queries
    from sparkbias.vector_files import load_vectors
    from sparkbias.warehouse import Warehouse, open_warehouse

__version__ = "0.1.0"

__all__ = [
    "Query",
    "Warehouse",
    "__version__",
    "load_vectors",
    "metrics",
    "open_warehouse",
    "register",
    "run_queries",
    "weat",
]

# Loaded when first asked for: a command that needs no tables does not wait for pandas.
_HOMES = {
    "Query": "sparkbias.core.query",
    "Warehouse": "sparkbias.warehouse",
    "load_vectors": "sparkbias.vector_files",
    "open_warehouse": "sparkbias.warehouse",
    "register": "sparkbias.data_sources",
    "run_queries": "sparkbias.query_table",
    "weat": "sparkbias.core.weat_query",
}


def __getattr__(name: str) -> object:
    if name == "metrics":
        return import_module("sparkbias.metrics")
    if name not in _HOMES:
        raise AttributeError(f"module 'sparkbias' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

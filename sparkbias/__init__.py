"""From raw text at any scale to defensible statements about bias."""

from sparkbias.vector_files import load_vectors
from sparkbias.warehouse import Warehouse, open_warehouse

__version__ = "0.1.0"

__all__ = ["Warehouse", "__version__", "load_vectors", "open_warehouse"]

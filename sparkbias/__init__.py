"""From raw text at any scale to defensible statements about bias."""

from sparkbias.warehouse import Warehouse, open_warehouse

__version__ = "0.1.0"

__all__ = ["Warehouse", "__version__", "open_warehouse"]

"""Bytes to records, or to the reason why not. Knows neither Spark nor tables, opens no file."""

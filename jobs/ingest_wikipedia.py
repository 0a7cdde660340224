"""Dumps of Wikipedia -> bronze.pages.

Usage: spark-submit jobs/ingest_wikipedia.py STUDY.yaml
"""

from sparkbias.ingest_wikipedia import ingest_wikipedia
from sparkbias.job import main

if __name__ == "__main__":
    main((ingest_wikipedia.__name__,), __doc__)

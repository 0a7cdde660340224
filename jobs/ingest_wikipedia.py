"""Dumps of Wikipedia -> bronze.pages.

Usage: spark-submit jobs/ingest_wikipedia.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.wiki_step import ingest_wikipedia

if __name__ == "__main__":
    main((ingest_wikipedia.__name__,), __doc__)

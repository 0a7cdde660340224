"""Reddit dumps -> bronze.posts.

Usage: spark-submit jobs/ingest_pushshift.py STUDY.yaml
"""

from sparkbias.ingest_pushshift import ingest_pushshift
from sparkbias.job import main

if __name__ == "__main__":
    main((ingest_pushshift.__name__,), __doc__)

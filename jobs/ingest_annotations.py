"""A corpus's source -> bronze.annotations.

Usage: spark-submit jobs/ingest_annotations.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.text_steps import ingest_annotations

if __name__ == "__main__":
    main((ingest_annotations.__name__,), __doc__)

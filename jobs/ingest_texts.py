"""A corpus's source -> bronze.texts.

Usage: spark-submit jobs/ingest_texts.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.text_steps import ingest_texts

if __name__ == "__main__":
    main((ingest_texts.__name__,), __doc__)

"""bronze.texts -> silver.documents.

Usage: spark-submit jobs/prepare_documents.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import prepare_documents

if __name__ == "__main__":
    main((prepare_documents.__name__,), __doc__)

"""bronze -> silver.documents.

Usage: spark-submit jobs/prepare_documents.py STUDY.yaml
"""

from sparkbias.document_step import prepare_documents
from sparkbias.job import main

if __name__ == "__main__":
    main((prepare_documents.__name__,), __doc__)

"""silver.documents -> silver.sentences.

Usage: spark-submit jobs/tokenise_documents.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import tokenise_documents

if __name__ == "__main__":
    main((tokenise_documents.__name__,), __doc__)

"""silver.sentences, gold.vocabulary -> gold.cooccurrences, where the study asks for it.

Usage: spark-submit jobs/count_cooccurrences.py STUDY.yaml
"""

from sparkbias.cooccurrence_step import count_cooccurrences
from sparkbias.job import main

if __name__ == "__main__":
    main((count_cooccurrences.__name__,), __doc__)

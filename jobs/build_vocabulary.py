"""silver.sentences -> gold.vocabulary, frozen for the study.

Usage: spark-submit jobs/build_vocabulary.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import build_vocabulary

if __name__ == "__main__":
    main((build_vocabulary.__name__,), __doc__)

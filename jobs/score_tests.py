"""gold.word_vectors -> gold.weat_scores.

Usage: spark-submit jobs/score_tests.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.weat_step import score_tests

if __name__ == "__main__":
    main((score_tests.__name__,), __doc__)

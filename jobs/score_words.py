"""gold.pole_counts, gold.word_counts -> gold.pmi_scores.

Usage: spark-submit jobs/score_words.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.null_steps import score_words

if __name__ == "__main__":
    main((score_words.__name__,), __doc__)

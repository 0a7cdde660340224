"""silver.sentences, gold.vocabulary -> gold.word_counts.

Usage: spark-submit jobs/count_words.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import count_words

if __name__ == "__main__":
    main((count_words.__name__,), __doc__)

"""silver.sentences, gold.vocabulary -> variants shuffle-1 … of silver.sentences.

Usage: spark-submit jobs/shuffle_sentences.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.null_steps import shuffle_sentences

if __name__ == "__main__":
    main((shuffle_sentences.__name__,), __doc__)

"""silver.sentences, gold.vocabulary -> gold.models, gold.word_vectors.

Usage: spark-submit jobs/train_embeddings.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.training_step import train_embeddings

if __name__ == "__main__":
    main((train_embeddings.__name__,), __doc__)

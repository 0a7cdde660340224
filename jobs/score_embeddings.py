"""gold.word_vectors, gold.word_counts -> gold.embedding_scores.

Usage: spark-submit jobs/score_embeddings.py STUDY.yaml
"""

from sparkbias.embedding_step import score_embeddings
from sparkbias.job import main

if __name__ == "__main__":
    main((score_embeddings.__name__,), __doc__)

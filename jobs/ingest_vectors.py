"""Files of word vectors -> gold.models, gold.word_vectors.

Usage: spark-submit jobs/ingest_vectors.py FILE... --corpus NAME
"""

import sys

from sparkbias.cli import main

if __name__ == "__main__":
    main(["ingest", "vectors", *sys.argv[1:]])

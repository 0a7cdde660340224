"""silver.sentences, gold.vocabulary -> gold.pole_counts.

Usage: spark-submit jobs/count_poles.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import count_poles

if __name__ == "__main__":
    main((count_poles.__name__,), __doc__)

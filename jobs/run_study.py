"""The whole study: every step in order.

Usage: spark-submit jobs/run_study.py STUDY.yaml
"""

from sparkbias.job import main
from sparkbias.pipeline import STEPS

if __name__ == "__main__":
    main(tuple(STEPS), __doc__)

"""Tables -> one HTML report.

Usage: python jobs/write_report.py --warehouse PATH
"""

import sys

from sparkbias.cli import main

if __name__ == "__main__":
    main(["report", *sys.argv[1:]])

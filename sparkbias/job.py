"""What a script in `jobs/` does: the steps it names, on the study it is given."""

import sys
from collections.abc import Sequence

from sparkbias.cli import main as command_line


def main(steps: Sequence[str], usage: str | None) -> None:
    """Run `sparkbias run` with these steps only; arguments and exit codes are the same."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        sys.stdout.write(f"{usage}\n\n")
    only = [argument for step in steps for argument in ("--only", step)]
    command_line(["run", *sys.argv[1:], *only])

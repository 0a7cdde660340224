"""One line per stage: alive on a terminal, plain log lines elsewhere."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console

logger = logging.getLogger("sparkbias")


@dataclass
class Line:
    """The line of one stage; what it `says` is shown when the stage is done."""

    says: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add a part to the closing words."""
        self.says.append(text)


class Progress:
    """Shows what is going on, on standard error."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._is_terminal = sys.stderr.isatty()

    @contextmanager
    def stage(self, title: str) -> Iterator[Line]:
        """Show a stage while it runs and how it ended."""
        line = Line()
        started = time.monotonic()
        if self._is_terminal:
            with self._console.status(f"{title} …"):
                yield line
        else:
            yield line
        seconds = time.monotonic() - started
        self._show(f"{title}: {'; '.join(line.says) or 'done'} ({seconds:.1f} s)", "green", "✓")

    def skipped(self, title: str, why: str) -> None:
        """Show a stage that had nothing to do."""
        self._show(f"{title}: {why}", "dim", "·")

    def warn(self, text: str) -> None:
        """Show something that deserves a look."""
        self._show(text, "yellow", "!")

    def _show(self, text: str, style: str, sign: str) -> None:
        if self._is_terminal:
            self._console.print(f"{sign} {text}", style=style, markup=False)
        else:
            logger.info("%s", text)

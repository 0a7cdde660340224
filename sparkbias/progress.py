"""One line per stage: alive on a terminal, plain log lines elsewhere."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

logger = logging.getLogger("sparkbias")


@dataclass
class Line:
    """The line of one stage; what it `says` is shown when the stage is done."""

    says: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add a part to the closing words."""
        self.says.append(text)


# Tasks done and tasks in all of what runs just now; None where nobody can tell.
Tasks = Callable[[], tuple[int, int] | None]
# How far a stage is, in its own words; None where nobody can tell.
Says = Callable[[], str | None]

LOG_EVERY = 30.0  # seconds, elsewhere than on a terminal


def _nobody_knows() -> None:
    return None


@dataclass
class Alive:
    """What a terminal shows while a stage runs; it is drawn anew several times a second."""

    title: str
    started: float
    tasks: Tasks
    says: Says = _nobody_knows
    ask_every: float = 1.0  # seconds: the answer comes from the JVM
    _asked: float = float("-inf")
    _answer: tuple[int, int] | None = None
    _said: str | None = None

    def __rich__(self) -> Text:
        now = time.monotonic()
        if now - self._asked >= self.ask_every:
            self._asked, self._answer, self._said = now, self.tasks(), self.says()
        text = f"{self.title} … {now - self.started:.0f} s"
        if self._answer:
            text += ", {:,} of {:,} tasks".format(*self._answer)
        return Text(f"{text}, {self._said}" if self._said else text)


class Progress:
    """Shows what is going on, on standard error."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._is_terminal = sys.stderr.isatty()

    @contextmanager
    def stage(
        self,
        title: str,
        *,
        started: float | None = None,
        tasks: Tasks = _nobody_knows,
        says: Says = _nobody_knows,
    ) -> Iterator[Line]:
        """Show a stage while it runs and how it ended.

        Args:
            title: its name.
            started: when it began, by the monotonic clock; now if left out.
            tasks: how far it is, where Spark can tell.
            says: how far it is, where the stage itself can tell; logged now and then too.
        """
        line = Line()
        began = time.monotonic() if started is None else started
        alive = Alive(title, began, tasks, says)
        with self._console.status(alive) if self._is_terminal else _logged(title, says):
            yield line
        seconds = time.monotonic() - began
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


@contextmanager
def _logged(title: str, says: Says) -> Iterator[None]:
    """Log what a stage says of itself, twice a minute, while the block runs."""
    is_over = threading.Event()

    def tell() -> None:
        while not is_over.wait(LOG_EVERY):
            if said := says():
                logger.info("%s: %s", title, said)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def token_rate(n_tokens: int, seconds: float) -> str:
    """`1,234,567 tokens, 2.5 M a second`."""
    rate = n_tokens / max(seconds, 1e-3)
    shown = f"{rate / 1e6:,.1f} M" if rate >= 1e6 else f"{rate:,.0f}"
    return f"{n_tokens:,} tokens, {shown} a second"

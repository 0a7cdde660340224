"""The options that commands share, packed into one argument."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields

import click

from sparkbias.session import SessionOptions

Command = Callable[..., None]


@dataclass(frozen=True)
class Options:
    """What the shared options say."""

    warehouse: str | None = None
    verbose: bool = False
    debug: bool = False
    as_json: bool = False
    master: str | None = None
    settings: tuple[str, ...] = ()

    @property
    def session(self) -> SessionOptions:
        """How a session is to be built."""
        return SessionOptions(master=self.master, verbose=self.verbose)


_ALWAYS = (
    click.option("--warehouse", metavar="PATH", help="Folder of the tables [./warehouse]."),
    click.option("--verbose", is_flag=True, help="Show all that Spark says."),
    click.option("--debug", is_flag=True, help="Show the whole trace of an error."),
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
_SPARK = (
    click.option("--master", metavar="URL", help="Spark's master [local[*]: all cores here]."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="a.b=c",
        help="Change one key of the study, e.g. --set vocabulary.min_count=20.",
    ),
)


def with_options(command: Command) -> Command:
    """Options of every command."""
    return _packed(command, _ALWAYS)


def with_json(command: Command) -> Command:
    """Options of a command that shows something."""
    return _packed(command, (*_ALWAYS, _JSON))


def with_spark(command: Command) -> Command:
    """Options of a command that runs a study."""
    return _packed(command, (*_ALWAYS, *_SPARK))


def _packed(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    """Hand the shared options over as one `Options`."""

    @functools.wraps(command)
    def packed(**given: object) -> None:
        shared = {f.name: given.pop(f.name) for f in fields(Options) if f.name in given}
        command(options=Options(**shared), **given)  # type: ignore[arg-type]  # click has checked

    wrapped: Command = packed
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped

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
_MASTER = click.option("--master", metavar="URL", help="Spark's master [local[*]: all cores here].")
_SPARK = (
    _MASTER,
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="a.b=c",
        help="Change one key of the study, e.g. --set vocabulary.min_count=20.",
    ),
)


# Of `explain`; read by `ContextOptions`.
_CONTEXTS = (
    click.option(
        "--contexts",
        "n_contexts",
        type=click.IntRange(0, 1000),
        default=0,
        metavar="N",
        help="Show N places of the word near each pole, each from another cluster.",
    ),
    click.option(
        "--unmasked",
        is_flag=True,
        help="Show rare words and document ids in them: people may be recognised.",
    ),
    click.option(
        "--seed", type=int, default=1, help="Another seed shows other places.", show_default=True
    ),
)


@dataclass(frozen=True)
class ContextOptions:
    """What is asked about the places of a word."""

    n_contexts: int = 0
    unmasked: bool = False
    seed: int = 1


def with_contexts(command: Command) -> Command:
    """Options of a command that shows text."""
    return _packed(command, _CONTEXTS, ContextOptions, "reading")


def with_options(command: Command) -> Command:
    """Options of every command."""
    return _packed(command, _ALWAYS, Options, "options")


def with_json(command: Command) -> Command:
    """Options of a command that shows something."""
    return _packed(command, (*_ALWAYS, _JSON), Options, "options")


def with_master(command: Command) -> Command:
    """Options of a command that needs Spark and no study."""
    return _packed(command, (*_ALWAYS, _MASTER), Options, "options")


def with_spark(command: Command) -> Command:
    """Options of a command that runs a study."""
    return _packed(command, (*_ALWAYS, *_SPARK), Options, "options")


def _packed(
    command: Command,
    options: tuple[Callable[[Command], Command], ...],
    kind: type[Options] | type[ContextOptions],
    name: str,
) -> Command:
    """Hand options that belong together over as one argument."""

    @functools.wraps(command)
    def packed(**given: object) -> None:
        shared = {f.name: given.pop(f.name) for f in fields(kind) if f.name in given}
        command(**given, **{name: kind(**shared)})  # type: ignore[arg-type]  # click has checked

    wrapped: Command = packed
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped

"""Every error raised on purpose, named by what must happen next.

The command line turns each into one message and the exit code it carries: 1 the data said no,
2 the user must change something, 3 a bug.
"""


class SparkbiasError(Exception):
    """Root of all errors of this package; catching it catches them all."""

    exit_code = 3


class ConfigError(SparkbiasError, ValueError):
    """A study file must be changed. Lists every problem at once, before anything starts."""

    exit_code = 2

    def __init__(self, where: str, problems: list[str]) -> None:
        self.problems = problems
        lines = "\n".join(f"  - {problem}" for problem in problems)
        super().__init__(f"{where}: {len(problems)} problem(s)\n{lines}")


class SetupError(SparkbiasError):
    """Something must be installed or configured: Java, Spark, the Delta JARs."""

    exit_code = 2


class SourceError(SparkbiasError):
    """A path must be changed: the source is missing, unreadable or holds nothing."""

    exit_code = 2


class WarehouseError(SparkbiasError):
    """Another warehouse must be named, or this one freed: locked, read-only, other contract."""

    exit_code = 2


class VocabularyError(SparkbiasError):
    """The word lists or the vocabulary must be changed: nothing would be measured."""

    exit_code = 2


class QueryError(SparkbiasError, ValueError):
    """The word lists of a query, or what is asked of them, must be changed."""

    exit_code = 2


class TooManyRejects(SparkbiasError):
    """The data said no: more records were rejected than the study allows."""

    exit_code = 1


class LedgerError(SparkbiasError):
    """A bug: records went in that came out nowhere."""


class ContractError(SparkbiasError, ValueError):
    """A bug: a stage yielded rows that its table does not promise."""


class UndefinedMeasure(SparkbiasError, ArithmeticError):
    """A measure has no value here; the stage writes null and the reason, never NaN."""


class TrainingFailed(SparkbiasError):
    """A model has no vectors: its row in gold.models tells why, and the other models go on."""

    exit_code = 1

    def __init__(self, reason: str, details: str = "") -> None:
        self.reason = reason
        super().__init__(f"{reason} ({details})" if details else reason)

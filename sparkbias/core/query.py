"""What is asked of an embedding: target sets, and the attribute sets they are held against."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from sparkbias.errors import QueryError

WordSet = tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """Word sets by name, as users of WEFE know them.

    WEAT takes two of each: the targets X and Y, and the poles A and B as attribute sets.

    Args:
        target_sets: lists of words whose lean is asked for.
        attribute_sets: lists of words they may lean to.
        target_sets_names: what to call them; `Target set 0` ... where none are given.
        attribute_sets_names: the same.
        name: of the whole; made from the names of the sets where none is given.
        citation: where the lists come from.
        as_run: list word -> the spelling that a published run used, if it was another.

    Raises:
        QueryError: a set is no list of words, is empty or repeats a word, or a name stands twice.
    """

    target_sets: Sequence[Sequence[str]]
    attribute_sets: Sequence[Sequence[str]]
    target_sets_names: Sequence[str] | None = None
    attribute_sets_names: Sequence[str] | None = None
    _: KW_ONLY
    name: str = ""
    citation: str = ""
    as_run: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in ("target", "attribute"):
            sets = _as_sets(getattr(self, f"{kind}_sets"), kind)
            names = _as_names(getattr(self, f"{kind}_sets_names"), kind, len(sets))
            # Frozen for users; here the lists they gave become tuples.
            object.__setattr__(self, f"{kind}_sets", sets)
            object.__setattr__(self, f"{kind}_sets_names", names)
        object.__setattr__(self, "name", self.name or self.query_name)
        problems = [
            problem for name, words in self.sets.items() for problem in _faults(name, words)
        ]
        if len(self.sets) < sum(self.template):
            problems.append("two sets have the same name: give each its own")
        if problems:
            raise QueryError(f"query {self.name!r}: " + "; ".join(problems))

    @property
    def template(self) -> tuple[int, int]:
        """How many target and attribute sets there are."""
        return len(self.target_sets), len(self.attribute_sets)

    @property
    def targets(self) -> dict[str, WordSet]:
        """Name -> words of the target sets, in their order."""
        return dict(zip(self.target_sets_names or (), map(tuple, self.target_sets), strict=True))

    @property
    def attributes(self) -> dict[str, WordSet]:
        """Name -> words of the attribute sets, in their order."""
        names = self.attribute_sets_names or ()
        return dict(zip(names, map(tuple, self.attribute_sets), strict=True))

    @property
    def sets(self) -> dict[str, WordSet]:
        """Name -> words of every set, targets first."""
        return self.targets | self.attributes

    @property
    def query_name(self) -> str:
        """`Male terms and Female terms wrt Science and Arts`."""
        targets, attributes = self.target_sets_names or (), self.attribute_sets_names or ()
        return f"{' and '.join(targets)} wrt {' and '.join(attributes)}"


def _as_sets(given: object, kind: str) -> tuple[WordSet, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise QueryError(f"{kind}_sets must be a list of lists of words, not {given!r}")
    for one in given:
        # A string is a sequence too, of letters: the commonest slip.
        if isinstance(one, str) or not isinstance(one, Sequence):
            raise QueryError(f"{kind}_sets must be a list of lists of words; {one!r} is no list")
    return tuple(tuple(one) for one in given)


def _as_names(given: Sequence[str] | None, kind: str, n_sets: int) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{kind.capitalize()} set {place}" for place in range(n_sets))
    if len(given) != n_sets:
        raise QueryError(f"{n_sets} {kind} sets, but {len(given)} names for them")
    return tuple(str(name) for name in given)


def _faults(name: str, words: WordSet) -> list[str]:
    """What is wrong with one set."""
    strange = [word for word in words if not isinstance(word, str) or not word.strip()]
    if strange:
        return [f"{name}: {strange[0]!r} is no word (YAML: put it in quotes)"]
    if not words:
        return [f"{name}: is empty"]
    repeated = [word for word, n in Counter(words).items() if n > 1]
    return [f"{name}: {', '.join(repeated)} stands twice"] if repeated else []


def require_template(query: Query, template: tuple[int, int], measure: str) -> None:
    """Refuse a query whose number of sets a measure cannot take.

    Raises:
        QueryError: naming how many it takes.
    """
    if query.template != template:
        raise QueryError(
            f"{measure} takes {template[0]} target and {template[1]} attribute sets; query "
            f"{query.name!r} has {query.template[0]} and {query.template[1]}"
        )


def require_disjoint(sets: Mapping[str, Sequence[str]], where: str) -> None:
    """Refuse sets that share a word: it would be compared with itself.

    Raises:
        QueryError: naming each shared word and its sets.
    """
    homes: dict[str, list[str]] = {}
    for name, words in sets.items():
        for word in words:
            homes.setdefault(word, []).append(name)
    shared = [f"{w!r} in {' and '.join(names)}" for w, names in homes.items() if len(names) > 1]
    if shared:
        raise QueryError(f"query {where!r}: a word may stand in one set only: {', '.join(shared)}")


def poles_of(query: Query) -> Query:
    """A query of the two poles alone: A is its only target set, B its only attribute set.

    Raises:
        QueryError: there are not two attribute sets, or they share a word.
    """
    if len(query.attribute_sets) != 2:
        raise QueryError(
            f"the two attribute sets of a query are the poles; query {query.name!r} has "
            f"{len(query.attribute_sets)}"
        )
    (name_a, words_a), (name_b, words_b) = query.attributes.items()
    poles = Query([words_a], [words_b], [name_a], [name_b])
    require_disjoint(poles.sets, query.name)
    return poles

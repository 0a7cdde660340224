"""What `sparkbias weat` prints: tables for people, JSON for programs."""

import json
from collections.abc import Sequence

import click

from sparkbias.cli_show import new_table, print_table
from sparkbias.core.contexts import printable
from sparkbias.core.query import Query
from sparkbias.core.weat_query import WeatResult
from sparkbias.core.weat_tests import Tested

FLAG_MEANINGS = {
    "too_few_splits": "fewer than 50 splits: an effect size, but no p",
    "few_splits": "fewer than 1,000 splits: p cannot be below the least p",
    "random_sets_loose": "no random sets are as coherent as these: matched p is too small",
    "p_not_valid": "the preset repeats a sampler that gives no valid p",
}


def test_list(queries: Sequence[Query], *, as_json: bool) -> None:
    """The ready-made tests: name, sets with their sizes, where they come from."""
    if as_json:
        rows = [
            {"test": one.name, "targets": one.targets, "attributes": one.attributes,
             "citation": one.citation} for one in queries
        ]  # fmt: skip
        click.echo(json.dumps(rows, indent=2))
        return
    table = new_table("test", "targets X and Y", "attributes A and B")
    for one in queries:
        table.add_row(one.name, _sizes(one.targets), _sizes(one.attributes))
    print_table(table)
    for citation in dict.fromkeys(one.citation for one in queries):
        groups = dict.fromkeys(o.name.split("/")[0] for o in queries if o.citation == citation)
        click.echo(f"\n{', '.join(groups)}: {citation}")


def _sizes(sets: dict[str, tuple[str, ...]]) -> str:
    return " · ".join(f"{name} ({len(words)})" for name, words in sets.items())


def results(tested: Sequence[Tested], *, with_words: bool, as_json: bool) -> None:
    """Every test, what is missing, and how to read it."""
    if as_json:
        rows = [one.to_dict() for one in tested]
        click.echo(json.dumps(rows, indent=2, allow_nan=False))
        return
    has_matched = any(one.result and one.result.matched for one in tested)
    table = new_table(
        *("test", "X · Y", "towards A · B", "d", "p", "two-sided", "q"),
        *(("matched p",) if has_matched else ()),
        *("least p", "splits", "missing", "flags"),
    )
    for one in tested:
        if one.result:
            table.add_row(*_cells(one, one.result, has_matched=has_matched))
    print_table(table)
    _below(tested, has_matched=has_matched)
    if with_words:
        for one in tested:
            if one.result:
                _words(one.result)


def _cells(one: Tested, result: WeatResult, *, has_matched: bool) -> list[str]:
    matched = (_p(result.p_matched_sets),) if has_matched else ()
    n_missing = sum(map(len, result.missing_words.values()))
    how = "all" if result.method == "exact" else f"{result.n_permutations:,} drawn"
    splits = f"{how} {result.n_permutations:,}" if result.method == "exact" else how
    targets, attributes = (" · ".join(sets) for sets in (one.query.targets, one.query.attributes))
    return [
        *(printable(result.test), printable(targets), printable(attributes)),
        f"{result.effect_size:.3f}",
        *(_p(result.p_value), _p(result.p_value_two_sided), _p(one.q_value)),
        *matched,
        *(_p(result.smallest_p), splits, f"{n_missing}" if n_missing else ""),
        ", ".join(result.flags),
    ]


def _p(value: float | None) -> str:
    """Two digits; None as a dash."""
    if value is None:
        return "–"
    return f"{value:.1e}" if 0 < value < 0.0001 else f"{value:.4f}"


def _below(tested: Sequence[Tested], *, has_matched: bool) -> None:
    """What stands below the table: reasons, missing words, flags, a warning."""
    for one in tested:
        if one.reason:
            click.echo(f"{printable(one.query.name)}: not tested: {printable(one.reason)}")
        elif missing := _missing(one):
            click.echo(f"{printable(one.query.name)}: not used: {missing}")
    flags = dict.fromkeys(flag for one in tested if one.result for flag in one.result.flags)
    for flag in flags:
        click.echo(f"{flag}: {FLAG_MEANINGS[flag]}")
    if not has_matched:
        click.echo(
            "p alone says little: a third of all pairs of coherent random sets get p <= .05. "
            "--matched compares with such sets."
        )


def _missing(one: Tested) -> str:
    lost = one.result.missing_words if one.result else {}
    parts = [f"{word} ({reason})" for words in lost.values() for word, reason in words.items()]
    return printable(", ".join(parts))


def _words(result: WeatResult) -> None:
    """Each word's lean and what the effect size would be without it, the weightiest first."""
    click.echo(f"\n{printable(result.test)}: d = {result.effect_size:.3f}; without one word:")
    table = new_table("word", "set", "lean", "d without it", "change")
    changes = [(one, result.effect_size - one.effect_size_without) for one in result.words
               if one.effect_size_without is not None]  # fmt: skip
    for one, change in sorted(changes, key=lambda pair: -abs(pair[1])):
        row = (f"{one.lean:+.3f}", f"{one.effect_size_without:.3f}", f"{change:+.3f}")
        table.add_row(printable(one.word), printable(one.set_name), *row)
    print_table(table)

"""`sparkbias forget`: a person's posts out of a warehouse, for good."""

import json

import click

from sparkbias.cli_options import Options, with_json
from sparkbias.forgetting import Forgotten
from sparkbias.runner import forget_person, place_of

_HELP = """Remove a person's posts from bronze and silver, with their history, for good.

\b
sparkbias forget --author NAME --dry-run     what would go
sparkbias forget --author NAME               it goes, and cannot be brought back

Posts go at once from bronze.posts, silver.documents and silver.sentences, and former versions of
these tables are deleted, so that no time travel leads back to them. Everything counted from them
is counted anew by the next run of its study. The name's keyed hash, not the name, stays in
meta.forgotten, and every later ingest leaves the person's posts out.

\b
What it cannot do:
- reach copies: the dumps themselves, exports, backups, reports that quote a post;
- know a person's other names, or posts whose author the dumps give as [deleted];
- shorten a frozen vocabulary: raise vocabulary.refreeze to build it anew;
- help under another key than the one the posts were ingested with (SPARKBIAS_AUTHOR_KEY).

Texts of other sources carry their author as delivered: take them out of the source and run again.
"""


@click.command(help=_HELP)
@click.option("--author", required=True, metavar="NAME", help="The name, as in the dumps.")
@click.option("--dry-run", is_flag=True, help="Show what would go; change nothing.")
@with_json
def forget(*, author: str, dry_run: bool, options: Options) -> None:
    """Take an author out."""
    place = place_of(None, options.warehouse)
    found = forget_person(author, place, options.session, is_dry=dry_run)
    if options.as_json:
        content = {"rows": found.n_rows, "stale": found.stale, "dry_run": dry_run}
        click.echo(json.dumps(content, indent=2))
    else:
        _show(found, is_dry=dry_run)


def _show(found: Forgotten, *, is_dry: bool) -> None:
    verb = "would go" if is_dry else "are gone, with their history"
    for table, n in found.n_rows.items():
        click.echo(f"{table}: {n:,} rows {verb}")
    for table, n in found.stale.items():
        when = "would be" if is_dry else "will be"
        click.echo(f"{table}: {n:,} slices {when} counted anew by the next run")
    if not is_dry:
        click.echo("later ingests leave this author out")

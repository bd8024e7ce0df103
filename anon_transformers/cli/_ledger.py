"""``anon ledger``: what was published, and whether somebody changed the record."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
)
from anon_transformers.exceptions import ConfigurationError, LedgerError

if TYPE_CHECKING:
    from anon_transformers.ledger import RecordedPublication

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Show what was published, and verify the record of it.",
)
Place = Annotated[
    Path,
    typer.Option(
        "--at",
        metavar="PLACE",
        help="A release file or a workspace; by default the workspace "
        "[bold].anon[/bold] of the current folder.",
    ),
]
Name = Annotated[
    str,
    typer.Argument(
        metavar="PUBLICATION",
        help="Name of a version, or [bold]release/version[/bold].",
    ),
]
HERE = Path()
NOTHING = "-"
MOST_SHOWN = 5


@app.command("list")
@handle_errors
def list_(at: Place = HERE, json_output: JsonFlag = False) -> None:
    """List publications in the order in which they were reserved.

    [bold]anon ledger list --at releases/adult.yaml[/bold]
    """
    from anon_transformers.release._ledger import find_ledger

    ledger, _ = find_ledger(at)
    found = ledger.publications(states=["reserved", "published", "given-up"])
    if json_output:
        print_json([one.to_dict() for one in found])
        return
    header = ["release", "version", "period", "source", "state", "at", "memberships"]
    rows = [
        (
            one.publication.release,
            one.publication.version,
            one.publication.period or NOTHING,
            one.publication.source,
            one.state,
            one.published_at or one.reserved_at,
            one.memberships,
        )
        for one in found
    ]
    print_table("Publications", header, rows)


@app.command()
@handle_errors
def show(name: Name, at: Place = HERE, json_output: JsonFlag = False) -> None:
    """Show what is recorded of one publication.

    [bold]anon ledger show adult/20261117T211111-4fd28a[/bold]
    """
    from anon_transformers.release._ledger import find_ledger

    ledger, _ = find_ledger(at)
    found = ledger.find(name)
    entries = [
        {"sequence": e.sequence, "event": e.event, "at": e.content["at"]}
        for e in ledger.entries()
        if e.publication == found.publication.name
    ]
    if json_output:
        print_json({**found.to_dict(), "entries": entries})
        return
    rows = [(key, _in_words(value)) for key, value in found.to_dict().items()]
    print_table("/".join(found.publication.name), ["what", "recorded"], rows)
    events = [(entry["sequence"], entry["event"], entry["at"]) for entry in entries]
    print_table("Entries", ["entry", "event", "at"], events)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_in_words(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NOTHING
    if value is None:
        return NOTHING
    return value if isinstance(value, str) else format_number(value)


@app.command()
@handle_errors
def diff(old: Name, new: Name, at: Place = HERE, json_output: JsonFlag = False) -> None:
    """Show what changed between two publications: roles, method, thresholds, levels.

    [bold]anon ledger diff adult/20261017T211111-4fd28a 20261117T211111-51aa02[/bold]
    """
    from anon_transformers.ledger import compare_publications
    from anon_transformers.release._ledger import find_ledger

    ledger, _ = find_ledger(at)
    one, other = ledger.find(old), ledger.find(new)
    changed = compare_publications(one.publication, other.publication)
    if json_output:
        print_json(changed)
        return
    rows = [
        (key, _in_words(found["from"]), _in_words(found["to"]))
        for key, found in changed.items()
    ]
    print_table("What changed", ["what", _title(one), _title(other)], rows)


def _title(found: "RecordedPublication") -> str:
    return "/".join(found.publication.name)


@app.command()
@handle_errors
def verify(at: Place = HERE, json_output: JsonFlag = False) -> None:
    """Look for entries that were changed, removed, reordered or inserted.

    The exit code is 1 if there is one. With [bold]ANON_LEDGER_KEY[/bold] in the
    environment, stored memberships are checked, too.

    [bold]anon ledger verify --at releases/adult.yaml[/bold]
    """
    from anon_transformers.ledger import MembershipKey
    from anon_transformers.release._ledger import find_ledger, unrecorded

    ledger, workspace = find_ledger(at)
    found = ledger.verify(MembershipKey.from_environment())
    missing = unrecorded(ledger, workspace) if found.intact else []
    if json_output:
        names = ["/".join(name) for name in missing]
        print_json({**found.to_dict(), "not_recorded": names})
    else:
        verdict = "intact" if found.intact else "not intact"
        typer.echo(f"{found.n_entries} entries: {verdict}")
        for fault in found.faults:
            typer.echo(f"- {fault}")
        for unchecked in found.unchecked:
            typer.echo(f"- not checked: {unchecked}")
        if missing:
            shown = ", ".join("/".join(name) for name in missing[:MOST_SHOWN])
            rest = len(missing) - MOST_SHOWN
            typer.echo(
                f"- published by the journal, and not recorded here: {shown}"
                f"{f' and {rest} more' if rest > 0 else ''}"
            )
    if not found.intact:
        raise typer.Exit(BROKEN_PROMISE)


@app.command()
@handle_errors
def forget(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[PUBLICATION]",
            help="Name of a version, or [bold]release/version[/bold].",
        ),
    ] = None,
    person: Annotated[
        bool,
        typer.Option(
            "--person",
            help="Remove one person from all publications; asks for their key, which "
            "must not stand in the history of a shell.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    at: Place = HERE,
    json_output: JsonFlag = False,
) -> None:
    """Remove which class persons were in; that it was published stays recorded.

    It does not come back. Later releases of the source can then not be judged against
    that publication.

    [bold]anon ledger forget adult/20261117T211111-4fd28a[/bold]
    """
    from anon_transformers.release._ledger import find_ledger

    if (name is None) == (not person):
        raise ConfigurationError("name a publication, or give --person, one of both.")
    ledger, _ = find_ledger(at, to_read=False)
    if name is not None:
        publication = ledger.find(name).publication.name
        if not yes:
            shown = "/".join(publication)
            typer.confirm(f"Forget the memberships of {shown}?", abort=True, err=True)
        ledger.forget(publication)
        done = [publication]
    else:
        done = _forget_person(ledger)
    if json_output:
        print_json({"forgotten": ["/".join(each) for each in done]})
    else:
        what = "A person was removed from" if person else "Forgotten:"
        typer.echo(f"{what} {', '.join('/'.join(each) for each in done) or 'nothing'}")


def _forget_person(ledger: Any) -> Any:
    from anon_transformers.ledger import MembershipKey

    key = MembershipKey.from_environment()
    if key is None:
        raise ConfigurationError(
            "--person: ANON_LEDGER_KEY is not set, and without it nobody is found."
        )
    asked = typer.prompt("Key of the person", hide_input=True, err=True)
    done = ledger.forget_person(asked, key)
    if not done:
        raise LedgerError("--person: no publication holds this person.")
    return done

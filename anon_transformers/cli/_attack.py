"""``anon attack``: see what an intruder could do with a release."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import track
from rich.text import Text

from anon_transformers.cli._assignments import name_and_assignments
from anon_transformers.cli._columns import (
    CountedBy,
    Missing,
    Naming,
    QuasiIdentifiers,
    Sensitive,
    check_persons,
    repeated,
)
from anon_transformers.cli._dialects import (
    Dialect,
    Encoding,
    OriginalEncoding,
    OriginalSeparator,
    Separator,
    find_dialect,
)
from anon_transformers.cli._hierarchy_files import Folder, read_folder
from anon_transformers.cli._published import NOT_PUBLISHED, read_release
from anon_transformers.cli._tables import FILES, TableReader, typed_texts
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    Console,
    JsonFlag,
    handle_errors,
    percent,
    print_json,
    print_table,
    print_warning,
)
from anon_transformers.exceptions import ConfigurationError, DataError, NotEvaluable

if TYPE_CHECKING:
    from anon_transformers.attacks import AttackInput, AttackReport

Release = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE",
        help=f"A file ({FILES}), or the folder of a published release.",
    ),
]
Original = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The table that the release was made from."),
]
External = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A table with names, to link the release with."),
]
Other = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A second release of the same persons."),
]
Control = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Persons like those of --original who are not in the release.",
    ),
]
Chosen = Annotated[
    list[str] | None,
    repeated(
        "--attack",
        "-a",
        metavar="NAME,KEY=VALUE,…",
        help="Run this one only, such as [bold]skewness,difference=0.2[/bold]",
    ),
]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Print the exposed records themselves."),
]


@handle_errors
def attack(
    path: Release,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Naming = None,
    subject: CountedBy = None,
    original: Original = None,
    external: External = None,
    other: Other = None,
    control: Control = None,
    hierarchies: Folder = None,
    attacks: Chosen = None,
    show_values: ShowValues = False,
    suppression_label: Annotated[
        str, typer.Option(help="Label of a suppressed cell.")
    ] = "*",
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    original_separator: OriginalSeparator = None,
    original_encoding: OriginalEncoding = None,
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Attack a release; exit code 1 when a record is exposed.

    Every attack runs whose inputs are given; the others are listed with what they
    lack. An attack that was named and could not be run counts as a failure, too, and
    so does one that cannot use the tables it was given.
    Records are counted, and shown only with --show-values. With --subject persons are,
    in classes and among the exposed; attacks that cannot count persons are not run.

    [bold]anon attack safe.csv -q age -q zip -s disease --external voters.csv[/bold]

    The record intruder knows the original. Of swapped tables one link in k is right by
    chance: name the k that was promised (k), what the intruder knows (scenario:
    uninformed, or informed of all but one column) and how numbers are compared
    (linkage: distance or rank).

    [bold]anon attack swapped.csv -q age -s pay --original people.csv
    -a record-intruder,k=5,scenario=informed,linkage=rank[/bold]
    """
    chosen, own = _chosen(attacks), Dialect(separator, encoding)
    if path.is_dir() and subject is not None:
        raise ConfigurationError(f"--subject: {NOT_PUBLISHED}")
    roles = (quasi_identifiers, sensitive, identifiers, subject)
    typed = [*typed_texts(roles, _parameters(attacks))]
    reader = TableReader(missing, typed, show_values)
    frame, options = _release(path, own, reader, quasi_identifiers, sensitive, subject)
    options.setdefault("suppression_label", suppression_label)
    stated = (original_separator, original_encoding, "--original")
    given = {
        "original": original,
        "external": external,
        "other": other,
        "control": control,
    }
    as_text = options["quasi_identifiers"]
    tables = _tables(given, own, stated, reader, as_text)
    declared = (options["quasi_identifiers"], options["sensitive"])
    columns = [*declared[0], *declared[1]]
    held = [frame, *([tables["original"]] if original is not None else [])]
    check_persons(path, held, declared, identifiers, subject)
    from anon_transformers.attacks import AttackInput

    by_column = read_folder(hierarchies, columns, encoding)
    attack_input = AttackInput(frame, **options, **tables, hierarchies=by_column)
    reports, skipped, broken = _run(
        chosen, attack_input, show_values, quiet=json_output
    )
    counted = "rows" if subject is None else "persons"
    if json_output:
        print_json({"counted": counted, **_plain(reports, skipped, show_values)})
    else:
        _print_report(path, reports, skipped, show_values, counted)
    if any(report.exposed for report in reports) or broken or (attacks and skipped):
        raise typer.Exit(BROKEN_PROMISE)


def _tables(
    files: dict[str, Path | None],
    own: Dialect,
    stated: tuple[str | None, str | None, str],
    reader: TableReader,
    as_text: list[str],
) -> dict[str, Any]:
    """What an intruder holds beside the release, of the files that are given.

    The held-out part is written as the original is.
    """
    tables: dict[str, Any] = {}
    for name, file in files.items():
        if file is not None:
            how = stated if name in {"original", "control"} else ()
            dialect = find_dialect(file, own, *how)
            tables[name] = reader.read(file, dialect, as_text=as_text)
    return tables


def _chosen(texts: list[str] | None) -> list[Any]:
    """The attacks asked for, or all, with their parameters."""
    from anon_transformers.registry import registry
    from anon_transformers.release._build import build

    catalog = registry().attacks
    if not texts:
        all_of_them = (catalog[name] for name in catalog)
        return [cls() for cls in all_of_them if cls.kind == "table"]
    made = []
    for text in texts:
        name, params = name_and_assignments("attack", text)
        made.append(build(f"attack {name}", catalog, name, params))
        if made[-1].kind != "table":
            raise ConfigurationError(
                f"attack {name}: it attacks a {made[-1].kind}, and the release is a "
                "table."
            )
    return made


def _parameters(texts: list[str] | None) -> list[dict[str, Any]]:
    """What was stated of attacks; texts among it may be names of columns."""
    return [name_and_assignments("attack", text)[1] for text in texts or []]


def _release(
    path: Path,
    dialect: Dialect,
    reader: TableReader,
    quasi_identifiers: list[str] | None,
    sensitive: list[str] | None,
    subject: str | None,
) -> tuple[Any, dict[str, Any]]:
    """The release and what its columns are."""
    options: dict[str, Any] = {"sensitive": []}
    if path.is_dir():
        frame, manifest = read_release(path)
        if manifest["subject"] is not None:
            print_warning(f"this release counts persons; {NOT_PUBLISHED}")
        reader.declare(frame.columns)
        wanted = ("quasi_identifiers", "sensitive", "suppression_label")
        options = {name: manifest[name] for name in wanted}
    else:
        needed = [*typed_texts(quasi_identifiers, sensitive, subject)]
        options["subject"] = subject
        frame = reader.read(path, dialect, needed, as_text=quasi_identifiers or ())
    if quasi_identifiers:
        options["quasi_identifiers"] = quasi_identifiers
    if sensitive:
        options["sensitive"] = sensitive
    if "quasi_identifiers" not in options:
        raise ConfigurationError("name the quasi-identifiers with -q COLUMN.")
    return frame, options


def _run(
    chosen: list[Any], attack_input: "AttackInput", show_values: bool, *, quiet: bool
) -> "tuple[list[AttackReport], dict[str, str], bool]":
    """Reports of the attacks that could be run, and why the others were not.

    Tables that one attack cannot use do not keep the others from running, but nobody
    may take the run for a clean one: the last value says whether there were any.
    """
    reports, skipped, broken = [], {}, False
    console = Console(stderr=True, quiet=quiet)
    for one in track(chosen, "attacking", console=console, transient=True):
        try:
            reports.append(one.run_on(attack_input, show_values=show_values))
        except (DataError, NotEvaluable) as error:
            skipped[one.name] = str(error).removeprefix(f"{one.name}: ")
            broken |= isinstance(error, DataError)
    return reports, skipped, broken


def _plain(
    reports: "list[AttackReport]", skipped: dict[str, str], show_values: bool
) -> dict[str, Any]:
    entries = []
    for report in reports:
        plain = report.to_dict()
        if show_values and report.exposed_records is not None:
            plain["exposed_records"] = report.exposed_records.to_dict("records")
        entries.append(plain)
    return {
        "exposed": any(report.exposed for report in reports),
        "attacks": entries,
        "not_run": skipped,
    }


def _print_report(
    path: Path,
    reports: "list[AttackReport]",
    skipped: dict[str, str],
    show_values: bool,
    counted: str,
) -> None:
    rows = [
        (
            report.attack,
            Text(f"{report.exposed:,}", style="red" if report.exposed else ""),
            percent(report.share),
            f"{report.exposed_units:,} of {report.units:,} {report.unit}",
            report.meaning,
        )
        for report in reports
    ]
    header = ["attack", f"{counted} exposed", "share", "found in", "what exposed means"]
    title = f"{path}: what an intruder can do; {counted} are counted"
    print_table(title, header, rows)
    for report in reports:
        _print_interval(report)
        if report.exposed:
            typer.echo(f"- {report.attack}: {report.remedy}")
    for name, why in skipped.items():
        typer.echo(f"- {name} was not run: {why}")
    if not show_values:
        return
    for report in reports:
        table = report.exposed_records
        if report.exposed and table is not None:
            print_table(
                f"{report.attack}: exposed records",
                [str(name) for name in table.columns],
                list(table.itertuples(index=False)),
            )


def _print_interval(report: "AttackReport") -> None:
    """The share of persons that an attack expects to find in the worst column."""
    details = report.details
    if not {"share", "low", "high", "column"} <= set(details):
        return
    by, of_any = "", ""
    if details["column"] is not None:
        by = f"by {details['column']}, which fares worst, "
        of_any = ", by any sensitive column"
    typer.echo(
        f"- {report.attack}: {by}{percent(details['share'])} of the persons are linked "
        "rightly on average, guesses among equally near rows with them "
        f"({percent(report.params['confidence'])} confidence interval: "
        f"{percent(details['low'])} to {percent(details['high'])}); exposed above are "
        "those "
        f"linked {_sure(report.params['k'])}{of_any}"
    )


def _sure(k: int | None) -> str:
    """How sure a link must be to count."""
    if k is None:
        return "for sure"
    return f"more often than 1/{k}, where the interval lies above that"

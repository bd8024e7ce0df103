"""``anon init``: a release that works, or one proposed from a table, to start from."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._columns import (
    Dates,
    Identifiers,
    Insensitive,
    Missing,
    QuasiIdentifiers,
    Sensitive,
    Subject,
    read_dates,
    repeated,
)
from anon_transformers.cli._dialects import (
    Dialect,
    Encoding,
    Separator,
    existing_file,
)
from anon_transformers.cli._tables import FILES, TableReader
from anon_transformers.cli.output import (
    JsonFlag,
    handle_errors,
    print_json,
    print_table,
    print_warning,
    progress_bar,
)
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
)

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.proposals import ProposedRelease
    from anon_transformers.proposals._periods import PeriodPath

WRITTEN = {
    "release.yaml": "releases/adult.yaml",
    "suite.json": "expectations/adult.json",
    "dag.py.txt": "dags/releases.py",
}
TABLES = (".csv", ".gz", ".tsv", ".txt", ".parquet", ".bz2", ".zip", ".xz")
"""Endings of what is meant to be a table, and is no name of a folder."""
BUNDLED = "bundled:"
Drop = Annotated[
    list[str] | None,
    repeated("--drop", metavar="COLUMN", help="Column that is not needed"),
]
DropRest = Annotated[
    bool,
    typer.Option(
        "--drop-rest",
        help="Drop all columns that no option names, unless they name persons.",
    ),
]
DropUnsure = Annotated[
    bool,
    typer.Option(
        "--drop-unsure",
        help="Drop those of them of which the proposal is not sure (low certainty).",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Name of a proposed release; by default that of the table, of several "
        "tables without the date.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Where a proposed release goes; here by default."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what was written.")]
NoScores = Annotated[
    bool,
    typer.Option("--no-scores", help="Do not measure how much loss hierarchies save."),
]


@handle_errors
def init(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|TABLE...",
            help="A new folder, or tables to propose a release of, all looked at "
            f"together: {FILES}.",
        ),
    ],
    out: Out = None,
    name: Name = None,
    subject: Subject = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    insensitive: Insensitive = None,
    dropped: Drop = None,
    drop_rest: DropRest = False,
    drop_unsure: DropUnsure = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    dates: Dates = None,
    no_scores: NoScores = False,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Write a release file to start from, its hierarchies and its suite.

    Of a folder: a release of the bundled Adult table that works as it is. Afterwards:
    [bold]anon release DIR/releases/adult.yaml[/bold].

    Of a table: roles with reasons, types, formats of dates, marks of missing values and
    hierarchies are proposed for all columns at once. Options state what a person knows
    better. Read the file before it is run:
    [bold]anon init people.csv --subject patient --sensitive income[/bold]

    Of several tables, such as those of some months, hierarchies have the values of all.
    Where their names differ by a date alone, the release has periods:
    [bold]anon init 2026-09.csv 2026-10.csv --name people[/bold]

    Existing files are never overwritten unless [bold]--force[/bold] is given.
    """
    if not any(map(_is_table, given)):
        of_tables = {"name": name, "drop-rest": drop_rest, "drop-unsure": drop_unsure}
        _refuse_of_tables(given, [key for key, said in of_tables.items() if said])
        _write_adult(given[0], force, json_output)
        return
    stated = _stated(
        subject=[subject] if subject else [],
        quasi_identifiers=quasi_identifiers or [],
        sensitive=sensitive or [],
        identifiers=identifiers or [],
        insensitive=insensitive or [],
        dropped=dropped or [],
    )
    if drop_rest and drop_unsure:
        raise ConfigurationError("--drop-rest, --drop-unsure: state one of them.")
    folder = Path() if out is None else out
    tables = _Tables.of(given, folder, name)
    rest = "drop" if drop_rest else "drop-unsure" if drop_unsure else "propose"
    made = _propose(
        tables,
        Dialect(separator, encoding),
        {"stated": stated, "missing": missing, "dates": read_dates(dates)},
        rest=rest,
        scores=not no_scores,
        hidden=json_output,
    )
    written = made.write(folder, force=force)
    refusal = _refusal(written[0], tables.period)
    if json_output:
        print_json(_plain(tables, made, written, refusal))
    else:
        _print_proposal(tables, made)
        _print_written(tables, made, written, refusal)


def _print_written(
    tables: "_Tables",
    made: "ProposedRelease",
    written: Sequence[Path],
    refusal: str | None,
) -> None:
    """Where the proposal is, what is wrong with it, and what comes next."""
    for path in written[:2]:
        typer.echo(f"wrote {path}")
    if len(tables.files) > 1 and not tables.is_named:
        typer.echo(f"the release is called {tables.name!r}; --name gives another name")
    if made.trees:
        typer.echo(f"wrote {len(made.trees)} hierarchies beside it")
    if refusal:
        print_warning(f"{written[0]} will be refused as it is: {refusal}")
    about = "" if tables.period is None else f" --period {tables.period}"
    if "composition" in made.content:
        typer.echo(
            "next: export ANON_LEDGER_KEY=$(openssl rand -hex 32), once, and keep it: "
            "periods are judged together by it"
        )
    typer.echo(f"next: read {written[0]}, then anon release {written[0]}{about}")


def _is_table(given: Path) -> bool:
    if given.is_dir():
        return False
    bundled = str(given).startswith(BUNDLED)
    return bundled or given.is_file() or given.suffix.lower() in TABLES


def _refuse_of_tables(given: Sequence[Path], said: Sequence[str]) -> None:
    """Refuse for a folder what is said of tables."""
    if len(given) > 1:
        raise ConfigurationError(
            f"one folder, or tables ({FILES}): none of {', '.join(map(str, given))} "
            "is a table."
        )
    if said:
        raise ConfigurationError(
            f"--{said[0]}: this is for tables; a folder gets the release of Adult."
        )


@dataclass(frozen=True)
class _Tables:
    """The tables that a release is proposed of, and how its file names them."""

    files: tuple[Path, ...]
    paths: tuple[str, ...]
    periods: "PeriodPath | None"
    name: str
    is_named: bool = False

    @classmethod
    def of(cls, given: Sequence[Path], folder: Path, name: str | None) -> "_Tables":
        """What was typed, if all of it is tables, each once."""
        from anon_transformers.proposals._periods import find_period_path
        from anon_transformers.proposals._release_file import release_name
        from anon_transformers.release._config import LEGAL_NAME

        for one in given:
            existing_file(one)
        paths = tuple(_from_releases(one, folder) for one in given)
        if len(set(paths)) < len(paths):
            raise ConfigurationError("a table is given twice.")
        if name is not None and not LEGAL_NAME.match(name):
            raise ConfigurationError(
                f"--name: {name!r} cannot be the name of a release; use letters, "
                "digits, dots, hyphens and underscores."
            )
        periods = find_period_path(paths)
        stem = given[0].name if periods is None else periods.stem
        found = name or release_name(stem.removeprefix(BUNDLED))
        return cls(tuple(given), paths, periods, found, name is not None)

    @property
    def period(self) -> str | None:
        """The first period of them, where they are periods.

        A series begins with it: an older period than the published ones may be refused.
        """
        return None if self.periods is None else self.periods.periods[0]

    @property
    def source_path(self) -> str | list[str]:
        """As under ``source.path`` of the release file."""
        if self.periods is not None:
            return self.periods.path
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)


def _write_adult(folder: Path, force: bool, json_output: bool) -> None:
    """The release that works as it is."""
    there = [path for path in WRITTEN.values() if (folder / path).exists()]
    if there and not force:
        raise ConfigurationError(f"{folder}: {', '.join(there)} is there already.")
    templates = files("anon_transformers.cli") / "templates"
    for template, path in WRITTEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = (templates / template).read_text(encoding="utf-8")
        (folder / path).write_text(text, encoding="utf-8")
    paths = [str(folder / path) for path in WRITTEN.values()]
    if json_output:
        print_json({"written": paths})
        return
    for path in paths:
        typer.echo(f"wrote {path}")
    typer.echo(f"next: anon release {folder / WRITTEN['release.yaml']}")


def _stated(**by_role: list[str]) -> dict[str, str]:
    """Roles that were typed, by column."""
    stated: dict[str, str] = {}
    for role, columns in by_role.items():
        for column in columns:
            if column in stated:
                raise ConfigurationError(
                    f"column {column!r} is declared as {stated[column]} and as {role}."
                )
            stated[column] = role
    return stated


def _propose(
    tables: _Tables,
    dialect: Dialect,
    known: dict[str, Any],
    *,
    rest: Any,
    scores: bool,
    hidden: bool,
) -> "ProposedRelease":
    from anon_transformers.proposals import propose_release

    typed = [*known["stated"], *known["dates"]]
    reader = TableReader(None, typed, show_names=True)
    # Every cell as it is written: what it is, is to be found out.
    frame, is_csv = _read_all(tables.files, dialect, reader, typed)
    source: dict[str, Any] = {"path": tables.source_path}
    if is_csv:
        default = Dialect().as_options()
        own = dialect.as_options()
        source |= {key: own[key] for key in own if own[key] != default[key]}
    elif known["missing"] or known["dates"]:
        raise ConfigurationError("--missing and --date: these are for CSV files.")
    with progress_bar(hidden=hidden, unit="columns") as progress:
        return propose_release(
            frame,
            source,
            tables.name,
            rest=rest,
            n_periods=1 if tables.periods is None else len(tables.files),
            typed=not is_csv,
            scores=scores,
            progress=progress,
            **known,
        )


def _read_all(
    files: Sequence[Path], dialect: Dialect, reader: TableReader, needed: list[str]
) -> "tuple[pd.DataFrame, bool]":
    """All tables as one, and whether they are CSV files."""
    import pandas as pd

    from anon_transformers.proposals._dialects import refuse_headless

    frames, kinds = [], set()
    for file in files:
        frame, is_csv = _read(file, dialect, reader, needed)
        refuse_headless(file, frame)
        frames.append(frame)
        kinds.add(is_csv)
    if len(kinds) > 1:
        raise DataError("tables of one release are all CSV files, or none is.")
    columns = list(frames[0].columns)
    for file, frame in zip(files[1:], frames[1:], strict=True):
        odd = sorted({*map(str, columns)} ^ {*map(str, frame.columns)})
        if odd:
            raise DataError(
                f"{files[0]} and {file} differ in columns: only one of them has "
                f"{', '.join(odd)}."
            )
    if len(frames) == 1:
        return frames[0], kinds.pop()
    return pd.concat([frame[columns] for frame in frames], ignore_index=True), (
        kinds.pop()
    )


def _read(
    given: Path, dialect: Dialect, reader: TableReader, needed: list[str]
) -> "tuple[pd.DataFrame, bool]":
    from anon_transformers.registry import registry
    from anon_transformers.release._file_kinds import by_ending, kind_of_file
    from anon_transformers.release._files import columns_of_file

    file = existing_file(given)
    kind = kind_of_file(file, by_ending(registry().readers))
    names: list[str] = []
    if kind == "csv":
        shown = dialect.shown_separator(file)
        if shown != dialect.separator:
            raise DataError(f"{file}: {dialect.advice(file)}")
        names = columns_of_file(kind, file, dict(dialect.as_options())) or []
    return reader.read(given, dialect, needed, as_text=names), kind == "csv"


def _from_releases(given: Path, folder: Path) -> str:
    """The table as the release file names it: from its own folder."""
    from anon_transformers.release._period import Template

    if str(given).startswith(BUNDLED):
        return given.as_posix()
    start = (folder / "releases").absolute()
    try:
        path = Path(os.path.relpath(given.absolute(), start)).as_posix()
    except ValueError:  # on another drive
        path = str(given.absolute())
    return Template.literal(path).text


def _refusal(file: Path, period: str | None) -> str | None:
    """What loading would refuse; None if it would not."""
    from anon_transformers.release import read_config
    from anon_transformers.release._anonymizer import check_gate, make_anonymizer
    from anon_transformers.release._forms import form_of
    from anon_transformers.release._resolve import resolve

    try:
        config = resolve(read_config(file), period)
        form = form_of(config)
        anonymizer = make_anonymizer(config, config.thresholds)
        check_gate(form, config.thresholds)
        form.refuse_guessed_kinds(anonymizer, form.read())
    except AnonymizationError as error:
        return str(error)
    return None


def _plain(
    tables: _Tables,
    made: "ProposedRelease",
    written: list[Path],
    refusal: str | None,
) -> dict[str, Any]:
    return {
        "periods": [] if tables.periods is None else list(tables.periods.periods),
        "written": [str(path) for path in written],
        "rows": made.table.n_rows,
        "persons": made.table.n_persons,
        "missing": list(made.table.missing),
        "columns": [
            {
                "column": one.column,
                "kind": one.kind,
                "role": one.role,
                "confidence": one.confidence,
                "reason": one.reason,
                "values": one.n_values,
                "missing": one.missing,
            }
            for one in made.table.columns
        ],
        "hierarchies": {
            column: {
                "kind": one.kind,
                "levels": one.hierarchy.n_levels,
                "reason": one.reason,
                "score": one.score,
            }
            for column, one in made.suggestions.items()
        },
        "refusal": refusal,
    }


def _print_proposal(tables: _Tables, made: "ProposedRelease") -> None:
    scores = {
        column: "" if one.score is None else f"{one.score:+.4f}"
        for column, one in made.suggestions.items()
    }
    rows = [
        (one.column, one.kind, one.role, one.confidence, scores.get(one.column, ""),
         one.reason)
        for one in made.table.columns
    ]  # fmt: skip
    persons = made.table.n_persons
    counted = "" if persons is None else f", {persons:,} persons"
    print_table(
        f"{', '.join(map(str, tables.files))}: {made.table.n_rows:,} rows{counted}",
        ["column", "kind", "role", "certainty", "saves", "reason"],
        rows,
        spare=("certainty", "saves"),
    )
    if made.table.missing:
        typer.echo(f"missing values: {' '.join(made.table.missing)}")
    if tables.periods is not None:
        typer.echo(
            f"periods: {', '.join(tables.periods.periods)}; source.path is "
            f"{tables.periods.path}"
        )

"""``anon anonymize``: one file in, one protected file out."""

import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._assignments import assignments
from anon_transformers.cli._columns import (
    AcceptUnique,
    Dates,
    Identifiers,
    Insensitive,
    Missing,
    QuasiIdentifiers,
    RowsArePersons,
    Sensitive,
    Subject,
    read_accepted,
    read_dates,
    repeated,
)
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._formulas import SpreadsheetSafe, guard_formulas
from anon_transformers.cli._hierarchy_files import (
    HierarchyFiles,
    UnknownOption,
    UnknownValues,
    read_hierarchies,
)
from anon_transformers.cli._promises import (
    Models,
    SuppressionLimit,
    read_limit,
    read_models,
)
from anon_transformers.cli._tables import FILES, TableReader, typed_texts
from anon_transformers.cli._targets import STDOUT, Force, refuse_target, write_table
from anon_transformers.cli.output import (
    JsonFlag,
    dump_json,
    format_number,
    handle_errors,
    percent,
    print_json,
    print_table,
    print_warning,
    show_status,
)
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    RepeatedIdentifierWarning,
    unknown_choice,
)

if TYPE_CHECKING:
    import pandas as pd

Source = Annotated[Path, typer.Argument(help=f"Table to protect: {FILES}.")]
Target = Annotated[
    Path,
    typer.Argument(
        help="File to write: CSV, with separator and encoding of the source, Parquet, "
        "or a format of a plugin by its suffix (target formats in anon list); "
        "[bold]-[/bold] writes CSV to the standard output, and all messages "
        "to the error stream."
    ),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="Anonymizer, as in anon list.")
]
K = Annotated[
    int,
    typer.Option(
        "--k", "-k", help="Rows (persons, with --subject) that share each combination."
    ),
]
Options = Annotated[
    list[str] | None,
    repeated(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Further parameter of the anonymizer, such as "
        "[bold]output=center[/bold], with which Mondrian publishes means instead of "
        "ranges; lists and mappings as in a release file: "
        "[bold]'n_sets={age: 3}'[/bold]",
    ),
]
KeepOrder = Annotated[
    bool, typer.Option("--keep-order", help="Do not shuffle the rows.")
]


LOSS_IN_WORDS = "detail given up: 0 % is none, 100 % is all suppressed"
ACCEPT_IN_WORDS = "(--accept-unique COLUMN, or COLUMN,COLUMN of a pair)"


@handle_errors
def anonymize(
    source: Source,
    target: Target,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    insensitive: Insensitive = None,
    subject: Subject = None,
    rows_are_persons: RowsArePersons = False,
    accept_unique: AcceptUnique = None,
    method: Method = "mondrian",
    k: K = 5,
    models: Models = None,
    suppression_limit: SuppressionLimit = None,
    options: Options = None,
    hierarchies: HierarchyFiles = None,
    unknown: UnknownOption = UnknownValues.error,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    dates: Dates = None,
    keep_order: KeepOrder = False,
    spreadsheet_safe: SpreadsheetSafe = False,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Protect one file.

    Every column needs a role. Rows are shuffled, and nothing is written if the
    promise cannot be kept (exit code 1).

    [bold]anon anonymize people.csv safe.csv -q age -q zip -s job -i name -k 5[/bold]

    [bold]anon anonymize people.csv - -q age -s job -i name
    --model distinct-l-diversity,l=2 | head[/bold]
    """
    refuse_target(target, force)
    if target.exists() and target.samefile(source):
        raise ConfigurationError(f"{target} is the source itself.")
    dialect = Dialect(separator, encoding)
    roles = {
        "quasi_identifiers": quasi_identifiers or [],
        "sensitive": sensitive or [],
        "identifiers": identifiers or [],
        "subject": subject,
    }
    declared = {**roles, "insensitive": insensitive or []}
    reader = TableReader(missing, [*typed_texts(declared)], show_names=True)
    frame = reader.read(source, dialect, dates=read_dates(dates))
    accepted = read_accepted(accept_unique, [*typed_texts(declared)])
    further = {"accept_unique": accepted, "rows_are_persons": rows_are_persons}
    _check_roles(frame, {**declared, **further}, method)
    stated = {
        "hierarchies": read_hierarchies(hierarchies or [], unknown, encoding),
        "models": read_models(models or []) or None,
        "suppression_limit": read_limit(suppression_limit),
    }
    params = _parameters({"k": k, **roles}, stated, options or [])
    status = f"{method}: {len(frame):,} rows (the first use compiles for a while)"
    with show_status(status), warnings.catch_warnings():
        if rows_are_persons:
            warnings.simplefilter("ignore", RepeatedIdentifierWarning)
        table, report = _run(frame, method, params, keep_order)
    table = guard_formulas(table, target, spreadsheet_safe)
    # Made before the file is: a report that cannot be told leaves nothing behind.
    tell = _told(target, report, len(table), subject, json_output)
    write_table(table, target, dialect)
    tell()


def _check_roles(frame: Any, roles: Any, method: str) -> None:
    """Hold a file to what a release is held to: a role for each column."""
    from pydantic import ValidationError

    from anon_transformers.registry import registry
    from anon_transformers.release._declared_roles import DeclaredRoles
    from anon_transformers.release._source import check_columns
    from anon_transformers.release._strict import explain

    if not roles["quasi_identifiers"]:
        raise ConfigurationError("name the quasi-identifiers with -q COLUMN.")
    try:
        declared = DeclaredRoles(**roles)
    except ValidationError as error:
        raise ConfigurationError(_in_options(explain(error))) from None
    catalog = registry().anonymizers
    _refuse_method(method, catalog)
    # Cells that are swapped keep their values, and hide whose they are.
    swaps = catalog[method].kind == "linked"
    try:
        check_columns(frame, declared, exempt=declared.sensitive if swaps else ())
    except DataError as error:
        raise DataError(_in_options(str(error))) from None


def _refuse_method(method: str, catalog: Any) -> None:
    """Refuse what is no anonymizer of tables; only then are the others imported."""
    if method in catalog and catalog[method].kind != "graph":
        return
    sound = [name for name in catalog if catalog.fault(name) is None]
    of_tables = [name for name in sound if catalog[name].kind != "graph"]
    raise ConfigurationError(
        f"--method: {unknown_choice('anonymizer of tables', method, of_tables)}"
    )


def _in_options(message: str) -> str:
    """A message of a release in the words of this command.

    Examples
    --------
    >>> _in_options("accept_unique: unknown column 'a'.")
    "--accept-unique: unknown column 'a'."
    """
    message = message.replace("(accept_unique)", ACCEPT_IN_WORDS)
    for key in ("accept_unique", "rows_are_persons"):
        message = re.sub(rf"\b{key}\b", f"--{key.replace('_', '-')}", message)
    return message


def _parameters(
    defaults: dict[str, Any], stated: dict[str, Any], options: list[str]
) -> dict[str, Any]:
    """What the anonymizer is made with; further options may not repeat the others.

    Not every method takes what is ``stated``: what was not given is left out.
    """
    own = assignments("option", options)
    if "random_state" in own:
        raise ConfigurationError(
            "--option: random_state: a file to be published gets fresh entropy; the "
            "order of its rows, and swaps, are drawn from it, and whoever knew a seed "
            "could undo them."
        )
    given = {
        **defaults,
        **{n: value for n, value in stated.items() if value is not None},
    }
    for name in (given.keys() | {"hierarchies", "models"}) & own.keys():
        raise ConfigurationError(f"--option: {name} has an option of its own.")
    return {**given, **own}


def _run(
    frame: "pd.DataFrame", method: str, params: dict[str, Any], keep_order: bool
) -> "tuple[pd.DataFrame, Any]":
    """Anonymize, and shuffle the rows."""
    import numpy as np

    from anon_transformers.release._build import build, installed

    if params["k"] == 1 and not params.get("models"):
        print_warning("k = 1 promises nothing: a person may stand alone in a class.")
    catalog = installed().anonymizers
    anonymizer = build(f"method {method}", catalog, method, params)
    table = anonymizer.fit_transform(frame)
    if not keep_order:
        order = np.random.default_rng().permutation(len(table))
        table = table.iloc[order].reset_index(drop=True)
    return table, anonymizer.report_


def _told(
    target: Path, report: Any, n_written: int, subject: str | None, json_output: bool
) -> Callable[[], None]:
    """What prints the report, made of plain values already."""
    to_stderr = target == STDOUT
    if json_output:
        told = json.loads(dump_json({"target": str(target), **asdict(report)}))
        return lambda: print_json(told, to_stderr=to_stderr)
    rows, header = _report_rows(report, n_written, subject), ["what", "measured", ""]
    title = "Wrote the table" if to_stderr else f"Wrote {target}"
    return lambda: print_table(title, header, rows, to_stderr=to_stderr)


def _report_rows(
    report: Any, n_written: int, subject: str | None
) -> list[tuple[str, str, str]]:
    """What was reached, in a table; a plugin may put anything into the details."""
    counted = "rows" if subject is None else "persons"
    units = {"k-anonymity": f" {counted}"}
    rows = [
        (
            "model",
            m["model"],
            f"level {format_number(m['level'])}{units.get(m['model'], '')}",
        )
        for m in report.models
    ]
    for name, level in _numbers_by_name(report, "levels"):
        rows.append((f"level of {name}", format_number(level), "0 is exact"))
    rows += [
        ("rows", f"{n_written:,}", _hidden_in_words(report, n_written)),
        ("classes", f"{report.classes['count']:,}",
         f"smallest {report.classes['smallest']} {counted}"),
        ("average risk" if subject is None else "average risk of persons",
         percent(report.risk["average-risk"]),
         f"highest {percent(report.risk['highest-risk'])}"),
        ("loss", percent(report.loss), LOSS_IN_WORDS),
        ("time", f"{report.seconds:.2f} s", ""),
    ]  # fmt: skip
    for name, share in _numbers_by_name(report, "value_disclosure"):
        rows.append((f"value of {name}", percent(share), "of the swaps give it away"))
    return rows


def _hidden_in_words(report: Any, n_written: int) -> str:
    """How many rows show nothing, and how many are left out."""
    dropped = max(report.rows - n_written, 0)
    suppressed = f"{report.suppressed_rows - dropped:,} of them suppressed"
    return f"{suppressed}, {dropped:,} others dropped" if dropped else suppressed


def _numbers_by_name(report: Any, key: str) -> list[tuple[str, int | float]]:
    """Numbers by column among the details; details of another shape are not shown."""
    found = report.details.get(key) if isinstance(report.details, Mapping) else None
    if not isinstance(found, Mapping):
        return []
    numbers = [(str(name), number) for name, number in found.items()]
    return [(name, n) for name, n in numbers if isinstance(n, int | float)]

"""``anon anonymize``: one file in, one protected file out."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from anon_transformers.cli._columns import (
    AcceptUnique,
    Encoding,
    Identifiers,
    Insensitive,
    Known,
    Missing,
    Sensitive,
    Separator,
    Subject,
    read_table,
    repeated,
)
from anon_transformers.cli._output import (
    LOSS_IN_WORDS,
    JsonFlag,
    assignments,
    print_json,
    print_table,
    told,
)
from anon_transformers.cli._trees import (
    Trees,
    Unknown,
    UnknownOption,
    read_hierarchies,
)
from anon_transformers.exceptions import ConfigurationError

Source = Annotated[Path, typer.Argument(help="Table to protect: CSV or Parquet.")]
Target = Annotated[
    Path,
    typer.Argument(help="File to write: CSV (with commas, UTF-8) or Parquet."),
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
        "[bold]tie_side=both[/bold], which lets Mondrian cut far finer where few "
        "values are frequent; lists and mappings as in a release file: "
        "[bold]'n_sets={age: 3}'[/bold]",
    ),
]
KeepOrder = Annotated[
    bool, typer.Option("--keep-order", help="Do not shuffle the rows.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the target.")]


@told
def anonymize(
    source: Source,
    target: Target,
    quasi_identifiers: Known = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    insensitive: Insensitive = None,
    subject: Subject = None,
    accept_unique: AcceptUnique = None,
    method: Method = "mondrian",
    k: K = 5,
    options: Options = None,
    hierarchies: Trees = None,
    unknown: UnknownOption = Unknown.error,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    keep_order: KeepOrder = False,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Protect one file.

    Every column needs a role. Rows are shuffled, and nothing is written if the
    promise cannot be kept (exit code 1).

    [bold]anon anonymize people.csv safe.csv -q age -q zip -s job -i name -k 5[/bold]
    """
    _refuse_target(source, target, force)
    frame = read_table(source, separator, missing, encoding=encoding)
    roles = {
        "quasi_identifiers": quasi_identifiers or [],
        "sensitive": sensitive or [],
        "identifiers": identifiers or [],
        "subject": subject,
    }
    _check_roles(frame, {**roles, "insensitive": insensitive or []}, accept_unique)
    trees = read_hierarchies(hierarchies or [], unknown)
    params = _parameters({"k": k, **roles, "hierarchies": trees}, options or [])
    status = f"{method}: {len(frame):,} rows (the first use compiles for a while)"
    with Console(stderr=True).status(status):
        report = _run(frame, target, method, params, keep_order)
    if json_output:
        print_json({"target": str(target), **asdict(report)})
    else:
        _tell(target, report, subject)


def _refuse_target(source: Path, target: Path, force: bool) -> None:
    if target.exists() and not force:
        raise ConfigurationError(f"{target} is there already; --force overwrites it.")
    if target.exists() and target.samefile(source):
        raise ConfigurationError(f"{target} is the source itself.")
    if not target.absolute().parent.is_dir():
        raise ConfigurationError(f"{target.absolute().parent} is not a folder.")


def _check_roles(frame: Any, roles: Any, accept_unique: list[str] | None) -> None:
    """Hold a file to what a release is held to: a role for each column."""
    from pydantic import ValidationError

    from anon_transformers.release._config import DeclaredRoles
    from anon_transformers.release._load import check_columns
    from anon_transformers.release._strict import explain

    if not roles["quasi_identifiers"]:
        raise ConfigurationError("name the quasi-identifiers with -q COLUMN.")
    try:
        declared = DeclaredRoles(**roles, accept_unique=tuple(accept_unique or ()))
    except ValidationError as error:
        raise ConfigurationError(explain(error)) from None
    check_columns(frame, declared)


def _parameters(known: dict[str, Any], options: list[str]) -> dict[str, Any]:
    """What the anonymizer is made with; further options may not repeat the others."""
    own = assignments("option", options)
    if "random_state" in own:
        raise ConfigurationError(
            "--option: random_state: a file to be published gets fresh entropy; the "
            "order of its rows, and swaps, are drawn from it, and whoever knew a seed "
            "could undo them."
        )
    for name in known.keys() & own.keys():
        raise ConfigurationError(f"--option: {name} has an option of its own.")
    if known["hierarchies"] is None:
        del known["hierarchies"]  # not every method takes them
    return {**known, **own}


def _run(
    frame: Any,
    target: Path,
    method: str,
    params: dict[str, Any],
    keep_order: bool,
) -> Any:
    """Anonymize and write, whole or not at all."""
    import numpy as np

    from anon_transformers.release._build import installed, make
    from anon_transformers.release._files import kind_of_file

    found = installed()
    writer = found.writers[kind_of_file(target, found.writers)]
    anonymizer = make(f"method {method}", found.anonymizers[method], params)
    table = anonymizer.fit_transform(frame)
    if not keep_order:
        order = np.random.default_rng().permutation(len(table))
        table = table.iloc[order].reset_index(drop=True)
    draft = target.with_name(f".draft-{target.name}")
    try:
        writer(table, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return anonymizer.report_


def _tell(target: Path, report: Any, subject: str | None) -> None:
    counted = "rows" if subject is None else "persons"
    units = {"k-anonymity": f" {counted}"}
    rows = [
        ("model", m["model"], f"level {m['level']}{units.get(m['model'], '')}")
        for m in report.models
    ]
    rows += [
        ("rows", f"{report.rows:,}", f"{report.suppressed_rows:,} suppressed"),
        ("classes", f"{report.classes['count']:,}",
         f"smallest {report.classes['smallest']} rows"),
        ("average risk" if subject is None else "average risk of persons",
         f"{report.risk['average-risk']:.2%}",
         f"highest {report.risk['highest-risk']:.2%}"),
        ("loss", f"{report.loss:.2%}", LOSS_IN_WORDS),
        ("time", f"{report.seconds:.2f} s", ""),
    ]  # fmt: skip
    for name, share in report.details.get("value_disclosure", {}).items():
        rows.append((f"value of {name}", f"{share:.2%}", "of the swaps give it away"))
    print_table(f"Wrote {target}", ["what", "measured", ""], rows)

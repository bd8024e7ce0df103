"""``anon compare``: what each method makes of one table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._assignments import name_and_assignments, number_or_text
from anon_transformers.cli._columns import (
    Dates,
    Identifiers,
    Missing,
    QuasiIdentifiers,
    Sensitive,
    Subject,
    read_dates,
    repeated,
)
from anon_transformers.cli._dialects import Dialect, Encoding, Separator
from anon_transformers.cli._hierarchy_files import (
    HierarchyFiles,
    UnknownOption,
    UnknownValues,
    read_hierarchies,
)
from anon_transformers.cli._tables import FILES, TableReader, typed_texts
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
    progress_bar,
    show_status,
)
from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.experiments import Learner

Source = Annotated[
    Path, typer.Argument(help=f"Table to protect: {FILES}; or a release file (YAML).")
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Train a model to predict this column, on published and on raw rows, and "
        "show how good it is on others.",
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Model of [bold]--target[/bold]: hist-gradient-boosting, "
        "logistic-regression, random-forest, or package.module:Class.",
    ),
]
OfPeriod = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="PERIOD",
        help="Of a release file with periods, whose source is read, such as "
        "[bold]2026-10[/bold].",
    ),
]
RELEASE_FILES = (".yaml", ".yml")
Methods = Annotated[
    list[str] | None,
    repeated("--method", "-m", metavar="NAME", help="Anonymizer, as in anon list"),
]
Grids = Annotated[
    list[str] | None,
    repeated(
        "--grid",
        "-g",
        metavar="NAME=VALUE,…",
        help="Values of a parameter, such as [bold]k=2,5,10[/bold] for all methods or "
        "[bold]mondrian.tie_side=both,left[/bold] for one (left is the source's rule, "
        "far coarser where few values are frequent)",
    ),
]
Metrics = Annotated[
    list[str] | None,
    repeated(
        "--metric",
        metavar="NAME,KEY=VALUE,…",
        help="Further number of every run, as in anon list, such as "
        "[bold]records-at-risk,threshold=0.2[/bold]",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write page, plots and CSV there."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an earlier page.")]
SHOWN = {
    "method": "method",
    "parameters": "parameters",
    "classes": "classes",
    "smallest": "smallest",
    "largest": "largest",
    "mean": "mean",
    "variance": "variance",
    "suppressed_rows": "not shown",
    "loss": "loss",
    "average_risk": "average risk",
    "highest_risk": "highest risk",
    "seconds": "seconds",
}

SPARE = ("variance", "largest", "mean", "highest risk", "seconds", "smallest")
SHOWN_FACTS = ("quasi-identifiers", "persons", "target", "accuracy", "r2")


@handle_errors
def compare(
    source: Source,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    subject: Subject = None,
    methods: Methods = None,
    grids: Grids = None,
    hierarchies: HierarchyFiles = None,
    unknown: UnknownOption = UnknownValues.error,
    metrics: Metrics = None,
    target: Target = None,
    model: Model = "hist-gradient-boosting",
    period: OfPeriod = None,
    out: Out = None,
    force: Force = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    dates: Dates = None,
    json_output: JsonFlag = False,
) -> None:
    """Run methods over a grid of parameters on one table, and publish nothing.

    Without [bold]-q[/bold], every column that is not declared otherwise is a
    quasi-identifier, and is named by its position.

    Shows classes, loss, risk and time of every run; with [bold]--out[/bold] also as a
    page with plots against k. Exit code 1 if no run can keep its promise.

    [bold]anon compare people.csv -q age -m mondrian -m datafly --grid k=2,5,10[/bold]

    Privacy models are swept as [bold]-g MODEL.PARAMETER=VALUE,…[/bold], also in plots:
    [bold]anon compare people.csv -s job -m full-domain -g t-closeness.t=0.1,0.2[/bold]

    Metrics of plugins and others are added as columns, one per [bold]--metric[/bold].

    Of a release file, methods run with its roles, hierarchies and thresholds; those
    that cannot are listed with the reason:
    [bold]anon compare releases/people.yaml --target income[/bold]
    """
    check_page(out, "comparison", force)
    learner = _learner(target, model)
    if source.suffix.lower() in RELEASE_FILES:
        typed = {
            "-q": quasi_identifiers, "-s": sensitive, "-i": identifiers,
            "--subject": subject, "--hierarchy": hierarchies, "--missing": missing,
            "--date": dates,
        }  # fmt: skip
        _refuse_typed(source, typed)
        found, refused = _run_release(
            source, period, methods, read_grid(grids or []),
            {"metrics": _read_metrics(metrics or []), "learner": learner},
            hidden=json_output,
        )  # fmt: skip
        _finish(source, found, out, json_output, refused)
        return
    if period is not None:
        raise ConfigurationError("--period: only a release file has periods.")
    roles: dict[str, Any] = {
        "quasi_identifiers": quasi_identifiers,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "subject": subject,
    }
    by_column = read_hierarchies(hierarchies or [], unknown, encoding)
    chosen, grid = methods or ["mondrian", "datafly"], read_grid(grids or [])
    written = read_dates(dates)
    asked = [*roles.values(), by_column and [*by_column], [*written], target]
    needed = [*typed_texts(*asked)]
    stated = [name_and_assignments("metric", text)[1] for text in metrics or ()]
    reader = TableReader(missing, [*needed, *typed_texts(grid, stated)])
    own = Dialect(separator, encoding)
    frame = reader.read(source, own, needed, dates=written)
    further = _read_metrics(metrics or [])
    roles |= {"hierarchies": by_column, "metrics": further, "learner": learner}
    results = _run(frame, chosen, grid, roles, hidden=json_output)
    _finish(source, results, out, json_output, {})


def _finish(
    source: Path,
    results: "pd.DataFrame",
    out: Path | None,
    json_output: bool,
    refused: Mapping[str, str],
) -> None:
    """Write and print what was found; exit code 1 if no run keeps its promise."""
    files = [] if out is None else _write(results, out, source.name)
    if json_output:
        result = {"about": results.attrs["about"], "runs": plain_rows(results)}
        listed = {"refused": dict(refused)} if refused else {}
        print_json({**result, **listed, "files": [str(f) for f in files]})
    else:
        _print_report(source, results, files)
        if refused:
            title = f"{len(refused)} methods that this release cannot run with"
            print_table(title, ["method", "why"], list(refused.items()))
    if results["error"].notna().all():
        raise typer.Exit(BROKEN_PROMISE)


def _learner(target: str | None, model: str) -> "Learner | None":
    if target is None:
        return None
    from anon_transformers.experiments._learning import Learner, check_learner

    check_learner(target, model)
    return Learner(target, model)


def _refuse_typed(source: Path, typed: Mapping[str, Any]) -> None:
    """Roles are those of the release file: what is typed beside it is refused."""
    given = [option for option, value in typed.items() if value]
    if given:
        raise ConfigurationError(
            f"{', '.join(given)}: {source} states roles, hierarchies and how its "
            "source is read; change them there."
        )


def _run_release(
    source: Path,
    period: str | None,
    methods: list[str] | None,
    grid: Mapping[str, list[Any]],
    how: Mapping[str, Any],
    *,
    hidden: bool,
) -> "tuple[pd.DataFrame, dict[str, str]]":
    from anon_transformers import experiments

    with show_status("reading the source", hidden=hidden):
        given = experiments.release_methods(source, methods, period=period)
    with progress_bar(hidden=hidden) as progress:
        found = experiments.compare(
            given.frame, given.methods, grid, **how, progress=progress
        )
    return found, given.refused


def check_page(out: Path | None, name: str, force: bool) -> None:
    """Refuse before a long run what could not be written after it."""
    if out is None:
        return
    from anon_transformers.experiments import _pages

    _pages.need_page_tools()
    if not force:
        _pages.refuse_existing(out, name)


def _write(results: "pd.DataFrame", out: Path, title: str) -> list[Path]:
    from anon_transformers import experiments

    return experiments.write_comparison(results, out, title)


def read_grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """Read ``NAME=VALUE,…``; a name given twice adds its values.

    Examples
    --------
    >>> read_grid(["k=2,5", "mondrian.mode=strict,relaxed", "k=10"])
    {'k': [2, 5, 10], 'mondrian.mode': ['strict', 'relaxed']}
    """
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not all(values.split(",")):
            raise ConfigurationError(f"--grid: expected NAME=VALUE,…, got {text!r}.")
        wanted = grid.setdefault(name, [])
        wanted += [number_or_text(value) for value in values.split(",")]
    return grid


def _read_metrics(given: Sequence[str]) -> dict[str, Any]:
    """Metrics by the names of their columns, which are told apart by what is stated."""
    from anon_transformers.registry import registry
    from anon_transformers.release._build import build

    found: dict[str, Any] = {}
    for text in given:
        name, params = name_and_assignments("metric", text)
        column = " ".join([name, *(f"{k}={v}" for k, v in params.items())])
        if column in found:
            raise ConfigurationError(f"--metric: {column} stands twice.")
        found[column] = build(f"metric {name}", registry().metrics, name, params)
    return found


def _run(
    frame: "pd.DataFrame",
    methods: list[str],
    grid: Mapping[str, list[Any]],
    roles: Mapping[str, Any],
    *,
    hidden: bool,
) -> "pd.DataFrame":
    from anon_transformers import experiments

    with progress_bar(hidden=hidden) as progress:
        return experiments.compare(frame, methods, grid, **roles, progress=progress)


def plain_rows(results: "pd.DataFrame") -> list[Any]:
    """Rows as JSON knows them: nothing in place of a number that is not there."""
    return results.astype(object).where(results.notna(), None).to_dict("records")


def _print_report(source: Path, results: "pd.DataFrame", files: Sequence[Path]) -> None:
    ran = results[results["error"].isna()]
    further = [name for name in results.attrs["metrics"] if name not in SHOWN]
    rows = [
        [_parameters(c) if isinstance(c, dict) else format_number(c) for c in row]
        for row in ran[[*SHOWN, *further]].itertuples(index=False)
    ]
    header = [*SHOWN.values(), *further]
    print_table(f"{source}: {len(ran)} runs", header, rows, spare=SPARE)
    about = results.attrs["about"]
    for what in (name for name in about if name.startswith(SHOWN_FACTS)):
        typer.echo(f"{what}: {about[what]}")
    failed = results[results["error"].notna()]
    if len(failed):
        failures = zip(
            failed["method"], failed["parameters"], failed["error"], strict=True
        )
        print_table(
            f"{len(failed)} runs without a result", ["method", "parameters", "error"],
            [(method, _parameters(given), error) for method, given, error in failures],
        )  # fmt: skip
    for file in files[:1]:
        typer.echo(f"page  {file}")


def _parameters(given: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in given.items())

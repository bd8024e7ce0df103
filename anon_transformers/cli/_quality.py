"""``anon quality``: what a release is still good for, beside its original."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.cli._columns import (
    Missing,
    QuasiIdentifiers,
    Sensitive,
)
from anon_transformers.cli._dialects import (
    Dialect,
    Encoding,
    OriginalEncoding,
    OriginalSeparator,
    Separator,
    find_dialect,
)
from anon_transformers.cli._published import read_release
from anon_transformers.cli._tables import FILES, TableReader, typed_texts
from anon_transformers.cli.output import (
    JsonFlag,
    format_number,
    handle_errors,
    percent,
    print_json,
    print_table,
    show_status,
)
from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

Release = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE",
        help=f"A file ({FILES}), or the folder of a published release.",
    ),
]
Original = Annotated[
    Path,
    typer.Argument(metavar="ORIGINAL", help="The table that it was made from."),
]
Aligned = Annotated[
    bool,
    typer.Option(
        "--aligned",
        help="The rows of both tables are the same persons, in the same order.",
    ),
]
Permutations = Annotated[
    int,
    typer.Option(
        min=0, help="Shuffles of the rows that tell what chance would tell apart."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--random-state", help="Seed, to get the same numbers again."),
]
NOT_AVAILABLE = "not available"


@handle_errors
def quality(
    path: Release,
    original: Original,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    aligned: Aligned = False,
    permutations: Permutations = 10,
    random_state: Seed = None,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    original_separator: OriginalSeparator = None,
    original_encoding: OriginalEncoding = None,
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Compare a release with its original: correlations, moments, squared errors.

    A classifier tries to tell published rows from original ones, too. Without -q all
    columns that both tables have are compared, by where they stand, or those that the
    manifest of a release names; correlations of those after -s are shown on their own
    too. Columns of numbers that were published as ranges or texts are left out and
    listed; --missing '*' reads a suppressed number as missing.

    [bold]anon quality safe.csv people.csv -q age -s income --aligned[/bold]
    """
    from anon_transformers.metrics import quality as compare

    own = Dialect(separator, encoding)
    stated = (original_separator, original_encoding, "--original")
    named = [*typed_texts(quasi_identifiers, sensitive)]
    roles: dict[str, Any] = {}
    reader = TableReader(missing, named)
    if path.is_dir():
        after, roles = _published(path)
        reader.declare(after.columns)
    else:
        after = reader.read(path, own, named)
    if named:
        roles = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    before = reader.read(original, find_dialect(original, own, *stated), named)
    if not set(before.columns) & set(after.columns):
        raise ConfigurationError(f"{path} and {original} have no column in common.")
    status = f"comparing {len(after):,} rows with {len(before):,}"
    with show_status(status, hidden=json_output):
        report = compare(
            before, after, **roles, aligned=aligned, permutations=permutations,
            random_state=random_state,
        ).to_dict()  # fmt: skip
    if json_output:
        print_json({"release": str(path), "original": str(original), **report})
    else:
        _print_report(path, report)


def _published(folder: Path) -> "tuple[pd.DataFrame, dict[str, Any]]":
    """Table and roles of a published release."""
    frame, manifest = read_release(folder)
    return frame, {name: manifest[name] for name in ("quasi_identifiers", "sensitive")}


def _print_report(path: Path, report: Mapping[str, Any]) -> None:
    """One table a topic, then what is missing and why."""
    if report["correlations"]:
        _print_correlations(path, report["correlations"])
    if report["moments"]:
        _print_moments(report["moments"])
    if report["squared_error"] is not None:
        squares = report["squared_error"]
        lost = {**squares["columns"], "total": squares["total"]}
        rows = [(name, _percent(share)) for name, share in lost.items()]
        print_table("Squared error", ["column", "share of variance"], rows)
    if report["order_shown"] is False:
        typer.echo(
            "- no column shows that the rows are those of the original, in its order: "
            "if they were shuffled, leave --aligned out, for squared errors then "
            "compare strangers"
        )
    if report["distinguishability"] is not None:
        judged = [*report["numbers"], *report["nominal"]]
        _print_distinguishability(report["distinguishability"], judged)
    if report["left_out"]:
        names = ", ".join(report["left_out"])
        typer.echo(f"- left out, for they are published as no numbers: {names}")
    for topic, why in report["not_available"].items():
        typer.echo(f"- {topic}: {NOT_AVAILABLE}: {why}")


def _print_correlations(path: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    header = ["columns", "pairs", "mean", "sd", "largest", "of total loss"]
    rows = [
        (
            which,
            one["entries"],
            *(_cell(one[name]) for name in ("mean", "sd", "max")),
            _percent(one["ratio"]),
        )
        for which, one in found.items()
    ]
    print_table(f"{path}: differences of correlations", header, rows)


def _print_moments(found: Mapping[str, Mapping[str, Any]]) -> None:
    first = next(iter(found.values()))
    shares = [f"quantile {share}" for share in first["quantiles"]]
    header = ["column", "mean", "variance", "skewness", "kurtosis", *shares]
    rows = [[name, *_moments(changes)] for name, changes in found.items()]
    title = "Changes, in standard deviations of the original"
    print_table(title, header, rows, spare=list(reversed(shares)))


def _moments(changes: Mapping[str, Any]) -> Iterator[str]:
    yield _cell(changes["mean"])
    yield _percent(changes["variance"])
    for name in ("skewness", "kurtosis"):
        yield _cell(changes[name])
    yield from map(_cell, changes["quantiles"].values())


def _print_distinguishability(found: Mapping[str, Any], judged: list[str]) -> None:
    rows = [
        ("AUC (0.5: nothing is seen, 1: all is)", _cell(found["auc"])),
        ("pMSE", _cell(found["pmse"])),
        ("pMSE by chance", _cell(found["expected_pmse"])),
        ("ratio (1: as near as another sample)", _cell(found["ratio"])),
    ]
    title = f"Published rows told from original ones, by {', '.join(judged)} alone"
    print_table(title, ["what", "value"], rows)


def _cell(value: float | None) -> str:
    # Rounding errors are no news; adding 0 leaves no "-0".
    return NOT_AVAILABLE if value is None else format_number(round(value, 10) + 0.0)


def _percent(share: float | None) -> str:
    return NOT_AVAILABLE if share is None else percent(share)

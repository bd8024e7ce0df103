"""``anon risk``: what intruders can expect of a table, and what it lost."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
    JsonFlag,
    format_number,
    handle_errors,
    percent,
    print_json,
    print_table,
)
from anon_transformers.exceptions import ConfigurationError, DataError, NotEvaluable

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.evidence import Classes
    from anon_transformers.hierarchies import Hierarchy

Source = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help=f"A file ({FILES}), or the folder of a published release.",
    ),
]
Original = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The table before it was protected."),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Sampling weight: how many persons of the population a row stands for.",
    ),
]
Population = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Register of the population, one row per person, not recoded.",
    ),
]
Threshold = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="A row (a person, with --subject) is at risk above this."
    ),
]
Queries = Annotated[
    list[str] | None,
    repeated("--query", metavar="COLUMN", help="Column of numbers to ask queries of"),
]
SuppressionLabel = Annotated[str, typer.Option(help="Label of a suppressed cell.")]
NOT_AVAILABLE = "not available"


@dataclass(frozen=True)
class _RiskRequest:
    """What is to be measured, of the table and of its original alike."""

    quasi_identifiers: list[str]
    sensitive: list[str]
    hierarchies: Mapping[Any, "Hierarchy"]
    weights: str | None
    population: "pd.DataFrame | None"
    threshold: float
    suppression_label: str
    subject: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)


@handle_errors
def risk(
    table: Source,
    original: Original = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    identifiers: Naming = None,
    subject: CountedBy = None,
    hierarchies: Folder = None,
    weights: Weights = None,
    population: Population = None,
    threshold: Threshold = 0.1,
    queries: Queries = None,
    suppression_label: SuppressionLabel = "*",
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    original_separator: OriginalSeparator = None,
    original_encoding: OriginalEncoding = None,
    missing: Missing = None,
    json_output: JsonFlag = False,
) -> None:
    """Measure risk, classes and, beside the original, loss; judge nothing.

    The risk of a prosecutor is that of somebody who knows who is in the table. Those
    of a journalist and a marketer need a register or sampling weights. Rows are
    counted, or with [bold]--subject[/bold] persons, in the table and in its original.

    [bold]anon risk safe.csv --original people.csv -q age -q zip -s disease[/bold]
    """
    from anon_transformers.release._source import refuse_lacking

    _check_options(table, weights, population, subject)
    own = Dialect(separator, encoding)
    after, published_roles = _release(table) if table.is_dir() else (None, {})
    quasi_identifiers = quasi_identifiers or published_roles.get("quasi_identifiers")
    sensitive = sensitive or published_roles.get("sensitive", [])
    if not quasi_identifiers:
        raise ConfigurationError("name the quasi-identifiers with -q COLUMN.")
    texts = [*quasi_identifiers, *(queries or [])]
    named = [*typed_texts(texts, sensitive, weights, subject)]
    reader = TableReader(missing, [*named, *(identifiers or [])])

    def read(path: Path, dialect: Dialect, needed: list[str]) -> "pd.DataFrame":
        return reader.read(path, dialect, needed, as_text=texts)

    if after is None:
        after = read(table, own, named)
    refuse_lacking(list(after.columns), named, str(table))
    register = before = None
    if population is not None:
        register = read(population, find_dialect(population, own), quasi_identifiers)
    if original is not None:
        stated = (original_separator, original_encoding, "--original")
        before = read(original, find_dialect(original, own, *stated), named)
    tables = [after] if before is None else [after, before]
    roles = (quasi_identifiers, sensitive)
    check_persons(table, tables, roles, identifiers, subject)
    by_column = read_folder(hierarchies, quasi_identifiers, encoding)
    label = published_roles.get("suppression_label", suppression_label)
    asked = _RiskRequest(
        *roles, by_column, weights, register, threshold, label, subject
    )
    asked.reasons.update(published_roles.get("reasons", {}))
    result = _measure(before, after, asked, queries or [])
    counted = "rows" if subject is None else "persons"
    if json_output:
        print_json({"table": str(table), "counted": counted, **result})
    else:
        _print_report(table, result, counted)


def _check_options(
    table: Path, weights: str | None, population: Path | None, subject: str | None
) -> None:
    """Refuse options that do not go together."""
    if weights is not None and population is not None:
        raise ConfigurationError("give --weights or --population, not both.")
    if weights is not None and subject is not None:
        raise ConfigurationError(
            "--weights: those of a person with several rows would be added up; give "
            "--population, or leave out --subject."
        )
    if table.is_dir() and subject is not None:
        raise ConfigurationError(f"--subject: {NOT_PUBLISHED}")


def _release(folder: Path) -> "tuple[pd.DataFrame, dict[str, Any]]":
    """Table and roles of a published release, and what it cannot tell."""
    frame, published_roles = read_release(folder)
    if "nodes" in published_roles:
        raise ConfigurationError(f"{folder} is a graph; see anon graph describe.")
    if published_roles["subject"] is not None:
        published_roles["reasons"] = {
            "persons": f"this release counts them; {NOT_PUBLISHED}"
        }
    return frame, published_roles


def _measure(
    before: "pd.DataFrame | None",
    after: "pd.DataFrame",
    asked: _RiskRequest,
    queries: list[str],
) -> dict[str, Any]:
    """Everything that is asked, as plain values."""
    result: dict[str, Any] = {
        "threshold": asked.threshold,
        "before": None if before is None else _numbers(before, asked),
        "after": _numbers(after, asked),
        "loss": None if before is None else _loss(before, after, asked),
        "queries": {name: _query(before, after, name, asked) for name in queries},
    }
    return {**result, "not_available": dict(asked.reasons)}


def _numbers(frame: "pd.DataFrame", asked: _RiskRequest) -> dict[str, Any]:
    """What can be said of one table."""
    from anon_transformers import metrics
    from anon_transformers.evidence import Classes

    classes = Classes.from_frame(
        frame, asked.quasi_identifiers, asked.sensitive, asked.subject,
        suppression_label=asked.suppression_label,
    )  # fmt: skip
    classes = _with_population(classes, frame, asked)
    at = asked.threshold
    return {
        "classes": asdict(metrics.class_statistics(classes)),
        "prosecutor": _available(
            "prosecutor", lambda: asdict(metrics.prosecutor_risk(classes, at)), asked
        ),
        "journalist": _available(
            "journalist", lambda: asdict(metrics.journalist_risk(classes, at)), asked
        ),
        "marketer": _available(
            "marketer", lambda: {"average": metrics.marketer_risk(classes)}, asked
        ),
        "sensitive": {n: _diversity(classes, n, asked) for n in asked.sensitive},
    }


def _with_population(
    classes: "Classes", frame: "pd.DataFrame", asked: _RiskRequest
) -> "Classes":
    from anon_transformers.metrics import match_population, weigh_population

    if asked.weights is not None:
        return weigh_population(classes, frame[asked.weights])
    if asked.population is None:
        return classes
    return match_population(
        classes, frame, asked.population, asked.quasi_identifiers, asked.hierarchies,
        asked.suppression_label,
    )  # fmt: skip


def _diversity(
    classes: "Classes", name: str, asked: _RiskRequest
) -> dict[str, Any] | None:
    """How diverse a sensitive column is: l and t as the models have them."""
    from anon_transformers.privacy import DistinctLDiversity, TCloseness

    diverse = DistinctLDiversity(l=1, sensitive=name)
    close = TCloseness(t=1, reference="released", sensitive=name)
    found = _available(name, lambda: {"distinct_l": diverse.level(classes)}, asked)
    if found is None:
        return None
    # Persons may have several values, and a distance between these is not defined.
    closeness = _available(f"{name}, t", lambda: {"t": close.level(classes)}, asked)
    return {**found, **(closeness or {"t": None})}


def _loss(
    before: "pd.DataFrame", after: "pd.DataFrame", asked: _RiskRequest
) -> dict[str, Any]:
    """Loss by attribute and in all; None where cells cannot be measured."""
    from anon_transformers.metrics import attribute_losses, domain_share_loss

    losses: dict[str, float | None] = {}
    for name in asked.quasi_identifiers:
        try:
            found = attribute_losses(
                before, after, asked.hierarchies, [name], asked.suppression_label
            )
            losses[name] = found[name]
        except DataError as error:
            losses[name] = None
            asked.reasons[f"loss, {name}"] = (
                f"{error} Of labels --hierarchies says what they stand for; of "
                "numbers anon quality tells the error."
            )
    known = [loss for loss in losses.values() if loss is not None]
    whole = len(known) == len(losses)
    return {
        "total": domain_share_loss(known) if whole else None,
        "attributes": losses,
    }


def _query(
    before: "pd.DataFrame | None", after: "pd.DataFrame", name: str, asked: _RiskRequest
) -> dict[str, Any]:
    from anon_transformers.metrics import aggregate_answers, aggregate_query_error

    suppression_label = asked.suppression_label
    if before is None:
        answers = asdict(
            aggregate_answers(after[name], suppression_label=suppression_label)
        )
        return {key: {"released": answer} for key, answer in answers.items()}
    errors = aggregate_query_error(
        before[name], after[name], suppression_label=suppression_label
    )
    return {key: asdict(error) for key, error in errors.items()}


def _available(
    name: str, measure: Callable[[], dict[str, Any]], asked: _RiskRequest
) -> dict[str, Any] | None:
    """Take numbers; None, and the reason kept, where they are not available."""
    try:
        return measure()
    except NotEvaluable as error:
        asked.reasons[name] = str(error)
        return None


def _print_report(table: Path, result: Mapping[str, Any], counted: str) -> None:
    sides = [side for side in ("before", "after") if result[side] is not None]
    rows = [
        (name, *(_cell(value) for value in values))
        for name, *values in _lines([result[side] for side in sides])
    ]
    one = counted.removesuffix("s")
    title = (
        f"{table}: {counted} are counted, and a {one} is at risk above "
        f"{result['threshold']:g}"
    )
    print_table(title, ["what", *sides], rows)
    if result["loss"] is not None:
        losses = {**result["loss"]["attributes"], "total": result["loss"]["total"]}
        lost = [
            (name, NOT_AVAILABLE if loss is None else percent(loss))
            for name, loss in losses.items()
        ]
        print_table("Loss", ["attribute", "loss"], lost)
    for name, answers in result["queries"].items():
        header = list(next(iter(answers.values())))
        rows = [(key, *map(_cell, a.values())) for key, a in answers.items()]
        print_table(f"Queries of {name}", ["query", *header], rows)
    for name, reason in result["not_available"].items():
        typer.echo(f"- {name}: {reason}")


def _lines(sides: list[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """The same number of every side on one line."""
    groups = {
        "classes": ("count", "smallest", "largest", "mean", "kept_rows",
                    "suppressed_rows"),
        "prosecutor": ("average", "highest", "records_at_risk"),
        "journalist": ("average", "highest", "records_at_risk"),
        "marketer": ("average",),
    }  # fmt: skip
    for group, names in groups.items():
        for name in names:
            yield [f"{group}, {name.replace('_', ' ')}", *_of(sides, group, name)]
    for column in sides[-1]["sensitive"]:
        diversity = [side["sensitive"] for side in sides]
        for name in ("distinct_l", "t"):
            shown_as = name.replace("_", " ")
            yield [f"{column}, {shown_as}", *_of(diversity, column, name)]


def _of(sides: list[Mapping[str, Any]], group: str, name: str) -> list[Any]:
    return [None if side[group] is None else side[group][name] for side in sides]


def _cell(value: Any) -> str:
    return format_number(value, NOT_AVAILABLE)

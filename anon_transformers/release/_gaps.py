"""How far a table is from each threshold, and which quasi-identifiers cause it.

What a column causes is computed by leaving it out: the classes of the other
quasi-identifiers are judged by the same model. Counts and names of columns only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Classes
from anon_transformers.evidence._references import by_single
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.gx._judging import PrivateEvidence, Scope, private_evidence
from anon_transformers.gx._threshold import Threshold
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import SuppressedShare, domain_share_loss, measure
from anon_transformers.parameters import is_number
from anon_transformers.privacy import judge
from anon_transformers.privacy._judge import answers
from anon_transformers.release._build import make_hierarchies, make_model
from anon_transformers.release._forms import GateInput
from anon_transformers.release._table import TableForm
from anon_transformers.release._table_evidence import references


@dataclass(frozen=True)
class ColumnEffect:
    """What leaving one quasi-identifier out changes for a threshold.

    Attributes
    ----------
    column : str
        The quasi-identifier.
    reached : int, float or None
        What is reached without it.
    to_go : int or None
        Rows, or persons where these are counted, in classes that break a model without
        it.
    gain : int or float
        How many fewer these are; of a metric, how much nearer its bound is.
    """

    column: str
    reached: int | float | None
    to_go: int | None
    gain: int | float


@dataclass(frozen=True)
class Gap:
    """How far a table is from one threshold.

    Attributes
    ----------
    id, kind, name, asked
        The threshold and its parameters.
    of : {"candidate", "source"}
        What was judged: what the method made, or the source itself, before anything is
        generalized, where it could not make anything.
    holds : bool or None
        Whether it is reached; None if it could not be judged.
    reached : int, float or None
        The level of a model, the value of a metric.
    off : int, float or None
        How much is lacking.
    classes, failing : int or None
        Classes, and how many of them break a model.
    rows_to_go, persons_to_go : int or None
        Rows in these classes, which would have to be suppressed as things are, and the
        persons whose rows they are, where a subject is declared.
    columns : tuple of ColumnEffect
        The quasi-identifiers, first the one that gains most when it is left out.
    """

    id: str
    kind: str
    name: str
    asked: Mapping[str, Any]
    of: str
    holds: bool | None = None
    reached: int | float | None = None
    off: int | float | None = None
    classes: int | None = None
    failing: int | None = None
    rows_to_go: int | None = None
    persons_to_go: int | None = None
    columns: tuple[ColumnEffect, ...] = ()

    @property
    def to_go(self) -> int | None:
        """Persons that would have to go, or rows where only these are known."""
        return self.rows_to_go if self.persons_to_go is None else self.persons_to_go


def source_input(form: TableForm, source: pd.DataFrame) -> GateInput:
    """The source as a gate would judge it if it were published as it is."""
    roles = form.config.roles
    noted = references(source, roles)
    given = {name: dict(pairs) for name, pairs in noted["columns"].items()}
    made = make_hierarchies(form.config, roles.sensitive)
    built = {}
    for name, tree in made.items():
        if isinstance(tree, Hierarchy):
            built[name] = tree
        else:
            texts = [text for text in by_single(given[name]) if text is not None]
            built[name] = tree.build(texts)
    return GateInput(
        source,
        list(roles.quasi_identifiers),
        PrivateEvidence(given, built, noted["persons"]),
        list(roles.sensitive),
        roles.subject,
    )


def gaps_of(
    judged: GateInput,
    thresholds: Sequence[Threshold],
    suppression_label: str,
    *,
    of: str,
    column_losses: Mapping[str, float] | None = None,
) -> list[Gap]:
    """How far a table is from each threshold.

    Parameters
    ----------
    judged : GateInput
        The table, its columns and private evidence.
    thresholds : sequence of Threshold
        What is asked for.
    suppression_label : str
        The label of a suppressed cell.
    of : {"candidate", "source"}
        What the table is.
    column_losses : mapping, optional
        The loss of each quasi-identifier, for the metric ``loss``.
    """

    def classes_of(columns: Sequence[Any]) -> Classes:
        scope = Scope(columns, judged.sensitive, judged.subject, suppression_label)
        return scope.classes(judged.frame)

    names = list(map(str, judged.quasi_identifiers))
    subject = None
    if judged.subject is not None:
        subject = pd.factorize(judged.frame[judged.subject])[0]
    gaps = []
    with private_evidence(judged.evidence):
        # Each once, for all thresholds.
        without = {
            name: classes_of([other for other in names if other != name])
            for name in (names if len(names) > 1 else ())
        }
        whole = classes_of(names)
        for threshold in thresholds:
            gap = Gap(
                threshold.id, threshold.kind, threshold.name,
                dict(threshold.params), of,
            )  # fmt: skip
            found = _found(threshold, whole, without, subject, column_losses)
            gaps.append(Gap(**{**vars(gap), **found}))
    return gaps


def _found(
    threshold: Threshold,
    whole: Classes,
    without: Mapping[str, Classes],
    subject: np.ndarray | None,
    column_losses: Mapping[str, float] | None,
) -> dict[str, Any]:
    asked = make_model(threshold)
    if threshold.kind == "metric" and threshold.name == "loss":
        return _of_loss(threshold, column_losses)
    if asked.evidence != "classes":
        return {}
    try:
        if threshold.kind == "metric":
            return _of_metric(threshold, asked, whole, without)
        return _of_model(asked, whole, without, subject)
    except NotEvaluable:
        return {}


def _of_model(
    model: Any,
    whole: Classes,
    without: Mapping[str, Classes],
    subject: np.ndarray | None,
) -> dict[str, Any]:
    verdict = judge(model, whole)
    rows, persons = _to_go(model, whole, subject)
    found = {
        "holds": verdict.passed,
        "reached": verdict.level,
        "off": 0 if verdict.passed else _off(model, verdict.level),
        "classes": whole.n_classes,
        "failing": verdict.failing,
        "rows_to_go": rows,
        "persons_to_go": persons,
    }
    if verdict.passed or rows is None:
        return found
    effects = []
    here = rows if persons is None else persons
    for name, classes in without.items():
        fewer_rows, fewer_persons = _to_go(model, classes, subject)
        left = fewer_rows if fewer_persons is None else fewer_persons
        if left is not None:
            level = judge(model, classes).level
            effects.append(ColumnEffect(name, level, left, here - left))
    return {**found, "columns": _ordered(effects)}


def _to_go(
    model: Any, classes: Classes, subject: np.ndarray | None
) -> tuple[int | None, int | None]:
    """Rows of classes that break a model, and persons who have some of them."""
    satisfied = answers(model, classes)
    if len(satisfied) != classes.n_classes or classes.labels is None:
        return None, None  # it judges other units
    broken = ~satisfied[classes.labels]
    persons = None if subject is None else len(np.unique(subject[broken]))
    return int(broken.sum()), persons


def _off(model: Any, level: int | float) -> int | float | None:
    """What a level lacks, where one number of a model is on the same scale."""
    asked = [getattr(model, name) for name in model.tighter if name != "k"]
    if not asked:
        asked = [model.k] if hasattr(model, "k") else []
    if len(asked) != 1 or not is_number(asked[0]):
        return None
    return abs(asked[0] - level)


def _of_metric(
    threshold: Threshold, metric: Any, whole: Classes, without: Mapping[str, Classes]
) -> dict[str, Any]:
    if isinstance(metric, SuppressedShare):
        without = {}  # suppressed is a row in all columns: none of them causes it
    others = {name: measure(metric, classes) for name, classes in without.items()}
    return _against_bounds(threshold, measure(metric, whole), others)


def _of_loss(
    threshold: Threshold, column_losses: Mapping[str, float] | None
) -> dict[str, Any]:
    """Of the loss, which is a mean over columns, that of the other columns."""
    if not column_losses:
        return {}
    losses = dict(column_losses)
    others = {
        name: domain_share_loss(
            [loss for other, loss in losses.items() if other != name]
        )
        for name in (losses if len(losses) > 1 else ())
    }
    return _against_bounds(threshold, domain_share_loss(losses.values()), others)


def _against_bounds(
    threshold: Threshold,
    value: int | float,
    others: Mapping[str, int | float],
) -> dict[str, Any]:
    def lacking(value: int | float) -> int | float:
        low, high = threshold.bounds["min"], threshold.bounds["max"]
        return max(
            0 if low is None else low - value, 0 if high is None else value - high, 0
        )

    off = lacking(value)
    found = {"holds": off == 0, "reached": value, "off": off}
    if off == 0:
        return found
    effects = [
        ColumnEffect(name, reached, None, off - lacking(reached))
        for name, reached in others.items()
    ]
    return {**found, "columns": _ordered(effects)}


def _ordered(effects: Sequence[ColumnEffect]) -> tuple[ColumnEffect, ...]:
    return tuple(sorted(effects, key=lambda effect: -effect.gain))

"""Data quality of a published table beside its original, in one report."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from anon_transformers._data.frames import to_frame
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.metrics._alignment import order_shown
from anon_transformers.metrics._correlations import (
    CorrelationDifferences,
    correlation_differences,
)
from anon_transformers.metrics._distinguishability import (
    Propensity,
    distinguishability,
)
from anon_transformers.metrics._moment_change import MomentChanges, moment_changes
from anon_transformers.metrics._number_columns import chosen_columns, shared_columns
from anon_transformers.metrics._squared_error import SquaredErrors, squared_error_share

T = TypeVar("T")


@dataclass(frozen=True)
class QualityReport:
    """What a published table is still good for, in numbers only.

    Attributes
    ----------
    rows : mapping
        Rows of the original and of the published table.
    numbers, nominal : tuple
        Columns that were compared: as numbers, or as texts.
    left_out : tuple
        Columns of numbers that were published as something else, such as ranges.
    correlations : mapping of str to CorrelationDifferences
        Over all pairs of columns of numbers ("all"), and over those of the sensitive
        ones ("sensitive").
    moments : mapping of column to MomentChanges
        Changes of each column of numbers.
    squared_error : SquaredErrors or None
        SSE/SST; only of tables that are aligned.
    order_shown : bool or None
        Whether a column shows that rows are aligned: where it is False, squared errors
        are those of other persons, or nothing is left of the order. None where nobody
        asked, or can say.
    distinguishability : Propensity or None
        How well published rows are told from original ones.
    not_available : mapping of str to str
        What is missing above, and why.
    """

    rows: Mapping[str, int]
    numbers: tuple[Hashable, ...]
    nominal: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]
    correlations: Mapping[str, CorrelationDifferences]
    moments: Mapping[Any, MomentChanges]
    squared_error: SquaredErrors | None
    order_shown: bool | None
    distinguishability: Propensity | None
    not_available: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; None where there is no finite number."""
        fields = {
            "rows": dict(self.rows),
            "numbers": [str(name) for name in self.numbers],
            "nominal": [str(name) for name in self.nominal],
            "left_out": [str(name) for name in self.left_out],
            "correlations": {n: c.to_dict() for n, c in self.correlations.items()},
            "moments": {n: c.to_dict() for n, c in self.moments.items()},
            "squared_error": self.squared_error and self.squared_error.to_dict(),
            "order_shown": self.order_shown,
            "distinguishability": self.distinguishability
            and self.distinguishability.to_dict(),
            "not_available": dict(self.not_available),
        }
        return _plain(fields)


def quality(
    original: Any,
    published: Any,
    *,
    quasi_identifiers: Sequence[Hashable] | None = None,
    sensitive: Sequence[Hashable] | None = None,
    aligned: bool = False,
    classifier: Any = None,
    permutations: int = 10,
    random_state: int | np.random.Generator | None = None,
) -> QualityReport:
    """Compare a published table with its original, topic by topic.

    Parameters
    ----------
    original, published : data frames
        Before and after; rows may be left out and stand in any order unless they are
        ``aligned``.
    quasi_identifiers, sensitive : sequence, optional
        Without quasi-identifiers all columns that both tables have are compared, with
        them the named ones only. Correlations of sensitive columns are listed on their
        own too.
    aligned : bool, default=False
        Whether row ``i`` of both tables is the same person. Squared errors are taken
        only then.
    classifier, permutations, random_state
        As for :func:`distinguishability`.

    Returns
    -------
    QualityReport
        Columns of numbers that were published as something else are left out, and
        listed. A metric refuses to judge such a table.

    See Also
    --------
    correlation_differences, moment_changes, squared_error_share, distinguishability

    Examples
    --------
    >>> original = pd.DataFrame({"age": range(20, 60), "pay": range(40)})
    >>> published = original.assign(pay=original["pay"].to_numpy() // 4 * 4 + 1.5)
    >>> report = quality(original, published, aligned=True, random_state=0)
    >>> round(report.correlations["all"].mean, 4), round(report.squared_error.total, 4)
    (0.0047, 0.0047)
    >>> round(report.moments["pay"].mean, 4), report.distinguishability.advantage < 0.3
    (0.0, True)
    """
    sensitive = list(sensitive or [])
    named = None if quasi_identifiers is None else [*quasi_identifiers, *sensitive]
    original, published = to_frame(original), to_frame(published)
    chosen_columns(original, published, sensitive)  # refuses one that is not there
    shared = shared_columns(original, published, named)
    numbers = shared.numbers.names
    topics = _Topics(original, published, {})
    return QualityReport(
        rows={"original": len(original), "published": len(published)},
        numbers=numbers,
        nominal=shared.nominal,
        left_out=shared.no_longer_numbers,
        correlations=_correlations(topics, numbers, sensitive),
        moments=topics.take("moments", moment_changes, numbers) or {},
        squared_error=_squared_error(topics, numbers, aligned),
        order_shown=order_shown(original, published, shared) if aligned else None,
        distinguishability=topics.take(
            "distinguishability",
            distinguishability,
            [*numbers, *shared.nominal],
            classifier=classifier,
            aligned=aligned,
            permutations=permutations,
            random_state=random_state,
        ),
        not_available=topics.reasons,
    )


@dataclass(frozen=True)
class _Topics:
    """Takes what can be taken of two tables, and keeps the reasons of the rest."""

    original: pd.DataFrame
    published: pd.DataFrame
    reasons: dict[str, str]

    def take(
        self,
        topic: str,
        measured: Callable[..., T],
        columns: Sequence[Hashable],
        **options: Any,
    ) -> T | None:
        try:
            return measured(self.original, self.published, columns=columns, **options)
        except NotEvaluable as error:
            self.reasons[topic] = str(error)
            return None


def _correlations(
    topics: _Topics, numbers: Sequence[Hashable], sensitive: Sequence[Hashable]
) -> dict[str, CorrelationDifferences]:
    asked = {"all": numbers}
    if sensitive:
        asked["sensitive"] = [name for name in numbers if name in set(sensitive)]
    found = {
        which: topics.take(f"correlations, {which}", correlation_differences, columns)
        for which, columns in asked.items()
    }
    return {which: taken for which, taken in found.items() if taken is not None}


def _squared_error(
    topics: _Topics, numbers: Sequence[Hashable], aligned: bool
) -> SquaredErrors | None:
    if aligned:
        return topics.take("squared error", squared_error_share, numbers)
    topics.reasons["squared error"] = "needs rows that are aligned, person by person."
    return None


def _plain(value: Any) -> Any:
    """Keys as texts, and None for what is no finite number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

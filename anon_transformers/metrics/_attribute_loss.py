"""Domain-share loss of a published table against its original."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._data.columns import identify
from anon_transformers._data.frames import to_frame
from anon_transformers.evidence import SUPPRESSED, Report
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._coverage import (
    Domain,
    Recoded,
    columns_of,
    recoded_columns,
)


def attribute_losses(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy] | None = None,
    quasi_identifiers: Sequence[Hashable] | None = None,
    suppression_label: str = SUPPRESSED,
) -> dict[Hashable, float]:
    """How much of each attribute's domain the published cells cover.

    The loss of an attribute is the mean share of its cells: where a cell may stand for
    ``c`` of ``d`` ground values, that is ``(c - 1) / (d - 1)``, as ARX computes it by
    default. Numbers and dates without a hierarchy are measured by width instead: from
    the first to the last value that the cell may stand for, as part of the same for all
    values. These are the losses that an anonymizer reports, unless it was told a step
    or a domain. A suppressed row has share 1, published as ``*`` or left out.

    Parameters
    ----------
    original, published : data frames
        Before and after; rows may be left out and stand in any order.
    hierarchies : mapping of column to Hierarchy, optional
        Their rows are the ground values, also those that do not occur. A column
        without a hierarchy has the different values of the original as its domain,
        and its labels are read as values, ranges and sets.
    quasi_identifiers : sequence, optional
        Columns to measure; by default those with a hierarchy.
    suppression_label : str, default="*"
        The text of a suppressed cell.

    Returns
    -------
    dict of column to float
        0 for an untouched column, 1 where everything is suppressed. An attribute of a
        single ground value has nothing to lose: 0.

    Raises
    ------
    DataError
        If labels cannot be read, or numbers are published that the original does not
        hold, such as means: they stand for no ground value, and would seem exact.

    Notes
    -----
    A missing cell counts like a single value. What a label says of missing values
    (``[20, 35] or missing``) is free, but for a range that is measured by width: there
    it counts like one of ``d + 1`` values.

    Examples
    --------
    >>> import pandas as pd
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> original = pd.DataFrame({"country": ["FR", "IT", "JP", "CN"]})
    >>> published = pd.DataFrame({"country": ["EU", "EU", "Asia", "*"]})
    >>> attribute_losses(original, published, {"country": tree})
    {'country': 0.5}
    """
    columns, n_before, n_after = recoded_columns(
        original, published, hierarchies, quasi_identifiers, suppression_label
    )
    for column in columns:
        _refuse_unknown_values(column)
    return {column.name: _loss(column, n_before, n_after) for column in columns}


def released_losses(
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppression_label: str = SUPPRESSED,
    n_rows: int | None = None,
    weights: np.ndarray | None = None,
) -> dict[Hashable, float]:
    """How much of each hierarchy the published cells cover; needs no original.

    The same as :func:`attribute_losses`, over the published rows alone.

    Parameters
    ----------
    published : data frame
        The table that was released.
    hierarchies : mapping of column to Hierarchy
        The columns to measure.
    suppression_label : str, default="*"
        The text of a suppressed cell.
    n_rows : int, optional
        Rows of the original, if it is known that some were left out: each of these is
        lost as a whole.
    weights : int array, optional
        How many rows each row of ``published`` stands for.

    Examples
    --------
    >>> import pandas as pd
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> published = pd.DataFrame({"country": ["EU", "EU", "Asia", "*"]})
    >>> released_losses(published, {"country": tree})
    {'country': 0.5}
    >>> released_losses(published.head(3), {"country": tree}, n_rows=4)
    {'country': 0.5}
    """
    frame, losses = to_frame(published), {}
    for name in columns_of(frame, None, hierarchies):
        domain = Domain.of(frame[name].iloc[:0], hierarchies[name])
        labels = identify(frame[name])
        cover = domain.cover(labels, suppression_label)
        recoded = Recoded(name, domain, labels, cover)
        there = len(frame) if weights is None else int(weights.sum())
        losses[name] = _loss(recoded, max(n_rows or 0, there), there, weights)
    return losses


def information_loss(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy] | None = None,
    quasi_identifiers: Sequence[Hashable] | None = None,
    suppression_label: str = SUPPRESSED,
    weights: Mapping[Any, float] | None = None,
) -> float:
    """Join the losses of the attributes by the geometric mean of 1 + loss.

    Parameters
    ----------
    original, published, hierarchies, quasi_identifiers, suppression_label
        As for :func:`attribute_losses`.
    weights : mapping of column to number, optional
        How much each attribute counts, 1 where nothing is said.

    Returns
    -------
    float
        0 if nothing was changed, 1 if everything was suppressed.

    See Also
    --------
    attribute_losses : The loss of each attribute.
    domain_share_loss : Joins losses that are known already.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 30, 40], "sex": ["f", "m", "f"]})
    >>> information_loss(table, table, quasi_identifiers=["age", "sex"])
    0.0
    """
    losses = attribute_losses(
        original, published, hierarchies, quasi_identifiers, suppression_label
    )
    for name, weight in (weights or {}).items():
        if name not in losses or not weight >= 0:
            raise ParameterError(
                f"weights: {name!r} must be a measured column with a weight of at "
                f"least 0, got {weight!r}."
            )
    each = np.array([float((weights or {}).get(name, 1.0)) for name in losses])
    if not each.sum():
        raise ParameterError("weights: at least one must be above 0.")
    logs = np.log1p(list(losses.values()))
    return float(np.expm1(logs @ each / each.sum()))


def _refuse_unknown_values(column: Recoded) -> None:
    """Refuse cells that stand for no value at all: recoding never makes them."""
    stands_for_none = np.diff(column.cover.indptr) == 0
    count = int(stands_for_none[column.labels.codes].sum())
    if count:
        raise DataError(
            f"column {column.name!r} holds numbers or ranges in {count} rows that no "
            "value of the original lies in, such as means of groups: their loss is no "
            "share of the domain, but a squared error."
        )


def _loss(
    column: Recoded, n_before: int, n_after: int, weights: np.ndarray | None = None
) -> float:
    if column.domain.n_values <= 1:
        return 0.0
    shares = np.append(_shares(column), 0.0)  # the last line is that of a missing cell
    lost = shares[column.labels.codes]
    lost = (lost if weights is None else lost * weights).sum() + (n_before - n_after)
    return float(lost / n_before)


def _shares(column: Recoded) -> np.ndarray:
    """Share of the domain that each label covers: 0 for one value, 1 for all."""
    n_values = column.domain.n_values
    cover = column.cover[:-1, :-1].tocsr()
    counts = np.diff(cover.indptr)
    shares = np.maximum(counts - 1, 0) / (n_values - 1)
    places = column.domain.places
    if places is None:
        return shares
    sets = [str(text).startswith("{") for text in column.labels.texts()]
    by_width = (counts > 0) & ~np.array(sets, dtype=bool)
    held = places[cover.indices]
    starts = cover.indptr[:-1][counts > 0]
    widths = np.zeros(len(counts))
    widths[counts > 0] = np.maximum.reduceat(held, starts) - np.minimum.reduceat(
        held, starts
    )
    missing = column.cover[:-1, [-1]].toarray()[:, 0] / (n_values + 1)
    whole = places.max() - places.min()
    return np.where(by_width, np.minimum(1.0, widths / whole + missing), shares)


def domain_share_loss(column_losses: Iterable[float]) -> float:
    """Join the losses of the quasi-identifiers by a geometric mean.

    Each is the mean over all rows of the share of the attribute's domain that the
    published value covers, 0 for an untouched value, 1 for the root or a
    suppressed row. This is the loss that ARX reports by default.

    Examples
    --------
    >>> domain_share_loss([0.0, 0.0])
    0.0
    >>> domain_share_loss([1.0, 1.0])
    1.0
    """
    losses = list(column_losses)
    return math.prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


@dataclass(frozen=True)
class Loss:
    """Share of the information that is lost: 0 for none, 1 for all of it.

    The domain-share loss of the run, from its report.
    """

    name: ClassVar[str] = "loss"
    evidence: ClassVar[str] = "report"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Report) -> float:
        """0 if nothing was changed, 1 if everything was suppressed."""
        return evidence.loss

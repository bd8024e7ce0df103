"""How well one coding of a table protects it: k, Q, l, t and unevenness of risk."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Classes, Memberships, distribution
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.metrics import MeasureRisk
from anon_transformers.privacy import (
    DistinctLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    KAnonymity,
    QAnonymity,
    TCloseness,
)

CONVENTIONS = ("definition", "source")
SOURCE_T: Mapping[str, Any] = {
    "class_distribution": "distinct",
    "table_distribution": "distinct_published",
    "reduce": "min",
}
"""How the source took its t: no promise, for it is the best row, not the worst."""


def coding_criteria(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Sequence[Hashable],
    degrees: np.ndarray | None = None,
    convention: str = "definition",
    empty: str = "ignore",
    whole: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Judge a coded table; None where a criterion is not defined.

    Parameters
    ----------
    frame : pandas.DataFrame
        Published labels and the sensitive columns beside them.
    quasi_identifiers, sensitive : sequences of columns
        Quasi-identifiers; columns that l and t are asked of.
    degrees : ndarray of shape (n_rows, n_classes), default=None
        Of a fuzzy coding; None: the labels are all there is.
    convention : {"definition", "source"}, default="definition"
        The definitions, or what the source did: t is the least distance, between
        distributions that count a value once; Q is at least 1; and l and t are left
        out where k or Q is 1.
    empty : {"ignore", "keep"}, default="ignore"
        Whether classes of a fuzzy coding that a release does not show count for Q and
        l. The source keeps them.
    whole : pandas.DataFrame, default=None
        The table before rows were removed, which t compares classes with; None: none
        was.

    Returns
    -------
    dict
        rows, classes, k, measure_risk, q_mean, q_min, and ``l`` and ``t`` of each
        sensitive column.
    """
    whole = frame if whole is None else whole
    shares = {name: distribution(whole[name]) for name in sensitive}
    classes = Classes.from_frame(frame, quasi_identifiers, sensitive, references=shares)
    empty = "keep" if convention == "source" else empty
    judged = _Judged(classes, frame, sensitive, degrees, convention, empty)
    found: dict[str, Any] = {
        "rows": len(frame),
        "classes": classes.n_classes,
        "k": int(KAnonymity(k=1).level(classes)),
        "measure_risk": int(MeasureRisk().measure(classes)),
        "q_mean": judged.q("mean"),
        "q_min": judged.q("min"),
    }
    least = found["k"] if degrees is None else found["q_mean"]
    asked = convention == "definition" or least > 1
    for name in sensitive:
        found[f"l {name}"] = judged.diversity(name) if asked else None
        found[f"t {name}"] = judged.closeness(name) if asked else None
    return found


def distance_for(values: pd.Series) -> str:
    """How far two values of a column are apart: numbers by rank, others all alike.

    Examples
    --------
    >>> distance_for(pd.Series([3, 4])), distance_for(pd.Series(["flu", "cold"]))
    ('ordered', 'equal')
    """
    ordered = getattr(values.dtype, "ordered", False)
    return "ordered" if ordered or pd.api.types.is_numeric_dtype(values) else "equal"


class _Judged:
    """One coded table, asked one criterion after the other."""

    def __init__(
        self,
        classes: Classes,
        frame: pd.DataFrame,
        sensitive: Sequence[Hashable],
        degrees: np.ndarray | None,
        convention: str,
        empty: Any,
    ) -> None:
        self.classes, self.frame, self.empty = classes, frame, empty
        self.crisp, self.convention = degrees is None, convention
        if degrees is None:  # every row belongs to the class of its label, wholly
            degrees = np.eye(classes.n_classes)[np.asarray(classes.labels)]
        self.members = Memberships.from_frame(degrees, frame, sensitive)

    def q(self, aggregation: Any) -> int | None:
        """The largest Q, of a fuzzy coding."""
        if self.crisp:
            return None
        model = QAnonymity(q=1, aggregation=aggregation, empty=self.empty)
        level = int(model.level(self.members))
        # The source prints 1 where not even one row is likely enough.
        return max(level, 1) if self.convention == "source" else level

    def diversity(self, name: Hashable) -> int:
        """The largest l of one sensitive column."""
        if self.crisp:
            return int(DistinctLDiversity(l=1, sensitive=name).level(self.classes))
        model = FuzzyLDiversity(l=1, sensitive=name, empty=self.empty)
        return int(model.level(self.members))

    def closeness(self, name: Hashable) -> float | None:
        """The least t of one sensitive column."""
        asked: dict[str, Any] = {
            "t": 1,
            "sensitive": name,
            "distance": distance_for(self.frame[name]),
        }
        if self.convention == "source":
            return _level(FuzzyTCloseness(**asked, **SOURCE_T), self.members)
        if self.crisp:
            return _level(TCloseness(**asked), self.classes)
        return _level(FuzzyTCloseness(**asked), self.members)


def _level(model: Any, evidence: Any) -> float | None:
    try:
        return float(model.level(evidence))
    except NotEvaluable:  # a class that no row belongs to by half has no distribution
        return None

"""Similarity: the values of a class differ, yet they mean about the same."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._data.columns import encode, refuse_unknown
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._value_counts import ROUNDING, ValueCounts
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.parameters import real


@dataclass(frozen=True)
class Similarity(Attack):
    """Find classes whose different sensitive values lie close together.

    A column with a hierarchy: the values share a group below the lowest one that all
    values of the table share. A column of numbers, dates or ordered categories:
    the range of the class is narrow against that of the table. Homogeneous
    classes are left to :class:`Homogeneity`.

    Parameters
    ----------
    width : float, default=0.25
        Share of the table's range up to which a class is narrow.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.hierarchies import Hierarchy
    >>> groups = {"stomach": ["ulcer", "gastritis"], "lung": ["flu"]}
    >>> release = pd.DataFrame(
    ...     {"age": [40, 40, 50, 50], "problem": ["ulcer", "gastritis", "flu", "ulcer"]}
    ... )
    >>> report = Similarity().run(
    ...     release,
    ...     quasi_identifiers=["age"],
    ...     sensitive=["problem"],
    ...     hierarchies={"problem": Hierarchy.from_groups(groups)},
    ... )
    >>> report.exposed, report.exposed_units
    (2, 1)
    """

    width: float = 0.25
    name: ClassVar[str] = "similarity"
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "The sensitive values of the class differ but mean about the same, so that the "
        "gist of them is known."
    )
    remedy: ClassVar[str] = "Ask for t-closeness with a hierarchy or an order."

    def __post_init__(self) -> None:
        real("width", self.width, 0, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        exposed = np.zeros(attack_input.rows, dtype=bool)
        classes = np.zeros(attack_input.classes.n_classes, dtype=bool)
        details: dict[str, Any] = {}
        for column in attack_input.sensitive:
            counts = ValueCounts.of(attack_input, column)
            close = self._close_classes(attack_input, column, counts)
            if close is None:
                details[str(column)] = {"examined": False}
                continue
            entries = (close & (counts.distinct > 1))[counts.at]
            exposed |= counts.rows_of(entries)
            classes[counts.at[entries]] = True
            details[str(column)] = {"examined": True, **counts.summarize(entries)}
        if not any(detail["examined"] for detail in details.values()):
            raise NotEvaluable(
                f"{self.name}: no sensitive column has a hierarchy, numbers or an "
                "order."
            )
        return AttackResult(exposed, "classes", len(classes), classes.sum(), details)

    def _close_classes(
        self, attack_input: AttackInput, column: Hashable, counts: ValueCounts
    ) -> np.ndarray | None:
        series, hierarchy = attack_input.release[column], attack_input.hierarchy(column)
        coded = encode(series, hierarchy)
        refuse_unknown(coded)
        # Any row of an entry stands for it: they hold one value.
        row = np.empty(len(counts.at), dtype=np.int64)
        known = np.flatnonzero(counts.row_entry >= 0)
        row[counts.row_entry[known]] = known
        codes = coded.codes[row]
        if coded.hierarchy is not None:
            return _share_a_group(coded.hierarchy, codes, counts)
        if coded.kind not in {"number", "date", "ordinal"}:
            return None
        places = coded.positions()
        low, high = _bounds(counts, places[codes])
        whole = places[-1] - places[0] if len(places) else 0.0
        return high - low <= self.width * whole * (1 + ROUNDING)


def _bounds(counts: ValueCounts, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest number of the entries of each class."""
    low = np.full(len(counts.distinct), np.inf)
    high = np.full(len(counts.distinct), -np.inf)
    np.minimum.at(low, counts.at, numbers)
    np.maximum.at(high, counts.at, numbers)
    return low, high


def _share_a_group(
    hierarchy: Hierarchy, leaves: np.ndarray, counts: ValueCounts
) -> np.ndarray:
    """Classes that meet below the level at which the whole table meets."""
    close = np.zeros(len(counts.distinct), dtype=bool)
    for level in range(1, hierarchy.n_levels):
        groups = hierarchy.level(level).codes[leaves]
        # What the hierarchy does not have is close to nothing.
        groups = np.where(leaves < 0, -1 - np.arange(len(leaves)), groups)
        if len(np.unique(groups)) <= 1:
            break
        low, high = _bounds(counts, groups)
        close |= low == high
    return close

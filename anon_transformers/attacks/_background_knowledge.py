"""Background knowledge: the intruder rules out values until one is left."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._value_counts import ValueCounts
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.parameters import whole


@dataclass(frozen=True)
class BackgroundKnowledge(Attack):
    """Find classes in which a little knowledge leaves one sensitive value.

    Parameters
    ----------
    exclusions : int, default=1
        How many values an intruder can rule out for a person. A class of ``d`` known
        values needs ``d - 1``; none for a homogeneous one.
    excluded : sequence, optional
        The very values that are ruled out. Then the classes in which one other value
        remains are counted, and the rows that hold it are the exposed ones.
    target : mapping of column to value, optional
        Look at the class with these published quasi-identifiers only.

    Notes
    -----
    With ``excluded``, ``details`` has the belief in the value that remains, before and
    after, where it grew most. A missing value is no value that could remain.

    Examples
    --------
    >>> release = pd.DataFrame(
    ...     {"age": [">=50"] * 3, "problem": ["vomit", "back pain", "back pain"]}
    ... )
    >>> roles = {"quasi_identifiers": ["age"], "sensitive": ["problem"]}
    >>> BackgroundKnowledge().run(release, **roles).exposed
    3
    >>> report = BackgroundKnowledge(excluded=["vomit"]).run(release, **roles)
    >>> report.exposed, round(report.details["problem"]["belief_before"], 3)
    (2, 0.667)
    """

    exclusions: int = 1
    excluded: Sequence[Any] | None = None
    target: Mapping[Any, Any] | None = None
    name: ClassVar[str] = "background-knowledge"
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "Whoever rules out a few values for a person in the class knows the one left."
    )
    remedy: ClassVar[str] = "Ask for l-diversity with a larger l."

    def __post_init__(self) -> None:
        whole("exclusions", self.exclusions, 0)
        if self.excluded is not None:
            if isinstance(self.excluded, str) or not len(self.excluded):
                raise ParameterError("excluded must be a list of values.")
            object.__setattr__(self, "excluded", tuple(self.excluded))

    def _find(self, attack_input: AttackInput) -> AttackResult:
        looked_at = self._looked_at(attack_input)
        exposed = np.zeros(attack_input.rows, dtype=bool)
        classes = np.zeros(len(looked_at), dtype=bool)
        details = {}
        for column in attack_input.sensitive:
            counts = ValueCounts.of(attack_input, column)
            if self.excluded is None:
                left, disclosure = self._by_number(counts, looked_at)
            else:
                out = _ruled_out(attack_input, column, self.excluded)
                left, disclosure = _by_value(counts, looked_at, out)
            exposed |= counts.rows_of(left)
            classes[counts.at[left]] = True
            details[str(column)] = {**counts.summarize(left), **disclosure}
        return AttackResult(exposed, "classes", looked_at.sum(), classes.sum(), details)

    def _by_number(
        self, counts: ValueCounts, looked_at: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        known = looked_at & (counts.distinct > 0)
        needed = counts.distinct[known] - 1
        left = known & (counts.distinct - 1 <= self.exclusions)
        numbers, classes = np.unique(needed, return_counts=True)
        return left[counts.at], {
            "fewest_exclusions": int(needed.min()) if len(needed) else None,
            "classes_by_exclusions": {
                str(n): int(c) for n, c in zip(numbers, classes, strict=True)
            },
        }

    def _looked_at(self, attack_input: AttackInput) -> np.ndarray:
        """The target's class, or all."""
        looked_at = np.ones(attack_input.classes.n_classes, dtype=bool)
        for column, wanted in (self.target or {}).items():
            if column not in attack_input.quasi_identifiers:
                raise ParameterError(
                    f"target: column {column!r} is no quasi-identifier."
                )
            texts = to_text(attack_input.release[column]).to_numpy(dtype=object)
            hit = texts == to_text(pd.Series([wanted], dtype=object)).iloc[0]
            looked_at &= np.isin(np.arange(len(looked_at)), attack_input.labels[hit])
        if not looked_at.any():
            raise DataError("target: no class has these quasi-identifiers.")
        return looked_at


def _ruled_out(
    attack_input: AttackInput, column: Hashable, excluded: Sequence[Any]
) -> np.ndarray:
    """Codes of a column's values that are excluded; the texts decide."""
    coded = attack_input.coded(column)
    texts = to_text(pd.Series(list(excluded), dtype=object))
    return np.flatnonzero(np.isin(coded.texts().astype(str), texts.astype(str)))


def _by_value(
    counts: ValueCounts, looked_at: np.ndarray, out: np.ndarray
) -> tuple[np.ndarray, dict[str, Any]]:
    """Entries that alone remain in their class, and how belief in them grew."""
    remains = looked_at[counts.at] & ~np.isin(counts.value, out)
    n_left = np.bincount(counts.at[remains], minlength=len(looked_at))
    total = np.bincount(counts.at[remains], counts.count[remains], len(looked_at))
    left = remains & (n_left[counts.at] == 1)
    disclosure: dict[str, Any] = {"positive_disclosure": bool(left.any())}
    if remains.any():
        after = counts.count[remains] / total[counts.at[remains]]
        most = int(np.argmax(after - counts.share[remains]))
        disclosure["belief_before"] = float(counts.share[remains][most])
        disclosure["belief_after"] = float(after[most])
    return left, disclosure

"""Probabilistic k-anonymity of tables whose cells were moved inside groups."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from anon_transformers._intruders import (
    RecordHits,
    Structure,
    changed_columns,
    record_hits,
    structure,
    value_disclosure,
)
from anon_transformers._intruders_dependence import dependences
from anon_transformers._intruders_regression import regression_hits
from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import (
    DependenceWarning,
    NotEvaluable,
    level_of_caller,
)
from anon_transformers.privacy._judge import Direction, Merging
from anon_transformers.privacy._parameters import real, whole

SIGNIFICANCE = 1e-6
"""Of the test whether cells were moved; honest swaps fail it once in a million."""
FEWEST_GROUPS = 50
"""With fewer groups, chance could hide that cells were not moved."""


@dataclass(frozen=True)
class ProbabilisticKAnonymity:
    """A cell is traced to the right person with a probability of at most 1/k.

    Cells are permuted inside groups of at least ``k`` rows, uniformly: whoever knows
    the mechanism, the groups and the original quasi-identifiers of everybody has a
    choice of ``k`` records. Judged is, for each group of each set of columns that moved
    together,

    * that it has ``k`` rows, and the cells it had before, or that all of it is
      published the same: a k-anonymous table passes for the ``k`` it has;
    * that columns that did not move are what they were;
    * that no more rows than chance allows kept their own cells, by a one-sided test,
      and not all of them lost them: permutations that keep nobody's cells leave a
      choice of only ``k - 1``.

    The level is the size of the smallest group, and 1 where any of the other demands
    fails.

    Parameters
    ----------
    k : int
        At least 1.
    max_value_disclosure : float, optional
        Largest probability that a cell of the own group has the own value, over all
        rows, for every column an intruder wants to know. None: it is only reported.
    max_excess_risk : float, optional
        By how much an intruder who uses a regression may find more records than a guess
        inside the group does. None: it is only reported.

    Warns
    -----
    DependenceWarning
        If a column is a linear function of what the intruder knows: it can be computed,
        and was moved for nothing.

    See Also
    --------
    LikelihoodKAnonymity : For any mechanism whose law is known.

    Notes
    -----
    What this does not promise:

    * 1/k holds for records, not for values. Where persons of a group share a value, a
      wrong record tells the right value: :meth:`report` says how often.
    * 1/k holds for intruders who count permutations. One who learns how columns depend
      on each other picks the cell that fits best, and does better: :meth:`report` says
      how much better a linear regression does.
    * Cells that were moved among neighbours lie near their old place: the range of the
      group is known.
    * Intruders who each know all but one column must not put together what they know.

    With fewer than 50 groups, or too few cells that can be told apart, the test is
    undecidable.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> original = pd.DataFrame({"age": range(300), "pay": rng.normal(size=300)})
    >>> groups = np.arange(300) // 5
    >>> order = np.lexsort((rng.random(300), groups))
    >>> swapped = original.assign(pay=original["pay"].to_numpy()[order])
    >>> linkage = Linkage(original, swapped, {"pay": groups})
    >>> ProbabilisticKAnonymity(k=5).satisfied(linkage).all()
    np.True_
    >>> unswapped = Linkage(original, original, {"pay": groups})
    >>> ProbabilisticKAnonymity(k=5).level(unswapped)
    1
    """

    k: int
    max_value_disclosure: float | None = None
    max_excess_risk: float | None = None
    name: ClassVar[str] = "probabilistic-k-anonymity"
    unit: ClassVar[str] = "groups"
    for_search: ClassVar[bool] = False
    evidence: ClassVar[str] = "linkage"
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "none"
    tighter: ClassVar[Mapping[str, Direction]] = {
        "k": "higher",
        "max_value_disclosure": "lower",
        "max_excess_risk": "lower",
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        for key in ("max_value_disclosure", "max_excess_risk"):
            given = getattr(self, key)
            if given is not None:
                object.__setattr__(self, key, real(key, given, 0, 1))

    @classmethod
    def test_instances(cls) -> list["ProbabilisticKAnonymity"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=1),
            cls(k=3),
            cls(k=2, max_value_disclosure=0.6, max_excess_risk=0.2),
        ]

    def satisfied(self, evidence: Linkage) -> np.ndarray:
        """Which groups, of all columns that moved, keep the promise."""
        _warn_of_dependences(evidence)
        found = _examine(evidence)
        honest = all(unit.honest for unit in found) and not self._discloses(evidence)
        passed = [unit.structure.kept & (unit.structure.sizes >= self.k)
                  for unit in found]  # fmt: skip
        return np.concatenate(passed) & honest

    def level(self, evidence: Linkage) -> int:
        """One over the largest probability that a cell is traced to the person."""
        return _level(_examine(evidence))

    def report(self, linkage: Linkage) -> dict[str, Any]:
        """Everything that was found, as plain numbers by column.

        Returns
        -------
        dict
            ``level``; ``dependences``: columns by the column they give; ``moved``: for
            each set of columns that moved together the groups, the smallest one, the
            test of record hits, and, for each column that an intruder wants to know,
            how well its values and records can be guessed.
        """
        found = _examine(linkage)
        return {
            "level": _level(found),
            "dependences": {
                str(name): [str(one) for one in given_by]
                for name, given_by in dependences(linkage).items()
            },
            "moved": [
                {
                    "columns": [str(name) for name in columns],
                    **unit.to_dict(),
                    "wanted": _disclosed(linkage, columns),
                }
                for columns, unit in zip(linkage.moved, found, strict=True)
            ],
        }

    def _discloses(self, linkage: Linkage) -> bool:
        """Whether a value, or a record, is easier to guess than it may be."""
        values, records = self.max_value_disclosure, self.max_excess_risk
        return any(
            (
                values is not None
                and any(
                    found.probability > values + ROUNDING
                    for found in value_disclosure(linkage, columns).values()
                )
            )
            or (
                records is not None
                and any(
                    found.excess > records + ROUNDING
                    for found in regression_hits(linkage, columns).values()
                )
            )
            for columns in linkage.moved
        )


class _Unit(NamedTuple):
    """What was found in columns that moved together."""

    structure: Structure
    hits: RecordHits
    changed: list

    @property
    def honest(self) -> bool:
        """Whether only what is said to have moved did, and by chance."""
        # A permutation keeps nobody's cells in at most every other group: in as many
        # as are needed for a test that does not happen.
        deranged = self.hits.hits == 0 and self.hits.expected >= FEWEST_GROUPS
        too_many = self.hits.p_value < SIGNIFICANCE
        return not (self.changed or deranged or too_many)

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": len(self.structure.sizes),
            "smallest": int(self.structure.sizes.min()),
            "groups_kept": int(self.structure.kept.sum()),
            "hits": self.hits.hits,
            "rows_told": self.hits.told,
            "expected_hits": self.hits.expected,
            "p_value": self.hits.p_value,
        }


def _examine(linkage: Linkage) -> list[_Unit]:
    """Look at all that moved; refuse what cannot be decided."""
    name = ProbabilisticKAnonymity.name
    if not linkage.n_rows:
        raise NotEvaluable(f"{name} has nothing to judge: the table is empty.")
    if not linkage.moved:
        raise NotEvaluable(f"{name} has nothing to judge: no column moved in groups.")
    changed = changed_columns(linkage)
    units = []
    for columns in linkage.moved:
        found, hits = structure(linkage, columns), record_hits(linkage, columns)
        _refuse_undecidable(columns, found, hits)
        units.append(_Unit(found, hits, changed))
    return units


def _refuse_undecidable(columns: Any, found: Structure, hits: RecordHits) -> None:
    if not found.tested.any() or found.sizes.min() == 1:
        # Either what is published is the same whatever moved, or one row is alone, and
        # the level is 1 whatever the others did.
        return
    what = f"{ProbabilisticKAnonymity.name} is undecidable for {columns}: "
    if len(found.sizes) < FEWEST_GROUPS:
        raise NotEvaluable(
            f"{what}{len(found.sizes)} groups are too few to see whether cells moved; "
            f"{FEWEST_GROUPS} are needed."
        )
    if hits._replace(hits=hits.told).p_value >= SIGNIFICANCE:
        raise NotEvaluable(
            f"{what}only {hits.told} rows tell whether their cells moved; give the "
            "sources of the cells."
        )


def _level(units: list[_Unit]) -> int:
    safe = all(unit.honest and unit.structure.kept.all() for unit in units)
    return min(int(unit.structure.sizes.min()) for unit in units) if safe else 1


def _disclosed(linkage: Linkage, columns: Any) -> dict[str, dict[str, Any]]:
    """What intruders find out about each wanted column."""
    models = regression_hits(linkage, columns)
    return {
        str(name): {
            "value_disclosure": found._asdict(),
            "regression": models[name]._asdict() if name in models else None,
        }
        for name, found in value_disclosure(linkage, columns).items()
    }


def _warn_of_dependences(linkage: Linkage) -> None:
    found = dependences(linkage)
    if found:
        told = "; ".join(
            f"{name!r} by {', '.join(map(repr, given_by))}"
            for name, given_by in found.items()
        )
        warnings.warn(
            f"columns are given exactly by others that an intruder knows: {told}. To "
            "move them hides nothing.",
            DependenceWarning,
            stacklevel=level_of_caller(),
        )

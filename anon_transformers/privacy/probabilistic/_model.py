"""Probabilistic k-anonymity of tables whose cells were moved inside groups."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import (
    DependenceWarning,
    NotEvaluable,
    level_of_caller,
)
from anon_transformers.parameters import real, whole
from anon_transformers.privacy._judge import Direction, Merging
from anon_transformers.privacy.probabilistic._dependence import dependences
from anon_transformers.privacy.probabilistic._disclosure import (
    ValueDisclosure,
    changed_columns,
    value_disclosure,
    wanted_columns,
)
from anon_transformers.privacy.probabilistic._moves import (
    Structure,
    by_chance,
    moved_alike,
    record_hits,
    structure,
)
from anon_transformers.privacy.probabilistic._regression import (
    RegressionHits,
    regression_hits,
)

DIGITS = 2
"""Of rates that depend on the permutation that was drawn."""


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
    * that chance explains how many rows kept their own cells, and how many a cell of
      their own value: more were not swapped, and permutations that keep nobody's cells
      leave a choice of only ``k - 1``;
    * that no part of the groups got its cells from a certain other part, in the order
      of the rows or of the values, as a fixed permutation has it;
    * that columns that moved separately did not move alike: who knows one of them would
      find the row of the other.

    The level is the size of the smallest group, and 1 where any of the other demands
    fails. Each test fails an honest swap once in a million times, or less.

    Parameters
    ----------
    k : int
        At least 1.
    max_value_disclosure : float, optional
        Largest probability that a cell of the own group has the own value, over all
        rows, for every column an intruder wants to know: ``Linkage.wanted``. None: it
        is only reported.
    max_excess_risk : float, optional
        By how much an intruder who uses a regression may find more records than a guess
        inside the group does. Where that cannot be judged, the limit is not kept. None:
        it is only reported.

    Warns
    -----
    DependenceWarning
        If a column is a linear function of what the intruder knows, or has one value
        for each of a known column: it can be computed, and was moved for nothing.

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
    * Cells that were moved among neighbors lie near their old place: the range of the
      group is known.
    * Intruders who each know all but one column must not put together what they know.
    * That permutations were drawn uniformly is believed, beyond the tests above: a
      table cannot tell whether somebody can draw them again.

    Groups in which everybody is published the same need no test. Where there are no
    others nothing moved that could be seen: records are as safe as promised, and all
    values are disclosed; :meth:`report` says so. Where there are some, but fewer than
    50, the tests are undecidable.

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
    details: ClassVar[tuple[str, ...]] = (
        "level",
        "broken",
        "untouched_kept",
        "independent",
        "dependences",
        "moved",
        "groups",
        "smallest",
        "groups_kept",
        "groups_tested",
        "expected_hits",
        "by_chance",
        "wanted",
        "value_disclosure",
        "regression",
        *ValueDisclosure._fields,
        *RegressionHits._fields,
    )
    # With fewer, chance could hide that cells were not moved.
    fewest_groups: ClassVar[int] = 50
    for_search: ClassVar[bool] = False
    evidence: ClassVar[str] = "linkage"
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "none"
    tighter: ClassVar[Mapping[str, Direction]] = {
        "k": "higher",
        "max_value_disclosure": "lower",
        "max_excess_risk": "lower",
    }

    not_promised: ClassVar[tuple[str, ...]] = (
        "1/k holds for records and not for values: where a group shares a value, a "
        "wrong record tells the right value.",
        "Who learns how columns depend on each other picks the cell that fits best, "
        "and is right more often.",
        "A cell lies in the range of its group, which is known.",
        "Intruders must not put together what they know.",
    )

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
        honest = found.honest and not self._broken(evidence)
        passed = [unit.structure.kept & (unit.structure.sizes >= self.k)
                  for unit in found.units]  # fmt: skip
        return np.concatenate(passed) & honest

    def level(self, evidence: Linkage) -> int:
        """One over the largest probability that a cell is traced to the person."""
        return _examine(evidence).level

    def report(self, linkage: Linkage) -> dict[str, Any]:
        """What was found, as plain numbers by column.

        Nothing in it tells which of the possible permutations was drawn: numbers are
        those of the groups, verdicts, and the rates of a regression in two digits.

        Returns
        -------
        dict
            ``level``; ``broken``: limits that are set and exceeded, with the number
            found; ``untouched_kept`` and ``independent``: whether columns that did not
            move are what they were, and whether those that moved separately did so by
            permutations of their own; ``dependences``: columns by the column they give;
            ``moved``: for each set of columns that moved together, by their names, the
            groups, the smallest one, those that are tested, whether cells moved by
            chance, and, for each column that an intruder wants to know, how well its
            values and records can be guessed.
        """
        found, broken = _examine(linkage), self._broken(linkage)
        if "max_excess_risk" in broken:
            broken["max_excess_risk"] = round(broken["max_excess_risk"], DIGITS)
        return {
            "level": found.level,
            "broken": broken,
            "untouched_kept": found.untouched_kept,
            "independent": found.independent,
            "dependences": {
                str(name): [str(one) for one in given_by]
                for name, given_by in dependences(linkage).items()
            },
            "moved": {
                ", ".join(map(str, columns)): {
                    **unit.to_dict(),
                    "wanted": _disclosed(linkage, columns),
                }
                for columns, unit in zip(linkage.moved, found.units, strict=True)
            },
        }

    def _broken(self, linkage: Linkage) -> dict[str, float]:
        """Limits that are exceeded: what is easier to guess than it may be."""
        found = {
            "max_value_disclosure": _value_risks,
            "max_excess_risk": _excess_risks,
        }
        worst = {
            limit: _worst(limit, risks(linkage))
            for limit, risks in found.items()
            if getattr(self, limit) is not None
        }
        return {
            limit: number
            for limit, number in worst.items()
            if number > getattr(self, limit) + ROUNDING
        }


class _Unit(NamedTuple):
    """What was found in columns that moved together."""

    structure: Structure
    expected: float
    by_chance: bool

    def to_dict(self) -> dict[str, Any]:
        """Numbers that are the same whatever the permutation was, and the verdict."""
        return {
            "groups": len(self.structure.sizes),
            "smallest": int(self.structure.sizes.min()),
            "groups_kept": int(self.structure.kept.sum()),
            "groups_tested": int(self.structure.tested.sum()),
            "expected_hits": self.expected,
            "by_chance": self.by_chance,
        }


class _Examined(NamedTuple):
    """What was found in all that moved."""

    units: list[_Unit]
    untouched_kept: bool
    independent: bool

    @property
    def honest(self) -> bool:
        """Whether only what is said to have moved did, and by chance."""
        chance = all(unit.by_chance for unit in self.units)
        return self.untouched_kept and self.independent and chance

    @property
    def level(self) -> int:
        safe = self.honest and all(unit.structure.kept.all() for unit in self.units)
        return min(int(u.structure.sizes.min()) for u in self.units) if safe else 1


def _examine(linkage: Linkage) -> _Examined:
    """Look at all that moved; refuse what cannot be decided."""
    name = ProbabilisticKAnonymity.name
    if not linkage.n_rows:
        raise NotEvaluable(f"{name} has nothing to judge: the table is empty.")
    if not linkage.moved:
        raise NotEvaluable(f"{name} has nothing to judge: no column moved in groups.")
    units = [
        _Unit(
            structure(linkage, columns),
            record_hits(linkage, columns).expected,
            by_chance(linkage, columns),
        )
        for columns in linkage.moved
    ]
    kept, independent = not changed_columns(linkage), not moved_alike(linkage)
    found = _Examined(units, kept, independent)
    if found.level > 1:  # what fails already is decided
        for columns, unit in zip(linkage.moved, units, strict=True):
            _refuse_undecidable(columns, int(unit.structure.tested.sum()))
    return found


def _refuse_undecidable(columns: tuple[Hashable, ...], tested: int) -> None:
    # Where no group is tested, what is published is the same whatever moved.
    needed = ProbabilisticKAnonymity.fewest_groups
    if 0 < tested < needed:
        groups = "1 group" if tested == 1 else f"{tested} groups"
        raise NotEvaluable(
            f"{ProbabilisticKAnonymity.name} is undecidable for "
            f"{', '.join(map(str, columns))}: {groups} of different cells are too few "
            f"to see whether they moved; {needed} are needed. Lower k."
        )


Risks = list[tuple[Hashable, float]]
"""Wanted columns, and how well what is wanted of them can be guessed."""


def _value_risks(linkage: Linkage) -> Risks:
    return [
        (name, found.probability)
        for columns in linkage.moved
        for name, found in value_disclosure(linkage, columns).items()
    ]


def _excess_risks(linkage: Linkage) -> Risks:
    """What a regression finds above a guess; NaN where nothing could be judged."""
    risks: Risks = []
    for columns in linkage.moved:
        hits = regression_hits(linkage, columns)
        for name in wanted_columns(linkage, columns):
            risks.append((name, hits[name].excess if name in hits else np.nan))
    return risks


def _worst(limit: str, risks: Risks) -> float:
    """The largest risk; what could not be judged does not pass."""
    message = f"{ProbabilisticKAnonymity.name}: {limit} cannot be judged"
    if not risks:
        raise NotEvaluable(f"{message}: there is no column that an intruder wants.")
    for name, risk in risks:
        if np.isnan(risk):
            raise NotEvaluable(
                f"{message}: there is no value of {name!r}, or nothing that tells of "
                "it."
            )
    return max(risk for _, risk in risks)


def _disclosed(linkage: Linkage, columns: Any) -> dict[str, dict[str, Any]]:
    """What intruders find out about each wanted column."""
    models = regression_hits(linkage, columns)
    return {
        str(name): {
            "value_disclosure": found._asdict(),
            "regression": _rounded(models[name]) if name in models else None,
        }
        for name, found in value_disclosure(linkage, columns).items()
    }


def _rounded(found: RegressionHits) -> dict[str, float]:
    """All digits would tell of the permutation, which the rates depend on."""
    return {key: round(rate, DIGITS) for key, rate in found._asdict().items()}


def _warn_of_dependences(linkage: Linkage) -> None:
    found = dependences(linkage)
    if found:
        given = "; ".join(
            f"{name!r} by {', '.join(map(repr, given_by))}"
            for name, given_by in found.items()
        )
        warnings.warn(
            f"columns are given exactly by others that an intruder knows: {given}. To "
            "move them hides nothing.",
            DependenceWarning,
            stacklevel=level_of_caller(),
        )

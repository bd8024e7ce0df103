"""Minimality: a table is as general as it is because a less general one failed."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binom

from anon_transformers._data.columns import to_text
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._generalized_table import _raised
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.parameters import whole

ROUNDING = 1e-9


@dataclass(frozen=True)
class Minimality(Attack):
    """Find the persons whom the reason for generalizing gives away.

    The release is a full-domain one: each column lies at one level of its hierarchy,
    and no class has more than a share of 1/l of the value that is protected. The
    intruder has the exact quasi-identifiers of everybody in the table, and knows that
    the method went no further than it had to: with one column a level lower, the table
    had broken a promise. Where that lower table keeps k, as the quasi-identifiers show,
    it must have been the share of the value. Of all ways to give the values of each
    class to its members, those remain in which some class of the lower table has more
    than 1/l of it. A person is exposed who has the value in more than a share of 1/l of
    what remains.

    Parameters
    ----------
    value : default=None
        The value that is protected, as it is published. Without it, the attack is not
        run.
    l : int, default=2
        No class may have more than a share of 1/l of the value.
    k : int, default=1
        Smallest class that the method allows.

    Notes
    -----
    The chances are exact, for tables that were taken from all with the same chance. One
    lower table is looked at at a time, one for each generalized column that keeps k:
    the intruder who knows that all of them failed knows more than any one tells. The
    model is that of (α, k)-anonymity with α = 1/l and one value. Releases with
    suppressed rows are not evaluable, for a method that may suppress has other reasons
    to stop. A lower table that had kept every promise shows that the method is not
    minimal; ``details`` names its column under ``columns_not_minimal``.

    References
    ----------
    .. [1] R. Wong, A. Fu, K. Wang and J. Pei, "Minimality attack in privacy preserving
       data publishing", VLDB, 2007.

    Examples
    --------
    >>> tree = Hierarchy([("a1", "a", "*"), ("a2", "a", "*")])
    >>> release = pd.DataFrame({"zip": ["a"] * 6, "ill": ["hiv"] * 2 + ["flu"] * 4})
    >>> voters = pd.DataFrame({"zip": ["a1"] * 2 + ["a2"] * 4})
    >>> report = Minimality(value="hiv", k=2).run(
    ...     release, quasi_identifiers=["zip"], sensitive=["ill"], external=voters,
    ...     hierarchies={"zip": tree},
    ... )
    >>> report.exposed, report.details["largest_chance"]
    (2, 1.0)

    Both live in a1: had at most one of them had the illness, zip had been published.
    """

    value: Any = None
    l: int = 2  # noqa: E741
    k: int = 1
    name: ClassVar[str] = "minimality"
    needs: ClassVar[tuple[str, ...]] = (
        "release",
        "sensitive",
        "external",
        "hierarchies",
    )
    meaning: ClassVar[str] = (
        "Since a less general table must have broken a promise, this person has the "
        "protected value with a chance above 1/l."
    )
    remedy: ClassVar[str] = (
        "Generalize further than the promise needs, by a rule that does not look at "
        "sensitive values: k-anonymity first, then suppress what breaks l."
    )

    def __post_init__(self) -> None:
        whole("l", self.l, 2)
        whole("k", self.k, 1)

    @classmethod
    def test_instances(cls) -> list["Minimality"]:
        """Configurations that the contract checks run on."""
        return [cls(value="hiv"), cls(value="hiv", l=3, k=2)]

    @staticmethod
    def test_tables() -> dict[str, Any]:
        """Tables that the contract checks run on: a full-domain release."""
        tree = Hierarchy([(f"{g}{i}", g, "*") for g in "xy" for i in range(2)])
        zips = ["x0"] * 2 + ["x1"] * 4 + ["y0"] * 3 + ["y1"] * 3
        original = pd.DataFrame({"zip": zips, "sex": ["f"] * 6 + ["m"] * 6})
        names = {"a": "hiv", "b": "secret-b", "c": "secret-c"}
        original["ill"] = [names[letter] for letter in "aabbccabcabc"]
        return {
            "release": original.assign(zip=[text[0] for text in zips]),
            "original": original,
            "external": original[["zip", "sex"]],
            "quasi_identifiers": ["zip", "sex"],
            "sensitive": ["ill"],
            "hierarchies": {"zip": tree},
        }

    def _find(self, attack_input: AttackInput) -> AttackResult:
        if self.value is None:
            raise NotEvaluable(
                f"{self.name}: name the value that is protected, as in "
                f"{self.name},value=HIV,l=2,k=5."
            )
        external = attack_input.external
        assert external is not None
        holds = self._holds(attack_input)
        classes = _Classes.of(self.name, attack_input, external, holds)
        chance = np.full(len(external), -1.0)
        judged: list[str] = []
        by_k: list[str] = []
        not_minimal: list[str] = []
        for name, level in classes.levels.items():
            if level == 0:
                continue
            lower = classes.lowered(attack_input, external, name)
            if np.bincount(lower).min() < self.k:
                by_k.append(str(name))
                continue
            found = self._chances(classes, lower)
            if found is None:
                not_minimal.append(str(name))
                continue
            judged.append(str(name))
            chance = np.maximum(chance, found)
        persons = chance > 1 / self.l + ROUNDING
        held = np.zeros(len(classes.size), dtype=bool)
        held[classes.of_person[persons]] = True
        details: dict[str, Any] = {
            "levels": {str(name): level for name, level in classes.levels.items()},
            "columns_judged": judged,
            "columns_that_k_explains": by_k,
            "columns_not_minimal": not_minimal,
            "largest_share": float((classes.holders / classes.size).max()),
            "largest_chance": float(chance.max()) if judged else None,
        }
        return AttackResult(
            held[classes.of_row],
            "classes",
            len(held),
            held.sum(),
            details,
            lambda: external[persons],
            n_exposed=int(persons.sum()),
        )

    def _holds(self, attack_input: AttackInput) -> np.ndarray:
        """Which rows of the release hold the protected value."""
        for column in attack_input.sensitive:
            holds = to_text(attack_input.release[column]) == str(self.value)
            if holds.any():
                return holds.to_numpy()
        raise NotEvaluable(f"{self.name}: no sensitive column holds the value named.")

    def _chances(self, classes: "_Classes", lower: np.ndarray) -> np.ndarray | None:
        """Chance of each person to hold the value, if the lower table broke its share.

        None if it cannot have.
        """
        n_lower = int(lower.max()) + 1
        sizes = np.bincount(lower, minlength=n_lower)
        above = np.empty(n_lower, dtype=np.int64)
        above[lower] = classes.of_person
        order = np.argsort(above, kind="stable")
        bounds = np.searchsorted(above[order], np.arange(len(classes.size) + 1))
        breaks = np.empty(len(classes.size))
        held = np.empty(n_lower)
        for at, holders in enumerate(classes.holders):
            inside = order[bounds[at] : bounds[at + 1]]
            breaks[at], held[inside] = chances_of_excess(
                sizes[inside], int(holders), self.l
            )
        if not breaks.any():
            return None
        others = _any_other(breaks)[above]
        share = (classes.holders / classes.size)[above]
        # The own class breaks its share, or it does not and another does.
        both = held + (share - held) * others
        return (both / _any(breaks))[lower]


def _any(chances: np.ndarray) -> float:
    """Chance that any of independent things happens; exact where all are small."""
    with np.errstate(divide="ignore"):
        return float(-np.expm1(np.log1p(-np.minimum(chances, 1.0)).sum()))


def _any_other(chances: np.ndarray) -> np.ndarray:
    """For each of independent things, the chance that any other happens."""
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(chances, 1.0))
    certain = np.isneginf(logs)
    total = logs[~certain].sum()
    others = -np.expm1(total - np.where(certain, 0.0, logs))
    return np.where(certain.sum() - certain > 0, 1.0, others)


def chances_of_excess(
    sizes: np.ndarray,
    holders: int,
    l: int,  # noqa: E741
) -> tuple[float, np.ndarray]:
    """Chance that some part of a class holds more than 1/l of a value.

    Nothing is subtracted, so that the smallest chance is exact: a value that is rare
    and stands close together is what the attack is about.

    Parameters
    ----------
    sizes : int ndarray
        Members of each part.
    holders : int
        Members of the class who hold the value; which ones is left to chance.
    l : int
        The largest share is 1/l.

    Returns
    -------
    chance : float
        That some part has more.
    held : ndarray
        For each part, the chance that some part has more and a given member holds it.

    Examples
    --------
    >>> chance, held = chances_of_excess(np.array([2, 2]), 2, 2)
    >>> round(chance, 3), held.round(3).tolist()
    (0.333, [0.167, 0.167])
    """
    n_members = int(sizes.sum())
    if holders == 0:
        return 0.0, np.zeros(len(sizes))
    # Independent draws, given their sum, are draws without putting back.
    rate = holders / n_members
    parts = []
    for size in sizes:
        counts = np.arange(min(size, holders) + 1)
        chance = binom.pmf(counts, size, rate)
        fits = counts * l <= size
        parts.append((np.where(fits, chance, 0.0), np.where(fits, 0.0, chance)))
    nothing = np.ones(1), np.zeros(1)
    before = [nothing]
    for part in parts:
        before.append(_join(before[-1], part, holders))
    whole_chance = binom.pmf(holders, n_members, rate)
    after, held = nothing, np.zeros(len(sizes))
    for at in range(len(parts) - 1, -1, -1):
        fit, exceed = _join(before[at], after, holders)
        counts = np.arange(len(parts[at][0])) / sizes[at]
        held[at] = _entry(exceed, counts * parts[at][0], holders)
        held[at] += _entry(fit + exceed, counts * parts[at][1], holders)
        after = _join(parts[at], after, holders)
    chance = after[1][holders] if len(after[1]) > holders else 0.0
    return float(chance / whole_chance), held / whole_chance


_Counts = tuple[np.ndarray, np.ndarray]
"""Chance of each number of holders, where no part has too many, and where one has."""


def _join(one: _Counts, other: _Counts, most: int) -> _Counts:
    """Holders of two sets of parts together."""
    fit = np.convolve(one[0], other[0])
    exceed = np.convolve(one[0], other[1]) + np.convolve(one[1], other[0] + other[1])
    return fit[: most + 1], exceed[: most + 1]


def _entry(one: np.ndarray, other: np.ndarray, at: int) -> float:
    """One entry of the product of two polynomials."""
    first = np.arange(max(0, at - len(one) + 1), min(at, len(other) - 1) + 1)
    return float(one[at - first] @ other[first]) if len(first) else 0.0


class _Classes(NamedTuple):
    """Classes of a full-domain release, and who is in them.

    Attributes
    ----------
    levels : mapping of column to int
        Level that each quasi-identifier is published at.
    of_row, of_person : int arrays
        Class of each row of the release, and of each person of the register.
    size, holders : int arrays
        Members of each class, and those who hold the value.
    """

    levels: Mapping[Hashable, int]
    of_row: np.ndarray
    of_person: np.ndarray
    size: np.ndarray
    holders: np.ndarray

    @classmethod
    def of(
        cls,
        attack: str,
        attack_input: AttackInput,
        external: pd.DataFrame,
        holds: np.ndarray,
    ) -> "_Classes":
        if attack_input.suppressed.any():
            raise NotEvaluable(f"{attack}: the release has suppressed rows.")
        levels: dict[Hashable, int] = {}
        codes, spans = [], []
        for name in attack_input.quasi_identifiers:
            if name not in external.columns:
                raise NotEvaluable(
                    f"{attack}: the external table lacks the quasi-identifier {name!r}."
                )
            shown = to_text(attack_input.release[name]).to_numpy(dtype=object)
            hierarchy = attack_input.hierarchy(name)
            levels[name] = _level(attack, name, shown, hierarchy)
            known = _texts(external[name], hierarchy, levels[name])
            code, values = pd.factorize(np.concatenate([shown, known]))
            codes.append(code + 1)
            spans.append(len(values) + 1)
        n_rows = attack_input.rows
        labels = group_rows(codes, spans).labels
        n_classes = int(labels.max()) + 1
        of_row, of_person = labels[:n_rows], labels[n_rows:]
        size = np.bincount(of_row, minlength=n_classes)
        if not np.array_equal(size, np.bincount(of_person, minlength=n_classes)):
            raise NotEvaluable(
                f"{attack}: the external table has not just the persons of the "
                "release, class by class."
            )
        holders = np.bincount(of_row[holds], minlength=n_classes)
        return cls(levels, of_row, of_person, size, holders)

    def lowered(
        self, attack_input: AttackInput, external: pd.DataFrame, name: Hashable
    ) -> np.ndarray:
        """Class of each person, with one column a level lower."""
        hierarchy = attack_input.hierarchy(name)
        texts = _texts(external[name], hierarchy, self.levels[name] - 1)
        code, values = pd.factorize(texts)
        return group_rows(
            [self.of_person, code + 1], [len(self.size), len(values) + 1]
        ).labels


def _texts(series: pd.Series, hierarchy: Hierarchy | None, level: int) -> np.ndarray:
    if hierarchy is None:
        return to_text(series).to_numpy(dtype=object)
    return _raised(series, hierarchy, level)


def _level(
    attack: str, name: Hashable, shown: np.ndarray, hierarchy: Hierarchy | None
) -> int:
    """Lowest level that has all published values."""
    if hierarchy is None:
        return 0
    held = {text for text in shown if text is not None}
    for level in range(hierarchy.n_levels):
        if held <= set(hierarchy.level(level).labels.tolist()):
            return level
    raise NotEvaluable(
        f"{attack}: column {name!r} is not published at one level of its hierarchy."
    )

"""Tuple order: two releases in the same order are read line by line."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.special import gammaln

from anon_transformers._data.columns import identify
from anon_transformers._kernels import compatibility
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._matching import (
    Matching,
    agreeing,
    refuse_unrelated_tables,
)
from anon_transformers.exceptions import NotEvaluable

FAR = 4.0
"""Standard deviations above chance at which two orders are no coincidence."""
RARE = 0.05
"""Chance below which rows that all agree are in the same order."""


@dataclass(frozen=True)
class TupleOrder(Attack):
    """Find records that two releases in the same order make more exact than either.

    Row by row, the more specific value of each column is taken (of two ranges that
    overlap, what they have in common). A record is exposed if that tells more than
    each of the two releases.

    Whether the order is the same, chance decides: the quasi-identifiers of all rows
    agree, as in a random order they would in one of twenty tables at most, or of many
    more rows than in a random order. Any other column that both have may show it, too.
    Rows that contradict each other without that are in another order, and expose
    nobody. Where all agree and would in most orders, there is nothing to summarize.

    Notes
    -----
    ``details`` has the columns beside the quasi-identifiers that show the same order,
    the rows that agree, how many would by chance (``pairs`` that agree, over rows), the
    smallest class of each release and of the combined rows, and how many records are
    single values in every column afterwards.

    Examples
    --------
    >>> problems = ["flu", "gout", "acne", "cold"]
    >>> ages = pd.DataFrame({"age": ["20", "20", "30", "30"], "problem": problems})
    >>> sexes = pd.DataFrame({"sex": ["f", "m", "f", "m"], "problem": problems})
    >>> report = TupleOrder().run(
    ...     ages.assign(sex="*"), other=sexes, quasi_identifiers=["age", "sex"]
    ... )
    >>> report.exposed, report.details["k_combined"]
    (4, 1)
    """

    name: ClassVar[str] = "tuple-order"
    needs: ClassVar[tuple[str, ...]] = ("release", "other")
    meaning: ClassVar[str] = (
        "The same line of two releases is the same person, and both together summarize "
        "more than either."
    )
    remedy: ClassVar[str] = "Shuffle the rows of every release anew."

    def _find(self, attack_input: AttackInput) -> AttackResult:
        other = padded(attack_input)
        if len(other) != attack_input.rows:
            raise NotEvaluable(
                f"{self.name} needs two releases of as many rows, got "
                f"{attack_input.rows} and {len(other)}."
            )
        names = attack_input.quasi_identifiers
        matching = Matching.of(attack_input, other, {name: name for name in names})
        of_left, _, _ = matching.candidates()
        refuse_unrelated_tables(matching, of_left, names)
        partners = _partners(matching, of_left, attack_input.rows)
        pairs = int(partners.sum())
        rows = _LinePairs(matching)
        agree = rows.compatible[rows.of_row]
        refined = (rows.compatible & rows.narrows)[rows.of_row]
        shown = _orders(attack_input, other)
        same = _settled([same_order(int(agree.sum()), partners), *shown.values()])
        exposed = refined if same else np.zeros_like(refined)
        details = {
            "same_order": same,
            "columns_in_order": [str(name) for name, is_so in shown.items() if is_so],
            "agreeing_rows": int(agree.sum()),
            "expected_by_chance": pairs / attack_input.rows,
            "compatible_pairs": pairs,
            "k_release": int(attack_input.classes.rows.min()),
            "k_other": _smallest(matching.codes[1], matching.groups[1].sizes),
            "k_combined": _smallest_meet(rows, agree) if same else None,
            "recovered": int((exposed & rows.single[rows.of_row]).sum()),
        }
        return AttackResult(
            exposed,
            "records",
            attack_input.rows,
            exposed.sum(),
            details,
            lambda: rows.table(attack_input, np.flatnonzero(exposed)),
        )


class _LinePairs:
    """What the two releases say in the same line, by distinct pairs of lines."""

    def __init__(self, matching: Matching):
        left, right = matching.rank(0), matching.rank(1)
        pairs = group_rows(
            [left, right], [len(matching.order[0]), len(matching.order[1])]
        )
        self.matching, self.of_row = matching, pairs.labels
        self.left, self.right = left[pairs.first], right[pairs.first]
        one = matching.records(0)[self.left]
        two = matching.records(1)[self.right]
        tables = matching.tables
        self.compatible, self.meets = compatibility.meet_pairs(one, two, *tables)
        own = [compatibility.own_records(side, tables.start) for side in (one, two)]
        differs = [(self.meets != side).any(axis=(1, 2)) for side in own]
        self.narrows = differs[0] & differs[1]
        self.single = matching.single(self.meets)

    def table(self, attack_input: AttackInput, rows: np.ndarray) -> pd.DataFrame:
        """Combined quasi-identifiers of some rows."""
        table = attack_input.release.iloc[rows].copy()
        codes = self.matching.codes
        order = self.matching.order
        for at, name in enumerate(attack_input.quasi_identifiers):
            texts = np.empty(len(self.left), dtype=object)
            for line in np.unique(self.of_row[rows]):
                texts[line] = self.matching.text(
                    at,
                    self.meets[line, at],
                    codes[0][order[0][self.left[line]], at],
                    codes[1][order[1][self.right[line]], at],
                )
            table[name] = texts[self.of_row[rows]]
        return table


def padded(attack_input: AttackInput) -> pd.DataFrame:
    """The other release; a quasi-identifier that it has not is suppressed in it."""
    other = attack_input.other
    assert other is not None
    shared = [name for name in attack_input.quasi_identifiers if name in other.columns]
    if not shared:
        raise NotEvaluable("the other release has none of the quasi-identifiers.")
    lacking = [n for n in attack_input.quasi_identifiers if n not in other.columns]
    return _with_labels(attack_input, other, lacking) if lacking else other


def _with_labels(
    attack_input: AttackInput, other: pd.DataFrame, lacking
) -> pd.DataFrame:
    other = other.copy()
    for name in lacking:
        other[name] = attack_input.suppression_label
    return other


def _partners(matching: Matching, of_left: np.ndarray, rows: int) -> np.ndarray:
    """How many rows of the other release each row agrees with.

    Suppressed rows agree with every row, and every row with them.
    """
    hidden = matching.links[0][matching.order[0]] < 0
    partners = np.where(hidden, rows, of_left + matching.suppressed_rows(1))
    return partners[matching.rank(0)]


def _orders(
    attack_input: AttackInput, other: pd.DataFrame
) -> dict[Hashable, bool | None]:
    """What each column beside the quasi-identifiers says on the order."""
    shown: dict[Hashable, bool | None] = {}
    for name in attack_input.release.columns:
        if name in attack_input.quasi_identifiers or name not in other.columns:
            continue
        left, right = agreeing(attack_input.coded(name), identify(other[name]))
        span = 1 + max(int(left.max()), int(right.max()))
        partners = np.bincount(right, minlength=span)[left]
        shown[name] = same_order(int((left == right).sum()), partners)
    return shown


def _settled(verdicts: Sequence[bool | None]) -> bool:
    """Whether anything shows the same order; refuse to guess where nothing tells."""
    if all(verdict is None for verdict in verdicts):
        raise NotEvaluable(
            f"{TupleOrder.name}: the rows of the two releases agree in any order; "
            "nothing that both have tells whether it is the same one."
        )
    return True in verdicts


def same_order(agree: int, partners: np.ndarray) -> bool | None:
    """Whether more rows agree than a random order would make them.

    Parameters
    ----------
    agree : int
        Rows that agree with the row in the same line.
    partners : int array of shape (n_rows,)
        Rows that each row agrees with, wherever they stand.

    Returns
    -------
    bool or None
        None if nothing can be concluded: all rows agree, but would in many orders, or
        none does in any.

    Notes
    -----
    Of n! orders at most the product of ``r! ** (1 / r)`` over the partners r of all
    rows make all rows agree (Bregman 1973). On average ``sum(partners) / n`` rows do;
    the variance is at most that of as many independent pairs.
    """
    rows, pairs = len(partners), int(partners.sum())
    if not pairs:
        return None
    if agree == rows:
        chance = (gammaln(partners + 1) / partners).sum() - gammaln(rows + 1)
        return True if chance < math.log(RARE) else None
    mean = pairs / rows
    variance = mean * (1 - pairs / rows**2) * rows / max(rows - 1, 1)
    return agree > mean + FAR * math.sqrt(variance)


def _smallest(codes: np.ndarray, sizes: np.ndarray) -> int:
    spans = [int(column.max()) + 1 for column in codes.T]
    labels = group_rows(list(codes.T), spans).labels
    return int(np.bincount(labels, sizes).min())


def _smallest_meet(rows: _LinePairs, agree: np.ndarray) -> int | None:
    """Smallest class of the combined rows."""
    if not agree.any():
        return None
    sizes = np.bincount(meet_labels(rows.meets)[rows.of_row[agree]])
    return int(sizes[sizes > 0].min())


def meet_labels(meets: np.ndarray) -> np.ndarray:
    """Number what is equal in every column."""
    flat = meets.reshape(len(meets), meets.shape[1] * 3).T
    columns = [column - column.min(initial=0) for column in flat]
    return group_rows(columns, [int(c.max(initial=0)) + 1 for c in columns]).labels

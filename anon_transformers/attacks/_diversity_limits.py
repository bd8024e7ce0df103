"""Limits of l-diversity: what a rare sensitive value allows at all."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.parameters import whole


@dataclass(frozen=True)
class DiversityLimits(Attack):
    """Tell how much l-diversity the sensitive values allow; exposes nobody.

    Parameters
    ----------
    l : int, default=2
        Distinct values that each class should hold.

    Notes
    -----
    ``details`` has for each sensitive column:

    ``most_classes``
        Largest number of classes that distinct l-diversity allows: the largest ``b``
        with ``sum(min(n_i, b)) >= l * b``, where ``n_i`` are the rows of the values.
    ``classes``
        Classes of the release; more than ``most_classes`` cannot all be diverse.
    ``largest_entropy_l``
        The entropy l of the whole table, which no release of all rows can exceed.
    ``smallest_c``
        Recursive (c,l)-diversity needs a larger c; None if there are fewer than l
        values.

    The counts are those of the original where it was given, else of the release.
    Missing values count as no value.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame(
    ...     {"age": ["<50"] * 1000, "test": ["-"] * 990 + ["+"] * 10}
    ... )
    >>> report = DiversityLimits().run(
    ...     release, quasi_identifiers=["age"], sensitive=["test"]
    ... )
    >>> report.details["test"]["most_classes"]
    10
    >>> round(report.details["test"]["largest_entropy_l"], 4)
    1.0576
    """

    l: int = 2  # noqa: E741 - the letter of the formula
    name: ClassVar[str] = "diversity-limits"
    exposes: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "Rare sensitive values bound the number of diverse classes; this exposes "
        "nobody."
    )
    remedy: ClassVar[str] = (
        "Lower l, make classes larger, or ask for t-closeness instead."
    )

    def __post_init__(self) -> None:
        whole("l", self.l, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        n_classes = attack_input.classes.n_classes
        details: dict[str, Any] = {}
        beyond = 0
        for column in attack_input.sensitive:
            _, rows = attack_input.reference(column)
            rows = np.sort(rows[rows > 0])[::-1]
            most = most_classes(rows, self.l)
            beyond = max(beyond, n_classes - most)
            details[str(column)] = {
                "distinct_values": len(rows),
                "rarest_value_records": int(rows[-1]) if len(rows) else 0,
                "most_classes": most,
                "classes": n_classes,
                "feasible": n_classes <= most,
                "largest_entropy_l": _entropy_l(rows),
                "smallest_c": _smallest_c(rows, self.l),
            }
        nobody = np.zeros(attack_input.rows, dtype=bool)
        return AttackResult(nobody, "classes", n_classes, max(beyond, 0), details)


def most_classes(counts: np.ndarray, l: int) -> int:  # noqa: E741
    """Largest number of classes with ``l`` distinct values each.

    Examples
    --------
    >>> most_classes(np.array([990, 10]), 2)
    10
    """
    # What is left over shrinks no more once it is negative, so bisection finds the end.
    low, high = 0, int(counts.sum()) // l
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() >= l * middle:
            low = middle
        else:
            high = middle - 1
    return low


def _entropy_l(counts: np.ndarray) -> float:
    shares = counts / max(counts.sum(), 1)
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _smallest_c(counts: np.ndarray, l: int) -> float | None:  # noqa: E741
    tail = int(counts[l - 1 :].sum())
    return float(counts[0] / tail) if tail else None

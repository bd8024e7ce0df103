"""Complementary release: two safe releases, joined, are not safe."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._kernels import compatibility
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._matching import Matching, refuse_unrelated_tables
from anon_transformers.attacks._tuple_order import meet_labels, padded
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice
from anon_transformers.parameters import whole


@dataclass(frozen=True)
class ComplementaryRelease(Attack):
    """Find records that a second release of the same persons puts in smaller classes.

    Records of both releases are joined where they agree in the link columns and their
    quasi-identifiers are compatible. If all candidates of a record say the same, its
    quasi-identifiers are combined, the more specific value of each column (of two
    ranges that overlap, what they have in common). It is exposed if fewer than ``k``
    records can have this combination. Where candidates differ, the record is ambiguous
    and not exposed. A record without a candidate stands for itself. Suppressed records
    are nobody's candidates.

    Parameters
    ----------
    on : column or sequence of columns, optional
        Link columns. Default: those that both have and that are no quasi-identifiers.
    k : int, optional
        Size below which a joined class is too small. Default: that of the smallest
        class of the two releases, the suppressed one left out.

    Notes
    -----
    The attack looks from the release at the other one; exchange the two to look the
    other way.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International
       Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10 (5), 2002.

    Examples
    --------
    >>> ages = {"age": ["20", "20", "30", "30"], "sex": ["*"] * 4}
    >>> sexes = {"age": ["*"] * 4, "sex": ["f", "m", "f", "m"]}
    >>> problem = {"problem": ["flu", "gout", "acne", "cold"]}
    >>> report = ComplementaryRelease().run(
    ...     pd.DataFrame(ages | problem),
    ...     other=pd.DataFrame(sexes | problem),
    ...     quasi_identifiers=["age", "sex"],
    ... )
    >>> report.exposed, report.details["smallest_joined_class"]
    (4, 1)
    """

    on: Hashable | Sequence[Hashable] | None = None
    k: int | None = None
    name: ClassVar[str] = "complementary-release"
    needs: ClassVar[tuple[str, ...]] = ("release", "other")
    meaning: ClassVar[str] = (
        "Joined with the other release, the record lies in a class that is smaller "
        "than either promised."
    )
    remedy: ClassVar[str] = (
        "Make the link columns quasi-identifiers, or derive each release from the one "
        "before it."
    )

    def __post_init__(self) -> None:
        if self.k is not None:
            whole("k", self.k, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        other = padded(attack_input)
        if not len(other):
            raise NotEvaluable(f"{self.name}: the other release is empty.")
        on, names = self._links(attack_input, other), attack_input.quasi_identifiers
        same = {name: name for name in names}
        matching = Matching.of(attack_input, other, same, {name: name for name in on})
        of_left, _, _ = matching.candidates()
        refuse_unrelated_tables(matching, of_left, names)
        smallest = [_smallest_kept(attack_input, table) for table in (None, other)]
        k = min(smallest) if self.k is None else self.k
        joined = _Joined(matching)
        small = (joined.state == compatibility.SINGLE) & (joined.sizes < k)
        exposed = small[matching.rank(0)]
        rows = matching.rows(0)
        pairs = int((rows * of_left).sum())
        ambiguous = joined.state == compatibility.AMBIGUOUS
        single = joined.state == compatibility.SINGLE
        details: dict[str, Any] = {
            "columns_linked": [str(name) for name in on],
            "k": int(k),
            "k_release": smallest[0],
            "k_other": smallest[1],
            "linked_pairs": matching.n_link_pairs(),
            "compatible_pairs": pairs,
            "resolved_records": int(rows[single].sum()),
            "ambiguous_records": int(rows[ambiguous].sum()),
            "smallest_joined_class": (
                int(joined.sizes[single].min()) if single.any() else None
            ),
        }
        return AttackResult(
            exposed,
            "pairs",
            pairs,
            int((rows * of_left)[small].sum()),
            details,
            lambda: joined.table(attack_input, exposed),
        )

    def _links(self, attack_input: AttackInput, other: pd.DataFrame) -> list[Hashable]:
        if self.on is None:
            on: list[Hashable] = [
                name
                for name in attack_input.release.columns
                if name in other.columns and name not in attack_input.quasi_identifiers
            ]
            if not on:
                raise NotEvaluable(
                    f"{self.name}: the releases share no column beside the "
                    "quasi-identifiers to be joined on."
                )
            return on
        chosen: list[Hashable] = [self.on]
        if isinstance(self.on, Sequence) and not isinstance(self.on, str):
            chosen = list(self.on)
        for name in chosen:
            for table in (attack_input.release, other):
                if name not in table.columns:
                    raise ParameterError(
                        f"on: {unknown_choice('column', name, table.columns)}"
                    )
            if name in attack_input.quasi_identifiers:
                raise ParameterError(f"on: column {name!r} is a quasi-identifier.")
        return chosen


class _Joined:
    """The release with its quasi-identifiers combined with those of the other."""

    def __init__(self, matching: Matching):
        self.matching = matching
        left, right = matching.records(0), matching.records(1)
        where = matching.ranges
        self.state, self.meets = compatibility.resolve(
            left, right, where, *matching.tables
        )
        weights = matching.rows(0)
        settled = self.state != compatibility.AMBIGUOUS
        labels = meet_labels(self.meets[settled])
        _, first = np.unique(labels, return_index=True)
        members = np.bincount(labels, weights[settled]).astype(np.int64)
        members += compatibility.possible_members(
            left, right, weights, where, self.state, self.meets[settled][first],
            *matching.tables,
        )  # fmt: skip
        # An ambiguous record has no class of its own.
        self.sizes = np.full(len(left), np.iinfo(np.int64).max)
        self.sizes[settled] = members[labels]

    def table(self, attack_input: AttackInput, exposed: np.ndarray) -> pd.DataFrame:
        """Exposed records with what is known of them now."""
        matching = self.matching
        at = np.flatnonzero(exposed)
        table = attack_input.release.iloc[at].copy()
        _, _, partner = matching.candidates()
        rank = matching.rank(0)[at]
        for column, name in enumerate(attack_input.quasi_identifiers):
            texts = np.empty(len(self.meets), dtype=object)
            for i in np.unique(rank):
                left = matching.codes[0][matching.order[0][i], column]
                right = matching.codes[1][matching.order[1][partner[i]], column]
                meet = self.meets[i, column]
                texts[i] = matching.text(column, meet, left, right)
            table[name] = texts[rank]
        return table


def _smallest_kept(attack_input: AttackInput, other: pd.DataFrame | None) -> int:
    """Smallest class of a release, the suppressed one left out where there are more."""
    classes = attack_input.classes
    if other is not None:
        classes = Classes.from_frame(
            other,
            attack_input.quasi_identifiers,
            suppression_label=attack_input.suppression_label,
        )
    kept = classes.kept()
    return int((kept if kept.n_classes else classes).rows.min())

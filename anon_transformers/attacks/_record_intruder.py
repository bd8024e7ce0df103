"""Record intruder: every person is given the published row that looks most alike."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._known_columns import pair_column
from anon_transformers.attacks._matching import agreeing
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    check_choice,
    unknown_choice,
)
from anon_transformers.parameters import real, whole
from anon_transformers.privacy.probabilistic._linking import (
    NearestRows,
    PairedColumn,
    Share,
    equal_rows,
    expected_share,
    nearest_rows,
)

NAME_K = (
    "Cells of this table were swapped, which leaves one link in k right by chance: "
    "name the k that was promised, as record-intruder,k=5, to judge it."
)
"""What to do about a swapped table whose promise is not known."""
LARGER_K = (
    "Swap again with a larger k, or leave out columns that give the swapped ones away."
)
"""What to do about a swapped table that does not keep its promise."""
SURE = 1 - 1e-9
"""Chance from which a row is the only nearest one."""


@dataclass(frozen=True)
class RecordIntruder(Attack):
    """Find the persons whom an intruder with the original table links rightly.

    The intruder knows some columns of everybody as they were before, and takes the
    published row that is nearest in them; of rows that are equally near, each is as
    likely. That is right if what is read there, the sensitive cell, is the person's.
    Where sensitive cells were moved from row to row, the row is not enough: the cell
    itself must be the person's, and of persons with the same value each is as likely.

    An informed intruder also tries each known column alone, and takes a published row
    that is equal in it: columns that were moved alike lead to each other, whatever the
    other columns look like. The attempt that finds most is reported.

    Parameters
    ----------
    scenario : {"uninformed", "informed"}, default="uninformed"
        The intruder knows the quasi-identifiers; or, for each sensitive column, all
        the other columns.
    linkage : {"distance", "rank"}, default="distance"
        Compare numbers as they are, standardized, or by their ranks in their table.
    k : int, optional
        The promise: rows count as exposed only if the share of right links is above
        1/k, and not by chance. Without it, every row counts that is linked rightly for
        sure: of a table that was swapped, one in k by chance. Name its k.
    confidence : float, default=0.95
        Of the interval of that share.
    key : column, optional
        Tells in both tables which rows are one person's; no intruder knows it. Without
        it, row i of the release is taken for row i of the original, if a column that
        both have shows it.

    Notes
    -----
    Rows are exposed, and counted, by any sensitive column. ``details`` has, for the
    column that fares worst (``column``) and for each sensitive column, the expected
    share of right links with its confidence interval (Wilson's, wide enough for all
    that was tried), the share of persons whose value is guessed, and the columns that
    it was found by. Ranges are taken for their middle. Columns that the two tables have
    nothing in common in are left out, and named.

    References
    ----------
    .. [1] J. Domingo-Ferrer and V. Torra, "A quantitative comparison of disclosure
       control methods for microdata", in Confidentiality, Disclosure and Data Access,
       2001.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 30, 40, 50], "ill": list("abcd")})
    >>> release = original.assign(age=[21, 29, 52, 43])
    >>> report = RecordIntruder().run(
    ...     release, original=original, quasi_identifiers=["age"], sensitive=["ill"]
    ... )
    >>> report.exposed, report.details["share"]
    (2, 0.5)
    """

    scenario: Literal["uninformed", "informed"] = "uninformed"
    linkage: Literal["distance", "rank"] = "distance"
    k: int | None = None
    confidence: float = 0.95
    key: Hashable | None = None
    name: ClassVar[str] = "record-intruder"
    needs: ClassVar[tuple[str, ...]] = ("release", "original")
    meaning: ClassVar[str] = (
        "The person is linked rightly for sure, by any sensitive column; with k, "
        "more often than once in k times."
    )
    remedy: ClassVar[str] = (
        "Make groups of k rows the same in what is known, or swap cells inside them."
    )

    def __post_init__(self) -> None:
        check_choice("scenario", self.scenario, ("uninformed", "informed"))
        check_choice("linkage", self.linkage, ("distance", "rank"))
        real("confidence", self.confidence, 0, 1, below=True)
        if self.k is not None:
            whole("k", self.k)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        original = self._in_order_of_release(attack_input)
        pairs = self._pairs(attack_input, original)
        exposed = np.zeros(attack_input.rows, dtype=bool)
        by_column: dict[str, dict[str, Any]] = {}
        attempts: list[_Link] = []
        for column in attack_input.sensitive or (None,):
            if not attempts or self.scenario == "informed":
                attempts = self._attempts(pairs, column)
            # Of many attempts one finds much by chance: its interval must be wider.
            confidence = 1 - (1 - self.confidence) / len(attempts)
            found = [
                _Attempt(
                    by, *_hits(attack_input, original, nearest, column), confidence
                )
                for by, nearest in attempts
            ]
            worst = max(found, key=lambda one: one.share.share)
            exposed |= self._exposed(worst.records, worst.share.low)
            known = [name for name in pairs if name != column]
            by_column["row" if column is None else str(column)] = {
                **worst.share._asdict(),
                "values": worst.values,
                "found_by": [str(name) for name in worst.by],
                "columns_known": [str(n) for n in known if pairs[n] is not None],
                "columns_left_out": [str(n) for n in known if pairs[n] is None],
            }
        worst_of_all = max(by_column, key=lambda name: by_column[name]["share"])
        return AttackResult(
            exposed,
            "records",
            attack_input.rows,
            exposed.sum(),
            {
                **by_column[worst_of_all],
                "column": worst_of_all if attack_input.sensitive else None,
                "columns": by_column,
            },
            remedy=self._remedy(attack_input, original),
        )

    def _remedy(self, attack_input: AttackInput, original: pd.DataFrame) -> str | None:
        """What to do about a table that was swapped; None if it was not."""
        names = (*attack_input.quasi_identifiers, *attack_input.sensitive)
        shared = [name for name in names if name in original.columns]
        if not any(_moved(*_codes(attack_input, original, name)) for name in shared):
            return None
        return NAME_K if self.k is None else LARGER_K

    def _exposed(self, hits: np.ndarray, low: float) -> np.ndarray:
        """Rows that count: linked rightly for sure, or better than promised."""
        if self.k is None:
            return hits >= SURE
        return (hits > 1 / self.k) & (low > 1 / self.k)

    def _pairs(
        self, attack_input: AttackInput, original: pd.DataFrame
    ) -> dict[Hashable, PairedColumn | None]:
        """Columns that an intruder may know, of those that both tables have."""
        names: Sequence[Hashable] = attack_input.quasi_identifiers
        if self.scenario == "informed":
            names = list(attack_input.release.columns)
        suppression_label = attack_input.suppression_label
        return {
            name: pair_column(
                original[name], attack_input.release[name], suppression_label
            )
            for name in names
            if name in original.columns and name != self.key
        }

    def _attempts(
        self, pairs: Mapping[Any, PairedColumn | None], wanted: Hashable
    ) -> list["_Link"]:
        """The rows that the intruder takes, and the columns they are found by."""
        used = {
            name: pair
            for name, pair in pairs.items()
            if pair is not None and name != wanted
        }
        if not used:
            raise NotEvaluable(
                f"{self.name}: no column that the intruder knows has a value in common "
                "in the two tables."
            )
        attempts: list[_Link] = [
            ([*used], nearest_rows([*used.values()], self.linkage))
        ]
        if self.scenario == "informed":
            attempts += [([name], equal_rows(pair)) for name, pair in used.items()]
        return attempts

    def _in_order_of_release(self, attack_input: AttackInput) -> pd.DataFrame:
        """The original, row by row the persons of the release."""
        original = attack_input.original
        assert original is not None
        if self.key is None:
            _refuse_other_order(attack_input, original)
            return original.reset_index(drop=True)
        for table in (attack_input.release, original):
            if self.key not in table.columns:
                raise DataError(
                    f"{self.name}, key: "
                    + unknown_choice("column", self.key, table.columns)
                )
        before, after = agreeing(
            identify(original[self.key]), identify(attack_input.release[self.key])
        )
        for what, codes in (("original", before), ("release", after)):
            repeated = len(codes) - len(np.unique(codes))
            if repeated:
                raise DataError(
                    f"{self.name}: the key {self.key!r} repeats in {repeated} rows of "
                    f"the {what}."
                )
        at = pd.Index(before).get_indexer(pd.Index(after))
        strangers = int((at < 0).sum())
        if strangers:
            raise DataError(
                f"{self.name}: {strangers} rows of the release have a key "
                f"{self.key!r} that the original has not."
            )
        return original.iloc[at].reset_index(drop=True)


_Link = tuple[list[Hashable], NearestRows]
"""Columns, and the rows that are found by them."""


class _Attempt(NamedTuple):
    """What an intruder found by certain columns."""

    by: list[Hashable]
    records: np.ndarray
    values: float | None
    confidence: float

    @property
    def share(self) -> Share:
        return expected_share(self.records, self.confidence)


def _refuse_other_order(attack_input: AttackInput, original: pd.DataFrame) -> None:
    """Believe in the order of the rows only if a column shows it."""
    shown = len(original) == attack_input.rows and any(
        np.array_equal(*(codes := _codes(attack_input, original, name)))
        and (codes[0] != codes[0][0]).any()
        for name in attack_input.release.columns
        if name in original.columns
    )
    if not shown:
        raise NotEvaluable(
            f"{RecordIntruder.name}: no column shows that the rows of the release are "
            "those of the original, in its order; name one as key=COLUMN that tells "
            "which rows belong together."
        )


def _hits(
    attack_input: AttackInput,
    original: pd.DataFrame,
    nearest: NearestRows,
    column: Hashable,
) -> tuple[np.ndarray, float | None]:
    """Chance of each person to be linked rightly; share of values guessed."""
    by_row = nearest.row_hits(np.arange(attack_input.rows))
    if column is None or column not in original.columns:
        return by_row, None
    before, after = _codes(attack_input, original, column)
    by_cell, values = nearest.cell_hits(before, after)
    hits = by_cell if _moved(before, after) else by_row
    return hits, float(values.mean())


def _moved(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a column holds the same cells as before, in other rows."""
    changed = bool((before != after).any())
    return changed and np.array_equal(np.sort(before), np.sort(after))


def _codes(
    attack_input: AttackInput, original: pd.DataFrame, name: Hashable
) -> tuple[np.ndarray, np.ndarray]:
    """A column of the original and of the release: equal texts have equal codes."""
    return agreeing(identify(original[name]), attack_input.coded(name))

"""Text codes cut to prefixes."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.base import CodedTable, Column, PublishedColumn, TableAnonymizer
from anon_transformers.exceptions import DataError, ParameterError


class PrefixAnonymizer(TableAnonymizer):
    """Cut codes from the right until ``k`` rows share every combination.

    All codes of a column are cut at the same place: ``1234`` and ``1299`` become
    ``12##``. The column with most distinct values is cut first, one character at a
    time, until all but ``suppression_limit`` of the rows keep the promise. A column
    that is cut away altogether hides its missing values too.

    Meant for postal codes and the like, read as texts: a number has lost its leading
    zeros. Other columns are cut as they are written, dates to years and months.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know. None: all that are not declared otherwise.
    k : int, default=5
        Rows (persons, with ``subject``) that must share each published combination.
    models : list of privacy models, default=None
        Further promises.
    fill : str, default="#"
        The character that stands for one that was cut.
    sensitive, identifiers : list, default=None
        Columns an intruder wants to know; columns that are dropped.
    hierarchies : None
        Not used.
    subject : column, default=None
        Identifies persons, so that k counts persons. It is dropped.
    suppression_limit : float or int, default=0.0
        Largest share of rows that may be suppressed; as a whole number from 1 on, the
        largest number of rows (not of persons).
    suppression : {"mask", "drop", "blank"}, default="mask"
        What happens to suppressed rows.
    suppression_label : str, default="*"
        The mark of a suppressed cell.

    Attributes
    ----------
    cuts_ : list of int
        Characters cut off: one number per quasi-identifier.
    labels_ : list of PublishedColumn
        The label of each value, one entry per quasi-identifier.
    report_ : Report
        Classes, loss, risk, suppressed rows and time, in numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"zip": ["1234", "1299", "1307", "1355"]})
    >>> PrefixAnonymizer(k=2).fit_transform(people)
        zip
    0  12##
    1  12##
    2  13##
    3  13##
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "Codes are cut for all rows alike: a few rare ones cost everybody exactness.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[Any] | None = None,
        fill: str = "#",
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Any] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = "*",
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            models=models,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            suppression_limit=suppression_limit,
            suppression=suppression,
            suppression_label=suppression_label,
        )
        self.fill = fill

    @classmethod
    def test_instances(cls) -> list["PrefixAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2), cls(k=3, fill="x", suppression_limit=0.2)]

    @property
    def publishes(self) -> str:
        """Codes that were cut: names that only this method can read."""
        return "names"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.fill, str) or len(self.fill) != 1:
            raise ParameterError(f"fill must be one character, got {self.fill!r}.")
        if self.fill in self.suppression_label:
            raise ParameterError(
                f"fill={self.fill!r} must not occur in suppression_label="
                f"{self.suppression_label!r}."
            )

    def _learn(self, table: CodedTable, models: Any) -> None:
        codes = [_Codes(column) for column in table.quasi_identifiers]
        for column in codes:
            column.refuse(self.fill)
        self.cuts_ = [0] * len(codes)
        self.labels_ = [column.cut(0, self.fill) for column in codes]
        while not self._can_publish(table, self._recode(table), models):
            rest = [a for a, column in enumerate(codes) if self.cuts_[a] < column.width]
            if not rest:
                return  # nothing is left to cut: the base class says what is lacking
            widest = max(rest, key=lambda a: len(self.labels_[a].labels))
            self.cuts_[widest] += 1
            self.labels_[widest] = codes[widest].cut(self.cuts_[widest], self.fill)

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        return [
            PublishedColumn(_label_of_rows(column, rule), rule.labels, rule.shares)
            for column, rule in zip(table.quasi_identifiers, self.labels_, strict=True)
        ]

    def _details(self) -> dict[str, Any]:
        return {"cuts": list(self.cuts_)}


class _Codes:
    """The texts of a column, and how they look when they are cut."""

    def __init__(self, column: Column):
        self.column = column
        self.texts = [str(text) for text in column.texts()]
        self.width = max(map(len, self.texts), default=1)

    def refuse(self, fill: str) -> None:
        """Raise if the input holds ``fill``, which would read like a cut."""
        holds = np.array([fill in text for text in self.texts] + [False])
        n_rows = int(holds[self.column.codes].sum())
        if n_rows:
            raise DataError(
                f"column {self.column.name!r} holds the fill character {fill!r} in "
                f"{n_rows} rows; choose another with fill=."
            )

    def cut(self, n_cut: int, fill: str) -> PublishedColumn:
        """Label of each value, the missing one last, when ``n_cut`` characters go.

        The shares are those of the column's values that a label covers, which is the
        loss it causes.
        """
        labels: list[str | None] = list(self.texts)
        if n_cut:
            kept = self.width - n_cut
            labels = [text[:kept].ljust(self.width, fill) for text in self.texts]
        labels.append(fill * self.width if n_cut == self.width else None)
        places: dict[str | None, int] = {}
        codes = np.array([places.setdefault(label, len(places)) for label in labels])
        occurs = np.ones(len(labels))
        occurs[-1] = (self.column.codes == self.column.missing_code).any()
        covered = np.bincount(codes, occurs)
        others = max(occurs.sum() - 1, 1)
        return PublishedColumn(
            codes,
            np.array(list(places), dtype=object),
            np.clip((covered - 1) / others, 0, 1),
        )


def _label_of_rows(column: Column, rule: PublishedColumn) -> np.ndarray:
    """Position of each row's label; -1 for a value that was not there at ``fit``."""
    known = column.codes >= 0
    if column.exact is not None:
        known &= column.exact
    return np.where(known, rule.codes[column.codes], -1)

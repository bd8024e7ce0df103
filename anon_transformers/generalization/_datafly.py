"""Datafly: greedy full-domain generalization with suppression."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from anon_transformers._kernels import datafly
from anon_transformers._kernels.grouping import GroupedRows
from anon_transformers.base import TableAnonymizer, tell_progress
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    refuse_too_few,
)
from anon_transformers.base._docs import TABLE_TEXTS
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    ParameterError,
    check_choice,
    check_columns,
    unknown_choice,
)
from anon_transformers.generalization._levels import (
    LevelColumn,
    level_tables,
    publish_level,
)
from anon_transformers.hierarchies import ByDataType, DateParts
from anon_transformers.hierarchies._data_types import DATA_TYPES
from anon_transformers.parameters import substitute
from anon_transformers.privacy import AllOf, PrivacyModel

CHOICES = {
    "stop_rule": ("at_most_k", "less_than_k"),
    "attribute_tie": ("first", "last"),
}


@substitute(TABLE_TEXTS)
class DataflyAnonymizer(TableAnonymizer):
    """Generalize the column with most values until few rows violate; suppress those.

    Every column is generalized as a whole, one level of its hierarchy at a time. A
    column without a hierarchy gets one by its data type. Where the suppressed rows
    cannot be a class of their own, generalization goes on.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know; their order decides ties. None: all columns that
        are not declared otherwise.
    k : int, default=5
        Smallest number of rows (persons, with ``subject``) in a class.
    {models}
    {hierarchies}
    types : dict of column to str, default=None
        Data types of columns without a hierarchy, where guessing is not wanted; texts
        that look like dates need one ("date": day, month, year, with slashes). A value
        that ``fit`` did not see is generalized by ``transform`` as those it saw were;
        what is not of their type, or larger than all of them, is suppressed. A builder
        among ``hierarchies`` goes on likewise, and has a policy of its own.
    stop_rule : {"at_most_k", "less_than_k"}, default="at_most_k"
        Stop when at most, or fewer than, k rows break the promise. The first is the
        condition of the original algorithm. Rows whose value a hierarchy with
        ``unknown="suppress"`` does not have are suppressed beside them, and so is what
        joins masked rows.
    attribute_tie : {"first", "last"}, default="first"
        Which column is generalized among those with equally many values.
    {sensitive_and_identifiers}
    {subject}
    suppression_limit : float or int, default=None
        Share of rows that may be suppressed, or their number as a whole number from 1
        on (of rows, not of persons), in place of the stop rule.
    suppression : {"mask", "drop", "blank"}, default="mask"
        Put the label into the quasi-identifiers and keep the row; drop the row, as the
        original algorithm does; or mask it and empty its sensitive cells too. Masked
        rows are a class of their own, which further classes join, smallest first, if
        it is too small; where the smallest is large, drop them, or state a limit.
    {suppression_label}

    Attributes
    ----------
    levels_ : dict of column to int
        How often each column was generalized.
    {hierarchies_}
    report_ : Report
        Classes, loss, risk, suppressed rows and time; ``report_.details["trace"]``
        holds every step.
    {n_suppressed_}
    {suppressed_mask_}

    References
    ----------
    .. [1] L. Sweeney, "Achieving k-anonymity privacy protection using generalization
       and suppression", International Journal of Uncertainty, Fuzziness and
       Knowledge-Based Systems 10(5), 2002.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import DataflyAnonymizer
    >>> people = pd.DataFrame({"a": [10, 10, 10, 19, 19, 19], "b": [10, 11, 21] * 2})
    >>> datafly = DataflyAnonymizer(k=2)
    >>> datafly.fit_transform(people)
        a   b
    0  10  10
    1  10  10
    2   *   *
    3  19  10
    4  19  10
    5   *   *
    >>> datafly.levels_
    {'a': 0, 'b': 1}
    """

    uses_hierarchies: ClassVar[bool] = True
    fits_counts: ClassVar[bool] = True
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {"_described", "_encode", "_hierarchy_of", "_limit", "_own_hierarchies"}
    )

    not_promised: ClassVar[tuple[str, ...]] = (
        "Whole columns climb at once, chosen by a rule of thumb: other levels may "
        "keep the promise and lose less.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        hierarchies: Mapping[Any, Any] | None = None,
        types: Mapping[Any, str] | None = None,
        stop_rule: Literal["at_most_k", "less_than_k"] = "at_most_k",
        attribute_tie: Literal["first", "last"] = "first",
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float | None = None,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
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
        self.types = types
        self.stop_rule = stop_rule
        self.attribute_tie = attribute_tie

    @classmethod
    def test_instances(cls) -> list["DataflyAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2), cls(k=2, stop_rule="less_than_k")]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        for column, type_ in (self.types or {}).items():
            if type_ not in DATA_TYPES:
                message = unknown_choice("data type", type_, DATA_TYPES)
                raise ParameterError(f"types, {column}: {message}")
            if column in (self.hierarchies or {}):
                raise ParameterError(f"types, {column}: it has a hierarchy already.")
        check_columns("types", self.types, self.quasi_identifiers, "quasi-identifier")

    def _encode(
        self, frame: pd.DataFrame, weights: np.ndarray | None = None
    ) -> CodedTable:
        legal = self.roles_.quasi_identifiers
        check_columns("types", self.types, legal, "quasi-identifier")
        table = super()._encode(frame, weights)
        return replace(
            table,
            quasi_identifiers=tuple(LevelColumn.of(c) for c in table.quasi_identifiers),
        )

    def _hierarchy_of(self, series: pd.Series) -> Any:
        """A hierarchy by data type, where none was given."""
        given = super()._hierarchy_of(series)
        type_ = (self.types or {}).get(series.name)
        if given is not None:
            return given
        if type_ is None and pd.api.types.is_datetime64_any_dtype(series):
            return DateParts(unknown="suppress")
        return ByDataType(type_, unknown="suppress")

    def _own_hierarchies(self) -> dict[Hashable, Any]:
        types = self.types or {}
        names = self.quasi_identifiers or ()
        return {name: ByDataType(types.get(name)) for name in names}

    def _described(self) -> Mapping[Any, Any]:
        return {**(self.hierarchies or {}), **(self.types or {})}

    def _budget(self) -> int:
        """How many rows the stop rule lets go."""
        return self.k if self.stop_rule == "at_most_k" else self.k - 1

    def _limit(self, n_rows: int) -> float:
        if self.suppression_limit is not None:
            return self.suppression_limit
        # What joins the suppressed class to fill it up is not the stop rule's business.
        return self._budget() + self._n_uncoded if self.suppression == "drop" else 1.0

    def _learn(self, table: CodedTable, models: AllOf) -> None:
        points = table.points()
        self._n_uncoded = points.n_uncoded
        refuse_too_few(points, self.k, table.subject)

        def violating(groups: GroupedRows) -> int:
            labels = np.append(groups.labels, -1)[points.of_row]
            classes = table.classes(labels, len(groups.sizes))
            return int(classes.rows[~models.satisfied(classes)].sum())

        tables = [level_tables(column) for column in table.quasi_identifiers]
        n_steps = sum(len(levels) - 1 for levels in tables)

        def stops(levels: tuple[int, ...], count: int) -> bool:
            # Of all steps there are: where it stops before the last, it ends sooner.
            tell_progress(sum(levels) / max(n_steps, 1))
            return self._allows(count, table.n_rows) and self._can_publish(
                table, _publish(table, levels), models
            )

        trace = datafly.climb(
            points.codes,
            tables,
            violating,
            stops,
            last_of_ties=self.attribute_tie == "last",
        )
        names = self.roles_.quasi_identifiers
        self.levels_ = dict(zip(names, trace[-1].levels, strict=True))
        self.hierarchies_ = {c.name: c.hierarchy for c in table.quasi_identifiers}
        self._trace = trace

    def _allows(self, violating: int, n_rows: int) -> bool:
        """Whether the stop rule holds; a table that is all suppressed is no result."""
        gone = violating + self._n_uncoded
        if self.suppression_limit is None:
            return violating <= self._budget() and gone < n_rows
        return gone <= self._rules(n_rows).allowance(n_rows) and gone < n_rows

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        return _publish(table, tuple(self.levels_.values()))

    def _details(self) -> dict[str, Any]:
        names = [str(name) for name in self.levels_]
        return {
            "levels": {str(name): level for name, level in self.levels_.items()},
            "trace": [
                {
                    "violating": step.violating,
                    "distinct": dict(zip(names, step.distinct, strict=True)),
                    "levels": dict(zip(names, step.levels, strict=True)),
                    "generalized": names[step.generalized]
                    if step.generalized >= 0
                    else None,
                }
                for step in self._trace
            ],
        }


def _publish(table: CodedTable, levels: tuple[int, ...]) -> list[PublishedColumn]:
    return [
        publish_level(column, level)
        for column, level in zip(table.quasi_identifiers, levels, strict=True)
    ]

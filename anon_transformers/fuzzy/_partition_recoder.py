"""Recoding by fuzzy sets that people have laid out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.labels import set_label
from anon_transformers.base._coded_table import CodedTable
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, ParameterError, check_columns
from anon_transformers.fuzzy._bounds import SetRequest
from anon_transformers.fuzzy._docs import SET_TEXTS
from anon_transformers.fuzzy._naming import Labels, ordered_names
from anon_transformers.fuzzy._partitions import FuzzyPartition
from anon_transformers.fuzzy._recoder import SetRecoder
from anon_transformers.fuzzy._rules import SetRule, ShapeRule, ValueRule, WholeRule
from anon_transformers.fuzzy._scaling import ScaledAxis
from anon_transformers.fuzzy._sets import describe_value
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import substitute
from anon_transformers.privacy import PrivacyModel


@substitute(SET_TEXTS)
class FuzzyPartitionRecoder(SetRecoder):
    """Replace values by the names of fuzzy sets: Low, Medium, High.

    For each column of numbers a partition may be given, made of triangles, shoulders
    and trapezoids. What is published is the name of the set in which a value has its
    largest degree, of equal ones the first. The shapes are not published.

    A column of numbers or dates without a partition gets ``n_sets`` sets that are laid
    evenly over its range: a triangle about each of as many points, half open at the
    ends. From eight sets on they are called by numbers from the lowest: ``set 1``,
    ``set 2``. Any other column is published as it is, each value a set of its own, with
    degree 1. So is a missing value, which stays missing.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know. None: all that are not declared otherwise.
    partitions : dict of column to FuzzyPartition or dict, default=None
        Two or more sets of a column of numbers. Their degrees must add up to 1
        everywhere. A dict has the numbers of each set by its name, as a release writes
        them: ``{"Young": [-inf, 25, 45], "Old": [25, 45, inf]}``.
    n_sets : int or dict of column to int, default=None
        Sets of each column of numbers or dates that has no partition, at most as many
        as it has different values. None, or a column that is not named: look for the
        numbers that keep every promise with little loss, up to ``max_sets``.
    max_sets : int, default=12
        Most sets of a column that a search tries.
    labels : list of str or dict of column to list, default=None
        Names of the sets of columns without a partition, from the lowest on.
    {keep_memberships}
    {k}
    {models}
    {sensitive_and_identifiers}
    {hierarchies}
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    {report_}
    {tried_}
    {n_suppressed_}
    {suppressed_mask_}
    degrees_ : float64 ndarray of shape (n_rows, n_classes)
        With ``keep_memberships``: degree of each row in each class, which is every
        combination of sets: the product of the degrees in its sets.
    {class_names_}

    See Also
    --------
    FuzzyCMeansRecoder : Sets that are learned from the table.
    FuzzyPartition : Sets by hand.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.fuzzy import FuzzyPartition, FuzzyPartitionRecoder
    >>> people = pd.DataFrame({"age": [20, 29, 44, 61], "zip": ["476", "476"] * 2})
    >>> ages = FuzzyPartition.from_peaks([25, 45], ["Young", "Old"])
    >>> FuzzyPartitionRecoder(partitions={"age": ages}, k=2).fit_transform(people)
         age  zip
    0  Young  476
    1  Young  476
    2    Old  476
    3    Old  476
    """

    # Readers get names; where the sets end is left vague.
    private_parameters: ClassVar[tuple[str, ...]] = ("partitions",)
    partitions: Mapping[Any, FuzzyPartition | Mapping[str, Any]] | None

    not_promised: ClassVar[tuple[str, ...]] = (
        "Degrees would give the values back; they must stay private.",
        "Columns of categories are published as they are.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        partitions: Mapping[Any, FuzzyPartition | Mapping[str, Any]] | None = None,
        n_sets: int | Mapping[Any, int] | None = None,
        max_sets: int = 12,
        labels: Labels = None,
        keep_memberships: bool = False,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        self._take(locals())

    @classmethod
    def test_instances(cls) -> list["FuzzyPartitionRecoder"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2, max_sets=4), cls(k=2, suppression_limit=0.1)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_columns("partitions", self._partitions(), self.quasi_identifiers)
        for name, partition in self._partitions().items():
            _refuse_poor(name, partition)
            for key in ("n_sets", "labels"):
                given = getattr(self, key)
                if isinstance(given, Mapping) and name in given:
                    raise ParameterError(
                        f"{key}: column {name!r} has a partition, which tells it."
                    )

    def _partitions(self) -> dict[Hashable, FuzzyPartition]:
        """The partitions that were given, by column, whatever form they have."""
        if not isinstance(self.partitions, Mapping | None):
            raise ParameterError("partitions must be a dict of columns.")
        return {
            name: _partition(name, given)
            for name, given in (self.partitions or {}).items()
        }

    def _takes(self, column: Column) -> bool:
        return True

    def _requests(
        self, table: CodedTable, places: Sequence[tuple[int, ...]]
    ) -> list[SetRequest]:
        partitions = self._partitions()
        columns = {column.name: column for column in table.quasi_identifiers}
        check_columns("partitions", partitions, columns)
        for name in partitions:
            if columns[name].kind != "number":
                raise DataError(
                    f"column {name!r} holds no numbers; its partition has no use."
                )
        if partitions and not any(map(self._is_laid_evenly, table.quasi_identifiers)):
            for key in ("n_sets", "labels"):
                if getattr(self, key) is not None:
                    raise ParameterError(
                        f"{key}: every column of numbers or dates has a partition, "
                        "which tells it."
                    )
        requests = super()._requests(table, places)
        return [
            request
            if self._is_laid_evenly(column)
            else _as_it_is(request, column, partitions)
            for request, column in zip(requests, table.quasi_identifiers, strict=True)
        ]

    def _is_laid_evenly(self, column: Column) -> bool:
        """Whether the sets of a column follow from its range."""
        given = column.name in (self.partitions or {})
        return column.kind in {"number", "date"} and not given

    def _left_exact(self, table: CodedTable) -> list[Any]:
        partitions = self.partitions or {}
        return [
            column.name
            for column in table.quasi_identifiers
            if column.name not in partitions and not self._is_laid_evenly(column)
        ]

    def _make_rule(
        self,
        columns: Sequence[Column],
        n_sets: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
    ) -> SetRule:
        (column,) = columns
        partition = self._partitions().get(column.name)
        if partition is not None:
            # Shapes are drawn on the numbers themselves, however large these are.
            return ShapeRule(
                partition, replace(ScaledAxis.of(column, None), origin=None)
            )
        if not self._is_laid_evenly(column):
            return ValueRule(tuple(set_label([text]) for text in column.texts()))
        if n_sets == 1:
            return WholeRule(names or ordered_names(1))
        peaks = np.linspace(0, 1, n_sets).tolist()
        evenly = FuzzyPartition.from_peaks(peaks, names or ordered_names(n_sets))
        return ShapeRule(evenly, ScaledAxis.of(column, "range"))


def _partition(column: Hashable, given: Any) -> FuzzyPartition:
    """The partition of a column, also of plain numbers."""
    if isinstance(given, FuzzyPartition):
        return given
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"partitions: column {column!r} must have a FuzzyPartition, or a dict of "
            f"names and numbers, got {describe_value(given)}."
        )
    try:
        return FuzzyPartition(given)
    except ParameterError as error:
        raise ParameterError(f"partitions: column {column!r}: {error}") from None


def _refuse_poor(column: Hashable, partition: FuzzyPartition) -> None:
    """Refuse sets that tell nothing, or leave numbers out or count them twice."""
    if len(partition.names) == 1:
        raise ParameterError(
            f"partitions: column {column!r} has one set, which tells nothing; draw two "
            "or more."
        )
    if not partition.is_complete:
        raise ParameterError(
            f"partitions: column {column!r} has sets whose degrees do not add up to 1 "
            "everywhere: let each one end where the next is full, the first start at "
            "-inf and the last end at inf."
        )


def _as_it_is(
    request: SetRequest, column: Column, partitions: Mapping[Any, Any]
) -> SetRequest:
    """What follows from a partition, or from the values themselves."""
    n_sets = len(column.values)
    if column.name in partitions and n_sets:
        n_sets = len(partitions[column.name].names)
    # No fewer sets than the partition has, even where there are fewer values.
    return request._replace(
        n_sets=n_sets or None, names=None, distinct=max(request.distinct, n_sets)
    )

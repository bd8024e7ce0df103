"""Fuzzy partitions: sets with names whose degrees add up to 1 everywhere."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from anon_transformers.evidence._memberships import HALF, SUMS_TO_ONE, as_degrees
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy._naming import ordered_names
from anon_transformers.fuzzy._sets import (
    ROUNDING,
    FuzzyShape,
    as_number,
    describe_value,
    left_shoulder,
    right_shoulder,
    trapezoid,
    triangular,
)

FEWEST_PEAKS = 2
PAIR = 2


@dataclass(frozen=True)
class PartitionChecks:
    """What degrees in some sets have of a good partition.

    Attributes
    ----------
    n_off : int
        Rows whose degrees do not add up to 1.
    n_vague : int
        Rows whose degrees are all below one half.
    n_not_normal : int
        Sets that no row belongs to fully.
    """

    n_off: int
    n_vague: int
    n_not_normal: int

    @property
    def is_partition(self) -> bool:
        """Whether the degrees of every row add up to 1."""
        return self.n_off == 0

    @property
    def is_robust(self) -> bool:
        """Whether every row has a degree of one half or more."""
        return self.n_vague == 0

    @property
    def is_normal(self) -> bool:
        """Whether every set has a row with degree 1.

        A normal partition need not be robust: three sets can share a row.
        """
        return self.n_not_normal == 0


def check_partition(degrees: Any) -> PartitionChecks:
    """Check whether degrees are a partition, robust and normal.

    Parameters
    ----------
    degrees : array of shape (n_rows, n_sets)
        Numbers from 0 to 1.

    Examples
    --------
    >>> check_partition([[1, 0, 0], [0.4, 0.3, 0.3]])
    PartitionChecks(n_off=0, n_vague=1, n_not_normal=2)
    """
    degrees = as_degrees(degrees)
    return PartitionChecks(
        n_off=int((np.abs(degrees.sum(axis=1) - 1) > SUMS_TO_ONE).sum()),
        n_vague=int((degrees < HALF - ROUNDING).all(axis=1).sum()),
        n_not_normal=int((degrees < 1 - ROUNDING).all(axis=0).sum()),
    )


@dataclass(frozen=True, init=False)
class FuzzyPartition:
    """Named fuzzy sets of numbers, in their order.

    Parameters
    ----------
    sets : mapping of name to FuzzyShape or to a list of numbers
        Three numbers are a triangle, or a shoulder if the first is ``-inf`` or the last
        ``inf``; four are a trapezoid. YAML writes these ends ``-.inf`` and ``.inf``.

    Examples
    --------
    >>> age = FuzzyPartition(
    ...     {
    ...         "Young": (float("-inf"), 30, 40),
    ...         "Adult": (30, 40, 50, 60),
    ...         "Old": (50, 60, float("inf")),
    ...     }
    ... )
    >>> age.degrees([20, 35, 58])
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0.2, 0.8]])
    """

    sets: tuple[tuple[str, FuzzyShape], ...]

    def __init__(self, sets: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        made = tuple((name, _shape(name, given)) for name, given in _pairs(sets))
        names = [name for name, _ in made]
        if len(set(names)) < len(names):
            raise ParameterError("two sets of a fuzzy partition have the same name.")
        object.__setattr__(self, "sets", made)

    @classmethod
    def from_peaks(
        cls, peaks: Sequence[float], names: Sequence[str] | None = None
    ) -> "FuzzyPartition":
        """Shoulders and triangles laid end to end, each full at one of ``peaks``.

        They are a normal and robust partition.

        Parameters
        ----------
        peaks : sequence of float
            At least two, rising: where the sets have their degree of 1.
        names : sequence of str, optional
            As many; by default Low, Medium, High and the like.

        Examples
        --------
        >>> pay = FuzzyPartition.from_peaks([2, 5, 8])
        >>> pay.names
        ('Low', 'Medium', 'High')
        >>> pay.degrees([1, 3.5, 5])
        array([[1. , 0. , 0. ],
               [0.5, 0.5, 0. ],
               [0. , 1. , 0. ]])
        """
        listed = isinstance(peaks, Iterable) and not isinstance(peaks, str)
        peaks = [as_number(peak) for peak in peaks] if listed else []
        if len(peaks) < FEWEST_PEAKS:
            raise ParameterError(f"peaks must be at least two numbers, got {peaks!r}.")
        names = ordered_names(len(peaks)) if names is None else names
        if len(names) != len(peaks):
            raise ParameterError(f"{len(peaks)} peaks need as many names.")
        inner = zip(peaks[:-2], peaks[1:-1], peaks[2:], strict=True)
        shapes = [
            left_shoulder(peaks[0], peaks[1]),
            *(triangular(*points) for points in inner),
            right_shoulder(peaks[-2], peaks[-1]),
        ]
        return cls(zip(names, shapes, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sets."""
        return tuple(name for name, _ in self.sets)

    @property
    def shapes(self) -> tuple[FuzzyShape, ...]:
        """The sets themselves."""
        return tuple(shape for _, shape in self.sets)

    def degrees(self, values: Any) -> np.ndarray:
        """Degrees of numbers in every set.

        Parameters
        ----------
        values : array of shape (n,)
            None may be missing.

        Returns
        -------
        array of shape (n, n_sets)

        Raises
        ------
        DataError
            If the degrees of a number do not add up to 1.
        """
        degrees = self._degrees(values)
        n_off = check_partition(degrees).n_off
        if n_off:
            raise DataError(
                f"the sets {', '.join(self.names)} are no partition here: the degrees "
                f"of {n_off} values do not add up to 1."
            )
        return degrees

    def check(self, values: Any) -> PartitionChecks:
        """Check whether the sets are a partition of numbers, robust and normal.

        Examples
        --------
        >>> FuzzyPartition({"Low": (0, 1, 2), "High": (2, 3, 4)}).check([1, 2, 3])
        PartitionChecks(n_off=1, n_vague=1, n_not_normal=0)
        """
        return check_partition(self._degrees(values))

    @property
    def is_complete(self) -> bool:
        """Whether the degrees of every number there is add up to 1.

        They are straight between the corners of the shapes and level beyond them, so
        that the corners tell.

        Examples
        --------
        >>> FuzzyPartition.from_peaks([20, 40]).is_complete
        True
        >>> FuzzyPartition({"Low": (0, 1, 2), "High": (1, 2, 3)}).is_complete
        False
        """
        ends = [
            point
            for shape in self.shapes
            for point in (shape.start, shape.full_from, shape.full_to, shape.end)
        ]
        return self.check([0.0, *filter(math.isfinite, ends)]).is_partition

    def _degrees(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=np.float64)
        if values.ndim != 1:
            raise DataError(f"values must be a vector, got {values.ndim} dimensions.")
        missing = int(np.isnan(values).sum())
        if missing:
            raise DataError(f"{missing} values are missing and belong to no set.")
        return np.column_stack([shape(values) for shape in self.shapes])


def crisp_degrees(labels: Any, n_sets: int | None = None) -> np.ndarray:
    """Degrees of rows that belong to one set each.

    Parameters
    ----------
    labels : int array of shape (n_rows,)
        The set of each row, counted from 0.
    n_sets : int, optional
        By default one more than the largest label.

    Examples
    --------
    >>> crisp_degrees([0, 1, 1])
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    labels = np.asarray(labels)
    if labels.ndim != 1 or (labels.size and labels.dtype.kind not in "iu"):
        raise DataError("labels must be one whole number per row.")
    labels = labels.astype(np.int64)
    n_sets = int(labels.max(initial=-1)) + 1 if n_sets is None else n_sets
    outside = int(((labels < 0) | (labels >= n_sets)).sum())
    if outside:
        raise DataError(
            f"{outside} rows have a label that is not from 0 to {n_sets - 1}."
        )
    degrees = np.zeros((len(labels), n_sets))
    degrees[np.arange(len(labels)), labels] = 1
    return degrees


def product_partition(*degrees: Any) -> np.ndarray:
    """Degrees in the sets of several partitions crossed.

    A row belongs to a combination of sets by the product of its degrees in them. That
    of partitions is a partition; with minima it would be none. All combinations are
    there, those without rows too, the sets of the last partition following each other
    as :func:`product_names` has them.

    Parameters
    ----------
    *degrees : arrays of shape (n_rows, n_sets)
        Of the same rows; crisp ones too, see :func:`crisp_degrees`.

    Examples
    --------
    >>> product_partition([[0.5, 0.5]], [[0.25, 0.75]])
    array([[0.125, 0.375, 0.125, 0.375]])
    """
    if not degrees:
        raise ParameterError("degrees: name at least one partition to cross.")
    matrices = [as_degrees(given) for given in degrees]
    if len({len(matrix) for matrix in matrices}) > 1:
        raise DataError("the partitions to be crossed have different numbers of rows.")
    return reduce(_cross, matrices)


def product_names(*names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names of the sets of :func:`product_partition`, a tuple each.

    Examples
    --------
    >>> product_names(["Low", "High"], ["Young", "Old"])[:2]
    [('Low', 'Young'), ('Low', 'Old')]
    """
    return list(product(*names))


def _cross(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.einsum("ri,rj->rij", one, other).reshape(len(one), -1)


def _pairs(sets: Any) -> list[tuple[str, Any]]:
    """Names and shapes; pairs of them may be given too."""
    listed = isinstance(sets, Iterable) and not isinstance(sets, str)
    pairs = list(sets.items() if isinstance(sets, Mapping) else sets) if listed else []
    if not all(isinstance(pair, tuple | list) and len(pair) == PAIR for pair in pairs):
        pairs = []
    if not pairs:
        raise ParameterError(
            "a fuzzy partition needs sets, each with a name and a shape, such as "
            f"{{'Low': [-inf, 20, 30], 'High': [20, 30, inf]}}, got "
            f"{describe_value(sets)}."
        )
    for name, _ in pairs:
        if not isinstance(name, str) or not name:
            raise ParameterError(
                "a fuzzy partition needs sets, each with a name, and a name is a text, "
                f"got {describe_value(name)}. In a file, put it into quotes."
            )
    return [(name, shape) for name, shape in pairs]


def _shape(name: str, given: Any) -> FuzzyShape:
    if isinstance(given, FuzzyShape):
        return given
    listed = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    points = tuple(given) if listed else ()
    makers: dict[int, Callable[..., FuzzyShape]] = {3: triangular, 4: trapezoid}
    if len(points) not in makers:
        raise ParameterError(
            f"set {name!r} must be a fuzzy shape, three numbers or four, got "
            f"{describe_value(given)}."
        )
    try:
        return makers[len(points)](*map(as_number, points))
    except ParameterError as error:
        raise ParameterError(f"set {name!r}: {error}") from None

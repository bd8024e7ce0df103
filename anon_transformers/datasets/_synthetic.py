"""Synthetic tables on which Datafly and Mondrian were compared.

They are those of a thesis (University of Zaragoza, 2017): whole numbers only. Without
a ``random_state`` there is nothing random in them.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ParameterError, check_choice
from anon_transformers.parameters import is_whole, whole

Func = Literal["linear", "quadratic"]
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda numbers: numbers,
    "quadratic": lambda numbers: numbers**2,
}

MOST_CELLS = 500_000_000
"""Cells of the largest table that is made."""


def make_independent(
    n_rows: int,
    n_attributes: int,
    func: Func = "linear",
    random_state: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Make a table in which every attribute alone tells all rows apart.

    Parameters
    ----------
    n_rows : int
        Rows; row i, from 1, holds i or its square.
    n_attributes : int
        Columns ``A_0``, ``A_1``, …
    func : {"linear", "quadratic"}, default="linear"
        The numbers from 1 to ``n_rows``, or their squares.
    random_state : int or Generator, default=None
        None: the same number in all columns of a row. Otherwise each column holds
        the same numbers in an order of its own, drawn at random.

    Returns
    -------
    pandas.DataFrame of shape (n_rows, n_attributes)

    See Also
    --------
    make_dependent : All attributes are needed to tell rows apart.

    Examples
    --------
    >>> from anon_transformers.datasets import make_independent
    >>> make_independent(3, 2, func="quadratic")
       A_0  A_1
    0    1    1
    1    4    4
    2    9    9
    """
    whole("n_rows", n_rows)
    whole("n_attributes", n_attributes)
    if n_rows * n_attributes > MOST_CELLS:
        raise ParameterError(
            f"{n_rows} rows of {n_attributes} attributes are more than "
            f"{MOST_CELLS:,} cells."
        )
    column = _through(func, range(1, n_rows + 1))
    if random_state is None:
        return _named(np.repeat(column[:, None], n_attributes, axis=1))
    rng = np.random.default_rng(random_state)
    return _named(np.stack([rng.permutation(column) for _ in range(n_attributes)], 1))


def make_dependent(
    values: int | Sequence[int],
    n_attributes: int,
    func: Func = "linear",
    random_state: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Make a table in which all attributes are needed to tell rows apart.

    Parameters
    ----------
    values : int or sequence of int
        What a cell may hold; an int stands for the numbers from 1 up to it.
    n_attributes : int
        Columns ``A_0``, ``A_1``, …
    func : {"linear", "quadratic"}, default="linear"
        The values as they are, or their squares.
    random_state : int or Generator, default=None
        None: every variation of the values once, the last column changing fastest.
        Otherwise as many rows, with every cell drawn at random; rows may repeat.

    Returns
    -------
    pandas.DataFrame of shape (n_values ** n_attributes, n_attributes)

    See Also
    --------
    make_independent : Every attribute alone tells rows apart.

    Examples
    --------
    >>> from anon_transformers.datasets import make_dependent
    >>> make_dependent(2, 2)
       A_0  A_1
    0    1    1
    1    1    2
    2    2    1
    3    2    2
    """
    whole("n_attributes", n_attributes)
    if isinstance(values, int | np.integer):
        values = range(1, whole("values", values) + 1)
    cells = _through(func, _whole(values))
    if not len(cells):
        raise ParameterError("values must hold at least one number.")
    if len(np.unique(cells)) < len(cells):
        raise ParameterError("values must differ from each other.")
    _refuse_too_large(len(cells), n_attributes)
    shape = (len(cells),) * n_attributes
    if random_state is None:
        return _named(cells[np.indices(shape).reshape(n_attributes, -1).T])
    rng = np.random.default_rng(random_state)
    return _named(rng.choice(cells, size=(len(cells) ** n_attributes, n_attributes)))


def dataset_name(size: int, n_attributes: int, func: Func = "linear") -> str:
    """Name a table as the comparison does.

    Parameters
    ----------
    size : int
        Rows of an independent table, distinct values of a dependent one.
    n_attributes : int
        Columns.
    func : {"linear", "quadratic"}, default="linear"
        As it was made.

    Examples
    --------
    >>> from anon_transformers.datasets import dataset_name
    >>> dataset_name(1000, 5), dataset_name(300, 2, func="quadratic")
    ('datasetlinear-1000-5', 'datasetquadratic-300-2')
    """
    check_choice("func", func, FUNCTIONS)
    return f"dataset{func}-{size}-{n_attributes}"


def _through(func: str, numbers: Sequence[int]) -> np.ndarray:
    check_choice("func", func, FUNCTIONS)
    return FUNCTIONS[func](np.array(numbers, dtype=np.int64))


def _whole(values: object) -> Sequence[int]:
    """Numbers that a cell may hold; anything else is refused."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        raise ParameterError(
            f"values must be a whole number or a list of them, got {values!r}."
        )
    for value in values:
        if not is_whole(value):
            raise ParameterError(f"values must hold whole numbers, got {value!r}.")
    return values  # type: ignore[return-value]


def _refuse_too_large(n_values: int, n_attributes: int) -> None:
    cells = n_values ** int(n_attributes) * int(n_attributes)
    if cells > MOST_CELLS:
        raise ParameterError(
            f"{n_values} values in {n_attributes} attributes vary in {n_values} ** "
            f"{n_attributes} rows: more than {MOST_CELLS:,} cells."
        )


def _named(rows: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(rows).add_prefix("A_")

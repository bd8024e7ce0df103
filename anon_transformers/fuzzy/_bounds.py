"""What a user may ask of the sets, and what a table has room for."""

from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import Column
from anon_transformers.exceptions import DataError, ParameterError, check_columns
from anon_transformers.fuzzy._search import SetBounds
from anon_transformers.parameters import whole


class SetRequest(NamedTuple):
    """What is asked of one block of columns.

    Attributes
    ----------
    described : str
        The block in an error.
    n_sets : int or None
        How many sets; None: as many as keep the promise.
    names : tuple of str or None
        What they are called.
    distinct : int
        Different values, or combinations of values, without missing ones.
    """

    described: str
    n_sets: int | None
    names: tuple[str, ...] | None
    distinct: int

    def bounds(self, max_sets: int) -> SetBounds:
        """Fewest and most sets; never more than there are different values."""
        room = max(self.distinct, 1)
        wanted = self.n_sets
        if self.names is not None:
            wanted = wanted or len(self.names)
            if len(self.names) != wanted:
                raise ParameterError(
                    f"labels: {self.described} has {len(self.names)} names for "
                    f"n_sets={wanted}."
                )
            if wanted > room:
                raise DataError(
                    f"labels: {wanted} sets are named for {self.described}, which has "
                    f"{room} different values."
                )
        if wanted is None:
            return SetBounds(1, min(max_sets, room))
        return SetBounds(min(wanted, room), min(wanted, room))


def check_n_sets(given: Any) -> None:
    """Refuse what is no number of sets, before a table is seen."""
    if isinstance(given, Mapping):
        for name, number in given.items():
            whole(f"n_sets of column {name!r}", number)
    elif given is not None:
        whole("n_sets", given, 2)


def numbers_by_column(given: Any, columns: Sequence[Hashable]) -> list[int | None]:
    """How many sets each column should have; None where that is to be found."""
    if not isinstance(given, Mapping):
        return [given] * len(columns)
    check_columns("n_sets", given, columns)
    return [given.get(name) for name in columns]


def refuse_single_sets(
    requests: Sequence[SetRequest], bounds: Sequence[SetBounds]
) -> None:
    """Refuse to publish one set of everything, where there is more to tell."""
    single = all(bound.most == 1 for bound in bounds)
    if single and any(request.distinct > 1 for request in requests):
        raise ParameterError(
            "n_sets: one set for every column tells nothing; ask for 2 or more of one."
        )


def refuse_objects(column: Column, series: pd.Series) -> None:
    """Refuse cells that are neither texts nor numbers."""
    if column.kind != "category" or series.dtype != object:
        return
    if types.infer_dtype(series, skipna=True) != "mixed":
        return
    plain = (str, bool, int, float, Decimal, np.generic)
    count = sum(not isinstance(cell, plain) for cell in series.dropna())
    if count:
        raise TypeError(
            f"column {column.name!r}: a cell as argument must be a string or a number, "
            f"and is another object in {count} rows."
        )


def refuse_kind(column: Column) -> NoReturn:
    """Say that a column holds neither numbers nor dates."""
    held = {"ordinal": "ordered categories", "category": "categories"}[column.kind]
    raise DataError(
        f"column {column.name!r} holds {held}; sets are made of numbers or dates. "
        "Leave the column out of quasi_identifiers, or recode it first."
    )

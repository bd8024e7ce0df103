"""The grouped table: what is found in each set, and nobody's row."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import ParameterError


def grouped_table(
    memberships: Memberships,
    class_names: Sequence[Sequence[str | None]],
    quasi_identifiers: Sequence[Hashable],
) -> pd.DataFrame:
    """List with each class the sensitive values that are found in it.

    A value is listed if the rows of the class that have it are at least one, by the
    non-fuzzy cardinality: if one of them belongs to the class with a degree of one
    half or more. How many there are is not published, and missing values are not
    listed. A class without a row of its own is left out.

    Parameters
    ----------
    memberships : Memberships
        Degrees and sensitive values of the rows that may be published.
    class_names : sequence of sequence of str
        For each class its labels, one per quasi-identifier.
    quasi_identifiers : sequence of columns
        What the labels belong to.

    Returns
    -------
    DataFrame
        One row per class: its labels, and a list of values for each sensitive column.

    Examples
    --------
    >>> people = pd.DataFrame({"ill": ["flu", "cold", "flu", "gout"]})
    >>> degrees = [[1.0, 0.0], [0.7, 0.3], [0.4, 0.6], [0.0, 1.0]]
    >>> rows = Memberships.from_frame(degrees, people, sensitive=["ill"])
    >>> grouped_table(rows, [["Low"], ["High"]], ["age"])
        age          ill
    0   Low  [cold, flu]
    1  High  [flu, gout]
    """
    if len(class_names) != memberships.n_sets:
        raise ParameterError(
            f"class_names has {len(class_names)} names for {memberships.n_sets} sets."
        )
    shown = np.flatnonzero(memberships.shown()).tolist()
    cells: dict[Hashable, list] = {
        name: [class_names[number][at] for number in shown]
        for at, name in enumerate(quasi_identifiers)
    }
    for name, column in memberships.sensitive.items():
        counts, values = memberships.counts(name)[:, :-1], _plain_values(column)
        cells[name] = [values[counts[number] >= 1].tolist() for number in shown]
    return pd.DataFrame(cells)


def _plain_values(column: Column) -> np.ndarray:
    """Values as they are published one by one."""
    return column.texts() if column.values.dtype.kind == "M" else column.values

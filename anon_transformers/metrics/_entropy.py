"""Non-uniform entropy: how many bits about a value its label hides."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._coverage import Recoded, recoded_columns


def attribute_entropies(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy] | None = None,
    quasi_identifiers: Sequence[Hashable] | None = None,
    suppression_label: str = SUPPRESSED,
) -> dict[Hashable, float]:
    """Bits about each attribute that the published table hides, as a share of all.

    A cell hides ``log2(N / n)`` bits: ``n`` rows of the original have its value, and
    ``N`` one of the values that its label may stand for. A suppressed cell may stand
    for every value.

    Parameters
    ----------
    original, published : data frames
        Before and after, row by row: suppressed rows must be there.
    hierarchies, quasi_identifiers, suppression_label
        As for :func:`attribute_losses`.

    Returns
    -------
    dict of column to float
        0 for an untouched column, 1 where everything is suppressed. A column of one
        value has nothing to hide: 0.

    Raises
    ------
    DataError
        If the tables have not the same rows in the same order.

    References
    ----------
    .. [1] A. Gionis and T. Tassa, "k-anonymization with minimal loss of information",
       IEEE TKDE 21(2), 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> original = pd.DataFrame({"country": ["FR", "IT", "JP", "CN"]})
    >>> published = pd.DataFrame({"country": ["EU", "EU", "Asia", "Asia"]})
    >>> attribute_entropies(original, published, {"country": tree})
    {'country': 0.5}
    """
    columns, n_before, n_after = recoded_columns(
        original, published, hierarchies, quasi_identifiers, suppression_label
    )
    if n_before != n_after:
        raise DataError(
            f"the original has {n_before} rows, the published table {n_after}; "
            "entropy needs both row by row, suppressed ones too."
        )
    return {column.name: _share_hidden(column) for column in columns}


def non_uniform_entropy(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy] | None = None,
    quasi_identifiers: Sequence[Hashable] | None = None,
    suppression_label: str = SUPPRESSED,
) -> float:
    """Mean over the attributes of the share of bits that is hidden.

    See Also
    --------
    attribute_entropies : The share of each attribute.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 30, 40]})
    >>> non_uniform_entropy(table, table, quasi_identifiers=["age"])
    0.0
    """
    shares = attribute_entropies(
        original, published, hierarchies, quasi_identifiers, suppression_label
    )
    return float(np.mean(list(shares.values())))


def _share_hidden(column: Recoded) -> float:
    values, labels = column.domain.ground.codes, column.labels.codes
    outside = np.asarray(column.cover[labels, values]).ravel() == 0
    if outside.any():
        raise DataError(
            f"column {column.name!r} holds labels in {int(outside.sum())} rows that do "
            "not cover the value of the original; are the rows in the same order?"
        )
    rows = column.domain.rows_by_value()
    behind = column.cover @ rows
    hidden = np.log2(behind[labels] / rows[values]).sum()
    most = np.log2(len(values) / rows[values]).sum()
    return float(hidden / most) if most else 0.0

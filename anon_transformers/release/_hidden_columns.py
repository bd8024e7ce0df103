"""Columns of few values that a published table hides in many of its rows.

One rare value is enough: whoever holds it needs others in their class, and a flat
hierarchy joins all values at once. Every number is computed from the published table
and the hierarchies of the release file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release._faults import suppressed_rows

MANY = 0.2
"""Share of the rows that is worth a word."""
HIDDEN_SHARES = "hidden_shares"
"""Where a manifest has them."""
FEW_VALUES = 20
"""Leaves of a hierarchy whose values people expect to see."""


def hidden_shares(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    hierarchies: Mapping[str, Any],
    suppression_label: str,
    weights: np.ndarray | None = None,
) -> dict[str, float]:
    """Share of the rows that show nothing of a column, where it is large.

    Suppressed rows, which show nothing of any column, are left out. ``weights`` are the
    rows that each row of the table stands for.

    Examples
    --------
    >>> table = pd.DataFrame({"sex": ["*", "*", "f", "*"], "age": ["1", "2", "3", "*"]})
    >>> tree = {"sex": Hierarchy([["f", "*"], ["m", "*"]])}
    >>> hidden_shares(table, ["sex", "age"], tree, "*")
    {'sex': 0.6666666666666666}
    """
    gone = suppressed_rows(table, quasi_identifiers, suppression_label, missing=False)
    kept, counted = table[~gone], None if weights is None else weights[~gone]
    found = {}
    for name in quasi_identifiers:
        tree = hierarchies.get(name)
        if not isinstance(tree, Hierarchy) or len(tree.leaves) > FEW_VALUES:
            continue
        hidden = to_text(kept[name]).isin([suppression_label, tree.root])
        share = float(np.average(hidden, weights=counted)) if len(kept) else 0.0
        if share > MANY:
            found[name] = share
    return found


def said_of_hidden(shares: Mapping[str, float], suppression_label: str) -> list[str]:
    """What is said of such columns, one sentence each.

    Examples
    --------
    >>> said_of_hidden({"sex": 0.4583}, "*")
    ['sex: 46 % of the kept rows are published as *']
    """
    return [
        f"{name}: {100 * share:.0f} % of the kept rows are published as "
        f"{suppression_label}"
        for name, share in shares.items()
    ]

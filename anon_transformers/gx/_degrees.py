"""Whether degrees of membership are those of the table beside them."""

import numpy as np

from anon_transformers.exceptions import NotEvaluable

ROUNDING = 1e-9
"""Degrees that are nearer to each other than this are taken for equal."""


def refuse_strange_degrees(degrees: np.ndarray, labels: np.ndarray) -> None:
    """Refuse degrees that are not those of the rows beside them.

    A row publishes the set in which its degree is largest, so that sets and published
    combinations go together one by one. Rows with two largest degrees may do either.
    """
    ordered = np.sort(degrees, axis=1)
    clear = ordered[:, -1] > ordered[:, -2:-1].max(axis=1, initial=0.0) + ROUNDING
    pairs = np.column_stack([degrees.argmax(axis=1), labels])[clear]
    n_pairs = len(np.unique(pairs, axis=0))
    if any(n_pairs != len(np.unique(pairs[:, side])) for side in (0, 1)):
        raise NotEvaluable("the degrees of membership do not fit the published labels.")

"""Labels of nodes as numbers."""

import numpy as np
import pandas as pd

from anon_transformers._tables import identify


def label_codes(labels: pd.Series) -> np.ndarray:
    """One number for each text that a label is published as.

    A missing label and an empty text have a number of their own.

    Parameters
    ----------
    labels : Series
        One label a node.

    Returns
    -------
    int32 ndarray
        The same number where readers see the same, and only there.

    Examples
    --------
    >>> label_codes(pd.Series([True, 1, 1, None, ""], dtype=object)).tolist()
    [1, 0, 0, 2, 2]
    """
    return identify(labels).codes

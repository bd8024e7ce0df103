"""Identifiers that are published as keyed pseudonyms, and what they link.

A pseudonym is HMAC-SHA-256 of the cell under a key that HKDF derives from the
publisher's secret, for one column of one publication: nobody without the secret finds
the cell, and pseudonyms of two versions have nothing in common unless the file asks
for stable ones.

Whoever sees a pseudonym twice knows that both rows are of one person. So the gate
judges such a table as an intruder sees it: a row's class is its own labels together
with those of all rows that have its pseudonym.
"""

import hmac
from collections.abc import Sequence

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.ledger._secrets import HOW_TO_DRAW, derive_key, read_secret

VARIABLE = "ANON_PSEUDONYM_KEY"
"""Where the secret is looked for."""
N_BYTES = 16
"""Of a pseudonym: two of 10⁹ persons share one with a chance of 10⁻²¹."""
LINKED = "linked rows"
"""Column of the classes that pseudonyms make, for the gate alone."""


def pseudonym_secret() -> bytes:
    """The publisher's secret, from the environment.

    Raises
    ------
    ConfigurationError
        If there is none, or a short one; the words do not hold it.
    """
    secret = read_secret(VARIABLE)
    if secret is None:
        raise ConfigurationError(
            f"pseudonyms: the environment has no {VARIABLE}; set it to random "
            f"characters ({HOW_TO_DRAW}), or name a connection under airflow.secrets."
        )
    return secret


def make_pseudonyms(cells: pd.Series, secret: bytes, *scope: str) -> pd.Series:
    """The pseudonym of each cell; None where the cell is missing.

    Parameters
    ----------
    cells : Series
        A column of identifiers, under its name.
    secret : bytes
        The publisher's.
    scope : str
        What the pseudonyms are for; elsewhere they are others.

    Examples
    --------
    >>> cells = pd.Series(["Ada", "Bob", "Ada", None], name="patient")
    >>> made = make_pseudonyms(cells, bytes(32), "visits", "2026-10")
    >>> made[0] == made[2], made[0] == made[1], made[3], len(made[0])
    (True, False, None, 32)
    """
    key = derive_key(secret, "pseudonym", str(cells.name), *scope)
    codes, texts = pd.factorize(to_text(cells))
    made = [
        hmac.digest(key, str(text).encode(), "sha256")[:N_BYTES].hex() for text in texts
    ]
    found = np.array([*made, None], dtype=object)[codes]
    return pd.Series(found, index=cells.index, name=cells.name, dtype=object)


def linked_classes(
    classes: np.ndarray, pseudonyms: Sequence[pd.Series]
) -> np.ndarray | None:
    """The class of each row, as somebody sees it who puts pseudonyms together.

    Two rows are in one class if their own classes are the same, and the pseudonyms of
    both have the same classes equally often. A row without a pseudonym is linked to
    no other, and is seen to have none. Where there are several columns of pseudonyms,
    rows are linked by each of them, and by what is linked to these rows, and so on.

    Parameters
    ----------
    classes : int array of shape (n_rows,)
        The class of each row by its labels.
    pseudonyms : sequence of Series
        The pseudonym of each row, for each column of them.

    Returns
    -------
    int array or None
        None if every row has a pseudonym of its own: nothing is linked then.

    Examples
    --------
    >>> persons = pd.Series(["a", "a", "b", "b", "c"])
    >>> linked_classes(np.array([0, 1, 0, 1, 0]), [persons])
    array([1, 2, 1, 2, 0])
    >>> linked_classes(np.array([0, 0]), [pd.Series(["a", "b"])]) is None
    True
    """
    if all(column.notna().all() and column.is_unique for column in pseudonyms):
        return None
    found = pd.factorize(classes, sort=True)[0].astype(np.int64)
    while True:
        before = found.max()
        for column in pseudonyms:
            found = _linked_by(found, column)
        if found.max() == before or len(pseudonyms) == 1:
            return found


def _linked_by(classes: np.ndarray, pseudonyms: pd.Series) -> np.ndarray:
    """Classes of rows, divided by the classes of the rows that share a pseudonym."""
    codes = pd.factorize(pseudonyms)[0]
    lacking, n_known = codes < 0, codes.max(initial=-1) + 1
    # Each row without a pseudonym gets a number of its own.
    codes = np.where(lacking, n_known - 1 + np.cumsum(lacking), codes)
    sizes = np.bincount(codes)
    order = np.lexsort((classes, codes))
    start = np.cumsum(sizes) - sizes
    seen = (np.arange(len(sizes)) >= n_known).astype(np.int64)
    # The classes of a pseudonym in their order, one after the other: each step tells
    # apart those whose next class differs, or that have no further one.
    for place in range(sizes.max()):
        more = sizes > place
        following = np.full(len(sizes), -1, dtype=np.int64)
        following[more] = classes[order[start[more] + place]]
        seen = _numbered(seen, following)
    return _numbered(classes, seen[codes])


def _numbered(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A number for every pair that occurs."""
    return np.unique(np.stack([one, other]), axis=1, return_inverse=True)[1].ravel()

"""Which row comes first where a method cannot tell rows apart.

A tie that falls by the place of a row in the source, or by its sensitive value, puts
persons with equal secrets into one class wherever the source is sorted. So ties fall by
chance. A scheduled release keeps a secret key instead: the order of the persons is as
random to everybody else, and the same next month, so that groups do not change without
a reason.
"""

from hashlib import blake2b

import numpy as np

from anon_transformers._data.columns import Column

KEY_BYTES = 32
"""Length of the key of a scheduled release."""

_DIGEST_BYTES = 8


def tie_order(
    n_rows: int,
    rng: np.random.Generator,
    subject: Column | None = None,
    key: bytes | None = None,
) -> np.ndarray:
    """Rows in the order in which they win ties.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    rng : Generator
        Draws a permutation of all rows.
    subject : Column, optional
        Tells persons apart.
    key : bytes, optional
        With ``subject``, persons stand in the order of a keyed hash of the text they
        are known by; rows of one person, and those of nobody, are left to chance.

    Returns
    -------
    int64 ndarray
        A permutation of the row numbers.

    Examples
    --------
    >>> sorted(tie_order(4, np.random.default_rng(0)).tolist())
    [0, 1, 2, 3]
    """
    chance = rng.permutation(n_rows)
    if subject is None or key is None:
        return chance
    # Keyed, so that ties fall alike in every run of a schedule, and nobody without the
    # key can compute who stood first.
    hashes = np.array([_hash(text, key) for text in subject.texts()], dtype=np.uint64)
    nobody = subject.codes == subject.missing_code
    drawn = rng.integers(2**64, size=n_rows, dtype=np.uint64)
    place = np.where(nobody, drawn, np.append(hashes, np.uint64(0))[subject.codes])
    return chance[np.argsort(place[chance], kind="stable")]


def _hash(text: object, key: bytes) -> int:
    digest = blake2b(str(text).encode(), key=key, digest_size=_DIGEST_BYTES)
    return int.from_bytes(digest.digest())

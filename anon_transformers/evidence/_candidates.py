"""What is left of a secret to those who know all classes that a person is in."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from anon_transformers._kernels.candidates import count_common, to_blocks


@dataclass(frozen=True)
class Candidates:
    """Values that all classes of a person have in common, of one sensitive column.

    Who knows the quasi-identifiers of each of a person's rows knows all her classes. If
    she holds one value, it occurs in every one of them: each class by itself may be
    diverse, and what they have in common a single value.

    Attributes
    ----------
    sizes : int array of shape (n_persons,)
        How many known values these are, for each person in several classes.
    values : int array of shape (n_persons,)
        The one that she holds.
    owner, person : int arrays of shape (n_pairs,)
        The classes that each of these persons is in.
    """

    sizes: np.ndarray
    values: np.ndarray
    owner: np.ndarray
    person: np.ndarray


def intersect_classes(
    owner: np.ndarray,
    person: np.ndarray,
    value: np.ndarray,
    counts: sparse.csr_array,
) -> Candidates | None:
    """Count the candidates of persons who are in several classes; None: there are none.

    Only persons who show one known value are judged, and nobody in a column in which
    most persons of several classes show several: a value of each visit, and not of a
    person, need not be the same in all her classes.

    Missing cells add no candidate. Where a person's own cell is missing, her class
    tells something only if it holds her value all the same.

    Parameters
    ----------
    owner, person, value : int arrays of shape (n_cells,)
        Distinct cells in this order: class, person and value, missing ones last.
    counts : sparse array of shape (n_classes, n_values + 1)
        Persons by class and value, in order within each class.
    """
    missing = counts.shape[1] - 1
    first = np.ones(len(owner), dtype=bool)
    first[1:] = (owner[1:] != owner[:-1]) | (person[1:] != person[:-1])
    n_classes = np.bincount(person[first], minlength=1)
    if n_classes.max() < 2:  # noqa: PLR2004 - one class intersects with nothing
        return None
    own, several = _values_of(person, value, missing, len(n_classes))
    # A person with a known value and a missing one in a class has the known one first.
    repeated = np.bincount(person[first & (value != missing)], minlength=len(own)) > 1
    if 2 * several[repeated].sum() > repeated.sum():
        return None
    judged = (n_classes > 1) & ~several & (own != missing)
    at = np.flatnonzero(first & judged[person])
    at = at[_holds(counts, owner[at], own[person[at]])]
    at = at[np.bincount(person[at], minlength=len(own))[person[at]] > 1]
    if not len(at):
        return None
    at = at[np.argsort(person[at], kind="stable")]
    whom, start, number = np.unique(person[at], return_index=True, return_inverse=True)
    sizes = count_common(np.append(start, len(at)), owner[at], *_known_sets(counts))
    return Candidates(sizes, own[whom], owner[at], number)


def _values_of(
    person: np.ndarray, value: np.ndarray, missing: int, n_persons: int
) -> tuple[np.ndarray, np.ndarray]:
    """The known value of each person, and who has several."""
    known = value != missing
    low = np.full(n_persons, missing, dtype=np.int64)
    high = np.full(n_persons, -1, dtype=np.int64)
    np.minimum.at(low, person[known], value[known])
    np.maximum.at(high, person[known], value[known])
    return low, high > low


def _holds(
    counts: sparse.csr_array, owner: np.ndarray, value: np.ndarray
) -> np.ndarray:
    """Whether somebody of a class holds a value, for each pair of these."""
    width = counts.shape[1]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    held = rows * width + counts.indices
    wanted = owner * width + value
    place = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return held[place] == wanted


def _known_sets(
    counts: sparse.csr_array,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The known values of each class."""
    known = counts.indices != counts.shape[1] - 1
    before = np.append(0, np.cumsum(known))
    return to_blocks(before[counts.indptr], counts.indices[known].astype(np.int64))

"""Bayes-optimal privacy: beliefs of an intruder who knows a joint distribution."""

from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError


def prior_belief(joint: Any) -> np.ndarray:
    """Belief in each sensitive value before anything is published.

    Parameters
    ----------
    joint : array of shape (n_persons, n_values)
        Joint distribution f of quasi-identifiers and sensitive value, or counts in
        proportion to it: a row for each combination of quasi-identifiers.

    Returns
    -------
    ndarray of shape (n_persons, n_values)
        f(s | q), a row each q.

    Examples
    --------
    >>> prior_belief([[1, 3], [2, 2]])
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    joint = _masses(joint)
    totals = joint.sum(axis=-1, keepdims=True)
    empty = int((totals == 0).sum())
    if empty:
        raise DataError(f"the joint distribution is zero in {empty} rows.")
    return joint / totals


def class_belief(joint: Any, classes: Any) -> np.ndarray:
    """Belief f(s | q*) in each value where only the class q* is known.

    Parameters
    ----------
    joint : array of shape (n_persons, n_values)
        As for :func:`prior_belief`.
    classes : int array of shape (n_persons,)
        The class that each combination of quasi-identifiers is recoded to.

    Returns
    -------
    ndarray of shape (n_persons, n_values)
        A row for each combination, alike within a class.

    Examples
    --------
    >>> class_belief([[1, 3], [2, 2]], [0, 0])
    array([[0.375, 0.625],
           [0.375, 0.625]])
    """
    joint, classes = _masses(joint), np.asarray(classes)
    sums = np.zeros((classes.max(initial=-1) + 1, joint.shape[1]))
    np.add.at(sums, classes, joint)
    return prior_belief(sums[classes])


def posterior_belief(counts: Any, given_q: Any, given_class: Any) -> np.ndarray:
    """Belief in each sensitive value after a table is published (Equation 1).

    Each value is weighted by n(q*, s) f(s | q) / f(s | q*).

    Parameters
    ----------
    counts : array of shape (..., n_values)
        n(q*, s): rows of the published class by value.
    given_q : array of shape (..., n_values)
        f(s | q), see :func:`prior_belief`.
    given_class : array of shape (..., n_values)
        f(s | q*), see :func:`class_belief`.

    Returns
    -------
    ndarray of shape (..., n_values)
        The posterior belief.

    References
    ----------
    .. [1] A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam,
       "l-diversity: privacy beyond k-anonymity", ICDE, 2006.

    Examples
    --------
    >>> posterior_belief([1, 2], given_q=[0.0, 1.0], given_class=[0.5, 0.5])
    array([0., 1.])
    """
    counts, prior, above = _masses(counts), _masses(given_q), _masses(given_class)
    if ((counts > 0) & (above == 0)).any():
        raise DataError(
            "a published class holds a value that the distribution f rules out there."
        )
    weights = counts * np.divide(
        prior, above, out=np.zeros(np.broadcast(prior, above).shape), where=above > 0
    )
    totals = weights.sum(axis=-1, keepdims=True)
    empty = int((totals == 0).sum())
    if empty:
        raise DataError(
            f"the distribution f rules out every published value in {empty} rows."
        )
    return weights / totals


def _masses(given: Any) -> np.ndarray:
    array = np.asarray(given, dtype=float)
    wrong = int((~(array >= 0) | np.isinf(array)).sum())
    if wrong:
        raise DataError(f"a distribution holds {wrong} entries that are no share.")
    return array

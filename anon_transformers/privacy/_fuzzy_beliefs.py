"""What an intruder believes of somebody who belongs to several fuzzy sets."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from anon_transformers._kernels.cardinality import nonfuzzy_cardinalities, sigma_counts
from anon_transformers.evidence import Memberships
from anon_transformers.evidence._memberships import Cardinality, as_degrees
from anon_transformers.exceptions import DataError
from anon_transformers.parameters import real


class Disclosures(NamedTuple):
    """Of which persons something is disclosed, and why.

    Attributes
    ----------
    positive : bool array of shape (n_persons,)
        One value is far more believed in than every other.
    negative : bool array of shape (n_persons,)
        A value that was possible before is ruled out.
    lack_of_diversity : bool array of shape (n_persons,)
        One value has far more rows in the person's sets than every other.
    strong_knowledge : bool array of shape (n_persons,)
        The intruder's own knowledge rules out a value of the person's sets.
    """

    positive: np.ndarray
    negative: np.ndarray
    lack_of_diversity: np.ndarray
    strong_knowledge: np.ndarray


@dataclass(frozen=True)
class FuzzyBeliefs:
    """Beliefs about some persons, a row each; a column each known sensitive value.

    Attributes
    ----------
    values : array of shape (n_values,)
        The sensitive values.
    prior : array of shape (n_persons, n_values)
        f(s | q): before the table was published.
    counts : array of shape (n_persons, n_values)
        n(s, q, T*): rows of the person's sets with the value, by the person's degrees.
    in_sets : array of shape (n_sets, n_values)
        f(s | C): share of the value in each set; 0 in sets without rows.
    given_sets : array of shape (n_persons, n_values)
        f(s | q*): that of the person's sets, by the person's degrees.
    weights : array of shape (n_persons, n_values)
        g(s): what each value weighs.
    posterior : array of shape (n_persons, n_values)
        Belief in each value after the table was published; NaN for a person of whom
        every value is ruled out.
    """

    values: np.ndarray = field(repr=False)
    prior: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    in_sets: np.ndarray = field(repr=False)
    given_sets: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    posterior: np.ndarray = field(repr=False)

    def disclosures(
        self, much_less: float = 0.1, almost_zero: float = 0.05
    ) -> Disclosures:
        """Whose values are disclosed, in one of two ways and for one of two reasons.

        The source says "far more" and "almost none" and gives no numbers.

        Parameters
        ----------
        much_less : float, default=0.1
            A weight or count is far less than another if it is at most this share of
            it.
        almost_zero : float, default=0.05
            A belief up to this rules a value out; so does knowledge if f(s | q) is at
            most this share of f(s | q*).
        """
        much_less = real("much_less", much_less, 0, 1, below=True)
        almost_zero = real("almost_zero", almost_zero, 0, 1, below=True)
        gone = (self.posterior <= almost_zero) & (self.prior > almost_zero)
        unlikely = self.prior <= almost_zero * self.given_sets
        return Disclosures(
            positive=_stands_out(self.weights, much_less),
            negative=np.any(gone, axis=1),
            lack_of_diversity=_stands_out(self.counts, much_less),
            strong_knowledge=np.any(unlikely & (self.counts > 0), axis=1),
        )


def fuzzy_beliefs(
    memberships: Memberships,
    persons: Any,
    prior: Any,
    sensitive: Hashable | None = None,
    cardinality: Cardinality = "non-fuzzy",
) -> FuzzyBeliefs:
    """Beliefs in the sensitive values of persons before and after a fuzzy release.

    A value weighs g(s) = n(s, q, T*) f(s | q) / f(s | q*), and is believed in by its
    part of all weights. On a crisp partition this is the posterior belief of
    l-diversity, see :func:`posterior_belief`.

    Parameters
    ----------
    memberships : Memberships
        Of the table.
    persons : array of shape (n_persons, n_sets)
        The degrees in the sets of those whose values are looked for.
    prior : array of shape (n_persons, n_values)
        f(s | q), what the intruder believes of each before; a column each known value
        in its natural order. See :func:`prior_belief`.
    sensitive : column, optional
        The column that is looked for; needed where there are several.
    cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
        How rows of a set are counted. Only by the second are the shares of a set sure
        to add up to 1; by the first they do if at most one row is exactly at one half.

    Returns
    -------
    FuzzyBeliefs
        The beliefs and all that they are made of. A value that is ruled out, or that
        the person's sets do not have, weighs nothing. Sets without rows are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"ill": ["cold", "flu", "flu", "cold"]})
    >>> degrees = [[1, 0], [0.75, 0.25], [0.75, 0.25], [0, 1]]
    >>> memberships = Memberships.from_frame(degrees, table, sensitive=["ill"])
    >>> beliefs = fuzzy_beliefs(memberships, [[0.75, 0.25]], prior=[[0.5, 0.5]])
    >>> beliefs.posterior.round(3)
    array([[0.4, 0.6]])
    """
    names = memberships.sensitive_names(sensitive)
    if len(names) > 1:
        raise DataError(f"there are {len(names)} sensitive columns; name one.")
    column = memberships.sensitive[names[0]]
    persons, prior = as_degrees(persons, "persons"), as_degrees(prior, "prior")
    _refuse_other_shapes(persons, prior, memberships.n_sets, len(column.values))
    by_value = memberships.counts(names[0], cardinality)[:, :-1].astype(np.float64)
    count = sigma_counts if cardinality == "sigma" else nonfuzzy_cardinalities
    sizes = count(memberships.degrees)[:, np.newaxis]
    in_sets = _ratios(by_value, np.broadcast_to(sizes, by_value.shape))
    counts, given_sets = persons @ by_value, persons @ in_sets
    weights = counts * _ratios(prior, given_sets)
    totals = np.broadcast_to(weights.sum(axis=1, keepdims=True), weights.shape)
    posterior = _ratios(weights, totals, otherwise=np.nan)
    return FuzzyBeliefs(
        column.values, prior, counts, in_sets, given_sets, weights, posterior
    )


def _refuse_other_shapes(
    persons: np.ndarray, prior: np.ndarray, n_sets: int, n_values: int
) -> None:
    if persons.shape[1] != n_sets:
        raise DataError(f"persons: {persons.shape[1]} degrees each for {n_sets} sets.")
    if prior.shape != (len(persons), n_values):
        raise DataError(
            f"prior: {prior.shape[0]} rows of {prior.shape[1]} values for "
            f"{len(persons)} persons and {n_values} known values."
        )


def _ratios(above: np.ndarray, below: np.ndarray, otherwise: float = 0.0) -> np.ndarray:
    """Quotients; ``otherwise`` where the denominator is 0."""
    found = np.full(above.shape, otherwise)
    return np.divide(above, below, out=found, where=below > 0)


def _stands_out(numbers: np.ndarray, much_less: float) -> np.ndarray:
    """Whether one number of each row is far above all others of it."""
    if not numbers.shape[1]:
        return np.zeros(len(numbers), dtype=bool)
    ranked = np.sort(numbers, axis=1)
    top = ranked[:, -1]
    second = ranked[:, -2] if ranked.shape[1] > 1 else np.zeros(len(ranked))
    return (top > 0) & (second <= much_less * top)

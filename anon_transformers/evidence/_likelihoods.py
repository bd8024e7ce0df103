"""How likely each identity is to have given each published record."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError


@dataclass(frozen=True)
class Likelihoods:
    """What an intruder knows who knows the mechanism, whatever it is.

    Parameters
    ----------
    matrix : float array of shape (n_identities, n_records)
        Row ``i``, column ``j``: how likely the mechanism is to publish record ``j``,
        or its density there, given the quasi-identifiers of identity ``i``. Everybody
        who may be behind a record has a row.

    Examples
    --------
    Somebody's age was published with a noise of -4, 0 or 4 years:

    >>> def noise(external, published):
    ...     apart = abs(published - external)
    ...     return np.select([apart == 0, apart == 4], [0.5, 0.25])
    >>> likelihoods = Likelihoods.from_mechanism([30, 34, 38], [34], noise)
    >>> likelihoods.posterior().ravel()
    array([0.25, 0.5 , 0.25])
    """

    matrix: np.ndarray = field(repr=False)

    kind = "likelihoods"

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)
        if matrix.ndim != 2:  # noqa: PLR2004 - a matrix
            raise DataError(
                "likelihoods need one row per identity and one column per record, got "
                f"{matrix.ndim} dimensions."
            )
        illegal = int((~np.isfinite(matrix) | (matrix < 0)).sum())
        if illegal:
            raise DataError(f"{illegal} likelihoods are negative or not finite.")
        orphans = int((matrix.max(axis=0, initial=0) == 0).sum())
        if orphans:
            raise DataError(
                f"{orphans} published records have likelihood 0 for every identity."
            )
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)

    @classmethod
    def from_mechanism(
        cls,
        external: Any,
        published: Any,
        likelihood: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> "Likelihoods":
        """Ask the law of a mechanism about every identity and every record.

        Parameters
        ----------
        external : array of shape (n_identities,) or (n_identities, n_columns)
            Quasi-identifiers of everybody, as the intruder knows them.
        published : array of shape (n_records,) or (n_records, n_columns)
            Quasi-identifiers as they were published.
        likelihood : callable
            Is handed ``external[:, None]`` and ``published[None]``, and gives the
            likelihood of every pair.
        """
        one, two = np.asarray(external), np.asarray(published)
        return cls(np.asarray(likelihood(one[:, np.newaxis], two[np.newaxis])))

    @property
    def n_records(self) -> int:
        """Published records."""
        return self.matrix.shape[1]

    def posterior(self) -> np.ndarray:
        """Probability that a record (column) is an identity's (row).

        Every identity is as likely as any other before the release is seen, and each
        record is judged by itself: that two records cannot be one person's is not used.
        """
        # By the largest first: many tiny densities must not add up to 0.
        scaled = self.matrix / self.matrix.max(axis=0, initial=0)
        return scaled / scaled.sum(axis=0)

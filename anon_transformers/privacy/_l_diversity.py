"""What the three kinds of l-diversity have in common."""

from dataclasses import dataclass

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Candidates, Classes, SensitiveCounts
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.privacy._sensitive_model import SensitiveModel, largest_shares


@dataclass(frozen=True, kw_only=True)
class LDiversity(SensitiveModel):
    """A class holds ``l`` well represented values; a missing one is none of them."""

    def _left_levels(self, column: SensitiveCounts, left: Candidates) -> np.ndarray:
        return left.sizes

    def check_feasible(self, evidence: Classes) -> None:
        """Refuse an ``l`` that no class can reach; for a search, before it begins.

        Raises
        ------
        InfeasibleError
            If a column has fewer than ``l`` distinct known values.
        """
        wanted: float = getattr(self, "l")  # noqa: B009 - each kind has its own
        for name in evidence.sensitive_names(self.sensitive):
            column = evidence.sensitive[name]
            column = column.as_read(self.missing_marks) or column
            found = column.reference + np.asarray(column.counts.sum(axis=0))
            n_values = int((found[: column.missing] > 0).sum())
            if wanted > n_values * (1 + ROUNDING):
                raise InfeasibleError(
                    f"{self.name} with l={wanted} cannot hold: column {name!r} has "
                    f"{n_values} distinct values."
                )


def capped_by_shares(column: SensitiveCounts, levels: np.ndarray) -> np.ndarray:
    """Levels, at most one by the largest share where persons have several values.

    Their values are many, and yet most persons of a class may have one in common.
    """
    # What only rounding makes smaller is not smaller: a third of the persons is l = 3.
    caps = (1 + ROUNDING) / largest_shares(column).clip(min=ROUNDING)
    return np.where(column.several, np.minimum(levels, caps), levels)

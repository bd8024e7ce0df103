"""Unique combinations: no name is there, yet the record is one person's."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._kernels.grouping import group_rows
from anon_transformers.attacks._attack import Attack, Found
from anon_transformers.attacks._material import Material


@dataclass(frozen=True)
class UniqueCombinations(Attack):
    """Find records whose combination of quasi-identifiers nobody shares.

    Notes
    -----
    ``details`` has, for each quasi-identifier, how many records it makes unique
    ``alone``, and how many would be unique ``without`` it.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International
       Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10 (5), 2002.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [20, 20, 30], "sex": ["f", "m", "m"]})
    >>> report = UniqueCombinations().run(release, quasi_identifiers=["age", "sex"])
    >>> report.exposed, report.details["age"]
    (3, {'alone': 1, 'without': 1})
    """

    name: ClassVar[str] = "unique-combinations"
    meaning: ClassVar[str] = (
        "The record is the only one with its quasi-identifiers: whoever knows them has "
        "found the person."
    )
    remedy: ClassVar[str] = "Generalize or suppress until k-anonymity holds."

    def _find(self, material: Material) -> Found:
        alone = material.classes.rows == 1
        details: dict[str, Any] = {}
        columns = [material.coded(name) for name in material.quasi_identifiers]
        for at, column in enumerate(columns):
            rest = columns[:at] + columns[at + 1 :]
            details[str(column.name)] = {
                "alone": _n_unique([column]),
                "without": _n_unique(rest) if rest else int(material.rows == 1),
            }
        exposed = alone[material.labels]
        return Found(exposed, "classes", len(alone), alone.sum(), details)


def _n_unique(columns: list[Any]) -> int:
    """Records that are alone with their values."""
    groups = group_rows([c.codes for c in columns], [c.cardinality for c in columns])
    return int(np.count_nonzero(groups.sizes == 1))

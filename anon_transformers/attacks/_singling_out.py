"""Singling out: a published row describes one person of the original, and no more."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.attacks._attack import AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._excess import Excess
from anon_transformers.attacks._held_out import HeldOutAttack, match
from anon_transformers.exceptions import NotEvaluable

SIMILAR = 2
"""How many times larger one part may be than the other."""


@dataclass(frozen=True)
class SinglingOut(HeldOutAttack):
    """Find published rows that describe exactly one person of the original.

    Whoever reads the release makes a description of each row that is the only one of
    its kind: its published quasi-identifiers and its sensitive values. A description
    succeeds if exactly one row of the original fits it. Descriptions may single out
    somebody by chance, in whatever table: the same are tried on the control part, which
    is of the same population and not in the release. Rows are exposed whose description
    succeeds, if descriptions succeed more often on the original than on the control.

    Parameters
    ----------
    largest : float, default=0.0
        Excess above which rows count as exposed: the lower end of its confidence
        interval must be above.
    confidence : float, default=0.95
        Of the interval.

    Notes
    -----
    ``details`` has the shares of success on both parts and the excess risk, each with
    its interval (Wilson's). Whether exactly one row fits depends on how many rows there
    are: a control part of less than half or more than twice the rows is refused.
    Suppressed rows describe everybody and are not tried.

    References
    ----------
    .. [1] Article 29 Data Protection Working Party, "Opinion 05/2014 on anonymisation
       techniques" (WP216), 2014.
    .. [2] M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, "A unified framework for
       quantifying privacy risk in synthetic data", PoPETs, 2023.

    Examples
    --------
    >>> original = pd.DataFrame({"age": range(20, 60), "ill": list("abcd") * 10})
    >>> control = pd.DataFrame({"age": range(20, 60), "ill": list("e") * 40})
    >>> report = SinglingOut().run(
    ...     original, original=original, control=control,
    ...     quasi_identifiers=["age"], sensitive=["ill"],
    ... )
    >>> report.exposed, report.details["excess"]["share"]
    (40, 1.0)
    """

    largest: float = 0.0
    confidence: float = 0.95
    name: ClassVar[str] = "singling-out"
    meaning: ClassVar[str] = (
        "What is published of this row fits one person of the original, more often "
        "than it would fit one stranger."
    )
    remedy: ClassVar[str] = (
        "Ask for k-anonymity and l-diversity, and publish no column in which rows of a "
        "class are the only ones of their kind."
    )

    def _compare(
        self, attack_input: AttackInput, original: pd.DataFrame, control: pd.DataFrame
    ) -> AttackResult:
        if not len(original) <= SIMILAR * len(control) <= SIMILAR**2 * len(original):
            raise NotEvaluable(
                f"{self.name}: the control part has {len(control)} rows and the "
                f"original {len(original)}; how many rows fit cannot be compared."
            )
        fits_original, tried = _fits_one(attack_input, original)
        fits_control, _ = _fits_one(attack_input, control)
        found = Excess.of(
            fits_original[tried].astype(float),
            fits_control[tried].astype(float),
            self.confidence,
        )
        exposed = fits_original & tried & found.proven(self.largest)
        details: dict[str, Any] = {"attempts": int(tried.sum()), **found.details()}
        return AttackResult(
            exposed, "records", int(tried.sum()), exposed.sum(), details
        )


def _fits_one(
    attack_input: AttackInput, table: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """Published rows that fit one row of a table; rows that are alone of their kind."""
    linked = {name: name for name in attack_input.sensitive}
    matching = match(attack_input, table, attack_input.quasi_identifiers, linked)
    of_left, _, _ = matching.candidates()
    rank = matching.rank(0)
    alone = (matching.rows(0) == 1) & (matching.links[0][matching.order[0]] >= 0)
    return (of_left == 1)[rank], alone[rank]

"""β-likeness (Cao and Karras 2012)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING, largest_gains
from anon_transformers.evidence import SensitiveCounts
from anon_transformers.exceptions import check_choice
from anon_transformers.parameters import real, substitute
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import (
    SENSITIVE_TEXTS,
    ReferenceModel,
    in_rows,
)

FORMS = ("basic", "enhanced")


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class BetaLikeness(ReferenceModel):
    """No value is much more frequent in a class than in the whole table.

    With p its share in the class and q in the table, (p - q) / q is at most ``beta``:
    unlike t-closeness this protects a rare value as well as a frequent one. A missing
    value is a category of its own. The level is the smallest beta that holds; it is
    infinite if none does.

    Parameters
    ----------
    beta : float
        Above 0; smaller asks for more.
    form : {"basic", "enhanced"}, default="enhanced"
        "enhanced" asks for a gain of at most -ln q too, so that frequent values cannot
        fill a class: "basic" with ``beta=1`` asks nothing of a value that half of the
        persons hold. The level is infinite where that bound is broken.
    reference : {"input", "released"}, default="input"
        The whole table: the one that was anonymized, or what was published of it.
    {sensitive}
    {multiple}
    {missing_marks}

    References
    ----------
    .. [1] J. Cao and P. Karras, "Publishing microdata with a robust privacy
       guarantee", PVLDB 5(11), 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["a", "b", "a", "a"]})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> BetaLikeness(beta=0.5, reference="released").satisfied(classes)
    array([False, False])
    >>> BetaLikeness(0.5, "basic", reference="released").satisfied(classes)
    array([False,  True])
    """

    beta: float
    form: Literal["basic", "enhanced"] = "enhanced"
    name: ClassVar[str] = "beta-likeness"
    better: ClassVar[Direction] = "lower"
    tighter: ClassVar[Mapping[str, Direction]] = {"beta": "lower"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "What a class gains is bounded, not what it lacks: that a value is absent "
        "from a class may be told.",
        "Values that mean nearly the same are looked at one by one (similarity).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("form", self.form, FORMS)
        object.__setattr__(self, "beta", real("beta", self.beta, 0, above=True))

    @classmethod
    def test_instances(cls) -> list["BetaLikeness"]:
        """Configurations that the contract checks run on."""
        return [cls(beta=2), cls(beta=2, form="enhanced", multiple="extended")]

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        enhanced = self.form == "enhanced"
        shares = self._shares(column)
        return largest_gains(*in_rows(column), column.totals, shares, enhanced)

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels <= self.beta + ROUNDING

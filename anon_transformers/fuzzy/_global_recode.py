"""Global recoding into intervals."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import check_choice
from anon_transformers.fuzzy._breaks import break_points, intervals
from anon_transformers.fuzzy._docs import SET_TEXTS
from anon_transformers.fuzzy._naming import Labels
from anon_transformers.fuzzy._recoder import SetRecoder
from anon_transformers.fuzzy._rules import IntervalRule
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import substitute
from anon_transformers.privacy import PrivacyModel

METHODS = ("equidistant", "log", "equal-amount")


@substitute(SET_TEXTS)
class GlobalRecoder(SetRecoder):
    """Replace numbers and dates by intervals, one column at a time.

    The intervals of a column hold about the same number of rows, or have the same
    length, also of the logarithms. They are closed on the right, the first one on both
    sides: ``[20, 35]``, ``(35, 60]``. Break points that fall together are one, so that
    there may be fewer intervals than were asked for. A missing value is a set of its
    own, and stays missing.

    Parameters
    ----------
    {quasi_identifiers}
    n_sets : int or dict of column to int, default=None
        Intervals of each column, at most as many as it has different values. None, or
        a column that is not named: look for the numbers that keep every promise with
        little loss, up to ``max_sets``.
    method : {"equal-amount", "equidistant", "log"}, default="equal-amount"
        About the same number of rows in each interval, by quantiles; equal lengths; or
        equal lengths of the logarithms, for positive numbers.
    include_lowest : bool, default=True
        False: as in the source, the rows that hold the lowest value of a column get no
        interval, and are suppressed; ``suppression_limit`` must allow it.
    max_sets : int, default=12
        Most intervals of a column that a search tries.
    labels : list of str or dict of column to list, default=None
        Names from the lowest interval to the highest, published instead of the limits.
    {keep_memberships}
    {k}
    models : list of privacy models, default=None
        Further promises, of classes or of degrees; here these are 0 and 1.
    {sensitive_and_identifiers}
    {hierarchies}
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    {report_}
    {tried_}
    {n_suppressed_}
    {suppressed_mask_}
    degrees_ : float64 ndarray of shape (n_rows, n_classes)
        With ``keep_memberships``: 1 where a row belongs to a class, for every
        combination of intervals.
    {class_names_}

    See Also
    --------
    KMeansRecoder : Intervals about centers.

    Notes
    -----
    The lowest and the highest value of a column are published, as limits, even if the
    rows that hold them are suppressed. Other rows that ``transform`` is given are
    suppressed where they lie beyond these.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.fuzzy import GlobalRecoder
    >>> people = pd.DataFrame({"age": [20, 22, 40, 44], "job": list("abab")})
    >>> GlobalRecoder(["age"], n_sets=2, k=2).fit_transform(people)
            age job
    0  [20, 31]   a
    1  [20, 31]   b
    2  (31, 44]   a
    3  (31, 44]   b
    """

    method: str
    include_lowest: bool

    not_promised: ClassVar[tuple[str, ...]] = (
        "The lowest and the highest value of a column are published, as limits of "
        "intervals.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        n_sets: int | Mapping[Any, int] | None = None,
        method: Literal["equal-amount", "equidistant", "log"] = "equal-amount",
        include_lowest: bool = True,
        max_sets: int = 12,
        labels: Labels = None,
        keep_memberships: bool = False,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        self._take(locals())

    @property
    def reproduction_only(self) -> bool:
        """Whether labels tell of suppressed rows, which no release may.

        Rows that are left out at the lowest end are known to be exactly there.
        """
        return not self.include_lowest

    def _shows_limits(self) -> bool:
        return True

    @classmethod
    def test_instances(cls) -> list["GlobalRecoder"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2), cls(k=2, method="equidistant", suppression_limit=0.1)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("method", self.method, METHODS)
        check_choice("include_lowest", self.include_lowest, (False, True))

    def _make_rule(
        self,
        columns: Sequence[Column],
        n_sets: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
    ) -> IntervalRule:
        (column,) = columns
        breaks = break_points(column, n_sets, self.method)
        return intervals(column, breaks, names, lowest=self.include_lowest)

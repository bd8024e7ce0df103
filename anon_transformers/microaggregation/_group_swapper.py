"""Swapping inside groups of near rows: probabilistic k-anonymity."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.mdav_fast import group_fast
from anon_transformers._kernels.ranking import rank_groups
from anon_transformers.base import LinkedAnonymizer, LinkedTable
from anon_transformers.base._docs import LINKED_TEXTS
from anon_transformers.base._progress import run_counted
from anon_transformers.exceptions import ParameterError, check_choice
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.microaggregation._merging import RowGroups, merge_until_kept
from anon_transformers.microaggregation._space import embed, warn_of_nearly_numbers
from anon_transformers.parameters import substitute
from anon_transformers.privacy import PrivacyModel
from anon_transformers.roles import Roles

KERNELS = {"exact": group, "fast": group_fast}
CHOICES = {
    "grouping": ("mdav", "individual-ranking"),
    "scenario": ("informed", "uninformed"),
    "order": ("independent", "sequential"),
    "ir_method": ("sorted", "mdav"),
    "algorithm": tuple(KERNELS),
    "standardize": (True, False),
}


@substitute(LINKED_TEXTS)
class GroupSwapper(LinkedAnonymizer):
    """Swap cells at random between the rows of groups of ``k`` or more.

    No value is changed: every swapped column holds the same cells as before, in every
    group, and so keeps its mean and variance; columns that are not swapped stay as they
    are. What is broken is the link between a person and a value.

    An intruder who knows everything of a person but the value, the method and the
    groups finds the person's own cell with a probability of at most 1/k. This is
    probabilistic k-anonymity [1]_, and it is less than it sounds:

    * It holds per record and not per value. Where a value is frequent in a group, the
      swapped cell is equal to the own one more often than once in k times; ``models``
      bound how far a group may agree,
      ``report_.details["value_disclosure"]`` says how often, and
      ``report_.details["constant_groups"]`` which share of the rows is in groups where
      it always is. Individual ranking puts equal values together, and suffers most.
    * It holds for intruders who use the groups alone. Who can predict a column from the
      others, which swapping tries to preserve, may pick the best fitting cell of the
      group and be right far more often than once in k times; in full where a column is
      computed from others. The intruders of the attacks measure that.
    * The value lies in the range of its group: narrow groups tell it nearly.
    * Intruders do not put together what they know.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know; may be empty for informed intruders. None: all
        columns that are not declared otherwise.
    k : int, default=5
        Smallest number of rows in a group.
    sensitive : list, default=None
        Columns an intruder wants to know, in the order in which they are swapped. None,
        and no quasi-identifiers either: all columns. Informed intruders may know what
        others want to know: a column may then be sensitive and a quasi-identifier.
    models : list of privacy models, default=None
        What the sensitive values inside each group must satisfy beside: l-diversity,
        t-closeness and the like. Groups that break one are merged with those that cost
        least, until all keep it. A model of one column leaves the groups of the other
        ones alone.
    grouping : {"mdav", "individual-ranking"}, default="mdav"
        Gather rows that are near in what the intruder knows (MDAV-SWAP); or, for each
        sensitive column, rows that are near in that column (IR-SWAP), which changes
        least and tells most.
    scenario : {"informed", "uninformed"}, default="informed"
        Informed intruders know everything but the one sensitive column they are after:
        each sensitive column is swapped alone, in groups of its own. Uninformed ones
        know the quasi-identifiers: these are swapped, all together, in groups of near
        quasi-identifiers, and sensitive columns stay. Persons can then still be found,
        and no longer be told their sensitive values.
    order : {"independent", "sequential"}, default="independent"
        Find all groups in the original table; or those of a column in the table in
        which the columns before it were swapped, as in the published experiments.
    ir_method : {"sorted", "mdav"}, default="sorted"
        Blocks of individual ranking: of k rows in sorted order, where the last block
        takes what is left; or by MDAV on the one column, where the larger block is in
        the middle, as in the published experiments.
    standardize : bool, default=True
        Measure in standard deviations of each column. Individual ranking has no use
        for it.
    algorithm : {"exact", "fast"}, default="exact"
        MDAV itself, or groups that are found sooner and are nearly as narrow.
    {identifiers}
    hierarchies : dict of column to Hierarchy or builder, default=None
        Which values are near to each other; ranking takes them in the order of the
        leaves. Without one, categories are alike or not, and ranked as texts.
    {subject}
    {keep_links}
    {random_state}

    Attributes
    ----------
    {labels_}
    {group_sizes_}
    {k_effective_}
    {permutations_}
    report_ : Report
        Groups, loss, risk and time, in numbers. ``loss`` is the mean distance from a
        row's own cell to one drawn from its group, as a share of the column's range; 0
        or 1 where values have no distance.

    References
    ----------
    .. [1] J. Soria-Comas and J. Domingo-Ferrer, "Probabilistic k-anonymity through
       microaggregation and data swapping", FUZZ-IEEE 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.microaggregation import GroupSwapper
    >>> people = pd.DataFrame({"age": [20, 44, 22, 40], "pay": [100, 250, 130, 200]})
    >>> swapper = GroupSwapper(["age"], k=2, sensitive=["pay"], random_state=4)
    >>> swapper.fit_transform(people)
       age  pay
    0   20  130
    1   44  200
    2   22  100
    3   40  250
    >>> swapper.labels_
    {('pay',): array([1, 0, 1, 0])}
    """

    _hooks: ClassVar[frozenset[str]] = frozenset({"_resolve"})
    not_promised: ClassVar[tuple[str, ...]] = (
        "Where a value is frequent in a group, a swapped cell is often equal to the "
        "own one.",
        "Who can predict a column from the others finds the own cell more often "
        "than once in k times.",
        "A value lies in the range of its group: narrow groups tell it nearly.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        sensitive: Sequence[Hashable] | None = None,
        models: Sequence[PrivacyModel] | None = None,
        grouping: Literal["mdav", "individual-ranking"] = "mdav",
        scenario: Literal["informed", "uninformed"] = "informed",
        order: Literal["independent", "sequential"] = "independent",
        ir_method: Literal["sorted", "mdav"] = "sorted",
        standardize: bool = True,
        algorithm: Literal["exact", "fast"] = "exact",
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        keep_links: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            sensitive=sensitive,
            models=models,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            keep_links=keep_links,
            random_state=random_state,
        )
        self.grouping = grouping
        self.scenario = scenario
        self.order = order
        self.ir_method = ir_method
        self.standardize = standardize
        self.algorithm = algorithm

    @classmethod
    def test_instances(cls) -> list["GroupSwapper"]:
        """Configurations that the contract checks run on.

        Uninformed intruders are not among them: their roles have to be declared, and
        scikit-learn's checks declare none.
        """
        return [
            cls(k=2),
            cls(k=3, order="sequential", algorithm="fast", standardize=False),
            cls(k=3, grouping="individual-ranking"),
            cls(k=2, grouping="individual-ranking", ir_method="mdav"),
        ]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        if self.scenario == "uninformed" and self.grouping != "mdav":
            raise ParameterError(
                "grouping='individual-ranking' ranks the one sensitive column that is "
                "swapped, and with scenario='uninformed' all quasi-identifiers are "
                "swapped together; use grouping='mdav'."
            )
        for model in self.models or ():
            if model.merging == "none":
                raise ParameterError(
                    f"models: {model.name} may be lost when groups merge, and a swap "
                    "cannot promise it."
                )

    def _resolve(self, columns: pd.Index) -> Roles:
        roles = super()._resolve(columns)
        if self.scenario == "uninformed" and not roles.quasi_identifiers:
            raise ParameterError(
                "scenario='uninformed' swaps quasi_identifiers and leaves sensitive "
                "columns in their place; name at least one of each."
            )
        both = set(roles.quasi_identifiers).intersection(roles.sensitive)
        if self.scenario == "uninformed" and both:
            raise ParameterError(
                f"columns {sorted(map(repr, both))} are quasi-identifiers and "
                "sensitive, and would stay beside the quasi-identifiers that move; "
                "scenario='informed' moves each sensitive column alone."
            )
        return roles

    def _moving(self) -> list[tuple[Hashable, ...]]:
        if self.scenario == "uninformed":
            return [self.roles_.quasi_identifiers]
        return super()._moving()

    def _groups_swapped_table(self) -> bool:
        return self.order == "sequential"

    def _group(self, table: LinkedTable, moving: tuple[Hashable, ...]) -> np.ndarray:
        if self.grouping == "mdav":
            names = (
                moving
                if self.scenario == "uninformed"
                else self._staying_columns(moving)
            )
            columns = [table.column(name) for name in names]
            points = embed(columns, standardize=self.standardize)
            return self._merged(table, moving, self._near(points), lambda: points)
        places = table.places(moving[0])
        if places.line is None:
            warn_of_nearly_numbers(table.column(moving[0]))
        if self.ir_method == "sorted":
            labels = rank_groups(places.keys, self.k)
            return self._merged(table, moving, labels, places.ranks)
        points = places.points()
        return self._merged(table, moving, self._near(points), lambda: points)

    def _near(self, points: np.ndarray) -> np.ndarray:
        """Groups of near points, by MDAV."""
        group = KERNELS[self.algorithm]
        return run_counted(lambda done: group(points, self.k, done), len(points))

    def _merged(
        self,
        table: LinkedTable,
        moving: tuple[Hashable, ...],
        labels: np.ndarray,
        points: Callable[[], np.ndarray],
    ) -> np.ndarray:
        """The groups after those that break a model joined their nearest ones."""
        if not self.models:
            return labels  # k holds already, and counting cells takes time
        classes = table.classes(labels, self._hidden(moving))
        groups = RowGroups.of(points(), labels, classes.n_classes)
        return merge_until_kept(groups, classes, self._promise(moving))[labels]

    def _staying_columns(self, moving: tuple[Hashable, ...]) -> list[Hashable]:
        """What somebody knows who is after ``moving``: every other column."""
        roles = self.roles_
        all_of_them = dict.fromkeys((*roles.quasi_identifiers, *roles.sensitive))
        staying = [name for name in all_of_them if name not in moving]
        if not staying:
            raise ParameterError(
                "grouping='mdav' needs a quasi-identifier or a second sensitive column "
                f"to group by (n_features={self.n_features_in_}); "
                "grouping='individual-ranking' does not."
            )
        return staying

    def _details(self) -> dict[str, Any]:
        return {
            "grouping": self.grouping,
            "scenario": self.scenario,
            "order": self.order,
        }

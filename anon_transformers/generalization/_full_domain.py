"""Optimal full-domain generalization with suppression."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from anon_transformers._kernels.lattice import Node
from anon_transformers.base import TableAnonymizer
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    approved,
    refuse_too_few,
)
from anon_transformers.base._docs import TABLE_TEXTS
from anon_transformers.base._progress import Progress, progress_bar
from anon_transformers.base._suppression import (
    SuppressionRules,
    approve,
    describe_unknown,
)
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    check_choice,
    check_columns,
)
from anon_transformers.generalization._frontier import Frontier, find_frontier
from anon_transformers.generalization._heuristic import find_in_time
from anon_transformers.generalization._lattice import Goal, Lattice
from anon_transformers.generalization._levels import LevelColumn, publish_level
from anon_transformers.generalization._losses import LOSSES, make_loss
from anon_transformers.generalization._minimal import (
    find_incognito,
    find_samarati,
    minimal_nodes,
)
from anon_transformers.generalization._reach import FEW_NODES, describe_reach
from anon_transformers.generalization._search import SearchResult, find_optimal
from anon_transformers.generalization._solutions import Solutions, find_solutions
from anon_transformers.hierarchies import Suggested
from anon_transformers.parameters import is_whole, real, substitute
from anon_transformers.privacy import (
    AllOf,
    KAnonymity,
    PrivacyModel,
)


def check_weights(weights: Mapping[Any, float] | None) -> None:
    """Refuse weights that are no shares of anything."""
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise ParameterError(
            f"weights must map columns to numbers, got {type(weights).__name__}."
        )
    for name, weight in weights.items():
        real(f"weights, {name}:", weight, 0)


def check_level(name: Hashable, level: Any, highest: int) -> int:
    """Refuse a level that a hierarchy does not have."""
    if not is_whole(level) or not 0 <= level <= highest:
        raise ParameterError(
            f"levels, {name}: {level!r} is no level from 0 to {highest}."
        )
    return int(level)


class RecodingPass(NamedTuple):
    """A node, and the combinations of its groups that are published."""

    node: Node
    codes: np.ndarray


def publish_node(table: CodedTable, node: Node) -> list[PublishedColumn]:
    """Every column of a table at its level."""
    return [
        publish_level(c, level)
        for c, level in zip(table.quasi_identifiers, node, strict=True)
    ]


def learn_passes(
    table: CodedTable,
    promise: AllOf,
    find: Callable[[CodedTable], Node],
    suppression_label: str,
) -> list[RecodingPass]:
    """Find a node for all rows, then one for those that it suppresses, and so on."""
    left = np.ones(table.n_coded_rows, dtype=bool)
    passes: list[RecodingPass] = []
    rules = SuppressionRules(1.0, "drop", suppression_label)
    while left.any():
        part = table.part(left)
        try:
            node = find(part)
            approval = approve(part, publish_node(part, node), promise, rules)
        except InfeasibleError:
            break
        passes.append(RecodingPass(node, approval.codes))
        left[left] = approval.suppressed
    return passes


def recode_by_passes(
    table: CodedTable, passes: list[RecodingPass]
) -> list[PublishedColumn]:
    """Each row by the first node that publishes its combination."""
    tables = [publish_node(table, one.node) for one in passes]
    of_row = np.full(table.n_coded_rows, -1)
    for number, (one, published) in enumerate(zip(passes, tables, strict=True)):
        of_row[(of_row < 0) & approved(one.codes, published)] = number
    return [_join(list(columns), of_row) for columns in zip(*tables, strict=True)]


def _join(columns: list[PublishedColumn], of_row: np.ndarray) -> PublishedColumn:
    """One column of several; what two of them call alike is one label."""
    place: dict[str | None, int] = {}
    shares: list[float] = []
    codes = np.full(len(of_row), -1, dtype=np.int32)
    for number, column in enumerate(columns):
        into = np.empty(len(column.labels) + 1, dtype=np.int32)
        into[-1] = -1
        for at, label in enumerate(column.labels.tolist()):
            into[at] = place.setdefault(label, len(place))
            if into[at] == len(shares):
                shares.append(0.0)
            shares[into[at]] = max(shares[into[at]], float(column.shares[at]))
        mine = of_row == number
        codes[mine] = into[column.codes[mine]]
    return PublishedColumn(codes, np.array([*place], dtype=object), np.array(shares))


SEARCHES = {
    "optimal": find_optimal,
    "samarati": find_samarati,
    "incognito": find_incognito,
    "heuristic": find_in_time,
}
LARGEST = 20_000_000
"""Nodes that an exact search takes on."""


@substitute(TABLE_TEXTS)
class FullDomainAnonymizer(TableAnonymizer):
    """Generalize every column to the level at which least is lost, and suppress rows.

    All values of a column move to the same level of its hierarchy; rows whose class
    then breaks a promise are suppressed, within ``suppression_limit``. A column without
    a hierarchy gets the one that :func:`~anon_transformers.hierarchies.suggest` finds.

    Parameters
    ----------
    {quasi_identifiers}
    k : int, default=5
        Smallest number of rows (persons, with ``subject``) in a class.
    {models}
    hierarchies : dict of column to Hierarchy or builder, default=None
        How values are made less exact. That of a sensitive column tells models which of
        its values are near each other.
    loss : str, default="domain-share"
        What is made small: "domain-share" (the share of its domain that a published
        value covers, columns joined by the geometric mean of 1 + share), "precision"
        (height in the hierarchy), "entropy" (non-uniform: bits that are hidden),
        "discernibility" or "average-class-size".
    weights : dict of column to float, default=None
        How much each column counts in the loss; 1 where none is given. The last two
        losses know no columns; they are shares of the table: 1 is one class.
    search : {"optimal", "samarati", "incognito", "heuristic"}, default="optimal"
        "optimal" promises the least loss of all nodes; "incognito" the least of all
        minimal nodes, where no column could go lower; "samarati" the least of those at
        the smallest height, the sum of levels. The last two raise where the models are
        such that a node above a fitting one may not fit. "heuristic" takes the best
        node that it finds in ``time_limit`` and tells what it proved.
    time_limit : float, default=10.0
        Seconds for "heuristic".
    levels : dict of column to int, default=None
        Apply these levels instead of searching; 0 where none is given.
    local_recoding : bool, default=False
        Generalize rows that the best node would suppress further, again and again.
    find_minimal : bool, default=False
        Find all minimal nodes as well.
    verbose : bool, default=False
        Show a progress bar.
    {sensitive_and_identifiers}
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    levels_ : dict of column to int
        Level of each column; with local recoding, of most rows.
    loss_ : float
        What is lost, in terms of ``loss``; with local recoding, before it.
    bound_, proved_ : float
        No node has a smaller loss; share of the nodes of which this is proved.
    minimal_nodes_ : list of dict
        With ``find_minimal`` or ``search="incognito"``: levels of all minimal nodes,
        which are accepted as ``levels`` while nothing below them is.
    {hierarchies_}
    report_ : Report
        Classes, domain-share loss, risk, suppressed rows and time.
    {n_suppressed_}
    {suppressed_mask_}

    References
    ----------
    .. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE
       Transactions on Knowledge and Data Engineering 13(6), 2001.
    .. [2] K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
       k-anonymity", SIGMOD, 2005.
    .. [3] K. El Emam et al., "A globally optimal k-anonymity method for the
       de-identification of health data", JAMIA 16(5), 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import FullDomainAnonymizer
    >>> from anon_transformers.hierarchies import Intervals, Masking
    >>> people = pd.DataFrame({"zip": ["47677", "47602", "47905"], "age": [29, 22, 43]})
    >>> trees = {"zip": Masking(), "age": Intervals(widths=[10])}
    >>> anonymizer = FullDomainAnonymizer(
    ...     k=2, hierarchies=trees, suppression_limit=0.4, suppression="drop"
    ... )
    >>> anonymizer.fit_transform(people)
         zip       age
    0  476**  [20, 29]
    1  476**  [20, 29]
    >>> anonymizer.levels_
    {'zip': 2, 'age': 1}
    """

    uses_hierarchies: ClassVar[bool] = True
    fits_counts: ClassVar[bool] = True
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {"_encode", "_hierarchy_of", "_own_hierarchies"}
    )

    not_promised: ClassVar[tuple[str, ...]] = (
        "Whole columns climb at once: a few outliers cost everybody exactness, "
        "unless they may be suppressed.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        hierarchies: Mapping[Any, Any] | None = None,
        loss: str = "domain-share",
        weights: Mapping[Any, float] | None = None,
        search: Literal["optimal", "samarati", "incognito", "heuristic"] = "optimal",
        time_limit: float = 10.0,
        levels: Mapping[Any, int] | None = None,
        local_recoding: bool = False,
        find_minimal: bool = False,
        verbose: bool = False,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            models=models,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            suppression_limit=suppression_limit,
            suppression=suppression,
            suppression_label=suppression_label,
        )
        self.loss, self.weights = loss, weights
        self.search, self.time_limit, self.levels = search, time_limit, levels
        self.local_recoding, self.find_minimal = local_recoding, find_minimal
        self.verbose = verbose

    @classmethod
    def test_instances(cls) -> list["FullDomainAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls(k=2), cls(k=2, suppression_limit=0.3, loss="entropy")]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("loss", self.loss, LOSSES)
        check_choice("search", self.search, SEARCHES)
        real("time_limit", self.time_limit, 0, above=True)
        check_weights(self.weights)
        if not isinstance(self.levels, Mapping | None):
            raise ParameterError(
                f"levels must map columns to levels, got {type(self.levels).__name__}."
            )
        self._refuse_odd_columns(self.quasi_identifiers)

    def _refuse_odd_columns(self, legal: Any) -> None:
        for key in ("weights", "levels"):
            check_columns(key, getattr(self, key), legal, "quasi-identifier")

    def _hierarchy_of(self, series: pd.Series) -> Any:
        """What was suggested, where no hierarchy was given."""
        given = super()._hierarchy_of(series)
        return Suggested(unknown="suppress") if given is None else given

    def _own_hierarchies(self) -> dict[Hashable, Any]:
        return dict.fromkeys(self.quasi_identifiers or (), Suggested())

    def _encode(
        self, frame: pd.DataFrame, weights: np.ndarray | None = None
    ) -> CodedTable:
        self._refuse_odd_columns(self.roles_.quasi_identifiers)
        table = super()._encode(frame, weights)
        self.hierarchies_ = {c.name: c.hierarchy for c in table.quasi_identifiers}
        # Later rows are recoded by the rule of a hierarchy, where it has one.
        return replace(
            table, quasi_identifiers=tuple(map(LevelColumn.of, table.quasi_identifiers))
        )

    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn]:
        limit = self._limit(table.n_rows)
        self.__dict__.pop("minimal_nodes_", None)
        self._passes: list[RecodingPass] = []
        self._searches: list[tuple[SearchResult, int, int]] = []
        if self.local_recoding and self.levels is None:
            find = partial(self._find, models=models)
            self._passes = learn_passes(table, models, find, self.suppression_label)
            published = recode_by_passes(table, self._passes)
            if self._passes and self._can_publish(table, published, models):
                self._node = self._passes[0].node
                self._note_minimal(self._lattice(table, models, limit), None)
                return self._named_levels(published)
            self._passes, self._searches = [], []
        self._node = self._find(table, models, limit)
        return self._named_levels(publish_node(table, self._node))

    def _named_levels(self, published: list[PublishedColumn]) -> list[PublishedColumn]:
        names = self.roles_.quasi_identifiers
        self.levels_ = dict(zip(names, self._node, strict=True))
        found, _, _ = self._searches[0]
        self.loss_, self.bound_, self.proved_ = found.loss, found.bound, found.proved
        return published

    def frontier(
        self, X: Any, *, max_k: int | None = None, progress: Progress | None = None
    ) -> Frontier:
        """What every k costs, from one pass over all nodes.

        Other models, searches and local recoding play no part. Suppressed rows count
        against ``suppression_limit`` and cost as much as can be, as with
        ``suppression="drop"``: where they are masked, and fewer than k, a fit has to
        suppress more. With a ``subject`` k counts persons, which takes longer. The
        estimator is not fitted.

        Parameters
        ----------
        X : data frame or array
            The table to be protected.
        max_k : int, default=None
            Largest k of the curve. None: the number of rows.
        progress : callable, default=None
            Told the share that is done; None: a bar if ``verbose``.

        Returns
        -------
        Frontier
            The best node of every k.
        """
        if max_k is not None:
            KAnonymity(max_k)
        other = clone(self).set_params(models=None, k=1)
        other._check_parameters()
        _, table = other._read(X)
        lattice = other._lattice(table, other._promise(), self._limit(table.n_rows))
        _refuse_too_many(lattice, "frontier")
        names = list(other.roles_.quasi_identifiers)
        with progress_bar("frontier", shown=self.verbose) as bar:
            told = progress or bar
            found = find_frontier(lattice, max_k or table.n_rows, names, told)
        return Frontier(*found, self.loss)

    def solutions(self, X: Any, *, progress: Progress | None = None) -> Solutions:
        """Whether each node keeps the promise, and what it loses.

        Searches, ``levels`` and local recoding play no part. The estimator is not
        fitted; any node that fits is accepted as ``levels``.

        Parameters
        ----------
        X : data frame or array
            The table to be protected.
        progress : callable, default=None
            Told the share that is done; None: a bar if ``verbose``.

        Returns
        -------
        Solutions
            Every node, and which one loses least.

        Raises
        ------
        ParameterError
            If there are more than 20,000 nodes.
        """
        other = clone(self)
        other._check_parameters()
        _, table = other._read(X)
        lattice = other._lattice(table, other._promise(), other._limit(table.n_rows))
        if lattice.size > FEW_NODES:
            raise ParameterError(
                f"solutions are listed up to {FEW_NODES:,} nodes, and there are "
                f"{lattice.size:,}; use hierarchies with fewer levels, or 'frontier'."
            )
        names = list(other.roles_.quasi_identifiers)
        with progress_bar("solutions", shown=self.verbose) as bar:
            return find_solutions(lattice, names, self.loss, progress or bar)

    def _lattice(self, table: CodedTable, models: AllOf, limit: float) -> Lattice:
        points = table.points()
        refuse_too_few(points, self.k, table.subject)
        loss, levels = make_loss(self.loss, table, points, self._shares())
        rules = SuppressionRules(limit, self.suppression, self.suppression_label)
        goal = Goal(models, rules, table.persons_move)
        return Lattice(table, points, levels, loss, goal)

    def _find(
        self, table: CodedTable, models: AllOf, limit: float | None = None
    ) -> Node:
        """The node to publish; without a limit, for one pass of local recoding."""
        lattice = self._lattice(table, models, 1.0 if limit is None else limit)
        found = self._search(lattice)
        if found.best is None:
            reason = self._infeasible_reason(lattice, found)
            raise InfeasibleError(f"{reason}{describe_unknown(table)}")
        if limit is not None:
            self._note_minimal(lattice, found.minimal)
        self._searches.append((found, lattice.size, lattice.n_looks))
        return found.best.node

    def _search(self, lattice: Lattice) -> SearchResult:
        if self.levels is not None:
            found = SearchResult()
            found.offer(lattice.look(self._given_node(lattice.top)))
            return found
        search: Any = SEARCHES[self.search]
        if self.search == "heuristic":
            search = partial(search, seconds=self.time_limit)
        else:
            _refuse_too_many(lattice, f"search={self.search!r}")
        with progress_bar(self.search, shown=self.verbose) as progress:
            return search(lattice, progress)

    def _note_minimal(self, lattice: Lattice, nodes: list[Node] | None) -> None:
        """Remember the minimal nodes of the whole table, if they are asked for."""
        if not self.find_minimal and self.search != "incognito":
            return
        if nodes is None:
            _refuse_too_many(lattice, "find_minimal")
            with progress_bar("minimal nodes", shown=self.verbose) as progress:
                nodes = minimal_nodes(lattice, progress)
        names = self.roles_.quasi_identifiers
        self.minimal_nodes_ = [dict(zip(names, node, strict=True)) for node in nodes]

    def _given_node(self, top: Node) -> Node:
        node = []
        for name, highest in zip(self.roles_.quasi_identifiers, top, strict=True):
            level = (self.levels or {}).get(name, 0)
            node.append(check_level(name, level, highest))
        return tuple(node)

    def _infeasible_reason(self, lattice: Lattice, found: SearchResult) -> str:
        """Why there is nothing to publish."""
        limit = f"suppression_limit={lattice.goal.rules.limit}"
        if lattice.n_unknown > lattice.allowance:
            return (
                f"no node keeps the promise within {limit}: {lattice.n_unknown} of "
                f"{lattice.n_rows} rows are suppressed at every node, and it allows "
                f"{lattice.allowance}."
            )
        if self.search == "heuristic" and found.proved < 1 and self.levels is None:
            return (
                f"no node that keeps the promise within {limit} was found in "
                f"time_limit={self.time_limit} seconds; {lattice.n_looks} of "
                f"{lattice.size} nodes were looked at."
            )
        what, stated = "no node keeps", None
        if self.levels is not None:
            what, stated = "these levels do not keep", self._given_node(lattice.top)
        return f"{what} the promise within {limit}. {describe_reach(lattice, stated)}"

    def _shares(self) -> np.ndarray:
        """Weight of each quasi-identifier; together 1."""
        names = self.roles_.quasi_identifiers
        given = np.array([float((self.weights or {}).get(n, 1.0)) for n in names])
        if not given.sum() > 0:
            raise ParameterError("weights: at least one column must count.")
        return given / given.sum()

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        if self._passes:
            return recode_by_passes(table, self._passes)
        return publish_node(table, self._node)

    def _details(self) -> dict[str, Any]:
        return {
            "levels": {str(name): level for name, level in self.levels_.items()},
            "search": self.search,
            "objective": {"loss": self.loss, "value": self.loss_, "bound": self.bound_},
            "nodes": self._searches[0][1],
            "looked_at": sum(n_looks for *_, n_looks in self._searches),
            "proved": self.proved_,
            "passes": max(len(self._passes), 1),
        }


def _refuse_too_many(lattice: Lattice, what: str) -> None:
    if lattice.size > LARGEST:
        raise ParameterError(
            f"{what} cannot go through {lattice.size:.3g} nodes; use "
            "search='heuristic', or hierarchies with fewer levels."
        )

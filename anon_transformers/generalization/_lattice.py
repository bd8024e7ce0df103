"""The lattice of all full-domain generalizations of a table, looked at node by node."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from anon_transformers._kernels.lattice import (
    SLACK,
    Held,
    Levels,
    Node,
    count_kept,
    derive,
    hold_ground,
    label_points,
    smallest_source,
)
from anon_transformers.base._coded_table import CodedTable, Points
from anon_transformers.base._suppression import (
    SuppressionRules,
    choose_kept,
    content_ranks,
)
from anon_transformers.evidence import Classes
from anon_transformers.generalization._levels import level_tables, publish_level
from anon_transformers.generalization._losses import NodeLoss
from anon_transformers.privacy import AllOf, KAnonymity, may_judge_values

ROOM = 4_000_000
"""Classes kept of all nodes together, unless the table has more combinations."""

WORTH = 0.8
"""A node is kept if it has at most this share of the classes it was derived from."""


NO_KEYS = np.empty(0, dtype=np.int64)

SMALL = 1000
"""Classes from which any other node is derived at once."""


class NodeResult(NamedTuple):
    """What was found at a node.

    Attributes
    ----------
    node : tuple of int
        The level of every attribute.
    fits : bool
        Every model holds within the suppression limit.
    hopeless : bool
        No node below can fit either.
    loss : float
        What it gives up; infinite if it does not fit.
    suppressed : int
        Rows that are suppressed.
    floor : float
        No node above can have a smaller loss.
    by_rows : int
        Rows that are suppressed here and at every node below: their classes are too
        small.
    """

    node: Node
    fits: bool
    hopeless: bool
    loss: float = np.inf
    suppressed: int = 0
    floor: float = 0.0
    by_rows: int = 0

    @property
    def rank(self) -> tuple:
        """Smaller is better: loss, then suppressed rows, levels, order."""
        return round(self.loss, 12), self.suppressed, sum(self.node), self.node


class Goal(NamedTuple):
    """What a node must reach."""

    promise: AllOf
    rules: SuppressionRules
    persons_move: bool = False

    @property
    def prunes(self) -> bool:
        """Whether no node below one that fails can hold."""
        # The classes of a node are unions of those of any node below it, so that what
        # holds below holds above. Of persons with several combinations this is wrong:
        # they are counted once in a union, which may then be less diverse.
        if self.persons_move and any(map(may_judge_values, self.promise.models)):
            return False
        merging = self.promise.merging
        # With suppression, a union may join a failing class that would be suppressed
        # below; only models of kind "any" hold for such a union.
        return merging == "any" or (merging == "satisfying" and self.rules.limit == 0)


class Lattice:
    """All nodes of a table, and the classes of those that were looked at.

    Parameters
    ----------
    table : CodedTable
        What is generalized.
    points : Points
        Its distinct combinations.
    levels : Levels
        Groups of every attribute at every level.
    loss : NodeLoss
        What is to be small.
    goal : Goal
        What must hold.
    """

    def __init__(
        self,
        table: CodedTable,
        points: Points,
        levels: Levels,
        loss: NodeLoss,
        goal: Goal,
    ):
        self.codes = np.ascontiguousarray(points.codes.T)
        self.levels = levels
        self.loss, self.goal = loss, goal
        self.n_rows = table.n_rows
        self.allowance = goal.rules.allowance(table.n_rows)
        self._looks = [0]
        self.n_unknown = points.n_uncoded
        self._hides = _hiding_levels(table, goal.rules.suppression_label)
        self._tables = [level_tables(column) for column in table.quasi_identifiers]
        self.shape = tuple(map(len, self._tables))
        self._table, self._points = table, points
        ground = hold_ground(self.codes, levels, points.weights)
        self._class_cache = _ClassCache(self.codes, levels, ground)
        counts = [m.k for m in goal.promise.models if isinstance(m, KAnonymity)]
        self._k = max(counts, default=1)
        self._rows_decide = (
            len(counts) == len(goal.promise.models) and table.subject is None
        )

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return int(np.prod([float(n) for n in self.shape]))

    @property
    def n_looks(self) -> int:
        """Nodes that were looked at, here and where suppressed rows are dropped."""
        return self._looks[0]

    @property
    def top(self) -> Node:
        """The node that hides everything."""
        return tuple(n - 1 for n in self.shape)

    def heights(self) -> np.ndarray:
        """Sum of levels of every node, in the order of their positions."""
        heights = np.zeros(1, dtype=np.int64)
        for n_levels in self.shape:
            heights = (heights[:, np.newaxis] + np.arange(n_levels)).ravel()
        return heights

    def look(self, node: Node, best: float = np.inf) -> NodeResult:
        """Judge a node; one that cannot be better than ``best`` only as far as needed.

        Rows are counted first, for that is cheap: what breaks the limit by rows alone
        is hopeless, and no further model makes a loss smaller.
        """
        self._looks[0] += 1
        held = self._class_cache.classes(node)
        n_kept, n_rows = count_kept(held.sizes, self._k)
        gone = self.n_rows - n_rows
        if not n_kept or gone > self.allowance:
            return NodeResult(node, False, True)
        if self.shows_nothing(node, held, held.sizes >= self._k):
            return NodeResult(node, False, False)
        loss = self.loss.of(node, held, held.sizes >= self._k)
        drops = self.goal.rules.mode == "drop" or gone == 0 or gone >= self._k
        if self._rows_decide and drops:
            by_rows = gone - self.n_unknown
            return NodeResult(
                node, True, False, loss, gone, self.loss.floor(held), by_rows
            )
        if (
            loss > best + SLACK
        ):  # as good but for rounding: the rest of the rank decides
            return NodeResult(node, False, False, floor=self.loss.floor(held))
        return self._judge(node)

    def _judge(self, node: Node) -> NodeResult:
        """Ask every model about every class."""
        classes, held = self.classes(node)
        coded = np.arange(classes.n_classes) < len(held.sizes)
        fine = coded & self.goal.promise.satisfied(classes)
        kept, within = choose_kept(
            classes,
            self.goal.promise,
            fine,
            self.goal.rules,
            lambda: self._ranks(node, held, classes.n_classes),
        )
        if not within:
            # Filling up the suppressed class is no reason to give up those below.
            broken = self.n_rows - classes.rows[fine].sum() > self.allowance
            return NodeResult(node, False, bool(broken) and self.goal.prunes)
        kept = kept[: len(held.sizes)]
        gone = self.n_rows - int(held.sizes[kept].sum())
        return NodeResult(
            node,
            True,
            False,
            self.loss.of(node, held, kept),
            gone,
            self.loss.floor(held),
        )

    def classes(self, node: Node) -> tuple[Classes, Held]:
        """Evidence of a node: its classes, and last the rows that cannot be coded."""
        wanted = np.array(node)
        at, (source, held) = self._evidence.nearest(wanted)
        if (at == wanted).all():
            return source, held
        labels, first = label_points(self.codes, self.levels, node, held)
        n_others = source.n_classes - len(labels)
        into = np.append(labels, np.arange(len(first), len(first) + n_others))
        classes = source.merge(into, len(first) + n_others)
        merged = Held(held.first[first], classes.rows[: len(first)], NO_KEYS)
        self._evidence.keep(wanted, (classes, merged), len(first), len(labels))
        return classes, merged

    @cached_property
    def _evidence(self) -> "_NodeCache":
        """Evidence of nodes, first of the distinct combinations."""
        of_row, n_points = self._points.of_row, len(self._points.weights)
        others = of_row < 0
        labels = np.where(others, n_points, of_row)
        classes = self._table.classes(labels, n_points + bool(others.any()))
        classes = replace(classes, labels=None)
        for column in classes.sensitive.values():
            if column.hierarchy is not None:
                _ = column.ancestors  # once, for all that are merged from these
        return _NodeCache(
            (classes, self._class_cache.ground), n_points, self.codes.shape[1]
        )

    def _ranks(self, node: Node, held: Held, n_classes: int) -> np.ndarray:
        """Order of the classes by their labels; what cannot be coded comes last."""
        published = [
            publish_level(column, level)
            for column, level in zip(self._table.quasi_identifiers, node, strict=True)
        ]
        codes = np.stack(
            [
                table[level][self.codes[held.first, a]]
                for a, (table, level) in enumerate(zip(self._tables, node, strict=True))
            ]
        )
        ranks = content_ranks(codes, [column.labels for column in published])
        return np.append(ranks, np.arange(len(ranks), n_classes))

    def held(self, node: Node) -> Held:
        """Classes of a node, without what models need."""
        return self._class_cache.classes(node)

    @property
    def counts_persons(self) -> bool:
        """Whether k counts persons."""
        return self._table.subject is not None

    def persons(self, node: Node) -> tuple[Held, np.ndarray]:
        """Classes of a node, and the persons of each."""
        classes, held = self.classes(node)
        return held, classes.sizes[: len(held.sizes)]

    def dropping(self) -> "Lattice":
        """The same lattice by the definition alone.

        Suppressed rows need not be a class of their own, and a table of marks will do.
        """
        other = copy(self)
        rules = self.goal.rules._replace(mode="drop")
        other.goal = self.goal._replace(rules=rules)
        other._hides = [np.zeros_like(hides) for hides in self._hides]
        return other

    def shows_nothing(self, node: Node, held: Held, kept: np.ndarray) -> bool:
        """Whether every kept class is published as marks alone."""
        if not all(h[level] for h, level in zip(self._hides, node, strict=True)):
            return False
        for a, (table, level) in enumerate(zip(self._tables, node, strict=True)):
            # Below the top a missing value is a group of its own, and is shown.
            if (table[level][self.codes[held.first[kept], a]] != 0).any():
                return False
        return True


def _hiding_levels(table: CodedTable, suppression_label: str) -> list[np.ndarray]:
    """For each attribute, the levels at which all values are that label."""
    hides = []
    for column in table.quasi_identifiers:
        assert column.hierarchy is not None
        levels = map(column.hierarchy.level, range(column.hierarchy.n_levels))
        hides.append(
            np.array([level.labels.tolist() == [suppression_label] for level in levels])
        )
    return hides


class _NodeCache:
    """What was worked out for some nodes, and is of use for all above them."""

    def __init__(self, ground: Any, size: int, n_attributes: int):
        self._nodes = np.zeros((64, n_attributes), dtype=np.int64)
        self._sizes = np.full(64, size, dtype=np.int64)
        self._things = [ground]
        self._left = max(ROOM, size)

    def nearest(self, node: np.ndarray) -> tuple[np.ndarray, Any]:
        """The smallest thing below a node, and where it is from."""
        at = smallest_source(self._nodes, self._sizes, len(self._things), node)
        return self._nodes[at], self._things[at]

    def keep(self, node: np.ndarray, thing: Any, size: int, source: int) -> bool:
        """Keep what is much smaller than what it came from, while there is room."""
        if size > WORTH * source or size > self._left:
            return False
        at = len(self._things)
        if at == len(self._nodes):
            self._nodes = np.concatenate((self._nodes, np.zeros_like(self._nodes)))
            self._sizes = np.concatenate((self._sizes, np.zeros_like(self._sizes)))
        self._nodes[at], self._sizes[at] = node, size
        self._things.append(thing)
        self._left -= size
        return True


class _ClassCache:
    """Classes of nodes, from which those of nodes above are derived."""

    def __init__(self, codes: np.ndarray, levels: Levels, ground: Held):
        self.codes, self.levels, self.ground = codes, levels, ground
        self._cache = _NodeCache(ground, len(ground.first), codes.shape[1])
        self._barren: set[Node] = set()
        self._order = np.argsort(-levels.n_groups[:, 0], kind="stable").tolist()

    def classes(self, node: Node) -> Held:
        wanted = np.array(node)
        at, source = self._cache.nearest(wanted)
        if (at == wanted).all():
            return source
        stem = self._stem(node)
        if len(source.first) > SMALL and any(stem) and stem not in self._barren:
            # Many nodes grow from one stem: the large tables are gone through once.
            other = self.classes(stem)
            if len(other.first) < len(source.first):
                at, source = np.array(stem), other
        held = derive(self.codes, self.levels, at, wanted, source)
        if not self._cache.keep(wanted, held, len(held.first), len(source.first)):
            self._barren.add(node)
        return held

    def _stem(self, node: Node) -> Node:
        """The node without its last attribute that is raised, widest ones first."""
        raised = [a for a in self._order if node[a]]
        return tuple(0 if a == raised[-1] else level for a, level in enumerate(node))


def successors(node: Node, top: Node) -> Sequence[Node]:
    """Nodes one step above."""
    return [
        (*node[:a], level + 1, *node[a + 1 :])
        for a, level in enumerate(node)
        if level < top[a]
    ]


def predecessors(node: Node) -> Sequence[Node]:
    """Nodes one step below."""
    return [
        (*node[:a], level - 1, *node[a + 1 :])
        for a, level in enumerate(node)
        if level > 0
    ]

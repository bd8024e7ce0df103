"""The attacks by the names under which they are registered.

Each class runs one function of this package on what an intruder holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers.attacks import (
    GraphAttack,
    GraphAttackInput,
    GraphAttackResult,
)
from anon_transformers.graphs import open_graph
from anon_transformers_graphs.attacks._active import (
    ActiveAttack,
    cut_attack,
    walk_attack,
)
from anon_transformers_graphs.attacks._propagation import seed_propagation
from anon_transformers_graphs.attacks._reidentification import (
    Reidentification,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
)

MORE_ALIKE = "Change or add edges until k nodes look alike, and publish no labels."


def _found(found: Reidentification | ActiveAttack) -> GraphAttackResult:
    return GraphAttackResult(found.targets, found.exposed.tolist(), found.to_dict())


def _known(attack_input: GraphAttackInput) -> dict[str, Any]:
    """What is known of all nodes; the published graph itself, if nothing else is."""
    return {"original": attack_input.original, "mapping": attack_input.mapping}


@dataclass(frozen=True)
class DegreeAttack(GraphAttack):
    """Look for every node by its degree alone.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> DegreeAttack().run(Graph(4, [[0, 1], [0, 2], [0, 3]])).exposed
    1
    """

    name: ClassVar[str] = "degree"
    meaning: ClassVar[str] = "No other node has as many edges: the person is found."
    remedy: ClassVar[str] = "Ask for k-degree anonymity."

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        return _found(degree_attack(attack_input.published, **_known(attack_input)))


@dataclass(frozen=True)
class RefinementAttack(GraphAttack):
    """Look for every node by vertex refinement up to a depth.

    Parameters
    ----------
    depth : int, default=2
        1 is the degree, 2 the degrees of the neighbors, and so on.
    time_limit : float, default=60.0
        Seconds.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> RefinementAttack(depth=2).run(path).exposed
    1
    """

    depth: int = 2
    time_limit: float = 60.0
    name: ClassVar[str] = "refinement"
    meaning: ClassVar[str] = (
        "No other node has neighbors of these degrees, and so on: the person is found."
    )
    remedy: ClassVar[str] = MORE_ALIKE

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        found = refinement_attack(
            attack_input.published,
            depth=self.depth,
            time_limit=self.time_limit,
            **_known(attack_input),
        )
        return _found(found)


@dataclass(frozen=True)
class NeighborhoodAttack(GraphAttack):
    """Look for every node by the edges between its neighbors.

    Parameters
    ----------
    radius : int, default=1
        How far the intruder knows the surroundings.
    time_limit : float, default=60.0
        Seconds.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> bow_tie = Graph(5, [[0, 1], [0, 2], [1, 2], [2, 3], [2, 4], [3, 4]])
    >>> NeighborhoodAttack().run(bow_tie).share
    0.2
    """

    radius: int = 1
    time_limit: float = 60.0
    name: ClassVar[str] = "neighborhood"
    meaning: ClassVar[str] = (
        "No other node has neighbors that are joined like this: the person is found."
    )
    remedy: ClassVar[str] = "Ask for k-neighborhood anonymity."

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        found = neighborhood_attack(
            attack_input.published,
            radius=self.radius,
            time_limit=self.time_limit,
            **_known(attack_input),
        )
        return _found(found)


@dataclass(frozen=True)
class WalkAttack(GraphAttack):
    """Plant a path with random edges between its nodes, and find it again.

    The nodes are planted in the original, or in what was published where there is
    none, and the method publishes the result.

    Parameters
    ----------
    n_targets : int, default=10
        How many nodes are looked for.
    n_planted : int, optional
        How many nodes are planted; by default as many as :func:`walk_attack` plants.
    random_state : int or Generator, optional
        For the planted edges and the choice of targets.
    time_limit : float, default=60.0
        Seconds to find them again.
    """

    n_targets: int = 10
    n_planted: int | None = None
    random_state: int | np.random.Generator | None = None
    time_limit: float = 60.0
    name: ClassVar[str] = "walk"
    needs: ClassVar[tuple[str, ...]] = ("published", "method")
    meaning: ClassVar[str] = (
        "The intruder planted nodes, found them again, and the person beside them."
    )
    remedy: ClassVar[str] = "Change edges of all nodes, those of new accounts, too."

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        found = walk_attack(
            _before(attack_input),
            attack_input.method,
            n_targets=self.n_targets,
            n_planted=self.n_planted,
            random_state=self.random_state,
            time_limit=self.time_limit,
        )
        return _found(found)


@dataclass(frozen=True)
class CutAttack(GraphAttack):
    """Plant a random graph that is attached by few edges, and find it again.

    Parameters
    ----------
    n_targets : int, default=3
        How many nodes are looked for.
    random_state, time_limit
        As in :class:`WalkAttack`.
    """

    n_targets: int = 3
    random_state: int | np.random.Generator | None = None
    time_limit: float = 60.0
    name: ClassVar[str] = "cut"
    needs: ClassVar[tuple[str, ...]] = ("published", "method")
    meaning: ClassVar[str] = WalkAttack.meaning
    remedy: ClassVar[str] = WalkAttack.remedy

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        found = cut_attack(
            _before(attack_input),
            attack_input.method,
            n_targets=self.n_targets,
            random_state=self.random_state,
            time_limit=self.time_limit,
        )
        return _found(found)


def _before(attack_input: GraphAttackInput) -> Any:
    """The graph in which nodes are planted."""
    given = attack_input.original
    return attack_input.published if given is None else given


@dataclass(frozen=True)
class SeedPropagationAttack(GraphAttack):
    """Find nodes of an auxiliary graph in a published one, from a few known ones.

    Parameters
    ----------
    threshold : float, default=0.5
        By how many standard deviations of the scores the best node must lead.
    max_rounds : int, default=100
        Most passes over all nodes.
    time_limit : float, default=60.0
        Seconds, looked at after each pass.
    """

    threshold: float = 0.5
    max_rounds: int = 100
    time_limit: float = 60.0
    name: ClassVar[str] = "seed-propagation"
    needs: ClassVar[tuple[str, ...]] = ("published", "auxiliary", "seeds")
    meaning: ClassVar[str] = (
        "From a few persons who were known, this one is found in the published graph."
    )
    remedy: ClassVar[str] = MORE_ALIKE

    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        found = seed_propagation(
            attack_input.published,
            attack_input.auxiliary,
            attack_input.seeds,
            threshold=self.threshold,
            max_rounds=self.max_rounds,
            time_limit=self.time_limit,
        )
        report = found.to_dict()
        if found.correct is None:
            # Which matches are right is unknown: every node counts as a target.
            names = open_graph(attack_input.auxiliary)[1].names
            report["targets"] = len(names) - found.seeds
        # A person whom several attacks find counts once, by the name that others use.
        mapping: Mapping[Any, Any] = attack_input.mapping or {}
        old = {new: name for name, new in mapping.items()}
        published = [found.mapping[name] for name in found.exposed.tolist()]
        exposed = [old.get(name, name) for name in published]
        return GraphAttackResult(report["targets"], exposed, report)

"""Chains of switches through the graphs with given degrees and features."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from anon_transformers.base import GraphAnonymizer, tell_progress
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    ParameterError,
    check_choice,
)
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs.randomization._edge_changes import check_kept
from anon_transformers_graphs.randomization._features import FEATURES, triangle_share
from anon_transformers_graphs.randomization._kernels.switch_chain import (
    Switched,
    is_accepted,
    new_chain,
    triangle_chain,
    walk,
    walk_back,
)

METHODS = ("uniform", "metropolis")


class FeatureChain(GraphAnonymizer):
    """A random graph with the same degrees and nearly the same features.

    A Markov chain of switches starts from the original. "uniform" draws any graph of
    these degrees with features within bounds as likely as another: a step beyond the
    bounds, or one that is no legal switch, counts as a step that stays. "metropolis"
    draws graphs the more likely the nearer their features are to the original ones.
    Both need steps enough to forget where they started. Nothing is promised about
    privacy; that the features are within bounds is checked at the end.

    Parameters
    ----------
    features : sequence of str, or mapping of str to (low, high)
        "transitivity", "average-distance", "harmonic-distance" (the harmonic mean),
        "lambda1" (largest eigenvalue of the adjacency matrix) and "mu2" (second
        lowest of the Laplacian). None at all: any graph of these degrees.
    method : {"uniform", "metropolis"}, default="uniform"
        Which graphs are likely.
    tolerance : float, default=0.05
        "uniform" without bounds in ``features``: how far each may move, as a share of
        its value.
    strength : float, default=10
        "metropolis": a graph whose features are off by a share s of their values, in
        all, is ``exp(strength * edges * s)`` times less likely than one that has the
        original features. It counts for each edge because graphs that have not are the
        more numerous the more edges there are. Bounds in ``features`` hold too.
    steps_per_edge : float, default=10
        Steps of the chain for each edge.
    block : int, default=1
        Switches that make one step and are judged together. Costly features are
        computed less often with more, and more steps are refused.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    features_ : dict of str to float
        Features of the published graph.
    n_steps_, n_accepted_ : int
        Steps, and those that changed the graph.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    Notes
    -----
    Where nearly all graphs of these degrees lack a feature, such as many triangles, the
    chain soon reaches a bound and few steps are accepted there: ``n_accepted_`` and
    ``n_removed_`` show how far it moved.

    A step takes time proportional to a few neighbors with "transitivity", to the edges
    with eigenvalues, and to nodes times edges with distances. Where no step at all
    is accepted, as in a star, `InfeasibleError` is raised: the result would be the
    original.

    References
    ----------
    .. [1] X. Ying and X. Wu, "Graph generation with prescribed feature constraints",
       SDM, 2009.
    .. [2] S. Hanhijärvi, G. C. Garriga and K. Puolamäki, "Randomization techniques for
       graphs", SDM, 2009.

    Examples
    --------
    >>> import networkx as nx
    >>> karate = nx.karate_club_graph()
    >>> chain = FeatureChain(
    ...     {"transitivity": (0.25, 0.26)}, reduce=True, random_state=0
    ... ).fit(karate)
    >>> 0.25 <= chain.features_["transitivity"] <= 0.26
    True
    >>> chain.n_steps_
    780
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It promises nothing: degrees stay, and a person with a rare number of "
        "friends is found by it.",
    )

    def __init__(
        self,
        features: Sequence[str] | Mapping[str, Sequence[float]] = ("transitivity",),
        *,
        method: Literal["uniform", "metropolis"] = "uniform",
        tolerance: float = 0.05,
        strength: float = 10.0,
        steps_per_edge: float = 10.0,
        block: int = 1,
        relabel: bool = True,
        reduce: bool = False,
        weights: str | None = None,
        keep_mapping: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        super().__init__(
            relabel=relabel,
            reduce=reduce,
            weights=weights,
            keep_mapping=keep_mapping,
            random_state=random_state,
        )
        self.features = features
        self.method = method
        self.tolerance = tolerance
        self.strength = strength
        self.steps_per_edge = steps_per_edge
        self.block = block

    @classmethod
    def test_instances(cls) -> list["FeatureChain"]:
        """Configurations that the contract checks run on."""
        return [
            cls(steps_per_edge=1),
            cls(
                ["transitivity", "lambda1"],
                method="metropolis",
                strength=0.1,
                steps_per_edge=0.2,
            ),
        ]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("method", self.method, METHODS)
        real("tolerance", self.tolerance, 0)
        real("strength", self.strength, 0)
        real("steps_per_edge", self.steps_per_edge, 0)
        whole("block", self.block)
        if isinstance(self.features, str) or not isinstance(
            self.features, Sequence | Mapping
        ):
            raise ParameterError(
                "features must be a list of names or a mapping of names to (low, "
                f"high), got {self.features!r}. Names: {', '.join(FEATURES)}."
            )
        for name in self.features:
            check_choice("features", name, FEATURES)
            if isinstance(self.features, Mapping):
                _check_bounds(name, self.features[name])

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        adjacency = graph.adjacency
        targets = self._feature_targets(graph)
        self.n_steps_ = round(self.steps_per_edge * graph.n_edges)
        self.n_accepted_ = 0
        altered = graph
        if self.n_steps_:
            chain = new_chain(
                graph.edges, adjacency.indptr, adjacency.indices, int(self.block)
            )
            quick = set(targets) <= {"transitivity"}
            run = _run_triangle_chain if quick else _run_feature_chain
            self.n_accepted_ = run(chain, self.n_steps_, targets, rng)
            altered = graph.with_edges(chain.edges, rng)
            check_kept(graph, altered, degrees=True)
            self._check_moved()
        lists = altered.adjacency.indptr, altered.adjacency.indices
        self.features_ = {name: FEATURES[name](*lists) for name in targets}
        if _cost(self.features_, targets) == math.inf:
            raise InfeasibleError(
                "a feature of the result, computed anew, is not within its bounds."
            )
        return altered

    def _check_moved(self) -> None:
        if not self.n_accepted_:
            bounded = isinstance(self.features, Mapping) and len(self.features) > 0
            ways = ["wider bounds"] if bounded else []
            if self.method == "metropolis":
                ways.append(f"a strength below {self.strength}")
            elif self.features and not bounded:
                ways.append(f"a tolerance above {self.tolerance}")
            ways.append(f"more than {self.steps_per_edge} steps_per_edge")
            raise InfeasibleError(
                f"none of {self.n_steps_} steps could be done: the result would be the "
                f"original graph. What may help: {', '.join(ways)}."
            )

    def _feature_targets(self, graph: Graph) -> dict[str, "_FeatureTarget"]:
        """Where each feature should stay."""
        targets = {}
        bounds = dict(self.features) if isinstance(self.features, Mapping) else {}
        metropolis = self.method == "metropolis"
        for name in self.features:
            value = FEATURES[name](graph.adjacency.indptr, graph.adjacency.indices)
            if not math.isfinite(value):
                raise DataError(
                    f"{name} is not defined for a graph that is not connected or has "
                    "no edges."
                )
            reach = math.inf if metropolis else self.tolerance * abs(value)
            low, high = bounds.get(name, (value - reach, value + reach))
            if not low <= value <= high:
                raise InfeasibleError(
                    f"{name} of the original graph is not between {low} and {high}, "
                    "and the chain starts there."
                )
            strength = self.strength * graph.n_edges if metropolis else 0.0
            targets[name] = _FeatureTarget(
                value, low, high, strength / (abs(value) or 1.0)
            )
        return targets

    def _details(self) -> dict[str, Any]:
        return {
            "steps": self.n_steps_,
            "accepted": self.n_accepted_,
            "features": self.features_,
        }


class _FeatureTarget(NamedTuple):
    """Value of the original, bounds, and what one unit of distance costs."""

    value: float
    low: float
    high: float
    strength: float


def _check_bounds(name: str, bounds: object) -> None:
    pair = tuple(bounds) if isinstance(bounds, Sequence) else ()
    numbers = len(pair) == 2 and all(isinstance(end, Real) for end in pair)  # noqa: PLR2004
    if not numbers or not pair[0] <= pair[1]:
        raise ParameterError(
            f"features[{name!r}] must be (low, high) with low <= high, got {bounds!r}."
        )


def _cost(values: Mapping[str, float], targets: Mapping[str, _FeatureTarget]) -> float:
    """Cost of these features; infinite if one is out of bounds."""
    total = 0.0
    for name, target in targets.items():
        if not target.low <= values[name] <= target.high:
            return math.inf
        total += target.strength * abs(values[name] - target.value)
    return total


def _run_triangle_chain(
    chain: Switched,
    n_steps: int,
    targets: Mapping[str, _FeatureTarget],
    rng: np.random.Generator,
) -> int:
    """The chain where triangles are all that counts; steps that changed the graph."""
    free = _FeatureTarget(0.0, -math.inf, math.inf, 0.0)
    target = targets.get("transitivity", free)
    scale = triangle_share(chain.starts)
    return int(
        triangle_chain(
            chain,
            n_steps,
            scale,
            target.low,
            target.high,
            target.value,
            target.strength,
            rng,
        )
    )


def _run_feature_chain(
    chain: Switched,
    n_steps: int,
    targets: Mapping[str, _FeatureTarget],
    rng: np.random.Generator,
) -> int:
    """The chain where features are computed anew in each step."""
    cost, n_accepted = 0.0, 0
    for number in range(n_steps):
        tell_progress(number / n_steps)
        n_done, _ = walk(chain, len(chain.log), rng)
        if not n_done:
            continue
        # The cheap features of the table come first, and the first one out of bounds
        # decides: only then distances and eigenvalues are worth their time.
        new_cost = 0.0
        for name in (name for name in FEATURES if name in targets):
            value = FEATURES[name](chain.starts, chain.neighbors)
            new_cost += _cost({name: value}, {name: targets[name]})
            if new_cost == math.inf:
                break
        if is_accepted(cost, new_cost, rng):
            cost = new_cost
            n_accepted += 1
        else:
            walk_back(chain, n_done)
    return n_accepted

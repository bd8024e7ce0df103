"""Graphs in which k nodes or more share each degree."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.base import (
    GraphAnonymizer,
    part_of_progress,
    tell_progress,
)
from anon_transformers.exceptions import InfeasibleError, ParameterError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._graph_arrays import smallest_degree_class
from anon_transformers_graphs.degrees._constructions import (
    by_addition,
    by_moves,
    by_relaxation,
)
from anon_transformers_graphs.degrees._genetic import FITNESS, genetic_sequence
from anon_transformers_graphs.degrees._graphical import is_graphical
from anon_transformers_graphs.degrees._kernels.edits import Edits, edited_edges
from anon_transformers_graphs.degrees._sequences import (
    MAX_STATES,
    exact_sequence,
    greedy_sequence,
    liu_terzi_sequence,
    raised_sequence,
)
from anon_transformers_graphs.privacy._k_degree import KDegree

SEQUENCES = ("exact", "liu-terzi", "greedy", "genetic")
CONSTRUCTIONS = ("supergraph", "relaxed", "endpoint-moves")
PROBES = 40
"""Attempts to add edges, each after more noise on low degrees."""


class KDegreeAnonymizer(GraphAnonymizer):
    """Change few edges so that ``k`` nodes or more share each degree.

    Two steps: find degrees near to those of the graph that are k-anonymous, then build
    a graph that has them and most edges of the original. All nodes stay. The defaults
    take a graph of a million nodes; ``sequence="exact"`` keeps the number of edges
    where its table fits, up to some thousand nodes. There is no silent fallback: a
    method that finds no result raises `InfeasibleError`.

    Parameters
    ----------
    k : int, default=5
        Nodes that share each degree. A graph that has it already stays as it is.
    sequence : {"liu-terzi", "exact", "greedy", "genetic"}, default="liu-terzi"
        How degrees are found. "exact": the nearest ones of the same sum, by a dynamic
        program with a table of limited size. "liu-terzi": Liu and Terzi's dynamic
        program, in linear memory, which changes about as few edges: for k = 10, 150 of
        3,984 where "exact" changed 148, and 34 of the 78 of the karate club for 40.
        "greedy": their greedy method. "genetic": mutation and selection, which may end
        without a result, and changes more.
    construction : {"endpoint-moves", "relaxed", "supergraph"}, \
default="endpoint-moves"
        How the graph is built. "endpoint-moves": ends of edges move in the graph
        itself. "relaxed": a graph of Havel and Hakimi, swapped until it has most of
        the original edges. "supergraph": edges are only added; "exact" and "genetic"
        keep the number of edges and cannot be used with it.
    n_starts : int, default=10
        Which of several nodes of the same degree change is left to chance. Of this
        many graphs the one with the fewest changed edges is taken; "supergraph" makes
        one.
    max_states : int, default=20_000_000
        Largest table of "exact", in cells of eight bytes.
    fitness : {"distance", "groups"}, default="distance"
        The genetic search: "groups" is as it was published, and is often stuck.
    population_size, n_offspring, n_replace, max_iter, max_iter_no_improve : int
        The genetic search: see `genetic_sequence`.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    k_ : int
        Nodes that share the rarest degree.
    target_degrees_ : int array
        The published degrees, highest first.
    l1_distance_ : int
        Sum of the absolute changes of all degrees.
    n_modified_edges_ : int
        Original edges that are not in the published graph.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    Notes
    -----
    "exact" and "genetic" keep the number of edges; for some k there are no such
    degrees, for example for k > n/2 if n does not divide twice the edges. With
    "relaxed" and "endpoint-moves", "liu-terzi" and "greedy" let degrees rise and fall
    and keep the number of edges where groups of k allow it. With "supergraph" degrees
    only rise; if they cannot be reached by added edges alone, low degrees are raised
    and the search starts again.

    References
    ----------
    .. [1] K. Liu and E. Terzi, "Towards identity anonymization on graphs", SIGMOD,
       2008.

    Examples
    --------
    >>> import networkx as nx
    >>> star = nx.star_graph(5)
    >>> anonymizer = KDegreeAnonymizer(k=2, sequence="exact", random_state=0)
    >>> published = anonymizer.fit_transform(star)
    >>> sorted(degree for _, degree in published.degree)
    [1, 1, 1, 1, 3, 3]
    >>> anonymizer.l1_distance_, anonymizer.n_modified_edges_
    (4, 2)
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It protects from who knows degrees: who knows more of the graph may find a "
        "node.",
    )

    def __init__(
        self,
        k: int = 5,
        *,
        sequence: Literal["liu-terzi", "exact", "greedy", "genetic"] = "liu-terzi",
        construction: Literal[
            "endpoint-moves", "relaxed", "supergraph"
        ] = "endpoint-moves",
        n_starts: int = 10,
        max_states: int = MAX_STATES,
        fitness: Literal["distance", "groups"] = "distance",
        population_size: int = 50,
        n_offspring: int = 50,
        n_replace: int = 25,
        max_iter: int = 3000,
        max_iter_no_improve: int = 500,
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
        self.k = k
        self.sequence = sequence
        self.construction = construction
        self.n_starts = n_starts
        self.max_states = max_states
        self.fitness = fitness
        self.population_size = population_size
        self.n_offspring = n_offspring
        self.n_replace = n_replace
        self.max_iter = max_iter
        self.max_iter_no_improve = max_iter_no_improve

    @classmethod
    def test_instances(cls) -> list["KDegreeAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2),
            cls(k=3, sequence="exact", construction="relaxed"),
            cls(k=2, sequence="greedy", construction="supergraph"),
        ]

    def _promises(self) -> Sequence[KDegree]:
        return (KDegree(self.k),)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("k", self.k)
        check_choice("sequence", self.sequence, SEQUENCES)
        check_choice("construction", self.construction, CONSTRUCTIONS)
        check_choice("fitness", self.fitness, FITNESS)
        if self.construction == "supergraph" and self.sequence in ("exact", "genetic"):
            raise ParameterError(
                f"sequence={self.sequence!r} keeps the number of edges, and "
                "construction='supergraph' only adds some; choose 'liu-terzi' or "
                "'greedy' with it."
            )
        whole("n_starts", self.n_starts)
        whole("max_states", self.max_states)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        if self.k > graph.n_nodes:
            raise InfeasibleError(
                f"k={self.k} is more than the {graph.n_nodes} nodes of the graph."
            )
        altered = graph
        if smallest_degree_class(graph) < self.k:
            build = (
                self._supergraph
                if self.construction == "supergraph"
                else self._fewest_changes
            )
            altered = graph.with_edges(edited_edges(build(graph, rng)), rng)
        self.k_ = smallest_degree_class(altered)
        self.target_degrees_ = -np.sort(-altered.degrees)
        self.l1_distance_ = int(np.abs(altered.degrees - graph.degrees).sum())
        self.n_modified_edges_ = graph.n_edges - graph.common_edges(altered)
        return altered

    def _details(self) -> dict[str, Any]:
        return {
            "k_reached": self.k_,
            "l1_distance": self.l1_distance_,
            "modified_edges": self.n_modified_edges_,
        }

    def _supergraph(self, graph: Graph, rng: np.random.Generator) -> Edits:
        """Add edges; units that find no place raise low degrees, more each time."""
        noise = 0
        greedy = self.sequence == "greedy"
        for number in range(PROBES):
            tell_progress(number / PROBES)
            shuffled = rng.permutation(graph.n_nodes)
            targets = np.empty(graph.n_nodes, np.int64)
            targets[shuffled] = raised_sequence(
                graph.degrees[shuffled], self.k, noise, greedy=greedy
            )
            edits, left = by_addition(graph, targets, rng)
            if not left:
                return edits
            noise += max(left, noise)
        raise InfeasibleError(
            f"added edges alone did not make {graph.n_nodes} nodes {self.k}-anonymous "
            f"in {PROBES} attempts; construction='endpoint-moves' may drop some too."
        )

    def _fewest_changes(self, graph: Graph, rng: np.random.Generator) -> Edits:
        """The graph with the fewest modified edges of several."""
        with part_of_progress(0, 2):
            falling = -np.sort(-self._target_degrees(graph.degrees, rng))
        best, fewest, least = None, graph.n_edges + 1, graph.n_nodes**2
        for number in range(self.n_starts):
            tell_progress((1 + number / self.n_starts) / 2)
            targets = _by_rank(graph.degrees, falling, rng)
            if self.construction == "relaxed":
                edits, left = by_relaxation(graph, targets, rng), 0
            else:
                edits, left = by_moves(graph, targets, rng)
            least = min(least, left)
            missing = int(edits.n_missing.sum()) // 2
            if not left and missing < fewest:
                best, fewest = edits, missing
        if best is None:
            raise InfeasibleError(
                f"{least} units of degree could not be moved between the "
                f"{graph.n_nodes} nodes; construction='relaxed' builds another graph."
            )
        return best

    def _target_degrees(
        self, degrees: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        if self.sequence == "liu-terzi":
            return liu_terzi_sequence(degrees, self.k, additions_only=False)
        if self.sequence == "greedy":
            return greedy_sequence(degrees, self.k, additions_only=False)
        if self.sequence == "exact":
            targets = exact_sequence(degrees, self.k, max_states=self.max_states)
        else:
            targets = genetic_sequence(
                degrees,
                self.k,
                fitness=self.fitness,
                population_size=self.population_size,
                n_offspring=self.n_offspring,
                n_replace=self.n_replace,
                max_iter=self.max_iter,
                max_iter_no_improve=self.max_iter_no_improve,
                random_state=rng,
            )
        if not is_graphical(targets):
            raise InfeasibleError(
                f"the degrees that sequence={self.sequence!r} found for "
                f"{len(degrees)} nodes are those of no simple graph; "
                "sequence='liu-terzi' repairs such degrees."
            )
        return targets


def _by_rank(
    degrees: np.ndarray, falling: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Targets by rank of degree, which is nearest; equals take turns by chance."""
    shuffled = rng.permutation(len(degrees))
    targets = np.empty(len(degrees), np.int64)
    targets[shuffled[np.argsort(-degrees[shuffled], kind="stable")]] = falling
    return targets

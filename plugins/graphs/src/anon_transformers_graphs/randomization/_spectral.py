"""Random changes that keep two eigenvalues (Ying and Wu 2008)."""

from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import InfeasibleError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._kernels.edge_tables import table_of
from anon_transformers_graphs.randomization._edge_changes import (
    check_kept,
    check_room,
    share_of_edges,
)
from anon_transformers_graphs.randomization._kernels.spectral import (
    Screen,
    screened_replacements,
    screened_switches,
)
from anon_transformers_graphs.randomization._spectrum import Spectrum, spectrum_of

MODES = ("add-delete", "switch")
BATCH = 64
"""Steps between two exact eigenvalues at first; doubled after each success."""
MAX_REFUSED = 100
"""Single steps in a row that an exact eigenvalue refuses."""


class SpectralRandomizer(GraphAnonymizer):
    """Replace or switch edges so that two eigenvalues stay near their values.

    These are λ1, the largest eigenvalue of the adjacency matrix, and μ2, the second
    smallest of the Laplacian; diameter, clusters and the spread of things along edges
    depend on them. Steps are drawn at random and screened by a first-order estimate;
    the eigenvalues themselves are computed after each batch, which is undone if they
    moved too far. They are computed again for the graph that is published. Nothing is
    promised about privacy.

    Parameters
    ----------
    mode : {"switch", "add-delete"}, default="switch"
        A step of `RandomSwitch`, or one of `RandomAddDelete`.
    p : float, default=0.1
        Share of the edges, from 0 to 1: ``round(p * edges)`` steps.
    eps_lambda, eps_mu : float, default=0.5 and 0.1
        How far λ1 and μ2 may move.
    max_failures : int, default=100_000
        Draws in a row that do not pass the screen before `InfeasibleError`.
    relabel, reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    lambda1_, mu2_ : float
        The eigenvalues of the published graph.
    n_steps_ : int
        Steps done.
    n_undone_ : int
        Steps that were done and undone.
    n_added_, n_removed_ : int
        Edges that are new, and those that were removed.
    evidence_ : GraphEvidence
        The published graph.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    Notes
    -----
    μ2 of a graph that is not connected is 0. Eigenvalues are found by Lanczos' method,
    to ten digits; μ2 takes long where clusters are connected by few edges.

    References
    ----------
    .. [1] X. Ying and X. Wu, "Randomizing social networks: a spectrum preserving
       approach", SDM, 2008.

    Examples
    --------
    >>> import networkx as nx
    >>> karate = nx.karate_club_graph()
    >>> randomizer = SpectralRandomizer(p=0.2, reduce=True, random_state=0).fit(karate)
    >>> abs(randomizer.lambda1_ - 6.7257) <= 0.5, abs(randomizer.mu2_ - 0.4685) <= 0.1
    (True, True)
    >>> randomizer.n_steps_
    16
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It promises nothing about privacy: only that two eigenvalues stay near "
        "their values.",
    )

    def __init__(
        self,
        mode: Literal["switch", "add-delete"] = "switch",
        *,
        p: float = 0.1,
        eps_lambda: float = 0.5,
        eps_mu: float = 0.1,
        max_failures: int = 100_000,
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
        self.mode = mode
        self.p = p
        self.eps_lambda = eps_lambda
        self.eps_mu = eps_mu
        self.max_failures = max_failures

    @classmethod
    def test_instances(cls) -> list["SpectralRandomizer"]:
        """Configurations that the contract checks run on."""
        return [cls(), cls("add-delete")]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("mode", self.mode, MODES)
        real("p", self.p, 0, 1)
        real("eps_lambda", self.eps_lambda, 0)
        real("eps_mu", self.eps_mu, 0)
        whole("max_failures", self.max_failures)

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        self.n_steps_, self.n_undone_ = 0, 0
        wanted = share_of_edges(graph, self.p)
        if self.mode == "add-delete":
            check_room(graph, wanted)
        if not graph.n_edges:
            self.lambda1_, self.mu2_ = 0.0, 0.0
            return graph
        # By Perron and Frobenius the vector of λ1 has no negative entry: a positive
        # start is never orthogonal to it, so that the search cannot miss λ1.
        start = 0.5 + rng.random(graph.n_nodes)
        original = spectrum_of(graph.edges, start)
        edges = self._randomized(graph, wanted, original, start, rng)
        altered = graph.with_edges(edges, rng)
        check_kept(graph, altered, degrees=self.mode == "switch")
        published = spectrum_of(altered.edges, start)
        self.lambda1_, self.mu2_ = published.values.tolist()
        if not self._is_near(published, original):
            raise InfeasibleError(
                "λ1 or μ2 of the result, computed anew, is not within its limit."
            )
        return altered

    def _is_near(self, spectrum: Spectrum, original: Spectrum) -> bool:
        moved = np.abs(spectrum.values - original.values)
        return bool((moved <= [self.eps_lambda, self.eps_mu]).all())

    def _randomized(
        self,
        graph: Graph,
        wanted: int,
        original: Spectrum,
        start: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Edges after all steps; a batch that moves a value too far is made smaller."""
        edges, spectrum = graph.edges.copy(), original
        batch, refused = BATCH, 0
        while self.n_steps_ < wanted:
            trial = edges.copy()
            batch = min(batch, wanted - self.n_steps_)
            n_done = self._batch(
                graph, trial, batch, _screen(self, spectrum, original), rng
            )
            found = spectrum_of(trial, start, near=spectrum) if n_done else spectrum
            if n_done and self._is_near(found, original):
                edges, spectrum = trial, found
                self.n_steps_ += n_done
                batch, refused = 2 * batch, 0
                continue
            self.n_undone_ += n_done
            batch = max(n_done // 4, 1)
            refused += n_done == 1
            if not n_done or refused >= MAX_REFUSED:
                raise InfeasibleError(
                    f"after {self.n_steps_} of {wanted} steps no further one was found "
                    "that keeps λ1 and μ2 within eps_lambda and eps_mu."
                )
        return edges

    def _batch(
        self,
        graph: Graph,
        edges: np.ndarray,
        n_steps: int,
        screen: Screen,
        rng: np.random.Generator,
    ) -> int:
        """Steps that pass the screen, done on ``edges``; how many."""
        limit = int(self.max_failures)
        if self.mode == "switch":
            table = table_of(edges, graph.n_nodes, 0)
            return screened_switches(
                edges, table, graph.n_nodes, n_steps, screen, limit, rng
            )
        n_left = graph.n_edges - self.n_steps_
        known = np.concatenate([graph.edges, edges[n_left:]])
        table = table_of(known, graph.n_nodes, n_steps)
        return screened_replacements(
            edges, table, graph.n_nodes, n_left, n_steps, screen, limit, rng
        )

    def _details(self) -> dict[str, Any]:
        return {
            "steps": self.n_steps_,
            "undone": self.n_undone_,
            "lambda1": self.lambda1_,
            "mu2": self.mu2_,
        }


def _screen(
    randomizer: SpectralRandomizer, spectrum: Spectrum, original: Spectrum
) -> Screen:
    """Estimates start from what was computed last."""
    return Screen(
        spectrum.lambda1.vector,
        spectrum.mu2.vector,
        spectrum.values - original.values,
        np.array([randomizer.eps_lambda, randomizer.eps_mu], dtype=float),
    )

"""Anonymizers of graphs."""

import time
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from anon_transformers.base._base import BaseAnonymizer
from anon_transformers.evidence import Classes, Report
from anon_transformers.evidence._graph import GraphEvidence
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    LabelsLeftOutWarning,
    TellingWeightsWarning,
    WeightsLeftOutWarning,
    check_choice,
    level_of_caller,
)
from anon_transformers.graphs._form import GraphForm
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._names import new_names, with_more_names
from anon_transformers.graphs._opening import open_graph
from anon_transformers.graphs._tables import WEIGHT
from anon_transformers.graphs._weights import TELLING, telling_weights
from anon_transformers.metrics import AverageRisk, HighestRisk, class_statistics
from anon_transformers.parameters import generator
from anon_transformers.privacy import (
    PrivacyModel,
    Verdict,
    describe_level,
    describe_model,
    judge,
)


class GraphAnonymizer(BaseAnonymizer):
    """Anonymizer of simple undirected graphs.

    A subclass implements ``_alter(graph, rng)``, which returns what is to be published,
    and ``_promises()``, the models that must hold for it. This class does the rest: it
    opens the graph, judges the result, gives its nodes new names and writes it in the
    form it came in. A promise that does not hold raises; nothing weaker is returned.

    Parameters
    ----------
    relabel : bool, default=True
        Give nodes new names, random letters and a number such as ``nkwqz0``, in random
        order; no new name is an old one, and none depends on who was called how. False
        keeps names and order, for comparisons: a graph with names on it protects
        nobody. Nodes that the method adds then have names that nobody had.
    reduce : bool, default=False
        Take richer graphs too, without their directions, loops and parallel edges;
        without it they are refused. Labels of nodes that the method does not protect
        are left out either way, and with this without a warning.
    weights : {"drop", "carry"}, default=None
        Whether edges are published with their weights. None leaves them out with a
        ``WeightsLeftOutWarning``, "drop" (or ``reduce=True``) without it. No method
        protects weights: if those around a node are unique for more than 5 % of the
        nodes, "carry" raises a ``TellingWeightsWarning``.
    keep_mapping : bool, default=False
        Keep which node became which. Whoever has this knows everybody.
    random_state : int or Generator, default=None
        Whoever knows it can undo the new names. None: fresh entropy.

    Attributes
    ----------
    uses_labels : bool
        Of the class: whether it protects labels of nodes; others leave them out, with a
        :class:`~anon_transformers.exceptions.LabelsLeftOutWarning`.
    columns_made : tuple of str
        Of the class: columns that it publishes and the input has not.
    loss_means : str
        Of the class: what the loss is a share of, after the number.
    n_added_, n_removed_ : int
        Edges that are new in the published graph, and those that went.
    evidence_ : GraphEvidence
        The published graph as it was judged.
    mapping_ : dict
        New name by old name; only with ``keep_mapping=True``.
    report_ : Report
        Loss, risk and time, in numbers. ``rows`` counts nodes, ``classes`` describes
        nodes that readers cannot tell apart by what the method protects (degrees, if
        it does not say more), and ``loss`` is what ``loss_means`` says. Where weights
        are published, ``details`` holds ``telling_weights``, the share of nodes that
        those around them tell apart: whoever knows them finds these nodes.
    """

    kind: ClassVar[str] = "graph"
    k_model: ClassVar[str] = "k-degree"
    row_bound: ClassVar[bool] = True
    uses_labels: ClassVar[bool] = False
    columns_made: ClassVar[tuple[str, ...]] = ()
    loss_means: ClassVar[str] = "of the edges are in one of the graphs only"
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {
            "_alike",
            "_alter",
            "_classes",
            "_combined_k",
            "_details",
            "_edge_changes",
            "_evidence",
            "_landed",
            "_loss",
            "_promises",
        }
    )
    relabel: bool
    reduce: bool
    weights: str | None
    keep_mapping: bool
    random_state: int | np.random.Generator | None

    def __init__(
        self,
        *,
        relabel: bool = True,
        reduce: bool = False,
        weights: str | None = None,
        keep_mapping: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        self.relabel = relabel
        self.reduce = reduce
        self.weights = weights
        self.keep_mapping = keep_mapping
        self.random_state = random_state

    @abstractmethod
    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """The graph to publish, its nodes in the order of ``graph``: a random one."""

    def _promises(self) -> Sequence[PrivacyModel]:
        """Models that the published graph satisfies."""
        return ()

    def _evidence(self, published: Graph) -> GraphEvidence:
        """What the promises are judged on."""
        return GraphEvidence(published)

    def _landed(self, n_nodes: int) -> np.ndarray:
        """For each node that was given its node in the published graph."""
        return np.arange(n_nodes)

    def _alike(self, published: Graph) -> np.ndarray:
        """One number per node, the same for nodes that readers cannot tell apart."""
        return published.degrees

    def _classes(self, published: Graph) -> Classes:
        """Nodes that readers cannot tell apart, for the report."""
        _, labels = np.unique(self._alike(published), return_inverse=True)
        return Classes.from_labels(labels, int(labels.max()) + 1)

    def _edge_changes(self, graph: Graph, published: Graph) -> tuple[int, int]:
        """Edges added and removed; new nodes may have come after those of ``graph``."""
        common = Graph(published.n_nodes, graph.edges).common_edges(published)
        return published.n_edges - common, graph.n_edges - common

    def _loss(self, graph: Graph, published: Graph) -> float:
        """Share of the edges of either graph that the other has not."""
        total = graph.n_edges + published.n_edges
        return (self.n_removed_ + self.n_added_) / total if total else 0.0

    def _combined_k(self, graph: Graph, published: Graph) -> int | None:
        """Nodes alike for who knows degrees of both graphs; None if it means nothing.

        Told, never gated.
        """
        return max(_smallest(graph), _smallest(published))

    def _details(self) -> dict[str, Any]:
        """What the report should hold beside the common numbers."""
        return {}

    def fit(self, X: Any, y: Any = None):
        """Alter the graph, and keep the report only.

        Parameters
        ----------
        X : graph in any form
            The graph to be protected.
        y : ignored
            Not used.

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Publish the graph so that every promise holds, or raise.

        Parameters
        ----------
        X : edge table, pair of tables, networkx graph or sparse matrix
            The graph to be protected.
        y : ignored
            Not used.

        Returns
        -------
        graph
            In the form of ``X``.
        """
        started = time.perf_counter()
        # The report comes last: after a fit that fails nothing passes for fitted.
        for name in [n for n in vars(self) if n.endswith("_")]:
            del self.__dict__[name]
        self._check_parameters()
        graph, form = self._open(X)
        rng = generator(self.random_state)
        # Methods break ties by the order of the nodes, which says who came first in
        # the source: they get the nodes in another one.
        shuffle = rng.permutation(graph.n_nodes)
        shuffled = graph.relabeled(shuffle)
        altered = self._alter(shuffled, rng)
        evidence = self._evidence(altered)
        verdicts = self._keep_promises(evidence)
        landed = self._landed(graph.n_nodes)[shuffle]
        places, naming = _in_source_order(landed, altered.n_nodes), graph.naming
        if self.relabel:
            places = rng.permutation(altered.n_nodes)
            # One mark for one order: of the same names in the same new order only.
            naming = f"{graph.naming or ''}{rng.bytes(16).hex()}"
        evidence = evidence.relabeled(places, naming)
        names = self._names(form, altered, places[landed], rng)
        self.evidence_ = evidence
        report = self._report(shuffled, altered, verdicts, started)
        _warn_of_weights(report)
        if self.keep_mapping:
            new = places[landed] if names is None else names[places[landed]]
            self.mapping_ = dict(zip(form.names.tolist(), new.tolist(), strict=True))
        self.report_ = report
        return form.write(evidence.published, names)

    def _names(
        self,
        form: GraphForm,
        altered: Graph,
        landed: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray | None:
        """A name for each published node; None in a form that has none."""
        if not form.names_nodes_of(altered):
            return None
        # Groups of nodes are no nodes of the input, and have none of their names.
        same = np.array_equal(landed, np.arange(len(form.names)))
        if self.relabel or not same:
            return new_names(altered.n_nodes, form.names.tolist(), rng)
        return with_more_names(form.names, altered.n_nodes)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "report_")

    def _check_parameters(self) -> None:
        for key in ("relabel", "reduce", "keep_mapping"):
            check_choice(key, getattr(self, key), (False, True))
        if self.weights is not None:
            check_choice("weights", self.weights, ("carry", "drop"))
        generator(self.random_state)

    def _open(self, X: Any) -> tuple[Graph, GraphForm]:
        graph, form = open_graph(X, reduce=self.reduce)
        if not graph.n_nodes:
            raise DataError("the graph is empty: it has no nodes.")
        weights, labels = graph.weights, graph.labels
        if self.weights != "carry":
            if weights is not None and self.weights is None and not self.reduce:
                self._warn_of_lost_weights(len(weights))
            weights = None
        if labels is not None and not self.uses_labels:
            if not self.reduce:
                n_labels = labels.shape[1]
                subject = (
                    "1 label of nodes is"
                    if n_labels == 1
                    else f"{n_labels} labels of nodes are"
                )
                warnings.warn(
                    f"{subject} left out: this method does not protect what nodes are "
                    "labeled with, and would publish it as it is. reduce=True leaves "
                    "labels out without this warning.",
                    LabelsLeftOutWarning,
                    stacklevel=level_of_caller(),
                )
            labels = None
        if weights is not graph.weights or labels is not graph.labels:
            graph = Graph(graph.n_nodes, graph.edges, weights, labels, graph.naming)
        self._refuse_taken(graph, form)
        return graph, form

    def _warn_of_lost_weights(self, n_weights: int) -> None:
        """Warn that weights are left out; say which parameter decides it."""
        ways = "reduce=True leaves them out without this warning."
        if "weights" in self.get_params(deep=False):
            ways = (
                'weights="carry" publishes them, weights="drop" leaves them out '
                "without this warning."
            )
        warnings.warn(
            f"the weights of {n_weights} edges are left out: no method protects "
            f"weights. {ways}",
            WeightsLeftOutWarning,
            stacklevel=level_of_caller(),
        )

    def _refuse_taken(self, graph: Graph, form: GraphForm) -> None:
        """Refuse columns that are called like those that the method makes."""
        labels = [] if graph.labels is None else list(graph.labels.columns)
        taken = {*labels, *form.columns} & {*self.columns_made}
        if taken:
            raise DataError(
                f"columns {', '.join(sorted(map(str, taken)))}: the method makes such "
                "columns; give yours other names."
            )

    def _keep_promises(self, evidence: GraphEvidence) -> list[Verdict]:
        """Judge the result; what does not hold is not returned."""
        verdicts = [judge(model, evidence) for model in self._promises()]
        for verdict in verdicts:
            if not verdict.passed:
                raise InfeasibleError(
                    f"{describe_model(verdict.model)} was not reached: its level is "
                    f"{describe_level(verdict.level)}, and {verdict.failing} of "
                    f"{verdict.units} units fail."
                )
        return verdicts

    def _report(
        self, graph: Graph, altered: Graph, verdicts: list[Verdict], started: float
    ) -> Report:
        self.n_added_, self.n_removed_ = self._edge_changes(graph, altered)
        classes = self._classes(altered)
        details: dict[str, Any] = {
            "edges": graph.n_edges,
            "edges_added": self.n_added_,
            "edges_removed": self.n_removed_,
        }
        combined = self._combined_k(graph, altered)
        if combined is not None:
            details["k_combined"] = combined
        published_weights = graph.weights is not None and altered.weights is not None
        # Weights that the method makes itself are no weights of the input.
        if published_weights and WEIGHT not in self.columns_made:
            details["telling_weights"] = telling_weights(altered)
        return Report(
            method=type(self).__name__,
            rows=graph.n_nodes,
            suppressed_rows=0,
            extra_suppressed_rows=0,
            classes=asdict(class_statistics(classes)),
            models=tuple(verdict.to_dict() for verdict in verdicts),
            loss=self._loss(graph, altered),
            column_losses={},
            risk={m.name: m.measure(classes) for m in (AverageRisk(), HighestRisk())},
            seconds=time.perf_counter() - started,
            details=details | self._details(),
        )


def _in_source_order(landed: np.ndarray, n_published: int) -> np.ndarray:
    """A place for each published node: by its first node of the source, made up last.

    Examples
    --------
    >>> _in_source_order(np.array([2, 0, 2]), 4)
    array([1, 2, 0, 3])
    """
    held, firsts = np.unique(landed, return_index=True)
    made_up = np.setdiff1d(np.arange(n_published), held)
    places = np.empty(n_published, dtype=np.int64)
    places[np.concatenate([held[np.argsort(firsts)], made_up])] = np.arange(n_published)
    return places


def _smallest(graph: Graph) -> int:
    """Nodes of the rarest degree."""
    return int(graph.degree_histogram[graph.degrees].min())


def _warn_of_weights(report: Report) -> None:
    """Say how many nodes are told apart by weights, which no method protects."""
    share = report.details.get("telling_weights", 0.0)
    if share > TELLING:
        warnings.warn(
            f"{share:.1%} of the nodes are published with weights around them that "
            f"no other node has (more than {TELLING:.0%}): whoever knows weights "
            'finds them. No method protects weights; weights="drop" leaves them '
            "out.",
            TellingWeightsWarning,
            stacklevel=level_of_caller(),
        )

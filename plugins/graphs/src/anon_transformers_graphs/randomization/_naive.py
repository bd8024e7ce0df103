"""New names for nodes, and nothing else."""

from typing import ClassVar

import numpy as np

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import ParameterError
from anon_transformers.graphs import Graph


class NaiveAnonymizer(GraphAnonymizer):
    """Give nodes new names in random order, and change nothing else.

    Edges stay as they are. Every other anonymizer does this too. Alone it protects
    little: whoever knows some edges around a person may find that person by them.

    Parameters
    ----------
    relabel : bool, default=True
        New names are all that this method does: False is refused.
    reduce, weights, keep_mapping, random_state
        As for every anonymizer of graphs.

    Attributes
    ----------
    evidence_ : GraphEvidence
        The published graph.
    mapping_ : dict
        New name by old name; only with ``keep_mapping=True``. Never publish it.
    report_ : Report
        Nodes by degree, loss, risk and time, in numbers.

    Examples
    --------
    >>> import networkx as nx
    >>> friends = nx.Graph([("Ann", "Bob"), ("Bob", "Eve")])
    >>> anonymizer = NaiveAnonymizer(keep_mapping=True, random_state=1)
    >>> sorted(name[-1] for name in anonymizer.fit_transform(friends))
    ['0', '1', '2']
    >>> sorted(anonymizer.mapping_)
    ['Ann', 'Bob', 'Eve']
    """

    not_promised: ClassVar[tuple[str, ...]] = (
        "It promises nothing: who knows some edges around a person may find that "
        "person by them.",
    )

    def __init__(
        self,
        *,
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

    @classmethod
    def test_instances(cls) -> list["NaiveAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [cls()]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.relabel:
            raise ParameterError(
                "relabel must be True, got False: without new names this method would "
                "publish the graph as it is."
            )

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        return graph

"""A published graph as a gate sees it: an edge table, and maybe a node table."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable, unknown_choice
from anon_transformers.graphs import open_graph

ENDS = 2


def graph_evidence(
    frame: pd.DataFrame,
    ends: Sequence[Hashable],
    nodes: pd.DataFrame | None,
    functions: np.ndarray | None,
) -> GraphEvidence:
    """The graph whose edges ``frame`` lists, judged alone: no original is known here.

    ``ends`` are the two columns that name nodes. Without a node table, a row without a
    second name is a node without edges.
    """
    if len(ends) != ENDS:
        raise NotEvaluable(
            "it judges a graph, whose edges have two columns of node names; "
            f"quasi_identifiers names {len(ends)}."
        )
    for name in ends:
        if name not in frame.columns:
            raise NotEvaluable(unknown_choice("column", name, frame.columns))
    edges = frame[list(ends)]
    graph, _ = open_graph(edges if nodes is None else (edges, nodes))
    return GraphEvidence(graph, functions=functions)

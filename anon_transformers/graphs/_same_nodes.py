"""Two graphs of the same nodes, side by side."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._form import GraphForm
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._names import mapped_names, matched, renamed_nodes
from anon_transformers.graphs._opening import open_graph


def open_same_nodes(
    original: Any, published: Any, mapping: Mapping[Any, Hashable] | None = None
) -> tuple[Graph, Graph, np.ndarray]:
    """Open a graph and what was published of it, with their nodes in one order.

    Nodes of one name are one node. A ``Graph`` and a matrix have no names: beside one
    of them only the order counts. A published graph that shares no name with its
    original, or a ``Graph`` that was renamed since, is refused without a ``mapping``.
    Published nodes that the original lacks are noise nodes; without names only a
    ``mapping`` tells which ones they are.

    Parameters
    ----------
    original, published : graph in any form
        The same nodes, and perhaps noise nodes in what is published.
    mapping : mapping, optional
        New name by old name, as ``mapping_`` of an anonymizer with
        ``keep_mapping=True``; for a ``Graph`` or a matrix, new place by old place.

    Returns
    -------
    original, published : Graph
        Node ``i`` of the one is node ``i`` of the other. Noise nodes come last.
    names : array
        Name of each node in the original.

    Raises
    ------
    DataError
        If they are not the same nodes, or nobody can tell.

    Examples
    --------
    >>> import pandas as pd
    >>> one = pd.DataFrame({"a": ["Ann", "Bob"], "b": ["Bob", "Eve"]})
    >>> other = pd.DataFrame({"a": ["n1", "n1"], "b": ["n0", "n2"]})
    >>> new = {"Ann": "n2", "Bob": "n1", "Eve": "n0"}
    >>> before, after, names = open_same_nodes(one, other, new)
    >>> before.common_edges(after), names.tolist()
    (2, ['Ann', 'Bob', 'Eve'])
    """
    before, form = open_graph(original)
    after, new_form = open_graph(published)
    places = same_nodes((before, form), (after, new_form), mapping, noise=True)
    # Who is who is known now, which is all that a renamed graph lacks.
    before = before.relabeled(np.arange(before.n_nodes))
    return before, after.relabeled(places), form.names


def same_nodes(
    original: tuple[Graph, GraphForm],
    published: tuple[Graph, GraphForm],
    mapping: Mapping[Any, Hashable] | None = None,
    *,
    noise: bool = False,
) -> np.ndarray:
    """For each published node the original one that it is.

    With ``noise`` there may be nodes that the original lacks, numbered after its own.
    """
    (before, form), (after, new_form) = original, published
    named = mapping is not None or (form.named and new_form.named)
    if before.n_nodes != after.n_nodes and not (named and noise):
        why = (
            "for only names or a mapping tell which nodes are new"
            if noise
            else "and noise nodes are not accepted here"
        )
        raise DataError(
            f"the original has {before.n_nodes} nodes and what is published "
            f"{after.n_nodes}: they cannot be compared node by node, {why}."
        )
    if mapping is not None:
        among = mapped_names(form.names, mapping)
        return matched(new_form.names.tolist(), among, noise=noise)
    if named:
        return matched(new_form.names.tolist(), form.names.tolist(), noise=noise)
    if before.naming != after.naming:
        raise renamed_nodes()
    return np.arange(after.n_nodes)

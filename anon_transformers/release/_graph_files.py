"""The reader of graphs that lie in two files."""

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import pandas as pd

from anon_transformers.exceptions import ParameterError
from anon_transformers.release._file_kinds import kind_of_file


class GraphFiles:
    """Read a graph from a file of edges, and one of nodes if there is one.

    Parameters
    ----------
    edges : path
        A file of any registered kind: two columns of node names, and maybe weights.
    nodes : path, optional
        First a column of names, then labels.
    exact : sequence of str
        Columns of CSV files that are taken for numbers only where that gives every
        text back.

    Returns
    -------
    tuple of DataFrame and (DataFrame or None)
        Edges and nodes.
    """

    kind: ClassVar[str] = "graph"

    def __call__(
        self,
        edges: str | os.PathLike[str],
        nodes: str | os.PathLike[str] | None = None,
        *,
        exact: Sequence[str] = (),
    ) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Read both files."""
        listed = None if nodes is None else _read_table(nodes, exact)
        return _read_table(edges, exact), listed


read_graph = GraphFiles()


def _read_table(path: str | os.PathLike[str], exact: Sequence[str]) -> pd.DataFrame:
    from anon_transformers.registry import registry

    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"edges and nodes are files, got {path!r}.")
    readers = registry().readers
    kind = kind_of_file(path, readers)
    # Names are texts that look like numbers: 1.1 and 1.10 are two persons.
    options: dict[str, Any] = {"exact": exact} if kind == "csv" else {}
    return readers[kind](path=path, **options)

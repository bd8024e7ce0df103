"""The three graphs of the source, from files or from networkx."""

import gzip
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph

FILE = "{}.edges.gz"


def read_graphs(
    folder: str | os.PathLike[str] | None, data_sets: Mapping[str, Any]
) -> Iterator[tuple[str, Graph]]:
    """Graphs that the folder has; karate comes from networkx if it is not there."""
    for name, given in data_sets.items():
        file = None if folder is None else Path(folder) / FILE.format(name)
        if file is not None and file.is_file():
            yield name, _read(file, given)
        elif name == "karate":
            yield name, _karate()


def _read(file: Path, given: Mapping[str, Any]) -> Graph:
    """Two names per line; any other graph than that of the source is refused."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            table = pd.read_csv(lines, sep=r"\s+", comment="#", header=None, dtype=str)
    except (ValueError, OSError) as error:  # the message may quote the file
        raise DataError(
            f"{file}: cannot be read as pairs of names ({type(error).__name__})."
        ) from None
    graph, _ = open_graph(table)
    found, wanted = (graph.n_nodes, graph.n_edges), (given["nodes"], given["edges"])
    if found != wanted:
        raise DataError(
            f"{file} has {found[0]} nodes and {found[1]} edges, not {wanted[0]} and "
            f"{wanted[1]}."
        )
    return graph


def _karate() -> Graph:
    """Zachary's karate club without its weights."""
    club = nx.karate_club_graph()
    return Graph(len(club), np.array(club.edges))

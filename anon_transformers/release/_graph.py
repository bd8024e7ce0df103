"""Releases of graphs: an edge file and a node file, from source to candidate."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ReleaseError,
    TellingWeightsWarning,
    unknown_choice,
)
from anon_transformers.graphs import open_graph, telling_weights
from anon_transformers.graphs._tables import ENDS, NODE, WEIGHT
from anon_transformers.release._build import installed
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._files import (
    columns_of_file,
    kind_of_file,
    read_parquet,
    write_parquet,
)
from anon_transformers.release._names import refuse_undeclared
from anon_transformers.release._run import Run, sha256

NODES = "nodes"
"""Name of the second table of a graph, beside its edges."""

FUNCTIONS = "functions.parquet"
"""Private evidence: maps of nodes to nodes that are claimed to be automorphisms."""

OPTIONS = ("edges", "nodes")


def read_graph(config: ReleaseConfig) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Edges and nodes of the source; nodes that no file lists are those of the edges.

    The edge file has two columns of node names and maybe one of weights, the node file
    first a column of names and then labels.
    """
    options = config.source.options
    for key in options:
        if key not in OPTIONS:
            raise ConfigurationError(f"source: {unknown_choice('key', key, OPTIONS)}")
    if config.source.path is not None or "edges" not in options:
        raise ConfigurationError(
            "source: a graph has edges, a file, and maybe nodes, another one, and no "
            "path."
        )
    edges, nodes = (_read(config, name) for name in OPTIONS)
    if edges is None:
        raise ConfigurationError("source.edges: name a file.")
    if not len(edges):
        raise DataError("source.edges: the file names no edge; there is no graph.")
    if nodes is None:
        nodes = pd.DataFrame({NODE: open_graph(edges)[1].names})
    check_graph_columns(edges, nodes, config)
    gone = [c for c in nodes.columns[1:] if c in config.roles.identifiers]
    return edges, nodes.drop(columns=gone)


def _read(config: ReleaseConfig, name: str) -> pd.DataFrame | None:
    given = config.source.options.get(name)
    if given is None:
        return None
    path = config.path(str(given))
    if not path.is_file():
        raise DataError(f"source.{name}: {path} does not exist.")
    readers = installed().readers
    kind = kind_of_file(path, readers)
    # Names are texts that look like numbers: 1.1 and 1.10 are two persons.
    options = {"exact": config.roles.columns} if kind == "csv" else {}
    names = columns_of_file(kind, path, options)
    if names is not None:  # before any cell is read
        refuse_undeclared(names, config.roles, f"source.{name}")
    table = readers[kind](path=path, **options)
    refuse_undeclared(list(table.columns), config.roles, f"source.{name}")
    return table


def check_graph_columns(
    edges: pd.DataFrame, nodes: pd.DataFrame, config: ReleaseConfig
) -> None:
    """Names of nodes are identifiers, weights insensitive, labels quasi-identifiers.

    Further columns of nodes that are identifiers, too, are left out.
    """
    roles = config.roles
    there = {*edges.columns, *nodes.columns}
    for column in roles.columns:
        if column not in there:
            raise DataError(f"roles: {unknown_choice('column', column, there)}")
    ends, weights = list(edges.columns[:ENDS]), list(edges.columns[ENDS:])
    named = list(nodes.columns[:1]) if config.source.options.get("nodes") else []
    labels = [c for c in nodes.columns[1:] if c not in roles.identifiers]
    for role, columns in (
        ("identifiers", [*ends, *named]),
        ("insensitive", weights),
        ("quasi_identifiers", labels),
    ):
        wrong = [str(c) for c in columns if c not in getattr(roles, role)]
        if wrong:
            raise DataError(
                f"columns {', '.join(wrong)} of a graph must be declared under "
                f"roles.{role}: names of nodes are identifiers, weights of edges are "
                "insensitive, labels of nodes are quasi_identifiers."
            )
    if roles.sensitive or roles.subject is not None:
        raise DataError("roles: a graph has no sensitive columns and no subject.")
    _refuse_labels(labels, config)
    open_graph((edges, nodes), reduce=bool(config.anonymizer.params.get("reduce")))


def _refuse_labels(labels: Sequence[Hashable], config: ReleaseConfig) -> None:
    """Refuse labels that the method does not protect, or would write itself."""
    method = installed().anonymizers[config.anonymizer.name]
    taken = [str(c) for c in labels if c in method.columns_made]
    if taken:
        raise DataError(f"columns {', '.join(taken)}: the method makes such columns.")
    if labels and not method.uses_labels:
        raise DataError(
            f"anonymizer {config.anonymizer.name} protects no labels of nodes, and "
            f"there are {len(labels)}; declare them as identifiers to leave them out."
        )


def weight_shares(
    edges: pd.DataFrame, nodes: pd.DataFrame, config: ReleaseConfig
) -> dict[str, float]:
    """Share of nodes that the weights around them tell apart, if they are published.

    How many degrees tell apart is not known before they have been changed.
    """
    if edges.shape[1] == ENDS or not carries_weights(config):
        return {}
    # A method that makes weights itself counts edges, and leaves those given out.
    if WEIGHT in installed().anonymizers[config.anonymizer.name].columns_made:
        return {str(edges.columns[2]): 0.0}
    graph, _ = open_graph((edges, nodes), reduce=True)
    return {str(edges.columns[2]): telling_weights(graph, beyond_degrees=True)}


def carries_weights(config: ReleaseConfig) -> bool:
    """Whether weights are published: a column with a role is, unless it says drop."""
    return config.anonymizer.params.get("weights", "carry") == "carry"


def published_weight_shares(
    tables: Mapping[str, pd.DataFrame], config: ReleaseConfig
) -> dict[str, float]:
    """Share of nodes that published weights of the source tell apart.

    Counted in the tables: a method may say another number, or none.
    """
    edges, nodes = tables.values()
    made = installed().anonymizers[config.anonymizer.name].columns_made
    if edges.shape[1] == ENDS or WEIGHT in made:
        return {}
    graph, _ = open_graph((edges, nodes), reduce=True)
    # Under the name that is declared; another one is the gate's to refuse.
    return dict.fromkeys(config.roles.insensitive, telling_weights(graph))


def graph_tables(run: Run, anonymizer: Any) -> dict[str, pd.DataFrame]:
    """The protected graph, its nodes renamed with fresh entropy, as two tables."""
    edges = read_parquet(run.path("input.parquet"))
    nodes = read_parquet(run.path(f"{NODES}.parquet"))
    anonymizer.weights = "carry" if carries_weights(run.config) else "drop"
    with warnings.catch_warnings():
        # More than the release accepts is refused, before this and after it.
        warnings.simplefilter("ignore", TellingWeightsWarning)
        published, listed = anonymizer.fit_transform((edges, nodes))
    return {"edges": published, NODES: listed}


def write_functions(draft: Path, anonymizer: Any) -> dict[str, Any]:
    """Keep the functions by which a graph was made automorphic, for the gate."""
    functions = anonymizer.evidence_.functions
    if functions is None:
        return {}
    table = pd.DataFrame(functions.T, columns=[str(i) for i in range(len(functions))])
    write_parquet(table, draft / FUNCTIONS)
    return {"functions_sha256": sha256(draft / FUNCTIONS)}


def read_functions(run: Run, candidate: dict[str, Any]) -> np.ndarray | None:
    """The functions that were kept, unchanged."""
    if "functions_sha256" not in candidate:
        return None
    file = run.path("candidate") / FUNCTIONS
    if sha256(file) != candidate["functions_sha256"]:
        raise ReleaseError(f"run {run.id}: its evidence of functions changed.")
    return read_parquet(file).to_numpy().T

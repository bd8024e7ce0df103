"""A graph as a form of data: an edge file and a node file, from source to gate.

The nodes of a candidate have the names that our rule gives, no cell holds a name that a
node had before, and labels and weights are those of the source, or cover them. An
anonymizer may come from anybody: what it says of the columns that it makes is not taken
for granted.
"""

import warnings
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.readings import NUMBER, read_text
from anon_transformers.evidence import SUPPRESSED, Report
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    TellingWeightsWarning,
    unknown_choice,
)
from anon_transformers.graphs import open_graph, telling_weights
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._names import are_new, new_names, places_of
from anon_transformers.graphs._tables import ENDS, NODE, WEIGHT
from anon_transformers.gx._judging import PrivateEvidence, Scope, private_evidence
from anon_transformers.gx._threshold import Threshold
from anon_transformers.metrics._cell_faults import invented_faults, said_of
from anon_transformers.metrics._coverage import Domain
from anon_transformers.registry import HOME, refuse_wrong_parameters
from anon_transformers.release._build import installed, make_hierarchies
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._config import ReleaseConfig, refused_under
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._faults import column_faults
from anon_transformers.release._file_kinds import known_kind
from anon_transformers.release._files import columns_of_file, read_parquet
from anon_transformers.release._forms import (
    INPUT,
    Candidate,
    Form,
    GateInput,
    levels,
    read_loaded,
)
from anon_transformers.release._identifiers import SHORTEST_NAME, Names
from anon_transformers.release._identifying_columns import INSENSITIVE_LIMIT
from anon_transformers.release._resolve import refuse_patterns_of_graphs
from anon_transformers.release._run import Run, sha256
from anon_transformers.release._source import call_reader, refuse_undeclared

NODES = "nodes"
"""Name of the second table of a graph, beside its edges."""

FUNCTIONS = "functions.parquet"
"""Private evidence: maps of nodes to nodes that are claimed to be automorphisms."""

KEYS = ("edges", "nodes")
"""The tables of a graph, in the order in which a reader returns them."""


class GraphTablesForm(Form):
    """Edges and nodes; the nodes of the candidate are renamed."""

    noun: ClassVar[str] = "a graph"
    counted: ClassVar[tuple[str, str]] = ("edges", "nodes")
    kinds: ClassVar[frozenset[str]] = frozenset({"graph"})
    is_one_table: ClassVar[bool] = False
    private_files: ClassVar[tuple[str, ...]] = (
        f"{INPUT}.parquet",
        f"{NODES}.parquet",
        f"candidate/{FUNCTIONS}",
    )

    @property
    def judged_columns(self) -> Sequence[str]:
        """Two columns; which ones name the ends is known when the file is read."""
        return ("source", "target")

    @property
    def published_columns(self) -> Sequence[str]:
        """All: the names of the columns that name nodes are published, too."""
        return self.config.roles.columns

    def judges(self, evidence: str) -> bool:
        """Whether it has this kind of evidence: of a graph alone."""
        return evidence == "graph"

    def refuse_wrong_options(self) -> None:
        """Refuse options that the reader of the source does not take, and patterns."""
        refuse_patterns_of_graphs(self.config)
        _reader_of(self.config.source.kind, _options(self.config))

    def read(self) -> dict[str, pd.DataFrame]:
        """Read the two files and check their columns and weights."""
        edges, nodes = read_graph(self.config)
        shares = weight_shares(edges, nodes, self.config)
        refuse_telling_weights(shares, self.config.roles)
        return {INPUT: edges, NODES: nodes}

    def write(
        self, run: Run, anonymizer: Any, draft: Path
    ) -> tuple[dict[str, pd.DataFrame], dict[str, Any], Report]:
        """Anonymize the graph, and rename its nodes with fresh entropy."""
        anonymizer.weights = "carry" if carries_weights(self.config) else "drop"
        with warnings.catch_warnings():
            # More than the release accepts is refused, before this and after it.
            warnings.simplefilter("ignore", TellingWeightsWarning)
            given = tuple(
                read_loaded(run, name, self.config) for name in (INPUT, NODES)
            )
            published, listed = anonymizer.fit_transform(given)
        # Read again: whoever was given a table may have written into it.
        old = read_loaded(run, NODES, self.config).iloc[:, 0].tolist()
        published, listed, places = renamed_anew(published, listed, old)
        shares = published_weight_shares(published, listed, self.config)
        refuse_telling_weights(shares, self.config.roles)
        tables = {"edges": published, NODES: listed}
        noted = write_functions(draft, anonymizer, places)
        return tables, noted, anonymizer.report_

    def numbers(
        self,
        tables: Sequence[pd.DataFrame],
        thresholds: Sequence[Threshold],
        suppression_label: str,
    ) -> dict[str, Any]:
        """Nodes, edges and levels of thresholds."""
        edges, nodes = tables
        scope = Scope(list(edges.columns[:ENDS]), suppression_label=suppression_label)
        with private_evidence(PrivateEvidence(nodes=nodes)):
            reached = levels(edges, scope, thresholds)
        return {
            "nodes": len(nodes),
            "edges": int(edges.iloc[:, 1].notna().sum()),
            "levels": reached,
        }

    def evidence(self, candidate: Candidate) -> GateInput:
        """The edges, with the nodes and functions of the graph."""
        edges, nodes = candidate.tables
        private = PrivateEvidence(nodes=nodes, functions=read_functions(candidate))
        return GateInput(edges, list(edges.columns[:ENDS]), private)

    def faults(self, candidate: Candidate) -> list[str]:
        """Other columns, names, labels or weights than the source allows."""
        edges, nodes = candidate.tables
        config, source = self.config, candidate.source
        listed = candidate.read_loaded(NODES)
        made = {*self.method.columns_made}
        names = [*source.columns[:ENDS], listed.columns[0]]
        wanted = {*map(str, names), *config.roles.quasi_identifiers}
        if carries_weights(config):
            wanted |= {*config.roles.insensitive}
        held = {str(name) for name in (*edges.columns, *nodes.columns)}
        faults = column_faults(held - made, wanted - made)
        if [*edges.columns[:ENDS], *nodes.columns[:1]] != names and not faults:
            faults.append(
                "the columns that name nodes are not the first of the candidate"
            )
        if faults:
            return faults
        faults = naming_faults(edges, nodes, listed.iloc[:, 0])
        graph, _ = open_graph((source, listed), reduce=True)
        weights, labels = edges.iloc[:, ENDS:], nodes.iloc[:, 1:]
        old = OldNames(listed.iloc[:, 0])
        hierarchies = make_hierarchies(config, config.roles.quasi_identifiers)
        for name in labels.columns:
            if name in listed.columns:
                hierarchy = hierarchies.get(str(name))
                stated = config.stated_values.get(str(name), ())
                faults += label_faults(listed[name], labels[name], hierarchy, stated)
                faults += old.faults(labels[name], compared_with=listed[name])
            else:
                faults += old.faults(labels[name], most=graph.n_nodes + graph.n_edges)
        for name in weights.columns:
            if name in source.columns and WEIGHT not in made:
                faults += weight_faults(graph, weights[name])
            else:
                faults += old.faults(weights[name], most=graph.n_edges)
        return faults


def read_graph(config: ReleaseConfig) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Edges and nodes of the source; nodes that no file lists are those of the edges.

    The edges have two columns of node names and maybe one of weights, the nodes first a
    column of names and then labels.
    """
    edges, nodes = _call_reader(config)
    if not len(edges):
        raise DataError("source.edges: the file names no edge; there is no graph.")
    roles = config.roles
    unused = [c for c in edges.columns[ENDS:] if c in roles.dropped]
    kept = edges.drop(columns=unused)
    if nodes is None:
        nodes = pd.DataFrame({NODE: open_graph(kept)[1].names})
    check_graph_columns(edges, nodes, config)
    hidden = {*roles.identifiers, *roles.dropped}
    gone = [c for c in nodes.columns[1:] if c in hidden]
    return kept, nodes.drop(columns=gone)


def _call_reader(config: ReleaseConfig) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Read with the reader that the source names, and check the columns."""
    readers, kind, options = installed().readers, config.source.kind, _options(config)
    reader = _reader_of(kind, options)
    for key, path in options.items():
        if not isinstance(path, Path):
            continue
        refuse_undeclared(_columns(path), config.roles, f"source.{key}")
    if "exact" in signature(reader).parameters:
        options["exact"] = config.roles.columns
    own = readers.owner(kind) == HOME
    with refused_under("source"):
        found = reader(**options) if own else call_reader(kind, reader, options)
    if not isinstance(found, tuple) or len(found) != len(KEYS):
        raise DataError(f"source: the reader {kind!r} gives no edges and nodes.")
    for key, table in zip(KEYS, found, strict=True):
        if table is not None:
            refuse_undeclared(list(table.columns), config.roles, f"source.{key}")
    return found


def _reader_of(kind: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The reader of a kind; refuses options that it does not take."""
    reader = installed().readers[kind]
    with refused_under("source"):
        refuse_wrong_parameters(reader, options)
    return reader


def _options(config: ReleaseConfig) -> dict[str, Any]:
    """What the reader is called with: files by where they lie."""
    if isinstance(config.source.path, tuple):
        raise ConfigurationError("source.path: a graph is read from one path.")
    files = {key: config.path(text) for key, text in config.source.files.items()}
    given = config.source.options
    if config.source.path is not None:
        given["path"] = config.source.path
    return {**given, **files}


def _columns(path: Path) -> list[str]:
    """The columns of a file before any cell is read, if they can be told."""
    return columns_of_file(known_kind(path) or "", path, {}) or []


def check_graph_columns(
    edges: pd.DataFrame, nodes: pd.DataFrame, config: ReleaseConfig
) -> None:
    """Names of nodes are identifiers, weights insensitive, labels quasi-identifiers.

    Further columns of nodes that are identifiers, too, are left out, as is everything
    that is declared as dropped.
    """
    roles = config.roles
    there = {*edges.columns, *nodes.columns}
    for column in roles.columns:
        if column not in there:
            raise DataError(f"roles: {unknown_choice('column', column, there)}")
    ends = list(edges.columns[:ENDS])
    weights = [c for c in edges.columns[ENDS:] if c not in roles.dropped]
    named = list(nodes.columns[:1]) if config.source.options.get("nodes") else []
    hidden = {*roles.identifiers, *roles.dropped}
    labels = [c for c in nodes.columns[1:] if c not in hidden]
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
    edges = edges[[*ends, *weights]]
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
            f"there are {len(labels)}; declare them as dropped to leave them out."
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
    edges: pd.DataFrame, nodes: pd.DataFrame, config: ReleaseConfig
) -> dict[str, float]:
    """Share of nodes that published weights of the source tell apart.

    Counted in the tables: a method may say another number, or none.
    """
    made = installed().anonymizers[config.anonymizer.name].columns_made
    if edges.shape[1] == ENDS or WEIGHT in made:
        return {}
    graph, _ = open_graph((edges, nodes), reduce=True)
    # Under the name that is declared; another one is the gate's to refuse.
    return dict.fromkeys(config.roles.insensitive, telling_weights(graph))


def refuse_telling_weights(shares: Mapping[str, float], roles: DeclaredRoles) -> None:
    """Refuse weights of edges that point at persons, unless they are accepted."""
    for column, share in shares.items():
        if share > INSENSITIVE_LIMIT and (column,) not in roles.accepted_sets:
            raise DataError(
                f"weights {column!r}: {share:.1%} of the nodes have weights around "
                f"them that no other node has (limit {INSENSITIVE_LIMIT:.0%}). Leave "
                "the column out, or accept it: roles.accept_unique."
            )


def renamed_anew(
    edges: pd.DataFrame, nodes: pd.DataFrame, old: Sequence[Hashable]
) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """The tables with other names, sorted by them, and the new place of each node.

    Names, the order of rows and which end of an edge comes first are drawn here:
    whoever gave them may have put into them who is who. Names that the gate refuses are
    left as they are, for it to refuse.
    """
    if naming_faults(edges, nodes, old):
        return edges, nodes, np.arange(len(nodes))
    rng = np.random.default_rng()
    places, names = rng.permutation(len(nodes)), new_names(len(nodes), old, rng)
    given = nodes.iloc[:, 0].tolist()
    ends = [places[places_of(edges.iloc[:, at].tolist(), given)] for at in range(ENDS)]
    pairs = np.sort(np.stack(ends, axis=1), axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    edges = edges.iloc[order].reset_index(drop=True)
    nodes = nodes.iloc[np.argsort(places)].reset_index(drop=True)
    called = pd.array(names)
    for at in range(ENDS):
        edges.isetitem(at, called.take(pairs[order, at]))
    nodes.isetitem(0, called)
    return edges, nodes, places


def write_functions(draft: Path, anonymizer: Any, places: np.ndarray) -> dict[str, Any]:
    """Keep the functions by which a graph was made automorphic, for the gate.

    Node ``i`` of the anonymizer is published as ``places[i]``.
    """
    functions = anonymizer.evidence_.functions
    if functions is None:
        return {}
    moved = np.empty_like(functions)
    moved[:, places] = places[functions]
    functions = moved
    table = pd.DataFrame(functions.T, columns=[str(i) for i in range(len(functions))])
    write_parquet(table, draft / FUNCTIONS)
    return {"functions_sha256": sha256(draft / FUNCTIONS)}


def read_functions(candidate: Candidate) -> np.ndarray | None:
    """The functions that were kept, unchanged."""
    noted = candidate.noted.get("functions_sha256")
    if noted is None:
        return None
    file = candidate.run.evidence_file(FUNCTIONS, noted, "functions")
    return read_parquet(file).to_numpy().T


def naming_faults(
    edges: pd.DataFrame, nodes: pd.DataFrame, old: Iterable[Any]
) -> list[str]:
    """Names of nodes that are others than those that nobody had before."""
    new = nodes.iloc[:, 0].tolist()
    faults = []
    if not are_new(new, old):
        faults.append(
            "the nodes of the candidate have other names than letters and a number"
        )
    strange = int((~edges.iloc[:, :ENDS].isin(new)).to_numpy().sum())
    if strange:
        faults.append(f"{strange} ends of edges have other names than the nodes")
    return faults


def weight_faults(graph: Graph, weights: pd.Series) -> list[str]:
    """Weights that the source does not have, or not so often.

    A new edge that no edge made room for may have the weight of any.
    """
    there = to_text(weights).value_counts()
    given = pd.Series(graph.weights, dtype=None if graph.n_edges else float)
    most = to_text(given).value_counts().reindex(there.index, fill_value=0)
    strange = int(there[most == 0].sum())
    beyond = int(np.maximum(there.to_numpy() - most.to_numpy(), 0).sum())
    beyond -= max(0, len(weights) - graph.n_edges)
    return _counted(weights, max(strange, beyond), "cells", "its source does not")


def label_faults(
    source: pd.Series, labels: pd.Series, hierarchy: Any, stated: Collection[str]
) -> list[str]:
    """Labels that stand for no value of the source, or more often than it has them.

    Nobody knows which node was which: labels are counted.
    """
    try:
        domain = Domain.of(_written(source), hierarchy)
        column = identify(_written(labels))
        cover = domain.cover(column, SUPPRESSED)
    except DataError as error:
        return [said_of(source.name, error)]
    most = np.asarray(cover @ domain.rows_by_value()).ravel()
    there = np.bincount(column.codes, minlength=len(most))
    beyond = int(np.maximum(there - most, 0).sum())
    return [
        *_counted(labels, beyond, "labels", "do not cover labels of the source"),
        *invented_faults(domain, column, SUPPRESSED, stated),
    ]


def _written(series: pd.Series) -> pd.Series:
    """Whole numbers without a point; a text without a character is missing."""
    if types.is_float_dtype(series.dtype) and (series.dropna() % 1 == 0).all():
        return series.astype("Int64")
    return series.mask(to_text(series) == "") if series.dtype == object else series


def _counted(series: pd.Series, n_rows: int, what: str, which: str) -> list[str]:
    if n_rows <= 0:
        return []
    return [f"column {series.name!r} holds {what} in {n_rows} rows that {which}"]


class OldNames:
    """Names that nodes had in the source, as people read them.

    A name of a few characters, or a number, is one only as a whole cell.
    """

    def __init__(self, names: pd.Series):
        self.whole = {read_text(text) for text in to_text(names).dropna()}
        spoken = (name for name in self.whole if not NUMBER.match(name))
        self.within = Names.at_least(SHORTEST_NAME, spoken)

    def faults(
        self,
        cells: pd.Series,
        *,
        compared_with: pd.Series | None = None,
        most: int = 0,
    ) -> list[str]:
        """Cells of a published column that hold such a name.

        Parameters
        ----------
        cells : Series
            The published column.
        compared_with : Series, optional
            The column of the source that it was compared with: short names and
            numbers that it holds, and numbers that stand for them, are labels.
        most : int, default=0
            Numbers that add up to no more than this are counts.
        """
        if _are_counts(cells, most):
            return []
        compared = compared_with is not None
        labels = set() if compared_with is None else _label_texts(compared_with)
        texts = to_text(_written(cells)).dropna().map(read_text)
        named = set()
        for text in texts.unique():
            is_label = text in labels or (compared and NUMBER.match(text))
            if self.within.stand_in(text) or (text in self.whole and not is_label):
                named.add(text)
        n_rows = int(texts.isin(named).sum())
        if not n_rows:
            return []
        return [
            f"column {cells.name!r} holds names of nodes of the source in {n_rows} rows"
        ]


def _label_texts(series: pd.Series) -> set[str]:
    """Labels that a column may have beside the suppression label, as people read."""
    texts = to_text(_written(series)).dropna().unique()
    return {SUPPRESSED, *map(read_text, texts)}


def _are_counts(cells: pd.Series, most: int) -> bool:
    """Whether a column holds whole numbers that count up to so many things.

    Sizes of groups may be the number of anybody; numbers of persons add up to more.
    """
    if not types.is_numeric_dtype(cells.dtype):
        return False
    numbers = cells.dropna()
    whole = bool((numbers >= 0).all() and (numbers % 1 == 0).all())
    return whole and float(numbers.sum()) <= most

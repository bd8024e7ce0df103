"""Time and memory of graph methods against building the lists of neighbors.

Run it with ``.venv/bin/python benchmarks/graphs.py [--quick] [--graphs folder]``. The
yardstick of each graph is one ``scipy.sparse.coo_array(...).tocsr()`` of its edges in
the same run, which any method on it has to do first. Synthetic graphs grow by
preferential attachment. With ``--graphs`` real ones are read from the files
``*.edges.gz`` of a folder: two names a line, comments after ``#``.

A case is a function in ``CASES``: graph name and graph in, dicts with the keys of
``cells`` out.
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np
from _measures import in_fresh_process, machine, median_seconds, peak_growth
from _results import keep, number
from scipy import sparse

from anon_transformers.graphs import Graph
from anon_transformers_graphs.automorphism import KAutomorphismAnonymizer
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.generalization import NodeClusterGeneralizer
from anon_transformers_graphs.neighborhoods import KNeighborhoodAnonymizer
from anon_transformers_graphs.randomization import RandomSwitch

REAL = ("ca_condmat", "email_enron")
K = 10
LARGE = 1_000_000
PER_NODE = 5
SWITCHED = 1 / 3
MODERATE = 12_000
"""Nodes of the largest graph for methods that compare neighborhoods."""
FEW = 50_000
"""Nodes of the largest graph on which slow methods are timed."""


def preferential(n_nodes, per_node=PER_NODE, seed=0):
    """Graph in which new nodes join old ones in proportion to their degrees.

    The other end of edge j is that of a random end before it; chains of such
    references are followed for all edges at once.
    """
    rng = np.random.default_rng(seed)
    first = np.repeat(np.arange(n_nodes), per_node)
    # Ends are numbered 2j for the new node of edge j and 2j + 1 for the old one.
    end = rng.integers(0, 2 * np.arange(len(first)) + 1)
    while (open_ends := end % 2 == 1).any():
        end[open_ends] = end[end[open_ends] // 2]
    pairs = np.sort(np.column_stack([first, first[end // 2]]), axis=1)
    keys = np.unique((pairs[:, 0] * n_nodes + pairs[:, 1])[pairs[:, 0] < pairs[:, 1]])
    return Graph(n_nodes, np.column_stack(np.divmod(keys, n_nodes)))


def read_graph(path):
    """Graph of a file with an edge a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [line.split()[:2] for line in lines if not line.startswith("#")]
    names, places = np.unique(np.array(pairs), return_inverse=True)
    return Graph(len(names), places.reshape(-1, 2))


def yardstick(graph):
    """Seconds to make lists of neighbors of the edges."""
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    ones = np.ones(len(ends), dtype=np.int8)
    shape = (graph.n_nodes, graph.n_nodes)
    return median_seconds(lambda: sparse.coo_array((ones, ends.T), shape).tocsr(), 3)


def timed(graph, anonymizer):
    """Seconds of one run with warm kernels."""
    started = time.perf_counter()
    anonymizer.fit_transform(graph)
    return time.perf_counter() - started


def k_degree(name, graph):
    """k-degree anonymity: sequences and constructions that take large graphs."""
    pairs = [("liu-terzi", "endpoint-moves"), ("greedy", "endpoint-moves")]
    pairs += [("liu-terzi", "supergraph")]
    if graph.n_nodes <= FEW:
        pairs += [("liu-terzi", "relaxed")]
    for sequence, construction in pairs:
        anonymizer = KDegreeAnonymizer(
            K, sequence=sequence, construction=construction, random_state=0
        )
        yield {
            "graph": name,
            "method": f"k-degree, {sequence}, {construction}",
            "seconds": timed(graph, anonymizer),
            "edges_removed": anonymizer.n_removed_,
            "edges_added": anonymizer.n_added_,
        }


def switches(name, graph):
    """A third of the edges in random switches; degrees stay."""
    anonymizer = RandomSwitch(SWITCHED, random_state=0)
    yield {
        "graph": name,
        "method": f"random switch, p = {SWITCHED:.2f}",
        "seconds": timed(graph, anonymizer),
        "edges_removed": anonymizer.n_removed_,
        "edges_added": anonymizer.n_added_,
    }


def structures(name, graph):
    """Methods that look at more than degrees, on graphs of some ten thousand nodes."""
    if graph.n_nodes > MODERATE:
        return
    for method, anonymizer in (
        ("k-neighborhood, k = 3", KNeighborhoodAnonymizer(3, random_state=0)),
        ("k-automorphism, k = 2", KAutomorphismAnonymizer(2, random_state=0)),
        ("node clusters", NodeClusterGeneralizer(K, random_state=0)),
    ):
        measured = {
            "graph": name,
            "method": method,
            "seconds": timed(graph, anonymizer),
        }
        if anonymizer.evidence_.published.n_nodes >= graph.n_nodes:
            measured["edges_removed"] = anonymizer.n_removed_
            measured["edges_added"] = anonymizer.n_added_
        yield measured


CASES = [k_degree, switches, structures]


def warm(cases):
    """Compile kernels on a small graph."""
    small = preferential(500)
    for case in cases:
        list(case("warm", small))


def time_cases(graphs):
    """Every case on every graph."""
    warm(CASES)
    for name, graph in graphs.items():
        stick = yardstick(graph)
        sizes = {"nodes": graph.n_nodes, "edges": graph.n_edges}
        for case in CASES:
            for measured in case(name, graph):
                yield measured | sizes | {"ratio": measured["seconds"] / stick}


def k_degree_memory(n_nodes):
    """Peak growth of the default method, in bytes; kernels warm."""
    warm([k_degree])
    graph = preferential(n_nodes)
    return peak_growth(lambda: KDegreeAnonymizer(K, random_state=0).fit(graph))


def memory_cases(sizes):
    """Peak growth against the edges: it is linear if bytes an edge stay."""
    for n_nodes in sizes:
        grown = in_fresh_process(k_degree_memory, n_nodes)
        if grown is not None:
            edges = preferential(n_nodes).n_edges
            yield {"method": "k-degree", "nodes": n_nodes, "edges": edges} | {
                "bytes": grown
            }


def main():
    """Measure everything, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--graphs", type=Path, help="folder of real graphs")
    given = parser.parse_args()
    largest = LARGE // 10 if given.quick else LARGE
    graphs = {}
    if given.graphs is not None:
        graphs = {n: read_graph(given.graphs / f"{n}.edges.gz") for n in REAL}
    for n_nodes in (10_000, largest // 10, largest):
        graphs[f"preferential, {n_nodes:,} nodes"] = preferential(n_nodes)
    measured = {
        "machine": machine(),
        "cases": list(time_cases(graphs)),
        "memory": list(memory_cases((largest // 10, largest))),
    }
    sections = {f"k = {K}": list(map(cells, measured["cases"]))}
    if measured["memory"]:
        sections["Memory"] = list(map(memory_cells, measured["memory"]))
    print(keep("graphs", measured, sections))


def cells(case):
    """A case as the cells of a line."""
    return {
        "graph": case["graph"],
        "nodes": number(case["nodes"], 0),
        "edges": number(case["edges"], 0),
        "method": case["method"],
        "seconds": number(case["seconds"]),
        "× neighbor lists": number(case["ratio"], 1),
        "edges removed": number(case.get("edges_removed"), 0),
        "edges added": number(case.get("edges_added"), 0),
    }


def memory_cells(case):
    """Memory of a case as the cells of a line."""
    return {
        "method": case["method"],
        "nodes": number(case["nodes"], 0),
        "edges": number(case["edges"], 0),
        "peak growth, MB": number(case["bytes"] / 1e6, 0),
        "bytes an edge": number(case["bytes"] / case["edges"], 0),
    }


if __name__ == "__main__":
    main()

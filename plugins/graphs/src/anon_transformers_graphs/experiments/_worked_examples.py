"""Small examples of the source, worked out again."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.graphs import Graph
from anon_transformers_graphs._graph_arrays import smallest_degree_class
from anon_transformers_graphs.degrees import genetic_sequence, is_graphical
from anon_transformers_graphs.experiments._findings import Key
from anon_transformers_graphs.experiments._measures import (
    distance_numbers,
    spectral_numbers,
)
from anon_transformers_graphs.generalization import count_consistent_graphs
from anon_transformers_graphs.metrics import closeness, clustering_jaccard
from anon_transformers_graphs.privacy import KAutomorphism
from anon_transformers_graphs.queries import neighborhood_classes, refinement_classes
from anon_transformers_graphs.randomization import RandomPerturbation, RandomSwitch
from anon_transformers_graphs.risk import compare_risk

STAR = Graph(5, np.array([[0, 1], [0, 2], [0, 3], [0, 4]]))


def joined_text(values: Any, between: str = ", ") -> str:
    """Values as one text.

    Examples
    --------
    >>> joined_text([18, 16])
    '18, 16'
    """
    return between.join(map(str, np.asarray(values).tolist()))


def worked_numbers(known: Mapping[str, Any]) -> dict[Key, Any]:
    """Our numbers of every example that needs none of the three graphs."""
    given = known["examples"]
    found: dict[Key, Any] = {}
    for name, numbers in (
        ("figure 2.6", _people(Graph(8, given["figure 2.6"]))),
        *_cases(given),
        ("karate, k=2", _sequence(np.array(given["degrees"]))),
        ("K5", {"edges": _complete(5).n_edges}),
    ):
        found |= {(name, "", None, measure): n for measure, n in numbers.items()}
    for name, (nodes, edges) in given["average degrees"].items():
        found[name, "", None, "average degree"] = 2 * edges / nodes
    for name, (one, other) in given["clusterings"].items():
        found["two clusterings", "Jaccard", None, name] = clustering_jaccard(one, other)
    errata = _errata(given) | _errata_of_prints(known)
    return found | {("", "", None, measure): n for measure, n in errata.items()}


def _people(graph: Graph) -> dict[str, Any]:
    """The graph of Table 2.1: what an intruder sees, its numbers, its super-nodes."""
    lists = np.split(graph.adjacency.indices, graph.adjacency.indptr[1:-1])
    second = [joined_text(np.sort(graph.degrees[near]), " ") for near in lists]
    classes = {
        "H1": refinement_classes(graph, 1),
        "H2": refinement_classes(graph, 2),
        "1-neighborhoods": neighborhood_classes(graph),
    }
    sizes = {name: np.bincount(found) for name, found in classes.items()}
    blocks = {
        "two super-nodes": np.repeat([0, 1], 4),
        "one super-node": np.zeros(8, int),
        "single nodes": np.arange(8),
        "H2 classes": classes["H2"],
    }
    return {
        "H1 of its nodes": joined_text(graph.degrees),
        "H2 of its nodes": " | ".join(second),
        "nodes re-identified by H2": int((sizes["H2"] == 1).sum()),
        **{f"k under {name}": int(of.min()) for name, of in sizes.items()},
        **{
            f"class sizes under {n}": joined_text(np.sort(of))
            for n, of in sizes.items()
        },
        **distance_numbers(graph),
        **spectral_numbers(graph),
        **{
            f"graphs consistent with {name}": count_consistent_graphs(graph, of)
            for name, of in blocks.items()
        },
    }


def _cases(given: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A graph of six nodes, and two that were made of it."""
    original = Graph(6, given["figure 3.1"])
    for name in ("figure 3.1", "case 1", "case 2"):
        graph = Graph(6, given[name])
        risk = compare_risk(original, graph)
        yield (
            name,
            {
                "degree histogram": joined_text(graph.degree_histogram),
                "k": smallest_degree_class(graph),
                "larger k of both graphs": risk.k_bound,
                "highest chance of a node": float(risk.node_probabilities.max()),
                "highest group risk": risk.worst_group_risk,
            },
        )


def _sequence(degrees: np.ndarray) -> dict[str, Any]:
    histogram = np.bincount(degrees)
    return {
        "degree histogram": joined_text(histogram),
        "k": int(histogram[histogram > 0].min()),
        "some graph has it": "yes" if is_graphical(degrees) else "no",
    }


def _errata(given: Mapping[str, Any]) -> dict[str, Any]:
    """Errata of the source that can be computed."""
    nodes, edges = given["average degrees"]["karate"]
    identity = np.arange(3)[None]
    path = GraphEvidence(Graph(3, np.array([[0, 1], [1, 2]])), functions=identity)
    first, second = Graph(6, given["figure 3.1"]), Graph(6, given["case 1"])
    common = first.common_edges(second)
    histogram = np.array(given["football histogram"])
    smallest = histogram[histogram > 0].min()
    degree_sum = int(np.arange(4) @ given["impossible histogram"])
    found = {
        2: 2 * edges / nodes,
        3: _highest_closeness(),
        4: _perturbation_ends(first),
        5: _star_ends(),
        7: _limit_that_ends(np.repeat(np.arange(len(histogram)), histogram)),
        8: "yes" if KAutomorphism(2).satisfied(path).all() else "no",
        9: first.n_edges + second.n_edges - 2 * common,
        10: int(smallest),
        11: _largest_gamma(_complete(5)),
        12: "odd" if degree_sum % 2 else "even",
        13: _missing_arcs(**given["figure 2.4"]),
        17: int(np.arange(len(histogram)) @ histogram),
    }
    numbers = {given["errata"][str(number)]: value for number, value in found.items()}
    for share, measure in given["changed edges"].items():
        numbers[measure] = 2 * round(float(share) * edges)
    return numbers


def _errata_of_prints(known: Mapping[str, Any]) -> dict[str, Any]:
    """Errata that follow from other printed numbers of the source."""
    printed = {
        (number["data_set"], number["method"], number["k"], number["measure"]): number
        for number in known["numbers"]
    }
    karate, football = (known["data_sets"][name] for name in ("karate", "football"))
    sizes = printed["football", "RRW", None, "cluster sizes"]["published"].split(", ")
    changed = printed["football", "k-degree", 5, "edges modified"]["published"]
    way = "random-perturbation"
    reached = [
        counted["k"]
        for counted in karate["counts"]
        if counted["method"] == way
        and counted["k"]
        and printed["karate", way, None, counted["measure"]]["published"]
    ]
    found = {
        15: 100 * sum(map(int, sizes)) / football["nodes"],
        19: 100 * changed / football["edges"],
        20: max(reached),
    }
    names = known["examples"]["errata"]
    return {names[str(number)]: value for number, value in found.items()}


def _highest_closeness() -> str:
    """Whether the node in the middle of a star is the one of highest closeness."""
    return "central" if closeness(STAR).argmax() == 0 else "little central"


def _perturbation_ends(graph: Graph) -> str:
    """Replace half of the edges; a graph without a free pair must raise."""
    made = RandomPerturbation(p=0.5, relabel=False, random_state=0)
    kept = made.fit_transform(graph).n_edges == graph.n_edges
    try:
        made.fit(_complete(5))
    except InfeasibleError:
        return "always" if kept else "never"
    return "never"


def _limit_that_ends(degrees: np.ndarray) -> str:
    """One generation is too short for two changes: its limit alone ends the search."""
    try:
        genetic_sequence(degrees, 5, max_iter=1, random_state=0)
    except InfeasibleError:
        return "the first"
    return "both"


def _missing_arcs(adjacency: list[list[int]], incidence: list[list[int]]) -> str:
    """Arcs of one matrix that the other one lacks, nodes counted from 1."""
    arcs = np.argwhere(np.array(adjacency) == 1)
    ends = np.array(incidence)
    there = np.column_stack([ends.argmax(axis=0), ends.argmin(axis=0)])
    missing = arcs[~(arcs[:, None] == there).all(axis=2).any(axis=1)]
    return ", ".join(f"{tail} to {head}" for tail, head in missing + 1)


def _star_ends() -> str:
    try:
        RandomSwitch(p=0.5, max_failures=1000, random_state=0).fit(STAR)
    except InfeasibleError:
        return "always"
    return "never"


def _largest_gamma(clique: Graph) -> str:
    """Of the rule that each degree is gamma times the other nodes at least."""
    return f"{int(clique.degrees.min()) / (clique.n_nodes - 1):g}"


def _complete(n_nodes: int) -> Graph:
    return Graph(n_nodes, np.column_stack(np.triu_indices(n_nodes, 1)))

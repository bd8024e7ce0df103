"""``anon graph describe``: the structure of a network, and what it discloses."""

from typing import Annotated, Any

import typer

from anon_transformers.cli import Dialect, Encoding, Separator
from anon_transformers.cli.output import JsonFlag, percent, print_json, show_status
from anon_transformers.graphs import open_graph
from anon_transformers_graphs.cli._files import (
    Edges,
    Nodes,
    Reduce,
    read_network,
)
from anon_transformers_graphs.cli._output import (
    print_measures,
    print_numbers,
    readable_name,
    report_errors,
)

Sources = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Measure distances from so many random nodes, not from all."
    ),
]
Depth = Annotated[
    int, typer.Option(help="Up to which depth intruders know neighbors of neighbors.")
]
LISTS = ("degree_histogram", "path_lengths")


@report_errors
def describe(
    edges: Edges,
    nodes: Nodes = None,
    depth: Depth = 4,
    sources: Sources = None,
    reduce: Reduce = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    json_output: JsonFlag = False,
) -> None:
    """Describe a network: its structure, who stands out, which links are certain.

    [bold]anon graph describe friends.csv[/bold]
    """
    own = Dialect(separator, encoding)
    graph, _ = open_graph(read_network(edges, nodes, reduce=reduce, dialect=own))
    # Imported here: they load the compiler, and a bad file is refused without it.
    from anon_transformers_graphs.metrics import structural_report  # noqa: PLC0415
    from anon_transformers_graphs.risk import (  # noqa: PLC0415
        candidate_report,
        link_disclosure,
    )

    with show_status(f"{graph.n_nodes:,} nodes"):
        found = {
            "structure": structural_report(graph, n_sources=sources).to_dict(),
            "candidates": candidate_report(graph, depth).to_dict(),
            "links": link_disclosure(graph).to_dict(),
        }
    if json_output:
        print_json(found)
    else:
        _print_summary(edges.name, found)


def _print_summary(name: str, found: dict[str, Any]) -> None:
    numbers = {k: v for k, v in found["structure"].items() if k not in LISTS}
    print_numbers(f"{name}: structure", numbers)
    levels = list(next(iter(found["candidates"].values())))[1:]
    header = ["who knows", "smallest set", *(readable_name(level) for level in levels)]
    rows = [
        (query, row["k"], *(percent(row[level]) for level in levels))
        for query, row in found["candidates"].items()
    ]
    print_measures("Nodes that look alike for an intruder", header, rows)
    print_numbers("What two degrees disclose about a link", found["links"])

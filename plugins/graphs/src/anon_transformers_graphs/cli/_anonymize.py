"""``anon graph anonymize``: one network in, one protected network out."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.graphs import open_graph
from anon_transformers_graphs.cli._files import (
    NODE,
    Edges,
    Nodes,
    check_node_file,
    read_network,
)
from anon_transformers_graphs.cli._method import K, Options, anonymizer
from anon_transformers_graphs.cli._output import (
    JsonFlag,
    in_words,
    print_json,
    print_table,
    told,
    working,
)
from anon_transformers_graphs.cli._writing import check_targets, write_tables

TELLING = 0.05
"""Share of nodes that weights may tell apart."""
Out = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write, of the same kinds.")
]
NodesOut = Annotated[
    Path | None,
    typer.Option("--nodes-out", metavar="FILE", help="File to write the nodes to."),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="Anonymizer of graphs, as in anon list.")
]
AcceptWeights = Annotated[
    bool,
    typer.Option(
        "--accept-weights", help="Publish weights that tell more than 5 % apart."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]


@told
def anonymize(
    edges: Edges,
    out: Out,
    nodes: Nodes = None,
    nodes_out: NodesOut = None,
    method: Method = "k-degree",
    k: K = None,
    options: Options = None,
    accept_weights: AcceptWeights = False,
    force: Force = False,
    json_output: JsonFlag = False,
) -> None:
    """Protect a network.

    Nodes get new names, numbers in random order. Nothing is written if the
    promise cannot be kept (exit code 1).

    [bold]anon graph anonymize friends.csv safe.csv --method k-degree -k 5[/bold]
    """
    made = anonymizer(method, k, options or [])
    _check_files(edges, out, nodes, nodes_out, force)
    if made.columns_made and nodes_out is None:
        raise ConfigurationError(
            f"method {method} says something of each node; --nodes-out says where."
        )
    network = read_network(edges, nodes)
    if nodes is None and nodes_out is not None:
        network = network, pd.DataFrame({NODE: open_graph(network)[1].names})
    with working(method):
        published = made.fit_transform(network)
    _refuse_telling_weights(made.report_, accept_weights)
    if nodes_out is None:
        write_tables({out: published})
    else:
        write_tables({out: published[0], nodes_out: published[1]})
    if json_output:
        print_json({"target": str(out), **asdict(made.report_)})
    else:
        _tell(out, made.report_, made.loss_means)


def _check_files(
    edges: Path, out: Path, nodes: Path | None, nodes_out: Path | None, force: bool
) -> None:
    """Refuse files that could not be written, or would hide others."""
    if nodes is not None and nodes_out is None:
        raise ConfigurationError("with --nodes, --nodes-out says where nodes go.")
    if nodes_out is not None:
        check_node_file(nodes_out)
    targets, sources = [out, nodes_out], [edges, nodes]
    check_targets(filter(None, targets), filter(None, sources), force)


def _refuse_telling_weights(report: Any, accepted: bool) -> None:
    """Refuse weights that point at persons: no method protects them."""
    share = report.details.get("telling_weights", 0.0)
    if share > TELLING and not accepted:
        raise DataError(
            f"{share:.1%} of the nodes would be published with weights around them "
            f"that no other node has (limit {TELLING:.0%}). Leave the third column "
            "out, or accept it with --accept-weights."
        )


def _tell(out: Path, report: Any, loss_means: str) -> None:
    rows: list[tuple[str, object, str]] = [
        ("model", m["model"], f"level {m['level']}") for m in report.models
    ]
    rows += [
        ("nodes", report.rows, ""),
        ("classes", report.classes["count"],
         f"smallest {report.classes['smallest']} nodes"),
        ("average risk", f"{report.risk['average-risk']:.2%}",
         f"highest {report.risk['highest-risk']:.2%}"),
        ("loss", f"{report.loss:.2%}", loss_means),
        ("time", f"{report.seconds:.2f} s", ""),
    ]  # fmt: skip
    rows += [
        (in_words(name), value, "")
        for name, value in report.details.items()
        if isinstance(value, int | float | str)
    ]
    print_table(f"Wrote {out}", ["what", "measured", ""], rows)

"""``anon graph anonymize``: one network in, one protected network out."""

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from anon_transformers.cli import Dialect, Encoding, Separator
from anon_transformers.cli.output import JsonFlag, percent, print_json, show_status
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    LabelsLeftOutWarning,
    TellingWeightsWarning,
    WeightsLeftOutWarning,
)
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
    print_measures,
    readable_name,
    report_errors,
)
from anon_transformers_graphs.cli._writing import Force, check_targets, write_tables

Out = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write, of the same kinds.")
]
NodesOut = Annotated[
    Path | None,
    typer.Option("--nodes-out", metavar="FILE", help="File to write the nodes to."),
]
MappingOut = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="Write the original and the published name of each node there, for "
        "comparisons and attacks of your own. Private: it undoes the anonymization. "
        "Only you may read the file.",
    ),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="Anonymizer of graphs, as in anon list.")
]
AcceptWeights = Annotated[
    bool,
    typer.Option(
        "--accept-weights",
        help="Publish weights even if they make more than 5 % of the nodes unique.",
    ),
]


MAPPING_COLUMNS = ["original", "published"]
"""Columns of the mapping file."""


@report_errors
def anonymize(
    edges: Edges,
    out: Out,
    nodes: Nodes = None,
    nodes_out: NodesOut = None,
    mapping: MappingOut = None,
    method: Method = "k-degree",
    k: K = None,
    options: Options = None,
    accept_weights: AcceptWeights = False,
    force: Force = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    json_output: JsonFlag = False,
) -> None:
    """Protect a network.

    Nodes get new names, such as nkwqz0, in random order. Weights are carried
    along, unless [bold]-o weights=drop[/bold] leaves them out. Nothing is written
    if the promise cannot be kept (exit code 1). CSV files are written in the separator
    and the encoding of the edges.

    [bold]anon graph anonymize friends.csv safe.csv --method k-degree -k 5[/bold]
    """
    kept = {} if mapping is None else {"keep_mapping": True}
    made = anonymizer(method, k, options or [], carry_weights=True, **kept)
    _check_files(edges, out, nodes, nodes_out, mapping, force)
    if made.columns_made and nodes_out is None:
        raise ConfigurationError(
            f"method {method} makes columns of nodes; --nodes-out names their file."
        )
    own = Dialect(separator, encoding)
    network = read_network(edges, nodes, dialect=own)
    if nodes is None and nodes_out is not None:
        network = network, pd.DataFrame({NODE: open_graph(network)[1].names})
    with show_status(method):
        published = _publish(made, network, accept_weights)
    tables = {out: published}
    if nodes_out is not None:
        tables = {out: published[0], nodes_out: published[1]}
    if mapping is not None:
        who = pd.DataFrame(made.mapping_.items(), columns=MAPPING_COLUMNS)
        tables[mapping] = who.astype("string")
    write_tables(tables, own, private=[] if mapping is None else [mapping])
    if json_output:
        files = {"target": str(out), **({"mapping": str(mapping)} if mapping else {})}
        print_json({**files, **asdict(made.report_)})
        return
    _print_summary(out, made.report_, made.loss_means)
    if mapping is not None:
        typer.echo(
            f"{mapping} says who is who: it is private, and undoes the anonymization. "
            "Keep it apart from what you publish, and remove it after use."
        )


def _check_files(
    edges: Path,
    out: Path,
    nodes: Path | None,
    nodes_out: Path | None,
    mapping: Path | None,
    force: bool,
) -> None:
    """Refuse files that cannot be written, or that would replace others."""
    if nodes is not None and nodes_out is None:
        raise ConfigurationError(
            "with --nodes, --nodes-out names the file to write nodes to."
        )
    if nodes_out is not None:
        check_node_file(nodes_out)
    targets, sources = [out, nodes_out, mapping], [edges, nodes]
    check_targets(filter(None, targets), filter(None, sources), force)


def _publish(made: Any, network: Any, accepted: bool) -> Any:
    """Publish; what the library only warns of is refused here.

    That is weights that make persons unique, since no method protects them, and labels
    that the method leaves out although a file of nodes was given.
    """
    with warnings.catch_warnings():
        action: Any = "ignore" if accepted else "error"
        warnings.simplefilter(action, TellingWeightsWarning)
        warnings.simplefilter("error", LabelsLeftOutWarning)
        warnings.simplefilter("always", WeightsLeftOutWarning)
        try:
            return made.fit_transform(network)
        except TellingWeightsWarning as warning:
            raise DataError(f"{warning} --accept-weights publishes them.") from None
        except LabelsLeftOutWarning as warning:
            raise DataError(str(warning)) from None


def _print_summary(out: Path, report: Any, loss_means: str) -> None:
    rows: list[tuple[str, object, str]] = [
        ("model", m["model"], f"level {m['level']}") for m in report.models
    ]
    rows += [
        ("nodes", report.rows, ""),
        ("classes", report.classes["count"],
         f"smallest {report.classes['smallest']} nodes"),
        ("average risk", percent(report.risk["average-risk"]),
         f"highest {percent(report.risk['highest-risk'])}"),
        ("loss", percent(report.loss), loss_means),
        ("time", f"{report.seconds:.2f} s", ""),
    ]  # fmt: skip
    rows += [
        (readable_name(name), value, "")
        for name, value in report.details.items()
        if isinstance(value, int | float | str)
    ]
    print_measures(f"Wrote {out}", ["what", "measured", ""], rows)

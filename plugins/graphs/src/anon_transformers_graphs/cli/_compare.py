"""``anon graph compare``: what anonymization did to a network."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from anon_transformers.cli import Dialect, Encoding, Separator
from anon_transformers.cli.output import JsonFlag, print_json, show_status
from anon_transformers.exceptions import NotEvaluable
from anon_transformers_graphs.cli._describe import Sources
from anon_transformers_graphs.cli._files import (
    MappingFile,
    Reduce,
    read_mapping,
    read_network,
)
from anon_transformers_graphs.cli._output import (
    print_measures,
    print_numbers,
    readable_name,
    report_errors,
)
from anon_transformers_graphs.cli._writing import Force, check_picture, write_picture


class Clusters(StrEnum):
    """How communities are found."""

    markov = "markov"
    random_walk = "random-walk"


Original = Annotated[Path, typer.Argument(help="Edges before.")]
Published = Annotated[
    Path,
    typer.Argument(help="Edges after, with the same names, or with --mapping."),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw both networks into a PNG file."),
]
ClustersOption = Annotated[
    Clusters, typer.Option("--clusters", help="How communities are found.")
]


@report_errors
def compare(
    original: Original,
    published: Published,
    clusters: ClustersOption = Clusters.markov,
    sources: Sources = None,
    mapping: MappingFile = None,
    plot: Plot = None,
    force: Force = False,
    reduce: Reduce = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    json_output: JsonFlag = False,
) -> None:
    """Compare two networks of the same people: edges, structure, spectrum, clusters.

    Nodes go by name, so this is for those who hold both networks. A network that
    has new names is refused unless --mapping says who is who.

    [bold]anon graph compare friends.csv changed.csv[/bold]
    """
    if plot is not None:
        check_picture(plot, [original, published], force)
    own = Dialect(separator, encoding)
    before = read_network(original, reduce=reduce, dialect=own)
    after = read_network(published, reduce=reduce, dialect=own, further=True)
    # Imported here: it loads the compiler, and a bad file is refused without it.
    from anon_transformers_graphs.metrics import compare_graphs  # noqa: PLC0415

    with show_status("comparing"):
        who: dict[str, Any] = {}
        if mapping is not None:
            who["mapping"] = read_mapping(mapping, own)
        found = compare_graphs(before, after, n_sources=sources, **who).to_dict()
        found["clusters"] = _clusters(before, after, clusters, who)
        if plot is not None:
            from anon_transformers_graphs.plots import (  # noqa: PLC0415
                draw_before_after,
            )

            write_picture(draw_before_after(before, after, **who), plot)
    if json_output:
        print_json(found)
    else:
        _print_summary(found)


def _clusters(
    original: Any, published: Any, method: Clusters, who: dict[str, Any]
) -> dict[str, Any]:
    """How alike communities are; what is not evaluable does not hide the rest."""
    from anon_transformers_graphs.metrics import clustering_change  # noqa: PLC0415

    try:
        change = clustering_change(original, published, method.value, **who)
    except NotEvaluable as error:
        return {"method": method.value, "not_evaluable": str(error)}
    return {"method": method.value, **change.to_dict()}


def _print_summary(found: dict[str, Any]) -> None:
    print_numbers("Edges", found["edges"])
    header = ["what", "original", "published", "difference"]
    rows = [
        (readable_name(name), row["original"], row["published"], row["difference"])
        for name, row in found["measures"].items()
    ]
    print_measures("Structure and spectrum", header, rows)
    moved = {f"error of {name}": value for name, value in found["errors"].items()}
    for name, value in found["distribution_changes"].items():
        moved[f"moved {name}"] = value
    print_numbers("Nodes, one by one", moved)
    clusters = dict(found["clusters"])
    for side in ("original", "published"):
        sizes = clusters.pop(f"{side}_sizes", None)
        if sizes is not None:
            clusters[f"{side}_clusters"] = len(sizes)
    print_numbers("Clusters", clusters)

"""``anon graph attack``: see who can be found in a network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    InfeasibleError,
    NotEvaluable,
    unknown_choice,
)
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs._any_form import places_by_name
from anon_transformers_graphs.attacks import (
    cut_attack,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
    seed_propagation,
    walk_attack,
)
from anon_transformers_graphs.cli._files import Edges, read_network, read_table
from anon_transformers_graphs.cli._method import K, Options, anonymizer
from anon_transformers_graphs.cli._output import (
    BROKEN_PROMISE,
    JsonFlag,
    print_json,
    print_table,
    told,
    working,
)

Chosen = Annotated[
    list[str] | None,
    typer.Option("--attack", "-a", metavar="NAME", help="Run this one; repeat."),
]
Original = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Edges before, with the same names."),
]
Auxiliary = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Edges that an intruder knows, with names."),
]
Seeds = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Known persons, in two columns: the auxiliary and the published name.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method", "-m", help="How a network with planted nodes is published."
    ),
]
Depth = Annotated[
    int, typer.Option(help="Of refinement: 2 is the degrees of all neighbours.")
]
Limit = Annotated[float, typer.Option(help="Seconds for an attack.")]
Seed = Annotated[int | None, typer.Option(help="Plants the same nodes again.")]


@dataclass(frozen=True)
class Knowledge:
    """What was given: networks as they were read, and how attacks are to run."""

    published: Any
    original: Any
    auxiliary: Any
    seeds: Any
    publish: Callable[[Graph], Graph] | None
    depth: int
    time_limit: float
    random_state: int | None


@told
def attack(
    edges: Edges,
    original: Original = None,
    auxiliary: Auxiliary = None,
    seeds: Seeds = None,
    method: Method = None,
    k: K = None,
    options: Options = None,
    attacks: Chosen = None,
    depth: Depth = 2,
    time_limit: Limit = 60.0,
    random_state: Seed = None,
    json_output: JsonFlag = False,
) -> None:
    """Attack a network; exit code 1 when somebody is found.

    Every attack runs whose inputs are given; the others are listed with what
    they lack. An attack that was named and could not be run counts as a failure,
    too, and so does one that cannot use the networks it was given. Without
    --original, intruders know the published network itself. walk and cut plant
    nodes in the original, and need --method; seed-propagation needs --auxiliary
    and --seeds. People are counted, never named.

    [bold]anon graph attack safe.csv -a degree -a neighborhood[/bold]
    """
    chosen = _chosen(attacks)
    given = Knowledge(
        read_network(edges),
        None if original is None else read_network(original),
        None if auxiliary is None else read_network(auxiliary),
        None if seeds is None else read_table(seeds, n_names=2),
        _publisher(method, k, options or [], random_state),
        depth,
        time_limit,
        random_state,
    )
    reports, not_run, broken = _run(chosen, given)
    found = sum(report["exposed"] for report in reports)
    if json_output:
        print_json({"exposed": found, "attacks": reports, "not_run": not_run})
    else:
        _tell(edges, reports, not_run)
    if found or broken or (attacks and not_run):
        raise typer.Exit(BROKEN_PROMISE)


def _publisher(
    method: str | None, k: int | None, options: Sequence[str], random_state: int | None
) -> Callable[[Graph], Graph] | None:
    """From a graph to what is published of it, its nodes in their old order."""
    if method is None:
        return None
    secret = {"keep_mapping": True, "random_state": random_state}
    made = anonymizer(method, k, options, **secret)

    def publish(graph: Graph) -> Graph:
        published = made.fit_transform(graph)
        if published.n_nodes != graph.n_nodes:
            return published  # the attack says that it cannot follow
        new = [made.mapping_[node] for node in range(graph.n_nodes)]
        return published.relabelled(np.argsort(new))

    return publish


def _chosen(names: Sequence[str] | None) -> list[str]:
    for name in names or ():
        if name not in ATTACKS:
            told_of = unknown_choice("attack", name, ATTACKS)
            raise ConfigurationError(f"--attack: {told_of}")
    return list(dict.fromkeys(names or ATTACKS))


def _run(
    chosen: Sequence[str], given: Knowledge
) -> tuple[list[dict[str, Any]], dict[str, str], bool]:
    """Reports of attacks that could be run, and why the others were not.

    Networks that one attack cannot use do not keep the others from running, but nobody
    may take the run for a clean one: the last value says whether there were any.
    """
    reports, not_run, broken = [], {}, False
    for name in chosen:
        try:
            with working(name):
                reports.append(ATTACKS[name](given))
        except (DataError, InfeasibleError, NotEvaluable) as error:
            not_run[name] = str(error)
            broken |= not isinstance(error, NotEvaluable)
    return reports, not_run, broken


def _passive(function: Callable[..., Any]) -> Callable[[Knowledge], dict[str, Any]]:
    def run(given: Knowledge) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if function is refinement_attack:
            options = {"depth": given.depth}
        elif function is neighborhood_attack:
            options = {"time_limit": given.time_limit}
        found = function(given.published, given.original, **options)
        return {**found.to_dict(), "exposed": found.correct}

    return run


def _active(function: Callable[..., Any]) -> Callable[[Knowledge], dict[str, Any]]:
    def run(given: Knowledge) -> dict[str, Any]:
        if given.publish is None:
            raise NotEvaluable("it needs --method, by which the network is published.")
        before = given.published if given.original is None else given.original
        found = function(
            before,
            given.publish,
            random_state=given.random_state,
            time_limit=given.time_limit,
        )
        return {**found.to_dict(), "exposed": found.correct}

    return run


def _propagation(given: Knowledge) -> dict[str, Any]:
    if given.auxiliary is None or given.seeds is None:
        raise NotEvaluable("it needs --auxiliary and --seeds.")
    forms = [open_graph(graph)[1] for graph in (given.auxiliary, given.published)]
    names = [given.seeds.iloc[:, side] for side in range(2)]
    pairs = np.column_stack(
        [_places(n, form.names) for n, form in zip(names, forms, strict=True)]
    )
    found = seed_propagation(given.published, given.auxiliary, pairs)
    report = {**found.to_dict(), "exposed": found.correct}
    if not (places_by_name(*forms) >= 0).any():
        # No name is in both networks: nobody here can tell who was found rightly.
        everybody = len(forms[0].names) - found.seeds
        unknown = {"correct": None, "correct_share": None}
        report |= {**unknown, "targets": everybody, "exposed": found.mapped}
    return report


def _places(names: Any, among: np.ndarray) -> np.ndarray:
    """Numbers of named nodes."""
    places = pd.Index(among).get_indexer(pd.Index(names.astype(object)))
    strange = int((places < 0).sum())
    if strange:
        raise DataError(f"--seeds: {strange} of {len(places)} name nobody.")
    return places


ATTACKS: dict[str, Callable[[Knowledge], dict[str, Any]]] = {
    "degree": _passive(degree_attack),
    "refinement": _passive(refinement_attack),
    "neighborhood": _passive(neighborhood_attack),
    "walk": _active(walk_attack),
    "cut": _active(cut_attack),
    "seed-propagation": _propagation,
}


def _tell(path: Path, reports: list[dict[str, Any]], not_run: dict[str, str]) -> None:
    header = ["attack", "targets", "found", "share"]
    rows = [
        (
            report["attack"],
            report["targets"],
            report["exposed"],
            f"{report['exposed'] / max(report['targets'], 1):.1%}",
        )
        for report in reports
    ]
    print_table(f"{path.name}: whom an intruder finds", header, rows)
    for name, why in not_run.items():
        typer.echo(f"- {name} was not run: {why}")

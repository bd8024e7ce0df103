"""``anon graph attack``: see who can be found in a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from anon_transformers.attacks import GraphAttackInput
from anon_transformers.cli import Dialect, Encoding, Separator
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    percent,
    print_json,
    show_status,
)
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.registry import registry
from anon_transformers_graphs.cli._files import (
    Edges,
    MappingFile,
    Reduce,
    name_pairs,
    read_mapping,
    read_network,
    read_table,
)
from anon_transformers_graphs.cli._method import K, Options, anonymizer
from anon_transformers_graphs.cli._output import (
    print_measures,
    report_errors,
    with_option_names,
)

FIRST = ("degree", "refinement", "neighborhood", "walk", "cut", "seed-propagation")
"""The order in which attacks run; those of other plugins come after them."""
BESIDE = {
    "--original-nodes": "--original",
    "--mapping": "--original",
    "--auxiliary-nodes": "--auxiliary",
    "--k": "--method",
    "--option": "--method",
}
"""Options that have no meaning without another one."""

INSTEAD = {"mapping", "reduce", "time_limit"}
"""Parameters of attacks that have an option of their own."""

Nodes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Published nodes, with labels, CSV or Parquet. Labels count only if they "
        "are given: without this nobody is found by them.",
    ),
]
Chosen = Annotated[
    list[str] | None,
    typer.Option("--attack", "-a", metavar="NAME", help="Run this one; repeat."),
]
Original = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Edges before, with the same names, or with --mapping."
    ),
]
OriginalNodes = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Nodes before, those without edges too."),
]
Auxiliary = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Edges that an intruder knows, with names."),
]
AuxiliaryNodes = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Nodes that an intruder knows, with names."),
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
    int, typer.Option(help="Of refinement: 2 is the degrees of all neighbors.")
]
Limit = Annotated[float, typer.Option(help="Seconds per attack.")]
Seed = Annotated[int | None, typer.Option(help="Plants the same nodes again.")]


@dataclass(frozen=True)
class NetworkFiles:
    """Paths of networks, by the names of their options."""

    edges: Path
    nodes: Path | None
    original: Path | None
    original_nodes: Path | None
    auxiliary: Path | None
    auxiliary_nodes: Path | None
    seeds: Path | None
    mapping: Path | None

    def read(self, reduce: bool, own: Dialect) -> dict[str, Any]:
        """What an intruder knows, as far as it was given."""
        how: dict[str, Any] = {"reduce": reduce, "dialect": own}

        def network(edges: Path | None, nodes: Path | None) -> Any:
            return edges and read_network(edges, nodes, further=True, **how)

        return {
            "published": read_network(self.edges, self.nodes, **how),
            "original": network(self.original, self.original_nodes),
            "auxiliary": network(self.auxiliary, self.auxiliary_nodes),
            "seeds": self.seeds and read_table(self.seeds, 2, own, further=True),
            "mapping": self.mapping and read_mapping(self.mapping, own),
        }


@report_errors
def attack(
    edges: Edges,
    nodes: Nodes = None,
    original: Original = None,
    original_nodes: OriginalNodes = None,
    mapping: MappingFile = None,
    auxiliary: Auxiliary = None,
    auxiliary_nodes: AuxiliaryNodes = None,
    seeds: Seeds = None,
    method: Method = None,
    k: K = None,
    options: Options = None,
    attacks: Chosen = None,
    depth: Depth = 2,
    time_limit: Limit = 60.0,
    random_state: Seed = None,
    reduce: Reduce = False,
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    json_output: JsonFlag = False,
) -> None:
    """Attack a network; exit code 1 if a person is found.

    Every attack runs whose inputs are given; the others are listed with what they
    need. An attack that was named and lacks something, that cannot use what it was
    given, or that is not done in time counts as a failure, too. Without --original,
    intruders know the published network itself; with it, a network with new names
    needs --mapping. walk and cut plant nodes in the original, and need --method;
    seed-propagation needs --auxiliary and --seeds. refinement and neighborhood look
    at labels, too, if --nodes gives them. People are counted, once each, and never
    named.

    [bold]anon graph attack safe.csv -a degree -a neighborhood[/bold]
    """
    files = NetworkFiles(
        edges,
        nodes,
        original,
        original_nodes,
        auxiliary,
        auxiliary_nodes,
        seeds,
        mapping,
    )
    stated = _stated_options(vars(files), method=method, k=k, option=options or None)
    _check_options(attacks or [], stated)
    chosen = _chosen(attacks or [])
    complete, lacking, not_asked = _requested(chosen, bool(attacks), stated)
    made: Any = None
    chance: dict[str, Any] = {"random_state": random_state}
    if method is not None:
        made = anonymizer(method, k, options or [], **chance)
    own = Dialect(separator, encoding)
    how = {"depth": depth, "time_limit": time_limit, **chance}
    held = {**files.read(reduce, own), "method": made}
    reports, failed, exposed = _run_attacks(complete, held, how)
    not_run = {**lacking, **failed}
    found = {"exposed": exposed, "attacks": reports}
    if json_output:
        print_json({**found, "not_run": not_run, "not_asked": not_asked})
    else:
        _print_summary(edges, found, not_run, not_asked)
    if exposed or not_run:
        raise typer.Exit(BROKEN_PROMISE)


def _stated_options(files: Mapping[str, Any], **others: Any) -> set[str]:
    """Options that have a value, as they are written."""
    values = {**files, **others}
    there = [name for name, value in values.items() if value is not None]
    return {f"--{name.replace('_', '-')}" for name in there}


def _check_options(names: Sequence[str], stated: set[str]) -> None:
    """Refuse unknown attacks, and options that have no meaning without another."""
    for name in names:
        try:
            registry().attacks.require(name)
        except ParameterError as error:
            raise ConfigurationError(f"--attack: {error}") from None
    for option, other in BESIDE.items():
        if option in stated and other not in stated:
            raise ConfigurationError(f"{option} needs {other}.")


def _chosen(names: Sequence[str]) -> dict[str, Any]:
    """Attacks on graphs by name: those that were named, or all that are registered."""
    catalog = registry().attacks
    rest = [name for name in catalog if name not in FIRST]
    wanted = dict.fromkeys(names or [*(n for n in FIRST if n in catalog), *rest])
    found = {name: catalog[name] for name in wanted}
    for name in names:
        if found[name].kind != "graph":
            raise ConfigurationError(
                f"--attack: {name} attacks a {found[name].kind}; see anon attack."
            )
    return {name: cls for name, cls in found.items() if cls.kind == "graph"}


def _requested(
    chosen: Mapping[str, Any], named: bool, stated: set[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
    """Attacks to run; those that were asked for and lack something; and the others.

    An attack is asked for by its name, or by one of its inputs.
    """
    complete, lacking, not_asked = {}, {}, {}
    for name, cls in chosen.items():
        needed = [f"--{need}" for need in cls.needs if need != "published"]
        missing = [option for option in needed if option not in stated]
        needs = f"it needs {' and '.join(missing)}."
        if not missing:
            complete[name] = cls
        elif named or len(missing) < len(needed):
            lacking[name] = needs
        else:
            not_asked[name] = needs
    return complete, lacking, not_asked


def _run_attacks(
    chosen: Mapping[str, Any], held: Mapping[str, Any], how: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, str], int]:
    """Reports of attacks, why others could not be run, and how many people are exposed.

    Networks that one attack cannot use do not keep the others from running.
    """
    reports, not_run, exposed = [], {}, set[Any]()
    for name, cls in chosen.items():
        takes = signature(cls).parameters
        made = cls(**{key: value for key, value in how.items() if key in takes})
        try:
            with show_status(name):
                report = made.run_on(_input_for(cls, held), show_values=True)
        except (DataError, InfeasibleError, NotEvaluable) as error:
            not_run[name] = with_option_names(str(error), INSTEAD)
            continue
        said = {"attack": name, "targets": report.rows, **report.details}
        reports.append({**said, "exposed": report.exposed})
        exposed.update(report.exposed_records.iloc[:, 0])
    return reports, not_run, len(exposed)


def _input_for(cls: Any, held: Mapping[str, Any]) -> GraphAttackInput:
    """What was given, with the known persons as pairs for those who need them."""
    seeds = name_pairs(held["seeds"], "--seeds") if "seeds" in cls.needs else None
    return GraphAttackInput(**{**held, "seeds": seeds})


def _print_summary(
    path: Path,
    found: Mapping[str, Any],
    not_run: Mapping[str, str],
    not_asked: Mapping[str, str],
) -> None:
    if found["attacks"]:
        header = ["attack", "targets", "found", "share"]
        rows = [
            (
                report["attack"],
                report["targets"],
                report["exposed"],
                percent(report["exposed"] / max(report["targets"], 1)),
            )
            for report in found["attacks"]
        ]
        print_measures(f"{path.name}: persons that an intruder finds", header, rows)
        typer.echo(f"People who are found by any of them: {found['exposed']:,}")
    for name, why in not_run.items():
        typer.echo(f"- {name} was not run: {why}")
    for name, why in not_asked.items():
        typer.echo(f"- {name} was not asked for: {why}")

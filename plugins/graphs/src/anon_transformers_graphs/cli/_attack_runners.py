"""The attacks of ``anon graph attack``, each with what it needs of what was given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anon_transformers.graphs import open_graph
from anon_transformers_graphs.attacks import (
    cut_attack,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
    seed_propagation,
    walk_attack,
)
from anon_transformers_graphs.cli._files import name_pairs


@dataclass(frozen=True)
class GraphAttackInput:
    """What was given: networks as they were read, and how attacks are to run."""

    published: Any
    original: Any
    auxiliary: Any
    seeds: Any
    mapping: Any
    method: Any
    depth: int
    time_limit: float
    random_state: int | None


AttackResult = tuple[dict[str, Any], Sequence[Any]]
"""A report without names, and the names of those who were found."""


def _passive(
    attack: Callable[..., Any], *options: str
) -> Callable[[GraphAttackInput], AttackResult]:
    def run(given: GraphAttackInput) -> AttackResult:
        how = {name: getattr(given, name) for name in options}
        both = given.published, given.original
        found = attack(*both, mapping=given.mapping, **how)
        return found.to_dict(), found.exposed

    return run


def _active(function: Callable[..., Any]) -> Callable[[GraphAttackInput], AttackResult]:
    def run(given: GraphAttackInput) -> AttackResult:
        before = given.published if given.original is None else given.original
        found = function(
            before,
            given.method,
            random_state=given.random_state,
            time_limit=given.time_limit,
        )
        return found.to_dict(), found.exposed

    return run


def _propagation(given: GraphAttackInput) -> AttackResult:
    pairs = name_pairs(given.seeds, "--seeds")
    both, limit = (given.published, given.auxiliary), given.time_limit
    found = seed_propagation(*both, pairs, time_limit=limit)
    report = found.to_dict()
    if found.correct is None:
        # Which matches are right is unknown: every node counts as a target.
        report["targets"] = len(open_graph(given.auxiliary)[1].names) - found.seeds
    # A person whom several attacks find counts once, by the name that the others use.
    old = {new: name for name, new in (given.mapping or {}).items()}
    published = [found.mapping[name] for name in found.exposed.tolist()]
    return report, [old.get(name, name) for name in published]


ATTACKS: dict[str, Callable[[GraphAttackInput], AttackResult]] = {
    "degree": _passive(degree_attack),
    "refinement": _passive(refinement_attack, "depth", "time_limit"),
    "neighborhood": _passive(neighborhood_attack, "time_limit"),
    "walk": _active(walk_attack),
    "cut": _active(cut_attack),
    "seed-propagation": _propagation,
}

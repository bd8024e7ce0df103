"""The attacks of ``anon graph attack``, each with what it needs of what was given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import open_graph
from anon_transformers_graphs.attacks import (
    cut_attack,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
    seed_propagation,
    walk_attack,
)

PAIR = 2


@dataclass(frozen=True)
class Knowledge:
    """What was given: networks as they were read, and how attacks are to run."""

    published: Any
    original: Any
    auxiliary: Any
    seeds: Any
    method: Any
    depth: int
    time_limit: float
    random_state: int | None


Found = tuple[dict[str, Any], Sequence[Any]]
"""A report without names, and the names of those who were found."""


def _degree(given: Knowledge) -> Found:
    return _passive(given, degree_attack(given.published, given.original))


def _refinement(given: Knowledge) -> Found:
    both = given.published, given.original
    limit = given.time_limit
    return _passive(given, refinement_attack(*both, given.depth, time_limit=limit))


def _neighborhood(given: Knowledge) -> Found:
    both = given.published, given.original
    return _passive(given, neighborhood_attack(*both, time_limit=given.time_limit))


def _passive(given: Knowledge, found: Any) -> Found:
    return found.to_dict(), _names(given.published)[found.exposed]


def _active(function: Callable[..., Any]) -> Callable[[Knowledge], Found]:
    def run(given: Knowledge) -> Found:
        before = given.published if given.original is None else given.original
        found = function(
            before,
            given.method,
            random_state=given.random_state,
            time_limit=given.time_limit,
        )
        return found.to_dict(), _names(before)[found.exposed]

    return run


def _propagation(given: Knowledge) -> Found:
    if given.seeds.shape[1] < PAIR:
        raise DataError("--seeds has one column; it needs two, of names.")
    pairs = given.seeds.iloc[:, :PAIR].itertuples(index=False, name=None)
    both, limit = (given.published, given.auxiliary), given.time_limit
    found = seed_propagation(*both, list(pairs), time_limit=limit)
    report = found.to_dict()
    if found.correct is None:
        # Nobody can tell who was found rightly: everybody may have been.
        report["targets"] = len(found.mapping) - found.seeds
    return report, _names(given.published)[found.mapping[found.exposed]]


def _names(network: Any) -> np.ndarray:
    return open_graph(network)[1].names


ATTACKS: dict[str, Callable[[Knowledge], Found]] = {
    "degree": _degree,
    "refinement": _refinement,
    "neighborhood": _neighborhood,
    "walk": _active(walk_attack),
    "cut": _active(cut_attack),
    "seed-propagation": _propagation,
}

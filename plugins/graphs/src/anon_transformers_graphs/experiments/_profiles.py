"""Degrees and centralities before and after, node by node, as the source draws them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.base import GraphAnonymizer
from anon_transformers.evidence import GraphEvidence
from anon_transformers.experiments import Panels
from anon_transformers.graphs import Graph
from anon_transformers_graphs.experiments._degree_runs import METHOD, source_method
from anon_transformers_graphs.experiments._measures import (
    CENTRALITIES,
    cached_centralities,
)
from anon_transformers_graphs.experiments._random_runs import METHODS
from anon_transformers_graphs.experiments._sweep import sweep

ORIGINAL = "original"


@dataclass(frozen=True)
class Profile:
    """Average degrees and centralities of some graphs of the same nodes.

    Attributes
    ----------
    degrees : float array
        Position g holds the number of nodes of degree g.
    centralities : mapping of str to float array
        By name, one number per node.
    """

    degrees: np.ndarray
    centralities: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, graphs: list[Graph]) -> "Profile":
        """Averages over graphs, of which there is at least one."""
        longest = max(len(graph.degree_histogram) for graph in graphs)
        degrees = [_padded(graph.degree_histogram, longest) for graph in graphs]
        found = [cached_centralities(graph) for graph in graphs]
        return cls(
            np.mean(degrees, axis=0),
            {
                name: np.mean([getattr(each, field) for each in found], axis=0)
                for name, field in CENTRALITIES.items()
            },
        )


Profiles = dict[str, dict[str, Profile]]
"""By what was done, such as ``p 3 %``, and by method."""


def profiles(
    graph: Graph, drawn: Mapping[str, list[int]], n_runs: int, random_state: int
) -> Profiles:
    """What is published at the shares and for the k of which the source has a plot.

    Parameters
    ----------
    graph : Graph
        The original, which is in all of them.
    drawn : mapping
        Shares in percent under ``p``, and values of ``k``.
    n_runs : int
        Runs to average. They are the first ones of those that other numbers are of.
    random_state : int
        Seeds them.
    """
    before = Profile.of([graph])
    found: Profiles = {}
    for share in drawn["p"]:
        lines = found.setdefault(f"p {share} %", {ORIGINAL: before})
        for name, make in METHODS.items():
            made = _published(graph, make(), "p", share / 100, n_runs, random_state)
            lines |= {name: Profile.of(made)} if made else {}
    for k in drawn["k"]:
        lines = found.setdefault(f"k {k}", {ORIGINAL: before})
        made = _published(graph, source_method(), "k", k, n_runs, random_state)
        lines |= {METHOD: Profile.of(made)} if made else {}
    return found


def profile_figures(name: str, found: Profiles) -> Iterator[Panels]:
    """Degrees of nodes, and centralities node by node, each beside the original's."""
    yield Panels(
        f"{name}-degrees",
        f"{name}: nodes of each degree, before and after",
        _table(found, lambda profile: {"": profile.degrees}),
        {what: f"nodes, {what}" for what in found},
        "degree",
        every_x=False,
    )
    yield Panels(
        f"{name}-centralities",
        f"{name}: centralities of the nodes, before and after",
        _table(found, lambda profile: profile.centralities),
        {
            f"{what}, {centrality}": f"{centrality}, {what}"
            for what in found
            for centrality in CENTRALITIES
        },
        "node",
        every_x=False,
    )


def _published(
    graph: Graph,
    method: GraphAnonymizer,
    parameter: str,
    value: Any,
    n_runs: int,
    random_state: int,
) -> list[Graph]:
    """What runs of a sweep published, without those that were infeasible."""
    made: list[Graph] = []

    def keep(evidence: GraphEvidence) -> float:
        made.append(evidence.published)
        return float(evidence.published.n_edges)

    sweep(
        graph,
        method,
        parameter,
        [value],
        n_runs=n_runs,
        random_state=random_state,
        measures={"edges": keep},
    )
    return made


def _table(
    found: Profiles, numbers: Callable[[Profile], Mapping[str, np.ndarray]]
) -> pd.DataFrame:
    """One row per place and line, one column per number and change."""
    lines: dict[str, dict[str, np.ndarray]] = {}
    for what, profiles_of in found.items():
        for line, profile in profiles_of.items():
            for name, values in numbers(profile).items():
                column = f"{what}, {name}" if name else what
                lines.setdefault(line, {})[column] = values
    length = max(len(v) for columns in lines.values() for v in columns.values())
    frames = [
        pd.DataFrame({c: _padded(v, length) for c, v in columns.items()}).assign(
            line=line, x=np.arange(length)
        )
        for line, columns in lines.items()
    ]
    return pd.concat(frames, ignore_index=True)


def _padded(counts: np.ndarray, length: int) -> np.ndarray:
    return np.pad(counts, (0, length - len(counts)))

"""The space of solutions of a release: every node of the lattice, and every k.

Both are of full-domain recoding, with the roles, hierarchies and thresholds of the
release file. A release that is made by another method is compared with that: what it
would cost to generalize whole columns.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Content, Project, Result

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.generalization import FullDomainAnonymizer

LATTICE, FRONTIER = "lattice", "frontier"
"""Kinds of the two jobs, and of their results."""
LATTICE_WORK = "anon_transformers.studio._explore:look_at_nodes"
FRONTIER_WORK = "anon_transformers.studio._explore:draw_frontier"
METHOD = "full-domain"
LEVELS = "levels"
USUAL_LIMIT = 0.05
"""Share of rows that the curve lets go, where the file states none."""
FITS, LOSS, GONE = "fits", "loss", "suppressed_rows"
STEPS = 100


@dataclass(frozen=True)
class Survey:
    """Every node of the lattice.

    Attributes
    ----------
    columns : list of str
        The quasi-identifiers.
    highest : list of int
        The highest level of each.
    nodes : data frame
        One row for each node, from the ground up: its levels in columns 0, 1, …, and
        ``fits``, ``loss``, ``suppressed_rows``.
    best : tuple of int or None
        The node that loses least.
    loss : str
        What the loss measures.
    current : bool
        Whether nothing but the applied levels was changed since.
    """

    columns: list[str]
    highest: list[int]
    nodes: "pd.DataFrame"
    best: tuple[int, ...] | None
    loss: str
    current: bool

    def levels_of(self, row: int) -> tuple[int, ...]:
        """The levels of a row of ``nodes``."""
        places = range(len(self.columns))
        return tuple(int(self.nodes[str(place)].iloc[row]) for place in places)

    def find(self, levels: tuple[int, ...]) -> int | None:
        """The row of a node; None if there is no such node."""
        if len(levels) != len(self.columns):
            return None
        held = self.nodes[[str(place) for place in range(len(levels))]].to_numpy()
        rows = (held == levels).all(axis=1).nonzero()[0]
        return int(rows[0]) if len(rows) else None


def survey_of(project: Project) -> Survey | None:
    """What the last look at the nodes found; None if there was none."""
    import pandas as pd

    result = project.result(LATTICE)
    if result is None:
        return None
    found = result.found
    return Survey(
        found["columns"],
        found["highest"],
        pd.read_parquet(result.folder / found["nodes"]),
        None if found["best"] is None else tuple(found["best"]),
        found["loss"],
        is_current(project, result),
    )


def is_current(project: Project, result: Result) -> bool:
    """Whether the file is what the job read, but for the levels that it applies."""
    return result.found["of"] == _state(project)


def _state(project: Project) -> str:
    """Hash of release file and period, without the levels that were chosen."""
    content = project.content
    method = content.get("anonymizer")
    if isinstance(method, dict):
        method = {key: value for key, value in method.items() if key != LEVELS}
    read = {**content, "anonymizer": method, "period": project.period}
    text = json.dumps(read, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stated_levels(content: Content, columns: list[str]) -> tuple[int, ...] | None:
    """The node that a release file applies; None if it searches one.

    Examples
    --------
    >>> content = {"anonymizer": {"name": "full-domain", "levels": {"age": 2}}}
    >>> stated_levels(content, ["sex", "age"])
    (0, 2)
    """
    method = content.get("anonymizer")
    stated = method.get(LEVELS) if isinstance(method, dict) else None
    if not isinstance(stated, dict):
        return None
    return tuple(int(stated.get(column, 0)) for column in columns)


def apply_levels(content: Content, levels: Mapping[str, int]) -> None:
    """Let a release file apply a node instead of searching one."""
    method = content.get("anonymizer")
    if not isinstance(method, dict) or method.get("name") != METHOD:
        raise DataError(f"only {METHOD} applies levels; switch to it first.")
    # Recoding rows that one node suppresses by another is a search of its own.
    method.pop("local_recoding", None)
    method[LEVELS] = dict(levels)


def search_again(content: Content) -> None:
    """Let a release file search its levels."""
    content["anonymizer"].pop(LEVELS, None)


def switch_method(content: Content) -> None:
    """Make a release by full-domain recoding; what other methods know is left out."""
    method = content.get("anonymizer")
    old = method if isinstance(method, dict) else {}
    kept = ("suppression", "suppression_limit", "suppression_label")
    content["anonymizer"] = {"name": METHOD} | {
        key: old[key] for key in kept if key in old
    }


def look_at_nodes(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Judge every node of the lattice (a job).

    Raises
    ------
    ParameterError
        If the release is made by another method, or there are too many nodes.
    """
    import pandas as pd

    progress(0, STEPS, "reading the table")
    content, before = project.content, project.result(LATTICE)
    if content["anonymizer"]["name"] != METHOD:
        raise ParameterError(f"only {METHOD} has a lattice of levels.")
    frame, anonymizer = _opened(project, params)
    found = anonymizer.solutions(frame, progress=_told(progress, "nodes"))
    nodes = pd.DataFrame(
        found.levels.to_numpy(), columns=[str(n) for n in range(found.levels.shape[1])]
    )
    nodes = nodes.assign(
        fits=found.table["fits"],
        loss=found.table["loss"],
        suppressed_rows=found.table["suppressed_rows"],
    )
    folder = project.results_folder(LATTICE)
    # A file of its own: one that was cut off by Cancel is named by no result.
    file = folder / f"{secrets.token_hex(4)}.parquet"
    for old in folder.glob("*.parquet"):
        if before is None or old.name != before.found["nodes"]:
            old.unlink()
    nodes.to_parquet(file)
    best = None if found.best is None else found.levels.iloc[found.best].tolist()
    progress(STEPS, STEPS, "done")
    return {
        "of": _state(project),
        "columns": [str(name) for name in found.levels.columns],
        "highest": list(found.highest.values()),
        "best": best,
        "loss": found.loss,
        "nodes": file.name,
    }


def draw_frontier(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Find the best node for every k up to ``max_k`` (a job)."""
    progress(0, STEPS, "reading the table")
    state = _state(project)
    frame, anonymizer = _opened(project, params)
    if "suppression_limit" in params:
        anonymizer.set_params(suppression_limit=params["suppression_limit"])
    curve = anonymizer.frontier(
        frame, max_k=params["max_k"], progress=_told(progress, "nodes")
    )
    levels = curve.levels.to_numpy().tolist()
    ranges = [
        {
            "k_from": int(row["k_from"]),
            "k_to": int(row["k_to"]),
            "loss": float(row["loss"]),
            "suppressed_rows": int(row["suppressed_rows"]),
            "classes": int(row["classes"]),
            "levels": at,
        }
        for row, at in zip(curve.table.to_dict("records"), levels, strict=True)
    ]
    progress(STEPS, STEPS, "done")
    return {
        "of": state,
        "columns": [str(name) for name in curve.levels.columns],
        "ranges": ranges,
        "loss": curve.loss,
        "rows": len(frame),
    }


def _opened(
    project: Project, params: Mapping[str, Any]
) -> tuple["pd.DataFrame", "FullDomainAnonymizer"]:
    """The source, and full-domain recoding as the release file would have it."""
    from anon_transformers.experiments import release_methods
    from anon_transformers.generalization import FullDomainAnonymizer

    made = release_methods(project.file, [METHOD], period=project.period)
    anonymizer = made.methods[METHOD]
    assert isinstance(anonymizer, FullDomainAnonymizer)
    return made.frame, anonymizer.set_params(verbose=False)


def _told(progress: Progress, noun: str) -> Any:
    """How a search tells the share that is done, for a job."""
    return lambda share, _: progress(int(share * STEPS), STEPS, f"looking at {noun}")

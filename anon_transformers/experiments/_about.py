"""Where the numbers of a comparison come from."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.experiments._grid import Cell
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.roles import Roles

PACKAGES = ("anon-transformers", "numpy", "pandas", "scikit-learn", "numba")
ROLES = ("quasi_identifiers", "sensitive", "identifiers", "subject")


def about(frame: pd.DataFrame, runs: Sequence[Cell]) -> dict[str, str]:
    """What a reader must know to run a comparison again; names and sizes only."""
    by_method: dict[str, list[Cell]] = {}
    for cell in runs:
        by_method.setdefault(cell.method, []).append(cell)
    facts = {"rows": f"{len(frame):,}"}
    facts |= _once(
        {name: _columns(frame, cells[0]) for name, cells in by_method.items()}
    )
    facts |= {f"fixed for {name}": _fixed(cells) for name, cells in by_method.items()}
    packages = [f"{name} {_version(name)}" for name in PACKAGES]
    facts["versions"] = ", ".join([f"Python {platform.python_version()}", *packages])
    facts["run"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return facts


def _columns(frame: pd.DataFrame, cell: Cell) -> dict[str, str]:
    """What the columns are to a method."""
    given = cell.anonymizer.get_params(deep=False)
    try:
        roles = Roles.resolve(frame.columns, **{role: given[role] for role in ROLES})
    except AnonymizationError:
        return {}  # the run itself raised
    facts = {
        "quasi-identifiers": ", ".join(map(str, roles.quasi_identifiers)),
        "sensitive": ", ".join(map(str, roles.sensitive)),
        "dropped": ", ".join(map(str, roles.identifiers)),
        "hierarchies": "; ".join(
            f"{column}: {_describe_hierarchy(hierarchy)}"
            for column, hierarchy in (given["hierarchies"] or {}).items()
        ),
    }
    if given["quasi_identifiers"] is None:
        facts["quasi-identifiers"] += " (all columns that were not declared otherwise)"
    if roles.subject is not None:
        facts["persons"] = f"k, class sizes and risk count them by {roles.subject}"
    return {what: text or "none" for what, text in facts.items()}


def _once(by_method: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """What holds for all methods is said once, the rest by method."""
    facts: dict[str, str] = {}
    for what in dict.fromkeys(key for found in by_method.values() for key in found):
        texts = {name: found.get(what, "none") for name, found in by_method.items()}
        if len(set(texts.values())) == 1:
            facts[what] = next(iter(texts.values()))
        else:
            facts |= {f"{what} of {name}": text for name, text in texts.items()}
    return facts


def _describe_hierarchy(hierarchy: Any) -> str:
    """A builder by its parameters; the values of a hierarchy are the table's own."""
    if isinstance(hierarchy, Hierarchy):
        return f"{hierarchy.n_levels} levels, unknown={hierarchy.unknown}"
    return repr(hierarchy)


def _fixed(cells: Sequence[Cell]) -> str:
    """Parameters of a method that the grid does not change."""
    # A threshold such as t-closeness.t changes the models.
    varied = {
        "models" if "." in name else name for cell in cells for name in cell.parameters
    }
    shown_elsewhere = {*varied, *ROLES, "hierarchies"}
    params = cells[0].anonymizer.get_params(deep=False)
    own = {
        k: v for k, v in params.items() if k not in shown_elsewhere and v is not None
    }
    return " ".join(f"{name}={value}" for name, value in own.items()) or "nothing"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

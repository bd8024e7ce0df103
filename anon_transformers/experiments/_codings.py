"""Crisp and fuzzy codings of quasi-identifiers side by side."""

import inspect
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.frames import to_frame
from anon_transformers.exceptions import (
    AnonymizationError,
    ParameterError,
    check_choice,
    unknown_choice,
)
from anon_transformers.experiments._coding_criteria import CONVENTIONS, coding_criteria
from anon_transformers.experiments._coding_summary import coding_summary
from anon_transformers.experiments._compare import Progress
from anon_transformers.parameters import whole
from anon_transformers.roles import Roles

CODINGS = (
    "independent:k-means",
    "independent:global-recode",
    "independent:fuzzy-c-means",
    "joint:k-means",
    "joint:gustafson-kessel",
    "joint:fuzzy-c-means",
)
"""What is compared by default."""
KINDS = ("independent", "joint")
SCALES = ("range", "standard", None)
COUNTED = ("rows", "classes", "k", "measure_risk", "q_mean", "q_min")


@dataclass(frozen=True)
class CodingComparison:
    """What :func:`compare_codings` measured.

    Attributes
    ----------
    runs : pandas.DataFrame
        One row per set of quasi-identifiers and coding: coding, method,
        quasi_identifiers, rows, classes, k, measure_risk, q_mean, q_min, ``l`` and
        ``t`` of each sensitive column, error. Nothing where a criterion is not
        defined.
    sensitive : tuple
        Columns that l and t were asked of.
    convention : str
        ``"definition"`` or ``"source"``.
    about : mapping of str to str
        What a reader must know to run it again.
    """

    runs: pd.DataFrame
    sensitive: tuple[Hashable, ...]
    convention: str = "definition"
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def criteria(self) -> list[str]:
        """Columns of ``runs`` that say how well a coding protects."""
        # A release is held to the least Q of its classes; the source took a mean.
        q = "q_mean" if self.convention == "source" else "q_min"
        own = [f"{what} {name}" for name in self.sensitive for what in ("l", "t")]
        return ["k", "measure_risk", q, *own]

    def summary(self) -> pd.DataFrame:
        """Wins, means and mean distances from the best, by coding and criterion."""
        return coding_summary(
            self.runs, self.criteria, complete=self.convention == "definition"
        )


def compare_codings(
    table: Any,
    quasi_identifiers: Sequence[Hashable] | None = None,
    sensitive: Sequence[Hashable] = (),
    *,
    subsets: Sequence[Sequence[Hashable]] | None = None,
    codings: Sequence[str] = CODINGS,
    n_sets: int = 3,
    scale: str | None = "range",
    convention: str = "definition",
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> CodingComparison:
    """Code sets of quasi-identifiers in several ways and judge each.

    Nothing is published, and no coding promises anything here: each makes the number
    of sets it is asked for, and what that protects is measured.

    Parameters
    ----------
    table : data frame
        With numeric quasi-identifiers.
    quasi_identifiers : sequence of columns, default=None
        Columns to choose from; None: all that are not sensitive.
    sensitive : sequence of columns
        Columns that l and t are asked of.
    subsets : sequence of sequences of columns, default=None
        Sets of quasi-identifiers to code; None: all pairs.
    codings : sequence of str
        ``"independent:NAME"`` or ``"joint:NAME"`` with the name of a registered
        recoder: each column for itself, then crossed, or all columns together.
    n_sets : int, default=3
        Sets of each column, or of all together.
    scale : {"range", "standard", None}, default="range"
        Of all methods that measure distances. Without it the column with the largest
        numbers decides alone.
    convention : {"definition", "source"}, default="definition"
        The definitions (t is the largest distance of frequencies, Q the least of all
        classes), or the conventions of the published comparison (t is the least
        distance of distributions that count a value once, Q a mean of at least 1, l
        and t left out where k or Q is 1), which promise nothing.
    random_state : int, default=0
        Of all methods that start at random.
    progress : callable, default=None
        Called with the number of runs that are done, that of all runs, and the name
        of the next one.

    Returns
    -------
    CodingComparison

    Raises
    ------
    AnonymizationError
        If no run succeeded: the first error.

    Examples
    --------
    >>> from anon_transformers.datasets import load_adult
    >>> from anon_transformers.experiments import compare_codings
    >>> adult = load_adult().head(500).assign(hours=lambda t: 20 + t.index % 40)
    >>> found = compare_codings(adult, ["age", "hours"], ["occupation"],
    ...     codings=["independent:global-recode", "joint:fuzzy-c-means"])
    >>> found.runs[["coding", "method", "classes", "l occupation"]].shape
    (2, 4)
    """
    _check(n_sets, scale, convention)
    frame = to_frame(table)
    names, hidden = _roles(frame, quasi_identifiers, sensitive)
    chosen = _subsets(names, subsets)
    asked = [_split(text) for text in codings]
    planned = [(subset, *coding) for subset in chosen for coding in asked]
    options = {"n_sets": n_sets, "scale": scale, "random_state": random_state}
    rows, errors = [], []
    for done, (subset, coding, method) in enumerate(planned):
        if progress is not None:
            progress(done, len(planned), f"{coding}:{method} {_names(subset)}")
        about = {"coding": coding, "method": method, "quasi_identifiers": subset}
        measured, error = _attempt(frame, about, hidden, options, convention)
        errors.append(error)
        rows.append({**about, "quasi_identifiers": _names(subset), **measured})
    if None not in errors:
        raise next(error for error in errors if error is not None)
    if progress is not None:
        progress(len(planned), len(planned), "")
    described = _about(frame, names, hidden, options)
    return CodingComparison(_frame(rows, hidden), hidden, convention, described)


def _check(n_sets: int, scale: str | None, convention: str) -> None:
    """Refuse before the first run what no run can do."""
    check_choice("convention", convention, CONVENTIONS)
    check_choice("scale", scale, SCALES)
    whole("n_sets", n_sets)


def _roles(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable] | None,
    sensitive: Sequence[Hashable],
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    roles = Roles.resolve(
        frame.columns, quasi_identifiers=quasi_identifiers, sensitive=sensitive
    )
    return tuple(roles.quasi_identifiers), tuple(roles.sensitive)


def _subsets(
    quasi_identifiers: Sequence[Hashable], subsets: Sequence[Sequence[Hashable]] | None
) -> list[tuple[Hashable, ...]]:
    wanted = combinations(quasi_identifiers, 2) if subsets is None else subsets
    chosen = [tuple(subset) for subset in wanted]
    for name in (name for subset in chosen for name in subset):
        if name not in quasi_identifiers:
            raise ParameterError(
                f"subsets: {unknown_choice('column', name, quasi_identifiers)}"
            )
    if not chosen or not all(chosen):
        raise ParameterError(
            "subsets: give at least one set with at least one quasi-identifier; pairs "
            f"need two quasi-identifiers, got {len(quasi_identifiers)}."
        )
    return chosen


def _split(text: str) -> tuple[str, str]:
    """Split a kind of coding from a method."""
    coding, colon, method = text.partition(":")
    if not colon or not method:
        raise ParameterError(
            f"codings: expected independent:NAME or joint:NAME, got {text!r}."
        )
    check_choice("codings", coding, KINDS)
    legal = _parameters(method)
    if "keep_memberships" not in legal:
        raise ParameterError(
            f"codings: {method} does not tell how much a row belongs to a class; "
            "choose a recoder."
        )
    if coding == "joint" and "coding" not in legal:
        raise ParameterError(f"codings: {method} codes each column by itself.")
    return coding, method


def _parameters(method: str) -> Mapping[str, Any]:
    from anon_transformers.registry import registry

    return inspect.signature(registry().anonymizers[method]).parameters


def _attempt(
    frame: pd.DataFrame,
    about: Mapping[str, Any],
    sensitive: Sequence[Hashable],
    options: Mapping[str, Any],
    convention: str,
) -> tuple[dict[str, Any], AnonymizationError | None]:
    """Criteria of one run, or its error."""
    subset = list(about["quasi_identifiers"])
    try:
        recoder = _recoder(about, subset, sensitive, options)
        coded = recoder.fit_transform(frame[[*subset, *sensitive]])
        degrees = recoder.degrees_
        fuzzy = None if np.isin(degrees, (0, 1)).all() else degrees
        measured = coding_criteria(coded, subset, sensitive, fuzzy, convention)
    except AnonymizationError as error:
        return {"error": str(error)}, error
    return measured, None


def _recoder(
    about: Mapping[str, Any],
    subset: Sequence[Hashable],
    sensitive: Sequence[Hashable],
    options: Mapping[str, Any],
) -> Any:
    from anon_transformers.registry import registry

    make = registry().anonymizers[about["method"]]
    given = {
        **options,
        "coding": about["coding"],
        "sensitive": list(sensitive),
        "k": 1,  # promises nothing
        "keep_memberships": True,
    }
    legal = _parameters(about["method"])
    # A method that measures no distances has no scale, one without chance no seed.
    return make(subset, **{name: v for name, v in given.items() if name in legal})


def _names(subset: Sequence[Hashable]) -> str:
    return ", ".join(map(str, subset))


def _frame(rows: list[dict[str, Any]], sensitive: Sequence[Hashable]) -> pd.DataFrame:
    own = [f"{what} {name}" for name in sensitive for what in ("l", "t")]
    about = ("coding", "method", "quasi_identifiers")
    frame = pd.DataFrame(rows, columns=[*about, *COUNTED, *own, "error"])
    types = dict.fromkeys(COUNTED, "Int64")
    types |= {name: "Int64" if name[0] == "l" else "float64" for name in own}
    frame = frame.astype({**types, "error": object})
    return frame.assign(error=frame["error"].where(frame["error"].notna(), None))


def _about(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Sequence[Hashable],
    options: Mapping[str, Any],
) -> dict[str, str]:
    return {
        "rows": f"{len(frame):,}",
        "quasi-identifiers": _names(quasi_identifiers),
        "sensitive": _names(sensitive) or "none",
        "sets": f"{options['n_sets']} a column (independent) or in all (joint)",
        "scale": str(options["scale"]),
        "random_state": str(options["random_state"]),
    }

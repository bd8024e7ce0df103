"""Printed and recomputed averages of correlation differences, beside ours."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from anon_transformers.experiments import NOT_RUN

FARTHEST = 4
"""Standard errors beyond which chance is no explanation."""
FEWEST_RUNS = 30
"""Of fewer random runs an average is too uncertain to be judged by."""
EXACT = 1e-3
"""Smaller tolerances are differences that no chance widens: no random method."""


def column_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame, *, judged: bool
) -> Iterator[dict[str, Any]]:
    """One finding a cell of a table; random ones count only if ``judged``.

    They must be averages of at least ``FEWEST_RUNS`` runs, too.
    """
    for column in reported["columns"]:
        for at, k in enumerate(reported["k"]):
            ours, error, repetitions = _ours(runs, column, k)
            printed = None if column["published"] is None else column["published"][at]
            recomputed = column["recomputed"][at]
            exact = column["tolerance"] < EXACT
            if not exact and not (judged and repetitions >= FEWEST_RUNS):
                ours = None
            near = ours is not None and _is_near(
                ours, recomputed, column["tolerance"], error
            )
            equal = None if ours is None else _agrees(ours, printed, near)
            yield {
                "where": column["where"],
                "data_set": column["data_set"],
                "method": column["method"],
                "k": k,
                "measure": f"{column['measure']}, {column['statistic']}",
                "published": printed,
                "recomputed": recomputed,
                "ours": ours,
                "equal": equal,
                "reason": _reason(reported, column, equal, near)
                or ("" if equal else _known_difference(reported, column, k, ours)),
            }


def claim_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """One finding a sentence of the source: for which k it does not hold."""
    for claim in reported["claims"]:
        wrong = _exceptions(runs, claim, reported["k"])
        equal = None if wrong is None else not wrong
        yield {
            "where": claim["where"],
            "data_set": claim["data_set"],
            "method": f"{claim['lower']} < {claim['higher']}",
            "k": None,
            "measure": f"{claim['claim']} ({claim['statistic']})",
            "published": "for every k",
            "recomputed": None,
            "ours": None if wrong is None else _shown(wrong),
            "equal": equal,
            "reason": NOT_RUN if wrong is None else "" if equal else claim["reason"],
        }


def _ours(
    runs: pd.DataFrame, column: Mapping[str, Any], k: int
) -> tuple[float | None, float, int]:
    """Our number, its standard error, and of how many runs it is the average."""
    wanted = {name: column[name] for name in ("data_set", "method", "statistic")}
    chosen = _chosen(runs, k=k, **wanted)
    if chosen.empty:
        return None, math.nan, 0
    measure, run = column["measure"], chosen.iloc[0]
    return float(run[measure]), float(run[f"{measure}_error"]), int(run["repetitions"])


def _chosen(runs: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    chosen = runs
    for name, value in wanted.items():
        chosen = chosen[chosen[name] == value]
    return chosen


def _agrees(ours: float, printed: str | None, near: bool) -> bool:
    """Whether ours is what was printed, to its last digit; else what was recomputed."""
    if printed is None:
        return near
    decimals = len(printed.partition(".")[2])
    half = 0.5 * 10.0**-decimals
    return abs(ours - float(printed)) <= half * (1 + 1e-9)


def _is_near(ours: float, recomputed: float, tolerance: float, error: float) -> bool:
    """Within the tolerance: a share for random methods, else a difference.

    Few large differences make some averages uncertain, even of a hundred runs: what
    chance explains (``FARTHEST`` standard errors of the difference between two such
    averages) is near, too. Nothing is left to chance where the method is not random.
    """
    away = abs(ours - recomputed)
    if tolerance < EXACT:
        return away <= tolerance
    chance = FARTHEST * math.sqrt(2) * error
    return away <= max(tolerance * recomputed, chance)


def _reason(
    reported: Mapping[str, Any],
    column: Mapping[str, Any],
    equal: bool | None,
    near: bool,
) -> str:
    """Why ours is not what was printed; nothing explains what nobody expected."""
    if equal is None:
        return NOT_RUN
    if equal or not near:
        return ""
    return reported["reasons"].get(column.get("reason"), "")


def _known_difference(
    reported: Mapping[str, Any], column: Mapping[str, Any], k: int, ours: float | None
) -> str:
    """Why one number is farther off than chance explains, as far as that is known."""
    differs = column.get("differs")
    if ours is None or differs is None or differs["k"] != k:
        return ""
    recomputed = column["recomputed"][reported["k"].index(k)]
    within = abs(ours - recomputed) <= differs["tolerance"] * recomputed
    return reported["reasons"][differs["reason"]] if within else ""


def _exceptions(
    runs: pd.DataFrame, claim: Mapping[str, Any], ks: list[int]
) -> list[int] | None:
    """For which k the claim is wrong; None if a run is missing."""
    of = {"data_set": claim["data_set"], "statistic": claim["statistic"]}
    low = _chosen(runs, method=claim["lower"], **of).set_index("k")["mean"]
    high = _chosen(runs, method=claim["higher"], **of).set_index("k")["mean"]
    if len(low) < len(ks) or len(high) < len(ks):
        return None
    return [k for k in ks if not low[k] < high[k]]


def _shown(wrong: list[int]) -> str:
    if not wrong:
        return "for every k"
    return f"not for k = {', '.join(map(str, wrong))}"

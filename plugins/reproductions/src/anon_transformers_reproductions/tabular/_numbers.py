"""Numbers of the runs on Adult beside those of the source."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from anon_transformers.experiments import NOT_RUN
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import aggregate_answers

MEASURES = {
    "feasible": "can be had",
    "loss": "loss %",
    "average_risk": "average risk %",
    "highest_risk": "highest risk %",
    "records_at_risk": "records at risk %",
    "suppressed": "suppressed rows",
    "kept": "kept rows",
    "classes": "classes",
    "mean": "mean class size",
    "largest": "largest class",
    "smallest": "smallest class",
    "age_min": "smallest age",
    "age_max": "largest age",
    "age_lower": "mean age, lower bounds",
    "age_middle": "mean age, middles",
    "age_mode": "most frequent age",
    "age_mode_count": "rows with it",
    "levels": "levels",
    "homogeneous_classes": "classes with one occupation",
    "homogeneous_rows": "rows in these",
    "distance": "distance from the input",
    "distance_released": "distance from the release",
    "classes_over_t": "classes over t from the release",
}
TOLERANCES = {"loss": 1e-5, "distance": 5.1e-7, "distance_released": 5.1e-7}
"""Where other numbers are equal to nine digits."""
NOT_AVAILABLE = "not available"


def finding(where: str, measure: str, **others: Any) -> dict[str, Any]:
    """One number; what is not given is not known."""
    blank = {"method": None, "k": None, "published": None, "recomputed": None}
    fields = {"where": where, "data_set": "adult", **blank, "measure": measure}
    return {**fields, "ours": None, "equal": None, "reason": "", **others}


def fact_findings(
    reported: Mapping[str, Any],
    table: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
) -> Iterator[dict[str, Any]]:
    """What the source reports about the table and its hierarchies."""
    age = aggregate_answers(table["age"])
    columns = reported["quasi_identifiers"]
    ours = {
        "rows": len(table),
        "nodes": math.prod(hierarchies[name].n_levels for name in columns),
        "distinct combinations": len(table[columns].drop_duplicates()),
        "original age, mean": age.mean_middle,
        "original age, min": age.minimum,
        "original age, max": age.maximum,
        "original age, mode": age.mode,
        "original age, mode count": age.mode_count,
    }
    ours |= {
        f"levels of {name}": hierarchy.n_levels
        for name, hierarchy in hierarchies.items()
    }
    for fact in reported["facts"]:
        found = ours[fact["measure"]]
        expected = fact.get("published", fact.get("recomputed"))
        yield finding(**fact, ours=found, equal=same(found, expected))


def run_findings(
    reported: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """One finding for every number that was printed or recomputed about a run."""
    made = {row["run"]: row for row in rows}
    for run in reported["runs"]:
        row = made.get(run["run"])
        named = {"method": run["method"], "k": run["k"]}
        for kind in ("published", "recomputed"):
            for name, expected in run.get(kind, {}).items():
                fields = {**named, kind: expected}
                if row is None:
                    judged = {"reason": NOT_RUN}
                else:
                    judged = _judged(reported, run, name, _ours(name, row), expected)
                yield finding(run["where"], MEASURES[name], **fields, **judged)
        if "age_middle" in run.get("published", {}):
            printed = run["published"]["age_middle"]
            yield finding(
                run["where"],
                "mean age, middles, nothing cut before",
                **named,
                published=printed,
                **_exact_middle(reported, run, row, printed),
            )


def _ours(name: str, row: Mapping[str, Any]) -> Any:
    found = row.get(name)
    return NOT_AVAILABLE if found is None else found


def _judged(
    reported: Mapping[str, Any],
    run: Mapping[str, Any],
    name: str,
    ours: Any,
    expected: Any,
) -> dict[str, Any]:
    """Ours, whether it is what was expected, and why not."""
    equal = same(ours, expected, TOLERANCES.get(name))
    reason = ""
    # Nobody is 0 at most: a largest age of 0 tells that there was no answer.
    unanswered = run.get("published", {}).get("age_max") == 0
    if not equal and ours == NOT_AVAILABLE and unanswered and expected == 0:
        reason = reported["reasons"]["not_available"]
    return {"ours": ours, "equal": equal, "reason": reason}


def _exact_middle(
    reported: Mapping[str, Any],
    run: Mapping[str, Any],
    row: Mapping[str, Any] | None,
    printed: int,
) -> dict[str, Any]:
    """The mean age that the formula of the source gives, its digits cut."""
    if row is None:
        return {"reason": NOT_RUN}
    exact = row["age_middle_exact"]
    ours = NOT_AVAILABLE if exact is None else math.trunc(exact)
    judged = _judged(reported, run, "age_middle", ours, printed)
    if ours == printed + 1:
        judged["reason"] = reported["reasons"]["whole_numbers"]
    return judged


def claim_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """What the text of the source says about its runs."""
    printed = [run["run"] for run in reported["runs"] if "published" in run]
    made = runs[runs["run"].isin(printed)]
    for claim in reported["claims"]:
        ours = _answer(claim, made, printed)
        fields = {
            name: claim.get(name) for name in ("method", "published", "recomputed")
        }
        if ours is None:
            judged: dict[str, Any] = {"reason": NOT_RUN}
        else:
            judged = {"ours": ours, "equal": _as_printed(ours, claim)}
            right = same(ours, claim["recomputed"], 1e-5)
            if not judged["equal"] and right:
                judged["reason"] = claim.get("reason", "")
        yield finding(f"claim, {claim['where']}", claim["measure"], **fields, **judged)


def _answer(
    claim: Mapping[str, Any], made: pd.DataFrame, printed: Sequence[str]
) -> Any:
    """What our runs say; None if those that it takes were not made."""
    if "run" in claim:
        found = made.loc[made["run"] == claim["run"], claim["of"]].tolist()
        return found[0] if found else None
    if len(made) < len(printed):
        return None
    if "extreme" in claim:
        part = made.loc[made["method"] == claim["method"], claim["of"]]
        return float(part.agg(claim["extreme"]))
    if "trend" in claim:
        return _trend(claim, made)
    if "riskiest_at" in claim:
        at_k = made[made["k"] == claim["riskiest_at"]]
        highest = at_k["average_risk"] == at_k["average_risk"].max()
        return ", ".join(dict.fromkeys(at_k.loc[highest, "method"]))
    if "beaten" in claim:
        return "; ".join(made.loc[_beaten(made), "run"])
    exact = made["age_middle_exact"].dropna().map(math.trunc)
    return int((exact == made["age_middle"].dropna() + 1).sum())


def _trend(claim: Mapping[str, Any], made: pd.DataFrame) -> str:
    methods = {
        "k": "k-anonymity",
        "l": "recursive-cl-diversity",
        "t": "t-closeness",
    }
    part = made[made["method"] == methods[claim["sweep"]]].sort_values(claim["sweep"])
    # Printed with six digits; the last of them is no trend.
    numbers = part[claim["of"]].round(6)
    rises = claim["trend"] == "rises"
    holds = (
        numbers.is_monotonic_increasing if rises else numbers.is_monotonic_decreasing
    )
    return "yes" if holds else "no"


def _beaten(made: pd.DataFrame) -> list[bool]:
    """Runs that another one beats, no worse in loss or risk and better in one."""
    points = list(zip(made["loss"].round(6), made["average_risk"], strict=True))
    return [
        any(a <= loss and b <= risk and (a, b) != (loss, risk) for a, b in points)
        for loss, risk in points
    ]


def _as_printed(ours: Any, claim: Mapping[str, Any]) -> bool:
    """Whether ours is what was claimed (to its last digit) and recomputed."""
    if not same(ours, claim["recomputed"], 1e-5):
        return False
    claimed = claim.get("published")
    if claimed is None or isinstance(claimed, str):
        return claimed is None or ours == claimed
    half = 0.5 * 10.0 ** -claim["decimals"]
    return abs(ours - claimed) <= half * (1 + 1e-9)


def same(ours: Any, expected: Any, tolerance: float | None = None) -> bool:
    """Whether two answers are the same, up to rounding.

    Examples
    --------
    >>> same(54.0, 54), same(16.213261, 16.21326), same("*", "20-39"), same("x", 0)
    (True, False, False, False)
    >>> same(16.213261, 16.21326, 1e-5)
    True
    """
    if isinstance(ours, str) or isinstance(expected, str):
        return ours == expected
    if tolerance is None:
        tolerance = 1e-9 * max(1.0, abs(expected))
    return bool(abs(ours - expected) <= tolerance)

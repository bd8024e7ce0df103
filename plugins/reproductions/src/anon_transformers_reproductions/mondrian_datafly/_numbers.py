"""Numbers of a source beside those of our runs."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from anon_transformers.experiments import NOT_RUN

COUNTED = ("combinations", "min", "max", "suppressed")


def number_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """One finding for every number that the source prints or claims."""
    for number in reported["numbers"]:
        chosen = _chosen(runs, number["data_set"], number["method"], number["k"])
        ours = _ours(chosen, number)
        equal = None if ours is None else _agrees(ours, number)
        yield {
            "where": number["where"],
            "data_set": number["data_set"],
            "method": number["method"],
            "k": number["k"],
            "measure": number["measure"],
            "published": _bound(number),
            "recomputed": number["recomputed"],
            "ours": ours,
            "equal": equal,
            "reason": _reason(equal, ours, number),
        }


def run_findings(
    reported: Mapping[str, Any], runs: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """One finding for every run: its five measures beside the recomputed ones."""
    columns = reported["runs"]["columns"]
    for row in reported["runs"]["rows"]:
        expected = dict(zip(columns, row, strict=True))
        chosen = _chosen(runs, expected["data_set"], expected["method"], expected["k"])
        ran: list[Any] = chosen.to_dict("records")
        for run in ran or [None]:
            equal = None if run is None else _same_measures(run, expected)
            yield {
                "where": "recomputed",
                "data_set": expected["data_set"] if run is None else run["data_set"],
                "method": expected["method"] if run is None else run["method"],
                "k": expected["k"],
                "measure": "five measures",
                "published": None,
                "recomputed": five_measures(expected),
                "ours": None if run is None else five_measures(run),
                "equal": equal,
                "reason": NOT_RUN if run is None else "",
            }


def five_measures(run: Mapping[str, Any]) -> str:
    """Combinations, extremes, mean, variance and suppressed rows in one text.

    Examples
    --------
    >>> five_measures({"combinations": 100, "min": 9, "max": 10, "mean": 9.99,
    ...     "variance": 0.0099, "suppressed": 1})
    '100 [9-10] 9.99 / 0.0099 (1)'
    """
    return (
        f"{run['combinations']} [{run['min']}-{run['max']}] {run['mean']:.6g} / "
        f"{run['variance']:.6g} ({run['suppressed']})"
    )


def _chosen(
    runs: pd.DataFrame, data_set: str, method: str, k: int | None
) -> pd.DataFrame:
    """Runs by name (with ``*``) or kind of data, by method, and by k unless None."""
    named = runs["data_set"].map(lambda name: fnmatchcase(name, data_set))
    of_method = runs["method"].map(lambda name: fnmatchcase(name, method))
    chosen = (named | (runs["kind"] == data_set)) & of_method
    return runs[chosen if k is None else chosen & (runs["k"] == k)]


def _ours(chosen: pd.DataFrame, number: Mapping[str, Any]) -> Any:
    """Our number; None without a run, all of them as text if runs do not agree."""
    if len(chosen) < number.get("runs", 1):
        return None
    optimum = chosen["rows"] / chosen["k"]
    if number["measure"] == "mean ratio":
        return float((chosen["combinations"] / optimum).mean())
    measures = {"optimum": optimum, "ratio": chosen["combinations"] / optimum}
    found = measures.get(number["measure"], chosen.get(number["measure"]))
    distinct = sorted(set(found.tolist()))
    return distinct[0] if len(distinct) == 1 else ", ".join(map(str, distinct))


def _bound(number: Mapping[str, Any]) -> Any:
    return f"< {number['published']}" if "relation" in number else number["published"]


def _agrees(ours: Any, number: Mapping[str, Any]) -> bool:
    """Whether ours is what was published (to its last digit) and recomputed."""
    if isinstance(ours, str):
        return False
    return _is_published(ours, number) and _is(ours, number["recomputed"])


def _is_published(ours: float, number: Mapping[str, Any]) -> bool:
    if number["published"] is None:
        return True
    if "relation" in number:
        return ours < number["published"]
    half = 0.5 * 10.0 ** -number.get("decimals", 6)
    return abs(ours - number["published"]) <= half * (1 + 1e-9)


def _is(ours: float, expected: float) -> bool:
    """Whether two numbers are the same, but for the sixth digit they are kept to."""
    return abs(ours - expected) <= 1e-6 * max(1.0, abs(ours))


def _reason(equal: bool | None, ours: Any, number: Mapping[str, Any]) -> str:
    """Why ours is another number; a reason explains one number, and no other."""
    if equal is None:
        return NOT_RUN
    if equal or isinstance(ours, str):
        return ""
    explained = number.get("ours", number["recomputed"])
    return number.get("reason", "") if _is(ours, explained) else ""


def _same_measures(run: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    return all(run[name] == expected[name] for name in COUNTED) and all(
        _is(run[name], expected[name]) for name in ("mean", "variance")
    )

"""Numbers of the source beside ours: when they are equal, and what explains the rest.

An entry of the stored numbers says how it is judged. By default ours must be the
printed number to its last digit, and the recomputed one. If ours is of several runs, a
`RunValues`, then the printed one must lie among them, none of them may be above the
recomputed one, which is a cost, and all must be where they are expected. Beside that
there are

* ``graphs``: a count among so many random graphs, equal if chance explains it;
* ``test``: ``about`` (``within`` so much), ``at least`` or ``at most`` ``value``;
* ``stated``: nothing to compute, such as a name; shown, and not compared.

A reason accounts for what is known of ours and for nothing else: ``explained`` is the
range in which ours is expected, or the very text. With ``fewer_than`` fewer edges than
that must have changed, too. Without ``explained`` it is the recomputed number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scipy.stats import binomtest

from anon_transformers.experiments import NOT_RUN

Key = tuple[str, str, int | None, str]
"""Data set, method, k and measure."""
UNLIKELY = 0.001
"""A difference that chance makes less often than this is one."""
STATED = "stated"
"""Ours, where there is nothing to compute."""
INFEASIBLE = "infeasible"
"""Ours, where a run ended without a graph."""
UNDEFINED = "undefined"
"""Ours, where a graph has no such number."""


@dataclass(frozen=True)
class GraphCount:
    """Some of many random graphs.

    Examples
    --------
    >>> str(GraphCount(3, 200))
    '3 of 200'
    """

    found: int
    graphs: int

    def __str__(self) -> str:
        return f"{self.found} of {self.graphs:,}"


@dataclass(frozen=True)
class RunValues:
    """The same number in several runs.

    Examples
    --------
    >>> RunValues((2.0, 3.0)).mean
    2.5
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """What is shown."""
        return sum(self.values) / len(self.values)


def number_findings(
    known: Mapping[str, Any], ours: Mapping[Key, Any]
) -> Iterator[dict[str, Any]]:
    """One finding for every stored number."""
    for number in known["numbers"]:
        about = (number["data_set"], number["method"], number["k"])
        measure = number.get("same_as", number["measure"])
        found = ours.get((*about, measure))
        modified = ours.get((*about, "edges modified"))
        yield finding(known, number, found, modified)


def finding(
    known: Mapping[str, Any],
    number: Mapping[str, Any],
    ours: Any,
    modified: Any = None,
) -> dict[str, Any]:
    """What was published and recomputed beside ours.

    ``modified`` are the edges that our runs changed, for numbers that depend on them.
    """
    stated = number.get("stated", False)
    equal = None if ours is None or stated else _agrees(ours, number)
    reason = NOT_RUN if equal is None else ""
    if stated or (equal is False and _explains(number, ours, modified)):
        reason = known["reasons"][number["reason"]]
    text = number.get("text")
    return {
        "where": number["where"],
        "data_set": number["data_set"],
        "method": number["method"],
        "k": number["k"],
        "measure": number["measure"],
        "published": number["published"] if text is None else text,
        "recomputed": number["recomputed"],
        "ours": STATED if stated else _shown(ours, number),
        "equal": equal,
        "reason": reason,
    }


def is_likely(ours: GraphCount, published: int, graphs: int) -> bool:
    """Whether chance explains two counts among random graphs of the same kind.

    If both kinds are the same, each of the graphs that count is one of ours by the
    share of our graphs among all.

    Examples
    --------
    >>> is_likely(GraphCount(8, 2000), 12, 2000)
    True
    >>> is_likely(GraphCount(80, 2000), 12, 2000)
    False
    """
    total = ours.found + published
    if not total:
        return True
    share = ours.graphs / (ours.graphs + graphs)
    return bool(binomtest(ours.found, total, share).pvalue >= UNLIKELY)


def _agrees(ours: Any, number: Mapping[str, Any]) -> bool:
    if isinstance(ours, GraphCount):
        return is_likely(ours, number["published"], number["graphs"])
    if isinstance(ours, RunValues):
        return _is_among(ours, number) and _is_expected(ours, number)
    if "test" in number:
        return _passes(ours, number)
    printed, again = number["published"], number["recomputed"]
    if printed is not None and not _is_printed(ours, printed, number.get("decimals")):
        return False
    return again is None or _equal_values(ours, again)


def _is_among(ours: RunValues, number: Mapping[str, Any]) -> bool:
    """Whether the printed number lies between our lowest and highest one."""
    value = number.get("value", number["published"])
    if isinstance(value, str):
        return False
    rounded = 0.5 * 10.0 ** -number["decimals"] if "decimals" in number else 0.0
    slack = number.get("within", rounded) * (1 + 1e-9)
    return min(ours.values) - slack <= value <= max(ours.values) + slack


def _is_expected(ours: RunValues, number: Mapping[str, Any]) -> bool:
    """Whether no run costs more than the recomputed one, nor leaves what is known."""
    most = number["recomputed"]
    low, high = number.get("explained", (min(ours.values), max(ours.values)))
    return (most is None or _between(0, ours, most)) and _between(low, ours, high)


def _passes(ours: float | str, number: Mapping[str, Any]) -> bool:
    value, test = number["value"], number["test"]
    if isinstance(ours, str):  # it came to no number
        return False
    if test == "about":
        return abs(ours - value) <= number["within"]
    return ours >= value if test == "at least" else ours <= value


def _is_printed(ours: Any, printed: Any, decimals: int | None) -> bool:
    """Whether ours is what was printed, to the last digit."""
    if isinstance(ours, str) or isinstance(printed, str) or decimals is None:
        return ours == printed
    return abs(ours - printed) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


def _equal_values(ours: Any, expected: Any) -> bool:
    """Whether two values are the same, numbers to the sixth digit."""
    if isinstance(ours, str) or isinstance(expected, str):
        return ours == expected
    return abs(ours - expected) <= 1e-6 * max(1.0, abs(expected))


def _explains(number: Mapping[str, Any], ours: Any, modified: Any) -> bool:
    """Whether the reason of an entry accounts for our number."""
    if "reason" not in number:
        return False
    if "fewer_than" in number and not _changes_fewer(modified, number["fewer_than"]):
        return False
    explained = number.get("explained", number["recomputed"])
    if isinstance(explained, list):
        low, high = explained
        return _between(low, ours, high)
    return explained is not None and _equal_values(ours, explained)


def _changes_fewer(modified: Any, edges: int) -> bool:
    return isinstance(modified, RunValues) and max(modified.values) < edges


def _between(low: float, ours: Any, high: float) -> bool:
    """Whether ours, or each of several, lies in a range, the sixth digit aside."""
    values = ours.values if isinstance(ours, RunValues) else (ours,)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    return all(
        not isinstance(v, str) and low - slack <= v <= high + slack for v in values
    )


def _shown(ours: Any, number: Mapping[str, Any]) -> Any:
    if isinstance(ours, GraphCount):
        return ours.found if ours.graphs == number["graphs"] else str(ours)
    return ours.mean if isinstance(ours, RunValues) else ours

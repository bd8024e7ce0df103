"""Time Mondrian and Datafly against one plain group-by, beside their peers.

Run it with ``make benchmark``, or
``.venv/bin/python benchmarks/generalization.py [--largest 1000000] [--without-peers]``.
``benchmarks/README.md`` says what the numbers mean; the last ones are kept in
``benchmarks/results/``.
"""

import argparse
import statistics
from itertools import pairwise

from _measures import (
    growth,
    in_fresh_process,
    machine,
    median_seconds,
    peak_growth,
    yardstick,
)
from _peers import run_peer
from _results import case_cells, keep, memory_cells, number

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.evidence import Classes
from anon_transformers.privacy import KAnonymity

EIGHT = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
]
FIVE = ["age", "education", "marital-status", "race", "sex"]
K = 5
MILLION = 1_000_000
SIZES = (10_000, 100_000, MILLION, 10 * MILLION)
OURS = "anon-transformers"
# What each peer is measured beside.
PEERS = {"anonypy": "mondrian", "anjana": "datafly", "pycanon": "count k"}
# Of a public program that is not on the package index; a mark to beat, not run here.
QUOTED = {"ratio": 19.0, "ncp": 0.0534}
QUOTED_BY = "fastest public pure-Python strict Mondrian (quoted, not run)"


def anonymizers(columns):
    """The methods to compare, by name."""
    hierarchies = load_adult_hierarchies()
    return {
        "mondrian": MondrianAnonymizer(columns, k=K, tie_side="left"),
        "mondrian, both sides": MondrianAnonymizer(columns, k=K),
        "mondrian, relaxed": MondrianAnonymizer(
            columns, k=K, mode="relaxed", duplicates="ignore"
        ),
        "datafly": DataflyAnonymizer(
            columns,
            k=K,
            hierarchies={name: hierarchies[name] for name in columns},
            suppression="mask",
        ),
    }


def resampled(rows):
    """Adult drawn with replacement, eight columns."""
    adult = load_adult()[EIGHT]
    return adult.sample(rows, replace=True, random_state=0, ignore_index=True)


def measure(frame, *, with_peers):
    """Every method, and every peer, on one table."""
    columns = list(frame.columns)
    repeats = 5 if len(frame) <= MILLION else 3
    table = {
        "rows": len(frame),
        "columns": len(columns),
        "yardstick_seconds": yardstick(frame, columns, repeats),
    }
    for measured in outcomes(frame, columns, repeats, with_peers):
        case = table | measured
        if "seconds" in case:
            case["ratio"] = case["seconds"] / case["yardstick_seconds"]
        print("  ".join(list(case_cells(case).values())[:4]), flush=True)
        yield case


def outcomes(frame, columns, repeats, with_peers):
    """Time and result of each method, then of each peer."""
    for name, anonymizer in anonymizers(columns).items():
        seconds = median_seconds(lambda a=anonymizer: a.fit_transform(frame), repeats)
        report = anonymizer.report_
        yield {
            "method": name,
            "by": OURS,
            "seconds": seconds,
            "classes": report.classes["count"],
            "ncp": statistics.mean(report.column_losses.values()),
        }

    def count():
        return KAnonymity(K).level(Classes.from_frame(frame, columns))

    yield {"method": "count k", "by": OURS, "seconds": median_seconds(count, repeats)}
    hierarchies = load_adult_hierarchies()
    rows = {name: hierarchies[name].rows for name in columns}
    for peer, method in PEERS.items() if with_peers else ():
        measured = run_peer(
            peer, frame, columns, k=K, hierarchies=rows, repeats=repeats
        )
        losses = measured.get("column_losses", {}).values()
        found = {"ncp": statistics.mean(losses)} if losses else {}
        yield {"method": method, "by": measured.pop("peer"), **measured, **found}


def memory(rows, method):
    """Peak memory of one method; runs in a process of its own."""
    frame = resampled(rows)
    anonymizer = anonymizers(EIGHT)[method]
    anonymizer.fit_transform(frame.head(1000))
    grown = peak_growth(lambda: anonymizer.fit_transform(frame))
    size = int(frame.memory_usage(deep=True).sum())
    if grown is None:
        return None
    case = {"method": method, "rows": rows, "columns": len(EIGHT), "frame_bytes": size}
    return case | {"growth_bytes": grown, "ratio": grown / size}


def add_growth(cases):
    """Give each of our methods its growth over the resampled tables."""
    for method in {case["method"] for case in cases if case["by"] == OURS}:
        mine = of_ours(cases, method)
        relative = growth({case["rows"]: case["seconds"] for case in mine})
        for case in mine:
            case["growth"] = relative[case["rows"]]
        for before, case in pairwise(mine):
            case["growth_step"] = case["growth"] / before["growth"]


def of_ours(cases, method):
    """Our cases of one method, smallest table first."""
    return [c for c in cases if c["by"] == OURS and c["method"] == method]


def targets(small, large, memories):
    """What the project promises and what was measured: (what, at most, measured)."""
    for method in ("mondrian", "mondrian, both sides"):
        for case in of_ours(small, method):
            yield f"{told_of(case)}: × group-by", 4.0, case["ratio"]
            yield f"{told_of(case)}: NCP, %", 100 * QUOTED["ncp"], 100 * case["ncp"]
    for method, most in {"mondrian": 10.0, "datafly": 5.0}.items():
        for case in of_ours(large, method):
            if case["rows"] == MILLION:
                yield f"{told_of(case)}: × group-by", most, case["ratio"]
    for case in of_ours(large, "mondrian")[1:]:
        yield f"{told_of(case)}: time / n log n", 1.0, case["growth"]
    for case in memories:
        yield f"{told_of(case)}: peak growth × frame", 4.0, case["ratio"]


def told_of(case):
    """Which case this is, in words."""
    return f"{case['method']}, {case['rows']:,} × {case['columns']}"


def target_cells(what, most, measured):
    """One target as the cells of a line."""
    met = "met" if measured <= most else "missed"
    numbers = {"at most": number(most), "measured": number(measured)}
    return {"target": what, **numbers, "": met}


def quoted(case):
    """The published program, as if it had been run beside a case of ours."""
    named = {"method": "mondrian", "by": QUOTED_BY, **QUOTED}
    shown = case_cells(case | named | {"classes": None})
    return shown | {"seconds": "-", "× group-by": f"near {QUOTED['ratio']:.0f}"}


def main():
    """Measure every case, print it, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=MILLION, metavar="ROWS")
    parser.add_argument("--without-peers", action="store_true")
    options = parser.parse_args()
    peers, adult = not options.without_peers, load_adult()
    small = list(measure(adult[FIVE], with_peers=peers))
    middle = list(measure(adult[EIGHT], with_peers=peers))
    large = []
    for rows in (size for size in SIZES if size <= options.largest):
        large += measure(resampled(rows), with_peers=peers and rows == MILLION)
    add_growth(large)
    measured = [in_fresh_process(memory, MILLION, m) for m in ("mondrian", "datafly")]
    memories = [case for case in measured if case is not None]
    kept = [target_cells(*target) for target in targets(small, large, memories)]
    cases = [*small, *middle, *large]
    times = [*map(case_cells, small), quoted(small[0])]
    times += map(case_cells, [*middle, *large])
    sections = {"Targets": kept, "Time": times}
    if memories:
        sections["Memory"] = [memory_cells(case) for case in memories]
    measured = {
        "machine": machine(),
        "cases": cases,
        "memory": memories,
        "targets": kept,
    }
    print(keep("generalization", measured, sections))


if __name__ == "__main__":
    main()

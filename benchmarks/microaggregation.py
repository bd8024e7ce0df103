"""Time MDAV against plain passes over the table, and IR-SWAP against one sort.

Run it with ``.venv/bin/python benchmarks/microaggregation.py [--quick]``. The yardstick
of a grouping is n/(2k) numpy passes ``((X - c) ** 2).sum(axis=1)`` over the whole table
in the same run, of which a sample is timed. ``benchmarks/README.md`` says what the
numbers mean.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _measures import growth, in_fresh_process, machine, median_seconds, peak_growth
from _plain_mdav import group_plain
from _results import keep, number

from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.mdav_fast import group_fast
from anon_transformers._kernels.ranking import rank_groups
from anon_transformers._kernels.refinement import refine
from anon_transformers._kernels.swapping import gather, permute_members
from anon_transformers.datasets import load_adult

DATA = Path(__file__).parents[1] / "tests" / "data"
SIZES = [10_000, 30_000, 100_000]
SWAPPED = 10_000_000
COLUMNS, K = 10, 10
PASSES = 20
PLAIN, PRUNED, FAST = "every distance", "MDAV", "fast"
METHODS = {
    PLAIN: group_plain,
    PRUNED: group,
    FAST: group_fast,
    "MDAV, refined": lambda points, k: refine(points, group(points, k), k),
    "fast, refined": lambda points, k: refine(points, group_fast(points, k), k),
}


def normal(rows):
    """A cloud without any structure: the hardest case for bounds."""
    return np.random.default_rng(0).normal(size=(rows, COLUMNS))


def clustered(rows):
    """Fifty overlapping clouds."""
    rng = np.random.default_rng(1)
    centers = 4 * rng.normal(size=(50, COLUMNS))
    return centers[rng.integers(0, 50, rows)] + rng.normal(size=(rows, COLUMNS))


def adult():
    """Five columns of Adult as codes: few values, and many equal rows."""
    columns = ["age", "education", "marital-status", "occupation", "native-country"]
    frame = load_adult()[columns]
    return standardized(frame.apply(lambda column: pd.factorize(column, sort=True)[0]))


def published(name):
    """A published table without the columns that are no measurements."""
    table = pd.read_csv(DATA / f"casc_{name}.csv")
    left_out = ["UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH"]
    return standardized(table.drop(columns=left_out, errors="ignore"))


def standardized(table):
    """Columns as z-scores."""
    values = table.to_numpy(dtype=float)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0))


def passes(points, k):
    """Seconds of the yardstick."""
    center = points.mean(axis=0)

    def some():
        for _ in range(PASSES):
            ((points - center) ** 2).sum(axis=1)

    return median_seconds(some, 3) * len(points) / (2 * k) / PASSES


def sse(points, labels):
    """Sum of squared distances of the rows from the center of their group."""
    sizes, total = np.bincount(labels), 0.0
    for column in points.T:
        mean = np.bincount(labels, column) / sizes
        total += ((column - mean[labels]) ** 2).sum()
    return total


def timed(function, points, k, repeats):
    """Median seconds of some runs, kernels warm, and the loss."""
    function(points[: 20 * k], k)
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        labels = function(points, k)
        times.append(time.perf_counter() - started)
    return {"seconds": statistics.median(times), "sse": sse(points, labels)}


def grouped(name, points, k):
    """All ways to group one table, one after the other."""
    stick = passes(points, k)
    cases = {
        # The others take long.
        method: timed(function, points, k, 5 if method in (PRUNED, FAST) else 1)
        for method, function in METHODS.items()
    }
    for method, case in cases.items():
        case |= {"table": name, "rows": len(points), "columns": points.shape[1]}
        case |= {"k": k, "method": method, "passes_seconds": stick}
        case["ratio"] = case["seconds"] / stick
        case["of_plain"] = case["seconds"] / cases[PLAIN]["seconds"]
        case["of_pruned"] = case["seconds"] / cases[PRUNED]["seconds"]
        case["sse_ratio"] = case["sse"] / cases[PRUNED]["sse"]
        print("  ".join(map(str, cells(case).values())), flush=True)
    return list(cases.values())


def grouping_cases(largest):
    """Every table, with the growth of time from size to size."""
    cases = []
    for name, make in (("normal", normal), ("clustered", clustered)):
        for rows in (rows for rows in SIZES if rows <= largest):
            cases += grouped(name, make(rows), K)
        for method in METHODS:
            same = [c for c in cases if (c["table"], c["method"]) == (name, method)]
            grown = growth({case["rows"]: case["seconds"] for case in same})
            for case in same:
                case["growth"] = grown[case["rows"]]
    return cases + grouped("Adult", adult(), 5)


def loss_cases():
    """Loss in percent on the published tables: MDAV's record, and refined."""
    for name in ("census", "tarragona", "eia"):
        points = published(name)
        total = ((points - points.mean(axis=0)) ** 2).sum()
        for k in (3, 4, 5, 10):
            case = {"table": name, "k": k}
            for method in (PRUNED, "MDAV, refined"):
                case[method] = 100 * sse(points, METHODS[method](points, k)) / total
            yield case


def memory(method, rows):
    """Peak growth of one grouping, in bytes; kernels warm."""
    points = normal(rows)
    METHODS[method](points[:1_000], K)
    return peak_growth(lambda: METHODS[method](points, K))


def memory_cases(rows):
    """Peak growth against the size of the table."""
    size = rows * COLUMNS * 8
    for method in list(METHODS)[1:]:
        grown = in_fresh_process(memory, method, rows)
        if grown is not None:
            yield {"method": method, "rows": rows, "table_bytes": size, "bytes": grown}


def swap(column):
    """IR-SWAP of one column."""
    members = gather(rank_groups(column, K))
    sources = permute_members(members, np.random.default_rng(0))
    return column[sources]


def swap_case(rows):
    """IR-SWAP against one stable sort of the same column."""
    column = np.random.default_rng(2).normal(size=rows)
    sort = median_seconds(lambda: np.argsort(column, kind="stable"), 3)
    seconds = median_seconds(lambda: swap(column), 3)
    return {
        "rows": rows,
        "sort_seconds": sort,
        "seconds": seconds,
        "ratio": seconds / sort,
    }


def cells(case):
    """A grouping as the cells of a line."""
    return {
        "table": case["table"],
        "rows × columns": f"{case['rows']:,} × {case['columns']}",
        "k": case["k"],
        "method": case["method"],
        "seconds": number(case["seconds"], 3),
        "× passes": number(case["ratio"], 3),
        "× every distance": number(case["of_plain"], 3),
        "× MDAV": number(case["of_pruned"], 3),
        "SSE / MDAV's": number(case["sse_ratio"], 4),
        "time / n log n": number(case.get("growth")),
    }


def main():
    """Measure every case and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables only")
    largest = 10_000 if parser.parse_args().quick else SIZES[-1]
    measured = {"machine": machine(), "cases": grouping_cases(largest)}
    measured["losses"] = list(loss_cases())
    measured["memory"] = list(memory_cases(largest))
    measured["swap"] = swap_case(SWAPPED if largest == SIZES[-1] else largest)
    sections = {"Grouping": [cells(case) for case in measured["cases"]]}
    sections["Loss, 100 SSE / SST"] = [
        {key: number(v, 4) if isinstance(v, float) else v for key, v in case.items()}
        for case in measured["losses"]
    ]
    if measured["memory"]:
        sections["Memory"] = [
            {
                "method": case["method"],
                "rows": f"{case['rows']:,}",
                "table, MB": number(case["table_bytes"] / 1e6, 1),
                "peak growth, MB": number(case["bytes"] / 1e6, 1),
                "× table": number(case["bytes"] / case["table_bytes"]),
            }
            for case in measured["memory"]
        ]
    sections["IR-SWAP of one column"] = [
        {
            "rows": f"{measured['swap']['rows']:,}",
            "sort, seconds": number(measured["swap"]["sort_seconds"], 3),
            "seconds": number(measured["swap"]["seconds"], 3),
            "× sort": number(measured["swap"]["ratio"]),
        }
    ]
    print(keep("microaggregation", measured, sections))


if __name__ == "__main__":
    main()

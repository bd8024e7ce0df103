"""Time an iteration of fuzzy clusterings against one of k-means; sizes of fuzzy sets.

Run it with ``.venv/bin/python benchmarks/fuzzy.py [--rows 1000000]``. The yardstick of
a clustering is an iteration of scikit-learn's ``KMeans(algorithm="lloyd")`` from the
same centers on the same rows in the same run. That of the possibilities of k rows or
more, for all k, is one ``np.sort`` of the same degrees.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from _measures import in_fresh_process, machine, median_seconds, peak_growth
from _results import keep, number
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from anon_transformers._kernels.cardinality import possibilities
from anon_transformers._kernels.fuzzy_clusters import fuzzy_c_means, gustafson_kessel

COLUMNS, SETS = 4, 9
FEW, MANY = 3, 13
ROUNDS = 5
K_MEANS = "k-means (Lloyd)"


def cloud(rows):
    """Rows about some places, near enough to overlap, and centers to start from."""
    rng = np.random.default_rng(0)
    places = rng.random((SETS, COLUMNS))
    points = places[rng.integers(0, SETS, rows)]
    points += 0.2 * rng.normal(size=(rows, COLUMNS))
    return points, rng.random((SETS, COLUMNS))


def lloyd(points, centers, iterations):
    """k-means that stops at nothing but the number of iterations."""
    model = KMeans(SETS, init=centers, n_init=1, tol=0, algorithm="lloyd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ran = model.set_params(max_iter=iterations).fit(points).n_iter_
    if ran != iterations:
        raise SystemExit(f"k-means ended after {ran} of {iterations} iterations")


METHODS = {
    K_MEANS: lloyd,
    "fuzzy c-means, m = 2": lambda points, centers, iterations: fuzzy_c_means(
        points, centers, tol=0, max_iter=iterations
    ),
    "fuzzy c-means, m = 1.7": lambda points, centers, iterations: fuzzy_c_means(
        points, centers, m=1.7, tol=0, max_iter=iterations
    ),
    "Gustafson-Kessel": lambda points, centers, iterations: gustafson_kessel(
        points, centers, tol=0, max_iter=iterations
    ),
}
AIMS = dict(zip(METHODS, (None, 3, 12, 10), strict=True))


def seconds(method, points, centers, iterations):
    """Wall time of one run."""
    started = time.perf_counter()
    METHODS[method](points, centers, iterations)
    return time.perf_counter() - started


def iteration_cases(rows):
    """Seconds of an iteration: what ten more cost, the methods taking turns."""
    points, centers = cloud(rows)
    taken = {method: [] for method in METHODS}
    for method in METHODS:
        seconds(method, points, centers, 1)
    for _ in range(ROUNDS):
        for method, times in taken.items():
            few = seconds(method, points, centers, FEW)
            many = seconds(method, points, centers, MANY)
            times.append((many - few) / (MANY - FEW))
    stick = statistics.median(taken[K_MEANS])
    for method, times in taken.items():
        case = {"method": method, "rows": rows, "seconds": statistics.median(times)}
        yield case | {"ratio": case["seconds"] / stick, "aim": AIMS[method]}


def possibility_case(rows):
    """Possibilities of all sets for all k, against a sort of all degrees."""
    degrees = fuzzy_c_means(*cloud(rows), max_iter=FEW).degrees
    sort = median_seconds(lambda: np.sort(degrees, axis=0))
    case = {"rows": rows, "sort_seconds": sort}
    case["seconds"] = median_seconds(lambda: possibilities(degrees))
    return case | {"ratio": case["seconds"] / sort}


def memory(method, rows):
    """Peak growth of a few iterations, in bytes; kernels warm."""
    points, centers = cloud(rows)
    METHODS[method](points[:1_000], centers, 1)
    return peak_growth(lambda: METHODS[method](points, centers, FEW))


def memory_cases(rows):
    """Peak growth against the size of the degrees, which are part of it."""
    size = rows * SETS * 8
    for method in list(METHODS)[1:]:
        grown = in_fresh_process(memory, method, rows)
        if grown is not None:
            yield {"method": method, "degrees_bytes": size, "bytes": grown}


def main():
    """Measure everything, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    measured = {
        "machine": machine(),
        "iterations": list(iteration_cases(rows)),
        "possibilities": possibility_case(rows),
        "memory": list(memory_cases(rows)),
    }
    size = f"{rows:,} × {COLUMNS}, {SETS} sets"
    sections = {f"An iteration on {size}": list(map(cells, measured["iterations"]))}
    sections[f"Possibilities of k rows or more, all k, {size}"] = [
        possibility_cells(measured["possibilities"])
    ]
    if measured["memory"]:
        sections[f"Memory, {size}"] = list(map(memory_cells, measured["memory"]))
    print(keep("fuzzy", measured, sections))


def cells(case):
    """A clustering as the cells of a line."""
    return {
        "method": case["method"],
        "ms": number(1e3 * case["seconds"], 1),
        "× k-means": number(case["ratio"]),
        "aim": number(case["aim"], 0),
    }


def possibility_cells(case):
    """The possibilities as the cells of a line."""
    return {
        "np.sort, ms": number(1e3 * case["sort_seconds"], 1),
        "possibilities, ms": number(1e3 * case["seconds"], 1),
        "× np.sort": number(case["ratio"]),
    }


def memory_cells(case):
    """Memory of a clustering as the cells of a line."""
    return {
        "method": case["method"],
        "degrees, MB": number(case["degrees_bytes"] / 1e6, 0),
        "peak growth, MB": number(case["bytes"] / 1e6, 0),
        "× degrees": number(case["bytes"] / case["degrees_bytes"]),
    }


if __name__ == "__main__":
    main()

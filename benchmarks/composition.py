"""Time the judging of one more release of the same persons against one group-by.

Run it with ``.venv/bin/python benchmarks/composition.py [--rows 1000000]``. Counted is
all that a further release costs: numbering its persons by digests of 16 bytes, the
groups, the histograms of a permanent and of a changing column, and the report. The
yardstick is one group-by on the table of eight quasi-identifiers. Seconds are of the
processor: neither uses a second one, and what runs beside does not count.
"""

import argparse
import statistics
import time

import numpy as np
from _measures import machine, yardstick
from _results import keep, number

from anon_transformers.datasets import load_adult
from anon_transformers.ledger import Composition, PublishedClasses

KNOWN = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
]
SENSITIVE = {"occupation": "permanent", "hours": "changing"}
RELEASES = 24
TURNOVER = 0.01
# How the persons are cut: the same cells each month, or by other columns each month.
CUTS = {
    "same cells": [["sex", "race", "education", "marital-status"]],
    "other cells each month": [
        ["sex", "race", "education"],
        ["marital-status", "workclass"],
        ["age"],
        ["native-country", "sex"],
    ],
}


def months(frame, cuts, rng):
    """Yield a release per month; one per cent joins, leaves, and changes places."""
    n_rows, n_changes = len(frame), int(TURNOVER * len(frame))
    digests = rng.bytes(16 * (n_rows + RELEASES * n_changes))
    keys = np.frombuffer(digests, dtype="V16")
    rows = np.arange(n_rows)
    coded = [frame.groupby(cut, observed=True, sort=False).ngroup() for cut in cuts]
    jobs = frame["occupation"].astype("category")
    classes_of = [codes.to_numpy() for codes in coded]
    moved = np.arange(n_rows)
    for month in range(RELEASES):
        whose = moved[rows % n_rows]
        hours = rng.integers(0, 80, len(rows))
        values = {"occupation": jobs.iloc[rows % n_rows], "hours": hours}
        classes = classes_of[month % len(classes_of)][whose]
        yield PublishedClasses(keys[rows], classes, values)
        leavers = rng.choice(len(rows), n_changes, replace=False)
        rows = np.delete(rows, leavers)
        rows = np.append(rows, n_rows + month * n_changes + np.arange(n_changes))
        changing = rng.choice(n_rows, n_changes, replace=False)
        moved[changing] = rng.integers(0, n_rows, n_changes)


def measure(frame, cuts):
    """Seconds of each release, and what was judged in the end."""
    composition, seconds = Composition(SENSITIVE), []
    for release in months(frame, cuts, np.random.default_rng(0)):
        started = time.process_time()
        composition = composition.extended(release)
        report = composition.report(k=5, l=2)
        seconds.append(time.process_time() - started)
    return seconds, report


def main():
    """Measure both ways to cut, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    adult = load_adult()[[*KNOWN, "occupation"]].astype(str)
    frame = adult.sample(rows, replace=True, random_state=0, ignore_index=True)
    measure(frame.head(1000), CUTS["same cells"])  # kernels are warm then
    stick = yardstick(frame, KNOWN, clock=time.process_time)
    cases = []
    for name, cuts in CUTS.items():
        seconds, report = measure(frame, cuts)
        cases.append(
            {
                "cells": name,
                "median_seconds": statistics.median(seconds[1:]),
                "slowest_seconds": max(seconds[1:]),
                "ratio": statistics.median(seconds[1:]) / stick,
                "slowest_ratio": max(seconds[1:]) / stick,
                "persons": report.persons,
                "groups": report.groups,
            }
        )
    measured = {"machine": machine(), "rows": rows, "yardstick_seconds": stick}
    measured["cases"] = cases
    heading = f"A further release, of {RELEASES} of {rows:,} persons"
    print(keep("composition", measured, {heading: [cells(case) for case in cases]}))


def cells(case):
    """A case as the cells of a line."""
    return {
        "cells": case["cells"],
        "seconds, median": number(case["median_seconds"], 3),
        "seconds, slowest": number(case["slowest_seconds"], 3),
        "× group-by, median": number(case["ratio"]),
        "× group-by, slowest": number(case["slowest_ratio"]),
        "persons": number(case["persons"], 0),
        "groups": number(case["groups"], 0),
    }


if __name__ == "__main__":
    main()

"""Time Mondrian and Datafly against one plain group-by.

Run it with ``.venv/bin/python benchmarks/generalization.py [--largest 1000000]``. The
yardstick is pandas' ``groupby(...).size()`` on the same frame in the same run; ours is
``fit_transform`` from that frame, with published labels. Kernels are warm, times are
medians of five (of three from a million rows on). Ratios are kept in
``benchmarks/results/generalization.json``.
"""

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies

RESULTS = Path(__file__).parent / "results" / "generalization.json"
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
MILLION = 1_000_000


def median_seconds(action, repeats):
    """Median wall time of several runs, after one that is not counted."""
    action()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure(people, columns, anonymizers):
    """Seconds of the yardstick and of each anonymizer on one table."""
    frame = people[columns]
    repeats = 3 if len(frame) >= MILLION else 5
    yardstick = median_seconds(
        lambda: frame.groupby(columns, dropna=False, observed=True, sort=False).size(),
        repeats,
    )
    rows = []
    for name, anonymizer in anonymizers.items():
        seconds = median_seconds(lambda a=anonymizer: a.fit_transform(frame), repeats)
        rows.append(
            {
                "method": name,
                "rows": len(frame),
                "columns": len(columns),
                "yardstick_seconds": round(yardstick, 4),
                "seconds": round(seconds, 4),
                "ratio": round(seconds / yardstick, 2),
                "classes": anonymizer.report_.classes["count"],
                "loss": round(anonymizer.report_.loss, 4),
                "mean_column_loss": round(
                    statistics.mean(anonymizer.report_.column_losses.values()), 4
                ),
            }
        )
        print(
            "  ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True
        )
    return rows


def main():
    """Measure every case and keep the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=MILLION)
    largest = parser.parse_args().largest
    adult, trees = load_adult(), load_adult_hierarchies()
    rows = measure(
        adult,
        FIVE,
        {
            "mondrian": MondrianAnonymizer(FIVE, k=5),
            "mondrian, both sides": MondrianAnonymizer(FIVE, k=5, tie_side="both"),
        },
    )
    size = 10_000
    while size <= largest:
        people = adult.sample(size, replace=True, random_state=0, ignore_index=True)
        rows += measure(
            people,
            EIGHT,
            {
                "mondrian": MondrianAnonymizer(EIGHT, k=5),
                "mondrian, both sides": MondrianAnonymizer(EIGHT, k=5, tie_side="both"),
                "mondrian, relaxed": MondrianAnonymizer(EIGHT, k=5, mode="relaxed"),
                "datafly": DataflyAnonymizer(
                    EIGHT, k=5, hierarchies={name: trees[name] for name in EIGHT}
                ),
            },
        )
        size *= 10
    RESULTS.parent.mkdir(exist_ok=True)
    told = {"python": platform.python_version(), "cases": rows}
    RESULTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

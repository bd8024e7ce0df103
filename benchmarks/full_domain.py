"""Time the optimal full-domain search against one plain group-by.

Run it with ``.venv/bin/python benchmarks/full_domain.py [--quick]``. Counted is ``fit``
from a frame of texts, kernels warm, median of five (three for the large table). Tables
that are not part of the project (FARS, Machiavellianism test, credit cards) are read
from ``../shared/data`` and left out, with a word, where they are not there.
``benchmarks/README.md`` says what the numbers mean.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _measures import (
    in_fresh_process,
    machine,
    median_seconds,
    peak_growth,
    yardstick,
)
from _results import keep, number, percent

from anon_transformers import FullDomainAnonymizer, Hierarchy
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.privacy import RecursiveCLDiversity, TCloseness

SHARED = Path(__file__).parents[2] / "shared" / "data"
BLOCKS = [
    ["sex", "age", "race"],
    ["marital-status", "education", "native-country"],
    ["workclass", "occupation", "salary-class"],
]
NINE = [name for block in BLOCKS for name in block]
EIGHT = [name for name in NINE if name != "occupation"]
LARGE = 1_190_000
GIGABYTE = 1e9
K = 5


def resampled(rows=LARGE):
    """Adult drawn with replacement, three blocks of columns apart from each other."""
    rng, adult = np.random.default_rng(0), load_adult()
    drawn = [
        adult[block].iloc[rng.integers(0, len(adult), rows)].reset_index(drop=True)
        for block in BLOCKS
    ]
    return pd.concat(drawn, axis=1)


def read_shared(name, columns=None):
    """A table of the shared data with its hierarchies, or None."""
    file = SHARED / f"arx_{name}.csv.gz"
    if not file.exists():
        return None
    frame = pd.read_csv(file, dtype=str)
    folder = SHARED / "hierarchies" / name.removesuffix("_subset")
    hierarchies = {}
    for column in frame.columns[:columns]:
        found = [*folder.glob(f"{column}.csv"), *folder.glob(f"{column}.csv.gz")]
        hierarchies[column] = Hierarchy.read_csv(found[0])
    return frame[list(hierarchies)], hierarchies


def make(columns, hierarchies, limit, models=(), **options):
    """An anonymizer as the published comparisons use it."""
    sensitive = [] if "occupation" in columns or not models else ["occupation"]
    return FullDomainAnonymizer(
        columns,
        k=K,
        models=list(models),
        sensitive=sensitive,
        hierarchies={name: hierarchies[name] for name in [*columns, *sensitive]},
        suppression_limit=limit,
        suppression="drop",
        **options,
    )


def measure(name, frame, anonymizer, most=None, repeats=5):
    """One case: time, ratio, nodes, loss."""
    columns = anonymizer.quasi_identifiers
    stick = yardstick(frame[columns], columns, repeats)
    seconds = median_seconds(lambda: anonymizer.fit(frame), repeats)
    details = anonymizer.report_.details
    case = {
        "table": name,
        "columns": len(columns),
        "nodes": details["nodes"],
        "limit": anonymizer.suppression_limit,
        "models": [model.name for model in anonymizer.models],
        "search": anonymizer.search,
        "yardstick_seconds": stick,
        "seconds": seconds,
        "ratio": seconds / stick,
        "most": most,
        "looked_at": details["looked_at"],
        "loss": anonymizer.loss_,
        "bound": anonymizer.bound_,
        "proved": anonymizer.proved_,
        "encoding_seconds": median_seconds(lambda: encode(anonymizer, frame), repeats),
    }
    print("  ".join(str(cell) for cell in cells(case).values()), flush=True)
    return case


def encode(anonymizer, frame):
    """The part of ``fit`` that no search can save."""
    anonymizer._encode(anonymizer._open(frame, reset=True)).points()


def adult_cases():
    """Adult: the searches that the project promises a ratio for."""
    adult, hierarchies = load_adult(), load_adult_hierarchies()
    for columns, limit, most in (
        (EIGHT, 1.0, 12),
        (NINE, 0.02, 10),
        (NINE, 1.0, 40),
        (NINE, 0.0, 2),
    ):
        yield measure("Adult", adult, make(columns, hierarchies, limit), most)
    diverse = [RecursiveCLDiversity(c=4, l=3)]
    for limit, most in ((1.0, 24), (0.02, None)):
        yield measure("Adult", adult, make(EIGHT, hierarchies, limit, diverse), most)
    close = [TCloseness(0.2, distance="hierarchical")]
    yield measure("Adult", adult, make(EIGHT, hierarchies, 1.0, close), repeats=3)


def large_cases():
    """Adult resampled."""
    frame, hierarchies = resampled(), load_adult_hierarchies()
    for limit, most in ((0.02, 10), (0.0, 2.5)):
        anonymizer = make(NINE, hierarchies, limit)
        yield measure("Adult resampled", frame, anonymizer, most, repeats=3)


def shared_cases():
    """Tables that lie beside the project."""
    for name, columns in (("fars_subset", None), ("mach2019_int", 9)):
        found = read_shared(name, columns)
        if found is None:
            print(f"{name}: left out, it is not there")
            continue
        frame, hierarchies = found
        for limit in (0.02, 1.0):
            anonymizer = make(list(hierarchies), hierarchies, limit)
            yield measure(name, frame, anonymizer, repeats=1)


def heuristic_cases(seconds=(10.0, 60.0)):
    """Lattices that nobody can go through."""
    for name in ("mach2019_int", "creditcard_int"):
        found = read_shared(name)
        if found is None:
            print(f"{name}: left out, it is not there")
            continue
        frame, hierarchies = found
        for limit in seconds:
            anonymizer = make(
                list(hierarchies),
                hierarchies,
                0.05,
                search="heuristic",
                time_limit=limit,
            )
            yield once(name, frame, anonymizer)


def once(name, frame, anonymizer):
    """One search with a time limit, which is not repeated."""
    started = time.perf_counter()
    anonymizer.fit(frame)
    details = anonymizer.report_.details
    case = {
        "table": name,
        "columns": len(anonymizer.quasi_identifiers),
        "nodes": details["nodes"],
        "limit": anonymizer.suppression_limit,
        "models": [],
        "search": f"heuristic, {anonymizer.time_limit:.0f} s",
        "seconds": time.perf_counter() - started,
        "looked_at": details["looked_at"],
        "loss": anonymizer.loss_,
        "bound": anonymizer.bound_,
        "proved": anonymizer.proved_,
    }
    print("  ".join(str(cell) for cell in cells(case).values()), flush=True)
    return case


def memory(limit):
    """Peak growth of the large search, in bytes; kernels warm."""
    hierarchies = load_adult_hierarchies()
    make(NINE, hierarchies, limit).fit(load_adult())
    frame = resampled()
    return peak_growth(lambda: make(NINE, hierarchies, limit).fit(frame))


def cells(case):
    """A case as the cells of a line."""
    ratio, most = case.get("ratio"), case.get("most")
    met = "" if most is None else ("met" if ratio <= most else "missed")
    return {
        "table": case["table"],
        "columns (nodes)": f"{case['columns']} ({case['nodes']:,.4g})",
        "limit": case["limit"],
        "models": ", ".join(["k", *case["models"]]),
        "search": case["search"],
        "seconds": number(case["seconds"], 3),
        "× group-by": number(ratio),
        "at most": "-" if most is None else f"{most} {met}",
        "encoding": number(case.get("encoding_seconds"), 3),
        "nodes looked at": f"{case['looked_at']:,}",
        "ms a node": number(1e3 * case["seconds"] / case["looked_at"], 3),
        "loss": percent(case["loss"]),
        "bound": percent(case["bound"]),
        "proved": f"{case['proved']:.4g}",
    }


def main():
    """Measure every case and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Adult only")
    quick = parser.parse_args().quick
    cases = list(adult_cases())
    peaks = []
    if not quick:
        cases += [*large_cases(), *shared_cases(), *heuristic_cases()]
        for limit in (0.02, 0.0):
            grown = in_fresh_process(memory, limit)
            peaks.append({"limit": limit, "bytes": grown})
    sections = {"Search": [cells(case) for case in cases]}
    if peaks:
        sections["Memory, 1,190,000 rows"] = [
            {
                "limit": peak["limit"],
                "peak growth, MB": number(peak["bytes"] / 1e6, 0),
                "below 1 GB": "met" if peak["bytes"] < GIGABYTE else "missed",
            }
            for peak in peaks
        ]
    measured = {"machine": machine(), "cases": cases, "memory": peaks}
    print(keep("full_domain", measured, sections))


if __name__ == "__main__":
    main()

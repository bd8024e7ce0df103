"""Time the judging of a table against one plain group-by, beside pycanon.

Run it with ``.venv/bin/python benchmarks/validators.py [--rows 1000000]``. Counted is
all that a validator does, from the frame of texts to the levels of k-anonymity,
distinct l-diversity and t-closeness, on eight quasi-identifiers.
"""

import argparse

from _measures import machine, median_seconds, yardstick
from _peers import run_peer
from _results import keep, number

from anon_transformers.datasets import load_adult
from anon_transformers.evidence import Classes
from anon_transformers.privacy import (
    DistinctLDiversity,
    KAnonymity,
    TCloseness,
    judge,
)

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
MODELS = [KAnonymity(5), DistinctLDiversity(3), TCloseness(0.2, reference="released")]


def levels(frame):
    """What the table reaches."""
    classes = Classes.from_frame(frame, KNOWN, sensitive=["occupation"])
    measured = [judge(model, classes).level for model in MODELS]
    return dict(zip("klt", map(float, measured), strict=True))


def main():
    """Measure ours and the peer on the same table, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    adult = load_adult()[[*KNOWN, "occupation"]].astype(str)
    frame = adult.sample(rows, replace=True, random_state=0, ignore_index=True)
    stick = yardstick(frame, KNOWN)
    ours = {"by": "anon-transformers", "seconds": median_seconds(lambda: levels(frame))}
    ours |= levels(frame)
    # Long enough to show a factor of twenty, and a little more.
    limit = max(int(25 * ours["seconds"]) + 1, 30)
    peer = run_peer("pycanon, k l t", frame, KNOWN, repeats=1, limit=limit)
    cases = [ours, {"by": peer.pop("peer"), **peer}]
    for case in cases:
        seconds = case.get("seconds", case.get("stopped_after"))
        if seconds is not None:
            case["ratio"] = seconds / stick
            case["times_ours"] = seconds / ours["seconds"]
    measured = {"machine": machine(), "rows": rows, "yardstick_seconds": stick}
    measured["cases"] = cases
    heading = f"k, l and t of {rows:,} × 8"
    print(keep("validators", measured, {heading: [cells(case) for case in cases]}))


def cells(case):
    """A case as the cells of a line."""
    over = "> " if "stopped_after" in case else ""
    seconds = case.get("seconds", case.get("stopped_after"))
    return {
        "by": case["by"],
        "seconds": case.get("note") or over + number(seconds, 3),
        "× group-by": over + number(case.get("ratio")),
        "× ours": over + number(case.get("times_ours")),
        "k": number(case.get("k"), 0),
        "l": number(case.get("l"), 0),
        "t": number(case.get("t"), 4),
    }


if __name__ == "__main__":
    main()

"""Random people with hierarchies, and Datafly by hand."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from anon_transformers.hierarchies import Hierarchy, Intervals

LANDS = Hierarchy.from_groups(
    {"alps": ["at", "ch"], "iberia": ["es", "pt"], "france": ["fr"]}
)
KNOWN = ["age", "land", "zip", "born"]
TREES = {"land": LANDS, "age": Intervals(widths=[5, 10, 50])}
MISSING = object()


def make_people(seed, n_rows, missing=0.0):
    """Random people; each known cell is missing with the given chance."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 60, n_rows),
            "land": rng.choice(LANDS.leaves, n_rows),
            "zip": rng.choice(["5001", "5018", "8001", "8032"], n_rows),
            "born": pd.Timestamp("1980-01-01")
            + pd.to_timedelta(rng.integers(0, 9000, n_rows), unit="D"),
            "job": rng.choice(list("ABCD"), n_rows),
            "note": rng.normal(size=n_rows),
        }
    )
    for name in KNOWN if missing else []:
        frame[name] = frame[name].mask(rng.random(n_rows) < missing)
    return frame


def _text(cell):
    if pd.isna(cell):
        return MISSING
    if isinstance(cell, pd.Timestamp):
        return f"{cell:%Y-%m-%d}"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


class ByHand:
    """Datafly as section 2.2 of the specification writes it, on tuples of texts.

    ``fitted``: the rows that the labels are made of, if these are some of them.
    """

    def __init__(self, table, hierarchies, fitted=None):
        self.names = list(hierarchies)
        self.rows = [
            tuple(_text(cell) for cell in row)
            for row in table[self.names].itertuples(index=False)
        ]
        self.trees = [
            {row[0]: row for row in hierarchies[name].rows} for name in self.names
        ]
        self.tops = [hierarchies[name].n_levels - 1 for name in self.names]
        self.roots = [hierarchies[name].root for name in self.names]
        holes = (table if fitted is None else fitted)[self.names].isna().any()
        for a, name in enumerate(self.names):
            if self.roots[a] == "0" and holes[name]:  # 0 is a number
                self.roots[a] = "0 or missing"

    def at(self, levels):
        """Published tuples; a missing value is missing below the top."""
        return [
            tuple(map(self.cell, range(len(row)), row, levels)) for row in self.rows
        ]

    def cell(self, a, cell, level):
        if level == self.tops[a]:
            return self.roots[a]
        return None if cell is MISSING else self.trees[a][cell][level]

    def run(self, k, stops, last=False):
        """Trace of (violating, distinct, levels, generalized), and the last tuples."""
        levels, trace = [0] * len(self.names), []
        while True:
            rows = self.at(levels)
            frequency = Counter(rows)
            violating = sum(n for n in frequency.values() if n < k)
            distinct = [len({row[a] for row in rows}) for a in range(len(levels))]
            if stops(violating, frequency):
                trace.append((violating, distinct, list(levels), None))
                return trace, rows, frequency
            candidates = [a for a, top in enumerate(self.tops) if levels[a] < top]
            most = max(distinct[a] for a in candidates)
            tied = [a for a in candidates if distinct[a] == most]
            chosen = tied[-1 if last else 0]
            trace.append((violating, distinct, list(levels), self.names[chosen]))
            levels[chosen] += 1


class Oracle:
    """What the tests of this folder share."""

    known = KNOWN
    trees = TREES
    people = staticmethod(make_people)
    by_hand = ByHand


@pytest.fixture(scope="session")
def oracle():
    return Oracle

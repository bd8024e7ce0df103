"""Cells that stay: cases by hand, and two years of a table that grows and shrinks."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import DataError
from anon_transformers.ledger import Composition, reuse_cells
from tests.ledger.differencing_intruder import narrowed

K, L = 5, 2
MONTHS = 24
CELLS = ["sex", "marital-status"]


def decide(in_use, cells, counterfeits=False):
    """``{cell: persons}``; capital letters have x, others y."""
    listed = [(p, cell) for cell, persons in cells.items() for p in persons]
    persons = [p for p, _ in listed]
    values = {"ill": ["x" if p.isupper() else "y" for p in persons]}
    decision = reuse_cells(
        in_use, persons, [c for _, c in listed], values, k=2, l=2,
        counterfeits=counterfeits,
    )  # fmt: skip
    assert len(decision.published) == len(persons)
    shown = {p for p, is_in in zip(persons, decision.published, strict=True) if is_in}
    return decision, "".join(sorted(shown))


@pytest.mark.parametrize(
    ("months", "expected", "with_counterfeits"),
    [
        pytest.param([{0: "AbCd"}], "ACbd", "ACbd", id="all-of-the-first"),
        pytest.param([{0: "Ab", 1: "C"}], "Ab", "Ab", id="too-small-a-cell"),
        pytest.param([{0: "AbC"}, {0: "eAbC"}], "ACb", "ACb", id="joiner-waits"),
        pytest.param([{0: "Ab"}, {0: "AbEG"}], "Ab", "Ab", id="joiners-wait-for-l"),
        pytest.param([{0: "Ab"}, {0: "AbEf"}], "AEbf", "AEbf", id="joiners-come"),
        pytest.param(
            [{0: "Ab"}, {0: "AbEG"}, {0: "AbEGh"}], "Ab", "Ab", id="left-out-stay-so"
        ),
        pytest.param(
            [{0: "Ab"}, {0: "AbEG"}, {0: "AbEGhI"}], "AIbh", "AIbh", id="later-joiners"
        ),
        pytest.param(
            [{0: "Ab"}, {0: "AbEG", 1: "hi"}, {2: "EGhi", 0: "Ab"}], "Ab", "Ab",
            id="two-that-were-left-out-are-not-one",
        ),
        pytest.param([{0: "AbCd"}, {0: "AbC"}], "", "ACb", id="lone-leaver"),
        pytest.param([{0: "AbCd"}, {0: "Ab"}], "Ab", "Ab", id="leavers-go"),
        pytest.param(
            [{0: "AbCd"}, {0: "AbC"}, {0: "Ab"}], "Ab", "Ab", id="one-after-another"
        ),
        pytest.param(
            [{0: "AbCd"}, {0: "AbC"}, {0: "dAbC"}], "ACbd", "ACbd", id="one-returns"
        ),
        pytest.param(
            [{0: "AbCd"}, {0: "AbC", 1: "d"}], "", "ACb", id="moves-alone"
        ),
        pytest.param(
            [{0: "AbCd"}, {0: "Ab", 1: "Cd"}], "ACbd", "ACbd", id="move-together"
        ),
        pytest.param([{0: "AbCd"}, {0: "Ab", -1: "Cd"}], "Ab", "Ab", id="uncovered"),
    ],
)  # fmt: skip
def test_who_is_published(months, expected, with_counterfeits):
    for counterfeits, wanted in [(False, expected), (True, with_counterfeits)]:
        in_use, composition = None, Composition({"ill": "permanent"})
        for cells in months:
            decision, shown = decide(in_use, cells, counterfeits)
            in_use = decision.in_use
            composition = composition.extended(decision.published_classes())
        assert shown == wanted
        assert composition.report(2, 2).passed


JOINERS = [dict.fromkeys("ab", 0), dict.fromkeys("abcd", 0), dict.fromkeys("abcde", 0)]
"""Two come in the second month, and one more in the third."""


def tables(months, values):
    """Who is shown where in each month, and the histogram of each cell."""
    in_use, seen = None, []
    for month in months:
        persons = sorted(month)
        cells = [month[person] for person in persons]
        held = {"ill": [values[person] for person in persons]}
        decision = reuse_cells(in_use, persons, cells, held, k=2, l=2)
        in_use = decision.in_use
        shown = [
            p for p, is_in in zip(persons, decision.published, strict=True) if is_in
        ]
        histogram = Counter((month[p], values[p]) for p in shown)
        where = tuple((p, month[p]) for p in shown)
        seen.append((where, tuple(sorted(histogram.items()))))
    return tuple(seen)


def some_months(seed):
    """Five persons who come, leave and move between two cells, for three months."""
    draw = random.Random(seed)
    months, present = [], {p: draw.randrange(2) for p in "abcd"}
    for _ in range(3):
        months.append(dict(present))
        for person in "abcde":
            if draw.random() < 0.3:
                present.pop(person, None)
            elif draw.random() < 0.5:
                present[person] = draw.randrange(2)
    return [month for month in months if month]


@pytest.mark.parametrize(
    "months", [JOINERS, *map(some_months, range(4))], ids=["joiners", *"abcd"]
)
def test_whoever_knows_the_rule_and_all_tables_finds_nobody(months):
    """Tries all values that everybody can have, and keeps those that agree."""
    everybody = sorted({person for month in months for person in month})
    agreeing = {}
    for held in itertools.product("xy", repeat=len(everybody)):
        values = dict(zip(everybody, held, strict=True))
        agreeing.setdefault(tables(months, values), []).append(values)
    assert len(agreeing) > 1
    for seen, possible in agreeing.items():
        for person in {person for where, _ in seen for person, _ in where}:
            assert len({values[person] for values in possible}) == 2


def test_a_counterfeit_has_the_value_of_who_left():
    first, _ = decide(None, {3: "AbCd"})
    second, _ = decide(first.in_use, {3: "AbC"}, counterfeits=True)
    assert second.counterfeits.to_dict("records") == [{"cell": 3, "ill": "y"}]
    assert (second.waiting, second.withheld) == (0, 0)


def test_waiting_and_withheld_are_counted():
    first, _ = decide(None, {0: "AbCd"})
    second, _ = decide(first.in_use, {0: "eAbC"})
    assert (second.waiting, second.withheld) == (1, 3)
    assert len(second.counterfeits) == 0


@pytest.mark.parametrize(
    ("persons", "cells", "values", "words"),
    [
        ([1, 1], [0, 0], {"ill": "xy"}, "1 keys occur more than once"),
        ([1, 2], [0, -2], {"ill": "xy"}, "at least 0, or -1"),
        ([1, 2], [0], {"ill": "xy"}, "'cell' has 1 for 2 persons"),
        ([1, 2], [0, 0], {"group": "xy"}, "cannot be called"),
    ],
)
def test_refusals(persons, cells, values, words):
    with pytest.raises(DataError, match=words):
        reuse_cells(None, persons, cells, values, k=2, l=2)


def two_years(rng):
    """The persons of each month: it grows for a year, then shrinks; some move."""
    adult = load_adult().sample(2400, random_state=0, ignore_index=True)
    cell = adult.groupby(CELLS, observed=True, sort=False).ngroup().to_numpy().copy()
    job = adult["occupation"].astype(str).to_numpy()
    present = np.arange(1000)
    coming = iter(range(1000, 2400))
    for month in range(MONTHS):
        yield present, cell[present], job[present]
        joining = 60 if month < MONTHS // 2 else 15
        leaving = 15 if month < MONTHS // 2 else 60
        staying = rng.permutation(present)[leaving:]
        present = np.sort([*staying, *(next(coming) for _ in range(joining))])
        moving = rng.choice(present, 8, replace=False)
        cell[moving] = rng.choice(cell, 8)


def read_by_intruder(decision, persons, cells, jobs):
    """Histograms, declared counterfeits, and who is where."""
    shown = decision.published
    table = {}
    for cell, job in zip(cells[shown], jobs[shown], strict=True):
        table.setdefault(int(cell), Counter())[job] += 1
    real = {cell: (sum(c.values()), len(c)) for cell, c in table.items()}
    for cell, job in decision.counterfeits.itertuples(index=False):
        table.setdefault(int(cell), Counter())[job] += 1
    fakes = Counter(int(cell) for cell in decision.counterfeits["cell"])
    return table, fakes, dict(zip(persons[shown], cells[shown], strict=True)), real


@pytest.mark.parametrize("counterfeits", [False, True])
def test_two_years_expose_nobody(counterfeits):
    in_use, composition = None, Composition({"job": "permanent"})
    seen, published = [], []
    for persons, cells, jobs in two_years(np.random.default_rng(7)):
        decision = reuse_cells(
            in_use, persons, cells, {"job": jobs}, k=K, l=L, counterfeits=counterfeits
        )
        in_use = decision.in_use
        composition = composition.extended(decision.published_classes())
        assert composition.report(K, L).passed
        *read, real = read_by_intruder(decision, persons, cells, jobs)
        # Counterfeits count for nothing.
        assert all(n >= K and distinct >= L for n, distinct in real.values())
        seen.append(read)
        published.append(decision.published.mean())
    left = narrowed(*zip(*seen, strict=True))
    assert len(left) > 1000
    assert sum(n < L for n in left.values()) == 0
    assert published[-1] > (0.5 if counterfeits else 0)


def test_publishing_everybody_each_month_exposes_many():
    """The same two years and the same cells, without the rule."""
    composition, seen = Composition({"job": "permanent"}), []
    for persons, cells, jobs in two_years(np.random.default_rng(7)):
        decision = reuse_cells(None, persons, cells, {"job": jobs}, k=K, l=L)
        composition = composition.extended(decision.published_classes())
        seen.append(read_by_intruder(decision, persons, cells, jobs)[:3])
    report = composition.report(K, L)
    left = narrowed(*zip(*seen, strict=True))
    exposed = {person for person, n in left.items() if n < L}
    assert len(exposed) > 10
    assert report.failing_persons >= len(exposed)

"""Datafly kernel: against a slow twin on dictionaries of tuples."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels import datafly


def slow_datafly(rows, levels, k, stops, last_of_ties=False):
    """Straight from the specification, section 2.2: rows are tuples of ground codes.

    ``levels[a][i][code]`` is the group of a ground value of attribute ``a`` at level i.
    """
    at = [0] * len(levels)
    trace = []
    while True:
        current = [
            tuple(levels[a][at[a]][row[a]] for a in range(len(levels))) for row in rows
        ]
        frequency = Counter(current)
        violating = sum(n for n in frequency.values() if n < k)
        distinct = tuple(len({row[a] for row in current}) for a in range(len(levels)))
        open_ = [a for a in range(len(levels)) if at[a] + 1 < len(levels[a])]
        if stops(violating) or not open_:
            trace.append((tuple(at), violating, distinct, -1))
            return trace
        most = max(distinct[a] for a in open_)
        tied = [a for a in open_ if distinct[a] == most]
        chosen = tied[-1] if last_of_ties else tied[0]
        trace.append((tuple(at), violating, distinct, chosen))
        at[chosen] += 1


@st.composite
def tables(draw):
    """Rows of codes, and for each attribute levels that only ever join groups."""
    n_attributes = draw(st.integers(1, 3))
    levels = []
    for _ in range(n_attributes):
        n_values = draw(st.integers(1, 6))
        table = [list(range(n_values))]
        while max(table[-1]) > 0:
            n_groups = max(table[-1]) + 1
            into = draw(
                st.lists(
                    st.integers(0, max(n_groups - 2, 0)),
                    min_size=n_groups,
                    max_size=n_groups,
                )
            )
            rank = {group: i for i, group in enumerate(sorted(set(into)))}
            table.append([rank[into[group]] for group in table[-1]])
        levels.append(table)
    cells = st.tuples(*(st.integers(0, len(t[0]) - 1) for t in levels))
    return draw(st.lists(cells, min_size=1, max_size=25)), levels


def climb(rows, levels, k, stops, **options):
    points, weights = zip(*Counter(rows).items(), strict=True)
    weights = np.array(weights)

    def violating(groups):
        sizes = np.bincount(groups.labels, weights, len(groups.sizes))
        return int(sizes[sizes < k].sum())

    return datafly.climb(
        np.array(points, dtype=np.int32).T,
        [[np.array(level) for level in table] for table in levels],
        violating,
        lambda _, count: stops(count),
        **options,
    )


@given(tables(), st.integers(1, 6), st.sampled_from([0, 1, 5]), st.booleans())
def test_the_kernel_climbs_as_its_twin(table, k, budget, last):
    rows, levels = table
    stops = lambda violating: violating <= budget  # noqa: E731
    expected = slow_datafly(rows, levels, k, stops, last)
    assert climb(rows, levels, k, stops, last_of_ties=last) == expected


@given(tables(), st.integers(1, 6))
def test_every_step_raises_one_attribute_by_one_level(table, k):
    rows, levels = table
    trace = climb(rows, levels, k, lambda violating: violating == 0)
    for step, after in pairwise(trace):
        raised = [b - a for a, b in zip(step.levels, after.levels, strict=True)]
        assert sum(raised) == raised[step.generalized] == 1
    assert trace[-1].generalized == -1
    # At the top there is one class, so the end is a result or the top itself.
    tops = tuple(len(table) - 1 for table in levels)
    assert trace[-1].violating == 0 or trace[-1].levels == tops


def test_levels_are_told_to_who_stops():
    seen = []
    datafly.climb(
        np.array([[0, 1]], dtype=np.int32),
        [[np.array([0, 1]), np.array([0, 0])]],
        lambda groups: 0,
        lambda levels, count: seen.append((levels, count)) or levels == (1,),
    )
    assert seen == [((0,), 0), ((1,), 0)]


@pytest.mark.parametrize(("last", "chosen"), [(False, 0), (True, 1)])
def test_ties(last, chosen):
    levels = [[[0, 1], [0, 0]], [[0, 1], [0, 0]]]
    trace = climb([(0, 0), (1, 1)], levels, 2, lambda n: n == 0, last_of_ties=last)
    assert trace[0].generalized == chosen

"""Differencing, against an intruder who sees in which classes each person was."""

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.attacks import Differencing
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.testing import check_attack

TREE = Hierarchy.from_groups({"north": ["a", "b", "c"], "south": ["d", "e"]})
PATHS = {row[0]: row for row in TREE.rows}
BELOW = {
    name: {leaf for leaf, path in PATHS.items() if name in path}
    for path in PATHS.values()
    for name in path
}
TREES = {"x": TREE, "y": TREE}


def published(people, levels, k):
    """A full-domain table; classes below k are suppressed."""
    cells = [
        tuple(PATHS[v][lv] for v, lv in zip(p, levels, strict=True)) for p in people
    ]
    return [c if cells.count(c) >= k else ("?", "?") for c in cells]


def left_over(one, two):
    """Groups of persons in a class of one table and in no class of two inside it."""
    groups = []
    for big in set(one) - {("?", "?")}:
        members = {i for i, cell in enumerate(one) if cell == big}
        inside = [
            small
            for small in set(two) - {("?", "?")}
            if all(BELOW[s] <= BELOW[b] for s, b in zip(small, big, strict=True))
        ]
        rest = members - {i for i, cell in enumerate(two) if cell in inside}
        if inside and rest:
            groups.append(rest)
    return groups


def unrelated(one, two):
    """Whether classes of two tables have no person in common, by one column alone."""
    shown = [set(cells) - {("?", "?")} for cells in (one, two)]
    return any(
        not any(
            BELOW[here[at]] & BELOW[there[at]]
            for here in shown[0]
            for there in shown[1]
        )
        for at in (0, 1)
    )


node = st.tuples(st.integers(0, 2), st.integers(0, 2))
leaf = st.sampled_from("abcde")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(leaf, leaf), min_size=4, max_size=25),
    node, node, st.integers(1, 4), st.integers(1, 4),
)  # fmt: skip
@example([("a", "a"), ("a", "b"), ("a", "c"), *[("b", "a")] * 2], (0, 1), (0, 0), 3, 2)
def test_groups_are_those_of_the_persons(people, first, second, k, k_second):
    one, two = published(people, first, k), published(people, second, k_second)
    if not set(one) - {("?", "?")} or not set(two) - {("?", "?")}:
        return
    tables = [pd.DataFrame(cells, columns=["x", "y"]) for cells in (one, two)]
    asked = {
        "other": tables[1].sample(frac=1, random_state=1),
        "quasi_identifiers": ["x", "y"],
        "hierarchies": TREES,
        "suppression_label": "?",
        "show_values": True,
    }
    if unrelated(one, two):
        with pytest.raises(NotEvaluable, match="no value in common"):
            Differencing(k=4).run(tables[0], **asked)
        return
    report = Differencing(k=4).run(tables[0], **asked)
    both = left_over(one, two), left_over(two, one)
    counts = [sum(len(g) for g in groups if len(g) < 4) for groups in both]
    seen = report.details
    assert [seen["left_over_in_release"], seen["left_over_in_other"]] == counts
    assert report.exposed == max(counts) == len(report.exposed_records)
    sizes = [len(g) for groups in both for g in groups]
    assert seen["smallest_group"] == min(sizes, default=None)
    assert seen["groups"] == len(sizes)


def test_two_points_of_a_frontier_give_small_groups():
    columns = ["age", "sex", "education", "marital-status"]
    trees = {name: load_adult_hierarchies()[name] for name in columns}
    people = load_adult()[columns]
    tables = [
        FullDomainAnonymizer(
            columns, k=5, hierarchies=trees, suppression_limit=limit
        ).fit_transform(people)
        for limit in (0.0, 0.05)
    ]
    report = Differencing().run(
        tables[0], other=tables[1], quasi_identifiers=columns, hierarchies=trees
    )
    assert report.details["k"] >= 5
    assert report.exposed > 0
    same = Differencing().run(
        tables[0], other=tables[0], quasi_identifiers=columns, hierarchies=trees
    )
    assert same.exposed == 0


def test_tables_of_other_persons_are_refused():
    one = pd.DataFrame({"x": ["north"] * 3})
    two = pd.DataFrame({"x": ["a"] * 4})
    with pytest.raises(NotEvaluable, match="not of the same persons"):
        Differencing().run(
            one, other=two, quasi_identifiers=["x"], hierarchies={"x": TREE}
        )
    with pytest.raises(NotEvaluable, match="needs other"):
        Differencing().run(one, quasi_identifiers=["x"])


def test_the_contract_of_attacks():
    check_attack(Differencing)

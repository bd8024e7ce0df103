"""Tight boxes and downcoding, against intruders who try every set of members."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers.attacks import Downcoding, TightBoxes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.testing import check_attack

TREE = {"north": {"n1": ["a", "b"], "n2": ["c"]}, "south": ["d", "e"]}
HIERARCHY = Hierarchy.from_groups(TREE)
PATHS = {row[0]: row for row in HIERARCHY.rows}
PATH_LENGTH = len(PATHS["a"])


def lowest(values):
    """The lowest value of the tree above some leaves."""
    for level in range(PATH_LENGTH):
        names = {PATHS[value][level] for value in values}
        if len(names) == 1:
            return names.pop()
    raise AssertionError


def box(values):
    low, high = min(values), max(values)
    return str(low) if low == high else f"[{low}, {high}]"


def publish(people, groups, labels):
    """Each group by one label per column, all its rows alike; the mark is ``?``."""
    rows = [
        tuple(label([people[at][j] for at in group]) for j, label in enumerate(labels))
        for group in groups
        for _ in group
    ]
    return pd.DataFrame(rows, columns=["x", "y"], dtype=object)


def member_sets(people, cells, size, labels):
    """Every set of persons that would have been published as these cells."""
    for chosen in combinations(range(len(people)), size):
        shown = [
            label([people[p][j] for p in chosen]) for j, label in enumerate(labels)
        ]
        if shown == list(cells):
            yield set(chosen)


def must_be_in(people, release, labels):
    """Persons without whom some class could not have been published."""
    sizes = release.value_counts()
    found = set()
    for cells, size in sizes.items():
        found |= set.intersection(*member_sets(people, cells, size, labels))
    return found


def tables(leaf):
    """People and groups of at least two, some people in none."""
    people = st.lists(st.tuples(leaf, leaf), min_size=4, max_size=8)
    return people.flatmap(
        lambda rows: st.tuples(
            st.just(rows),
            st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)),
        )
    )


def groups_of(chosen):
    found = [[at for at, group in enumerate(chosen) if group == n] for n in (0, 1)]
    return [group for group in found if len(group) >= 2]


def pinned(attack, people, release, **given_too):
    external = pd.DataFrame(people, columns=["x", "y"])
    report = attack.run(
        release,
        quasi_identifiers=["x", "y"],
        external=external,
        suppression_label="?",
        show_values=True,
        **given_too,
    )
    assert report.exposed == len(report.exposed_records)
    return set(report.exposed_records.index), report


def matches(person, cells, covers):
    return all(covers(c, v) for c, v in zip(cells, person, strict=True))


def in_box(cell, value):
    low, high = cell.strip("[]").split(", ") if "," in cell else (cell, cell)
    return int(low) <= value <= int(high)


def sole_at_ends(people, release):
    """The definition, read out row by row."""
    found = set()
    for cells in set(release.itertuples(index=False, name=None)):
        inside = [p for p, row in enumerate(people) if matches(row, cells, in_box)]
        for j, cell in enumerate(cells):
            if "," not in cell:
                continue
            for end in map(int, cell.strip("[]").split(", ")):
                attaining = [p for p in inside if people[p][j] == end]
                assert attaining
                found |= set(attaining) if len(attaining) == 1 else set()
    return found


def below(cell, value):
    return cell in PATHS[value]


def child_of(cell, value):
    path = PATHS[value]
    at = max(level for level, name in enumerate(path) if name == cell)
    while True:  # below chains, the first level at which the value's leaves part
        at -= 1
        leaves = {leaf for leaf, other in PATHS.items() if other[at] == path[at]}
        if leaves != {leaf for leaf, other in PATHS.items() if cell in other}:
            return path[at]


def sole_under_children(people, release):
    found = set()
    for cells in set(release.itertuples(index=False, name=None)):
        inside = [p for p, row in enumerate(people) if matches(row, cells, below)]
        for j, cell in enumerate(cells):
            if cell in PATHS:
                continue
            under = {}
            for p in inside:
                under.setdefault(child_of(cell, people[p][j]), []).append(p)
            assert len(under) >= 2
            if len(under) == 2:
                for held in under.values():
                    found |= set(held) if len(held) == 1 else set()
    return found


@settings(max_examples=200, deadline=None)
@given(tables(st.integers(0, 6)))
def test_tight_boxes_expose_only_who_must_be_a_member(made):
    people, chosen = made
    groups = groups_of(chosen)
    if not groups:
        return
    release = publish(people, groups, [box, box])
    found, report = pinned(TightBoxes(), people, release)
    assert found == sole_at_ends(people, release)
    assert found <= must_be_in(people, release, [box, box])
    assert report.details["columns_not_tight"] == []


@settings(max_examples=200, deadline=None)
@given(tables(st.sampled_from("abcde")))
def test_downcoding_exposes_only_who_must_be_a_member(made):
    people, chosen = made
    groups = groups_of(chosen)
    if not groups:
        return
    release = publish(people, groups, [lowest, lowest])
    trees = {"x": HIERARCHY, "y": HIERARCHY}
    found, report = pinned(Downcoding(), people, release, hierarchies=trees)
    assert found == sole_under_children(people, release)
    assert found <= must_be_in(people, release, [lowest, lowest])
    assert report.details["columns_not_minimal"] == []


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 600),
            "pay": rng.integers(10, 99, 600),
            "zip": rng.choice(list("abcde"), 600),
        }
    )


NAMES = ["age", "pay", "zip"]
TREES = {"zip": HIERARCHY}
LISTS = {"zip": list("abcde")}


def exposed(attack, release, people, **given_too):
    return attack.run(
        release, quasi_identifiers=NAMES, external=people[NAMES], **given_too
    )


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
def test_tight_mondrian_is_beaten(people, mode):
    method = MondrianAnonymizer(
        NAMES, k=5, hierarchies=TREES, mode=mode, duplicates="ignore", random_state=0
    )
    release = method.fit_transform(people)
    report = TightBoxes().run(
        release, quasi_identifiers=NAMES, external=people, hierarchies=TREES,
        show_values=True,
    )  # fmt: skip
    assert report.exposed > 50
    # Whoever is exposed is truly in a class with an end at their value.
    for at in report.exposed_records.index:
        own = [release.at[at, "age"], release.at[at, "pay"]]
        values = [people.at[at, "age"], people.at[at, "pay"]]
        ends = [
            str(v) in c.strip("[]").split(", ")
            for c, v in zip(own, values, strict=True)
        ]
        assert any(ends)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"step": {"age": 5, "pay": 10}},
        {"step": {"age": 5, "pay": 10}, "domain": {"age": [0, 120], "pay": [0, 100]}},
        {"step": {"age": 60, "pay": 60}, "domain": {"age": [18, 89], "pay": [10, 98]}},
    ],
)
@pytest.mark.parametrize("trees", [TREES, {}])
def test_boxes_by_cuts_resist(people, more, trees):
    more = dict(more)
    if more and not trees:
        more["domain"] = {**more.get("domain", {}), **LISTS}
    method = MondrianAnonymizer(NAMES, k=5, boxes="cuts", hierarchies=trees, **more)
    report = exposed(TightBoxes(), method.fit_transform(people), people)
    assert (report.exposed, report.details["columns_tight"]) == (0, [])


def test_full_domain_generalization_resists(people):
    trees = {name: Hierarchy.suggest(people[name]) for name in ("age", "pay")} | TREES
    for make in (FullDomainAnonymizer, DataflyAnonymizer):
        method = make(NAMES, k=5, hierarchies=trees, suppression_limit=0.1)
        release = method.fit_transform(people)
        for attack in (TightBoxes(), Downcoding()):
            assert exposed(attack, release, people, hierarchies=trees).exposed == 0


def test_downcoding_beats_minimal_boxes_and_not_cuts():
    rng = np.random.default_rng(0)
    leaves = [f"{a}{b}" for a in range(6) for b in range(6)]
    tree = Hierarchy([(leaf, leaf[0], "all") for leaf in leaves])
    # Few leaves are frequent, so that some boxes are wider than their members.
    often = rng.dirichlet(np.full(len(leaves), 0.3))
    table = pd.DataFrame({name: rng.choice(leaves, 400, p=often) for name in "pq"})
    trees = {"p": tree, "q": tree}
    held = {"quasi_identifiers": ["p", "q"], "external": table, "hierarchies": trees}
    found = {}
    for boxes in ("tight", "cuts"):
        method = MondrianAnonymizer(k=3, boxes=boxes, hierarchies=trees)
        found[boxes] = Downcoding().run(method.fit_transform(table), **held)
    assert found["tight"].exposed > 0
    assert found["tight"].details["columns_not_minimal"] == []
    assert found["cuts"].exposed == 0
    assert found["cuts"].details["columns_not_minimal"] == ["p", "q"]


def test_a_second_row_of_a_person_is_no_second_candidate():
    release = pd.DataFrame({"age": ["[20, 30]"] * 4, "who": [1, 1, 2, 2]})
    register = pd.DataFrame({"age": [20, 20, 30, 30, 30], "who": [1, 1, 2, 2, 3]})
    held = {"quasi_identifiers": ["age"], "external": register}
    assert TightBoxes().run(release, **held).exposed == 0
    report = TightBoxes().run(release, subject="who", **held)
    assert (report.exposed, report.rows) == (1, 2)


def test_a_register_that_lacks_persons_is_told():
    release = pd.DataFrame({"age": ["[20, 30]"] * 2})
    register = pd.DataFrame({"age": [20, 25]})
    report = TightBoxes().run(release, quasi_identifiers=["age"], external=register)
    assert (report.exposed, report.details["columns_not_tight"]) == (0, ["age"])
    with pytest.raises(NotEvaluable, match="needs external"):
        TightBoxes().run(release, quasi_identifiers=["age"])
    strange = pd.DataFrame({"size": [1]})
    with pytest.raises(NotEvaluable, match="none of the quasi-identifiers"):
        TightBoxes().run(release, quasi_identifiers=["age"], external=strange)


@pytest.mark.parametrize("attack", [TightBoxes, Downcoding])
def test_the_contract_of_attacks(attack):
    check_attack(attack)

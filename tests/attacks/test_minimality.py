"""Minimality, against an intruder who writes down every table there may have been."""

from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from anon_transformers.attacks import Minimality
from anon_transformers.attacks._minimality import chances_of_excess
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.testing import check_attack

ZIP = Hierarchy([("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*")])
SEX = Hierarchy([("f", "any"), ("m", "any")])
PATHS = {"zip": {r[0]: r for r in ZIP.rows}, "sex": {r[0]: r for r in SEX.rows}}


def lifted(people, levels):
    """Quasi-identifiers of everybody at a node."""
    return [
        tuple(PATHS[n][v][lv] for n, v, lv in zip(PATHS, p, levels, strict=True))
        for p in people
    ]


def keeps_share(cells, ill, l):  # noqa: E741
    """Whether no class has more than 1/l of the value."""
    for cell in set(cells):
        inside = [hiv for c, hiv in zip(cells, ill, strict=True) if c == cell]
        if sum(inside) * l > len(inside):
            return False
    return True


def every_table(cells, ill):
    """Every way to give the values of each class to its members."""
    options = []
    groups = [[i for i, c in enumerate(cells) if c == cell] for cell in set(cells)]
    for group in groups:
        options.append(list(combinations(group, sum(ill[i] for i in group))))
    for chosen in product(*options):
        holders = {i for part in chosen for i in part}
        yield [i in holders for i in range(len(cells))]


def chances(people, ill, levels, l, k):  # noqa: E741
    """Largest chance of each person by any one lower node that keeps k."""
    cells = lifted(people, levels)
    best = np.full(len(people), -1.0)
    for at in range(2):
        if levels[at] == 0:
            continue
        lower = lifted(people, [lv - (at == j) for j, lv in enumerate(levels)])
        if min(lower.count(c) for c in lower) < k:
            continue
        remaining = [t for t in every_table(cells, ill) if not keeps_share(lower, t, l)]
        if remaining:
            best = np.maximum(best, np.mean(remaining, axis=0))
    return best


person = st.tuples(st.sampled_from(["a1", "a2", "b1"]), st.sampled_from("fm"))

ills = st.sampled_from([False, False, False, True])


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(
    st.lists(st.tuples(person, ills), min_size=3, max_size=8),
    st.tuples(st.integers(0, 2), st.integers(0, 1)),
    st.sampled_from([2, 3]),
    st.integers(1, 2),
)
def test_chances_are_those_of_all_tables_that_remain(rows, levels, l, k):  # noqa: E741
    people, ill = [row[0] for row in rows], [row[1] for row in rows]
    cells = lifted(people, levels)
    assume(any(ill) and keeps_share(cells, ill, l))
    release = pd.DataFrame(cells, columns=["zip", "sex"])
    release["ill"] = np.where(ill, "hiv", "flu")
    register = pd.DataFrame(people, columns=["zip", "sex"])
    report = Minimality(value="hiv", l=l, k=k).run(
        release.sample(frac=1, random_state=0),
        quasi_identifiers=["zip", "sex"],
        sensitive=["ill"],
        external=register,
        hierarchies={"zip": ZIP, "sex": SEX},
        suppression_label="?",
        show_values=True,
    )
    # Of a name at two levels, the attack takes the lower one: as the oracle must.
    shown = [report.details["levels"][name] for name in ("zip", "sex")]
    best = chances(people, ill, shown, l, k)
    assert report.exposed_records.index.tolist() == list(
        np.flatnonzero(best > 1 / l + 1e-9)
    )
    if best.max() >= 0:
        assert report.details["largest_chance"] == pytest.approx(best.max())
    else:
        assert report.details["largest_chance"] is None


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.data())
def test_chance_that_some_part_has_more(sizes, data):
    holders = data.draw(st.integers(0, sum(sizes)))
    l = data.draw(st.integers(2, 4))  # noqa: E741
    chance, held = chances_of_excess(np.array(sizes), holders, l)
    ways, own = 0, np.zeros(len(sizes))
    for counts in product(*(range(size + 1) for size in sizes)):
        exceeds = any(c * l > s for s, c in zip(sizes, counts, strict=True))
        if sum(counts) == holders and exceeds:
            n = np.prod([comb(s, c) for s, c in zip(sizes, counts, strict=True)])
            ways += n
            own += n * np.array(counts) / sizes
    whole = comb(sum(sizes), holders)
    assert chance == pytest.approx(ways / whole, abs=1e-12)
    assert held == pytest.approx(own / whole, abs=1e-12)


def test_a_rare_value_that_stands_close_together_is_found():
    # Of three in ten thousand, more than two in a village of five: one in 10^10.
    zips = ["a1"] * 5 + ["a2"] * 9995
    release = pd.DataFrame({"zip": ["a"] * 10000, "ill": ["hiv"] * 3 + ["flu"] * 9997})
    report = Minimality(value="hiv", k=5).run(
        release, **{**HELD, "external": pd.DataFrame({"zip": zips})}
    )
    assert report.exposed == 5
    assert report.details["largest_chance"] == pytest.approx(0.6)


HELD = {
    "quasi_identifiers": ["zip"],
    "sensitive": ["ill"],
    "hierarchies": {"zip": ZIP},
    "external": pd.DataFrame({"zip": ["a1", "a2"]}),
}
RELEASE = pd.DataFrame({"zip": ["a", "a"], "ill": ["hiv", "flu"]})


@pytest.mark.parametrize(
    ("attack", "release", "changed", "words"),
    [
        (Minimality(), RELEASE, {}, "name the value"),
        (Minimality(value="x"), RELEASE, {}, "no sensitive column holds"),
        (
            Minimality(value="hiv"),
            RELEASE.assign(zip=["a", "*"]),
            {},
            "suppressed rows",
        ),
        (
            Minimality(value="hiv"),
            RELEASE.assign(zip=["a", "b1"]),
            {},
            "not published at one level",
        ),
        (
            Minimality(value="hiv"),
            RELEASE,
            {"external": pd.DataFrame({"zip": ["a1", "b1"]})},
            "not just the persons",
        ),
        (
            Minimality(value="hiv"),
            RELEASE,
            {"external": pd.DataFrame({"size": [1, 2]})},
            "lacks the quasi-identifier 'zip'",
        ),
    ],
)
def test_what_cannot_be_judged_is_told(attack, release, changed, words):
    with pytest.raises(NotEvaluable, match=words):
        attack.run(release, **{**HELD, **changed})


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="l"):
        Minimality(l=1)


def test_the_contract_of_attacks():
    check_attack(Minimality)

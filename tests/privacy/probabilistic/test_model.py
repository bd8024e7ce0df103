"""The validator of swapped tables: what passes, what fails, what is undecidable."""

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import MondrianAnonymizer
from anon_transformers.evidence import Classes, Linkage
from anon_transformers.exceptions import (
    DataError,
    DependenceWarning,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.microaggregation import GroupSwapper
from anon_transformers.privacy import KAnonymity, ProbabilisticKAnonymity, judge

DATA = Path(__file__).parents[2] / "data"
KNOWN = json.loads((DATA / "vectors/probabilistic.json").read_text(encoding="utf-8"))
VECTORS = {vector["name"]: vector for vector in KNOWN["vectors"]}


@pytest.fixture(scope="module")
def census():
    return pd.read_csv(DATA / "casc_census.csv")


def draw_sources(labels, rng):
    """A uniform permutation inside groups, written down anew."""
    sources = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        sources[inside] = rng.permutation(inside)
    return sources


def swapped(n_groups=60, size=4, seed=0, sources=None, noise=1000.0, **options):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(n_groups), size))
    age = 20 + 5 * labels + rng.integers(0, 20, len(labels))
    pay = np.round(100 * age + rng.normal(0, noise, len(labels)), 2)
    original = pd.DataFrame({"age": age, "pay": pay})
    if sources is None:
        sources = draw_sources(labels, rng)
    published = original.assign(pay=pay[sources])
    known = {"pay": sources} if options.get("known", True) else None
    return Linkage(original, published, {"pay": labels}, known)


def test_swapped_groups_of_k_pass_and_smaller_ones_fail():
    linkage = swapped(size=4)
    verdict = judge(ProbabilisticKAnonymity(k=4), linkage)
    assert (verdict.passed, verdict.level, verdict.units) == (True, 4, 60)
    verdict = judge(ProbabilisticKAnonymity(k=5), linkage)
    assert (verdict.passed, verdict.level, verdict.failing) == (False, 4, 60)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6), st.booleans())
def test_what_passes_for_k_passes_for_less(seed, size, k, known):
    linkage = swapped(size=size, seed=seed, known=known)
    passed = judge(ProbabilisticKAnonymity(k=k), linkage).passed
    assert passed is (k <= size)
    assert ProbabilisticKAnonymity(k=k).level(linkage) == size


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("known", [True, False])
def test_an_unswapped_table_fails(size, known):
    n = 60 * size
    linkage = swapped(size=size, sources=np.arange(n), known=known)
    verdict = judge(ProbabilisticKAnonymity(k=2), linkage)
    assert (verdict.passed, verdict.level, verdict.failing) == (False, 1, 60)


def test_a_table_of_which_half_was_swapped_fails():
    linkage = swapped(n_groups=200, size=5)
    stayed = linkage.labels("pay") < 100
    sources = np.where(stayed, np.arange(1000), linkage.sources["pay",])
    half = swapped(n_groups=200, size=5, sources=sources)
    assert ProbabilisticKAnonymity(k=5).level(linkage) == 5
    assert ProbabilisticKAnonymity(k=5).level(half) == 1


def test_permutations_that_keep_nobodys_cells_fail():
    """Of two rows that always change places, each is known to be the other."""
    labels = swapped(size=2).labels("pay")
    order = np.argsort(labels, kind="stable").reshape(-1, 2)
    sources = np.empty(120, dtype=np.int64)
    sources[order] = order[:, ::-1]
    linkage = swapped(size=2, sources=sources)
    assert not ProbabilisticKAnonymity(k=2).satisfied(linkage).any()
    assert ProbabilisticKAnonymity(k=2).level(linkage) == 1


def test_cells_from_another_group_fail_in_both():
    linkage = swapped()
    labels = linkage.labels("pay")
    one, two = np.flatnonzero(labels == 3)[0], np.flatnonzero(labels == 7)[0]
    published = linkage.published.copy()
    published.loc[[one, two], "pay"] = published.loc[[two, one], "pay"].to_numpy()
    moved = replace(linkage, published=published, sources=None)
    satisfied = ProbabilisticKAnonymity(k=4).satisfied(moved)
    assert np.flatnonzero(~satisfied).tolist() == [3, 7]
    assert ProbabilisticKAnonymity(k=4).level(moved) == 1


def test_a_column_that_did_not_move_must_be_what_it_was():
    linkage = swapped()
    published = linkage.published.assign(age=linkage.published["age"] + 1)
    changed = replace(linkage, published=published)
    assert not ProbabilisticKAnonymity(k=2).satisfied(changed).any()
    assert ProbabilisticKAnonymity(k=2).level(changed) == 1


def test_few_groups_are_undecidable():
    assert judge(ProbabilisticKAnonymity(k=4), swapped(n_groups=50)).passed
    with pytest.raises(NotEvaluable, match=r"undecidable.*49 groups .* too few"):
        judge(ProbabilisticKAnonymity(k=4), swapped(n_groups=49))


def test_what_fails_already_is_decided_by_fewer_groups():
    unswapped = swapped(n_groups=40, sources=np.arange(160))
    assert ProbabilisticKAnonymity(k=4).level(unswapped) == 1


def repeating(n_constant, n_mixed):
    """Groups of four whose cells are all the same, and some of two values."""
    labels = np.repeat(np.arange(n_constant + n_mixed), 4)
    pay = np.where(labels < n_constant, labels, labels + np.arange(len(labels)) % 2)
    original = pd.DataFrame({"age": np.arange(len(labels)) % 50, "pay": pay})
    rows = draw_sources(labels, np.random.default_rng(0))
    published = original.assign(pay=pay[rows])
    return Linkage(original, published, {"pay": labels}, {"pay": rows})


def test_constant_groups_do_not_help_to_decide():
    assert judge(ProbabilisticKAnonymity(k=4), repeating(30, 50)).passed
    with pytest.raises(NotEvaluable, match=r"undecidable.*49 groups .* too few"):
        judge(ProbabilisticKAnonymity(k=4), repeating(300, 49))


def test_constant_groups_alone_hide_records_and_no_values():
    linkage, model = repeating(30, 0), ProbabilisticKAnonymity(k=4)
    assert judge(model, linkage).level == 4
    found = model.report(linkage)["moved"]["pay"]
    assert found["groups_tested"] == 0
    assert found["wanted"]["pay"]["value_disclosure"]["probability"] == 1
    limited = replace(model, max_value_disclosure=0.99)
    assert not judge(limited, linkage).passed


@pytest.mark.parametrize("known", [True, False])
def test_values_tell_where_records_do_not(known):
    """No cell is unique in its group, and nothing moved."""
    linkage = repeating(0, 60)
    sources = linkage.sources if known else None
    # Rows 0 and 2 of a group are equal, and so are 1 and 3; of the latter half stay.
    rows = np.arange(240)
    among = rows ^ np.where((rows % 2 == 0) | (rows // 4 % 2 == 0), 2, 0)
    for published, rows, level in (
        (linkage.published, sources, 4),
        (linkage.original, {"pay": among} if known else None, 1),
    ):
        moved = replace(linkage, published=published, sources=rows)
        assert judge(ProbabilisticKAnonymity(k=4), moved).level == level


def test_cells_that_always_change_places_the_same_way_fail():
    """Groups turned round, in the order of the cells: one draw is not 4! of them."""
    linkage = swapped(size=4)
    labels, pay = linkage.labels("pay"), linkage.original["pay"].to_numpy()
    order = np.lexsort((pay, labels)).reshape(-1, 4)
    sources = np.empty(240, dtype=np.int64)
    sources[order] = order[:, [2, 1, 3, 0]]  # one of them keeps its cell
    fixed = swapped(size=4, sources=sources)
    assert ProbabilisticKAnonymity(k=4).level(linkage) == 4
    assert ProbabilisticKAnonymity(k=4).level(fixed) == 1


@pytest.mark.parametrize("alike", [True, False])
def test_columns_that_moved_alike_fail(alike):
    linkage = swapped()
    labels = linkage.labels("pay")
    sources = {"pay": linkage.sources["pay",]}
    sources["rent"] = draw_sources(labels, np.random.default_rng(7))
    if alike:
        sources["rent"] = sources["pay"]
    rent = np.random.default_rng(8).normal(size=240)
    both = Linkage(
        linkage.original.assign(rent=rent),
        linkage.published.assign(rent=rent[sources["rent"]]),
        {"pay": labels, "rent": labels},
        sources,
    )
    model = ProbabilisticKAnonymity(k=4)
    assert judge(model, both).passed is not alike
    assert model.level(both) == (1 if alike else 4)
    assert model.report(both)["independent"] is not alike


def test_nothing_that_moved_is_not_evaluable():
    table = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(NotEvaluable, match="no column moved"):
        judge(ProbabilisticKAnonymity(k=1), Linkage(table, table))
    with pytest.raises(NotEvaluable, match="empty"):
        judge(ProbabilisticKAnonymity(k=1), Linkage(table[:0], table[:0]))


@pytest.mark.parametrize("k", [2, 5])
def test_k_anonymity_implies_probabilistic_k_anonymity(census, k):
    known = ["AGI", "FEDTAX", "STATETAX"]
    table = census[[*known, "TAXINC"]]
    published = MondrianAnonymizer(known, k=k, sensitive=["TAXINC"]).fit_transform(
        table
    )
    linkage = Linkage.from_classes(table, published, known)
    size = KAnonymity(k=k).level(Classes.from_frame(published, known))
    verdict = judge(ProbabilisticKAnonymity(k=k), linkage)
    assert verdict.passed
    assert verdict.level == size >= k
    assert not judge(ProbabilisticKAnonymity(k=size + 1), linkage).passed
    report = ProbabilisticKAnonymity(k=k).report(linkage)
    assert list(report["moved"]["AGI, FEDTAX, STATETAX"]["wanted"]) == ["TAXINC"]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_the_level_of_a_k_anonymous_table_is_its_k(ages):
    table = pd.DataFrame({"age": range(len(ages)), "s": range(len(ages))})
    published = table.assign(age=[f"class {age}" for age in ages])
    linkage = Linkage.from_classes(table, published, ["age"])
    k = KAnonymity(k=1).level(Classes.from_frame(published, ["age"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DependenceWarning)  # s is age
        assert judge(ProbabilisticKAnonymity(k=k), linkage).level == k
        assert not judge(ProbabilisticKAnonymity(k=k + 1), linkage).passed


def test_groups_from_classes_need_columns():
    table = pd.DataFrame({"age": [1, 2]})
    with pytest.raises(DataError, match="did you mean 'age'"):
        Linkage.from_classes(table, table, ["agee"])
    with pytest.raises(ParameterError, match="quasi_identifiers is empty"):
        Linkage.from_classes(table, table, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"k": 2, "max_value_disclosure": 2}, "max_value_disclosure must be"),
        ({"k": 2, "max_excess_risk": -1}, "max_excess_risk must be"),
    ],
)
def test_bad_thresholds_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        ProbabilisticKAnonymity(**options)


@pytest.mark.parametrize(
    ("k", "rate", "share"),
    [row[:3] for row in VECTORS["simulated_naive_intruder_census"]["expected"]["rows"]],
)
def test_the_naive_intruder_finds_one_in_k(census, k, rate, share):
    """Person i is linked by the old quasi-identifiers to a row: is it row i?"""
    known = VECTORS["simulated_naive_intruder_census"]["input"]["qi"]
    runs, hits = 40, 0
    swapper = GroupSwapper(
        known, k=k, sensitive=list(census.columns[6:]), scenario="uninformed",
        keep_links=True,
    )  # fmt: skip
    for seed in range(runs):
        swapper.set_params(random_state=seed)
        linkage = swapper.linkage(census, swapper.fit_transform(census))
        hits += (linkage.sources[tuple(known)] == np.arange(1080)).sum()
        assert linkage.group_sizes(tuple(known)).min() >= k
    n_groups = len(linkage.group_sizes(tuple(known)))
    assert n_groups / 1080 == pytest.approx(share, abs=5e-6)
    # The number of hits of a run has variance n_groups: see Law.of_own_cells.
    deviation = np.sqrt(n_groups / runs) / 1080
    assert hits / runs / 1080 == pytest.approx(share, abs=4 * deviation)
    assert hits / runs / 1080 == pytest.approx(rate, abs=5 * deviation)
    if n_groups < 50:
        with pytest.raises(NotEvaluable, match="undecidable"):
            judge(ProbabilisticKAnonymity(k=k), linkage)
    else:
        assert judge(ProbabilisticKAnonymity(k=k), linkage).passed

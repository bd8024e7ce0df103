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

DATA = Path(__file__).parents[1] / "data"
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
    with pytest.raises(NotEvaluable, match=r"undecidable.*49 groups are too few"):
        judge(ProbabilisticKAnonymity(k=4), swapped(n_groups=49))


def test_cells_that_tell_nothing_are_undecidable():
    linkage = swapped(known=False)
    coarse = {
        name: table.assign(pay=np.arange(240) % 2)
        for name, table in (
            ("original", linkage.original), ("published", linkage.published))
    }  # fmt: skip
    labels = np.arange(240) // 4
    same = Linkage(**coarse, groups={"pay": labels})
    with pytest.raises(NotEvaluable, match=r"undecidable.*only 0 rows tell"):
        judge(ProbabilisticKAnonymity(k=4), same)
    sources = draw_sources(labels, np.random.default_rng(0))
    told = coarse["original"].assign(pay=(np.arange(240) % 2)[sources])
    known = Linkage(coarse["original"], told, {"pay": labels}, {"pay": sources})
    assert judge(ProbabilisticKAnonymity(k=4), known).passed


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
    assert list(report["moved"][0]["wanted"]) == ["TAXINC"]


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


def test_thresholds_on_values_and_records_fail_every_group():
    linkage = swapped(noise=1.0)
    model = ProbabilisticKAnonymity(k=4)
    (told,) = model.report(linkage)["moved"]
    found = told["wanted"]["pay"]
    chance = found["value_disclosure"]["probability"]
    excess = found["regression"]["excess"]
    assert chance == 0.25
    assert 0.2 < excess < 0.75
    for key, limit in (("max_value_disclosure", chance), ("max_excess_risk", excess)):
        assert replace(model, **{key: limit}).satisfied(linkage).all()
        tighter = replace(model, **{key: limit - 1e-6})
        assert not tighter.satisfied(linkage).any()
        assert tighter.level(linkage) == 4


def test_a_dependence_is_told_first(census):
    labels = np.arange(1080) // 5
    sources = draw_sources(labels, np.random.default_rng(0))
    published = census.assign(PEARNVAL=census["PEARNVAL"].to_numpy()[sources])
    linkage = Linkage(census, published, {"PEARNVAL": labels}, {"PEARNVAL": sources})
    with pytest.warns(DependenceWarning, match="'PEARNVAL' by 'PTOTVAL', 'POTHVAL'"):
        assert ProbabilisticKAnonymity(k=5).satisfied(linkage).all()
    report = ProbabilisticKAnonymity(k=5).report(linkage)
    assert report["dependences"] == {"PEARNVAL": ["PTOTVAL", "POTHVAL"]}


def test_the_report_is_plain(census):
    linkage = swapped()
    report = ProbabilisticKAnonymity(k=4).report(linkage)
    assert json.loads(json.dumps(report)) == report
    (moved,) = report["moved"]
    assert moved["columns"] == ["pay"]
    assert moved["hits"] == int((linkage.sources["pay",] == np.arange(240)).sum())
    assert moved["expected_hits"] == pytest.approx(60)
    assert 1e-6 < moved["p_value"] <= 1
    assert (moved["groups"], moved["smallest"], moved["groups_kept"]) == (60, 4, 60)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 0}, "k must be"),
        ({"k": 2, "max_value_disclosure": 2}, "max_value_disclosure must be"),
        ({"k": 2, "max_excess_risk": -1}, "max_excess_risk must be"),
    ],
)
def test_bad_thresholds_are_refused(options, told):
    with pytest.raises(ParameterError, match=told):
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
    # The number of hits of a run has variance n_groups: see RecordHits.p_value.
    deviation = np.sqrt(n_groups / runs) / 1080
    assert hits / runs / 1080 == pytest.approx(share, abs=4 * deviation)
    assert hits / runs / 1080 == pytest.approx(rate, abs=5 * deviation)
    if n_groups < 50:
        with pytest.raises(NotEvaluable, match="undecidable"):
            judge(ProbabilisticKAnonymity(k=k), linkage)
    else:
        assert judge(ProbabilisticKAnonymity(k=k), linkage).passed

"""The validator of swapped tables: limits on what intruders find, and its report."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import anon_transformers.privacy.probabilistic._moves as moves
from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import DependenceWarning, NotEvaluable
from anon_transformers.privacy import ProbabilisticKAnonymity, judge
from anon_transformers.privacy.probabilistic._disclosure import value_disclosure
from anon_transformers.privacy.probabilistic._moves import paired_codes
from anon_transformers.privacy.probabilistic._regression import regression_hits

DATA = Path(__file__).parents[2] / "data"


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


def swapped(sources=None, noise=1000.0):
    """Sixty groups of four, whose pay follows from age but for noise."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(60), 4))
    age = 20 + 5 * labels + rng.integers(0, 20, len(labels))
    pay = np.round(100 * age + rng.normal(0, noise, len(labels)), 2)
    original = pd.DataFrame({"age": age, "pay": pay})
    if sources is None:
        sources = draw_sources(labels, rng)
    published = original.assign(pay=pay[sources])
    return Linkage(original, published, {"pay": labels}, {"pay": sources})


def test_thresholds_on_values_and_records_fail_every_group():
    linkage = swapped(noise=1.0)
    model = ProbabilisticKAnonymity(k=4)
    chance = value_disclosure(linkage, "pay")["pay"].probability
    excess = regression_hits(linkage, "pay")["pay"].excess
    assert chance == 0.25
    assert 0.2 < excess < 0.75
    assert model.report(linkage)["broken"] == {}
    for key, limit in (("max_value_disclosure", chance), ("max_excess_risk", excess)):
        kept = replace(model, **{key: limit})
        assert kept.satisfied(linkage).all()
        assert kept.report(linkage)["broken"] == {}
        tighter = replace(model, **{key: limit - 1e-6})
        assert not tighter.satisfied(linkage).any()
        assert tighter.level(linkage) == 4
        assert tighter.report(linkage)["broken"] == {key: round(limit, 2)}
    found = model.report(linkage)["moved"]["pay"]["wanted"]["pay"]["regression"]
    assert found["excess"] == round(excess, 2)


def uninformed(ill="flat"):
    """One quasi-identifier moved; nobody is told apart by the sensitive column."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(60), 4)
    age = np.round(20 + labels + rng.random(len(labels)), 3)
    original = pd.DataFrame({"age": age, "ill": ill})
    rows = draw_sources(labels, rng)
    published = original.assign(age=age[rows])
    return Linkage(original, published, {"age": labels}, {"age": rows}, ["ill"])


def test_the_sensitive_column_is_judged_though_another_one_moved():
    limited = ProbabilisticKAnonymity(k=4, max_value_disclosure=0.5)
    linkage = uninformed()
    assert not judge(limited, linkage).passed
    assert limited.report(linkage)["broken"] == {"max_value_disclosure": 1}
    # Without a word on what is sensitive, what moved is taken for it.
    assert judge(limited, replace(linkage, wanted=None)).passed


@pytest.mark.parametrize("limit", ["max_value_disclosure", "max_excess_risk"])
def test_limits_on_nothing_are_not_evaluable(limit):
    linkage = replace(uninformed(), wanted=[])
    model = ProbabilisticKAnonymity(k=4)
    assert judge(model, linkage).passed
    with pytest.raises(NotEvaluable, match=f"{limit} cannot be judged.*no column"):
        judge(replace(model, **{limit: 0.9}), linkage)


@pytest.mark.parametrize("case", ["no value", "nothing known"])
def test_what_no_regression_can_judge_breaks_its_limit(case):
    linkage = swapped()
    if case == "no value":
        linkage = uninformed(ill=None)
    else:
        tables = (table[["pay"]] for table in (linkage.original, linkage.published))
        linkage = Linkage(*tables, linkage.groups, linkage.sources)
    model = ProbabilisticKAnonymity(k=4)
    assert judge(model, linkage).passed
    with pytest.raises(NotEvaluable, match="max_excess_risk cannot be judged"):
        judge(replace(model, max_excess_risk=0.9), linkage)


def test_columns_with_a_gap_are_judged():
    linkage = swapped(noise=1.0)
    pay = linkage.original["pay"].where(np.arange(240) > 0)
    rows = linkage.sources["pay",]
    published = linkage.original.assign(pay=pay.to_numpy()[rows])
    original = linkage.original.assign(pay=pay)
    gap = replace(linkage, original=original, published=published)
    assert not judge(ProbabilisticKAnonymity(k=4, max_excess_risk=0.2), gap).passed
    assert judge(ProbabilisticKAnonymity(k=4, max_excess_risk=0.7), gap).passed


def test_texts_are_judged():
    rng = np.random.default_rng(0)
    labels, city = np.repeat(np.arange(60), 4), rng.integers(0, 8, 240)
    ill = np.array(["flu", "cold", "gout", "none"])[city // 2]
    rows = draw_sources(labels, rng)
    original = pd.DataFrame({"city": city.astype(str), "ill": ill})
    published = original.assign(ill=ill[rows])
    linkage = Linkage(original, published, {"ill": labels}, {"ill": rows})
    assert not judge(ProbabilisticKAnonymity(k=4, max_excess_risk=0.2), linkage).passed
    assert judge(ProbabilisticKAnonymity(k=4, max_excess_risk=0.7), linkage).passed


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
    moved = report["moved"]["pay"]
    assert moved["expected_hits"] == pytest.approx(60)
    assert moved["by_chance"] is True
    assert (report["independent"], report["untouched_kept"]) == (True, True)
    assert (moved["groups"], moved["smallest"], moved["groups_kept"]) == (60, 4, 60)
    assert moved["groups_tested"] == 60
    assert set(moved) == {
        "groups", "smallest", "groups_kept", "groups_tested", "expected_hits",
        "by_chance", "wanted",
    }  # fmt: skip


def test_the_report_tells_nothing_of_the_permutation():
    """But for the regression, which is told in two digits."""
    linkage, reports = swapped(), []
    for seed in (1, 2):
        sources = draw_sources(linkage.labels("pay"), np.random.default_rng(seed))
        drawn = swapped(sources=sources)
        reports.append(ProbabilisticKAnonymity(k=4).report(drawn))
        rates = reports[-1]["moved"]["pay"]["wanted"]["pay"].pop("regression")
        assert all(rate == round(rate, 2) for rate in rates.values())
    assert reports[0] == reports[1]


def test_a_linkage_is_examined_once(monkeypatch):
    linkage, counted = swapped(), []
    monkeypatch.setattr(
        moves, "paired_codes",
        lambda *args: counted.append(1) or paired_codes(*args),
    )  # fmt: skip
    model = ProbabilisticKAnonymity(k=4, max_value_disclosure=1, max_excess_risk=1)
    judge(model, linkage)
    model.report(linkage)
    assert len(counted) == 1
    assert linkage != replace(linkage)
    assert len({linkage, replace(linkage)}) == 2

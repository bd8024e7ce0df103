"""Intruders who know the groups: hits, values, regressions, dependences."""

import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from anon_transformers._intruders import (
    RecordHits,
    record_hits,
    structure,
    value_disclosure,
    wanted_columns,
)
from anon_transformers._intruders_dependence import dependences, functional_dependences
from anon_transformers._intruders_regression import nearest_in_group, regression_hits
from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.ranking import rank_groups
from anon_transformers._kernels.swapping import permute_within
from anon_transformers.evidence import Linkage

DATA = Path(__file__).parent / "data"
VECTORS = {
    vector["name"]: vector["expected"]
    for vector in json.loads((DATA / "vectors/probabilistic.json").read_text())[
        "vectors"
    ]
}
SENSITIVE = ["TAXINC", "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL"]


@pytest.fixture(scope="module")
def census():
    return pd.read_csv(DATA / "casc_census.csv")


def groups_of(census, method, k, name):
    if method == "IR-SWAP":
        return rank_groups(census[name].to_numpy(float), k)
    others = census.drop(columns=name).to_numpy(float)
    scaled = (others - others.mean(axis=0)) / others.std(axis=0)
    return group(np.ascontiguousarray(scaled), k)


def swap(census, labels, rng, columns):
    """Swap each of some columns, or tuples of them, in its groups."""
    published, sources = census.copy(), {}
    for key in columns:
        sources[key] = permute_within(labels[key], rng)
        names = list(key) if isinstance(key, tuple) else [key]
        published[names] = census[names].to_numpy()[sources[key]]
    return Linkage(census, published, labels, sources)


# Structure and hits.


@st.composite
def swapped(draw):
    """A small table of two columns that moved together, and one that did not."""
    n = draw(st.integers(1, 14))
    cells = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    few = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    original = pd.DataFrame({"a": draw(few), "b": draw(few), "c": draw(cells)})
    labels = np.array(draw(cells))
    sources = np.arange(n)
    for label in set(labels.tolist()):
        inside = np.flatnonzero(labels == label)
        sources[inside] = inside[draw(st.permutations(range(len(inside))))]
    published = original.copy()
    published[["a", "b"]] = original[["a", "b"]].to_numpy()[sources]
    known = {("a", "b"): sources} if draw(st.booleans()) else None
    return Linkage(original, published, {("a", "b"): labels}, known), sources


@given(swapped())
def test_swapped_groups_are_kept_and_hits_are_counted(made):
    linkage, sources = made
    found = structure(linkage, ("a", "b"))
    assert found.kept.all()
    assert found.shuffled.all()
    labels = linkage.labels(("a", "b"))
    cells = list(zip(linkage.published["a"], linkage.published["b"], strict=True))
    own = list(zip(linkage.original["a"], linkage.original["b"], strict=True))
    hits = told = 0
    expected = 0.0
    for row, label in enumerate(labels):
        inside = [cells[i] for i in np.flatnonzero(labels == label)]
        if len(set(inside)) == 1:
            assert found.alike[label]
            continue
        if linkage.sources is None and inside.count(cells[row]) > 1:
            continue
        stayed = sources[row] == row if linkage.sources else cells[row] == own[row]
        told, hits = told + 1, hits + stayed
        expected += 1 / len(inside)
    counted = record_hits(linkage, ("a", "b"))
    assert (counted.hits, counted.told) == (hits, told)
    assert counted.expected == pytest.approx(expected)


@pytest.mark.parametrize("how", ["another cell", "another group", "another source"])
def test_cells_that_leave_their_group_are_seen(how):
    table = pd.DataFrame({"x": range(6), "y": range(6)})
    labels, sources = [0, 0, 0, 1, 1, 1], np.array([1, 0, 2, 3, 4, 5])
    if how == "another group":
        sources = np.array([0, 3, 2, 1, 4, 5])
    published = table.assign(y=sources)
    if how == "another cell":
        published.loc[1, "y"] = 9
    if how == "another source":
        sources = np.array([0, 1, 2, 3, 4, 5])
    found = structure(Linkage(table, published, {"y": labels}, {"y": sources}), "y")
    assert found.kept.tolist() == [False, how != "another group"]


def test_an_equal_cell_of_another_group_is_not_an_own_one():
    table = pd.DataFrame({"y": [1, 2, 1, 2]})
    crossed = np.array([2, 1, 0, 3])
    linkage = Linkage(table, table, {"y": [0, 0, 1, 1]}, {"y": crossed})
    assert not structure(linkage, "y").kept.any()
    assert structure(Linkage(table, table, {"y": [0, 0, 1, 1]}), "y").kept.all()


def test_a_group_that_is_published_the_same_is_kept():
    table = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 3, 4]})
    published = table.assign(x=["[1, 2]"] * 2 + ["3", "4"])
    found = structure(Linkage(table, published, {"x": [0, 0, 1, 1]}), "x")
    assert found.alike.tolist() == [True, False]
    assert found.kept.all()
    assert found.replaced


@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_test_of_hits_raises_no_false_alarm_and_sees_unswapped_tables(size):
    """The law of fixed points, exactly: by convolution over the groups."""
    fixed = Counter(
        sum(at == i for i, at in enumerate(order))
        for order in itertools.permutations(range(size))
    )
    one = np.array([fixed[i] for i in range(size + 1)], dtype=float)
    one /= one.sum()
    for n_groups in (50, 200):
        law = np.ones(1)
        for _ in range(n_groups):
            law = np.convolve(law, one)
        told = size * n_groups
        alarms = [
            hits for hits in range(told + 1)
            if RecordHits(hits, told, float(n_groups)).p_value < 1e-6
        ]  # fmt: skip
        assert told in alarms
        assert law[alarms].sum() < 1.01e-6


# Values.


def test_value_disclosure_is_that_of_the_specification(census):
    for name, ranked, constant, near in VECTORS["value_level_exposure_census"]["rows"]:
        found = {}
        for method in ("IR-SWAP", "MDAV-SWAP"):
            labels = groups_of(census, method, 5, name)
            linkage = Linkage(census, census, {name: labels})
            found[method] = value_disclosure(linkage, name)[name]
        assert found["IR-SWAP"].probability == pytest.approx(ranked, abs=5e-5)
        assert found["IR-SWAP"].constant == pytest.approx(constant, abs=5e-4)
        assert found["MDAV-SWAP"].probability == pytest.approx(near, abs=5e-5)
        assert found["MDAV-SWAP"].mean_width > found["IR-SWAP"].mean_width


@given(swapped())
def test_value_disclosure_is_the_chance_of_a_right_cell(made):
    linkage, _ = made
    assert wanted_columns(linkage, ("a", "b")) == ["c"]
    found = value_disclosure(linkage, ("a", "b"))["c"]
    labels, cells = linkage.labels(("a", "b")), linkage.original["c"].to_numpy()
    chance = np.array(
        [(cells[labels == g] == c).mean() for g, c in zip(labels, cells, strict=True)]
    )
    of_group = [chance[labels == g].mean() for g in np.unique(labels)]
    assert found.probability == pytest.approx(chance.mean())
    assert found.worst == pytest.approx(max(of_group))
    assert found.constant == pytest.approx((chance == 1).mean())
    widths = [np.ptp(cells[labels == g]) / (np.ptp(cells) or 1) for g in labels]
    assert found.widest == pytest.approx(max(widths))
    assert found.mean_width == pytest.approx(np.mean(widths))


def test_ranges_are_those_of_numbers_only():
    table = pd.DataFrame({"q": [1, 2], "city": ["a", "b"], "d": [None, None]})
    found = value_disclosure(Linkage(table, table, {"city": [0, 0]}), "city")
    assert (found["city"].widest, found["city"].mean_width) == (None, None)


# Regressions.


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(-3, 3), st.integers(-8, 8)),
        min_size=1,
        max_size=20,
    )
)
def test_nearest_in_group_against_looking_at_every_cell(rows):
    labels, true, predicted = np.array(rows).T
    labels = np.unique(labels, return_inverse=True)[1]
    predicted = predicted / 2
    records, values = nearest_in_group(labels, true.astype(float), predicted)
    for i in range(len(rows)):
        inside = np.flatnonzero(labels == labels[i])
        apart = abs(true[inside] - predicted[i])
        tied = inside[apart == apart.min()]
        assert values[i] == pytest.approx((true[tied] == true[i]).mean())
        # One of the tied cells is the own one, if its value is among them.
        assert records[i] == pytest.approx((true[i] in true[tied]) / len(tied))


def test_the_regression_is_that_of_scikit_learn(census):
    labels = {"TAXINC": groups_of(census, "MDAV-SWAP", 5, "TAXINC")}
    linkage = swap(census, labels, np.random.default_rng(0), ["TAXINC"])
    known = census.drop(columns="TAXINC").to_numpy(float)
    model = LinearRegression().fit(known, linkage.published["TAXINC"])
    records, values = nearest_in_group(
        linkage.labels("TAXINC"), census["TAXINC"].to_numpy(float), model.predict(known)
    )
    found = regression_hits(linkage, "TAXINC")["TAXINC"]
    assert found.records == pytest.approx(records.mean(), abs=2e-3)
    assert found.values == pytest.approx(values.mean(), abs=2e-3)
    assert found.excess == pytest.approx(found.records - 0.2)


@pytest.mark.parametrize(
    ("method", "k", "name", "records", "values"),
    VECTORS["simulated_model_based_intruder_census"]["rows"],
)
def test_regression_hits_are_those_of_the_specification(
    census, method, k, name, records, values
):
    """One draw there, with a tolerance of 0.03; the mean of four here has its own."""
    labels = {name: groups_of(census, method, k, name)}
    rng = np.random.default_rng(1)
    draws = [
        regression_hits(swap(census, labels, rng, [name]), name)[name] for _ in range(4)
    ]
    assert np.mean([draw.records for draw in draws]) == pytest.approx(
        records, abs=0.045
    )
    assert np.mean([draw.values for draw in draws]) == pytest.approx(values, abs=0.05)


def test_the_intruder_of_moved_quasi_identifiers_is_the_same_one(census):
    """To move the known columns by a permutation is to move the wanted one back."""
    known, wanted = tuple(census.columns[:6]), "TAXINC"
    table = census[[*known, wanted]]
    labels = groups_of(table, "MDAV-SWAP", 5, wanted)
    linkage = swap(table, {known: labels}, np.random.default_rng(2), [known])
    back = np.argsort(linkage.sources[known])
    moved = table.assign(TAXINC=table["TAXINC"].to_numpy()[back])
    other = Linkage(table, moved, {wanted: labels}, {wanted: back})
    one, two = regression_hits(linkage, known), regression_hits(other, wanted)
    assert one[wanted] == pytest.approx(two[wanted])
    assert value_disclosure(linkage, known) == value_disclosure(other, wanted)
    assert record_hits(linkage, known) == record_hits(other, wanted)


def test_columns_that_are_no_numbers_help_or_are_left_out():
    rng = np.random.default_rng(0)
    city = rng.choice(["a", "b"], 300)
    pay = 1000.0 * (city == "b") + rng.normal(size=300)
    names = [f"n{i}" for i in range(300)]
    table = pd.DataFrame({"city": city, "name": names, "pay": pay})
    labels = np.arange(300) // 5
    linkage = swap(table, {"pay": labels}, rng, ["pay"])
    helped = regression_hits(linkage, "pay")["pay"]
    assert helped.records > 0.3
    without = Linkage(
        table[["name", "pay"]], linkage.published[["name", "pay"]], {"pay": labels}
    )
    assert regression_hits(without, "pay") == {}
    assert regression_hits(Linkage(table, table, {"city": labels}), "city") == {}


# Dependences.


def test_the_accounting_identity_of_census_is_found(census):
    found = functional_dependences(census, SENSITIVE, list(census.columns))
    assert found == {
        "POTHVAL": ("PTOTVAL", "PEARNVAL"),
        "PEARNVAL": ("PTOTVAL", "POTHVAL"),
    }
    labels = {name: np.arange(1080) // 5 for name in SENSITIVE}
    assert dependences(Linkage(census, census, labels)) == found
    # Who knows quasi-identifiers only cannot compute it.
    known = tuple(census.columns[:6])
    assert dependences(Linkage(census, census, {known: np.arange(1080) // 5})) == {}


@given(
    st.integers(0, 10**6), st.integers(1, 4), st.floats(1e-6, 1e6), st.floats(-1e6, 1e6)
)
def test_a_sum_of_columns_is_found_whatever_its_scale(seed, n_parts, scale, shift):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde"))
    parts = list("abcde"[:n_parts])
    weights = rng.choice([-2.0, -1.0, 0.5, 3.0], n_parts)
    table["y"] = (table[parts] @ weights) * scale + shift * scale
    found = functional_dependences(table, ["y"], list("abcde"))
    assert found == {"y": tuple(parts)}
    table.loc[7, "y"] += 1e-3 * scale
    assert functional_dependences(table, ["y"], list("abcde")) == {}


def test_what_shows_no_dependence():
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 1, 2], "c": [1.0, 5, 2]})
    table["flat"], table["text"], table["flag"] = 1, list("xyz"), [True, False, True]
    names = list(table.columns)
    assert functional_dependences(table, names, names) == {}
    assert functional_dependences(pd.concat([table] * 2), names, ["flat", "text"]) == {}


def test_rows_with_missing_numbers_do_not_hide_a_dependence():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.integers(0, 99, (40, 3)).astype(float), columns=list("abc")
    )
    table["y"] = table["a"] - table["b"]
    table.loc[3, "a"] = np.nan
    assert functional_dependences(table, ["y"], list("abc")) == {"y": ("a", "b")}

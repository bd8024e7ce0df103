"""Intruders who know the groups: hits, values, regressions, dependences."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.ranking import rank_groups
from anon_transformers._kernels.swapping import gather, permute_members
from anon_transformers.evidence import Linkage
from anon_transformers.privacy.probabilistic._dependence import (
    copies,
    dependences,
    functional_dependences,
)
from anon_transformers.privacy.probabilistic._disclosure import (
    known_columns,
    value_disclosure,
    wanted_columns,
)
from anon_transformers.privacy.probabilistic._moves import record_hits
from anon_transformers.privacy.probabilistic._regression import (
    nearest_in_group,
    regression_hits,
)

DATA = Path(__file__).parents[2] / "data"
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
        sources[key] = permute_members(gather(labels[key]), rng)
        names = list(key) if isinstance(key, tuple) else [key]
        published[names] = census[names].to_numpy()[sources[key]]
    return Linkage(census, published, labels, sources)


# Values.


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
    assert record_hits(linkage, known).hits == record_hits(other, wanted).hits


def test_columns_that_are_no_numbers_help():
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
    assert regression_hits(without, "pay") == {}  # names are too many to learn from


def nominal(n=400, noise=0.0, seed=0):
    """An illness that follows from a city, but for noise."""
    rng = np.random.default_rng(seed)
    city, ill = rng.integers(0, 4, n), rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < noise, ill, city)
    table = pd.DataFrame({"city": city.astype(str), "ill": np.array([*"abcd"])[ill]})
    labels = {"ill": rng.permutation(np.arange(n) // 5)}
    return swap(table, labels, rng, ["ill"])


@pytest.mark.parametrize("noise", [0.0, 0.5, 1.0])
def test_texts_are_guessed_by_the_regression_of_scikit_learn(noise):
    linkage = nominal(noise=noise)
    labels, ill = linkage.labels("ill"), linkage.original["ill"].to_numpy()
    cities = pd.get_dummies(linkage.original["city"]).to_numpy(float)[:, 1:]
    marks = pd.get_dummies(linkage.published["ill"])
    scores = LinearRegression().fit(cities, marks).predict(cities)
    records, values = np.zeros(len(ill)), np.zeros(len(ill))
    for row, label in enumerate(labels):
        inside = ill[labels == label]
        score = scores[row, marks.columns.get_indexer(inside)]
        best = inside[score > score.max() - 1e-9]
        values[row] = (best == ill[row]).mean()
        records[row] = (ill[row] in best) / len(best)
    found = regression_hits(linkage, "ill")["ill"]
    assert found.values == pytest.approx(values.mean(), abs=1e-9)
    assert found.records == pytest.approx(records.mean(), abs=1e-9)
    assert found.excess == pytest.approx(found.records - 0.2)
    assert (found.values > 0.9) == (noise == 0)


def test_missing_cells_hide_no_others():
    """One gap, or many: the rest is found as it was."""
    rng = np.random.default_rng(0)
    age = np.arange(400.0)
    table = pd.DataFrame({"age": age, "pay": 100 * age + rng.normal(size=400)})
    labels = {"pay": np.arange(400) // 5}
    whole = regression_hits(swap(table, labels, rng, ["pay"]), "pay")["pay"]
    assert whole.excess > 0.4
    for gaps in (1, 200):
        holes = table.copy()
        holes.loc[rng.permutation(400)[:gaps], "pay"] = np.nan
        found = regression_hits(swap(holes, labels, rng, ["pay"]), "pay")["pay"]
        groups = holes["pay"].notna().groupby(labels["pay"]).sum()
        guess = (groups > 0).sum() / groups.sum()
        assert found.excess == pytest.approx(found.records - guess)
        assert found.records > 0.6
    holes["pay"] = np.nan
    assert regression_hits(swap(holes, labels, rng, ["pay"]), "pay") == {}


# What is wanted.


def test_what_is_wanted_is_what_is_sensitive():
    table = pd.DataFrame({"q": range(6), "r": range(6), "s": 1, "t": range(6)})
    labels = np.arange(6) // 2
    alone = Linkage(table, table, {"q": labels}, wanted=["s"])
    assert wanted_columns(alone, "q") == ["s"]
    assert known_columns(alone, "q", "s")[0] == ["q"]
    assert value_disclosure(alone, "q")["s"].probability == 1
    assert wanted_columns(Linkage(table, table, {"q": labels}), "q") == ["q"]
    both = Linkage(table, table, {"q": labels, "s": labels}, wanted=["s", "t"])
    assert wanted_columns(both, "s") == ["s"]
    assert wanted_columns(both, "q") == ["t"]
    assert wanted_columns(Linkage(table, table, {"q": labels}, wanted=[]), "q") == []


def test_what_moved_with_the_wanted_column_stands_beside_it():
    table = pd.DataFrame({"q": range(6), "s": range(6), "t": range(6)})
    rows = np.array([1, 0, 3, 2, 5, 4])
    published = table.assign(q=rows, s=rows)
    joint = Linkage(table, published, {("q", "s"): rows // 2}, wanted=["s"])
    known, beside = known_columns(joint, ("q", "s"), "s")
    assert known == ["q", "t"]
    assert beside["q"].tolist() == rows.tolist()
    assert beside["t"].tolist() == list(range(6))
    assert regression_hits(joint, ("q", "s"))["s"].records == 1


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


@pytest.mark.parametrize("gaps", ["a column", "few everywhere", "the target"])
def test_gaps_do_not_silence_the_warning(gaps):
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(60)]
    table = pd.DataFrame(rng.normal(size=(300, 60)), columns=names)
    table["y"] = table["c7"] - 2 * table["c31"]
    if gaps == "a column":
        table["c3"] = np.nan
    elif gaps == "few everywhere":
        table = table.mask(rng.random(table.shape) < 0.05)
        assert table.notna().all(axis=1).sum() < 62
    else:
        table.loc[:250, "y"] = np.nan
    known = names if gaps != "the target" else names[:40]
    assert functional_dependences(table, ["y"], known) == {"y": ("c7", "c31")}
    table["y"] = rng.normal(size=300)
    assert functional_dependences(table, ["y"], known) == {}
    table["y"] = np.nan
    assert functional_dependences(table, ["y"], known) == {}


def test_a_copy_in_other_words_is_found():
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 5, 100)
    table = pd.DataFrame({"code": ill * ill, "n": range(100), "m": ill // 2})
    table["ill"] = np.array([*"abcd", None], dtype=object)[ill]
    names = ["code", "n", "m", "ill"]
    assert copies(table, ["ill"], names) == {"ill": ("code",)}
    # Finer columns are none, nor are those in which nothing repeats.
    assert copies(table, ["m", "n"], names) == {}
    linkage = Linkage(table, table, {"ill": np.arange(100) // 2})
    assert dependences(linkage) == {"ill": ("code",)}
    table.loc[0, "code"] = table["code"][table["code"] != table["code"][0]].iloc[0]
    assert copies(table, ["ill"], names) == {}

"""Whether cells moved, and by chance: structure, hits, patterns, pairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Linkage
from anon_transformers.privacy.probabilistic._moves import (
    PLACES,
    by_chance,
    joint_cells,
    moved_alike,
    origins,
    paired_codes,
    record_hits,
    shared_hits,
    structure,
    value_hits,
)


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
    found, both = structure(linkage, ("a", "b")), ("a", "b")
    assert found.kept.all()
    assert found.shuffled.all()
    labels = linkage.labels(both)
    cells = list(zip(linkage.published["a"], linkage.published["b"], strict=True))
    own = list(zip(linkage.original["a"], linkage.original["b"], strict=True))
    hits = values = 0
    expected = alike = 0.0
    for row, label in enumerate(labels):
        inside = [cells[i] for i in np.flatnonzero(labels == label)]
        if len(set(inside)) == 1:
            assert found.alike[label]
            continue
        values += cells[row] == own[row]
        alike += inside.count(own[row]) / len(inside)
        if linkage.sources is None and inside.count(cells[row]) > 1:
            assert origins(linkage, both).rows[row] == -1
            continue
        assert origins(linkage, both).rows[row] == sources[row]
        hits += sources[row] == row
        expected += 1 / len(inside)
    assert record_hits(linkage, both).hits == hits
    assert record_hits(linkage, both).expected == pytest.approx(expected)
    assert value_hits(linkage, both).hits == values
    assert value_hits(linkage, both).expected == pytest.approx(alike)


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
    """Groups keep their cells, and rows have those of their sources: of another one."""
    table = pd.DataFrame({"y": [1, 2, 1, 2, 5, 6]})
    crossed, labels = np.array([2, 1, 0, 3, 5, 4]), [0, 0, 1, 1, 2, 2]
    published = table.assign(y=table["y"].to_numpy()[crossed])
    linkage = Linkage(table, published, {"y": labels}, {"y": crossed})
    assert structure(linkage, "y").kept.tolist() == [False, False, True]
    assert structure(Linkage(table, published, {"y": labels}), "y").kept.all()


def test_a_group_that_is_published_the_same_is_kept():
    table = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 3, 4]})
    published = table.assign(x=["[1, 2]"] * 2 + ["3", "4"])
    found = structure(Linkage(table, published, {"x": [0, 0, 1, 1]}), "x")
    assert found.alike.tolist() == [True, False]
    assert found.kept.all()
    assert found.replaced


# What is no chance.


def permuted(labels, rng):
    """A uniform permutation inside groups, written down anew."""
    sources = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        sources[inside] = rng.permutation(inside)
    return sources


def in_groups(labels, order, key=None):
    """Sources of one and the same permutation of the places in all groups."""
    sources = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        if key is not None:
            inside = inside[np.argsort(key[inside])]
        sources[inside] = inside[order(len(inside))]
    return sources


def linked(values, labels, sources, known):
    table = pd.DataFrame({"y": values})
    published = table.assign(y=np.asarray(values)[sources])
    return Linkage(table, published, {"y": labels}, {"y": sources} if known else None)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("size", [2, 3, 5, 12, 30])
def test_the_same_permutation_in_every_group_is_no_chance(size, known):
    rng = np.random.default_rng(size)
    labels = rng.permutation(np.repeat(np.arange(60), size))
    values = rng.normal(size=len(labels))
    orders = {
        "reversed": lambda n: np.arange(n)[::-1],
        "shifted": lambda n: np.roll(np.arange(n), 1),
        "as it is": np.arange,
    }
    for order in orders.values():
        for key in (None, values):
            sources = in_groups(labels, order, key)
            assert not by_chance(linked(values, labels, sources, known), "y")
    assert by_chance(linked(values, labels, permuted(labels, rng), known), "y")


def test_permutations_of_groups_of_many_sizes_are_seen_together():
    """No size is frequent: only all of them tell."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(60), np.arange(60) + 2)
    values = rng.normal(size=len(labels))
    assert len(set(np.bincount(labels))) == 60 > PLACES
    backwards = in_groups(labels, lambda n: np.arange(n)[::-1], values)
    assert not by_chance(linked(values, labels, backwards, True), "y")
    assert by_chance(linked(values, labels, permuted(labels, rng), True), "y")


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_cells_that_changed_places_with_equal_ones_did_not_move(known, share):
    """Groups of three pairs: one row a group keeps its cell, and all keep the value."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(200), 6)
    values = np.tile([1, 1, 2, 2, 3, 3], 200) + 10 * labels
    exchanged = np.repeat(rng.random(600) < 5 / 6, 2)
    among_equals = np.arange(1200) ^ exchanged
    honest = permuted(labels, rng)
    sources = np.where(labels < 200 * share, among_equals, honest)
    linkage = linked(values, labels, sources, known)
    assert value_hits(linkage, "y").hits > 1.2 * value_hits(linkage, "y").expected
    assert not record_hits(linkage, "y").too_many
    assert not by_chance(linkage, "y")
    assert by_chance(linked(values, labels, honest, known), "y")


def test_a_shift_in_nearly_all_groups_is_no_chance():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(200), 5)
    # The order to shift in is drawn anew in every group: no other test sees it.
    sources = in_groups(labels, lambda n: np.roll(np.arange(n), 1), rng.random(1000))
    sources[:5] = np.arange(5)
    linkage = linked(rng.normal(size=1000), labels, sources, True)
    assert record_hits(linkage, "y").hits == 5
    assert record_hits(linkage, "y").too_few
    assert not by_chance(linkage, "y")


def test_rows_that_never_keep_their_cell_are_no_chance_whatever_its_value():
    """Whoever would keep the own cell gets the equal one of the twin instead."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(100), 6)
    values = np.tile([1, 1, 2, 2, 3, 3], 100) + 10 * labels
    place = np.argsort(permuted(labels, rng))  # where the cell of each row goes
    kept = (place == np.arange(600)).reshape(-1, 2).any(axis=1)
    twins = place.reshape(-1, 2)
    twins[kept] = twins[kept][:, ::-1]
    still = place == np.arange(600)
    assert not still.any()
    linkage = linked(values, labels, np.argsort(place), True)
    assert not value_hits(linkage, "y").too_few
    assert not by_chance(linkage, "y")


def test_honest_swaps_raise_no_alarm():
    """Small groups, values that repeat, with sources and without."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        sizes = rng.integers(2, int(rng.choice([3, 4, 8])), 60)
        labels = rng.permutation(np.repeat(np.arange(60), sizes))
        n_values = int(rng.choice([2, 3, 10, 10**6]))
        table = pd.DataFrame(
            rng.integers(0, n_values, (len(labels), 2)), columns=[*"yz"]
        )
        sources = {name: permuted(labels, rng) for name in "yz"}
        published = pd.DataFrame({n: table[n].to_numpy()[sources[n]] for n in "yz"})
        groups = dict.fromkeys("yz", labels)
        for known in (sources, None):
            linkage = Linkage(table, published, groups, known)
            assert by_chance(linkage, "y")
            assert moved_alike(linkage) == []


# Columns that moved alike.


def two_columns(alike, known, ties=False, other_groups=False):
    rng = np.random.default_rng(3)
    labels = rng.permutation(np.repeat(np.arange(80), 4))
    other = rng.permutation(labels) if other_groups else labels
    values = rng.integers(0, 100, (320, 2)) if ties else rng.normal(size=(320, 2))
    table = pd.DataFrame(values, columns=["y", "z"])
    one = permuted(labels, rng)
    sources = {"y": one, "z": one if alike else permuted(other, rng)}
    published = pd.DataFrame({n: table[n].to_numpy()[sources[n]] for n in "yz"})
    groups = {"y": labels, "z": other}
    return Linkage(table, published, groups, sources if known else None)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_columns_that_moved_alike_are_found(known, ties):
    linkage = two_columns(True, known, ties)
    assert moved_alike(linkage) == [(("y",), ("z",))]
    assert by_chance(linkage, "y")
    assert moved_alike(two_columns(False, known, ties)) == []
    assert moved_alike(two_columns(False, known, ties, other_groups=True)) == []


@pytest.mark.parametrize("known", [True, False])
def test_shared_hits_are_expected_as_often_as_they_happen(known):
    """Without sources, of cells that nobody else in the group has."""
    rng, hits, expected = np.random.default_rng(0), [], []
    one, other = np.repeat(np.arange(6), 4), np.arange(24) % 5
    table = pd.DataFrame(rng.integers(0, 6, (24, 2)), columns=["y", "z"])
    for _ in range(800):
        sources = {"y": permuted(one, rng), "z": permuted(other, rng)}
        published = pd.DataFrame({n: table[n].to_numpy()[sources[n]] for n in "yz"})
        groups = {"y": one, "z": other}
        linkage = Linkage(table, published, groups, sources if known else None)
        found = shared_hits(linkage, "y", "z")
        same = (sources["y"] == sources["z"]).sum()
        assert found.hits == same if known else found.hits <= same
        hits.append(found.hits)
        expected.append(found.expected)
    error = 5 * np.std(np.subtract(hits, expected)) / 800**0.5
    assert np.mean(hits) == pytest.approx(np.mean(expected), abs=error)


# Cells.


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([2**53, 2**53 + 1], [2.0**53, 2.0**53], [True, False]),
        ([1, 2, None], [1.0, 2.5, None], [True, False, True]),
        (["1", "1.0"], [1, 1], [True, False]),
        (["a", None, ""], pd.Categorical(["a", None, None]), [True, True, True]),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]),
         pd.to_datetime(["2020-01-01T00", "2020-01-01T12"]), [True, False]),
        ([2**63, 1], [float(2**63), -1.0], [True, False]),
        ([True, False], ["True", "no"], [True, False]),
    ],
)  # fmt: skip
def test_cells_agree_as_they_are_published(one, other, same):
    before, after, cardinality = paired_codes(pd.Series(one), pd.Series(other))
    assert (before == after).tolist() == same
    assert max(before.max(), after.max()) < cardinality
    back, forth, _ = paired_codes(pd.Series(other), pd.Series(one))
    assert (back == forth).tolist() == same


def test_rounded_whole_numbers_are_not_kept():
    whole = np.arange(8) + 2**53
    linkage = Linkage(
        pd.DataFrame({"y": whole}), pd.DataFrame({"y": whole.astype(float)}),
        {"y": np.arange(8) // 4},
    )  # fmt: skip
    assert not structure(linkage, "y").shuffled.any()
    before, after = joint_cells(linkage, "y")
    assert (before == after).sum() == 4

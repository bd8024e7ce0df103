"""Losses of a published table against its original: recomputed cell by cell."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import (
    attribute_entropies,
    attribute_losses,
    domain_share_loss,
    generalization_height,
    generalization_levels,
    generalization_precision,
    information_loss,
    non_uniform_entropy,
)
from anon_transformers.partitioning import MondrianAnonymizer

LANDS = [("FR", "Europe"), ("IT", "Europe"), ("DE", "Europe"), ("JP", "Asia"),
         ("CN", "Asia")]  # fmt: skip
TREE = {land: [land, group, "*"] for land, group in LANDS}
AGES = {
    str(a): [str(a), f"[{a // 2 * 2}, {a // 2 * 2 + 1}]",
             f"[{a // 4 * 4}, {a // 4 * 4 + 3}]", "*"]
    for a in range(8)
}  # fmt: skip
TREES = {"land": TREE, "age": AGES}
HIERARCHIES = {name: Hierarchy(tree.values()) for name, tree in TREES.items()}

rows = st.lists(
    st.tuples(st.sampled_from(sorted(TREE)), st.sampled_from(sorted(AGES))),
    min_size=1,
    max_size=30,
)
nodes = st.tuples(st.integers(0, 2), st.integers(0, 3))


def recode(frame, node, hidden=()):
    """Full-domain recoding by dictionary; hidden rows get the mark everywhere."""
    out = {
        name: [TREES[name][value][level] for value in frame[name]]
        for name, level in zip(TREES, node, strict=True)
    }
    out = pd.DataFrame(out)
    out.loc[list(hidden)] = "*"
    return out


def slow_losses(original, published, dropped=0):
    """The formula as it stands, one cell after the other."""
    n, losses = len(original), {}
    for name, tree in TREES.items():
        d, total = len(tree), 0.0
        for label in published[name]:
            level = next(
                at
                for at in range(len(next(iter(tree.values()))))
                if label in {path[at] for path in tree.values()}
            )
            total += sum(path[level] == label for path in tree.values()) / d
        total += dropped
        losses[name] = max(0.0, (total - n / d) / (n - n / d))
    return losses


def slow_entropies(original, published):
    shares = {}
    for name, tree in TREES.items():
        rows_of = Counter(original[name])
        hidden = most = 0.0
        for value, label in zip(original[name], published[name], strict=True):
            level = tree[value].index(label)
            behind = sum(n for v, n in rows_of.items() if tree[v][level] == label)
            hidden += math.log2(behind / rows_of[value])
            most += math.log2(len(original) / rows_of[value])
        shares[name] = hidden / most if most else 0.0
    return shares


def frame_of(cells):
    return pd.DataFrame(cells, columns=["land", "age"])


@given(rows, nodes, st.data())
def test_losses_are_those_of_the_formula(cells, node, data):
    original = frame_of(cells)
    hidden = data.draw(st.sets(st.integers(0, len(cells) - 1)))
    published = recode(original, node, hidden)
    found = attribute_losses(original, published, HIERARCHIES)
    assert found == pytest.approx(slow_losses(original, published), abs=1e-12)
    assert information_loss(original, published, HIERARCHIES) == pytest.approx(
        domain_share_loss(found.values())
    )


@given(rows, nodes, st.data())
def test_rows_left_out_cost_what_marked_rows_cost(cells, node, data):
    original = frame_of(cells)
    hidden = data.draw(st.sets(st.integers(0, len(cells) - 1)))
    marked = recode(original, node, hidden)
    dropped = recode(original, node).drop(list(hidden)).sample(frac=1, random_state=0)
    assert attribute_losses(original, dropped, HIERARCHIES) == pytest.approx(
        attribute_losses(original, marked, HIERARCHIES)
    )
    assert generalization_precision(original, dropped, HIERARCHIES) == pytest.approx(
        generalization_precision(original, marked, HIERARCHIES)
    )


@given(rows, nodes, st.data())
def test_entropies_are_those_of_the_definition(cells, node, data):
    original = frame_of(cells)
    hidden = data.draw(st.sets(st.integers(0, len(cells) - 1)))
    published = recode(original, node, hidden)
    found = attribute_entropies(original, published, HIERARCHIES)
    slow = slow_entropies(original, published)
    assert found == pytest.approx(slow, abs=1e-12)
    assert non_uniform_entropy(original, published, HIERARCHIES) == pytest.approx(
        np.mean(list(slow.values()))
    )


@given(rows, nodes)
def test_the_node_is_told_from_what_is_published(cells, node):
    original = frame_of(cells)
    published = recode(original, node)
    if node == (2, 3):  # nothing but marks: readers see suppressed rows
        with pytest.raises(NotEvaluable, match="no row was kept"):
            generalization_levels(published, HIERARCHIES)
        return
    found = generalization_levels(published, HIERARCHIES)
    assert tuple(found.values()) == node
    assert generalization_height(published, HIERARCHIES) == sum(node)
    precision = generalization_precision(original, published, HIERARCHIES)
    assert precision == pytest.approx(1 - (node[0] / 2 + node[1] / 3) / 2)


@given(rows, st.data())
def test_local_recoding_is_measured_cell_by_cell(cells, data):
    original = frame_of(cells)
    steps = data.draw(st.lists(nodes, min_size=len(cells), max_size=len(cells)))
    published = pd.DataFrame(
        [
            (TREE[land][at], AGES[age][to])
            for (land, age), (at, to) in zip(cells, steps, strict=True)
        ],
        columns=["land", "age"],
    )
    assert attribute_losses(original, published, HIERARCHIES) == pytest.approx(
        slow_losses(original, published), abs=1e-12
    )
    precision = generalization_precision(original, published, HIERARCHIES)
    lost = np.mean([at / 2 + to / 3 for at, to in steps]) / 2
    assert precision == pytest.approx(1 - lost)
    assert attribute_entropies(original, published, HIERARCHIES) == pytest.approx(
        slow_entropies(original, published), abs=1e-12
    )


def test_the_domain_is_the_hierarchy_not_the_data():
    original = pd.DataFrame({"land": ["JP", "CN"]})
    published = pd.DataFrame({"land": ["Asia", "Asia"]})
    trees = {"land": HIERARCHIES["land"]}
    # (2 * 2/5 - 2/5) / (2 - 2/5): all values that occur are covered, not the domain.
    assert attribute_losses(original, published, trees)["land"] == pytest.approx(0.25)


def test_a_domain_of_one_value_has_nothing_to_lose():
    tree = Hierarchy([["only", "*"]])
    original = pd.DataFrame({"x": ["only", "only"]})
    published = pd.DataFrame({"x": ["*", "only"]})
    assert attribute_losses(original, published, {"x": tree}) == {"x": 0.0}
    assert attribute_entropies(original, published, {"x": tree}) == {"x": 0.0}


def test_weights_say_what_counts():
    original = frame_of([("FR", "0"), ("JP", "5")])
    published = recode(original, (2, 0))
    both = information_loss(original, published, HIERARCHIES)
    assert both == pytest.approx(2**0.5 - 1)
    only = information_loss(original, published, HIERARCHIES, weights={"age": 0})
    assert only == pytest.approx(1.0)


class TestWithoutHierarchies:
    """Ranges and sets are read; the domain is what occurs."""

    def test_ranges_and_sets(self):
        original = pd.DataFrame({"age": [1, 2, 3, 9], "job": list("abcd")})
        published = pd.DataFrame(
            {"age": ["[1, 3]", "[1, 3]", "[1, 3]", "9"],
             "job": ["{a, b}", "{a, b}", "c or missing", "*"]}
        )  # fmt: skip
        found = attribute_losses(original, published, None, ["age", "job"])
        # Three of four rows are 2 of the 8 years wide that there are from 1 to 9.
        assert found["age"] == pytest.approx(3 * 2 / 8 / 4)
        assert found["job"] == pytest.approx((2 * 2 / 4 + 1 / 4 + 1 - 1) / 3)

    @pytest.mark.parametrize("strange", [1.5, "[4, 8]"])
    def test_what_stands_for_no_value_is_not_taken_for_an_exact_one(self, strange):
        original = pd.DataFrame({"age": [1, 2, 3, 9]})
        published = pd.DataFrame({"age": [strange, strange, 3, 9]})
        with pytest.raises(DataError, match=r"'age' holds .* in 2 rows") as caught:
            attribute_losses(original, published, None, ["age"])
        assert str(strange) not in str(caught.value)
        published["age"] = [3, None, 3, 9]
        assert attribute_losses(original, published, None, ["age"]) == {"age": 0}

    @pytest.mark.parametrize("as_text", [False, True])
    def test_the_loss_is_that_of_the_report(self, as_text):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {
                "age": rng.integers(18, 90, 200),
                "pay": rng.lognormal(3, 1, 200).round(2),
                "born": pd.Timestamp("1950-01-01")
                + pd.to_timedelta(rng.integers(0, 20_000, 200), unit="D"),
                "job": rng.choice(list("abcdef"), 200),
            }
        )
        table.loc[:9, "pay"] = np.nan
        method = MondrianAnonymizer(k=5, random_state=0)
        published = method.fit_transform(table)
        if as_text:
            table = table.astype(str).mask(table.isna())
        found = attribute_losses(table, published, None, list(table))
        assert found == pytest.approx(method.report_.column_losses)

    def test_ranges_of_texts_and_dates(self):
        days = pd.to_datetime(["2020-01-01", "2020-06-01", "2021-01-01", "2021-02-01"])
        original = pd.DataFrame({"day": days, "zip": ["01", "02", "03", "10"]})
        published = pd.DataFrame(
            {"day": ["[2020-01-01, 2020-06-01]"] * 2 + [">= 2020-09-15"] * 2,
             "zip": ["[01, 03]"] * 3 + ["10"]}
        )  # fmt: skip
        found = attribute_losses(original, published, None, ["day", "zip"])
        # 152 and 31 of the 397 days from the first to the last.
        assert found["day"] == pytest.approx((152 + 31) / 397 / 2)
        # A text with a zero in front is no number, and has no width.
        assert found["zip"] == pytest.approx((3 * 3 / 4 + 1 / 4 - 1) / 3)

    @pytest.mark.parametrize("boxes", ["tight", "cuts"])
    def test_what_mondrian_publishes_can_be_measured(self, boxes):
        rng = np.random.default_rng(0)
        original = pd.DataFrame(
            {
                "age": rng.integers(0, 90, 300),
                "pay": rng.random(300).round(2),
                "job": rng.choice(list("abcdefgh"), 300),
                "born": pd.Timestamp("1980-01-01")
                + pd.to_timedelta(rng.integers(0, 9000, 300), unit="D"),
            }
        )
        original.loc[:9, "age"] = np.nan
        published = MondrianAnonymizer(k=5, boxes=boxes).fit_transform(original)
        names = list(original.columns)
        found = attribute_losses(original, published, None, names)
        assert all(0 < loss < 1 for loss in found.values())
        # Every label covers the value it was made from.
        hidden = attribute_entropies(original, published, None, names)
        assert all(0 < share < 1 for share in hidden.values())


def test_the_loss_of_a_run_is_the_one_it_reports(lands, ages):
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {"land": rng.choice(sorted(TREE), 60), "age": rng.integers(0, 8, 60)}
    )
    trees = {"land": lands, "age": ages}
    run = DataflyAnonymizer(k=6, hierarchies=trees, suppression_limit=0.2)
    published = run.fit_transform(original)
    assert attribute_losses(original, published, trees) == pytest.approx(
        dict(run.report_.column_losses)
    )
    assert information_loss(original, published, trees) == pytest.approx(
        run.report_.loss
    )


@pytest.mark.parametrize(
    ("published", "message"),
    [
        (frame_of([("FR", "0")] * 3), "published table has 3 rows, the original 2"),
        (frame_of([("Mars", "0"), ("FR", "0")]), r"column 'land' .* in 1 rows"),
        (pd.DataFrame({"land": ["FR"]}), "unknown column 'age'"),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(published, message):
    original = frame_of([("FR", "0"), ("IT", "1")])
    with pytest.raises(DataError, match=message) as caught:
        attribute_losses(original, published, HIERARCHIES)
    assert "Mars" not in str(caught.value)


def test_entropy_needs_the_rows_in_their_order():
    original = frame_of([("FR", "0"), ("IT", "1")])
    with pytest.raises(DataError, match=r"'land' holds labels in 2 rows that do not"):
        attribute_entropies(
            original, original[::-1].reset_index(drop=True), HIERARCHIES
        )
    with pytest.raises(DataError, match="row by row"):
        attribute_entropies(original, original[:1], HIERARCHIES)


def test_levels_need_a_full_domain_recoding():
    published = frame_of([("FR", "0"), ("Europe", "1")])
    with pytest.raises(NotEvaluable, match="column 'land' holds values that no single"):
        generalization_levels(published, HIERARCHIES)
    with pytest.raises(NotEvaluable, match="no row was kept"):
        generalization_levels(frame_of([("*", "*")]), HIERARCHIES)


@pytest.mark.parametrize("weights", [{"lnd": 1}, {"land": -1}, {"land": 0, "age": 0}])
def test_weights_are_checked(weights):
    table = frame_of([("FR", "0")])
    with pytest.raises(ParameterError, match="weights"):
        information_loss(table, table, HIERARCHIES, weights=weights)


def test_something_must_be_measured():
    table = frame_of([("FR", "0")])
    with pytest.raises(ParameterError, match="quasi_identifiers is empty"):
        attribute_losses(table, table)

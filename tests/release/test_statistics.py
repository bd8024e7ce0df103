"""Statistics of a protected table beside its source, by numbers worked out by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release import _statistics
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._statistics import (
    HIDDEN,
    cramer,
    spread,
    table_statistics,
)

TREE = Hierarchy.from_groups({"ab": ["a", "b"], "cd": ["c", "d"]})


def roles(**given):
    return DeclaredRoles(**{"quasi_identifiers": ("x",), "sensitive": ("s",), **given})


def statistics(source, published, hierarchies=None, **given):
    return table_statistics(source, published, roles(**given), hierarchies or {}, "*")


def shares(found, name):
    one = found["distributions"][name]
    return dict(zip(one["values"], zip(one["before"], one["after"], strict=True),
                    strict=True))  # fmt: skip


def test_a_label_is_spread_over_what_it_covers():
    source = pd.DataFrame({"x": list("aabc"), "s": list("uvuv")})
    published = source.assign(x=["ab", "ab", "ab", "*"])
    found = statistics(source, published, {"x": TREE})
    assert shares(found, "x") == {
        "a": (0.5, 0.375), "b": (0.25, 0.375), "c": (0.25, 0.0), HIDDEN: (0.0, 0.25),
    }  # fmt: skip
    assert found["changes"] == {"x": 0.375, "s": 0.0}


def test_ranges_of_numbers_are_spread_over_bins():
    before = pd.Series([str(n) for n in range(20, 40)])
    after = pd.Series(["[20, 29]"] * 10 + ["[30, 39]"] * 9 + ["*"])
    made = spread(before, after, None, "*")
    found = made.shares(np.ones(20))
    assert found["values"][0] == "20 to 21"
    assert found["before"][:10] == pytest.approx([0.1] * 10)
    assert found["after"][:5] == pytest.approx([0.1] * 5)
    assert found["after"][5:10] == pytest.approx([0.09] * 5)
    assert found["after"][10] == pytest.approx(0.05)


def test_classes_and_risk_are_those_of_both_tables():
    source = pd.DataFrame({"x": list("aabc"), "s": list("uvuv")})
    published = source.assign(x=["ab", "ab", "ab", "*"])
    found = statistics(source, published, {"x": TREE})
    risk = found["risk"]
    assert (risk["before"]["highest-risk"], risk["before"]["average-risk"]) == (1, 0.75)
    assert risk["after"]["highest-risk"] == pytest.approx(1 / 3)
    assert risk["after"]["marketer-risk"] == risk["after"]["average-risk"]
    assert found["class_sizes"]["after"] == [
        {"from": 2, "to": 4, "classes": 1, "rows": 3}
    ]
    json.dumps(found, allow_nan=False)


def test_a_person_counts_once():
    source = pd.DataFrame(
        {"who": list("ppppq"), "x": list("aaaab"), "s": list("uuuuv")}
    )
    published = source.drop(columns="who")
    found = statistics(source, published, subject="who")
    assert found["unit"] == "persons"
    assert shares(found, "s") == {"u": (0.5, 0.5), "v": (0.5, 0.5)}
    assert found["risk"]["before"]["highest-risk"] == 1.0


def test_rows_that_were_dropped_are_not_compared_with_others():
    source = pd.DataFrame({"x": list("aabc"), "s": list("uvuv")})
    published = source.iloc[[0, 1, 3]]
    found = statistics(source, published)
    assert found["rows"] == {"source": 4, "published": 3}
    assert found["changes"] == {"x": 0.0, "s": 0.0}


def test_a_large_table_is_sampled_and_says_so(monkeypatch):
    monkeypatch.setattr(_statistics, "MOST_ROWS", 50)
    source = pd.DataFrame({"x": list("ab") * 100, "s": list("uv") * 100})
    found = statistics(source, source)
    assert found["sampled"] == 50
    # Classes are of all rows.
    assert sum(step["rows"] for step in found["class_sizes"]["after"]) == 200


def test_columns_that_tell_each_other_go_together():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 3, 5000), rng.integers(0, 3, 5000)
    weights = np.ones(5000)
    assert cramer((one, 3), (one, 3), weights) == pytest.approx(1.0, abs=0.01)
    assert cramer((one, 3), (other, 3), weights) < 0.03
    assert cramer((one, 3), (np.zeros(5000, dtype=int), 1), weights) == 0


def test_queries_answer_before_and_after():
    source = pd.DataFrame({"x": [21, 39], "s": list("uv")})
    found = statistics(source, source.assign(x=["20-39", "20-39"]))
    asked = {query: rest for query, *rest in found["queries"]["x"]}
    assert asked["mean middle"] == [30.0, 29.5, -0.5]

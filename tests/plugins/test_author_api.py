"""What the library does for a plugin's author: base classes, and parts of families."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anon_transformers import Hierarchy
from anon_transformers.base import (
    GraphAnonymizer,
    LinkedAnonymizer,
    LinkedTable,
    PublishedColumn,
    TableAnonymizer,
    range_label,
    refuse_too_few,
)
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.generalization import publish_level
from anon_transformers.microaggregation import (
    NumericSpace,
    RowGroups,
    embed,
    merge_until_kept,
    publish_centers,
)
from anon_transformers.privacy import DistinctLDiversity


class FirstThatWill(TableAnonymizer):
    """Tries the values as they are, then one label for all."""

    def _learn(self, table, models):
        (column,) = table.quasi_identifiers
        as_it_is = np.arange(column.cardinality)
        self.tried_ = []
        for codes in (as_it_is, np.zeros_like(as_it_is)):
            self._codes = codes
            self.tried_.append(self._can_publish(table, self._recode(table), models))
            if self.tried_[-1]:
                return

    def _recode(self, table):
        (column,) = table.quasi_identifiers
        labels = np.array(
            [f"group {code}" for code in range(column.cardinality)], object
        )
        return [
            PublishedColumn(self._codes[column.codes], labels, np.zeros(len(labels)))
        ]


@pytest.mark.parametrize(
    ("values", "limit", "tried"),
    [
        (list("aabb"), 0.0, [True]),
        (list("aabc"), 0.0, [False, True]),
        (list("aabc"), 0.5, [True]),  # b and c are one suppressed class of two
        (list("aaabbbc"), 0.2, [False, True]),  # c alone is too small a class
    ],
)
def test_a_search_learns_what_would_be_published(values, limit, tried):
    anonymizer = FirstThatWill(k=2, suppression_limit=limit)
    output = anonymizer.fit_transform(pd.DataFrame({"x": values}))
    assert anonymizer.tried_ == tried
    assert output["x"].value_counts().min() >= 2


class Pairs(TableAnonymizer):
    """Publishes the mean of each pair of rows that follow one another."""

    row_bound = True

    def _learn(self, table, models):
        (column,) = table.quasi_identifiers
        codes = np.arange(table.n_rows) // 2
        values = np.asarray(column.values, dtype=float)[column.codes]
        means = np.bincount(codes, values) / np.bincount(codes)
        return [PublishedColumn(codes, means.astype(object), np.zeros(len(means)))]


class PairsOrAll(Pairs):
    """The same, unless it publishes one mean."""

    def __init__(self, quasi_identifiers=None, *, k=2, pairs=True):
        super().__init__(quasi_identifiers, k=k)
        self.pairs = pairs

    @property
    def row_bound(self):
        return self.pairs

    def transform(self, X):
        return "transformed"


def test_a_method_that_is_row_bound_says_so_in_one_line_and_has_no_transform():
    anonymizer = Pairs(k=2)
    output = anonymizer.fit_transform(pd.DataFrame({"x": [1, 3, 10, 20]}))
    assert output["x"].tolist() == [2.0, 2.0, 15.0, 15.0]
    assert not hasattr(anonymizer, "transform")
    with pytest.raises(AttributeError, match="is bound to the rows it saw"):
        anonymizer.transform(output)


def test_parameters_may_decide_whether_a_method_is_row_bound():
    assert not hasattr(PairsOrAll(), "transform")
    assert PairsOrAll(pairs=False).transform(None) == "transformed"


@pytest.mark.parametrize("base", [GraphAnonymizer, LinkedAnonymizer])
def test_swaps_and_graph_edits_are_row_bound(base):
    assert base.row_bound is True
    assert not hasattr(base(), "transform")


def test_a_search_that_finds_nothing_is_infeasible():
    with pytest.raises(InfeasibleError, match="k=5"):
        FirstThatWill(k=5).fit_transform(pd.DataFrame({"x": list("aabb")}))


# Parts of the built-in families.


class Neighbors(TableAnonymizer):
    """Publishes centers of rows that follow one another along the first coordinate."""

    row_bound = True
    publishes = "centers"

    def _learn(self, table, models):
        refuse_too_few(table.points(), self.k)
        columns = table.quasi_identifiers
        points = NumericSpace.of(columns, standardize=True).place(columns)
        place = np.argsort(np.argsort(points[:, 0], kind="stable"))
        n_groups = len(points) // self.k
        labels = np.minimum(place // self.k, n_groups - 1)
        groups = RowGroups.of(points, labels, n_groups)
        classes = table.classes(labels, n_groups)
        self.labels_ = merge_until_kept(groups, classes, models)[labels]
        return [self._centers(column) for column in columns]

    def _centers(self, column):
        found = publish_centers(column, self.labels_, int(self.labels_.max()) + 1)
        return replace(found, codes=found.codes[self.labels_])


def test_groups_of_ones_own_are_merged_and_published_by_the_parts_of_a_family():
    table = pd.DataFrame({"age": [20, 22, 30, 34, 60, 64], "ill": list("aabbcd")})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    by_k = Neighbors(k=2, **roles).fit_transform(table)
    assert by_k["age"].tolist() == [21.0, 21.0, 32.0, 32.0, 62.0, 62.0]
    diverse = Neighbors(k=2, models=[DistinctLDiversity(l=2)], **roles)
    output = diverse.fit_transform(table)
    assert output["age"].tolist() == [26.5] * 4 + [62.0] * 2
    assert all(verdict.passed for verdict in diverse.check(output))
    with pytest.raises(InfeasibleError, match="has 6 rows"):
        Neighbors(k=7, **roles).fit(table)


def test_coded_columns_have_coordinates_and_levels():
    lands = Hierarchy.from_groups({"Europe": ["AT", "NO"], "Asia": ["JP"]})
    table = LinkedTable(pd.DataFrame({"land": ["NO", "JP", "AT"]}), {"land": lands})
    column = table.column("land")
    points = embed([column], standardize=False)
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    assert squares[0, 1] == pytest.approx(1.0)
    assert squares[0, 2] == pytest.approx(0.5)
    assert publish_level(column, 1).loss(np.zeros(3, bool)) == pytest.approx(1 / 3)


def test_labels_follow_the_grammar_that_a_release_reads():
    assert range_label("-5", "-1") == "[-5, -1]"

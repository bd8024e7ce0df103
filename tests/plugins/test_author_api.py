"""What the base class does for the search of a plugin's author."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.base import PublishedColumn, TableAnonymizer
from anon_transformers.exceptions import InfeasibleError


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


def test_a_search_that_finds_nothing_is_infeasible():
    with pytest.raises(InfeasibleError, match="k=5"):
        FirstThatWill(k=5).fit_transform(pd.DataFrame({"x": list("aabb")}))

"""What an author of an anonymizer gets wrong is told by its name."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.base import PublishedColumn, TableAnonymizer
from anon_transformers.exceptions import PluginError
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.testing import anonymizer_checks, check_anonymizer

PEOPLE = pd.DataFrame({"age": [20, 30, 40, 50]})


class AnyAge(TableAnonymizer):
    """Publish that there is a value."""

    attribute = "learnt_"

    @classmethod
    def test_instances(cls):
        return [cls(k=2)]

    def _learn(self, table, models):
        setattr(self, self.attribute, [1])

    def _recode(self, table):
        n_rows = table.n_rows
        every = PublishedColumn(
            np.zeros(n_rows, dtype=int), np.array(["any or missing"]), np.ones(1)
        )
        return [every for _ in table.quasi_identifiers]


class HidesRules(AnyAge):
    attribute = "_rules"


class ListsLevels(AnyAge):
    def _details(self):
        return {"levels": [1, 2]}


def test_an_attribute_with_a_name_of_its_own_is_set():
    assert AnyAge(k=2).fit(PEOPLE).learnt_ == [1]


def test_an_attribute_that_hides_a_method_of_the_base_class_is_named():
    with pytest.raises(PluginError, match=r"HidesRules sets .*'_rules'.* rules_\."):
        HidesRules(k=2).fit(PEOPLE)


def test_a_sentence_that_many_checks_repeat_stands_once():
    with pytest.raises(AssertionError) as reported:
        check_anonymizer(HidesRules(k=2))
    assert str(reported.value).count("which is a method of its base class") == 1
    assert "(and in " in str(reported.value)


def test_levels_of_another_shape_are_told():
    checks = dict(anonymizer_checks(ListsLevels(k=2)))
    with pytest.raises(AssertionError, match='its "levels" are numbers by column'):
        checks["check_report"]()


def test_a_method_that_is_bound_to_its_rows_says_why_it_has_no_transform():
    mdav = MDAVAnonymizer(k=2)
    assert not hasattr(mdav, "transform")
    with pytest.raises(AttributeError, match="bound to the rows it saw"):
        _ = mdav.transform

"""What an author of an anonymizer gets wrong is told by its name."""

import re

import numpy as np
import pandas as pd
import pytest

from anon_transformers.base import (
    GraphAnonymizer,
    LinkedAnonymizer,
    PublishedColumn,
    TableAnonymizer,
)
from anon_transformers.exceptions import PluginError
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.testing import anonymizer_checks, check_anonymizer
from anon_transformers.testing._contract import run

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
    headline, *causes = str(reported.value).splitlines()
    assert headline.endswith("contract checks:")
    said = "- raised PluginError: HidesRules sets the attribute"
    (cause,) = [line for line in causes if line.startswith(said)]
    assert re.search(r" \(in \d\d checks, the first: check_\w+\)$", cause)


def test_with_verbose_every_check_that_failed_is_named(capsys):
    def fails():
        raise AssertionError("No rows.")

    with pytest.raises(AssertionError) as reported:
        run(HidesRules, [("one", fails), ("two", fails)], verbose=True)
    assert str(reported.value).endswith("\n- No rows. (in 2 checks: one, two)")
    assert capsys.readouterr().err.count("FAILED") == 2


def test_levels_of_another_shape_are_told():
    checks = dict(anonymizer_checks(ListsLevels(k=2)))
    with pytest.raises(AssertionError, match='its "levels" are numbers by column'):
        checks["check_report"]()


def test_a_method_that_is_bound_to_its_rows_says_why_it_has_no_transform():
    mdav = MDAVAnonymizer(k=2)
    assert not hasattr(mdav, "transform")
    with pytest.raises(AttributeError, match="bound to the rows it saw"):
        _ = mdav.transform


def test_a_method_that_hides_one_of_the_base_class_is_named():
    with pytest.raises(PluginError) as refused:

        class Bands(AnyAge):
            def _publish(self, table):
                return table

    assert str(refused.value) == (
        "Bands._publish hides a method of TableAnonymizer; choose another name."
    )


@pytest.mark.parametrize(
    ("base", "name", "hidden"),
    [
        (AnyAge, "_resolve", "a method of FrameAnonymizer"),
        (AnyAge, "_transform", "a method of TableAnonymizer"),
        (AnyAge, "_columns", "an attribute of TableAnonymizer"),
        (LinkedAnonymizer, "_swap", "a method of LinkedAnonymizer"),
        (GraphAnonymizer, "_names", "a method of GraphAnonymizer"),
    ],
)
def test_every_base_class_guards_its_names(base, name, hidden):
    with pytest.raises(PluginError, match=rf"^Mine\.{name} hides {hidden};"):
        type("Mine", (base,), {name: lambda self: None})


def test_a_mixin_cannot_hide_a_method_either():
    class Helper:
        def _encode(self, frame):
            return frame

    with pytest.raises(PluginError, match=r"^Helper\._encode hides a method of Table"):
        type("Mine", (Helper, AnyAge), {})


def test_a_class_may_replace_a_method_on_purpose():
    class Limited(AnyAge):
        _hooks = frozenset({"_limit"})

        def _limit(self, n_rows):
            return 0.5

    class Further(Limited):
        def _limit(self, n_rows):
            return 0.25

    assert Further(k=2)._rules(4).limit == 0.25

"""The contract checks of hierarchy builders: built-in ones pass, broken ones fail."""

from dataclasses import dataclass

import pytest

from anon_transformers.hierarchies import (
    ByDataType,
    DateParts,
    HierarchyBuilder,
    Intervals,
    Masking,
)
from anon_transformers.testing import check_hierarchy_builder, hierarchy_builder_checks

TOWNS = ["Oslo", "Rome", "Wien", "Bern", "Graz"]


@pytest.mark.parametrize(
    ("builder", "values"),
    [
        (Intervals(widths=(5, 10)), ["17", "34", "35", "90"]),
        (Masking(length=5), ["01234", "00501", "10115", "90210"]),
        (Masking(), ["01234", "501", "10115", "90210"]),
        (DateParts(), ["2024-02-29", "1999-01-01", "2001-05-06", "2001-05-07"]),
        (ByDataType("string"), TOWNS),
    ],
    ids=repr,
)
def test_built_in_builders_keep_the_contract(builder, values):
    check_hierarchy_builder(builder, values)


@dataclass(frozen=True)
class Initials(HierarchyBuilder):
    """Names by their first letters."""

    letters: int = 1

    def ancestors(self, values):
        return [[value[: self.letters]] for value in values]


class Longest(Initials):
    def ancestors(self, values):
        width = max(map(len, values), default=0)
        return [[value[:1].ljust(width, "#") + str(len(values))] for value in values]


class Telling(Longest):
    extremes = "Its labels tell how many values there are."


class ByPlace(Initials):
    extremes = "Its labels tell the order."

    def ancestors(self, values):
        return [[str(at // 2)] for at, _ in enumerate(values)]


class Forgets(Initials):
    def build(self, values):
        return super().build(list(values)[1:])


@dataclass
class Changeable:
    def build(self, values):
        return Initials().build(values)


def test_sound_builders_pass():
    check_hierarchy_builder(Initials, TOWNS)
    check_hierarchy_builder(Telling(), TOWNS)


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [
        (Longest(), "check_labels_do_not_tell_of_other_values", "extremes says so"),
        (ByPlace(), "check_order_of_values_does_not_matter", "other labels of"),
        (Forgets(), "check_every_value_has_levels", "none of"),
        (Changeable(), "check_builder_is_frozen_value", "subclass of HierarchyBuil"),
    ],
    ids=lambda case: type(case).__name__,
)
def test_a_broken_builder_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(hierarchy_builder_checks(broken, TOWNS))[check]()


def test_too_few_values_are_told():
    with pytest.raises(AssertionError, match="need 4 distinct values"):
        check_hierarchy_builder(Initials(), ["a", "a", "b"])

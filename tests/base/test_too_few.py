"""A table with fewer rows, or persons, than k: refused in words that count them."""

import pandas as pd
import pytest

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.generalization import DataflyAnonymizer, FullDomainAnonymizer
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.partitioning import MondrianAnonymizer

TREES = {"age": Hierarchy.from_groups({"young": ["20", "21"], "old": ["60", "61"]})}
METHODS = {
    "mondrian": MondrianAnonymizer,
    "datafly": lambda **p: DataflyAnonymizer(hierarchies=TREES, **p),
    "full-domain": lambda **p: FullDomainAnonymizer(hierarchies=TREES, **p),
    "mdav": MDAVAnonymizer,
}
VISITS = pd.DataFrame(
    {"age": ["20", "21", "60", "61"] * 3, "who": ["a", "b", "c", "d"] * 3}
)


@pytest.mark.parametrize("name", METHODS)
def test_persons_are_counted_where_they_are_known(name):
    made = METHODS[name](k=5, quasi_identifiers=["age"], subject="who")
    with pytest.raises(InfeasibleError) as caught:
        made.fit_transform(VISITS)
    assert str(caught.value).startswith(
        "k=5 needs at least as many persons, and the table has 4 persons (12 rows)"
    )


@pytest.mark.parametrize("name", METHODS)
def test_rows_are_counted_otherwise(name):
    made = METHODS[name](k=13, quasi_identifiers=["age"])
    with pytest.raises(InfeasibleError, match="and the table has 12 rows"):
        made.fit_transform(VISITS[["age"]])


def test_as_many_persons_as_k_are_enough():
    made = MondrianAnonymizer(k=4, quasi_identifiers=["age"], subject="who")
    found = made.fit_transform(VISITS.assign(age=VISITS["age"].astype(int)))
    assert found["age"].nunique() == 1
    assert len(found) == len(VISITS)


def test_rows_of_nobody_are_no_person():
    some = VISITS.assign(who=VISITS["who"].where(VISITS["who"] != "d"))
    made = MondrianAnonymizer(k=4, quasi_identifiers=["age"], subject="who")
    with pytest.raises(InfeasibleError, match=r"has 3 persons \(12 rows\)"):
        made.fit_transform(some)

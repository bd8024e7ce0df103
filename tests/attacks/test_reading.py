"""Labels that other tools write are read, and what cannot be read is said."""

import pandas as pd
import pytest

from anon_transformers.attacks import LinkageAttack, TupleOrder
from anon_transformers.exceptions import NotEvaluable


def link(labels, values):
    report = LinkageAttack().run(
        pd.DataFrame({"age": pd.Series(labels, dtype=object)}),
        quasi_identifiers=["age"],
        external=pd.DataFrame({"age": values}),
    )
    return report.exposed, report.details["matched_pairs"]


@pytest.mark.parametrize("as_texts", [False, True])
@pytest.mark.parametrize(
    ("labels", "values", "found"),
    [
        pytest.param(["[50, 60]", "[50, 60]", ">=80"], [55, 57, 85], (1, 5), id=">="),
        pytest.param(["[5, 10]", ">=80"], [7, 85], (2, 2), id="5-before-10"),
        pytest.param(["<= 10", "[11, 20]"], [7, 15], (2, 2), id="<= blank"),
        pytest.param(["<10", ">10"], [10, 9, 11], (2, 2), id="< >"),
        pytest.param(["(4, 10]", "[11, 20]"], [4, 10], (1, 1), id="open-below"),
        pytest.param(["]4, 10[", "[11, 20]"], [4, 10, 5], (1, 1), id="french"),
        pytest.param(["5-10", "11-20"], [7, 15], (2, 2), id="dash"),
        pytest.param(["[5-10]", "[11, 20]"], [7, 15], (2, 2), id="dash-and-brackets"),
        pytest.param(["5-10", "any", "*"], [7], (0, 2), id="any"),
        pytest.param(["[05, 10]", "11.0"], [7, 11], (2, 2), id="zeros"),
        pytest.param(["{5, 7}", "(7, 10]"], [7, 10], (2, 2), id="sets-of-numbers"),
    ],
)
def test_every_spelling_of_a_range_matches(labels, values, found, as_texts):
    assert link(labels, [str(v) for v in values] if as_texts else values) == found


@pytest.mark.parametrize(
    ("labels", "values", "found"),
    [
        pytest.param(["<=50K", ">50K"], ["<=50K", ">50K"], (2, 2), id="incomes"),
        pytest.param(["12-14", "12a", "13"], ["13", "12-14"], (2, 2), id="doors"),
        pytest.param(["(b, c)", "(a, d)"], ["(b, c)", "(a, d)"], (2, 2), id="names"),
        pytest.param(["12345-6789", "12345"], ["12345"], (1, 1), id="zip-plus-four"),
        pytest.param(["[a (x), c]", "d"], ["b", "d"], (2, 2), id="texts"),
        pytest.param(["[10, 9]", "90"], ["5", "90"], (2, 2), id="order-of-texts"),
        pytest.param([">=2020-01-01", "2019-05-01"], ["2021-06-01"], (1, 1), id="days"),
    ],
)  # fmt: skip
def test_names_are_no_ranges(labels, values, found):
    assert link(labels, values) == found


@pytest.mark.parametrize(
    ("labels", "values", "count"),
    [
        pytest.param(["[5, 10]", "Zebedee", "Zebe"], [7, 85], 2, id="name"),
        pytest.param(["[5, 10]", "Zebedee", "Zebedee"], ["7", "85"], 1, id="texts"),
        pytest.param(["5-10", "Zebedee"], ["7", "85"], 1, id="dash"),
        pytest.param(["[5, 10]", "[7, 9]"], ["7", "Zebedee"], 1, id="external"),
        pytest.param(["[5, 10]", "[39, 20]"], [7, 25], 1, id="reversed"),
        pytest.param(["[mid, high]", "low"], ["mid", "low"], 1, id="unknown-order"),
        pytest.param([">= 2020-01-01", "Zebedee"], ["2021-06-01"], 1, id="date"),
        pytest.param(["{5, Zebedee}", "[5, 10]"], [7], 1, id="set"),
    ],
)
def test_a_label_that_cannot_be_read_among_ranges_is_told(labels, values, count):
    with pytest.raises(NotEvaluable, match=f"'age' is .* has {count} labels") as raised:
        link(labels, values)
    assert "Zebe" not in str(raised.value)


def test_what_lies_between_two_values_is_no_value():
    ages, ids = ["(4, 9)", "4", "4", "9"], list("uvwx")
    release = pd.DataFrame({"age": ages, "sex": "*", "id": ids})
    other = pd.DataFrame({"age": "*", "sex": list("fmfm"), "id": ids})
    report = TupleOrder().run(
        release, other=other, quasi_identifiers=["age", "sex"], show_values=True
    )
    assert report.details["recovered"] == 3

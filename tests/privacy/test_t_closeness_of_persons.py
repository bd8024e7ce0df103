"""t-closeness of persons: each counts once, however the value is written."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import InfeasibleError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import TCloseness


def classes_of(frame, **options):
    return Classes.from_frame(frame, ["q"], ["s"], subject="who", **options)


def visits(values_by_person, q=1):
    return pd.DataFrame(
        [
            (q, who, value)
            for who, values in values_by_person.items()
            for value in values
        ],
        columns=["q", "who", "s"],
    )


WRITTEN = {
    "spellings": lambda value: [value, value.upper(), f"{value} "],
    "marks": lambda value: [value, "NA", "-"],
    "empty cells": lambda value: [value, None, value],
    "all of these": lambda value: [None, f" {value}", "unknown", value.upper()],
}


def closeness(values_by_class):
    """Largest distance of a class from all of them, where values are equally far."""
    everybody = [value for values in values_by_class for value in values]

    def share(values, value):
        return values.count(value) / len(values)

    return max(
        sum(abs(share(own, v) - share(everybody, v)) for v in set(everybody)) / 2
        for own in values_by_class
    )


@pytest.mark.parametrize("way", WRITTEN)
@given(
    held=st.lists(
        st.tuples(st.sampled_from([0, 1]), st.sampled_from(["flu", "hiv", "cold", ""])),
        min_size=1,
        max_size=12,
    ),
    data=st.data(),
)
def test_t_closeness_counts_a_person_once_however_the_value_is_written(way, held, data):
    rows = []
    for who, (q, value) in enumerate(held):
        ways = WRITTEN[way](value) if value else [None, "NA"]
        written = data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=4))
        # Somewhere the value is said, or the person has none.
        rows += [
            (q, who, text)
            for text in [*written, ways[1] if way == "all of these" else ways[0]]
        ]
    frame = pd.DataFrame(rows, columns=["q", "who", "s"], dtype=object)
    expected = closeness(
        [[value for at, value in held if at == q] for q in {at for at, _ in held}]
    )
    found = distribution(frame["s"], frame["who"], together=True)
    for classes, reference in (
        (classes_of(frame), "released"),
        (classes_of(frame, references={"s": found}), "input"),
    ):
        model = TCloseness(1, reference=reference)
        model.check_feasible(classes)
        assert model.level(classes) >= expected - 1e-9
        read = classes.sensitive["s"].as_read() or classes.sensitive["s"]
        assert model.distances(read).max() == pytest.approx(expected)


def test_t_closeness_says_in_which_column_persons_have_several_values():
    several = classes_of(visits({"p": ["a", "b"], "q": ["a"]}))
    model = TCloseness(0.5, reference="released")
    for ask in (model.level, model.satisfied, model.check_feasible):
        with pytest.raises(NotEvaluable, match=r"column 's'.*missing_marks"):
            ask(several)
    # A mark that is none to the model is a value.
    marked = classes_of(visits({"p": ["a", "NA"], "q": ["a"]}))
    assert model.level(marked) == 0
    with pytest.raises(NotEvaluable, match="column 's'"):
        TCloseness(0.5, reference="released", missing_marks=[]).level(marked)


def test_values_of_a_person_in_several_classes_are_several_too():
    frame = visits({"p": ["a"], "q": ["b"]})
    apart = pd.concat([frame, visits({"p": ["b"], "q": ["a"]}, q=2)])
    with pytest.raises(NotEvaluable, match="one value per person"):
        TCloseness(0.5, reference="released").level(classes_of(apart))


def test_an_infeasible_run_tells_what_was_stated_and_few_digits():
    frame = pd.DataFrame({"q": list("112233"), "s": list("abcabb")})
    with pytest.raises(InfeasibleError) as caught:
        FullDomainAnonymizer(
            ["q"],
            k=2,
            models=[TCloseness(0.1)],
            sensitive=["s"],
            hierarchies={"q": Hierarchy.from_mapping({"1": "x", "2": "x", "3": "y"})},
            levels={"q": 0},
        ).fit(frame)
    message = str(caught.value)
    assert "reference='input', t=0.1, distance='equal') reaches" in message
    assert "missing_marks" not in message
    assert not re.search(r"0\.\d{5}", message)

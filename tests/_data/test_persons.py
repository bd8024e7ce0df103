"""Persons as people tell them apart."""

import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers._data.persons import read_likely_persons, read_persons
from anon_transformers.exceptions import RepeatedIdentifierWarning, SpellingWarning


def n_persons(texts, read=read_persons):
    return len(set(read(texts).tolist()))


@pytest.mark.parametrize(
    "texts",
    [
        ["920-23-7000", "920237000", "920 23 7000", "920/237000", "920237000.0"],
        ["(030) 123-4567", "030 1234567", "030.123.4567"],
        ["7", "7.0", "7.", "+7", " 7"],
        ["Smith, Anna", "Anna Smith", "ANNA  SMITH", "smith anna", "Anna-Smith"],
        ["M\u00fcller", "Muller", "Mueller", "Mu\u0308ller"],
        ["O'Neil", "O\u2019Neil", "ONeil"],
        ["AB-1234-X", "AB1234X", "ab 1234 x"],
        ["Ann", "ann "],
    ],
)
def test_one_person(texts):
    assert n_persons(texts) == 1
    assert n_persons(texts[::-1]) == 1
    assert n_persons([*texts, "somebody else"]) == 2


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["7", "007", "07"], id="codes-with-zeros"),
        pytest.param(["1-12", "11-2", "112"], id="short-codes-with-parts"),
        pytest.param(["12345-12", "123451-2"], id="parts-that-differ"),
        pytest.param(["house 12 3", "house 3 12"], id="numbers-in-their-order"),
        pytest.param(["a.b@example.org", "b.a@example.org"], id="addresses"),
        pytest.param(["Ann Alee", "Anna Lee"], id="names-divided-elsewhere"),
        pytest.param(["Muller", "Mueller"], id="no-umlaut-that-joins-them"),
        pytest.param(["-7", "7", "7.5", "75"], id="numbers"),
        pytest.param(["***", "+"], id="signs-alone"),
    ],
)
def test_several_persons(texts):
    assert n_persons(texts) == len(texts)


def test_zeros_may_mean_nothing():
    assert n_persons(["7", "007", "8"], read_likely_persons) == 2
    assert n_persons(["house 7", "House 07"], read_likely_persons) == 1


def test_an_estimator_warns_of_a_subject_in_two_spellings():
    frame = pd.DataFrame({"name": ["Ann", "ann "] * 6, "age": [30] * 12})
    warning = "the 2 texts of column 'name' may be 1 persons"
    with pytest.warns(SpellingWarning, match=warning) as caught:
        MondrianAnonymizer(["age"], k=2, subject="name").fit(frame)
    assert "Ann" not in str(caught[0].message)


def test_an_estimator_warns_of_identifiers_with_zeros():
    frame = pd.DataFrame({"code": ["7", "007", "8", "9"], "age": [30] * 4})
    with pytest.warns(RepeatedIdentifierWarning, match="if zeros before a number"):
        MondrianAnonymizer(["age"], k=2, identifiers=["code"]).fit(frame)


@pytest.mark.parametrize("names", [[7, 70, 700, 8], ["Ann", "Anna", "Bob", "Bo"]])
def test_an_estimator_is_silent_about_plain_subjects(names, recwarn):
    frame = pd.DataFrame({"name": names, "age": [30] * 4})
    MondrianAnonymizer(["age"], k=2, subject="name").fit(frame)
    assert not [w for w in recwarn if issubclass(w.category, SpellingWarning)]

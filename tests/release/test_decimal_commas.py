"""Numbers as most of Europe writes them: read, proposed, and never guessed at."""

import locale
import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.decimal_commas import have_decimal_commas, with_point
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.proposals import propose_release
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._files import as_kind, read_csv, type_texts


def in_german(cents):
    """Written by hand, digit by digit."""
    whole, rest = divmod(abs(cents), 100)
    digits, parts = str(whole), []
    while len(digits) > 3:
        digits, last = digits[:-3], digits[-3:]
        parts.insert(0, last)
    return "-" * (cents < 0) + ".".join([digits, *parts]) + f",{rest:02}"


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1))
def test_they_are_the_numbers_that_were_written(cents):
    texts = pd.Series([in_german(each) for each in cents], name="cost")
    read = as_kind(texts, {"number": ","})
    assert read.tolist() == [each / 100 for each in cents]
    assert have_decimal_commas(texts.tolist())


@given(st.text("0123456789.,-", max_size=9))
def test_what_is_read_is_what_the_locale_machinery_reads(text):
    """Another reader, which is laxer: whatever ours reads, it reads alike."""
    ours = with_point(text)
    if ours is not None:
        plain = text.replace(".", "")
        assert float(ours) == float(locale.delocalize(plain.replace(",", ".")))


@pytest.mark.parametrize("text", ["1.5", "1,2,3", "1.23,4", "01.234,5", "", ",5", "a"])
def test_what_is_no_such_number_is_told_without_a_value(text):
    texts = pd.Series(["1,5", text, None], name="cost")
    with pytest.raises(DataError) as caught:
        as_kind(texts, {"number": ","})
    assert str(caught.value) == (
        "column 'cost' holds values in 1 rows that are no number."
    )


@pytest.mark.parametrize("kind", [{"number": "."}, {"number": 5}, {"number": None}])
def test_another_mark_is_refused(kind):
    with pytest.raises(ParameterError, match=r'columns, cost: number must be ","'):
        type_texts(pd.DataFrame({"cost": ["1,5"]}), {"cost": kind})


def test_it_stands_alone():
    with pytest.raises(ParameterError, match="say one of date"):
        type_texts(
            pd.DataFrame({"cost": ["1,5"]}), {"cost": {"number": ",", "order": ["1,5"]}}
        )


def test_thousands_in_english_are_not_taken_for_decimals():
    assert not have_decimal_commas(["1,234", "56,789"])
    assert have_decimal_commas(["1.234,5"])


def test_from_a_german_table_to_a_release(release):
    rng = random.Random(0)
    rows = [["age", "cost", "ill"]]
    rows += [
        [str(20 + n % 40), in_german(rng.randrange(100, 900_000)), "abcd"[n % 4]]
        for n in range(400)
    ]
    file = release.folder / "people.csv"
    file.write_text("\n".join(";".join(row) for row in rows) + "\n")
    source = {"path": "people.csv", "separator": ";"}
    frame = pd.DataFrame(rows[1:], columns=rows[0])
    made = propose_release(frame, source=source, name="people")
    (cost,) = (one for one in made.table.columns if one.column == "cost")
    assert (cost.kind, cost.role) == ("number", "quasi_identifiers")
    assert made.content["source"]["columns"]["cost"] == {"number": ","}
    # Its ranges are those of numbers, and not of texts that begin alike.
    assert made.content["hierarchies"]["cost"]["kind"] == "intervals"
    read = read_csv(file, separator=";", columns={"cost": {"number": ","}})
    assert read["cost"].dtype == "float64"
    release.write(
        source={**source, "columns": {"cost": {"number": ","}}},
        roles={"quasi_identifiers": ["age", "cost"], "sensitive": ["ill"]},
        anonymizer={"name": "mondrian", "step": {"age": 5, "cost": 100}},
        thresholds=[{"model": "k-anonymity", "k": 4}],
    )
    publish(validate(anonymize(load(release.file))))
    table = read_published(release.target, labels="text")
    assert table.groupby(["age", "cost"]).size().min() >= 4
    assert table["cost"].nunique() > 5

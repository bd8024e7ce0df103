"""Columns that are dropped, and tell that persons have several rows."""

import random

import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import load, run_release
from anon_transformers.release._person_columns import agreement, signs_of_persons

VISITS = 4


def with_visits(release, column, values, **roles):
    """Every person of the table in several rows, with a column that is dropped."""
    head, *rows = [line.split(",") for line in release.source.read_text().split()]
    lines = [
        [f"{name}-{turn}", *rest, str(values[number])]
        for number, (name, *rest) in enumerate(rows)
        for turn in range(VISITS)
    ]
    release.write_rows([[*head, column], *lines])
    stated = {**release.content["roles"], "dropped": [column], **roles}
    release.write(roles=stated, thresholds=[{"model": "k-anonymity", "k": 3}])
    return release


@pytest.mark.parametrize(
    ("column", "values", "sign"),
    [
        ("patient_id", [1000 + 7 * i for i in range(40)], "identifier's name"),
        ("who", [f"ab{i:02}x" for i in range(40)], "the form of codes"),
        ("who", [700000 + 13 * i for i in range(40)], "the form of codes"),
        ("who", [203 + i for i in range(40)], "agree in 2 of 2 quasi-identifiers"),
    ],
)
def test_a_person_in_several_rows_is_not_hidden_by_dropping_who_it_is(
    release, column, values, sign
):
    with_visits(release, column, values)
    said = release.refusal(DataError)
    assert f"roles.dropped: column '{column}' has 40 values in 160 rows" in said
    assert sign in said
    assert f"subject: {column}" in said
    assert f"accept_repeated: [{column}]" in said
    assert "rows_are_persons: true" in said
    assert not any(f" {value}" in said for value in values[:5])


@pytest.mark.parametrize("way", ["subject", "accept_repeated", "rows_are_persons"])
def test_each_way_that_the_message_names_is_open(release, way):
    with_visits(release, "patient_id", range(1000, 1040))
    roles = release.content["roles"]
    stated = {
        "subject": {"subject": "patient_id", "dropped": []},
        "accept_repeated": {"accept_repeated": ["patient_id"]},
        "rows_are_persons": {"rows_are_persons": True},
    }[way]
    release.write(roles={**roles, **stated})
    run_release(release.file)
    assert "patient_id" not in (release.target / "current/data.csv").read_text()


def test_another_column_is_not_accepted_with_it(release):
    with_visits(release, "patient_id", range(1000, 1040), accept_repeated=["zip"])
    with pytest.raises(ConfigurationError, match="accept_repeated: unknown dropped"):
        load(release.file)


def ordinary(n_rows=600):
    draw = random.Random(3)
    days = pd.date_range("2026-01-01", periods=300)
    words = ["mild", "pain", "after", "the", "walk", "again", "none", "slept", "well"]
    ages = [draw.randint(18, 90) for _ in range(n_rows)]
    zips = [f"{draw.randint(10, 40)}{draw.randint(0, 99):02}" for _ in range(n_rows)]
    return pd.DataFrame(
        {
            "age": ages,
            "sex": [draw.choice("fm") for _ in range(n_rows)],
            "region": [code[0] for code in zips],
            "zip": zips,
            "born": [2026 - age for age in ages],
            "visit": [str(draw.choice(days).date()) for _ in range(n_rows)],
            "paid": [round(draw.uniform(1, 40), 1) for _ in range(n_rows)],
            "salary": [draw.randint(1, 300) * 1000 for _ in range(n_rows)],
            "ward_id": [draw.choice("abcdefghijkl") for _ in range(n_rows)],
            "patient_note": [
                "" if i % 3 == 0 else " ".join(draw.choices(words, k=6 * (i % 7)))
                for i in range(n_rows)
            ],
            "city": [f"town {draw.choice('abcdefghijklmnop')}" for _ in range(n_rows)],
        }
    )


@pytest.mark.parametrize(
    "column",
    ["zip", "born", "visit", "paid", "salary", "ward_id", "patient_note", "city"],
)
def test_ordinary_columns_may_be_dropped(column):
    table = ordinary()
    assert table[column].duplicated().any()
    assert signs_of_persons(table, column, ["age", "sex", "region"]) is None


def test_one_person_is_read_as_people_read_it():
    names = [f"Ann Lee{chr(97 + i // 2)}" for i in range(40)]
    spelled = [name.upper() if i % 2 else name for i, name in enumerate(names)]
    table = pd.DataFrame({"name": spelled, "age": range(40)})
    assert "20 values in 40 rows" in signs_of_persons(table, "name", ["age"])
    table["name"] = [f"Ann Lee{chr(97 + i)}" for i in range(26)] + [None] * 14
    assert signs_of_persons(table, "name", ["age"]) is None  # none of them repeats


def test_how_far_rows_agree():
    import numpy as np

    labels = np.repeat(np.arange(50), 4)
    assert agreement(labels // 5, labels) == 1
    draw = np.random.default_rng(1)
    assert abs(agreement(draw.integers(0, 4, 200), labels)) < 0.2
    assert agreement(np.zeros(200, dtype=int), labels) is None

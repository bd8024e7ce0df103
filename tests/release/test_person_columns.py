"""Columns that are dropped, and tell that persons have several rows."""

import json
import random

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import advise, load, read_config, run_release
from anon_transformers.release._back_off import tries_of
from anon_transformers.release._person_columns import PersonSigns, agreement
from anon_transformers.release._person_names import person_name

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
        ("patient_id", [1000 + 7 * i for i in range(40)], "a person's name"),
        ("visit_id", [1000 + 7 * i for i in range(40)], "an identifier's name"),
        ("who", [f"ab{i:02}x" for i in range(40)], "agree in 2 of 2 independent"),
        ("who", [203 + i for i in range(40)], "agree in 2 of 2 independent"),
    ],
)
def test_a_person_in_several_rows_is_not_hidden_by_dropping_who_it_is(
    release, column, values, sign
):
    with_visits(release, column, values)
    said = release.refusal(DataError)
    assert f"roles.dropped: column '{column}' has 40 values in 160 rows" in said
    assert sign in said
    ways = [
        said.index(f"subject: {column}"),
        said.index(f"accept_repeated: [{column}]"),
    ]
    assert (ways == sorted(ways)) == (column == "patient_id")
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
    with_visits(release, "patient_id", range(1000, 1040), accept_repeated=["job"])
    with pytest.raises(ConfigurationError, match="accept_repeated: unknown dropped"):
        load(release.file)


# ----------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    [
        "patient_id", "patientID", "PatientId", "PATIENT_ID", "patientid", "patient",
        "Person", "subject", "client_key", "customer_no", "member_number",
        "PATIENT_NUM", "patient_nbr", "person_uuid", "user_name", "username",
        "patient_full_name",
        "hospital_patient_id", "patient_id_hash", "id_patient", "pat_id", "emp_no",
        "Kundennummer", "case_no", "ssn", "SSN_hash", "mrn", "nhs_no", "NHS number",
        "passport_number", "email", "email_address", "patient_email", "phone1",
        "home_phone", "phone_number", "iban",
    ],
)  # fmt: skip
def test_names_of_persons(name):
    assert person_name(name) == "strong"


@pytest.mark.parametrize(
    "name",
    ["id", "visit_id", "encounterID", "account_no", "household_id", "record_key",
     "name", "full_name", "uuid", "unit_price_key_2", "home_address", "product code"],
)  # fmt: skip
def test_names_of_identifiers(name):
    assert person_name(name) == (None if "price" in name else "weak")


@pytest.mark.parametrize(
    "name",
    [
        "paid", "covid", "grid", "patient_age", "customer_spend", "user_rating",
        "case_mix", "no_of_visits", "city_name", "school_name", "ward", "ward_id",
        "patient_ward_id", "household_income", "member_count", "num_email", "valid",
        "number_of_patients", "patient_no_of_visits", "zip_code", "icd_code", "surname",
        "first_name", "email_domain", "phone_type", "postcode", "birth_year", "", "42",
    ],
)  # fmt: skip
def test_other_names(name):
    assert person_name(name) is None


# ------------------------------------------------------------------------------ rows


def signs(table, column, quasi_identifiers):
    return PersonSigns(table, quasi_identifiers).of(column)


def one_row_each(n_rows=1000):
    """A table of persons with one row each, and what they share."""
    draw = random.Random(3)

    def drawn(make):
        return [make() for _ in range(n_rows)]

    days = pd.date_range("1950-01-01", periods=300)
    words = ["mild", "pain", "after", "the", "walk", "again", "none", "slept", "well"]
    county = drawn(lambda: draw.randrange(20))
    born = drawn(lambda: draw.choice(days))
    table = pd.DataFrame(
        {
            "age": drawn(lambda: draw.randint(18, 90)),
            "sex": drawn(lambda: draw.choice("fm")),
            "county": [f"c{c}" for c in county],
            "state": [f"s{c // 6}" for c in county],
            "city": [f"town {chr(97 + c)}{draw.choice('abc')}" for c in county],
            "zip": [str(10000 + 37 * c + draw.randrange(15)) for c in county],
            "postcode": drawn(lambda: f"SW{draw.randrange(20)}A {draw.randrange(30)}B"),
            "diag": drawn(
                lambda: (
                    f"{draw.choice('ABCDEFG')}{draw.randrange(50):02}.{draw.randrange(3)}"
                )
            ),
            "house_price": drawn(lambda: draw.randrange(100, 999) * 1000),
            "unix": drawn(lambda: 1_700_000_000 + draw.randrange(700) * 60),
            "day": [day.strftime("%Y%m%d") for day in born],
            "written": [day.strftime("%d%b%Y") for day in born],
            "visit": [str(day.date()) for day in born],
            "paid": drawn(lambda: draw.randrange(400)),
            "covid": drawn(lambda: draw.randrange(400)),
            "grid": drawn(lambda: f"cell {draw.randrange(400)}"),
            "patient_id": drawn(lambda: round(draw.uniform(1, 40), 1)),
            "client_key": [str(day.date()) for day in born],
            "member_no": drawn(
                lambda: f"[{(low := draw.randrange(0, 99))}, {low + 9}]"
            ),
            "user_rating": drawn(lambda: draw.randrange(400)),
            "customer_spend": drawn(lambda: draw.randrange(900)),
            "case_mix": drawn(lambda: draw.randrange(400)),
            "no_of_visits": drawn(lambda: draw.randrange(400)),
            "city_name": drawn(lambda: f"town {draw.randrange(400)}"),
            "school_name": drawn(lambda: f"School {draw.randrange(400)}"),
            "ward_id": drawn(lambda: draw.randrange(400)),
            "visit_id": drawn(lambda: draw.randrange(100)),  # too few to be visits
            "person": [
                f"{number} {' '.join(draw.choices(words, k=9))}"
                if number % 9
                else "x y"
                for number in range(n_rows)
            ],
        }
    )
    table["birth_year"] = 2026 - table.age
    table["age_group"] = table.age // 10 * 10
    return table


ONE_ROW_EACH = one_row_each()
OTHERS = [
    name
    for name in ONE_ROW_EACH
    if name not in {"age", "sex", "county", "state", "age_group"}
]


@pytest.mark.parametrize("column", OTHERS)
@pytest.mark.parametrize(
    "quasi_identifiers",
    [["state", "county", "age"], ["age", "age_group", "sex"], ["age"]],
    ids=" ".join,
)
def test_ordinary_columns_may_be_dropped(column, quasi_identifiers):
    assert ONE_ROW_EACH[column].duplicated().any()
    assert signs(ONE_ROW_EACH, column, quasi_identifiers) is None


def test_a_person_of_many_rows_is_one_by_name():
    draw = random.Random(1)
    rows = range(8000)
    table = pd.DataFrame(
        {
            "patient_id": [1000 + i // 40 for i in rows],
            "who": [1000 + i // 40 for i in rows],
            "ward": [draw.choice("abcdef") for _ in rows],
            "weekday": [draw.randrange(7) for _ in rows],
        }
    )
    found = signs(table, "patient_id", ["ward", "weekday"])
    assert found.named
    assert "200 values in 8,000 rows, of which 200 repeat" in found.words
    assert signs(table, "who", ["ward", "weekday"]) is None
    table["patient_id"] = table.patient_id.astype(float).where(table.index % 50 > 0)
    assert signs(table, "patient_id", []) is not None
    few = table.assign(patient_id=table.patient_id % 9)
    assert signs(few, "patient_id", []) is None
    unknown = [f"P{i}" if i < 60 else "unknown" for i in rows]
    assert signs(table.assign(patient_id=unknown), "patient_id", []) is None


def test_a_share_of_the_rows_is_asked_of_other_identifiers():
    table = pd.DataFrame({"visit_id": np.arange(1000) % 200})
    assert not signs(table, "visit_id", []).named
    table = pd.DataFrame({"visit_id": np.arange(1000) % 199})
    assert signs(table, "visit_id", []) is None


def visits(n_persons, per_person, *, seed=4):
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_persons), per_person)
    age = draw.integers(18, 90, n_persons)[who]
    county = draw.integers(0, 30, n_persons)[who]
    return pd.DataFrame(
        {
            "who": [f"w{number}" for number in who],
            "age": age,
            "age_group": age // 10,
            "county": county,
            "state": county // 6,
            "sex": draw.integers(0, 2, n_persons)[who],
            "ward": draw.integers(0, 5, len(who)),
            "weekday": draw.integers(0, 7, len(who)),
        }
    )


@pytest.mark.parametrize(
    ("quasi_identifiers", "agreeing"),
    [
        (["age", "sex"], "2 of 2"),
        (["age", "age_group", "county", "state", "sex"], "3 of 3"),
        (["age", "county", "ward"], "2 of 3"),
        (["age", "age_group"], None),  # one thing
        (["county", "state", "ward"], None),  # a place would agree as far
        (["age", "sex", "ward", "weekday"], None),
        (["age"], None),
    ],
)
def test_rows_of_one_person_agree(quasi_identifiers, agreeing):
    found = signs(visits(300, 4), "who", quasi_identifiers)
    assert (found is None) == (agreeing is None)
    if found is not None:
        assert not found.named
        assert f"agree in {agreeing} independent quasi-identifiers" in found.words


def test_of_many_rows_some_are_compared():
    table = visits(40_000, 3)
    assert "2 of 2" in signs(table, "who", ["age", "sex"]).words
    shuffled = table.assign(who=table.who.sample(frac=1, random_state=1).to_numpy())
    assert signs(shuffled, "who", ["age", "sex"]) is None


def test_where_few_values_stand_for_many_rows_they_are_not_compared():
    assert signs(visits(300, 20), "who", ["age", "sex"]) is not None
    assert signs(visits(300, 21), "who", ["age", "sex"]) is None


@pytest.mark.parametrize("n_names", [40, 30_000])
def test_one_person_is_read_as_people_read_it(n_names):
    names = [f"Ann Lee{i // 2}" for i in range(n_names)]
    spelled = [name.upper() if i % 2 else name for i, name in enumerate(names)]
    table = pd.DataFrame({"name": spelled})
    assert "of which" in signs(table, "name", []).words
    table["name"] = [f"Ann Lee{i}" for i in range(n_names - 14)] + [None] * 14
    assert signs(table, "name", []) is None  # none of them repeats


def test_how_far_rows_agree():
    labels = np.repeat(np.arange(50), 4)
    assert agreement(labels // 5, labels) == 1
    draw = np.random.default_rng(1)
    assert abs(agreement(draw.integers(0, 4, 200), labels)) < 0.2
    assert agreement(np.zeros(200, dtype=int), labels) == 0


# --------------------------------------------------------- what rungs and advice drop


def with_rung(release, column):
    """Persons with several rows, and a quasi-identifier that a rung drops."""
    with_visits(release, column, [f"{700 + i}" for i in range(40)])
    stated = release.content["roles"]
    quasi = [*stated["quasi_identifiers"], column]
    masks = {name: {"kind": "masking", "length": 3} for name in ("zip", column)}
    release.write(
        roles={**stated, "quasi_identifiers": quasi, "dropped": []},
        source={"path": "people.csv", "columns": {"zip": "text", column: "text"}},
        hierarchies={"age": {"kind": "intervals", "widths": [50]}, **masks},
        anonymizer={"name": "full-domain", "levels": {"age": 2, "zip": 0, column: 0}},
        thresholds=[{"model": "k-anonymity", "k": 5}],
    )
    return release


@pytest.mark.parametrize("column", ["patient_id", "who"])
def test_a_rung_drops_no_more_than_a_file_may(release, column):
    with_rung(release, column)
    release.write(on_refusal={"back_off": [{"drop": [column]}]})
    said = release.refusal(DataError)
    assert f"on_refusal.back_off.0, drop: column '{column}' has 40 values" in said
    release.write(roles={**release.content["roles"], "accept_repeated": [column]})
    run_release(release.file)
    tried = tries_of(read_config(release.file), release.manifest()["version"])
    assert [one["passed"] for one in tried] == [False, True]


def test_advice_drops_no_more_than_a_file_may(release):
    with_rung(release, "patient_id")

    def dropping():
        found = advise(release.file, seconds=1)
        (tried,) = [t for t in found.tried if "patient_id is not publ" in t.words]
        return tried, [one for one in found.settings if one.kind == "drop"]

    tried, settings = dropping()
    assert "roles.dropped: column 'patient_id' has 40 values" in tried.reason
    assert settings == []
    release.write(roles={**release.content["roles"], "accept_repeated": ["patient_id"]})
    tried, (setting,) = dropping()
    assert tried.passed
    release.write(**json.loads(json.dumps(setting.change)))
    run_release(release.file)

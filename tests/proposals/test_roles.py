"""Roles that are proposed for the columns of a table."""

import random

import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy, suggest_hierarchy
from anon_transformers.proposals import (
    find_missing_marks,
    propose_roles,
    propose_table,
    score_hierarchies,
)

SECRET = "Zyx"


def messy(n_rows=600):
    """Encounters of patients, as files of hospitals have them."""
    draw = random.Random(11)
    words = [f"{SECRET}{number}" for number in range(400)]
    return pd.DataFrame([
        {
            "encounter_id": str(7_000_000 + 13 * number),
            "patient_nbr": str(90_000 + 7 * draw.randrange(n_rows // 2)),
            "age": draw.choice([f"[{low}-{low + 10})" for low in range(0, 100, 10)]),
            "weight": draw.choice(["?"] * 20 + ["[75-100)", "[50-75)"]),
            "admission_type_id": draw.choice(list("1111113256")),
            "num_procedures": str(min(draw.randrange(7), draw.randrange(7))),
            "admitted": f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/2020",
            "diag_1": draw.choice(["250.83", "250.01", "276", "V45", "414", "428"]),
            "note": " ".join(draw.sample(words, 9)),
            "mail": f"{draw.choice(words)}{number}@example.org",
            "examide": "No",
            "nothing": "",
            "readmitted": draw.choice(["NO", "<30", ">30"]),
        }
        for number in range(n_rows)
    ]).replace({"": None})  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return propose_table(messy())


@pytest.mark.parametrize(
    ("column", "kind", "role"),
    [
        ("encounter_id", "identifier", "identifiers"),
        ("patient_nbr", "identifier", "subject"),
        ("age", "ordered ranges", "quasi_identifiers"),
        ("weight", "ordered ranges", "quasi_identifiers"),
        ("admission_type_id", "nominal code", "quasi_identifiers"),
        ("num_procedures", "number", "quasi_identifiers"),
        ("admitted", "date", "quasi_identifiers"),
        ("diag_1", "prefix code", "sensitive"),
        ("note", "free text", "dropped"),
        ("mail", "identifier", "identifiers"),
        ("examide", "constant", "dropped"),
        ("nothing", "empty", "dropped"),
        ("readmitted", "words", "quasi_identifiers"),
    ],
)
def test_roles_of_a_messy_table(table, column, kind, role):
    found = next(p for p in table.columns if p.column == column)
    assert (found.kind, found.role) == (kind, role)


def test_free_text_is_refused_in_words(table):
    note = next(p for p in table.columns if p.column == "note")
    assert (note.role, note.confidence) == ("dropped", "high")
    assert "free text is refused, because it may name anybody" in note.reason


def test_what_is_said_of_the_table(table):
    assert table.missing == ("?",)
    assert table.subject == "patient_nbr"
    assert table.n_persons == messy()["patient_nbr"].nunique()
    weight = next(p for p in table.columns if p.column == "weight")
    assert weight.missing == (messy()["weight"] == "?").mean()
    admitted = next(p for p in table.columns if p.column == "admitted")
    assert admitted.source_kind == {"date": "%d/%m/%Y"}
    note = next(p for p in table.columns if p.column == "note")
    assert "leave it out of the source" in note.reason


def test_no_reason_holds_a_cell(table):
    frame = messy()
    for found in table.columns:
        for cell in frame[found.column].dropna().unique():
            assert len(cell) < 4 or cell not in found.reason
        assert SECRET not in found.reason


def test_in_doubt_a_column_is_a_quasi_identifier(table):
    unsure = [p for p in table.columns if p.confidence == "low"]
    assert unsure
    assert {p.role for p in unsure} == {"quasi_identifiers"}


def test_what_a_person_states_goes_first():
    stated = {"readmitted": "sensitive", "age": "dropped", "encounter_id": "subject"}
    roles = {p.column: p.role for p in propose_roles(messy(), stated=stated)}
    assert {name: roles[name] for name in stated} == stated
    assert roles["patient_nbr"] == "identifiers"


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"aage": "sensitive"}, "did you mean 'age'"),
        ({"age": "sensitiv"}, "did you mean 'sensitive'"),
        ({"age": "subject", "weight": "subject"}, "subject: one column"),
    ],
)
def test_stated_roles_are_checked(stated, message):
    with pytest.raises(ParameterError, match=message):
        propose_roles(messy(20), stated=stated)


def test_a_sensitive_column_that_tells_persons_apart_is_generalized():
    frame = pd.DataFrame({
        "age": ["30", "40"] * 50,
        "income": [str(1000 + 13.5 * number) for number in range(100)],
    })  # fmt: skip
    found = propose_roles(frame)[1]
    assert found.role == "quasi_identifiers"
    assert "accept_unique" in found.reason


def test_numbers_that_differ_are_no_identifiers_and_serials_are():
    frame = pd.DataFrame({
        "x": [str(number) for number in range(1000)],
        "y": [f"{number * 1.37:.2f}" for number in range(1000)],
        "age": [str(20 + number % 60) for number in range(1000)],
    })  # fmt: skip
    assert [p.role for p in propose_roles(frame)] == [
        "identifiers", "quasi_identifiers", "quasi_identifiers",
    ]  # fmt: skip


def test_an_identifier_that_repeats_makes_persons_counted():
    names = [f"Anna {chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200)]
    frame = pd.DataFrame(
        {"who": [*names, names[0]], "age": ["30"] * 100 + ["40"] * 101}
    )
    assert propose_roles(frame)[0].role == "subject"


def test_ambiguous_dates_are_left_out_until_somebody_states_them():
    cells = [f"{1 + n % 12:02}/{1 + n % 11:02}/2020" for n in range(100)]
    frame = pd.DataFrame({"born": cells, "sex": ["m", "f"] * 50})
    found = propose_roles(frame)[0]
    assert (found.role, found.confidence) == ("dropped", "low")
    assert "could be exchanged" in found.reason
    stated = propose_roles(frame, dates={"born": {"date": "%m/%d/%Y"}})[0]
    assert stated.role == "quasi_identifiers"
    assert stated.source_kind == {"date": "%m/%d/%Y"}


@pytest.mark.parametrize(
    ("columns", "marks"),
    [
        ({"a": ["1", "NA", "3"]}, ["NA"]),
        ({"country": ["NA", "DE", "FR"]}, []),
        ({"a": ["x", "NA", "y"], "b": ["NA", "u", "v"]}, ["NA"]),
        ({"a": ["x", "?", "y"]}, ["?"]),
        ({"a": ["None", "Norm", ">7"]}, []),
    ],
)
def test_marks_of_missing_values(columns, marks):
    assert find_missing_marks(pd.DataFrame(columns)) == marks


def test_nothing_to_protect_is_refused():
    with pytest.raises(DataError, match="nothing to generalize"):
        propose_roles(pd.DataFrame({"x": ["a"] * 9}))
    with pytest.raises(DataError, match="no rows"):
        propose_roles(pd.DataFrame({"x": []}))


def test_a_score_is_the_loss_that_levels_save():
    from anon_transformers.partitioning import MondrianAnonymizer

    frame = messy()[["age", "admission_type_id", "readmitted"]]
    trees = {name: suggest_hierarchy(frame[name]).hierarchy for name in frame}
    scores = score_hierarchies(frame, trees, k=5)
    flat = Hierarchy([(leaf, "*") for leaf in trees["age"].leaves])

    def loss(given):
        made = MondrianAnonymizer(k=5, hierarchies=given)
        made.fit_transform(frame)
        return made.report_.loss

    assert scores["age"] == pytest.approx(loss({**trees, "age": flat}) - loss(trees))
    assert scores["age"] > 0
    assert scores["readmitted"] == 0


# ------------------------------------------------- columns that a release would refuse


def visits(column, per_person, n_persons=60):
    """Persons with several rows, told apart by a column."""
    draw = random.Random(2)
    rows = []
    for number in range(n_persons):
        age, sex = str(draw.randint(18, 90)), draw.choice("fm")
        for _ in range(per_person):
            rows.append([f"K{number}x", age, sex, draw.choice("uvwxyz")])
    return pd.DataFrame(rows, columns=[column, "age", "sex", "income"])


@pytest.mark.parametrize("rest", ["propose", "drop-unsure", "drop"])
@pytest.mark.parametrize(
    ("column", "per_person"), [("patient_id", 40), ("patient_number", 3)]
)
def test_a_column_with_the_name_of_a_person_is_the_subject(column, per_person, rest):
    stated = {"age": "quasi_identifiers", "sex": "quasi_identifiers"}
    table = propose_table(visits(column, per_person), stated=stated, rest=rest)
    assert table.subject == column
    assert table.n_persons == 60


def test_what_would_be_refused_as_dropped_is_the_subject():
    stated = {"age": "quasi_identifiers", "sex": "quasi_identifiers"}
    frame = visits("locker", 15)
    table = propose_table(frame, stated=stated, rest="drop")
    assert table.subject == "locker"
    (found,) = [one for one in table.columns if one.role == "subject"]
    assert "agree in 2 of 2 independent quasi-identifiers" in found.reason
    assert "accept_repeated" in found.reason
    assert found.confidence == "medium"
    table = propose_table(frame, stated={**stated, "locker": "dropped"}, rest="drop")
    assert table.subject is None  # a person has decided
    frame["locker"] = frame["locker"].sample(frac=1, random_state=1).to_numpy()
    table = propose_table(frame, stated=stated, rest="drop")
    assert table.of_role("dropped") == ["locker", "income"]


@pytest.mark.parametrize("name", ["paid", "covid", "grid"])
def test_an_ending_is_no_identifier(name):
    draw = random.Random(3)
    frame = pd.DataFrame({
        name: [str(draw.randrange(300)) for _ in range(600)],
        "age": [str(draw.randint(18, 90)) for _ in range(600)],
    })  # fmt: skip
    assert propose_table(frame).of_role("quasi_identifiers") == [name, "age"]

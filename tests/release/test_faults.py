"""What no candidate may be: other rows and cells, lying labels, telling columns."""

import re

import numpy as np
import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ExtremesWarning,
    GateError,
    RepeatedIdentifierWarning,
    SpellingWarning,
)
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)

yaml = pytest.importorskip("yaml")


class Lying(MondrianAnonymizer):
    """Keeps k, and does with the rest whatever a test asks for."""

    def fit_transform(self, X, y=None):
        return self.lie(super().fit_transform(X), X)

    @classmethod
    def telling(cls, lie):
        return type("Lying", (cls,), {"lie": lambda self, table, X: lie(table, X)})


def released(release, registered, lie):
    registered("anonymizers", "lying", Lying.telling(lie))
    release.write(anonymizer=release.mondrian(name="lying"))
    return run_release(release.file)


def names_as_notes(table, X):
    return table.assign(note=X["name"].to_numpy())


def names_as_codes(table, X):
    # Every name stands in a class of its size, so that k is kept.
    codes = table.groupby(["age", "zip"])["zip"].transform("size").astype(str)
    first = X["name"].to_numpy()[0].lower()
    return table.assign(
        zip=np.where(codes == codes.iloc[0], f" {first} ", table["zip"])
    )


def other_jobs(table, X):
    return table.assign(
        job=np.where(np.arange(len(table)) == 0, "made up", table["job"])
    )


def more_of_a_job(table, X):
    return table.assign(job=X["job"].to_numpy()[0])


def wrong_ages(table, X):
    return table.assign(age="[90, 99]")


def odd_ages(table, X):
    return table.assign(age="somewhere")


def swapped_rows(table, X):
    # Each class is kept; whose rows they are is not what the order says.
    return table.iloc[::-1].reset_index(drop=True)


def permuted_jobs(table, X):
    return table.assign(job=np.roll(table["job"].to_numpy(), 1))


def emptied_where(table, X):
    return table.assign(note=table["note"].where(table["job"] != X["job"].iloc[0]))


def five_times(table, X):
    return pd.concat([table] * 5, ignore_index=True)


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (names_as_notes, "column 'note' holds cells in 40 rows"),
        (names_as_codes, "column 'zip' holds"),
        (other_jobs, "column 'job' holds cells in 1 rows"),
        (more_of_a_job, "column 'job' holds cells in"),
        (wrong_ages, "column 'age' holds labels in 40 rows that do not cover"),
        (odd_ages, "column 'age' holds labels in 40 rows that are neither"),
        (five_times, "made 200 rows of 40"),
        (swapped_rows, "column 'job' holds cells in"),
        (permuted_jobs, "column 'job' holds cells in"),
        (emptied_where, "column 'note' holds cells in"),
    ],
)
def test_an_anonymizer_that_lies_is_caught(release, registered, lie, sentence):
    with pytest.raises(AnonymizationError, match=sentence) as caught:
        released(release, registered, lie)
    assert "NAMEMARK" not in str(caught.value)
    assert not (release.target / "current").exists()


def test_identifiers_are_looked_for_as_they_are_read(release, registered):
    class Named(Lying.telling(names_as_codes)):
        @property
        def publishes(self):
            return "names"

    registered("anonymizers", "named", Named)
    release.write(anonymizer=release.mondrian(name="named", tie_side="left"))
    with pytest.raises(GateError, match="'zip' holds identifiers in 10 rows"):
        run_release(release.file)


@pytest.mark.parametrize(
    ("word", "label", "sentence"),
    [
        ("names", "town of NAMEMARK7 and others", "'zip' holds identifiers in 40 rows"),
        ("whatever", "somewhere", "does not say what it publishes"),
        ("swaps", "007", "against its kind"),
    ],
)
def test_what_an_anonymizer_says_of_itself_is_checked(
    release, registered, word, label, sentence
):
    class Odd(Lying.telling(lambda table, X: table.assign(zip=label, age="all"))):
        publishes = word

    registered("anonymizers", "odd", Odd)
    release.write(anonymizer=release.mondrian(name="odd"))
    with pytest.raises(GateError, match=sentence) as caught:
        run_release(release.file)
    assert "NAMEMARK" not in str(caught.value)


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(lambda number: f"x{number.replace('-', '')}", id="no-hyphens"),
        pytest.param(lambda number: f"x{number.replace('-', ' ')}", id="blanks"),
        pytest.param(lambda number: number.replace("-", "."), id="dots"),
        pytest.param(lambda number: number.replace("-", "\u2013"), id="dashes"),
        pytest.param(lambda number: number.replace("-", "'-"), id="quotes"),
        pytest.param(lambda number: int(number.replace("-", "")), id="whole-numbers"),
        pytest.param(lambda number: float(number.replace("-", "")), id="floats"),
    ],
)
def test_numbers_of_persons_are_found_however_they_are_written(
    release, registered, spelled
):
    numbers = [f"{i + 12:03d}-{i % 90 + 10}-{7000 + i}" for i in range(40)]

    class Numbered(
        Lying.telling(lambda table, X: table.assign(zip=spelled(numbers[0])))
    ):
        publishes = "names"

    rows = rows_of(ssn=numbers, zip=[f"{i % 4 + 1}0" for i in range(40)])
    registered("anonymizers", "numbered", Numbered)
    known = ["age", "zip"]
    of_rows(release, rows, "numbered", identifiers=["ssn"], quasi_identifiers=known)
    with pytest.raises(GateError, match="'zip' holds identifiers in 40 rows") as caught:
        run_release(release.file)
    assert numbers[0][-4:] not in str(caught.value)


def test_numbers_of_ranges_are_nobody(release, registered):
    class Ranged(Lying.telling(lambda table, X: table.assign(zip="[1000, 2000]"))):
        publishes = "names"

    rows = rows_of(code=range(100020, 100060), zip=[f"{i % 4 + 1}0" for i in range(40)])
    registered("anonymizers", "ranged", Ranged)
    known = ["age", "zip"]
    of_rows(release, rows, "ranged", identifiers=["code"], quasi_identifiers=known)
    table = read_published(run_release(release.file), labels="text")
    assert (table["zip"] == "[1000, 2000]").all()
    assert len(table) == 40


def test_a_table_that_an_anonymizer_writes_into_changes_no_count(release, registered):
    class Writing(MondrianAnonymizer):
        def fit_transform(self, X, y=None):
            table = super().fit_transform(X)
            X["name"] = [f"another {number}" for number in range(len(X))]
            X["job"] = "JOBMARK-a"
            return table

    rows = visits(n_persons=10, n_rows=4)
    of_persons(release, rows)
    registered("anonymizers", "writing", Writing)
    release.write(anonymizer={"name": "writing", "k": 1, "step": {"age": 1}})
    with pytest.raises(GateError, match="k-anonymity: the level is"):
        release.write(thresholds=[{"model": "k-anonymity", "k": 8}])
        run_release(release.file)


def test_what_it_says_after_it_saw_the_table_is_not_published(release, registered):
    class Talking(MondrianAnonymizer):
        def fit_transform(self, X, y=None):
            table = super().fit_transform(X)
            self.suppression_label = ", ".join(X["name"])
            self.seen = ", ".join(X["name"])
            return table

        @property
        def extremes(self):
            return getattr(self, "seen", "")

    registered("anonymizers", "talking", Talking)
    release.write(anonymizer=release.mondrian(name="talking"))
    run_release(release.file)
    assert "NAMEMARK" not in str(release.public_bytes())


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_centers_lie_within_their_class(release, registered, shift):
    class Centered(
        Lying.telling(lambda table, X: table.assign(age=table["age"] + shift))
    ):
        pass

    registered("anonymizers", "centered", Centered)
    roles = {**release.content["roles"], "quasi_identifiers": ["age"]}
    roles["insensitive"] = ["note", "zip"]
    release.write(
        anonymizer={"name": "centered", "output": "center", "step": {"age": 5}},
        roles=roles,
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    with pytest.warns(ExtremesWarning):
        candidate = anonymize(load(release.file))
    if shift:
        with pytest.raises(GateError, match="'age' holds centers in 40 rows"):
            validate(candidate)
    else:
        publish(validate(candidate))
        assert len(read_published(release.target)) == 40


def visits(n_persons=60, n_rows=3, **columns):
    """Several rows per person, as texts of a CSV file."""
    header = ["who", "age", "job", *columns]
    rows = [header]
    for number in range(n_persons):
        for visit in range(n_rows):
            more = [make(number, visit) for make in columns.values()]
            age, job = str(20 + number % 3), "abc"[number // 3 % 3]
            rows.append([f"P{number}", age, job, *more])
    return rows


def of_persons(release, rows, **roles):
    release.write_rows(rows)
    declared = {
        "quasi_identifiers": ["age"],
        "sensitive": ["job"],
        "identifiers": ["who"],
        "subject": "who",
        **roles,
    }
    declared = {key: value for key, value in declared.items() if value is not None}
    release.write(
        roles=declared,
        anonymizer={"name": "mondrian", "step": {"age": 1}},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    return release


def test_mail_addresses_of_persons_with_several_rows_are_unique(release):
    rows = visits(mail=lambda number, visit: f"p{number}@example.org")
    of_persons(release, rows, insensitive=["mail"])
    message = release.refusal(DataError)
    assert "insensitive column 'mail': 100% of the persons" in message
    of_persons(release, rows, insensitive=["mail"], accept_unique=["mail"])
    run_release(release.file)


def test_a_repeated_identifier_is_a_person_with_several_rows(release):
    of_persons(release, visits(), subject=None)
    message = release.refusal(DataError)
    assert "identifier 'who' repeats (60 values" in message
    assert "subject: who" in message
    assert "rows_are_persons: true" in message
    of_persons(release, visits(), subject=None, rows_are_persons=True)
    run_release(release.file)


@pytest.mark.parametrize("subject", ["who", None])
def test_a_person_in_several_spellings_is_one_person(release, subject):
    rows = visits(n_persons=20, n_rows=3)
    for number, row in enumerate(rows[1:]):
        row[0] = [row[0], row[0].lower(), f"{row[0]} "][number % 3]
    of_persons(release, rows, subject=subject)
    message = release.refusal(DataError)
    spelled = "the 60 texts of column 'who' are 20 persons to a reader"
    assert (spelled if subject else "identifier 'who' repeats (20 values") in message


@pytest.mark.parametrize("subject", ["who", None])
@pytest.mark.parametrize(
    "ways",
    [
        pytest.param(["920-23-70{:02d}", "9202370{:02d}"], id="divided-digits"),
        pytest.param(["{}", "{}.0"], id="numbers-by-value"),
        pytest.param(["Smith{}, Anna", "Anna Smith{}"], id="order-of-words"),
        pytest.param(["M\u00fcller{}", "Muller{}", "Mueller{}"], id="accents"),
        pytest.param(["AB-12{:02d}", "ab 12{:02d}", "AB12{:02d}"], id="divided-code"),
    ],
)
def test_a_person_is_counted_once_however_written(release, subject, ways):
    rows = visits(n_persons=20, n_rows=len(ways))
    for number, row in enumerate(rows[1:]):
        person, way = divmod(number, len(ways))
        written = ways[way].format(person + 1)
        row[0] = f'"{written}"'
    of_persons(release, rows, subject=subject)
    release.write(source={**release.content["source"], "columns": {"who": "text"}})
    message = release.refusal(DataError)
    spelled = f"the {20 * len(ways)} texts of column 'who' are 20 persons to a reader"
    assert (spelled if subject else "identifier 'who' repeats (20 values") in message
    assert "Smith" not in message
    assert "920" not in message


@pytest.mark.parametrize("subject", ["who", None])
def test_zeros_before_a_number_are_warned_of(release, subject):
    rows = visits(n_persons=20, n_rows=2)
    for number, row in enumerate(rows[1:]):
        row[0] = ["{}", "{:03d}"][number % 2].format(number // 2 + 1)
    of_persons(release, rows, subject=subject)
    release.write(source={**release.content["source"], "columns": {"who": "text"}})
    warning = SpellingWarning if subject else RepeatedIdentifierWarning
    with pytest.warns(warning, match="zeros before a number"):
        anonymize(load(release.file))


def test_rows_of_nobody_are_refused(release):
    rows = visits(n_persons=20, n_rows=3)
    for row in rows[1:8]:
        row[0] = ""
    of_persons(release, rows)
    assert "column 'who' is empty in 7 rows" in release.refusal(DataError)


def test_one_value_per_person_is_checked_where_it_is_declared(release):
    rows = visits(ill=lambda number, visit: "xyz"[visit])
    of_persons(release, rows, sensitive=["ill"], insensitive=["job"],
               one_value_per_person=["ill"])  # fmt: skip
    assert "60 persons have several values in column 'ill'" in release.refusal(
        DataError
    )


WRITTEN = {
    "spellings": lambda value: [value, value.upper(), f"{value} "],
    "marks": lambda value: [value, "NA", "-"],
    "empty cells": lambda value: [value, "", value],
    "all of these": lambda value: [value.upper(), "", value, "unknown"],
}


@pytest.mark.parametrize("way", WRITTEN)
def test_one_value_per_person_is_that_which_people_read(release, way):
    """With it t-closeness counts each person once, whatever the rows say."""
    values = ["flu", "hiv", "cold"]

    def ill(number, visit):
        # In every class 8 persons have flu, and 6 each of the others.
        return WRITTEN[way](values[(number // 3 % 10) % 3])[visit]

    rows = visits(n_rows=len(WRITTEN[way]("")), ill=ill)
    of_persons(release, rows, sensitive=["ill"], insensitive=["job"],
               one_value_per_person=["ill"])  # fmt: skip
    models = [{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 0.001}]
    release.write(thresholds=models)
    run_release(release.file)
    rows[1][-1] = "HIV-1"
    rows[2][-1] = "flu"
    release.write_rows(rows)
    release.target, release.work = release.folder / "new", release.folder / "fresh"
    release.write(target={"path": "new"}, workspace="fresh")
    message = release.refusal(DataError)
    assert (
        "one_value_per_person: 1 persons have several values in column 'ill'" in message
    )
    assert "spellings" in message
    assert "missing_marks" in message


def test_marks_that_a_threshold_states_are_no_further_value(release):
    rows = visits(ill=lambda number, visit: [f"ill {number % 2}", "9999"][visit % 2])
    of_persons(release, rows, sensitive=["ill"], insensitive=["job"],
               one_value_per_person=["ill"])  # fmt: skip
    assert "60 persons have several values" in release.refusal(DataError)
    t = {"model": "t-closeness", "t": 1, "missing_marks": ["9999"]}
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, t])
    run_release(release.file)


def test_a_release_says_in_which_column_persons_have_several_values(release):
    rows = visits(ill=lambda number, visit: "xyz"[visit])
    of_persons(release, rows, sensitive=["ill"], insensitive=["job"],
               one_value_per_person=["ill"])  # fmt: skip
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 1}]
    )
    with pytest.raises(DataError, match="several values in column 'ill'"):
        run_release(release.file)


def test_every_telling_column_and_pair_is_reported_at_once(release):
    rows = visits(
        mail=lambda number, visit: f"p{number}@example.org",
        pay=lambda number, visit: str(1000 + number),
        town=lambda number, visit: f"t{number % 8}",
        shop=lambda number, visit: f"s{number // 8}",
    )
    of_persons(release, rows, insensitive=["mail", "pay", "town", "shop"])
    lines = release.refusal(DataError).splitlines()
    for at, what in enumerate(("column 'mail'", "column 'pay'", "columns 'town' and")):
        assert f"insensitive {what}" in lines[at]
    assert len(lines) == 3
    of_persons(release, rows, insensitive=["mail", "town", "shop", "pay"],
               accept_unique=["mail", "pay"])  # fmt: skip
    lines = release.refusal(DataError)
    assert lines.startswith("insensitive columns 'town' and 'shop' together")
    assert "\n" not in lines


def test_every_identifier_that_repeats_is_named(release):
    rows = visits(
        born=lambda number, visit: f"b{number % 20}",
        sex=lambda number, visit: "fm"[number % 2],
        visit=lambda number, visit: f"v{number}-{visit}",
    )
    of_persons(release, rows, subject=None,
               identifiers=["sex", "born", "who", "visit"])  # fmt: skip
    message = release.refusal(DataError)
    for column in ("sex", "born", "who"):
        assert f"identifier {column!r} repeats" in message
    assert "'visit'" not in message
    # The one that tells most persons apart, though a visit is unique beside it.
    assert "'subject: who'" in message
    assert "'rows_are_persons: true'" in message
    assert "subject: sex" not in message


def test_t_is_not_evaluable_where_persons_have_several_values(release):
    rows = visits(ill=lambda number, visit: "xyz"[visit])
    of_persons(release, rows, sensitive=["ill"], insensitive=["job"],
               one_value_per_person=["ill"])  # fmt: skip
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 1}]
    )
    with pytest.raises(DataError, match=r"one_value_per_person: .* have several"):
        run_release(release.file)
    of_persons(release, visits(), one_value_per_person=["job"])
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 1}]
    )
    run_release(release.file)


@pytest.mark.parametrize("about", [{}, {"sensitive": "ill"}], ids=["all", "one"])
@pytest.mark.parametrize("declared", [[], ["job"]])
def test_t_is_refused_until_one_value_per_person_is_declared(release, about, declared):
    # Each person has one value here, and nobody said so.
    rows = visits(ill=lambda number, visit: "xyz"[number % 3])
    columns = {"sensitive": ["job", "ill"], "insensitive": []}
    of_persons(release, rows, **columns, one_value_per_person=declared)
    asked = {"model": "t-closeness", "t": 1, **about}
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, asked])
    message = release.refusal()
    assert "t-closeness: t-closeness compares" in message
    line = re.search(r"'(one_value_per_person: .*?)' under roles", message)[1]
    of_persons(release, rows, **columns, **yaml.safe_load(line))
    run_release(release.file)


def test_t_about_a_declared_column_says_nothing_of_others(release):
    rows = visits(ill=lambda number, visit: "xyz"[visit])
    of_persons(release, rows, sensitive=["job", "ill"], insensitive=[],
               one_value_per_person=["job"])  # fmt: skip
    asked = {"model": "t-closeness", "t": 1, "sensitive": "job"}
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, asked])
    table = read_published(run_release(release.file), labels="text")
    assert {"job", "ill"} <= set(table)
    assert len(table) == len(rows) - 1  # less the header


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        ({"one_value_per_person": ["age"]}, "one_value_per_person: unknown sensitive"),
        ({"rows_are_persons": True}, "with a subject, persons are counted"),
        ({"accept_unique": ["age"]}, "accept_unique: unknown column 'age'"),
        ({"accept_unique": [["job", "agee"]]}, "unknown column 'agee'"),
        ({"small_group": 1}, "greater than or equal to 2"),
    ],
)
def test_odd_roles_are_refused(release, roles, sentence):
    of_persons(release, visits(), **roles)
    assert sentence in release.refusal(ConfigurationError)


def rows_of(**columns):
    n_rows = len(next(iter(columns.values())))
    ages = [str(20 + i % 2) for i in range(n_rows)]
    rows = zip(ages, *columns.values(), strict=True)
    return [["age", *columns], *([str(cell) for cell in row] for row in rows)]


def of_rows(release, rows, anonymizer="mondrian", **roles):
    release.write_rows(rows)
    roles = {"quasi_identifiers": ["age"], **roles}
    release.write(
        roles=roles,
        anonymizer={
            "name": anonymizer,
            "step": dict.fromkeys(roles["quasi_identifiers"], 1),
        },
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    return release

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
    TellingColumnsWarning,
)
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.release._faults import telling_faults, telling_share

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
    release.write(anonymizer=release.mondrian(name="named"))
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
    "spelt",
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
    release, registered, spelt
):
    numbers = [f"{i + 12:03d}-{i % 90 + 10}-{7000 + i}" for i in range(40)]

    class Numbered(Lying.telling(lambda table, X: table.assign(zip=spelt(numbers[0])))):
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
    run_release(release.file)


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
    told = release.refusal(DataError)
    assert "insensitive column 'mail': 100% of the persons" in told
    of_persons(release, rows, insensitive=["mail"], accept_unique=["mail"])
    run_release(release.file)


def test_a_repeated_identifier_is_a_person_with_several_rows(release):
    of_persons(release, visits(), subject=None)
    told = release.refusal(DataError)
    assert "identifier 'who' repeats: 60 of its values" in told
    assert "subject: who" in told
    assert "rows_are_persons: true" in told
    of_persons(release, visits(), subject=None, rows_are_persons=True)
    run_release(release.file)


@pytest.mark.parametrize("subject", ["who", None])
def test_a_person_in_several_spellings_is_one_person(release, subject):
    rows = visits(n_persons=20, n_rows=3)
    for number, row in enumerate(rows[1:]):
        row[0] = [row[0], row[0].lower(), f"{row[0]} "][number % 3]
    of_persons(release, rows, subject=subject)
    told = release.refusal(DataError)
    spelt = "the 60 texts of column 'who' are 20 persons to a reader"
    assert (spelt if subject else "identifier 'who' repeats: 20 of its values") in told


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
    told = release.refusal(DataError)
    assert "one_value_per_person: 1 persons have several values in column 'ill'" in told
    assert "spellings" in told
    assert "missing_marks" in told


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
    told = release.refusal(DataError).splitlines()
    for at, what in enumerate(("column 'mail'", "column 'pay'", "columns 'town' and")):
        assert f"insensitive {what}" in told[at]
    assert len(told) == 3
    of_persons(release, rows, insensitive=["mail", "town", "shop", "pay"],
               accept_unique=["mail", "pay"])  # fmt: skip
    told = release.refusal(DataError)
    assert told.startswith("insensitive columns 'town' and 'shop' together")
    assert "\n" not in told


def test_every_identifier_that_repeats_is_named(release):
    rows = visits(
        born=lambda number, visit: f"b{number % 20}",
        sex=lambda number, visit: "fm"[number % 2],
        visit=lambda number, visit: f"v{number}-{visit}",
    )
    of_persons(release, rows, subject=None,
               identifiers=["sex", "born", "who", "visit"])  # fmt: skip
    told = release.refusal(DataError)
    for column in ("sex", "born", "who"):
        assert f"identifier {column!r} repeats" in told
    assert "'visit'" not in told
    # The one that tells most persons apart, though a visit is unique beside it.
    assert "'subject: who'" in told
    assert "'rows_are_persons: true'" in told
    assert "subject: sex" not in told


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
    told = release.refusal()
    assert "t-closeness: t-closeness compares" in told
    line = re.search(r"'(one_value_per_person: .*?)' under roles", told)[1]
    of_persons(release, rows, **columns, **yaml.safe_load(line))
    run_release(release.file)


def test_t_about_a_declared_column_says_nothing_of_others(release):
    rows = visits(ill=lambda number, visit: "xyz"[visit])
    of_persons(release, rows, sensitive=["job", "ill"], insensitive=[],
               one_value_per_person=["job"])  # fmt: skip
    asked = {"model": "t-closeness", "t": 1, "sensitive": "job"}
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, asked])
    run_release(release.file)


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


def test_values_that_occur_exactly_twice_tell_persons_apart(release):
    rows = rows_of(code=[i // 2 for i in range(60)])
    of_rows(release, rows, insensitive=["code"])
    assert "fewer than 3 do (limit 5%)" in release.refusal(DataError)
    of_rows(release, rows, insensitive=["code"], small_group=2)
    run_release(release.file)


def test_a_column_that_few_rows_fill_tells_those_apart(release):
    mail = [f"p{i}@example.org" if i < 4 else "" for i in range(120)]
    rows = rows_of(mail=mail)
    of_rows(release, rows, insensitive=["mail"])
    message = release.refusal(DataError)
    assert "'mail', where it is filled: 100% of the rows" in message
    of_rows(release, rows, insensitive=["mail"], accept_unique=["mail"])
    run_release(release.file)


@pytest.mark.parametrize(
    "mark", ["", "none", "None", "-", "n/a", "N.A.", "unknown", "NULL"]
)
def test_a_column_is_filled_as_people_read_it(mark):
    mail = [f"p{i}@example.org" for i in range(40)] + [mark] * 960
    table = pd.DataFrame({"mail": mail, "other": ["x", "y"] * 500})
    roles = DeclaredRoles(insensitive=("mail", "other"))
    (told,) = telling_faults(table, roles)
    assert "'mail', where it is filled: 100% of the rows" in told


def test_a_column_is_filled_beside_marks_that_are_stated(release):
    mail = [f"p{i}@example.org" if i < 4 else "geheim" for i in range(120)]
    rows = rows_of(mail=mail)
    of_rows(release, rows, sensitive=["mail"])
    diverse = {"model": "distinct-l-diversity", "l": 1, "sensitive": "mail"}
    thresholds = [{"model": "k-anonymity", "k": 3}]
    release.write(thresholds=[*thresholds, {**diverse, "missing_marks": ["geheim"]}])
    assert "'mail', where it is filled: 100% of the rows" in release.refusal(DataError)
    release.write(thresholds=[*thresholds, diverse])
    run_release(release.file)


@pytest.mark.parametrize("mark", [None, "-"])
@pytest.mark.parametrize("more", [0, 4])
def test_a_pair_that_few_rows_fill_tells_those_apart(mark, more):
    user = [f"u{i % 6}" for i in range(36)] + [mark] * 964
    domain = [f"d{i // 6}.org" for i in range(36)] + [mark] * 964
    domain[36 : 36 + more] = ["d0.org"] * more
    table = pd.DataFrame({"user": user, "domain": domain})
    roles = DeclaredRoles(insensitive=("user", "domain"))
    shares = []
    (told,) = telling_faults(table, roles, on_share=shares.append)
    share = 36 / (36 + more)
    assert f"together, where they are filled: {share:.0%} of the rows" in told
    assert shares == [pytest.approx(share)]
    accepted = roles.model_copy(update={"accept_unique": (("user", "domain"),)})
    assert telling_faults(table, accepted) == []


def test_a_pair_that_few_persons_fill_tells_those_apart():
    who = np.repeat(np.arange(1000), 2)
    user = [f"u{i // 2 % 6}" for i in range(72)] + [None] * 1928
    domain = [f"d{i // 12}.org" for i in range(72)] + [None] * 1928
    table = pd.DataFrame({"user": user, "domain": domain})
    roles = DeclaredRoles(insensitive=("user", "domain"), subject="who")
    (told,) = telling_faults(table, roles, pd.Series(who))
    assert "together, where they are filled: 100% of the persons" in told


def test_a_pair_of_which_one_column_is_filled_is_judged_by_all_rows():
    flag = ["y"] * 10 + [None] * 990
    table = pd.DataFrame({"flag": flag, "ward": [f"w{i % 10}" for i in range(1000)]})
    assert telling_faults(table, DeclaredRoles(insensitive=("flag", "ward"))) == []


def test_a_pair_of_columns_may_tell_what_neither_does_alone(release):
    rows = rows_of(day=[i % 8 for i in range(64)], ward=[i // 8 for i in range(64)])
    of_rows(release, rows, insensitive=["day", "ward"])
    assert "'day' and 'ward' together: 100% of the rows" in release.refusal(DataError)
    of_rows(release, rows, insensitive=["day", "ward"], accept_unique=["day"])
    assert "'day' and 'ward' together" in release.refusal(DataError)
    accepted = [["ward", "day"]]
    of_rows(release, rows, insensitive=["day", "ward"], accept_unique=accepted)
    with pytest.warns(TellingColumnsWarning, match="together tell 100% of the rows"):
        run_release(release.file)


def test_three_columns_together_warn(release):
    n = 216
    columns = {"a": [i % 6 for i in range(n)], "b": [i // 6 % 6 for i in range(n)],
               "c": [i // 36 for i in range(n)]}  # fmt: skip
    of_rows(release, rows_of(**columns), insensitive=list(columns))
    with pytest.warns(TellingColumnsWarning, match="tell 100% of the rows apart"):
        run_release(release.file)


def test_a_sensitive_column_that_is_nearly_unique_is_refused(release):
    rows = rows_of(account=range(60))
    of_rows(release, rows, sensitive=["account"])
    assert "sensitive column 'account': 100%" in release.refusal(DataError)
    of_rows(release, rows, sensitive=["account"], accept_unique=["account"])
    run_release(release.file)


def test_telling_columns_are_judged_on_the_candidate(release):
    # Of 100 rows 4 are told apart; 30 others are dropped, and 4 of 70 are too many.
    ages = ["20"] * 70 + [str(30 + i) for i in range(30)]
    notes = ["a", "b", "c", "d"] + ["n"] * 96
    release.write_rows([["age", "note"], *map(list, zip(ages, notes, strict=True))])
    release.write(
        roles={"quasi_identifiers": ["age"], "insensitive": ["note"]},
        hierarchies={"age": {"kind": "intervals", "widths": [50]}},
        anonymizer={
            "name": "datafly",
            "suppression": "drop",
            "suppression_limit": 0.4,
        },
        thresholds=[{"model": "k-anonymity", "k": 5}],
    )
    with pytest.raises(GateError, match="'note': 6% of the rows hold values that"):
        run_release(release.file)


@pytest.mark.parametrize("seed", range(5))
def test_the_share_that_is_told_apart_by_a_plain_count(seed):
    from anon_transformers._data.columns import identify

    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 6, 40), "b": rng.integers(0, 4, 40)})
    who = rng.integers(0, 15, 40)
    holders = {}
    for pair, person in zip(frame.itertuples(index=False), who, strict=True):
        holders.setdefault(tuple(pair), set()).add(person)
    told = set().union(*(people for people in holders.values() if len(people) < 3))
    columns = [identify(frame[name]) for name in frame]
    share = telling_share(columns, who, small_group=3)
    assert share == pytest.approx(len(told) / len(set(who)))

"""Ways around the judgement of releases together, each of which is refused."""

import shutil
import sqlite3
from contextlib import closing
from inspect import signature

import pytest
import yaml

from anon_transformers.exceptions import GateError
from anon_transformers.ledger import MembershipKey
from anon_transformers.registry import registry
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._config import read_config
from anon_transformers.release._ledger import ledger_url, open_ledger
from anon_transformers.release._stated_composition import OF_PERSONS
from tests.release.months import ROLES, SECRET, persons, refused


def test_who_was_forgotten_does_not_leave_unseen(monthly):
    monthly.publish(persons(6))
    ledger = open_ledger(read_config(monthly.file))
    key = MembershipKey(SECRET)
    assert len(ledger.forget_person("NAMEMARKa5", key)) == 1
    assert "1 person who left" in refused(monthly, persons(5))


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ('"Smith{}, Anna"', "Anna Smith{}"),
        ("920-23-700{}", "92023700{}"),
        ("P-100{}", "p100{}"),
        ("0010{}", "10{}"),
        ("P-0010{}", "P10{}"),
    ],
)
def test_another_spelling_of_persons_hides_no_joiner(monthly, written, otherwise):
    rows = persons(7)
    spelled = [[written.format("abcdefg"[i]), *row[1:]] for i, row in enumerate(rows)]
    later = [[otherwise.format("abcdefg"[i]), *row[1:]] for i, row in enumerate(rows)]
    if "Smith" not in written:
        spelled = [[written.format(i), *row[1:]] for i, row in enumerate(rows)]
        later = [[otherwise.format(i), *row[1:]] for i, row in enumerate(rows)]
    monthly.publish(spelled[:6])
    with pytest.raises(GateError, match="1 person who came"):
        monthly.publish(later)


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.SpellingWarning")
@pytest.mark.parametrize("alike", [("1-12", "11-2"), ("NAMEMARK-007", "NAMEMARK-7")])
def test_keys_that_differ_by_what_divides_them_are_not_judged(monthly, alike):
    rows = persons(6)
    rows[0][0], rows[1][0] = alike
    assert "differ by what divides them alone" in refused(monthly, rows)


def test_another_subject_cannot_be_compared(monthly):
    def with_numbers(rows):
        lines = [["name", "town", "job", "ssn"]]
        lines += [[*row, f"SSN{at}"] for at, row in enumerate(rows)]
        monthly.write_rows(lines)
        return publish(validate(anonymize(load(monthly.file))))

    roles = {**ROLES, "identifiers": ["name", "ssn"]}
    monthly.write(roles=roles)
    with_numbers(persons(6))
    monthly.write(roles={**roles, "subject": "ssn"})
    with pytest.raises(GateError, match=r"apart by \['name'\], and this one by 'ssn'"):
        with_numbers(persons(7))


def test_pseudonyms_of_households_make_smaller_classes(monthly, monkeypatch):
    monkeypatch.setenv("ANON_PSEUDONYM_KEY", "7" * 64)
    monthly.write(
        roles={**ROLES, "identifiers": ["name", "home"], "rows_are_persons": False},
        pseudonyms={"columns": ["home"]},
        thresholds=[{"model": "k-anonymity", "k": 3}],
        composition={"k": 3},
    )

    def with_homes(homes):
        rows = [["name", "town", "job", "home"]]
        rows += [
            [*row, f"HOME{home}"]
            for row, home in zip(persons(len(homes)), homes, strict=True)
        ]
        monthly.write_rows(rows)
        return publish(validate(anonymize(load(monthly.file))))

    with_homes("abcddeeff")  # three live alone, three couples
    # Three come: one who lives alone, and a couple. By labels they are three.
    with pytest.raises(GateError, match="persons who came"):
        with_homes("abcddeeffghh")


def test_a_changing_value_is_followed_by_any_other_column(monthly):
    def with_pay(rows):
        lines = [["name", "town", "job", "pay"]]
        lines += [[*row, "hl"[row[2].endswith("x")]] for row in rows]
        monthly.write_rows(lines)
        return publish(validate(anonymize(load(monthly.file))))

    monthly.write(
        roles={**ROLES, "insensitive": ["pay"]},
        composition={"sensitive": {"job": "changing"}},
    )
    first = persons(12, jobs="xxyyz")
    with_pay(first)
    moved = [
        [name, "b" if job.endswith("x") else town, f"JOBMARK{'uv'[number % 2]}"]
        for number, (name, town, job) in enumerate(first)
    ]
    with pytest.raises(GateError, match="k=6, l=1 of 'job'"):
        with_pay(moved)


def test_values_are_kept_before_anybody_asks_of_them(monthly):
    monthly.write(thresholds=[{"model": "k-anonymity", "k": 3}], composition={"k": 3})
    monthly.publish(persons(6) + persons(3, jobs="z", first=6))
    monthly.write(
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2},
        ],
        composition={"sensitive": {"job": "permanent"}},
    )
    assert "too few values" in refused(monthly, persons(6))


def test_another_source_of_a_release_is_judged_with_its_versions(monthly):
    monthly.publish(persons(6))
    later = monthly.folder / "later.csv"
    lines = [["name", "town", "job"], *persons(7)]
    later.write_text("".join(",".join(row) + "\n" for row in lines))
    monthly.write(source={"path": "later.csv"})
    with pytest.raises(GateError, match="1 person who came"):
        publish(validate(anonymize(load(monthly.file))))


def test_the_key_breaks_no_first_release_of_persons_with_several_rows(monthly):
    monthly.write(composition=None)
    rows = [*persons(6), *persons(6, "b")]
    rows += [[name, "b", job] for name, _, job in persons(1)]
    monthly.publish(rows)
    ledger = open_ledger(read_config(monthly.file), to_read=True)
    (found,) = ledger.publications()
    assert (found.state, found.memberships) == ("published", "none")


def test_an_emptied_ledger_is_noticed(monthly):
    monthly.publish(persons(6))
    shutil.rmtree(monthly.work / ".ledger")
    assert "the ledger lacks 1 published version" in refused(monthly, persons(7))


def test_a_permanent_value_that_goes_missing_has_not_changed(monthly):
    monthly.publish(persons(6))
    rows = persons(6)
    rows[0][2] = ""
    monthly.publish(rows)


def test_the_section_asks_for_no_less_than_the_thresholds(monthly):
    stated = {"k": 1, "l": 1, "sensitive": {"job": "permanent"}}
    monthly.write(composition=stated)
    monthly.publish(persons(6))
    assert "asked for k=3, l=2 of 'job'" in refused(monthly, persons(7))


def test_persons_who_were_published_without_the_key_are_not_forgotten(
    monthly, monkeypatch
):
    monkeypatch.delenv("ANON_LEDGER_KEY")
    monthly.write(composition=None)
    monthly.publish(persons(6))
    roles = {key: value for key, value in ROLES.items() if key != "subject"}
    monthly.write(roles=roles)
    assert "this one names no roles.subject" in refused(monthly, persons(7))


WRITTEN = {
    "truths": [("yes", "true"), ("no", "0")],
    "numbers": [("50000", "50000.0"), ("60000", "6e4")],
    "codes": [("007", "7"), ("8", "8.0")],
    "amounts": [("5 mg", "5.0"), ("7mg", "7")],
    "words": [("Sj\u00f6gren", "SJOEGREN"), ("(Flu)", " flu.")],
    "days": [("20200102", "2020-01-02"), ("2020-03-04", "20200304")],
}


@pytest.mark.parametrize("spellings", WRITTEN.values(), ids=WRITTEN)
def test_a_permanent_value_that_is_written_otherwise_has_not_changed(
    monthly, spellings
):
    rows = persons(6)
    monthly.publish([[n, t, spellings[i % 2][0]] for i, (n, t, _) in enumerate(rows)])
    monthly.publish([[n, t, spellings[i % 2][1]] for i, (n, t, _) in enumerate(rows)])


@pytest.mark.parametrize("spellings", WRITTEN.values(), ids=WRITTEN)
def test_the_difference_is_taken_of_values_that_are_written_otherwise(
    monthly, spellings
):
    """Whoever reads both tables sees that all who left had one value."""
    one, other = spellings
    monthly.write(composition={"sensitive": {"job": "changing"}})
    held = [one[0]] * 3 + [other[0]] * 3 + [one[0]] * 3
    later = [one[1]] * 3 + [other[1]] * 3
    rows = persons(9)
    monthly.publish([[n, t, v] for (n, t, _), v in zip(rows, held, strict=True)])
    stay = [[n, t, v] for (n, t, _), v in zip(rows, later, strict=False)]
    assert "the difference of releases leaves too few values" in refused(monthly, stay)


def renamed(monthly, rows, column, **changes):
    """The same table with another name of its last column, and no word of the old."""
    roles = {**ROLES, "sensitive": [column], "accept_unique": [column]}
    stated = {"sensitive": {column: "permanent"}}
    monthly.write(roles={**roles, **changes}, composition=stated)
    monthly.write_rows([["name", "town", column], *rows])
    return publish(validate(anonymize(load(monthly.file))))


def test_a_column_that_is_called_otherwise_hides_no_leavers(monthly):
    """Three leave, all with one job; whoever subtracts knows it."""
    first = persons(6) + persons(3, jobs="z", first=6)
    monthly.publish(first)
    with pytest.raises(GateError, match="l=1 of 'job of release 1'"):
        renamed(monthly, first[:6], "work")
    renamed(monthly, first, "work")
    # It is remembered for good, and so is the new name.
    with pytest.raises(GateError, match="l=1 of 'job of release 1'"):
        renamed(monthly, first[:6], "work")


def test_a_column_that_is_called_otherwise_hides_nobody_who_moves(monthly):
    first = persons(6) + persons(3, jobs="z", first=6)
    monthly.publish(first)
    moved = [
        [name, "b", f"JOBMARK{'xyz'[i]}"] for i, (name, *_) in enumerate(first[6:])
    ]
    with pytest.raises(GateError, match="l=1 of 'job of release 1'"):
        renamed(monthly, first[:6] + moved, "work")


def test_a_sensitive_column_of_before_is_not_published_in_another_role(monthly):
    monthly.publish(persons(6))
    rows = [[*row, "NOTE"] for row in persons(6)]
    monthly.write(
        roles={**ROLES, "sensitive": ["note"], "insensitive": ["job"]},
        thresholds=[{"model": "k-anonymity", "k": 3}],
        composition={"k": 3},
    )
    monthly.write_rows([["name", "town", "job", "note"], *rows])
    with pytest.raises(GateError, match="in another role than sensitive"):
        publish(validate(anonymize(load(monthly.file))))


def test_a_threshold_that_is_left_out_still_holds_for_what_was_published(monthly):
    first = persons(6) + persons(3, jobs="z", first=6)
    monthly.publish(first)
    monthly.write(thresholds=[{"model": "k-anonymity", "k": 3}], composition={"k": 3})
    assert "l=1 of 'job of release 1'" in refused(monthly, first[:6])
    monthly.publish(first)


def test_columns_of_a_release_outside_the_window_are_not_judged(monthly):
    first = persons(6) + persons(3, jobs="z", first=6)
    monthly.publish(first)
    stated = {"k": 3, "window": 2}
    monthly.write(thresholds=[{"model": "k-anonymity", "k": 3}], composition=stated)
    monthly.publish(first)
    monthly.publish(first[:6])


@pytest.mark.parametrize(
    "model",
    [
        {"model": "t-closeness", "t": 0.5},
        {"model": "alpha-k-anonymity", "alpha": 0.7, "k": 3},
        {"model": "beta-likeness", "beta": 3},
    ],
)
def test_joiners_of_one_value_are_refused_by_models_without_l(monthly, model):
    """Three join with one job: the difference of the tables has nothing else."""
    rows = persons(12)
    monthly.write(
        roles={**ROLES, "one_value_per_person": ["job"]},
        thresholds=[{"model": "k-anonymity", "k": 3}, model],
    )
    monthly.publish(rows)
    joiners = persons(3, jobs="z", first=12)
    assert "l=1 of 'job'" in refused(monthly, rows + joiners)
    monthly.publish(rows + persons(3, jobs="xyz", first=12))


def test_models_are_known_to_ask_of_values_or_of_persons_alone():
    models = registry().privacy_models
    of_values = {
        name
        for name, model in models.items()
        if "sensitive" in signature(model).parameters
    }
    assert of_values.isdisjoint(OF_PERSONS)
    assert set(OF_PERSONS) <= set(models)
    assert of_values | set(OF_PERSONS) == set(models)


def second(monthly, **changes):
    """Another release of the same workspace."""
    other = monthly.file.with_name("second.yaml")
    stated = yaml.safe_load(monthly.file.read_text())
    other.write_text(yaml.safe_dump({**stated, "target": {"path": "more"}, **changes}))
    return publish(validate(anonymize(load(other))))


def test_a_file_is_the_same_source_whatever_it_is_called(monthly):
    monthly.write(ledger={"source": "census"})
    monthly.publish(persons(6))
    monthly.write_rows([["name", "town", "job"], *persons(7)])
    for ledger in ({}, {"source": "survey"}):
        with pytest.raises(GateError, match="1 person who came"):
            second(monthly, ledger=ledger)


def test_a_file_is_the_same_source_alone_and_among_others(monthly):
    header = ["name", "town", "job"]
    monthly.write_rows([header, *persons(6, town="b")])
    path = yaml.safe_load(monthly.file.read_text())["source"]["path"]
    table = monthly.file.parent / path
    shutil.copyfile(table, table.with_name("x-towns.csv"))
    monthly.write(source={"path": [path, "x-towns.csv"]})
    monthly.publish(persons(6))
    monthly.write_rows([header, *persons(7)])
    pattern = f"{path[:-5]}[{path[-5]}]{path[-4:]}"
    for named in (path, pattern):
        with pytest.raises(GateError, match="1 person who came"):
            second(monthly, source={"path": named})


def test_a_link_to_the_newest_table_stays_one_source(monthly):
    header = ["name", "town", "job"]
    path = yaml.safe_load(monthly.file.read_text())["source"]["path"]
    table = monthly.file.parent / path
    link = table.with_name("newest.csv")
    for month, count in (("january", 6), ("february", 7)):
        monthly.write_rows([header, *persons(count)])
        shutil.copyfile(table, table.with_name(f"{month}.csv"))
    link.symlink_to("january.csv")
    monthly.write(source={"path": "newest.csv"})
    publish(validate(anonymize(load(monthly.file))))
    link.unlink()
    link.symlink_to("february.csv")
    with pytest.raises(GateError, match="1 person who came"):
        second(monthly)


def test_another_subject_in_another_source_cannot_be_compared(monthly):
    monthly.publish(persons(6))
    path = yaml.safe_load(monthly.file.read_text())["source"]["path"]
    lines = ["ssn,town,job", *(f"S{i},a,{row[2]}" for i, row in enumerate(persons(7)))]
    (monthly.file.parent / f"other-{path}").write_text("\n".join(lines))
    monthly.write(
        source={"path": f"other-{path}"},
        roles={**ROLES, "subject": "ssn", "identifiers": ["ssn"]},
    )
    with pytest.raises(GateError, match=r"apart by \['name'\], and this one by 'ssn'"):
        publish(validate(anonymize(load(monthly.file))))


@pytest.mark.parametrize("known_first", [True, False])
def test_a_quasi_identifier_is_not_shown_as_it_is_by_another_table(
    monthly, known_first
):
    """Whoever knows the side sees in one table who of a town has which job."""
    (monthly.folder / "sides.csv").write_text("north;*\nsouth;*\n")
    sides = ["north", "north", "north", "south", "south", "south"]
    rows = [[*row, side] for row, side in zip(persons(6), sides, strict=True)]

    def published(known):
        monthly.write(
            roles={
                **ROLES,
                "quasi_identifiers": ["town", "side"] if known else ["town"],
                "insensitive": [] if known else ["side"],
            },
            hierarchies={
                "town": "towns.csv",
                **({"side": "sides.csv"} if known else {}),
            },
            anonymizer={"name": "full-domain"},
        )
        monthly.write_rows([["name", "town", "job", "side"], *rows])
        return publish(validate(anonymize(load(monthly.file))))

    published(known_first)
    with pytest.raises(GateError, match=r"shows \['side'\] as they are"):
        published(not known_first)


def stored_ledger(monthly):
    return ledger_url(read_config(monthly.file))


def test_a_ledger_that_was_changed_is_not_judged_by(monthly):
    monthly.publish(persons(6))
    with closing(sqlite3.connect(stored_ledger(monthly))) as database, database:
        database.execute(
            "update anon_ledger_entries set content = "
            'replace(content, \'"source_id":"id:\', \'"source_id":"no:\')'
        )
        database.execute(
            "update anon_ledger_entries set content = "
            "replace(content, '\"places\":[', '\"plates\":[')"
        )
    monthly.write_rows([["name", "town", "job"], *persons(7)])
    with pytest.raises(GateError, match="the ledger was changed"):
        second(monthly)


def test_an_older_copy_of_the_ledger_hides_no_release_of_the_source(monthly, tmp_path):
    stated = yaml.safe_load(monthly.file.read_text())
    third = monthly.file.with_name("third.yaml")
    third.write_text(yaml.safe_dump({**stated, "target": {"path": "third"}}))
    monthly.write_rows([["name", "town", "job"], *persons(6)])
    publish(validate(anonymize(load(third))))
    older = tmp_path / "older.sqlite"
    shutil.copyfile(stored_ledger(monthly), older)
    monthly.publish(persons(9))
    shutil.copyfile(older, stored_ledger(monthly))
    # Four joined since the copy, and one of them since the table that it lacks.
    monthly.write_rows([["name", "town", "job"], *persons(10)])
    with pytest.raises(GateError, match="the ledger lacks 1 published version"):
        second(monthly)


def test_joiners_are_as_many_as_the_highest_risk_asks_for(monthly):
    monthly.write(
        thresholds=[
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 2},
            {"metric": "highest-risk", "max": 0.25},
        ]
    )
    rows = persons(6)
    monthly.publish(rows)
    assert "asked for k=4" in refused(monthly, rows + persons(3, first=6))
    monthly.publish(rows + persons(4, first=6))


def test_other_sensitive_columns_are_known_where_a_threshold_says_so(monthly):
    """Of the joiners, the illness is that of the job."""
    kinds = {"job": "permanent", "ill": "permanent"}
    monthly.write(
        roles={
            **ROLES,
            "sensitive": ["job", "ill"],
            "accept_unique": ["job", "ill", ["job", "ill"]],
        },
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2, "multiple": "extended"},
        ],
        composition={"sensitive": kinds},
    )

    def month(pairs):
        rows = [
            [f"NAMEMARK{i}", "a", f"JOBMARK{job}", f"ILLMARK{ill}"]
            for i, (job, ill) in enumerate(pairs)
        ]
        monthly.write_rows([["name", "town", "job", "ill"], *rows])
        return publish(validate(anonymize(load(monthly.file))))

    first = ["xp", "xq", "yp", "yq"] * 2
    month(first)
    with pytest.raises(GateError, match="asked for k=1, l=2 of 'job'"):
        month([*first, "xp", "xp", "yq", "yq"])
    month([*first, "xp", "xq", "yp", "yq"])


def test_the_operator_is_told_of_a_table_with_nobody_of_before(monthly, caplog):
    said = "Nobody in this table was in an earlier release"
    monthly.publish(persons(6))
    monthly.publish(persons(6))
    assert said not in caplog.text
    monthly.publish([[f"NEW{name}", *others] for name, *others in persons(7)])
    assert said in caplog.text
    assert "MARK" not in caplog.text


def test_a_smaller_l_does_not_hold_for_what_was_published(monthly):
    def asking(l):  # noqa: E741 - the model's own name
        monthly.write(
            thresholds=[
                {"model": "k-anonymity", "k": 3},
                {"model": "distinct-l-diversity", "l": l},
            ]
        )

    first = persons(6) + persons(4, jobs="xy", first=6)
    asking(3)
    monthly.publish(first)
    asking(2)
    assert "l=2 of 'job of release 1'" in refused(monthly, first[:6])
    # Who joins now was promised two.
    monthly.publish(first + persons(4, jobs="xy", first=10))

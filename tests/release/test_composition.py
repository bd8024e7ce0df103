"""Releases of the same persons, judged together in the gate."""

import csv
import json
import logging
import shutil
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from anon_transformers.exceptions import ConfigurationError, GateError
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._config import read_config
from anon_transformers.release._ledger import open_ledger
from anon_transformers.release._log import FACTS, LOG
from anon_transformers.release._mapping import derive_releases
from tests.release.months import ROLES, SECRET, persons, refused


def test_the_same_table_again_tells_nothing_new(monthly):
    for _ in range(3):
        monthly.publish(persons(6) + persons(6, "b"))
    ledger = open_ledger(read_config(monthly.file), to_read=True)
    found = ledger.publications()
    assert [one.memberships for one in found] == ["kept"] * 3


def test_judging_with_many_releases_says_which_share_is_done(monthly, caplog):
    for _ in range(3):
        monthly.publish(persons(6))
    with caplog.at_level(logging.DEBUG, logger=LOG.name):
        caplog.clear()
        monthly.publish(persons(6))
    facts = [getattr(record, FACTS, {}) for record in caplog.records]
    together = "judging together with earlier releases"
    shares = [f["share"] for f in facts if f.get("stage") == together and "share" in f]
    assert shares == sorted(set(shares))
    assert shares[0] == 0
    assert len(shares) >= 8  # three are read, four judged, and what is said
    assert 0.9 < shares[-1] < 1


def test_a_lone_joiner_is_refused_though_their_class_is_large(monthly):
    monthly.publish(persons(6) + persons(6, "b"))
    said = refused(monthly, persons(7) + persons(6, "b"))
    assert "1 person who came, or came back, with too few others" in said
    assert "asked for k=3, l=2 of 'job', reached k=1" in said
    # Three of them, with two jobs, may come together.
    monthly.publish(persons(9) + persons(6, "b"))


def test_a_lone_leaver_is_refused(monthly):
    monthly.publish(persons(6) + persons(6, "b"))
    assert "1 person who left" in refused(monthly, persons(5) + persons(6, "b"))


def test_who_moves_alone_is_refused(monthly):
    monthly.publish(persons(6) + persons(6, "b"))
    moved = [[name, "b", job] for name, _, job in persons(1, first=5)]
    assert "who went to another class" in refused(
        monthly, persons(5) + moved + persons(6, "b")
    )


def test_joiners_of_one_value_are_refused(monthly):
    monthly.publish(persons(6))
    said = refused(monthly, persons(6) + persons(4, jobs="z", first=6))
    assert "the difference of releases leaves too few values" in said
    assert "reached k=4, l=1 of 'job'" in said


def test_an_intruder_who_subtracts_finds_nobody_in_what_passes(monthly):
    """Histograms of towns are subtracted by plain loops over all published files."""
    months = [persons(6), persons(9), persons(7), persons(12), persons(9)]
    shown, held = [], []
    for rows in months:
        try:
            version = monthly.publish(rows)
        except GateError:
            continue
        lines = (Path(version) / "data.csv").read_text().splitlines()
        shown.append([(row["town"], row["job"]) for row in csv.DictReader(lines)])
        held.append({name for name, *_ in rows})
    assert len(shown) == 4  # seven persons among nine leave two alone
    for (one, of_one), (other, of_other) in product(
        zip(shown, held, strict=True), repeat=2
    ):
        if of_one < of_other:  # the intruder knows who was there
            rest = [job for _, job in other]
            for _, job in one:
                rest.remove(job)
            assert len(rest) >= 3
            assert len(set(rest)) >= 2


def test_a_changing_column_may_change(monthly):
    monthly.publish(persons(6))
    other = [[n, t, "JOBMARKw" if j.endswith("z") else j] for n, t, j in persons(6)]
    said = refused(monthly, other)
    assert "declared permanent, and its values have changed" in said
    monthly.write(composition={"sensitive": {"job": "changing"}})
    monthly.publish(other)


def test_spellings_of_a_person_and_a_value_are_one(monthly):
    monthly.publish(persons(6))
    monthly.publish([[n.lower(), t, f" {j.lower()} "] for n, t, j in persons(6)])


def test_without_the_key_a_further_release_is_refused(monthly, monkeypatch):
    monkeypatch.delenv("ANON_LEDGER_KEY")
    with pytest.raises(ConfigurationError, match="has no ANON_LEDGER_KEY"):
        monthly.publish(persons(6))
    # Of a release that says nothing of others, the first may go without it.
    monthly.write(composition=None)
    monthly.publish(persons(6))
    assert "has no ANON_LEDGER_KEY" in refused(monthly, persons(6))
    monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
    monthly.write(composition={"sensitive": {"job": "permanent"}})
    assert "does not keep who was in which class" in refused(monthly, persons(6))


def test_a_table_without_persons_is_refused_beside_those_that_protect_them(monthly):
    monthly.publish(persons(6))
    roles = {key: value for key, value in ROLES.items() if key != "subject"}
    monthly.write(roles=roles, composition=None)
    assert "this one names no roles.subject" in refused(monthly, persons(7))


def test_what_is_accepted_unjudged_is_remembered_for_later_releases(monthly):
    words = "the first table, which nobody has looked at"
    monthly.write(composition={"accept_unjudged": words})
    monthly.publish(persons(6))
    monthly.write(composition={"sensitive": {"job": "permanent"}})
    assert "1 person who came" in refused(monthly, persons(7))
    monthly.publish(persons(9))


def test_who_was_accepted_in_several_classes_is_named_as_the_reason(monthly, caplog):
    words = "the first table, which nobody has looked at"
    monthly.write(composition={"accept_unjudged": words})
    rows = [*persons(6), *persons(6, "b")]
    rows += [[name, "b", job] for name, _, job in persons(1)]
    monthly.publish(rows)
    assert "1 persons have rows in several classes" in caplog.text
    assert "A further release of this source will be refused" not in caplog.text
    assert "Releases that state accept_unjudged go on" in caplog.text
    assert "or state composition.accept_unjudged" not in caplog.text  # it does
    monthly.publish(rows)  # as it was told
    monthly.write(composition={"sensitive": {"job": "permanent"}})
    said = refused(monthly, persons(9))
    assert "with persons who had rows in several classes" in said
    assert "forgotten" not in said


def test_another_key_is_refused(monthly, monkeypatch):
    monthly.publish(persons(6))
    monkeypatch.setenv("ANON_LEDGER_KEY", "6" * 64)
    said = refused(monthly, persons(6))
    assert "belong to the key" in said
    assert "set ANON_LEDGER_KEY to that of the first run, which cannot be" in said


def test_what_was_forgotten_cannot_be_judged(monthly):
    monthly.publish(persons(6))
    ledger = open_ledger(read_config(monthly.file))
    ledger.forget(ledger.publications()[0].publication.name)
    said = refused(monthly, persons(6))
    assert "they were forgotten" in said
    assert "ANON_LEDGER_KEY" not in said


def test_a_release_published_between_two_steps_is_judged_with(monthly, monkeypatch):
    monthly.publish(persons(6))
    monthly.write_rows([["name", "town", "job"], *persons(9)])
    candidate = validate(anonymize(load(monthly.file, "slow")))
    # Another release of the source comes first, with another set of persons.
    other = monthly.folder / "other.yaml"
    text = monthly.file.read_text().replace("path: out", "path: out-2")
    other.write_text(text)

    def come_first(config):
        """It is published after the last look before the source is reserved."""
        monkeypatch.undo()
        monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
        rows = [["name", "town", "job"], *persons(10)[:6], *persons(10)[7:]]
        monthly.write_rows(rows)
        publish(validate(anonymize(load(other))))

    monkeypatch.setattr("anon_transformers.release._publish.open_target", come_first)
    before = monthly.public_bytes()
    with pytest.raises(GateError, match="persons are not protected"):
        publish(candidate)
    assert monthly.public_bytes() == before
    assert monthly.events_of(monthly.events()[-1]["run"])[-1] == "quarantined"
    states = open_ledger(read_config(monthly.file), to_read=True).publications(
        states=["given-up", "reserved"]
    )
    assert [found.state for found in states] == ["given-up"]
    assert states[0].memberships == "none"


def test_sources_that_share_persons_are_judged_together(monthly):
    monthly.write(ledger={"source": "clinic"})
    monthly.publish(persons(6) + persons(6, "b"))
    survey = monthly.folder / "survey.yaml"
    (monthly.folder / "survey.csv").write_text(
        "".join(",".join(row) + "\n" for row in [["name", "town", "job"], *persons(5)])
    )
    content = {
        **monthly.content,
        "source": {"path": "survey.csv"},
        "target": {"path": "out-2"},
        "ledger": {"source": "survey"},
    }
    write = json.dumps  # JSON is YAML
    survey.write_text(write(content))
    publish(validate(anonymize(load(survey, "alone"))))
    shared = {**content["composition"], "shares_persons_with": ["clinic"]}
    survey.write_text(write({**content, "composition": shared}))
    with pytest.raises(GateError, match="1 person who left"):
        publish(validate(anonymize(load(survey, "shared"))))


def test_a_source_that_nobody_knows_shares_no_persons(monthly):
    monthly.write(ledger={"source": "clinic"})
    monthly.publish(persons(6))
    stated = {**monthly.content["composition"], "shares_persons_with": ["clinik"]}
    monthly.write(ledger={"source": "survey"}, composition=stated)
    with pytest.raises(ConfigurationError, match="did you mean 'clinic'") as caught:
        load(monthly.file)
    assert "composition.shares_persons_with: unknown source 'clinik'" in str(
        caught.value
    )
    monthly.write(composition={**stated, "shares_persons_with": ["clinic"]})
    monthly.publish(persons(6))


def test_who_shares_with_a_third_source_is_judged_with_it(monthly):
    """Persons of the clinic are in the panel; only the survey names both."""

    def publish_as(name, rows, shared=()):
        file = monthly.folder / f"{name}.yaml"
        lines = [["name", "town", "job"], *rows]
        (monthly.folder / f"{name}.csv").write_text(
            "".join(",".join(row) + "\n" for row in lines)
        )
        stated = {**monthly.content["composition"], "shares_persons_with": shared}
        content = {
            **monthly.content,
            "source": {"path": f"{name}.csv"},
            "target": {"path": f"out-{name}"},
            "ledger": {"source": name},
            "composition": stated,
        }
        file.write_text(json.dumps(content))
        return publish(validate(anonymize(load(file))))

    publish_as("clinic", persons(6))
    publish_as("survey", persons(6, "b"), ["clinic"])
    with pytest.raises(GateError, match="1 person who came"):
        publish_as("panel", persons(7), ["survey"])
    publish_as("panel", persons(6), ["survey"])


def test_a_source_with_other_sensitive_columns_is_judged_by_its_own(monthly):
    monthly.write(ledger={"source": "clinic"})
    monthly.publish(persons(6))
    survey = monthly.folder / "survey.yaml"
    content = {
        **monthly.content,
        "source": {"path": "survey.csv"},
        "roles": {**ROLES, "sensitive": ["pay"], "accept_unique": ["pay"]},
        "composition": {
            "sensitive": {"pay": "changing"},
            "shares_persons_with": ["clinic"],
        },
        "target": {"path": "out-2"},
        "ledger": {"source": "survey"},
    }
    survey.write_text(json.dumps(content))

    def ask(rows):
        lines = ["name,town,pay", *map(",".join, rows)]
        (monthly.folder / "survey.csv").write_text("\n".join(lines) + "\n")
        return publish(validate(anonymize(load(survey))))

    ask(persons(6, jobs="lh"))
    with pytest.raises(GateError, match="1 person who came"):
        ask(persons(7, jobs="lh"))
    ask(persons(9, jobs="lh"))
    # The clinic did not declare it, and is judged with the survey all the same.
    assert "1 person" in refused(monthly, persons(7))


@pytest.fixture
def mapped(monthly):
    """A release of each table of a folder; what its items would publish."""
    (monthly.folder / "tables").mkdir()
    monthly.write(source={"kind": "csv"}, airflow={"map": {"tables": "tables/*.csv"}})

    def publish_tables(**tables):
        for name, rows in tables.items():
            lines = [["name", "town", "job"], *rows]
            (monthly.folder / "tables" / f"{name}.csv").write_text(
                "".join(",".join(row) + "\n" for row in lines)
            )
        for file in derive_releases(monthly.file):
            publish(validate(anonymize(load(file))))

    monthly.publish_tables = publish_tables
    return monthly


def test_who_is_in_several_tables_of_a_folder_is_judged_in_all_of_them(mapped):
    alone = [[name, "b", job] for name, _, job in persons(1)]
    with pytest.raises(GateError, match="1 person who"):
        mapped.publish_tables(north=persons(6), south=[*persons(5, "b"), *alone])


def test_tables_of_a_folder_with_other_persons_are_published(mapped):
    mapped.publish_tables(north=persons(6), south=persons(6, "b"))
    found = open_ledger(read_config(mapped.file), to_read=True).publications()
    assert [one.publication.source for one in found] == ["people"] * 2
    # Three of the north are in the south next time: they share their classes.
    both = [[name, "b", job] for name, _, job in persons(3)]
    mapped.publish_tables(north=persons(6), south=persons(6, "b") + both)


def test_a_folder_of_tables_keeps_the_name_of_its_source(mapped):
    mapped.write(ledger={"source": "clinics"})
    mapped.publish_tables(north=persons(6))
    found = open_ledger(read_config(mapped.file), to_read=True).publications()
    assert [one.publication.source for one in found] == ["clinics"]


def test_tables_of_a_folder_are_not_published_unjudged_for_want_of_a_key(
    mapped, monkeypatch
):
    """Of a subject without the section, the first of a source may go without it."""
    monkeypatch.delenv("ANON_LEDGER_KEY")
    mapped.write(composition=None)
    with pytest.raises(GateError, match="has no ANON_LEDGER_KEY"):
        mapped.publish_tables(north=persons(6), south=persons(6, "b"))


def histories(versions, column):
    """What anybody reads who follows pseudonyms: the values of each, by version."""
    found = {}
    for at, version in enumerate(versions):
        lines = (Path(version) / "data.csv").read_text().splitlines()
        for row in csv.DictReader(lines):
            found.setdefault(row["name"], {})[at] = row[column]
    return found


def test_pseudonyms_that_stay_are_judged_as_links(monthly, monkeypatch):
    monkeypatch.setenv("ANON_PSEUDONYM_KEY", "7" * 64)
    monthly.write(
        pseudonyms={"columns": ["name"], "stable": True},
        composition={"sensitive": {"job": "changing"}},
        target={"path": "out", "keep_versions": 3},
    )
    first = persons(12, jobs="xxyyz")
    versions = [monthly.publish(first) for _ in range(2)]
    followed = histories(versions, "job")
    assert len(followed) == 12
    assert all(len(values) == 2 for values in followed.values())
    moving = {name for name, _, job in first if job.endswith("x")}
    assert len(moving) >= 3
    moved = [
        [name, "b" if name in moving else town, f"JOBMARK{'uv'[number % 2]}"]
        for number, (name, town, _) in enumerate(first)
    ]
    # By itself the month is fine: those who move have two jobs. Whoever follows them
    # knows what all of them had before.
    said = refused(monthly, moved)
    assert "k=6, l=1 of 'job'" in said
    monthly.write(pseudonyms=None)
    assert "k=6, l=1 of 'job'" in refused(monthly, moved)  # links are out


def test_what_is_left_of_a_class_tells_the_changing_value_of_who_went(monthly):
    """By itself each month is fine, and nobody can be followed by a name."""
    monthly.write(composition={"sensitive": {"job": "changing"}})
    first = persons(12, jobs="xxyyz")
    monthly.publish(first)
    moved = [
        [name, "b", f"JOBMARK{'uv'[at % 2]}"]
        if job.endswith("x")
        else [name, town, job]
        for at, (name, town, job) in enumerate(first)
    ]
    left = Counter(job for _, _, job in first)
    left -= Counter(job for _, town, job in moved if town == "a")
    assert set(left) == {"JOBMARKx"}
    assert len({job for _, town, job in moved if town == "b"}) == 2
    said = refused(monthly, moved)
    assert "of whom the difference of releases leaves too few values" in said
    # Half of them, whose jobs are several.
    half = [[n, "b" if at < 6 else t, j] for at, (n, t, j) in enumerate(first)]
    monthly.publish(half)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"composition": {"presence": "unknown"}}, "presence: unknown"),
        ({"composition": {"accept_unjudged": "for no reason at all"}}, "accept"),
        ({"roles": {**ROLES, "subject": None}}, "name roles.subject"),
    ],
)
def test_pseudonyms_that_stay_need_to_be_judged(monthly, changes, said):
    monthly.write(pseudonyms={"columns": ["name"], "stable": True}, **changes)
    refusal = monthly.refusal()
    assert "pseudonyms.stable" in refusal
    assert said in refusal


def test_a_first_release_of_a_series_is_judged_by_itself(monthly):
    rows = [*persons(6), *persons(6, "b")]
    rows += [[name, "b", job] for name, _, job in persons(1)]
    words = refused(monthly, rows)
    assert "1 persons have rows in several classes" in words
    assert ".." not in words.replace("../", "")


def test_the_manifest_says_what_was_asked_and_nothing_measured(monthly):
    monthly.publish(persons(6))
    assert monthly.manifest()["composition"] == {
        "k": 3,
        "l": {"job": 2},
        "presence": "known",
        "window": None,
    }
    page = (monthly.target / "current" / "validation.html").read_text()
    assert "among 3 persons or more who shared every class, with at least 2" in page


def test_a_series_without_subject_is_accepted_in_words_alone(monthly):
    roles = {key: value for key, value in ROLES.items() if key != "subject"}
    monthly.write(roles=roles, composition=None, schedule="@monthly")
    assert "composition: a release that is published again" in monthly.refusal()
    monthly.write(composition={"accept_unjudged": "short"})
    said = monthly.refusal()
    assert "composition.accept_unjudged: give the reason in words" in said
    assert "(10 characters or more)" in said
    words = "every month holds other persons"
    monthly.write(composition={"accept_unjudged": words})
    monthly.publish(persons(6))
    monthly.publish(persons(7))
    assert monthly.manifest()["composition"] == {"not_judged": words}
    page = (monthly.target / "current" / "validation.html").read_text()
    assert f"The publisher says: {words}" in page


def test_a_series_declares_what_its_values_are(monthly):
    monthly.write(composition=None, schedule="@monthly")
    assert "composition.sensitive: say of 'job' whether" in monthly.refusal()
    monthly.write(composition={"sensitive": {"pay": "changing"}})
    assert "unknown sensitive column 'pay'" in monthly.refusal()
    monthly.write(
        composition={"sensitive": {"job": "changing"}},
        thresholds=[{"metric": "average-risk", "max": 0.5}],
    )
    assert "composition.k: no threshold states a k" in monthly.refusal()


def test_swaps_are_not_judged_together(monthly):
    monthly.write(
        anonymizer={"name": "group-swap", "k": 3},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 3}],
        hierarchies=None,
        composition={"k": 3},
    )
    assert "releases of this method cannot be judged together" in monthly.refusal()


def test_a_window_and_unknown_presence_are_stated_and_ask_for_less(monthly):
    monthly.publish(persons(6))
    relaxed = {"sensitive": {"job": "permanent"}, "presence": "unknown", "window": 2}
    monthly.write(composition=relaxed)
    monthly.publish(persons(7))
    found = monthly.manifest()["composition"]
    assert (found["presence"], found["window"]) == ("unknown", 2)
    page = (monthly.target / "current" / "validation.html").read_text()
    assert "the last 1 releases, and no older ones, of the same persons" in page
    assert "supposed that nobody knows who was in which release" in page


def test_personal_values_reach_neither_ledger_nor_notes(monthly):
    monthly.publish(persons(6))
    refused(monthly, persons(7))
    for path in monthly.work.rglob("*"):
        if path.is_file() and "quarantine" not in path.parts:
            content = path.read_bytes()
            assert b"NAMEMARK" not in content, path
            assert b"JOBMARK" not in content, path


def test_a_run_that_was_half_removed_is_published_already(monthly):
    """Killed while its folder was removed, after readers saw the version."""
    monthly.write_rows([["name", "town", "job"], *persons(6)])
    location = Path(validate(anonymize(load(monthly.file))))
    kept = location.with_name("kept")
    shutil.copytree(location, kept)
    version = publish(location)
    for lost in ("seal.key", "run.json"):
        kept_now = shutil.copytree(kept, location)
        (kept_now / lost).unlink()
        assert publish(location) == version
        assert not location.exists()

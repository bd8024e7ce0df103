"""A version that is there already, and the evidence of persons."""

import shutil

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, GateError, ReleaseError
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    run_release,
    validate,
)
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._files import read_parquet
from anon_transformers.release._protected_rows import kept_rows
from anon_transformers.release._table import persons_of
from anon_transformers.release._table_evidence import LINKS

TEXT = """
source: {path: people.csv}
roles: {quasi_identifiers: [age], sensitive: [job], subject: person}
anonymizer: {name: mondrian, step: {age: 1}}
thresholds: [{model: k-anonymity, k: 2}]
target: {path: out}
"""


@pytest.fixture
def file(tmp_path):
    people = pd.DataFrame({"person": range(12), "age": range(20, 32), "job": "x"})
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "r.yaml").write_text(TEXT)
    return tmp_path / "r.yaml"


def candidate_of(file, **options):
    return validate(anonymize(load(file, run_id="r", **options)))


def test_a_lost_ledger_is_noticed_by_the_versions_in_the_target(file, monkeypatch):
    version = publish(candidate_of(file))
    before = (file.parent / "out/current/manifest.json").read_bytes()
    shutil.rmtree(file.parent / ".anon")
    monkeypatch.setenv("ANON_LEDGER_KEY", "ab" * 32)
    with pytest.raises(GateError, match="the ledger lacks 1 published version"):
        candidate_of(file, parameters={"k_anonymity_k": 5})
    assert (file.parent / "out/current/manifest.json").read_bytes() == before
    assert (file.parent / "out/current").resolve() == file.parent / version


def test_what_somebody_else_wrote_in_its_place_stops_a_version(file):
    location = candidate_of(file)
    (run,) = (file.parent / ".anon/r/runs").iterdir()
    in_its_place = file.parent / "out/versions" / run.name
    in_its_place.mkdir(parents=True)
    (in_its_place / "manifest.json").write_text("{}")
    with pytest.raises(ReleaseError, match="is there already"):
        publish(location)
    assert [path.name for path in in_its_place.iterdir()] == ["manifest.json"]
    assert not (file.parent / "out/current").exists()


def test_evidence_of_persons_cannot_be_exchanged(file):
    location = anonymize(load(file))
    (evidence,) = file.parent.glob(f".anon/r/runs/*/candidate/{LINKS}")
    write_parquet(read_parquet(evidence)[::-1], evidence)
    with pytest.raises(ReleaseError, match="evidence of links changed"):
        validate(location)


def test_evidence_of_persons_is_not_published(file):
    version = publish(candidate_of(file))
    names = {path.name for path in (file.parent / version).iterdir()}
    assert names == {"data.csv", "manifest.json", "validation.html", "validation.json"}


def test_untouched_columns_are_published_to_the_last_digit(file):
    rows = "".join(f"{i},{20 + i},{i}.50,{i}\n" for i in range(6))
    (file.parent / "people.csv").write_text("person,age,job,note\n" + rows)
    text = TEXT.replace("job]", "job], insensitive: [note], accept_unique: [note, job]")
    file.write_text(text)
    version = publish(candidate_of(file))
    table = pd.read_csv(file.parent / version / "data.csv", dtype=str)
    assert sorted(table["job"]) == [f"{i}.50" for i in range(6)]
    assert sorted(table["note"]) == [str(i) for i in range(6)]


def test_persons_follow_the_rows_that_were_not_dropped():
    class Dropped:
        suppression = "drop"
        suppressed_mask_ = np.array([True, False, False, True, False])

    rows = kept_rows(Dropped, 5)
    persons = persons_of(pd.Series(["a", "b", "c", "d", "b"]), rows[::-1])
    assert persons.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    "answer", [[1, 0, 0, 1], np.zeros(3, bool), np.zeros((4, 1), bool), "mask", None]
)
def test_rows_that_were_dropped_are_said_in_truths(answer):
    class Dropped:
        suppression = "drop"
        suppressed_mask_ = answer

    with pytest.raises(ReleaseError, match="which of 4 rows it suppressed"):
        kept_rows(Dropped, 4)


def test_persons_are_those_of_the_rows_that_were_compared(file, registered):
    """A plugin that names other rows whenever it is asked has no second answer."""

    class Fickle(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            super().fit_transform(X)
            kept = X["age"].to_numpy() % 2 == 0
            other = np.ones(len(X), dtype=bool)
            at = np.arange(kept.sum())
            other[at + 3 * (at // 20)] = False
            self.answers = [~kept, other, ~kept]
            table = X.loc[kept, ["age", "job"]].astype({"age": str})
            return table.reset_index(drop=True)

        @property
        def suppressed_mask_(self):
            answers = self.__dict__.get("answers")
            return answers.pop(0) if answers else self._mask

        @suppressed_mask_.setter
        def suppressed_mask_(self, mask):
            self._mask = mask

    # Five visits each; every person has an age that nobody else has.
    rows = [(p, 20 + p, "xy"[p % 2]) for _ in range(5) for p in range(40)]
    people = pd.DataFrame(rows, columns=["person", "age", "job"])
    people.to_csv(file.parent / "people.csv", index=False)
    registered("anonymizers", "fickle", Fickle)
    fickle = "{name: fickle, k: 1, models: [], step: {age: 1}, suppression: drop}"
    file.write_text(TEXT.replace("{name: mondrian, step: {age: 1}}", fickle))
    with pytest.raises(GateError, match="k-anonymity: the level is 1; 20 of 20"):
        candidate_of(file)


def test_a_target_belongs_to_one_release(release, another_release):
    run_release(release.file)
    before = release.public_bytes()
    other = another_release("staff")
    other.write(target={"path": release.target.name})
    with pytest.raises(ConfigurationError, match="holds the release 'people'"):
        run_release(other.file)
    assert release.public_bytes() == before
    assert {path.name for path in other.home.iterdir()} <= {"journal.jsonl", ".lock"}
    other.write(name="people")  # a release has the name of its file
    with pytest.raises(ConfigurationError, match="is not the name of the file"):
        run_release(other.file)
    assert release.public_bytes() == before


def test_of_two_releases_that_meet_in_a_target_the_second_is_refused(
    release, another_release
):
    other = another_release("staff")
    other.write(target={"path": release.target.name})
    late = validate(anonymize(load(other.file)))
    run_release(release.file)
    before = release.public_bytes()
    with pytest.raises(ConfigurationError, match="holds the release 'people'"):
        publish(late)
    assert release.public_bytes() == before

"""A version that is there already, and the evidence of persons."""

import shutil

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, ReleaseError
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    run_release,
    validate,
)
from anon_transformers.release._anonymize import PERSONS, published_persons
from anon_transformers.release._files import write_parquet

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


def test_a_version_of_another_run_is_never_published_again(file):
    version = publish(candidate_of(file))
    before = (file.parent / "out/current/manifest.json").read_bytes()
    shutil.rmtree(file.parent / ".anon")
    location = candidate_of(file, parameters={"k_anonymity_k": 5})
    with pytest.raises(ReleaseError, match="is there already"):
        publish(location)
    assert (file.parent / "out/current/manifest.json").read_bytes() == before
    assert (file.parent / "out/current").resolve() == file.parent / version


def test_evidence_of_persons_cannot_be_exchanged(file):
    location = anonymize(load(file))
    (evidence,) = file.parent.glob(f".anon/r/runs/*/candidate/{PERSONS}")
    write_parquet(pd.DataFrame({"person": np.arange(12)[::-1]}), evidence)
    with pytest.raises(ReleaseError, match="evidence of persons changed"):
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
        suppressed_mask_ = np.array([True, False, False, True])

    numbers = published_persons(pd.Series(["a", "b", "c", "d"]), Dropped)
    assert numbers.tolist() == [1, 2]


def test_a_target_belongs_to_one_release(release, another_release):
    run_release(release.file)
    before = release.public_bytes()
    other = another_release("staff")
    other.write(target={"path": release.target.name})
    with pytest.raises(ConfigurationError, match="holds the release 'people'"):
        run_release(other.file)
    assert release.public_bytes() == before
    assert not other.home.exists()
    other.write(name="people")  # the same release under another file name
    run_release(other.file)
    assert release.manifest()["release"] == "people"


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

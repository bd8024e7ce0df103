"""Releases by fuzzy sets that a person has drawn, in the plain form of a file."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from anon_transformers.exceptions import ConfigurationError, ParameterError
from anon_transformers.fuzzy import FuzzyPartition, FuzzyPartitionRecoder
from anon_transformers.release import anonymize, load, publish, read_published, validate

AGES = {"Young": ["-inf", 30, 50], "Old": [30, 50, "inf"]}
OLD = {"Old": [20, 30, "inf"]}
WRITTEN = """
source: {path: people.csv}
roles: {quasi_identifiers: [age], sensitive: [ill]}
anonymizer:
  name: fuzzy-partition
  partitions:
    age:
      Young: [-.inf, 30, 36]
      Adult: [30, 36, 54, 60]
      Old: [54, 60, .inf]
thresholds:
  - {model: k-anonymity, k: 5}
  - {model: q-anonymity, q: 3}
target: {path: published}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ANON_HOME", str(tmp_path / "private"))
    people = pd.DataFrame({"age": range(18, 78), "ill": list("abc") * 20})
    people.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def run(home: Path, **anonymizer):
    content = yaml.safe_load(WRITTEN)
    content["anonymizer"].update(anonymizer)
    if anonymizer.get("name"):
        content["anonymizer"].pop("partitions")
    file = home / "release.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    folder = Path(publish(validate(anonymize(load(str(file))))))
    return read_published(folder, labels="text"), json.loads(
        (folder / "manifest.json").read_text()
    )


def test_drawn_sets_are_published_by_name(home):
    table, manifest = run(home)
    expected = FuzzyPartition(
        {
            "Young": (-float("inf"), 30, 36),
            "Adult": (30, 36, 54, 60),
            "Old": (54, 60, float("inf")),
        }
    ).degrees(range(18, 78))
    sizes = pd.Series(expected.argmax(axis=1)).value_counts(sort=False).tolist()
    counts = table["age"].value_counts()
    assert [counts[name] for name in ("Young", "Adult", "Old")] == sizes
    # Readers get vague names, and no limits.
    assert manifest["anonymizer"]["partitions"] == "not published"
    assert "Adult" not in json.dumps(manifest)


def test_where_clusters_start_is_not_told(home):
    _, manifest = run(home, name="fuzzy-c-means", n_sets=2, init=[0.123, 0.877])
    assert manifest["anonymizer"]["init"] == "not published"
    assert manifest["anonymizer"]["n_sets"] == 2
    assert "0.123" not in json.dumps(manifest)


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        ({"age": {"Young": [0, "ten", 20]}}, "'age': set 'Young': .* got 'ten'"),
        ({"age": {"Young": [30, 20, 10]}}, "set 'Young': .*start < full_from"),
        ({"age": {"Young": [1, 2]}}, "three numbers or four, got \\[1, 2\\]"),
        ({"age": {}}, "needs sets"),
        ({"age": [1, 2, 3]}, "column 'age' must have a FuzzyPartition, or a dict"),
        ({"aeg": AGES}, "unknown column 'aeg'"),
        ([1], "partitions must be a dict of columns"),
        ({"age": {1: [0, 1, 2]}}, "a name is a text, got 1.* into quotes"),
        ({"age": {"Young": [-1, 20, 30], **OLD}}, "do not add up to 1 everywhere"),
        ({"age": {"All": ["-inf"] * 2 + ["inf"] * 2}}, "'age' has one set"),
    ],
)
def test_what_is_wrong_is_told_before_the_run(home, partitions, message):
    with pytest.raises(ConfigurationError, match=f"fuzzy-partition: .*{message}"):
        run(home, partitions=partitions)


def test_a_plain_form_is_the_partition_itself():
    table = pd.DataFrame({"age": range(20, 60)})
    plain = FuzzyPartitionRecoder(partitions={"age": AGES}, k=2)
    made = FuzzyPartitionRecoder(partitions={"age": FuzzyPartition(AGES)}, k=2)
    assert plain.fit_transform(table).equals(made.fit_transform(table))
    assert plain.get_params()["partitions"] == {"age": AGES}


@pytest.mark.parametrize("key", ["labels", "n_sets"])
def test_what_partitions_tell_already_is_refused(key):
    recoder = FuzzyPartitionRecoder(partitions={"age": AGES}, k=2)
    recoder.set_params(**{key: ["a", "b"] if key == "labels" else 2})
    with pytest.raises(ParameterError, match=f"{key}: every column .* has a partition"):
        recoder.fit(pd.DataFrame({"age": range(20, 60)}))


@pytest.mark.parametrize("given", [3, "Low", None, [("Low",)], {}, [1, 2]])
def test_what_is_no_partition_is_refused(given):
    with pytest.raises(ParameterError, match="needs sets"):
        FuzzyPartition(given)


@pytest.mark.parametrize("peaks", [[1, "x"], "12", 5, [None, 2]])
def test_peaks_are_numbers(peaks):
    with pytest.raises(ParameterError):
        FuzzyPartition.from_peaks(peaks)

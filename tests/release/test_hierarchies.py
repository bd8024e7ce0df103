"""Hierarchies in a release file: read or built, and told where they are wrong."""

import csv

import pytest

pytest.importorskip("great_expectations")

from anon_transformers.hierarchies import Hierarchy, Intervals, Masking
from anon_transformers.release import read_config, run_release
from anon_transformers.release._anonymizer import make_anonymizer


def hierarchies(release, **given):
    """What an anonymizer of this release is handed."""
    # A column has a hierarchy or steps.
    step = {"age": 5} if "age" not in given else {}
    method = {"name": "mondrian", "step": step}
    config = read_config(release.write(hierarchies=given, anonymizer=method))
    return make_anonymizer(config, config.thresholds).hierarchies


def zips(release, rows="007;00*;*\n008;00*;*\n110;11*;*\n"):
    (release.folder / "zip.csv").write_text(rows)


def test_built_and_read_side_by_side(release):
    zips(release)
    found = hierarchies(
        release,
        age={"kind": "intervals", "widths": [5, 10]},
        zip={"path": "zip.csv", "unknown": "root", "normalizer": "fold"},
    )
    assert found["age"] == Intervals(widths=(5, 10))
    assert found["zip"].locate(["110", "999"]).tolist() == [2, 3]
    assert hierarchies(release, zip="zip.csv")["zip"] == Hierarchy.read_csv(
        release.folder / "zip.csv"
    )
    masking = {"kind": "masking", "length": 3}
    assert hierarchies(release, zip=masking)["zip"] == Masking(length=3)


@pytest.mark.parametrize("anonymizer", ["mondrian", "datafly"])
def test_a_release_with_builders_publishes_their_labels(release, anonymizer):
    release.write(
        anonymizer={"name": anonymizer},
        hierarchies={
            "age": {"kind": "intervals", "widths": [10, 50], "whole": True},
            "zip": {"kind": "masking", "length": 3},
        },
    )
    run_release(release.file)
    with next((release.target / "current").glob("*.csv")).open() as file:
        rows = list(csv.DictReader(file))
    legal = {"*", "[0, 49]", "[50, 99]"}
    legal |= {f"[{low}, {low + 9}]" for low in range(20, 61, 10)}
    legal |= {str(age) for age in range(20, 61)}
    assert {row["age"] for row in rows} <= legal
    assert {row["zip"] for row in rows} <= {
        "007",
        "008",
        "110",
        "00*",
        "11*",
        "0**",
        "1**",
        "*",
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "interval", "widths": [5]},
         "hierarchies, age: unknown hierarchy builder 'interval'; did you mean 'inter"),
        ({"kind": "intervals", "width": [5]},
         "hierarchies, age: unknown parameter 'width'; did you mean 'widths'"),
        ({"kind": "intervals", "widths": [5, 12]},
         "hierarchies, age: widths: 12 is not a multiple of 5"),
        ({"kind": "intervals"}, "hierarchies, age: give one of widths"),
        ({"kind": "masking", "side": "top"}, "hierarchies, age: side: "),
        ({"path": "zip.csv", "widths": [5]},
         "hierarchies, age: unknown parameter 'widths'; choices: 'normalizer', 'unkn"),
        ({"path": "zip.csv", "unknown": "drop"}, "hierarchies, age: unknown: "),
        ({"path": "zip.csv", "kind": "masking"}, "hierarchies.age: path and kind"),
        ({"knd": "masking"}, "hierarchies.age: unknown key 'knd'; did you mean 'kind'"),
        ({}, "hierarchies.age: name a path, or the kind of builder"),
        (5, "hierarchies.age"),
        ({"path": "age.csv"}, "age.csv does not exist"),
        ({"path": "odd.csv.gz"}, "odd.csv.gz: cannot be unpacked"),
        ({"path": "bad.csv"}, "bad.csv: row 2 of the hierarchy has 1 levels"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_key(release, given, said):
    zips(release)
    (release.folder / "bad.csv").write_text("20;*\n30\n")
    (release.folder / "odd.csv.gz").write_text("20;*\n")
    release.write(hierarchies={"age": given})
    assert said in release.refusal(ValueError)

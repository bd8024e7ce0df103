"""What nobody outside may learn: names, seeds, private files."""

import json
import logging
import re
import traceback
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    DataError,
    GateError,
    PluginError,
    ReleaseError,
)
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.registry import BrokenPlugin, registry
from anon_transformers.release import (
    anonymize,
    load,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._files import read_parquet

pytestmark = pytest.mark.gx
NAME_MARK, JOB_MARK = "NAMEMARK", "JOBMARK"


def text_of(error):
    """Everything that any logger could print of an error."""
    chain, seen = error, []
    while chain is not None:
        seen += [*traceback.format_exception(chain), repr(chain)]
        chain = chain.__cause__ or chain.__context__
    return "\n".join(seen)


# ---------------------------------------------------------------- public files


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_no_identifier_is_anywhere_in_public(release, caplog, capfd, format_):
    release.write(target={"path": "out", "format": format_})
    with caplog.at_level(logging.DEBUG):
        run_release(release.file)
    for name, content in release.public_bytes().items():
        assert NAME_MARK.encode() not in content, name
    for text in (caplog.text, *capfd.readouterr()):
        assert NAME_MARK not in text
        assert JOB_MARK not in text


def test_no_sensitive_value_is_outside_the_table(release):
    run_release(release.file)
    for name, content in release.public_bytes().items():
        found = JOB_MARK.encode() in content
        assert found == name.endswith("data.csv"), name


def test_the_manifest_says_what_was_promised_and_measured(release):
    run_release(release.file, parameters={"k_anonymity_k": 5})
    manifest = release.manifest()
    promised = manifest["promised"]
    assert promised["file"][0] == {"id": "k-anonymity", "model": "k-anonymity", "k": 3}
    assert promised["in_force"][0]["k"] == 5
    assert promised["file"][1:] == promised["in_force"][1:]
    checks = {check["id"]: check for check in manifest["measured"]["checks"]}
    assert checks["k-anonymity"]["observed"] >= 5
    assert checks["k-anonymity"]["params"] == {"k": 5}
    assert 0 < checks["average-risk"]["observed"] <= 0.2
    assert "observed" not in checks["loss"]
    assert all(check["passed"] for check in checks.values())
    assert manifest["measured"]["rows"] == 40
    assert manifest["measured"]["suppressed_rows"] == 0
    assert manifest["roles"]["insensitive"] == ["note"]
    assert set(manifest["roles"]) == {
        "quasi_identifiers",
        "sensitive",
        "insensitive",
        "subject",
    }
    assert {"python", "anon-transformers", "pandas"} <= set(manifest["versions"])
    assert "None of them is differential privacy" in manifest["note"]


def test_the_manifest_says_nothing_else(release):
    from anon_transformers.release._run import sha256

    run_release(release.file)
    text = (release.target / "current" / "manifest.json").read_text()
    manifest = json.loads(text)
    assert sha256(release.source) not in text
    for word in ("seed", "random_state", "entropy", str(release.folder), "name.csv"):
        assert word not in text, word
    # Of what is published, and one that only the key of the workspace gives.
    hashes = {manifest["sha256"], manifest["signature"], *manifest["files"].values()}
    assert set(re.findall(r'"([0-9a-f]{16,})"', text)) == hashes
    assert "reference" not in text
    assert "counts" not in text


def test_what_a_method_tells_of_itself_is_not_published(release, registered):
    class Talkative(MondrianAnonymizer):
        def _details(self):
            return {"boxes": 3, "seen": [NAME_MARK, 4], "worst": {"who": NAME_MARK}}

    registered("anonymizers", "talkative", Talkative)
    release.write(anonymizer=release.mondrian(name="talkative"))
    run_release(release.file)
    measured = release.manifest()["measured"]
    assert "details" not in measured
    assert "boxes" not in str(measured)
    assert NAME_MARK not in str(release.public_bytes())


def test_names_of_columns_are_no_markup_in_the_report(release):
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    odd = "<script>alert(1)</script>"
    rows[0][1:4] = [odd, "[bold]zip[/bold]", "<b>job</b>"]
    release.write_rows(rows)
    roles = {
        **release.content["roles"],
        "quasi_identifiers": rows[0][1:3],
        "sensitive": rows[0][3:4],
    }
    asked = {"model": "distinct-l-diversity", "l": 2, "sensitive": "<b>job</b>"}
    release.write(
        roles=roles,
        anonymizer={
            "name": "mondrian",
            "step": {odd: 5},
            "domain": {rows[0][2]: ["007", "008", "110"]},
        },
        thresholds=[*release.content["thresholds"], asked],
    )
    run_release(release.file)
    page = (release.target / "current" / "validation.html").read_text()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;job&lt;/b&gt;" in page


# ---------------------------------------------------------------- plugins


def test_a_plugin_that_breaks_between_the_steps_stops_the_release(release, monkeypatch):
    run = validate(anonymize(load(release.file)))
    broken = BrokenPlugin("odd", "odd-dist", "ImportError")
    monkeypatch.setitem(vars(registry()), "broken", (broken,))
    with pytest.raises(PluginError, match="odd of odd-dist"):
        load(release.file)
    assert Path(run).is_dir()
    assert not release.target.exists()


def test_an_anonymizer_that_publishes_an_identifier_is_caught(release, registered):
    class Leaky(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            table = super().fit_transform(X)
            return table.assign(name=X["name"].tolist())

    registered("anonymizers", "leaky", Leaky)
    release.write(anonymizer=release.mondrian(name="leaky"))
    with pytest.raises(GateError, match="holds 1 columns that were not declared"):
        run_release(release.file)
    assert not release.target.exists()


def test_a_quarantined_run_keeps_no_details_of_an_error(release, registered):
    class Flaky(MondrianAnonymizer):
        failed = False

        def fit_transform(self, X, y=None, **fit_params):
            if not Flaky.failed:
                Flaky.failed = True
                raise RuntimeError(f"cell {X['name'].iloc[0]}")
            return super().fit_transform(X).assign(job="lie")

    registered("anonymizers", "flaky", Flaky)
    release.write(anonymizer=release.mondrian(name="flaky"))
    run = Path(load(release.file))
    with pytest.raises(ReleaseError):
        anonymize(run)
    assert NAME_MARK in (run / "anonymize.error").read_text()
    (run / "validate.error").write_text(NAME_MARK)
    with pytest.raises(GateError):
        validate(anonymize(run))
    place = release.home / "quarantine" / run.name
    kept = [path for path in place.rglob("*") if path.is_file()]
    assert place / "verdict.json" in kept
    assert not [path for path in kept if NAME_MARK.encode() in path.read_bytes()]


def test_an_anonymizer_that_loses_a_column_is_caught(release, registered):
    class Lossy(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            return super().fit_transform(X).drop(columns="note")

    registered("anonymizers", "lossy", Lossy)
    release.write(anonymizer=release.mondrian(name="lossy"))
    with pytest.raises(GateError, match="lacks columns: note"):
        run_release(release.file)


@pytest.mark.parametrize("target", ["parquet", "bare"])
@pytest.mark.parametrize(
    ("cells", "marks"), [([None, "x"], [None, ""]), ([0.0, 1.5], [0.0, -0.0])]
)
def test_nothing_is_written_that_no_check_compares(
    release, registered, target, cells, marks
):
    """One value in two spellings would tell which rows an anonymizer means."""

    class Marking(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            table = super().fit_transform(X)
            note = table["note"].astype(object if cells[1] == "x" else float).tolist()
            secret = X["name"].str.endswith("4").tolist()
            same = [n == cells[0] or (cells[0] is None and pd.isna(n)) for n in note]
            marked = [
                marks[s] if alike else cell
                for cell, alike, s in zip(note, same, secret, strict=True)
            ]
            kind = object if cells[1] == "x" else float
            return table.assign(note=pd.Series(marked, dtype=kind))

    def write(frame, path):  # a stranger's, that stores what it gets
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)

    registered("anonymizers", "marking", Marking)
    registered("writers", "bare", write)
    registered("readers", "bare", read_parquet)
    people = pd.read_csv(release.source, dtype={"zip": str})
    people = people.assign(note=[cells[number % 2] for number in range(40)])
    people.to_parquet(release.folder / "people.parquet", index=False)
    release.write(
        source={"path": "people.parquet"},
        anonymizer=release.mondrian(name="marking"),
        target={"path": "out", "format": target},
    )
    run_release(release.file)
    note = pq.read_table(release.target / "current" / f"data.{target}")["note"]
    assert len({str(cell) for cell in note.to_pylist()}) == 2


def test_an_anonymizer_that_lies_about_k_is_caught(release, registered):
    class Liar(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            asked, self.k = self.k, 1
            table = super().fit_transform(X)
            self.k = asked
            self.report_ = replace(
                self.report_, classes={**self.report_.classes, "smallest": 99}
            )
            return table

    registered("anonymizers", "liar", Liar)
    release.write(anonymizer=release.mondrian(name="liar"))
    with pytest.raises(GateError, match="k-anonymity: the level is 1"):
        run_release(release.file)


def test_models_of_a_plugin_reach_the_anonymizer(release, registered, distinct_values):
    seen = []

    class Watched(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **fit_params):
            seen.append((self.k, self.models))
            return super().fit_transform(X)

    registered("anonymizers", "watched", Watched)
    registered("privacy_models", "distinct-values", distinct_values)
    asked = {"model": "distinct-values", "l": 3}
    release.write(
        anonymizer=release.mondrian(name="watched"),
        thresholds=[{"model": "k-anonymity", "k": 3}, asked],
    )
    run_release(release.file)
    assert seen == [(3, [distinct_values(l=3)])]
    table = read_published(release.target, labels="text")
    assert table.groupby(["age", "zip"])["job"].nunique().min() >= 3


def test_an_anonymizer_may_state_its_own_goal_and_the_gate_stays(
    release, registered, distinct_values
):
    registered("privacy_models", "distinct-values", distinct_values)
    asked = {"model": "distinct-values", "l": 2}
    thresholds = [{"model": "k-anonymity", "k": 3}, asked]
    stricter = release.mondrian(k=8, models=[{**asked, "l": 3}])
    release.write(thresholds=thresholds, anonymizer=stricter)
    run_release(release.file)
    checks = release.manifest()["measured"]["checks"]
    assert checks[0]["observed"] >= 8
    assert checks[1]["observed"] >= 3
    release.write(anonymizer=release.mondrian(k=1, models=[]))
    with pytest.raises(GateError, match="k-anonymity: the level is"):
        run_release(release.file)


# ---------------------------------------------------------------- persons


def repeated_persons(release, **anonymizer):
    """Ten persons of four rows each: k counts persons, not rows."""
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    for number, row in enumerate(rows[1:]):
        person = number // 4
        row[0], row[1], row[2] = f"{NAME_MARK}{person}", str(20 + person), "007"
    release.write_rows(rows)
    roles = {**release.content["roles"], "identifiers": [], "subject": "name"}
    release.write(
        roles=roles, anonymizer=release.mondrian(step={"age": 1}, **anonymizer)
    )


def test_k_counts_persons_where_a_subject_is_declared(release):
    repeated_persons(release)
    run_release(release.file)
    table = read_published(release.target, labels="text")
    assert "name" not in table
    assert table.groupby("age").size().min() >= 12
    check = release.manifest()["measured"]["checks"][0]
    assert check["passed"]
    assert "observed" not in check  # who the persons are is not published
    assert NAME_MARK not in str(release.public_bytes())


@pytest.mark.parametrize("suppression", ["mask", "drop"])
def test_the_gate_counts_persons_too(release, suppression):
    repeated_persons(release, k=1, suppression=suppression)
    run = anonymize(load(release.file))
    with pytest.raises(GateError, match="k-anonymity: the level is 1; 10 of 10"):
        validate(run)
    left = {path.name for path in (release.home / "quarantine").rglob("*")}
    assert {"candidate", "verdict.json"} < left
    assert not {"input.parquet", "persons.parquet"} & left


def test_rows_without_a_person_are_refused(release):
    repeated_persons(release, k=1)
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    for row in rows[1:]:
        row[0], row[1] = "", "30"
    release.write_rows(rows)
    assert "column 'name' is empty in 40 rows" in release.refusal(DataError)

"""Commands on a published release: its folder, or its file beside the manifest."""

import json

import pandas as pd
import pytest

yaml = pytest.importorskip("yaml")


@pytest.fixture
def people(tmp_path):
    """A table with cells that a spreadsheet would run."""
    path = tmp_path / "people.csv"
    pd.DataFrame(
        {
            "age": [20 + n % 12 for n in range(60)],
            "pay": ["-", "=1+2", "low"] * 20,
            "job": ["clerk", "cook", "nurse", "guard"] * 15,
        }
    ).to_csv(path, index=False)
    return path


@pytest.fixture
def publish(anon, people, tmp_path):
    """Publish people.csv with further keys of the release file; gives the folder."""

    def run(**further):
        config = {
            "source": {"path": people.name},
            "roles": {
                "quasi_identifiers": ["age", "pay"],
                "sensitive": ["job"],
            },
            "anonymizer": {
                "name": "mondrian",
                "step": {"age": 10},
                "domain": {"pay": ["-", "=1+2", "low"]},
            },
            "thresholds": [{"model": "k-anonymity", "k": 3}],
            "target": {"path": "out"},
            **further,
        }
        (tmp_path / "people.yaml").write_text(yaml.safe_dump(config))
        made = anon("release", tmp_path / "people.yaml")
        assert made.exit_code == 0, made.output + made.stderr
        return tmp_path / "out"

    return run


def json_of(run):
    assert run.exit_code in {0, 1}, run.output + run.stderr
    return json.loads(run.stdout)


def test_risk_takes_the_folder_of_a_release(anon, publish, people):
    folder = publish()
    found = json_of(anon("risk", folder, "--json"))
    assert found["after"]["classes"]["smallest"] >= 3
    assert list(found["after"]["sensitive"]) == ["job"]
    named = ["-q", "age", "-q", "pay", "-s", "job"]
    assert found["after"] == json_of(anon("risk", folder, *named, "--json"))["after"]
    beside = json_of(anon("risk", folder, "--original", people, "--json"))
    assert beside["before"] is not None
    assert beside["loss"]["attributes"]["pay"] is not None
    wrong = anon("risk", folder, "--query", "agee")
    assert wrong.exit_code == 2
    assert "unknown column 'agee'" in wrong.stderr


def test_a_folder_that_holds_no_release_is_no_table(anon, tmp_path):
    run = anon("risk", tmp_path)
    assert run.exit_code == 2
    assert "holds no published release" in run.stderr


@pytest.mark.parametrize("command", ["risk", "attack", "validate", "quality"])
def test_the_file_of_a_release_is_read_as_the_release(anon, publish, people, command):
    """Texts that a spreadsheet would run have an apostrophe in the file only."""
    folder = publish()
    file = folder / "current/data.csv"
    assert "'=1+2" in file.read_text() or "'-" in file.read_text()
    named = ["-q", "age", "-q", "pay", "-s", "job", "--json"]
    calls = {
        "risk": ["--original", people],
        "attack": ["--original", people, "-a", "linkage"],
        "validate": ["--original", people, "-k", "3", "-t", "t-closeness,t=1"],
        "quality": [people, "--permutations", "0", "--random-state", "1"],
    }
    found = []
    for place in (folder, file):
        seen = json_of(anon(command, place, *calls[command], *named))
        found.append({k: v for k, v in seen.items() if k not in {"table", "release"}})
    assert found[0] == found[1]


def test_a_file_that_was_changed_is_refused(anon, publish):
    file = publish() / "current/data.csv"
    file.chmod(0o644)
    file.write_text(file.read_text() + "*,*,cook\n")
    run = anon("risk", file, "-q", "age")
    assert run.exit_code == 2
    assert "not the bytes that were published" in run.stderr


@pytest.mark.parametrize("manifest", ["{", "[]", '{"data": "people.csv"}'])
def test_the_manifest_of_something_else_says_nothing(anon, people, tmp_path, manifest):
    (tmp_path / "manifest.json").write_text(manifest)
    assert anon("risk", people, "-q", "age").exit_code == 0


DROPPING = {
    "anonymizer": {
        "name": "full-domain",
        "suppression": "drop",
        "suppression_limit": 0.3,
    },
    "hierarchies": {"age": {"kind": "intervals", "widths": [4], "start": 0},
                    "pay": {"kind": "masking", "length": 4}},
    "thresholds": [
        {"model": "k-anonymity", "k": 3},
        {"model": "t-closeness", "t": 0.9},
    ],
}  # fmt: skip


def test_what_nobody_can_judge_again_did_not_fail(anon, publish, people):
    folder = publish(**DROPPING)
    run = anon("validate", folder)
    assert run.exit_code == 0
    message = " ".join(run.stdout.split())
    assert (
        f"{folder}: agrees with its manifest; 1 of 2 thresholds held at release"
        in message
    )
    assert anon("validate", folder, "--strict").exit_code == 1
    assert "failed" not in message
    assert "--original FILE" in message
    assert "from_frame" not in message
    assert "held at release, not judged again" in message
    judged = anon("validate", folder, "--original", people)
    assert judged.exit_code == 0, judged.output
    broken = anon("validate", folder, "-k", "50")
    assert broken.exit_code == 1
    assert f"{folder}: failed" in broken.stdout


def test_hierarchies_are_asked_for_as_an_option(anon, publish, people):
    asked = ["-t", "t-closeness,t=1,distance=hierarchical"]
    run = anon("validate", publish(), *asked, "--original", people)
    assert run.exit_code == 1
    assert "--hierarchy COLUMN=FILE" in " ".join(run.stdout.split())


def test_the_original_may_be_bundled(anon):
    adult = "bundled:adult/adult.csv.gz"
    known = ["-q", "sex", "-s", "occupation", "-t", "t-closeness,t=1"]
    run = anon("validate", adult, *known, "--original", adult)
    assert run.exit_code == 0, run.output + run.stderr
    wrong = anon("validate", adult, *known, "--original", "bundled:adlt")
    assert wrong.exit_code == 2
    assert "bundled data" in wrong.stderr


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("s3://bucket/people.csv", "nothing here opens s3:// addresses"),
        ("file:///people.csv", "without file://"),
        ("nowhere.csv", "nowhere.csv does not exist"),
    ],
)
def test_addresses_are_no_files(anon, people, place, message):
    for call in (["risk", place], ["risk", people, "--original", place]):
        run = anon(*call, "-q", "age")
        assert run.exit_code == 2
        assert message in " ".join(run.stderr.split())


def test_rows_are_not_passed_off_as_persons(anon, publish, people):
    table = pd.read_csv(people)
    table.assign(pid=[n // 2 for n in range(60)]).to_csv(people, index=False)
    roles = {"quasi_identifiers": ["age", "pay"], "sensitive": ["job"],
             "subject": "pid"}  # fmt: skip
    found = json_of(anon("risk", publish(roles=roles), "--json"))
    assert "rows are counted here" in found["not_available"]["persons"]
    assert (
        "persons"
        not in json_of(anon("risk", people, "-q", "age", "--json"))["not_available"]
    )


def test_a_reason_stands_once_below_a_narrow_table(anon, publish):
    folder = publish(**DROPPING)
    output = anon("validate", folder).stdout
    (line,) = [
        x for x in output.splitlines() if x.startswith("- t-closeness: not judged")
    ]
    assert "--original FILE" in line
    table = [x for x in output.splitlines() if x.startswith(("│", "┃"))]
    assert table
    assert not [x for x in table if "--original" in x]
    assert any("not judged again" in x for x in table)

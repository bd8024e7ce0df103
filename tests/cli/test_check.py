"""``anon check``: release files in order and broken, and that nothing is run."""

import json

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

RELEASE = """\
source: {path: people.csv}
roles: {quasi_identifiers: [age], sensitive: [job]}
anonymizer: {name: mondrian, step: {age: 5}}
thresholds: [{model: k-anonymity, k: 5}]
target: {path: out}
composition: {accept_unjudged: made-up rows that describe nobody}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.yaml").write_text(RELEASE)
    return tmp_path


def test_files_in_order(anon, folder):
    done = anon("check", folder)
    assert done.exit_code == 0, done.output
    assert "1 of 1 in order" in done.stdout
    assert sorted(f.name for f in folder.iterdir()) == ["good.yaml"]


def test_a_k_of_one_is_noted(anon, folder):
    more = "k: 1}, {model: distinct-l-diversity, l: 2}"
    (folder / "one.yaml").write_text(RELEASE.replace("k: 5}", more))
    done = anon("check", folder)
    assert done.exit_code == 0, done.output
    told = " ".join(done.stdout.replace("│", " ").split())
    assert "k: 1 promises nothing" in told
    assert told.count("in order, but") == 1


PERSONS = """\
source: {path: people.csv}
roles: {subject: who, quasi_identifiers: [age], sensitive: [job]}
anonymizer: {name: mondrian, step: {age: 5}}
thresholds: [{model: k-anonymity, k: 5}]
target: {path: out}
schedule: "@monthly"
composition: {sensitive: {job: permanent}}
"""


def test_a_key_that_is_not_set_is_noted(anon, tmp_path, monkeypatch):
    file = tmp_path / "people.yaml"
    file.write_text(PERSONS)
    monkeypatch.delenv("ANON_LEDGER_KEY", raising=False)
    done = anon("check", file, "--json")
    assert done.exit_code == 0, done.output
    assert (
        "ANON_LEDGER_KEY is not set here" in json.loads(done.stdout)["files"][0]["note"]
    )
    # A connection brings it, or the environment has it.
    file.write_text(f"{PERSONS}airflow: {{secrets: {{ANON_LEDGER_KEY: ledger}}}}\n")
    assert json.loads(anon("check", file, "--json").stdout)["files"][0]["note"] is None
    file.write_text(PERSONS)
    monkeypatch.setenv("ANON_LEDGER_KEY", "5" * 64)
    assert json.loads(anon("check", file, "--json").stdout)["files"][0]["note"] is None


def test_roles_are_compared_with_the_header_of_the_source(anon, tmp_path, monkeypatch):
    monkeypatch.setenv("ANON_LEDGER_KEY", "5" * 64)
    file = tmp_path / "people.yaml"
    stated = PERSONS.replace("people.csv", '"people-{period:%Y-%m}.csv"')
    public = '{path: "out/{period:%Y-%m}", retention: {periods: 3}}'
    file.write_text(stated.replace("{path: out}", public))
    rows = "".join(f"p{n},{n},j{n % 3}\n" for n in range(20, 60))
    (tmp_path / "people-2026-10.csv").write_text(f"whoo,age,job\n{rows}")
    assert anon("check", file).exit_code == 0
    done = anon("check", file, "--source", "--period", "2026-10", "--json")
    assert done.exit_code == 1
    fault = json.loads(done.stdout)["files"][0]["fault"]
    assert "unknown column 'who'; column 1 of the header" in fault
    assert "whoo" not in fault
    # The sentence of the release itself.
    refused = anon("release", file, "--period", "2026-10", "--json")
    assert refused.exit_code == 2
    assert json.loads(refused.stdout)["error"] in fault


def test_one_broken_file_among_them(anon, folder):
    (folder / "bad.yaml").write_text(RELEASE.replace("k: 5", "kk: 5"))
    done = anon("check", folder)
    assert done.exit_code == 1
    assert "1 of 2 in order" in done.stdout
    assert "unknown parameter 'kk'" in done.stdout
    done = anon("check", folder / "bad.yaml", folder / "good.yaml", "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["broken"] == 1
    bad, good = found["files"]
    assert (bad["release"], bad["ok"], good["ok"]) == ("bad", False, True)
    assert "'kk'; did you mean 'k'?" in bad["fault"]
    assert good["fault"] is None


def test_the_source_is_looked_for_if_asked(anon, folder):
    done = anon("check", folder, "--source", "--json")
    assert done.exit_code == 1
    assert "people.csv does not exist" in done.stdout
    (folder / "people.csv").write_text("age,job\n")
    assert anon("check", folder, "--source").exit_code == 0


def test_a_period_that_is_missing_is_shown_as_it_was_typed(anon, folder):
    file = folder / "good.yaml"
    file.write_text(RELEASE.replace("people.csv", '"{period:%Y-%m}.csv"'))
    done = anon("check", file, "--source", "--json")
    assert done.exit_code == 1
    (found,) = json.loads(done.stdout)["files"]
    assert f"anon check {file} --period 20" in found["fault"]
    assert "anon release" not in found["fault"]


def test_two_files_of_one_name_and_none_at_all(anon, folder, tmp_path_factory):
    (folder / "good.yml").write_text(RELEASE)
    done = anon("check", folder)
    assert done.exit_code == 1
    assert done.stdout.count("has the same name") == 2
    done = anon("check", tmp_path_factory.mktemp("empty"))
    assert done.exit_code == 2
    assert "no release file" in done.stderr
    assert anon("check", folder / "missing.yaml").exit_code == 1


def test_a_schedule_is_checked_without_airflow(anon, folder):
    (folder / "good.yaml").write_text(RELEASE + 'schedule: "0 6 1 *"\n')
    done = anon("check", folder)
    assert done.exit_code == 1
    assert "is no schedule" in " ".join(done.stdout.split())


def test_airflow_is_asked_for_the_rest(anon, folder):
    pytest.importorskip("airflow")
    stated = "airflow: {on_failure: [nowhere.Notifier]}\n"
    (folder / "good.yaml").write_text(RELEASE + stated)
    assert anon("check", folder).exit_code == 0
    done = anon("check", folder, "--airflow")
    assert done.exit_code == 1
    assert "it cannot be imported" in " ".join(done.stdout.split())
    (folder / "good.yaml").write_text(RELEASE + "schedule: '@daily'\n")
    assert anon("check", folder, "--airflow").exit_code == 0

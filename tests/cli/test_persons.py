"""Commands that count persons, and those that warn where they count rows."""

import json

import pandas as pd
import pytest

pytestmark = [
    pytest.mark.usefixtures("declared"),
    pytest.mark.filterwarnings("default"),
]
ROLES = ["-q", "age", "-s", "ill"]


@pytest.fixture
def visits(tmp_path):
    """Forty persons with five rows each; every class is one person."""
    rows = [(f"p{i // 5}", 20 + i // 5, "abcde"[i % 5]) for i in range(200)]
    path = tmp_path / "visits.csv"
    pd.DataFrame(rows, columns=["pid", "age", "ill"]).to_csv(path, index=False)
    return path


def json_of(run, exit_code=0):
    assert run.exit_code == exit_code, run.output
    return json.loads(run.stdout)


class TestRisk:
    def test_persons_are_counted(self, anon, visits):
        found = json_of(anon("risk", visits, *ROLES, "--subject", "pid", "--json"))
        assert found["counted"] == "persons"
        assert found["after"]["classes"]["smallest"] == 1
        assert found["after"]["classes"]["kept_rows"] == 200
        assert found["after"]["prosecutor"]["average"] == 1.0
        assert found["after"]["sensitive"]["ill"]["distinct_l"] == 1
        assert found["after"]["sensitive"]["ill"]["t"] is None
        assert "ill, t" in found["not_available"]
        shown = anon("risk", visits, *ROLES, "--subject", "pid")
        assert "persons are counted, and a person is at risk" in shown.stdout
        assert "warning" not in shown.output

    def test_rows_are_counted_without_a_subject(self, anon, visits):
        found = json_of(anon("risk", visits, *ROLES, "--json"))
        assert found["counted"] == "rows"
        assert found["after"]["classes"]["smallest"] == 5
        assert "rows are counted" in anon("risk", visits, *ROLES).stdout

    def test_both_tables_are_counted_alike(self, anon, visits):
        given = ["--original", visits, "--subject", "pid", "--json"]
        found = json_of(anon("risk", visits, *ROLES, *given))
        assert found["before"] == found["after"]
        safe = visits.with_name("safe.csv")
        pd.read_csv(visits).drop(columns="pid").to_csv(safe, index=False)
        refused = anon("risk", safe, *ROLES, *given)
        assert refused.exit_code == 2
        assert "'pid'" in refused.output

    def test_weights_of_rows_are_none_of_persons(self, anon, visits):
        given = ["--subject", "pid", "--weights", "age"]
        refused = anon("risk", visits, "-q", "ill", *given)
        assert refused.exit_code == 2
        assert "--weights: " in refused.output

    def test_a_register_stands_beside_persons(self, anon, visits):
        register = visits.with_name("register.csv")
        ages = [20 + i // 2 for i in range(80)]
        pd.DataFrame({"age": ages}).to_csv(register, index=False)
        given = ["-q", "age", "--population", register, "--json"]
        by_rows = json_of(anon("risk", visits, *given))
        assert by_rows["after"]["journalist"] is None  # five rows, two persons
        found = json_of(anon("risk", visits, *given, "--subject", "pid"))
        assert found["after"]["journalist"]["highest"] == 0.5


class TestAttack:
    CALL = ("-a", "unique-combinations", "-a", "homogeneity")

    def test_persons_are_counted(self, anon, visits):
        given = [*ROLES, *self.CALL, "--subject", "pid"]
        seen = json_of(anon("attack", visits, *given, "--json"), 1)
        assert seen["counted"] == "persons"
        found = {report["attack"]: report for report in seen["attacks"]}
        assert found["unique-combinations"]["exposed"] == 40
        assert found["unique-combinations"]["exposed_units"] == 40
        assert "of one person" in found["unique-combinations"]["meaning"]
        assert found["unique-combinations"]["details"]["age"]["alone"] == 200
        assert found["unique-combinations"]["details"]["age"]["without"] == 0
        assert found["homogeneity"]["exposed"] == 40
        assert "persons are counted" in anon("attack", visits, *given).stdout

    def test_rows_are_counted_without_a_subject(self, anon, visits):
        run = anon("attack", visits, *ROLES, *self.CALL)
        assert run.exit_code == 0, run.output
        assert "rows are counted" in run.stdout

    def test_small_classes_are_those_of_few_persons(self, anon, visits):
        frame = pd.read_csv(visits).assign(ill="a")
        frame.to_csv(visits, index=False)
        given = [*ROLES, "-a", "small-classes", "--json"]
        assert json_of(anon("attack", visits, *given))["exposed"] is False
        for more in ([], ["--original", visits]):
            found = json_of(
                anon("attack", visits, *given, "--subject", "pid", *more), 1
            )
            (report,) = found["attacks"]
            assert report["exposed"] == 40

    def test_attacks_that_count_rows_are_not_run(self, anon, visits):
        given = [*ROLES, "--subject", "pid", "--json"]
        found = json_of(anon("attack", visits, *given, "-a", "skewness"), 1)
        assert "counts rows, not persons" in found["not_run"]["skewness"]

    def test_persons_who_share_a_class_hide_each_other(self, anon, tmp_path):
        path = tmp_path / "two.csv"
        rows = [(1, 20, "a"), (1, 20, "b"), (2, 20, "b"), (3, 30, "c"), (None, 30, "c")]
        pd.DataFrame(rows, columns=["pid", "age", "ill"]).to_csv(path, index=False)
        given = [*ROLES, *self.CALL, "--subject", "pid", "--json"]
        seen = json_of(anon("attack", path, *given), 1)
        found = {report["attack"]: report for report in seen["attacks"]}
        assert found["unique-combinations"]["exposed"] == 2
        # Both persons of the first class have b.
        assert found["homogeneity"]["exposed"] == 4


class TestFrontier:
    def test_k_counts_persons(self, anon, visits):
        given = ["-q", "age", "-s", "ill", "--suppression-limit", "0", "--json"]
        by_rows = json_of(anon("frontier", visits, *given, "-i", "pid"))
        assert by_rows["counted"] == "rows"
        assert by_rows["ranges"][0]["k_to"] == 5
        found = json_of(anon("frontier", visits, *given, "--subject", "pid"))
        assert found["counted"] == "persons"
        assert found["ranges"][0]["k_to"] == 1
        assert max(row["k_to"] for row in found["ranges"]) <= 40
        shown = anon("frontier", visits, *given[:-1], "--subject", "pid")
        assert "by k, which counts persons" in shown.stdout


CALLS = {
    "anonymize": ["anonymize", "{file}", "-", *ROLES],
    "compare": ["compare", "{file}", *ROLES, "-m", "mondrian", "-g", "k=2"],
    "frontier": ["frontier", "{file}", *ROLES],
    "risk": ["risk", "{file}", *ROLES],
    "attack": ["attack", "{file}", *ROLES, "-a", "unique-combinations"],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_repeated_identifier_is_warned_of_in_options(anon, visits, call):
    given = [visits if part == "{file}" else part for part in call]
    run = anon(*given, "-i", "pid")
    assert run.exit_code == 0, run.output
    lines = [line for line in run.stderr.splitlines() if line.startswith("warning: ")]
    (line,) = lines
    assert "such as --subject pid. Here identifier 'pid' repeats (" in line
    assert "subject=" not in run.output
    assert "warning: " not in anon(*given, "--subject", "pid").stderr


@pytest.mark.parametrize("command", ["risk", "attack"])
def test_identifiers_of_the_original_are_looked_at(anon, visits, command):
    safe = visits.with_name("safe.csv")
    pd.read_csv(visits).drop(columns="pid").to_csv(safe, index=False)
    only = ["-a", "unique-combinations"] if command == "attack" else []
    given = [command, safe, *ROLES, *only, "--original", visits]
    run = anon(*given, "-i", "pid")
    assert run.exit_code == 0, run.output
    assert "--subject pid." in run.stderr
    refused = anon(*given, "-i", "pidd")
    assert refused.exit_code == 2
    assert "'pidd'" in refused.output


def test_a_name_with_a_blank_is_quoted_for_a_shell(anon, visits):
    pd.read_csv(visits).rename(columns={"pid": "who is"}).to_csv(visits, index=False)
    run = anon("risk", visits, *ROLES, "-i", "who is")
    assert "such as --subject 'who is'. Here identifier" in run.stderr


@pytest.mark.parametrize("command", ["risk", "attack"])
def test_a_column_has_one_role(anon, visits, command):
    refused = anon(command, visits, *ROLES, "--subject", "age")
    assert refused.exit_code == 2
    assert "'age'" in refused.output

"""``anon validate`` where k counts persons."""

import json

import pandas as pd
import pytest

yaml = pytest.importorskip("yaml")

CONFIG = {
    "source": {"path": "visits.csv"},
    "roles": {"quasi_identifiers": ["age"], "sensitive": ["job"], "subject": "pid"},
    "anonymizer": {"name": "mondrian", "step": {"age": 1}},
    "thresholds": [
        {"model": "k-anonymity", "k": 3},
        {"metric": "average-risk", "max": 0.4},
    ],
    "target": {"path": "out"},
    "composition": {"accept_unjudged": "made-up rows that describe nobody"},
}


@pytest.fixture
def visits(tmp_path):
    """Two visits a person."""
    path = tmp_path / "visits.csv"
    rows = [(f"p{i // 2}", 20 + i // 2, "ab"[i % 2]) for i in range(40)]
    pd.DataFrame(rows, columns=["pid", "age", "job"]).to_csv(path, index=False)
    return path


def test_a_release_that_counts_persons_says_why_it_is_no_pass(anon, visits):
    file = visits.with_name("visits.yaml")
    file.write_text(yaml.safe_dump(CONFIG))
    assert anon("release", file).exit_code == 0
    judged = anon("validate", visits.with_name("out"))
    assert judged.exit_code == 0
    message = " ".join(judged.output.split())
    assert "agrees with its manifest; 2 of 2 thresholds held at release" in message
    assert "The smallest class has" in message
    assert "counts persons (subject 'pid')" in message
    assert "is not published" in message
    assert "Every combination of age must be shared by at least 3" in message
    assert message.count("k-anonymity, average-risk: not judged again") == 1
    # What was verified comes first, and each sentence once.
    assert message.index("The smallest class") < message.index("Thresholds")
    assert message.count("counts persons") == message.count("must be at most 0.4") == 1
    # Numbers of persons would tell of them.
    manifest = json.loads(
        (visits.with_name("out") / "current/manifest.json").read_text()
    )
    checks = manifest["measured"]["checks"]
    assert [check["id"] for check in checks] == ["k-anonymity", "average-risk"]
    for check in checks:
        assert check["passed"]
        assert not {"observed", "units", "failing", "details"} & set(check)
    assert "unknown column" not in message
    for options in (["--strict"], ["--k", 2]):
        judged = anon("validate", visits.with_name("out"), *options, "--json")
        assert judged.exit_code == 1
        found = json.loads(judged.stdout)
        assert found["passed"] is False
        assert not any(check["passed"] for check in found["checks"])
    refused = anon("validate", visits.with_name("out"), "--subject", "pid")
    assert refused.exit_code == 2


def test_persons_of_a_file_are_counted_by_their_column(anon, visits):
    asked = ["validate", visits, "-q", "age", "--json"]
    by_rows = anon(*asked, "--k", 2)
    assert by_rows.exit_code == 0, by_rows.output
    by_persons = anon(*asked, "--k", 2, "--subject", "pid")
    assert by_persons.exit_code == 1
    assert json.loads(by_persons.stdout)["checks"][0]["observed"] == 1
    assert anon(*asked, "--k", 1, "--subject", "pid").exit_code == 0


def test_a_misspelled_subject_is_told(anon, visits):
    judged = anon("validate", visits, "-q", "age", "--k", 2, "--subject", "pidd")
    assert judged.exit_code == 2
    assert "unknown column 'pidd'" in " ".join(judged.stderr.split())


def test_what_is_counted_is_said(anon, visits, tmp_path):
    roles = ["-q", "age", "-s", "job", "--subject", "pid"]
    made = anon("anonymize", visits, tmp_path / "safe.csv", *roles, "-k", 3)
    assert made.exit_code == 0, made.output
    assert "level 5 persons" in made.stdout
    assert "smallest 5 persons" in made.stdout
    assert "average risk of persons" in made.stdout


class TestAgainstTheInput:
    @pytest.fixture
    def tables(self, tmp_path):
        """A table, and what is left of it when its last class was dropped."""
        whole = pd.DataFrame(
            {"age": [20] * 4 + [30] * 4 + [40] * 4, "ill": list("aabb" * 3)}
        )
        whole.loc[8:, "ill"] = "c"
        whole.to_csv(tmp_path / "whole.csv", index=False)
        whole.head(8).to_csv(tmp_path / "safe.csv", index=False)
        (tmp_path / "ill.csv").write_text("a;x;*\nb;x;*\nc;y;*\n")
        return tmp_path

    def test_t_needs_the_original(self, anon, tables):
        asked = [
            tables / "safe.csv",
            "-q",
            "age",
            "-s",
            "ill",
            "-t",
            "t-closeness,t=0.2",
        ]
        assert anon("validate", *asked).exit_code == 1
        judged = anon("validate", *asked, "--original", tables / "whole.csv", "--json")
        check = json.loads(judged.stdout)["checks"][0]
        assert check["observed"] == pytest.approx(1 / 3)
        assert judged.exit_code == 1
        asked[-1] = "t-closeness,t=0.4"
        passed = anon("validate", *asked, "--original", tables / "whole.csv")
        assert passed.exit_code == 0, passed.output

    def test_a_hierarchy_can_be_given(self, anon, tables):
        asked = "t-closeness,t=0.4,distance=hierarchical"
        given = [tables / "safe.csv", "-q", "age", "-s", "ill", "-t", asked]
        given += ["--original", tables / "whole.csv"]
        assert anon("validate", *given).exit_code == 1
        tree = f"ill={tables / 'ill.csv'}"
        assert anon("validate", *given, "--hierarchy", tree).exit_code == 0

    def test_a_release_that_masks_rows_is_judged_again(self, anon, tmp_path):
        rows = [(20 + i // 4, "ab"[i % 2]) for i in range(40)]
        source = tmp_path / "people.csv"
        pd.DataFrame(rows, columns=["age", "job"]).to_csv(source, index=False)
        config = CONFIG | {
            "source": {"path": "people.csv"},
            "roles": {"quasi_identifiers": ["age"], "sensitive": ["job"]},
            "thresholds": [
                {"model": "k-anonymity", "k": 3},
                {"model": "t-closeness", "t": 0.5},
            ],
        }
        file = tmp_path / "people.yaml"
        file.write_text(yaml.safe_dump(config))
        assert anon("release", file).exit_code == 0
        judged = anon("validate", tmp_path / "out")
        assert judged.exit_code == 0, judged.output


def test_shares_of_rows_are_judged_though_persons_are_counted(anon, visits):
    asked = {**CONFIG, "thresholds": [
        *CONFIG["thresholds"], {"metric": "suppressed-share", "max": 0.5},
    ]}  # fmt: skip
    file = visits.with_name("visits.yaml")
    file.write_text(yaml.safe_dump(asked))
    assert anon("release", file).exit_code == 0
    found = json.loads(anon("validate", visits.with_name("out"), "--json").stdout)
    assert "suppressed-share" not in found["release"]["not_judged_again"]
    checks = {check["id"]: check for check in found["checks"]}
    assert checks["suppressed-share"]["passed"] is True
    assert checks["suppressed-share"]["observed"] == 0
    assert checks["k-anonymity"]["passed"] is None


def test_a_period_of_a_release(anon, visits):
    asked = {**CONFIG, "source": {"path": "{period:%Y-%m}.csv"}}
    asked["target"] = {**CONFIG["target"], "retention": {"periods": 3}}
    file = visits.with_name("visits.yaml")
    file.write_text(yaml.safe_dump(asked))
    for month in ("2026-01", "2026-02"):
        visits.with_name(f"{month}.csv").write_text(visits.read_text())
        run = anon("release", file, "--period", month)
        assert run.exit_code == 0, run.output
    out = visits.with_name("out")
    for month in ("2026-01", "2026-02"):
        judged = anon("validate", out, "--period", month, "--json")
        assert judged.exit_code == 0
        assert json.loads(judged.stdout)["release"]["period"] == month
    absent = anon("validate", out, "--period", "2026-03")
    assert absent.exit_code == 2
    assert "2026-01, 2026-02" in " ".join(absent.output.split())
    assert anon("validate", visits, "--period", "2026-01").exit_code == 2

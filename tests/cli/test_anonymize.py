"""``anon anonymize``: models, limits, warnings, and the standard output as target."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import anon_transformers
from anon_transformers import exceptions
from anon_transformers.cli._promises import read_limit
from anon_transformers.exceptions import ConfigurationError

pytestmark = pytest.mark.usefixtures("declared")

SECRET = "Zebedee-the-secret"
ROLES = ["-q", "age", "-q", "zip", "-s", "disease", "-s", "job", "-i", "name"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(
        {
            "name": [f"{SECRET}-{i}" for i in range(40)],
            "age": [20 + i % 17 for i in range(40)],
            "zip": [f"{i % 7:05d}" for i in range(40)],
            "disease": [["flu", "cold", "gout", "none"][i // 10] for i in range(40)],
            "job": ["cook", "clerk"] * 20,
        }
    ).to_csv(path, index=False)
    return path


def smallest_diversity(path, column):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.groupby(["age", "zip"])[column].nunique().min()


class TestModels:
    def test_every_model_is_kept(self, anon, people, tmp_path):
        target = tmp_path / "safe.csv"
        call = ["anonymize", people, target, *ROLES, "-k", 3, "--json"]
        assert anon(*call).exit_code == 0
        assert smallest_diversity(target, "disease") < 3
        made = anon(
            *call, "--force", "--model", "distinct-l-diversity,l=3,sensitive=disease",
            "--model", "t-closeness,t=0.4,sensitive=job",
        )  # fmt: skip
        assert made.exit_code == 0, made.output
        assert smallest_diversity(target, "disease") >= 3
        models = {m["model"]: m for m in json.loads(made.stdout)["models"]}
        assert models["k-anonymity"]["level"] >= 3
        assert models["distinct-l-diversity"]["level"] >= 3
        assert models["t-closeness"]["level"] <= 0.4

    def test_levels_are_printed(self, anon, people, tmp_path):
        made = anon(
            "anonymize", people, tmp_path / "safe.csv", *ROLES, "-k", 3, "-m",
            "full-domain", "--model", "distinct-l-diversity,l=2",
        )  # fmt: skip
        assert made.exit_code == 0, made.output
        lines = [" ".join(line.split()) for line in made.stdout.splitlines()]
        assert any("│ model │ distinct-l-diversity │ level 2 │" in one for one in lines)
        assert any("│ level of age │" in one for one in lines)
        assert any("│ level of zip │" in one for one in lines)

    def test_a_promise_that_cannot_be_kept_writes_nothing(self, anon, people, tmp_path):
        made = anon(
            "anonymize", people, tmp_path / "safe.csv", *ROLES, "--model",
            "distinct-l-diversity,l=5,sensitive=disease",
        )  # fmt: skip
        assert made.exit_code == 1
        assert not (tmp_path / "safe.csv").exists()

    @pytest.mark.parametrize(
        ("model", "reported"),
        [
            ("distinct-l-diversty,l=3", "did you mean 'distinct-l-diversity'"),
            ("distinct-l-diversity,ll=3", "unknown parameter 'll'"),
            ("distinct-l-diversity", "l"),
            ("distinct-l-diversity,l", "NAME=VALUE"),
            ("distinct-l-diversity,l=3,sensitive=jobb", "jobb"),
            ("distinct-l-diversity,l=0", "at least 1"),
            ("k-map,k=3", "population"),
        ],
    )
    def test_mistakes_name_the_option(self, anon, people, tmp_path, model, reported):
        call = ["anonymize", people, tmp_path / "safe.csv", *ROLES, "--model", model]
        made = anon(*call)
        assert made.exit_code == 2, made.output
        message = " ".join(made.stderr.split())
        assert reported in message
        assert "--model" in message or "jobb" in reported
        assert not (tmp_path / "safe.csv").exists()

    def test_a_model_is_no_option_of_the_method(self, anon, people, tmp_path):
        made = anon("anonymize", people, tmp_path / "s.csv", *ROLES, "-o", "models=[]")
        assert made.exit_code == 2
        assert "option of its own" in made.stderr


class TestSuppressionLimit:
    @pytest.mark.parametrize(
        ("text", "limit"),
        [
            ("0", 0), ("1", 1), ("25", 25), ("0.05", 0.05), ("5%", 0.05),
            ("12.5%", 0.125), ("1.0", 1.0), ("100%", 1.0), (".5", 0.5),
        ],
    )  # fmt: skip
    def test_whole_numbers_count_rows_and_others_are_shares(self, text, limit):
        found = read_limit(text)
        assert found == limit
        assert type(found) is type(limit)

    @pytest.mark.parametrize(
        "text", ["", "-1", "1.5", "101%", "5%%", "%", "nan", "few", "5 rows", "5%x"]
    )
    def test_anything_else_is_refused(self, text):
        with pytest.raises(ConfigurationError, match="--suppression-limit"):
            read_limit(text)

    def test_it_reaches_the_method(self, anon, people, tmp_path):
        call = ["anonymize", people, tmp_path / "safe.csv", *ROLES, "-k", 3]
        call += ["-m", "datafly", "--json"]
        exact = anon(*call, "--suppression-limit", "0")
        assert exact.exit_code == 0, exact.output
        assert json.loads(exact.stdout)["suppressed_rows"] == 0
        both = ["--suppression-limit", "5%", "-o", "suppression_limit=0.1"]
        twice = anon(*call, "--force", *both)
        assert twice.exit_code == 2
        assert "option of its own" in json.loads(twice.stdout)["error"]

    def test_a_count_is_handed_on_as_a_count(self, anon, people, tmp_path, monkeypatch):
        seen = []

        def learn(self, table, models):
            seen.append(self.suppression_limit)
            raise exceptions.InfeasibleError("seen")

        method = anon_transformers.MondrianAnonymizer
        monkeypatch.setattr(method, "_learn", learn)
        monkeypatch.setattr(method, "_check_parameters", lambda self: None)
        rules = sys.modules["anon_transformers.base._suppression"].SuppressionRules
        monkeypatch.setattr(rules, "check", lambda self: None)
        call = ["anonymize", people, tmp_path / "safe.csv", *ROLES]
        for text in ("7", "1", "7%", "1.0"):
            anon(*call, "--suppression-limit", text)
        assert [(type(limit), limit) for limit in seen] == [
            (int, 7), (int, 1), (float, 0.07), (float, 1.0),
        ]  # fmt: skip


class TestStandardOutput:
    @pytest.mark.parametrize("option", [[], ["--json"]])
    def test_the_table_alone_is_there(self, anon, people, tmp_path, option):
        made = anon("anonymize", people, "-", *ROLES, "-k", 4, *option)
        assert made.exit_code == 0, made.output
        table = pd.read_csv(io.StringIO(made.stdout), dtype=str)
        assert list(table.columns) == ["age", "zip", "disease", "job"]
        assert table.groupby(["age", "zip"]).size().min() >= 4
        assert "k-anonymity" in made.stderr
        assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]

    def test_nothing_is_there_if_the_promise_cannot_be_kept(self, anon, people):
        made = anon("anonymize", people, "-", *ROLES, "-k", 41)
        assert made.exit_code == 1
        assert made.stdout == ""

    def test_a_reader_that_leaves_early_gets_no_traceback(self, tmp_path):
        """A pipe that is closed before anything is written."""
        read, write = os.pipe()
        os.close(read)
        program = "from anon_transformers.cli import main; main()"
        arguments = ["dataset", "make", "independent", "--rows", "9999", "-o", "-"]
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=Path(anon_transformers.__file__).parents[1],
        )
        os.close(write)
        assert "Traceback" not in done.stderr
        assert "Broken" not in done.stderr
        assert done.returncode == 141


class TestWarnings:
    @pytest.mark.filterwarnings("default")
    def test_they_are_one_line_on_the_error_stream(self, anon, people, tmp_path):
        made = anon(
            "anonymize", people, tmp_path / "safe.csv", *ROLES, "-k", 1, "--model",
            "distinct-l-diversity,l=2", "--json",
        )  # fmt: skip
        assert made.exit_code == 0, made.output
        assert made.stderr.startswith("warning: distinct-l-diversity without k-anon")
        assert made.stderr.count("\n") == 1
        json.loads(made.stdout)

    @pytest.mark.filterwarnings("default")
    def test_a_person_with_several_rows_is_warned_of(self, anon, tmp_path):
        rows = [(f"{SECRET}-{i // 5}", 20 + i // 5, "ab"[i % 2]) for i in range(200)]
        source = tmp_path / "visits.csv"
        pd.DataFrame(rows, columns=["name", "age", "ill"]).to_csv(source, index=False)
        call = ["anonymize", source, tmp_path / "safe.csv", "-q", "age", "-s", "ill"]
        made = anon(*call, "-i", "name")
        assert made.exit_code == 0, made.output
        (line,) = made.stderr.splitlines()
        assert line.startswith("warning: ")
        assert "name" in line
        assert SECRET not in made.output
        reported = anon(*call, "--subject", "name", "--force")
        assert reported.exit_code == 0, reported.output
        assert reported.stderr == ""

    @pytest.mark.filterwarnings("default")
    def test_many_runs_warn_once(self, anon, tmp_path):
        rows = [(f"n{i // 5}", 20 + i // 50, i % 2) for i in range(1500)]
        source = tmp_path / "visits.csv"
        pd.DataFrame(rows, columns=["name", "age", "ill"]).to_csv(source, index=False)
        call = ["compare", source, "-q", "age", "-s", "ill", "-i", "name", "--json"]
        made = anon(*call, "-m", "mondrian", "-m", "datafly", "-g", "k=2,5")
        assert made.exit_code == 0, made.output
        assert made.stderr.count("warning: ") == made.stderr.count("\n") == 1


@pytest.mark.parametrize("method", ["mondrain", "k-degree"])
def test_choices_are_methods_for_tables(anon, people, tmp_path, method):
    said = anon("anonymize", people, tmp_path / "o.csv", *ROLES, "-m", method)
    assert said.exit_code == 2
    assert f"--method: unknown anonymizer of tables '{method}'" in said.stderr
    assert "'mondrian'" in said.stderr and "'k-automorphism'" not in said.stderr
    assert not (tmp_path / "o.csv").exists()


def test_cells_that_are_swapped_may_be_unique(anon, tmp_path):
    source, target = tmp_path / "pay.csv", tmp_path / "safe.csv"
    rows = "".join(f"{20 + i % 30},{1000 + i}\n" for i in range(300))
    source.write_text(f"age,pay\n{rows}")
    known = ["-q", "age", "-s", "pay", "--method", "group-swap", "-k", "3"]
    done = anon("anonymize", source, target, *known)
    assert done.exit_code == 0, done.output
    assert len(target.read_text().splitlines()) == 301


class TestWhatIsAccepted:
    ROLES = ("-q", "age", "--insensitive", "job", "--insensitive", "town")

    @pytest.fixture
    def telling(self, tmp_path):
        """Jobs and towns that tell nobody apart alone, and many together."""
        path = tmp_path / "telling.csv"
        rows = [(20 + n % 9, f"job{n % 6}", f"town{n // 6 % 6}") for n in range(72)]
        pd.DataFrame(rows, columns=["age", "job", "town"]).to_csv(path, index=False)
        return path

    def test_a_pair_can_be_accepted(self, anon, telling, tmp_path):
        call = ["anonymize", telling, tmp_path / "safe.csv", *self.ROLES]
        refused = anon(*call)
        assert refused.exit_code == 2
        reported = " ".join(refused.stderr.split())
        assert "'job' and 'town' together" in reported
        assert "--accept-unique COLUMN, or COLUMN,COLUMN of a pair" in reported
        assert "accept_unique" not in reported
        made = anon(*call, "--accept-unique", "job,town")
        assert made.exit_code == 0, made.output + made.stderr

    @pytest.mark.parametrize("accepted", ["jbo", "job,twn", "job,"])
    def test_what_is_no_column_is_told(self, anon, telling, tmp_path, accepted):
        call = ["anonymize", telling, tmp_path / "safe.csv", *self.ROLES]
        refused = anon(*call, "--accept-unique", accepted)
        assert refused.exit_code == 2
        assert "error: --accept-unique: unknown column" in refused.stderr

    @pytest.mark.filterwarnings("always")
    def test_rows_may_be_persons_though_a_name_repeats(self, anon, people, tmp_path):
        table = pd.read_csv(people, dtype=str)
        table.assign(name=table["name"].str.slice(stop=-1)).to_csv(people, index=False)
        call = ["anonymize", people, tmp_path / "safe.csv", *ROLES, "--force"]
        assert "identifier 'name' repeats" in anon(*call).stderr
        stated = anon(*call, "--rows-are-persons")
        assert stated.exit_code == 0
        assert "repeats" not in stated.stderr
        both = anon(*call, "--subject", "name", "--rows-are-persons")
        assert both.exit_code == 2
        assert "--rows-are-persons: with a subject" in both.stderr


class TestDates:
    @pytest.fixture
    def born(self, tmp_path):
        path = tmp_path / "born.csv"
        days = [f"{1 + n % 28}/{1 + n % 12}/{60 + n % 30}" for n in range(60)]
        pd.DataFrame({"born": days, "job": "cook"}).to_csv(path, index=False)
        return path

    def test_dates_are_read_as_stated(self, anon, born, tmp_path):
        call = ["anonymize", born, tmp_path / "safe.csv", "-q", "born", "-s", "job"]
        refused = anon(*call)
        assert refused.exit_code == 2
        reported = " ".join(refused.stderr.split())
        assert "--date 'born=%d/%m/%y,LAST_YEAR'" in reported
        assert "{born: {date: '%d/%m/%y', last_year: …}}" in reported
        assert "{born: text}" in reported
        made = anon(*call, "--date", "born=%d/%m/%y,2025")
        assert made.exit_code == 0, made.output + made.stderr
        labels = pd.read_csv(tmp_path / "safe.csv")["born"]
        assert labels.str.match(r"\[19[68]\d-|\[197\d-").all()

    @pytest.mark.parametrize("command", ["compare", "frontier"])
    def test_comparisons_take_them_too(self, anon, born, command):
        call = [command, born, "-q", "born", "-s", "job"]
        assert anon(*call, "--date", "born=%d/%m/%y,2025").exit_code == 0

    @pytest.mark.parametrize(
        ("given", "reported"),
        [
            ("brn=%d/%m/%Y", "--date:"),
            ("born", "expected COLUMN=FORMAT"),
            ("born=%d/%m/%y", "last_year"),
            ("born=%d/%m/%Y", "born"),
        ],
    )
    def test_mistakes_are_told(self, anon, born, given, reported):
        run = anon("anonymize", born, "-", "-q", "born", "-s", "job", "--date", given)
        assert run.exit_code == 2
        assert reported in " ".join(run.stderr.split())
        assert "/60" not in run.output + run.stderr

    def test_other_files_know_their_dates(self, anon, born, tmp_path):
        place = tmp_path / "born.parquet"
        pd.read_csv(born).to_parquet(place)
        run = anon("frontier", place, "-q", "born", "--date", "born=%d/%m/%y,2025")
        assert run.exit_code == 2
        assert "CSV" in run.stderr


class TestFormulas:
    ROLES = ("-q", "age", "-s", "job")

    @pytest.fixture
    def running(self, tmp_path):
        path = tmp_path / "running.csv"
        jobs = ["=1+2", "-", "cook", "-5"] * 10
        ages = [20 + n % 9 for n in range(40)]
        pd.DataFrame({"age": ages, "job": jobs}).to_csv(path, index=False)
        return path

    def test_they_are_counted_by_column(self, anon, running, tmp_path):
        target = tmp_path / "safe.csv"
        made = anon("anonymize", running, target, *self.ROLES)
        assert made.exit_code == 0
        reported = " ".join(made.stderr.split())
        assert "warning: a spreadsheet would run cells" in reported
        assert "job (20 rows)" in reported
        assert "--spreadsheet-safe" in reported
        assert "=1" not in reported
        assert sorted(set(pd.read_csv(target)["job"])) == ["-", "-5", "=1+2", "cook"]

    def test_they_are_guarded_where_asked(self, anon, running, tmp_path):
        target = tmp_path / "safe.csv"
        call = ["anonymize", running, target, *self.ROLES, "--spreadsheet-safe"]
        made = anon(*call)
        assert made.exit_code == 0
        assert "warning" not in made.stderr
        assert sorted(set(pd.read_csv(target)["job"])) == [
            "'-", "'=1+2", "-5", "cook",
        ]  # fmt: skip

    def test_a_spreadsheet_runs_no_parquet(self, anon, running, tmp_path):
        made = anon("anonymize", running, tmp_path / "safe.parquet", *self.ROLES)
        assert made.exit_code == 0
        assert "warning" not in made.stderr

    def test_names_of_columns_run_too(self, anon, running, tmp_path):
        running.write_text(running.read_text().replace("job", "=job", 1))
        call = ["anonymize", running, tmp_path / "s.csv", "-q", "age", "-s", "=job"]
        assert "the name of =job" in anon(*call).stderr
        refused = anon(*call, "--force", "--spreadsheet-safe")
        assert refused.exit_code == 2
        assert "'=job' at the head of a column" in " ".join(refused.stderr.split())


class TestWhatIsSaid:
    def test_k_1_promises_nothing(self, anon, people, tmp_path):
        made = anon("anonymize", people, tmp_path / "o.csv", *ROLES, "-k", 1)
        assert made.exit_code == 0
        assert "k = 1 promises nothing" in made.stderr

    def test_an_address_is_no_path(self, anon, people):
        made = anon("anonymize", people, "s3://bucket/o.csv", *ROLES)
        assert made.exit_code == 2
        message = "s3://bucket/o.csv: nothing here opens s3:// addresses; give a path"
        assert message in " ".join(made.stderr.split())

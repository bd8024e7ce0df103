"""``anon init TABLE``: from a messy table to a release that runs."""

import json
import random
from pathlib import Path

import pytest
import yaml

from anon_transformers.release import read_config
from anon_transformers.release._resolve import resolve

SECRET = "Kowalczyk"


def rows(n_rows=400):
    draw = random.Random(5)
    yield [
        "encounter_id",
        "patient_nbr",
        "age",
        "zip",
        "type_id",
        "born",
        "diag",
        "name",
    ]
    for number in range(n_rows):
        yield [
            str(5_000_000 + 17 * number),
            str(800 + 3 * draw.randrange(n_rows // 2)),
            draw.choice(["?", *(f"[{low}-{low + 10})" for low in range(20, 90, 10))]),
            f"{draw.choice([10, 20, 30])}{draw.randrange(100):03}",
            draw.choice(list("111113256")),
            f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{1940 + number % 60}",
            draw.choice(["250", "276", "414", "V45"]),
            f"{SECRET}{number}",
        ]


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("".join(";".join(row) + "\n" for row in rows()))
    return file


@pytest.fixture
def init(anon, people):
    def run(*options):
        return anon("init", people, "--separator", ";", *options)

    return run


def test_what_is_proposed_runs_to_the_end(anon, init, tmp_path):
    made = init("--out", tmp_path / "study", "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    roles = {one["column"]: one["role"] for one in found["columns"]}
    assert roles == {
        "encounter_id": "identifiers",
        "patient_nbr": "subject",
        "age": "quasi_identifiers",
        "zip": "quasi_identifiers",
        "type_id": "quasi_identifiers",
        "born": "quasi_identifiers",
        "diag": "sensitive",
        "name": "identifiers",
    }
    assert found["missing"] == ["?"]
    assert found["refusal"] is None
    assert found["hierarchies"]["age"]["score"] is not None
    file = tmp_path / "study" / "releases" / "people.yaml"
    done = anon("release", file, "--json")
    assert done.exit_code == 0, done.output
    published = json.loads(done.stdout)
    assert published["roles"]["subject"] == "patient_nbr"
    data = next((tmp_path / "study" / "build").rglob("data.csv")).read_text()
    assert SECRET not in data
    assert data.count("\n") == 401


def test_the_file_says_what_to_review_and_why(init, tmp_path):
    made = init("--out", tmp_path)
    assert made.exit_code == 0, made.output
    text = (tmp_path / "releases" / "people.yaml").read_text()
    assert text.startswith("# Proposed from a table of 400 rows of ")
    assert "A person must review" in text
    stated = yaml.safe_load(text)
    assert stated["source"] == {
        "path": "../people.csv",
        "separator": ";",
        "missing": ["?"],
        "columns": {
            "age": "text",
            "zip": "text",
            "type_id": "text",
            "born": {"date": "%d.%m.%Y"},
        },
    }
    assert stated["hierarchies"]["zip"] == {"kind": "masking", "length": 5}
    assert stated["hierarchies"]["age"] == {
        "path": "../hierarchies/people/age.csv",
        "unknown": "suppress",
    }
    lines = [line for line in text.splitlines() if line.startswith("    - ")]
    assert all("  # " in line for line in lines)
    assert SECRET not in text + made.output
    suite = json.loads((tmp_path / "expectations" / "people.json").read_text())
    assert len(suite["expectations"]) == len(stated["thresholds"])


def test_nothing_is_overwritten_unasked(init, tmp_path):
    assert init("--out", tmp_path, "--no-scores").exit_code == 0
    mine = tmp_path / "releases" / "people.yaml"
    mine.write_text("mine")
    again = init("--out", tmp_path, "--no-scores")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert mine.read_text() == "mine"
    assert init("--out", tmp_path, "--no-scores", "--force").exit_code == 0
    assert mine.read_text() != "mine"


def test_what_is_overwritten_leaves_no_hierarchy_behind(init, tmp_path):
    """Those that the file named go; a file that it does not name stays."""
    assert init("--out", tmp_path, "--no-scores").exit_code == 0
    trees = tmp_path / "hierarchies" / "people"
    before = {path.name for path in trees.iterdir()}
    assert "age.csv" in before
    (trees / "mine.csv").write_text("a;*\n")
    again = init("--out", tmp_path, "--no-scores", "--force", "--drop-rest",
                 "-q", "zip")  # fmt: skip
    assert again.exit_code == 0, again.output
    stated = yaml.safe_load((tmp_path / "releases" / "people.yaml").read_text())
    named = {
        Path(one["path"]).name
        for one in stated.get("hierarchies", {}).values()
        if "path" in one
    }
    assert {path.name for path in trees.iterdir()} == named | {"mine.csv"}
    assert "age.csv" not in named


def test_dropped_columns_are_not_among_the_unsure(init, tmp_path):
    said = "columns of low certainty"
    init("--out", tmp_path, "--no-scores")
    text = (tmp_path / "releases" / "people.yaml").read_text()
    assert said in text
    init("--out", tmp_path, "--no-scores", "--force", "--drop-rest", "-q", "zip")
    assert said not in (tmp_path / "releases" / "people.yaml").read_text()


def test_what_is_typed_goes_first(init, tmp_path):
    made = init(
        "--out", tmp_path, "--no-scores", "--json", "--subject", "encounter_id",
        "--drop", "zip", "-s", "type_id", "--date", "born=%m.%d.%Y",
    )  # fmt: skip
    # Not every day is a month: the file is written, and what is wrong is said.
    found = json.loads(made.stdout)
    roles = {one["column"]: one["role"] for one in found["columns"]}
    assert roles["encounter_id"] == "subject"
    assert roles["zip"] == "dropped"
    assert roles["type_id"] == "sensitive"
    assert "written as %m.%d.%Y" in found["refusal"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop", "zipp"], "unknown column 'zipp'"),
        (["--drop", "zip", "-s", "zip"], "declared as sensitive and as dropped"),
    ],
)
def test_refusals_write_nothing(init, tmp_path, options, message):
    made = init("--out", tmp_path / "new", *options)
    assert made.exit_code == 2
    assert message in made.stderr
    assert not (tmp_path / "new").exists()


def test_a_file_without_a_header_is_refused_without_a_word_of_it(anon, tmp_path):
    file = tmp_path / "people.csv"
    body = [",".join(row) for row in rows(50)][1:]
    file.write_text("\n".join(body) + "\n")
    made = anon("init", file, "--out", tmp_path / "new")
    assert made.exit_code == 2
    assert "no header" in made.stderr
    assert SECRET not in made.output
    assert not (tmp_path / "new").exists()


def test_another_separator_is_told(anon, people, tmp_path):
    made = anon("init", people, "--out", tmp_path / "new")
    assert made.exit_code == 2
    assert "--separator" in made.stderr
    assert SECRET not in made.output


def test_a_table_that_is_not_there(anon, tmp_path):
    made = anon("init", tmp_path / "nobody.csv")
    assert made.exit_code == 2
    assert "does not exist" in made.stderr


def test_a_parquet_file_knows_its_types(anon, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"age": [20 + n % 50 for n in range(300)],
                          "sex": ["m", "f", None] * 100})  # fmt: skip
    frame.to_parquet(tmp_path / "people.parquet")
    made = anon("init", tmp_path / "people.parquet", "--out", tmp_path, "--json")
    assert made.exit_code == 0, made.output
    stated = yaml.safe_load((tmp_path / "releases" / "people.yaml").read_text())
    assert stated["source"] == {"path": "../people.parquet"}
    done = anon("release", tmp_path / "releases" / "people.yaml", "--json")
    assert done.exit_code == 0, done.output


def test_a_name_that_reads_like_a_placeholder_stands_for_itself(anon, people, tmp_path):
    odd = people.rename(tmp_path / "pe{o}ple$x[1].csv")
    made = anon("init", odd, "--separator", ";", "--out", tmp_path, "--no-scores")
    assert made.exit_code == 0, made.output
    assert "will be refused" not in made.stderr
    (file,) = (tmp_path / "releases").iterdir()
    path = resolve(read_config(file)).source.path
    assert (file.parent / path).samefile(odd)


# -------------------------------------------------------- several tables, and periods


MONTHS = ("2026-09", "2026-10")


@pytest.fixture
def months(people, tmp_path):
    """The table in two parts; the second has a code that the first has not."""
    header, *body = people.read_text().splitlines()
    half = len(body) // 2
    parts = (body[:half], [line.replace(";6;", ";99;") for line in body[half:]])
    files = []
    for month, lines in zip(MONTHS, parts, strict=True):
        plain = [line.replace(";99;", ";1;") for line in lines]
        shown = lines if month == MONTHS[1] else plain
        files.append(tmp_path / f"people-{month}.csv")
        files[-1].write_text("\n".join([header, *shown]) + "\n")
    assert ";99;" in files[1].read_text()
    assert ";99;" not in files[0].read_text()
    return files


def release_of(anon, files, out, *options):
    made = anon(
        "init", *files, "--separator", ";", "--out", out, "--no-scores", *options
    )
    assert made.exit_code == 0, made.output
    (file,) = (out / "releases").iterdir()
    return file, yaml.safe_load(file.read_text())


def test_tables_that_differ_by_a_date_are_periods_of_one_release(
    anon, months, tmp_path
):
    file, stated = release_of(anon, months, tmp_path / "study")
    assert file.name == "people.yaml"
    again = anon("init", *months, "--separator", ";", "--out", tmp_path / "study",
                 "--no-scores", "--force")  # fmt: skip
    assert "--name gives another name" in again.output
    assert f"--period {MONTHS[0]}" in again.output  # a series begins with the first
    assert stated["source"]["path"] == "../../people-{period:%Y-%m}.csv"
    # Two periods together tell more of a person than each alone.
    assert stated["target"]["retention"] == {"periods": 1}
    codes = (tmp_path / "study/hierarchies/people/type_id.csv").read_text()
    assert "99" in [line.split(";")[0] for line in codes.splitlines()]
    decide(file, "made-up rows that describe nobody")
    for month in MONTHS:
        done = anon("release", file, "--period", month, "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["measured"]["suppressed_rows"] == 0


def decide(file, reason):
    """Take the stated composition out, as a person would, and give a reason."""
    stated = yaml.safe_load(file.read_text())
    stated["composition"] = {"accept_unjudged": reason}
    file.write_text(yaml.safe_dump(stated))


def test_periods_of_persons_are_judged_together_as_proposed(
    anon, months, tmp_path, monkeypatch
):
    monkeypatch.delenv("ANON_LEDGER_KEY", raising=False)
    file, stated = release_of(anon, months, tmp_path / "study")
    asked = [t["sensitive"] for t in stated["thresholds"] if "sensitive" in t]
    assert stated["roles"]["subject"]
    assert stated["composition"]["k"] == 5
    assert set(stated["composition"].get("sensitive", {})) == set(asked)
    # The other way is there to be chosen, and nobody has.
    assert '# composition: {accept_unjudged: "…"}' in file.read_text()
    assert "export ANON_LEDGER_KEY" in file.read_text()
    done = anon("release", file, "--period", MONTHS[0])
    assert done.exit_code == 2
    assert "ANON_LEDGER_KEY" in done.stderr
    assert not (tmp_path / "study/build").exists()


def test_periods_of_nobody_wait_for_a_decision(anon, tmp_path):
    for month, start in zip(MONTHS, (0, 7), strict=True):
        rows = [f"{20 + (n + start) % 40};{'ab'[n % 2]}" for n in range(80)]
        text = "\n".join(["age;ill", *rows]) + "\n"
        (tmp_path / f"rows-{month}.csv").write_text(text)
    files = sorted(tmp_path.glob("rows-*.csv"))
    file, stated = release_of(anon, files, tmp_path / "study", "-s", "ill")
    assert "subject" not in stated["roles"]
    assert "composition" not in stated
    assert '# composition: {accept_unjudged: "…"}' in file.read_text()
    done = anon("release", file, "--period", MONTHS[0])
    assert done.exit_code != 0
    assert "Name the subject, or say why" in done.stderr.replace("\n", " ")
    decide(file, "made-up rows that describe nobody")
    done = anon("release", file, "--period", MONTHS[0], "--json")
    assert done.exit_code == 0, done.output


def test_one_new_value_does_not_stop_the_next_month(anon, months, tmp_path):
    file, stated = release_of(anon, months[:1], tmp_path / "study", "--name", "p")
    assert file.name == "p.yaml"
    assert stated["hierarchies"]["type_id"]["unknown"] == "suppress"
    assert stated["anonymizer"]["suppression_limit"] == 0.05
    assert "unknown: suppress hides the rows" in file.read_text()
    second = months[1].read_text()
    assert second.count(";99;") > 0.05 * 200
    few = second.replace(";99;", ";1;", second.count(";99;") - 2)
    months[0].write_text(few)
    done = anon("release", file, "--json")
    assert done.exit_code == 0, done.output
    # The two rows, and others so that nobody is alone among them.
    assert 2 <= json.loads(done.stdout)["measured"]["suppressed_rows"] <= 10
    months[0].write_text(second)
    done = anon("release", file)
    assert done.exit_code == 1
    assert f"'type_id' in {second.count(';99;')} rows" in done.stderr


def test_tables_without_a_date_are_one_table(anon, months, tmp_path):
    north, south = tmp_path / "north.csv", tmp_path / "south.csv"
    for old, new in zip(months, (north, south), strict=True):
        old.rename(new)
    file, stated = release_of(anon, [north, south], tmp_path / "study")
    assert stated["source"]["path"] == ["../../north.csv", "../../south.csv"]
    assert "retention" not in stated["target"]
    done = anon("release", file, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["measured"]["rows"] == 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("zip", "postcode", 1), "postcode, zip"),
        (lambda text: text.split("\n", 1)[1], "no header"),
    ],
    ids=["another column", "no header"],
)
def test_tables_that_do_not_fit_are_refused(anon, months, tmp_path, change, message):
    months[1].write_text(change(months[1].read_text()))
    made = anon("init", *months, "--separator", ";", "--out", tmp_path / "new")
    assert made.exit_code == 2
    assert message in made.stderr
    assert SECRET not in made.output
    assert not (tmp_path / "new").exists()


def test_what_is_said_of_tables_is_refused_for_a_folder(anon, people, tmp_path):
    for given in (
        [tmp_path / "a", tmp_path / "b"],
        [tmp_path / "a", "--name", "x"],
        [people, people],
        [people, tmp_path],
        [people, "--name", "../x"],
    ):
        made = anon("init", *given, "--separator", ";")
        assert made.exit_code == 2, given
        assert not (tmp_path / "a").exists()


# ------------------------------------------------------------------ what is proposed


def roles_of(init, tmp_path, *options):
    made = init("--out", tmp_path / "new", "--no-scores", "--json", *options)
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    return {one["column"]: one["role"] for one in found["columns"]}


def test_the_rest_is_dropped_but_persons_are_counted(init, tmp_path):
    roles = roles_of(init, tmp_path, "-q", "age", "-s", "diag", "--drop-rest")
    assert roles == {
        "encounter_id": "identifiers",
        "patient_nbr": "subject",
        "age": "quasi_identifiers",
        "zip": "dropped",
        "type_id": "dropped",
        "born": "dropped",
        "diag": "sensitive",
        "name": "identifiers",
    }
    stated = yaml.safe_load((tmp_path / "new/releases/people.yaml").read_text())
    assert stated["source"]["columns"] == {"age": "text"}


def test_only_what_is_unsure_is_dropped(init, tmp_path):
    roles = roles_of(init, tmp_path, "--drop-unsure")
    assert roles["type_id"] == "dropped"
    assert {roles["age"], roles["zip"], roles["born"]} == {"quasi_identifiers"}
    roles = roles_of(init, tmp_path, "--drop-unsure", "--force", "-q", "type_id")
    assert roles["type_id"] == "quasi_identifiers"


def test_nothing_may_be_left_by_dropping_the_rest(init, tmp_path):
    made = init("--out", tmp_path / "new", "--drop-rest")
    assert made.exit_code == 2
    assert "State one as a quasi-identifier (-q)" in made.stderr
    assert not (tmp_path / "new").exists()


def test_thresholds_are_named_and_bounded(init, tmp_path):
    options = ["--out", tmp_path, "--no-scores", "-s", "diag", "-s", "type_id"]
    assert init(*options).exit_code == 0
    text = (tmp_path / "releases" / "people.yaml").read_text()
    stated = {
        t.get("id", t.get("metric")): t for t in yaml.safe_load(text)["thresholds"]
    }
    assert stated["l-diversity-of-diag"]["sensitive"] == "diag"
    assert stated["l-diversity-of-type-id"]["sensitive"] == "type_id"
    assert 0.5 < stated["loss"]["max"] < 1
    assert stated["suppressed-share"]["max"] == 0.05
    assert "loses half of the" in text
    assert init("--out", tmp_path, "--no-scores", "--force").exit_code == 0
    text = (tmp_path / "releases" / "people.yaml").read_text()
    assert "{model: distinct-l-diversity, l: 2, sensitive: diag}" in text

"""One rare value of a flat hierarchy does not hide the column of everybody else."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.proposals import propose_release
from anon_transformers.release import measure_published, run_release

pytestmark = pytest.mark.gx
RARE = "RAREMARK"


def people(n_rare, n_rows=600):
    draw = random.Random(7)
    rows = [
        {"sex": draw.choice(["female", "male"]), "age": str(draw.randrange(20, 80)),
         "job": draw.choice("xyz")}
        for _ in range(n_rows)
    ]  # fmt: skip
    for at in range(n_rare):
        rows[at]["sex"] = RARE
    return pd.DataFrame(rows)


def proposed(frame, folder):
    frame.to_csv(folder / "people.csv", index=False)
    stated = {
        "sex": "quasi_identifiers",
        "age": "quasi_identifiers",
        "job": "sensitive",
    }
    source = {"path": "../people.csv"}
    made = propose_release(frame, source, "people", stated=stated, scores=False)
    made.write(folder)
    return made, folder / "releases" / "people.yaml"


def hidden_share(version):
    """The share of rows without a sex among those that show anything, counted here."""
    with (Path(version) / "data.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if {r["sex"], r["age"]} != {"*"}]
    return sum(row["sex"] == "*" for row in rows) / len(rows)


def test_a_value_of_one_row_is_left_out(tmp_path):
    made, file = proposed(people(1), tmp_path)
    assert set(made.suggestions["sex"].hierarchy.leaves) == {"female", "male"}
    assert RARE not in made.text
    assert "values that fewer than 5 hold are not in the hierarchies" in made.text
    version = run_release(file)
    assert RARE not in (Path(version) / "data.csv").read_text()
    assert hidden_share(version) < 0.2


@pytest.mark.parametrize("n_rare", [0, 5, 60])
def test_values_of_enough_rows_stay(tmp_path, n_rare):
    made, _ = proposed(people(n_rare), tmp_path)
    leaves = set(made.suggestions["sex"].hierarchy.leaves)
    assert leaves == {"female", "male", *([RARE] if n_rare else [])}
    assert "values that fewer than" not in made.text


def test_a_small_table_is_left_as_it_is(tmp_path):
    made, _ = proposed(people(1, n_rows=40), tmp_path)
    assert RARE in made.suggestions["sex"].hierarchy.leaves


def test_a_column_that_many_rows_hide_is_told(tmp_path, caplog):
    made, file = proposed(people(1), tmp_path)
    tree = tmp_path / made.trees["sex"]
    tree.write_text(f"female;*\nmale;*\n{RARE};*\n")  # as if nobody had left it out
    with caplog.at_level("INFO", logger="anon_transformers.release"):
        version = run_release(file)
    share = hidden_share(version)
    assert share > 0.2
    said = f"sex: {100 * share:.0f} % of the kept rows are published as *"
    assert said in caplog.text
    assert said in (Path(version) / "validation.html").read_text()
    measured = measure_published(version, file)
    assert measured["hidden_shares"] == {"sex": pytest.approx(share)}

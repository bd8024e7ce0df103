"""``anon compare release.yaml``, and what models learn from published tables."""

import json
import random

import numpy as np
import pandas as pd
import pytest
import yaml

from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import Learner, compare, release_methods
from anon_transformers.experiments._learning import MOST_VALUES, make_model
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.published import LabelParser


def table(n_rows=600):
    """The older, the likelier; the town says nothing."""
    draw = random.Random(3)
    rows = []
    for _ in range(n_rows):
        age = draw.randint(20, 79)
        rows.append({
            "age": age,
            "town": draw.choice(["Ulm", "Bonn", "Kiel"]),
            "ill": "yes" if age + draw.randint(-6, 6) > 50 else "no",
        })  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def release(tmp_path):
    table().to_csv(tmp_path / "people.csv", index=False)
    stated = {
        "source": {"path": "people.csv"},
        "roles": {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"]},
        "hierarchies": {"age": {"kind": "intervals", "widths": [5, 10, 20]}},
        "anonymizer": {"name": "mondrian", "domain": {"town": ["Bonn", "Kiel", "Ulm"]}},
        "thresholds": [{"model": "k-anonymity", "k": 10}],
        "target": {"path": "out"},
    }
    file = tmp_path / "people.yaml"
    file.write_text(yaml.safe_dump(stated))
    return file


def test_methods_run_on_the_roles_of_the_file(anon, release):
    made = anon("compare", release, "--json", "-m", "mondrian", "-m", "full-domain",
                "-m", "group-swap")  # fmt: skip
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [run["method"] for run in found["runs"]] == ["mondrian", "full-domain"]
    assert all(run["smallest"] >= 10 for run in found["runs"])
    assert "swaps cells" in found["refused"]["group-swap"]
    assert not (release.parent / ".anon").exists()
    assert not (release.parent / "out").exists()


def test_a_run_is_what_the_release_would_publish(release):
    given = release_methods(release, ["mondrian"])
    own = given.methods["mondrian"]
    assert own.k == 10
    assert own.domain == {"town": ["Bonn", "Kiel", "Ulm"]}
    out = own.fit_transform(given.frame)
    assert set(out["age"]) <= {"*", *_labels(given)}


def test_all_methods_may_suppress_as_much_as_that_of_the_file(release):
    stated = yaml.safe_load(release.read_text())
    stated["source"]["columns"] = {"age": "integer"}
    stated["hierarchies"]["town"] = {"kind": "masking", "length": 4}
    stated["anonymizer"] = {"name": "mondrian", "suppression_limit": 0.05,
                            "on_failed_cut": "stop"}  # fmt: skip
    release.write_text(yaml.safe_dump(stated))
    methods = release_methods(release, ["mondrian", "full-domain"]).methods
    assert methods["full-domain"].suppression_limit == 0.05
    assert methods["mondrian"].on_failed_cut == "stop"


def _labels(given):
    tree = (
        given.methods["mondrian"]
        .hierarchies["age"]
        .build([str(age) for age in given.frame["age"].unique()])
    )
    return {label for row in tree.rows for label in row}


def test_a_model_is_trained_on_raw_and_published_rows(anon, release):
    made = anon("compare", release, "--json", "--target", "ill", "-m", "mondrian",
                "-g", "k=10,300", "--model", "logistic-regression")  # fmt: skip
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    fine, coarse = (run["accuracy"] for run in found["runs"])
    raw = float(found["about"]["accuracy of raw rows"])
    baseline = float(found["about"]["accuracy without a model"])
    assert baseline < 0.65
    assert 0.8 < fine <= raw + 0.05
    assert coarse < fine
    assert "held-out rows" in found["about"]["target"]
    shown = anon("compare", release, "--target", "ill", "-m", "mondrian")
    assert "accuracy of raw rows" in shown.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-q", "age"], "states roles, hierarchies"),
        (["--target", "age"], "'age' is a quasi-identifier"),
        (["--target", "agee"], "agee"),
        (["--target", "ill", "--model", "forest"], "random-forest"),
        (["--target", "ill", "--model", "sklearn.nothing:X"], "cannot be made"),
        (["-m", "mondriann"], "did you mean 'mondrian'"),
    ],
)
def test_refusals(anon, release, options, message):
    made = anon("compare", release, *options)
    assert made.exit_code == 2
    assert message in made.stderr


def test_the_score_of_untouched_rows_is_that_of_raw_ones():
    frame = table()
    learner = Learner("ill")
    found = compare(
        frame, {"m": MondrianAnonymizer(k=1)}, quasi_identifiers=["age", "town"],
        sensitive=["ill"], learner=learner,
    )  # fmt: skip
    assert found["accuracy"][0] == pytest.approx(
        float(found.attrs["about"]["accuracy of raw rows"]), abs=5e-5
    )


def test_a_number_is_predicted_by_a_regressor():
    frame = table().assign(pay=lambda t: t["age"] * 100.5)
    found = compare(
        frame, {"m": MondrianAnonymizer(k=5)}, quasi_identifiers=["age", "town"],
        sensitive=["pay"], learner=Learner("pay", "random-forest", splits=1),
    )  # fmt: skip
    assert found["r2"][0] > 0.9
    assert "r2 of raw rows" in found.attrs["about"]


def test_rows_of_one_person_are_not_divided():
    frame = table(200).assign(who=[number // 4 for number in range(200)])
    learner = Learner("ill")
    for train, test in learner._divided(frame, frame["who"]):
        assert not set(frame["who"].iloc[train]) & set(frame["who"].iloc[test])
        assert len(test) >= 40


def test_a_model_must_fit_the_target():
    with pytest.raises(ParameterError, match="is no classifier"):
        make_model("sklearn.tree:DecisionTreeRegressor", classes=True)


def test_labels_are_features_as_the_parser_makes_them():
    published = pd.DataFrame({"age": ["[20, 30]", "hidden"], "ill": ["yes", "no"]})
    features = Learner("ill")._features(published, "hidden")
    parser = LabelParser(suppression_label="hidden")
    assert np.array_equal(features, parser.fit_transform(published[["age"]]))
    assert features.to_numpy().tolist() == [[20, 30, 10], [20, 30, 10]]


def test_a_column_of_many_values_does_not_make_as_many_features():
    frame = table().assign(code=[f"c{number}" for number in range(600)])
    n_towns = frame["town"].nunique()
    found = Learner("ill")._features(frame, "*")
    assert found.shape == (600, 3 + n_towns + MOST_VALUES)


def test_there_must_be_something_to_predict_from():
    with pytest.raises(ParameterError, match="no column beside 'ill'"):
        Learner("ill")._features(pd.DataFrame({"ill": ["yes"]}), "*")


@pytest.fixture
def monthly(release):
    stated = yaml.safe_load(release.read_text())
    stated["source"]["path"] = "$PEOPLE/{period:%Y-%m}/*.csv"
    stated["target"]["path"] = "out/{period:%Y-%m}"
    stated["composition"] = {"accept_unjudged": "made-up rows that describe nobody"}
    release.write_text(yaml.safe_dump(stated))
    for month, n_rows in (("2026-10", 200), ("2026-11", 300)):
        folder = release.parent / "data" / month
        folder.mkdir(parents=True)
        table(n_rows).to_csv(folder / "part.csv", index=False)
    return release


def test_the_source_of_a_period_is_compared(anon, monthly, monkeypatch):
    monkeypatch.setenv("PEOPLE", str(monthly.parent / "data"))
    made = anon("compare", monthly, "--period", "2026-11", "-m", "mondrian", "--json")
    assert made.exit_code == 0, made.output
    (run,) = json.loads(made.stdout)["runs"]
    assert run["kept_rows"] + run["suppressed_rows"] == 300


def test_a_period_is_asked_for_and_refused_where_there_is_none(anon, monthly, tmp_path):
    made = anon("compare", monthly)
    assert made.exit_code == 2
    assert "period: source.path holds one per month" in made.stderr
    table().to_csv(tmp_path / "plain.csv", index=False)
    made = anon("compare", tmp_path / "plain.csv", "--period", "2026-11")
    assert made.exit_code == 2
    assert "--period: only a release file has periods" in made.stderr

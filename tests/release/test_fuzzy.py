"""Fuzzy releases: judged by k, l, t and Q, on degrees that no reader ever sees."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, GateError, ReleaseError
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._manifest import _finite
from anon_transformers.release._run import Run
from anon_transformers.release._table_evidence import MEMBERSHIPS

CENSUS = Path(__file__).parents[1] / "data" / "casc_census.csv"
KNOWN, WANTED = ["AFNLWGT", "AGI"], ["PEARNVAL"]
ALL_FOUR = [
    {"model": "k-anonymity", "k": 20},
    {"model": "q-anonymity", "q": 10},
    {"model": "fuzzy-l-diversity", "l": 5},
    {"model": "fuzzy-t-closeness", "t": 0.9},
    {"model": "distinct-l-diversity", "l": 5},
    {"model": "t-closeness", "t": 0.9, "sensitive": "PEARNVAL"},
]


@pytest.fixture
def fuzzy(release):
    """Two numbers of Census as fuzzy sets, and a sensitive one."""
    pd.read_csv(CENSUS)[[*KNOWN, *WANTED]].to_csv(release.source, index=False)
    release.write(
        roles={"quasi_identifiers": KNOWN, "sensitive": WANTED},
        anonymizer={"name": "fuzzy-c-means", "coding": "joint", "n_sets": 3},
        thresholds=ALL_FOUR,
    )
    return release


def degrees_of(location):
    return pd.read_parquet(Run(location).path("candidate") / MEMBERSHIPS).to_numpy()


def test_k_l_t_and_q_are_judged_and_published(fuzzy):
    folder = publish(validate(anonymize(load(fuzzy.file))))
    table = read_published(folder, labels="text")
    assert table.groupby(KNOWN).size().min() >= 20
    checks = {c["id"]: c for c in fuzzy.manifest()["measured"]["checks"]}
    assert set(checks) == {threshold["model"] for threshold in ALL_FOUR}
    assert all(check["passed"] for check in checks.values())
    assert checks["k-anonymity"]["observed"] >= 20
    # Degrees are not published, and so is no number that was taken of them.
    of_degrees = {"q-anonymity", "fuzzy-l-diversity", "fuzzy-t-closeness"} & set(checks)
    assert of_degrees
    assert not any("observed" in checks[name] for name in of_degrees)


def test_only_labels_are_published(fuzzy):
    folder = publish(validate(anonymize(load(fuzzy.file))))
    table = read_published(folder, labels="text")
    assert all(table[name].nunique() <= 3 for name in KNOWN)
    assert list(table.columns) == [*KNOWN, *WANTED]
    text = json.dumps(fuzzy.manifest())
    assert "degrees" not in text
    assert "centers" not in text


def test_names_of_sets_are_not_looked_up_in_a_hierarchy(fuzzy):
    values = pd.read_csv(fuzzy.source, dtype=str)["AGI"].unique()
    file = fuzzy.file.parent / "agi.csv"
    file.write_text("".join(f"{value};*\n" for value in values))
    fuzzy.write(hierarchies={"AGI": file.name})
    publish(validate(anonymize(load(fuzzy.file))))
    assert fuzzy.manifest()["measured"]["column_losses"] == {}


def test_degrees_are_private_and_gone_after_publication(fuzzy):
    location = anonymize(load(fuzzy.file))
    degrees = degrees_of(location)
    assert degrees.shape == (1080, 3)
    assert np.allclose(degrees.sum(axis=1), 1)
    publish(validate(location))
    assert not list(fuzzy.home.rglob(MEMBERSHIPS))
    assert not [name for name in fuzzy.public_bytes() if "memberships" in name]


def test_degrees_stand_beside_the_rows_they_belong_to(fuzzy):
    location = anonymize(load(fuzzy.file))
    run = Run(location)
    noted = json.loads((run.path("candidate") / "candidate.json").read_text())
    table = pd.read_csv(run.path("candidate") / noted["data"])
    largest = degrees_of(location).argmax(axis=1)
    assert pd.crosstab(table[KNOWN[0]], largest).gt(0).sum(axis=1).eq(1).all()


def test_degrees_that_changed_are_refused(fuzzy):
    location = anonymize(load(fuzzy.file))
    file = Run(location).path("candidate") / MEMBERSHIPS
    pd.read_parquet(file).iloc[::-1].reset_index(drop=True).to_parquet(file)
    with pytest.raises(ReleaseError, match="evidence of memberships changed"):
        validate(location)


def test_a_broken_q_is_quarantined_without_degrees(fuzzy):
    stated = {**fuzzy.content["anonymizer"], "models": [], "k": 20}
    fuzzy.write(
        anonymizer=stated,
        thresholds=[ALL_FOUR[0], {"model": "q-anonymity", "q": 1000}],
    )
    with pytest.raises(GateError, match="q-anonymity: the level is"):
        validate(anonymize(load(fuzzy.file)))
    assert not list(fuzzy.home.rglob(MEMBERSHIPS))


def test_protection_is_stated_and_the_number_of_sets_found(fuzzy):
    fuzzy.write(anonymizer={"name": "fuzzy-c-means", "coding": "joint"})
    publish(validate(anonymize(load(fuzzy.file))))
    measured = fuzzy.manifest()["measured"]
    assert measured["classes"]["count"] >= 2
    assert measured["classes"]["smallest"] >= 20


def test_a_fuzzy_release_is_judged_as_a_crisp_table_too(fuzzy):
    fuzzy.write(thresholds=[{"model": "q-anonymity", "q": 10}])
    assert "k-anonymity" in fuzzy.refusal()


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "q-anonymity", "q": 10, "aggregation": "mean"},
        {"model": "fuzzy-t-closeness", "t": 0.5, "reduce": "min"},
    ],
)
def test_readings_of_the_source_are_refused(fuzzy, wrong):
    fuzzy.write(thresholds=[ALL_FOUR[0], wrong])
    assert "reproduces published numbers only" in fuzzy.refusal()


def test_they_are_refused_as_models_of_the_anonymizer_too(fuzzy):
    models = [{"model": "q-anonymity", "q": 10, "aggregation": "mean"}]
    fuzzy.write(anonymizer={**fuzzy.content["anonymizer"], "models": models})
    assert "reproduces published numbers only" in fuzzy.refusal()


@pytest.mark.parametrize(
    "params",
    [{"include_lowest": False}, {"method": "equidistant", "suppression_limit": 0.2}],
)
def test_intervals_that_tell_of_suppressed_rows_are_refused(fuzzy, params):
    fuzzy.write(
        anonymizer={"name": "global-recode", **params}, thresholds=[ALL_FOUR[0]]
    )
    assert "suppressed rows" in fuzzy.refusal()


def test_an_anonymizer_without_degrees_is_refused_before_the_run(fuzzy):
    fuzzy.write(
        anonymizer={"name": "mondrian"},
        thresholds=[{"model": "k-anonymity", "k": 5}, {"model": "q-anonymity", "q": 5}],
    )
    assert "makes no fuzzy sets" in fuzzy.refusal()


def test_memberships_are_kept_by_the_release_alone(fuzzy):
    stated = {**fuzzy.content["anonymizer"], "keep_memberships": False}
    fuzzy.write(anonymizer=stated)
    with pytest.raises(ConfigurationError, match="keep_memberships"):
        load(fuzzy.file)


def test_how_many_choices_were_tried_is_noted_and_not_published(fuzzy):
    fuzzy.write(anonymizer={"name": "fuzzy-c-means"})
    location = anonymize(load(fuzzy.file))
    noted = json.loads((Run(location).path("candidate") / "candidate.json").read_text())
    details = noted["report"]["details"]
    assert {"n_sets", "tried", "proved_least"} <= set(details)
    assert details["tried"] > 1
    assert details["proved_least"] is True
    publish(validate(location))
    assert "details" not in fuzzy.manifest()["measured"]
    assert "tried" not in json.dumps(fuzzy.manifest())


def test_an_infinite_parameter_stays_a_number(fuzzy):
    stated = {**fuzzy.content["anonymizer"], "tol": math.inf}
    fuzzy.write(anonymizer=stated)
    config = read_config(fuzzy.file)
    noted = json.loads(json.dumps(config.model_dump(mode="json")))
    again = ReleaseConfig.model_validate(noted)
    assert again.anonymizer.params["tol"] == math.inf
    assert again == config
    assert "tol must be a number of at least 0, got inf" in fuzzy.refusal()


def test_readers_get_infinity_as_a_text():
    found = _finite({"limits": [-math.inf, 3, {"end": math.inf}], "k": 5})
    assert found == {"limits": ["-inf", 3, {"end": "inf"}], "k": 5}

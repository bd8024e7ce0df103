"""Q, l, t and the risk of the fuzzy codings of Census, by the models.

Three sets for each attribute or pair of attributes. The recomputed numbers are those of
the right definitions; the printed ones take the mean of possibilities, distributions
without repeats, and the nearest row.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers._kernels.fuzzy_clusters import (
    fuzzy_c_means,
    gustafson_kessel,
    spread_centers,
)
from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.fuzzy import possibility_at_least, product_partition
from anon_transformers.metrics import measure_risk
from anon_transformers.privacy import (
    DistinctLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    KAnonymity,
    QAnonymity,
    TCloseness,
)

DATA = Path(__file__).parents[1] / "data"
CENSUS = pd.read_csv(DATA / "casc_census.csv")
RECOMPUTED = pd.read_csv(DATA / "vectors" / "fuzzy_recomputed.csv")
PRINTED = pd.read_csv(DATA / "vectors" / "fuzzy_annex_long.csv")
KEYS = ["coding", "method", "i", "j"]
FUZZY = RECOMPUTED[
    RECOMPUTED["method"].isin(["fuzzy", "fuzzy_cmeans", "gustafson_kessel"])
]
FEW = [(1, 2), (1, 9), (5, 11)]
SENSITIVE = {"S10": "PEARNVAL", "S12": "WSALVAL"}
START = np.array([[0.9501, 0.4860], [0.2311, 0.8913], [0.6068, 0.7621]])
SOURCE = {
    "reduce": "min",
    "class_distribution": "distinct",
    "table_distribution": "distinct_published",
}


@cache
def clustered(columns, method):
    """Degrees of all rows in three sets of some columns, by their numbers."""
    raw = CENSUS.iloc[:, [number - 1 for number in columns]].to_numpy(dtype=float)
    lowest = raw.min(axis=0)
    points = np.ascontiguousarray((raw - lowest) / (raw.max(axis=0) - lowest))
    cluster = gustafson_kessel if method == "gustafson_kessel" else fuzzy_c_means
    return cluster(points, spread_centers(points, START[:, : len(columns)])).degrees


def evidence_of(method, i, j):
    if method == "fuzzy":
        degrees = product_partition(clustered((i,), ""), clustered((j,), ""))
    else:
        degrees = clustered((i, j), method)
    return Memberships.from_frame(degrees, CENSUS, list(SENSITIVE.values()))


def level(model, evidence):
    try:
        return model.level(evidence)
    except NotEvaluable:
        return np.nan


def numbers_of(evidence):
    """Everything that the recomputed file has on one coding."""
    rows = np.bincount(evidence.labels())
    sizes = rows[rows > 0]
    found = {
        "n_nonempty_classes": len(sizes),
        "k": sizes.min(),
        "measure_risk": measure_risk(sizes).count,
        "Q_mean": QAnonymity(1, "mean", empty="keep").level(evidence),
        "Q_min": QAnonymity(1, empty="keep").level(evidence),
        "n_rows_without_mu_ge_half": (~evidence.at_half().any(axis=1)).sum(),
    }
    for short, name in SENSITIVE.items():
        found[f"l_{short}"] = FuzzyLDiversity(1, "keep", sensitive=name).level(evidence)
        for key, options in {
            "t_source_convention": SOURCE,
            "t_max": {},
            "t_sigma_max": {"cardinality": "sigma"},
        }.items():
            model = FuzzyTCloseness(1, "ordered", sensitive=name, **options)
            found[f"{key}_{short}"] = level(model, evidence)
        if not np.isnan(found[f"t_max_{short}"]):
            of_sets = FuzzyTCloseness(1, "ordered").set_distances(evidence, name)
            found[f"t_class_max_{short}"] = of_sets.max()
    return found


def check_pair(row):
    evidence = evidence_of(row["method"], row["i"], row["j"])
    found = numbers_of(evidence)
    for key, number in found.items():
        stated = pytest.approx(row[key], abs=2e-6, rel=0, nan_ok=True)
        assert number == stated, key
    printed = PRINTED[(PRINTED[KEYS] == row[KEYS]).all(axis=1)].iloc[0]
    assert max(1, found["Q_mean"]) == printed["Q_anonymity"]
    for short in SENSITIVE:
        if not np.isnan(printed[f"l_{short}"]):
            assert found[f"l_{short}"] == printed[f"l_{short}"]
            t = found[f"t_source_convention_{short}"]
            assert t == pytest.approx(printed[f"t_{short}"], abs=6e-5)


@pytest.mark.parametrize("pair", FEW, ids=str)
def test_a_few_pairs(pair):
    rows = FUZZY[(FUZZY["i"] == pair[0]) & (FUZZY["j"] == pair[1])]
    assert len(rows) == 3
    for _, row in rows.iterrows():
        check_pair(row)


@pytest.mark.slow
def test_all_pairs():
    assert len(FUZZY) == 165
    for _, row in FUZZY.iterrows():
        check_pair(row)


@pytest.mark.parametrize("method", ["fuzzy_cmeans", "gustafson_kessel"])
def test_possibilities_of_the_golden_pair(method):
    known = json.loads((DATA / "vectors/fuzzy-microdata.json").read_text("utf-8"))
    expected = next(
        vector["expected"]
        for vector in known["vectors"]
        if vector["name"] == f"{method}_joint_1_2"
    )
    evidence = evidence_of(method, 1, 2)
    for k, stated in expected["poss_at_least"].items():
        found = possibility_at_least(evidence.degrees, int(k))
        assert found == pytest.approx(stated, abs=1e-6)
    sizes = evidence.at_half().sum(axis=0).tolist()
    assert sizes == expected["count_mu_ge_half"]
    assert QAnonymity(1, "mean").level(evidence) == expected["Q_mean_half"]
    assert QAnonymity(1).level(evidence) == expected["Q_min_half"]


@pytest.mark.parametrize("method", ["fuzzy", "fuzzy_cmeans"])
def test_labels_of_the_largest_degree_are_a_crisp_table(method):
    evidence = evidence_of(method, 1, 2)
    row = FUZZY[(FUZZY["method"] == method) & (FUZZY["i"] == 1) & (FUZZY["j"] == 2)]
    name = "PEARNVAL"
    table = pd.DataFrame({"q": evidence.labels(), name: CENSUS[name]})
    classes = Classes.from_frame(table, ["q"], [name])
    assert KAnonymity(1).level(classes) == row["k"].item()
    crisp = Memberships.from_frame(np.eye(evidence.n_sets)[table["q"]], table, [name])
    assert QAnonymity(1).level(crisp) == row["k"].item()
    assert FuzzyLDiversity(1).level(crisp) == DistinctLDiversity(1).level(classes)
    found = TCloseness(1, "ordered", reference="released").level(classes)
    assert FuzzyTCloseness(1, "ordered").level(crisp) == pytest.approx(found)

"""Sweeps of a parameter: seeds, measures, averages, guidance."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.experiments import largest_value, sweep, sweep_means
from anon_transformers_graphs.metrics import AverageDistance, ModifiedEdges
from anon_transformers_graphs.randomization import RandomPerturbation, RandomSwitch

COMMON = {"common": lambda e: e.original.common_edges(e.published)}


@pytest.fixture(scope="module")
def club():
    return nx.Graph(nx.karate_club_graph().edges)


def test_each_run_has_its_own_stream(club):
    asked = {"n_runs": 3, "measures": {"keys": lambda e: e.published.keys.sum()}}
    both = sweep(club, RandomPerturbation(), "p", [0.05, 0.1], **asked)
    alone = sweep(club, RandomPerturbation(), "p", [0.1], **asked)
    other = sweep(club, RandomPerturbation(), "p", [0.1], random_state=1, **asked)
    assert both["keys"].nunique() == 6
    assert both["keys"].tolist()[3:] == alone["keys"].tolist()
    assert set(alone["keys"]).isdisjoint(other["keys"])


def test_values_that_do_the_same_still_draw_apart(club):
    """Otherwise averages of neighboring values would hang together."""
    measures = {"keys": lambda e: e.published.keys.sum()}
    runs = sweep(club, RandomSwitch(), "p", [0.1, 0.101], n_runs=2, measures=measures)
    assert runs["keys"].nunique() == 4


def test_the_anonymizer_stays_as_it_is_and_nodes_keep_their_places(club):
    given = RandomPerturbation(p=0.5, pairwise=False, random_state=7)
    runs = sweep(club, given, "p", [0.1], n_runs=2, measures=COMMON)
    # Eight of 78 edges went, which only shows if nodes are not shuffled.
    assert runs["common"].tolist() == [70, 70]
    assert (given.p, given.random_state) == (0.5, 7)
    assert not hasattr(given, "report_")


def test_metrics_are_measures_too(club):
    metrics = [AverageDistance(), ModifiedEdges()]
    runs = sweep(club, RandomSwitch(), "p", [0.1], n_runs=1, measures=metrics)
    assert runs.columns.tolist() == [
        "p", "run", "connected", *(metric.name for metric in metrics), "error",
    ]  # fmt: skip
    assert runs[AverageDistance.name].between(2, 2.5).all()


def test_a_promise_that_cannot_be_kept_is_noted_and_counted(club):
    exact = KDegreeAnonymizer(sequence="exact")
    runs = sweep(club, exact, "k", [2, 17], n_runs=2, measures=COMMON)
    assert runs["error"].ne("").tolist() == [False, False, True, True]
    assert runs["common"].isna().tolist() == [False, False, True, True]
    means = sweep_means(runs, "k")
    assert means["infeasible"].tolist() == [0, 2]
    assert means["disconnected"].tolist() == [0, 0]
    assert np.isnan(means["common"][1])


def test_what_is_not_connected_or_not_defined_is_counted_apart():
    def even(evidence):
        if evidence.published.keys.sum() % 2:
            raise NotEvaluable("odd")
        return 1.0

    measures = {"even": even, "distance": AverageDistance().measure}
    path = nx.path_graph(8)
    runs = sweep(path, RandomPerturbation(), "p", [0.3], n_runs=30, measures=measures)
    connected = runs["connected"].astype(bool)
    assert 0 < connected.sum() < 30
    assert runs["distance"].notna().eq(connected).all()
    (mean,) = sweep_means(runs, "p").to_dict("records")
    assert mean["runs"] == 30
    assert mean["disconnected"] == (~connected).sum()
    assert mean["undefined"] == (connected & runs["even"].isna()).sum()
    assert mean["distance"] == pytest.approx(runs["distance"][connected].mean())
    assert mean["even"] == 1


def test_progress_is_reported_for_every_run(club):
    calls = []
    sweep(club, RandomSwitch(), "p", [0.1, 0.2], n_runs=1, measures=COMMON,
          progress=lambda *now: calls.append(now))  # fmt: skip
    assert calls == [(0, 2, "p=0.1"), (1, 2, "p=0.2"), (2, 2, "")]


@pytest.mark.parametrize(
    ("parameter", "given", "message"),
    [
        ("q", {}, "unknown parameter 'q'"),
        ("relabel", {}, "a sweep sets relabel itself"),
        ("random_state", {}, "a sweep sets random_state itself"),
        ("p", {"n_runs": 0}, "n_runs must be a whole number"),
        ("p", {"measures": {"run": len}}, "run is a column of every run"),
        ("p", {"measures": {"p": len}}, "p is a column of every run"),
    ],
)
def test_what_makes_no_sweep_is_refused(club, parameter, given, message):
    with pytest.raises(ParameterError, match=message):
        sweep(club, RandomSwitch(), parameter, [0.1], **({"measures": COMMON} | given))


@pytest.mark.parametrize(
    ("at_least", "expected"), [(0.95, None), (0.9, 0.1), (0.7, 0.2), (0.5, 0.4)]
)
def test_guidance_stops_where_a_measure_first_falls_short(at_least, expected):
    means = pd.DataFrame({"p": [0.3, 0.1, 0.2, 0.4], "j": [0.6, 0.9, 0.7, 0.8]})
    assert largest_value(means, "p", "j", at_least) == expected


def test_nothing_measured_is_no_guidance():
    means = pd.DataFrame({"p": [0.1, 0.2], "j": [np.nan, 0.9]})
    assert largest_value(means, "p", "j", 0.5) is None
    with pytest.raises(ParameterError, match="unknown column 'jj'"):
        largest_value(means, "p", "jj", 0.5)

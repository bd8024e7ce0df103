"""How numbers of the source are judged beside ours, and what a reason explains."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.experiments import NOT_RUN
from anon_transformers.graphs import Graph
from anon_transformers_graphs.experiments._degree_runs import (
    METHOD,
    degree_numbers,
    degree_runs,
)
from anon_transformers_graphs.experiments._experiment import read_source_numbers
from anon_transformers_graphs.experiments._findings import (
    GraphCount,
    RunValues,
    finding,
    is_likely,
    number_findings,
)
from anon_transformers_graphs.experiments._random_runs import (
    claim_findings,
    guidance_findings,
)

NUMBER = {"where": "T", "data_set": "a", "method": "m", "k": 2, "measure": "x",
          "published": 29, "recomputed": 3}  # fmt: skip
KNOWN = {"reasons": {"r": "because"}}


@pytest.mark.parametrize(
    ("number", "ours", "equal", "reason"),
    [
        ({"recomputed": None}, 29, True, ""),
        ({"recomputed": None, "decimals": 0}, 29.5, True, ""),
        ({"recomputed": None, "decimals": 1}, 29.5, False, ""),
        ({"published": None}, 3.0000001, True, ""),
        ({"published": None}, 3.1, False, ""),
        ({"published": "a", "recomputed": "a"}, "a", True, ""),
        ({}, 3, False, ""),
        ({"reason": "r"}, 3, False, "because"),
        ({"reason": "r"}, 4, False, ""),
        ({"reason": "r", "explained": [2, 29]}, 4, False, "because"),
        ({"reason": "r", "explained": [2, 29]}, 30, False, ""),
        ({"reason": "r", "explained": [2, 29]}, float("nan"), False, ""),
        ({"reason": "r", "explained": [2, 29]}, "infeasible", False, ""),
        ({"reason": "r", "explained": [4.1, 4.1]}, 4.1 + 1e-9, False, "because"),
        ({"reason": "r", "explained": "5, 5"}, "5, 5", False, "because"),
        ({"reason": "r", "explained": "5, 5"}, "5, 6", False, ""),
        ({"reason": "r", "explained": [1, 2], "fewer_than": 29}, 1.5, False, ""),
        ({"test": "at least", "value": 0.5}, "infeasible", False, ""),
        ({"test": "about", "value": 0.5, "within": 0.1}, 0.59, True, ""),
        ({"test": "about", "value": 0.5, "within": 0.1}, 0.61, False, ""),
        ({"test": "at least", "value": 0.5}, 0.5, True, ""),
        ({"test": "at least", "value": 0.5}, 0.4, False, ""),
        ({"test": "at most", "value": 0.5}, 0.4, True, ""),
        ({"test": "at most", "value": 0.5}, 0.6, False, ""),
        ({}, None, None, NOT_RUN),
    ],
)
def test_how_numbers_are_judged(number, ours, equal, reason):
    found = finding(KNOWN, NUMBER | number, ours)
    assert (found["equal"], found["reason"]) == (equal, reason)


@pytest.mark.parametrize(
    ("number", "ours", "equal", "reason"),
    [
        ({"published": 0.99}, (0.8, 1.0), True, ""),
        ({"published": 0.99}, (0.8, 0.9), False, ""),
        ({"published": 0.99, "decimals": 2}, (0.8, 0.986), True, ""),
        ({"test": "about", "value": 0.9, "within": 0.05}, (0.94, 1.0), True, ""),
        ({"test": "about", "value": 0.9, "within": 0.05}, (0.96, 1.0), False, ""),
        ({"reason": "r", "explained": [2, 4]}, (2, 4), False, "because"),
        ({"reason": "r", "explained": [3, 4]}, (2, 4), False, ""),
        ({"reason": "r", "explained": [2, 3]}, (2, 4), False, ""),
        # The printed number is among ours, one of which is not where it should be.
        ({"reason": "r", "explained": [2, 30]}, (2, 30), True, ""),
        ({"reason": "r", "explained": [2, 30]}, (2, 99), False, ""),
        ({"recomputed": 3}, (2, 29), False, ""),
        ({"recomputed": 29}, (2, 29), True, ""),
        ({"published": "very low", "reason": "r", "explained": [0, 1]}, (0.5,), False,
         "because"),
    ],
)  # fmt: skip
def test_what_was_printed_may_be_any_of_several_runs(number, ours, equal, reason):
    found = finding(KNOWN, NUMBER | {"recomputed": None} | number, RunValues(ours))
    assert (found["equal"], found["reason"]) == (equal, reason)
    assert found["ours"] == pytest.approx(sum(ours) / len(ours))


def test_another_graph_explains_its_distances():
    number = NUMBER | {"measure": "diameter", "recomputed": None, "reason": "r",
                       "fewer_than": 29, "explained": [5, 6]}  # fmt: skip
    modified = ("a", "m", 2, "edges modified")
    ours = {
        ("a", "m", 2, "diameter"): RunValues((5.0, 6.0)),
        modified: RunValues((3, 28)),
    }
    (found,) = number_findings(KNOWN | {"numbers": [number]}, ours)
    assert (found["equal"], found["reason"]) == (False, "because")
    for changed, last in ((29, 6.0), (28, 7.0), (28, 99.0)):
        ours[modified] = RunValues((3, changed))
        ours["a", "m", 2, "diameter"] = RunValues((5.0, last))
        (found,) = number_findings(KNOWN | {"numbers": [number]}, ours)
        assert (found["equal"], found["reason"]) == (False, "")


@pytest.mark.parametrize(
    ("ours", "published_count", "graphs", "equal"),
    [
        (GraphCount(0, 100), 0, 2000, True),
        (GraphCount(207, 2500), 206, 2500, True),
        (GraphCount(252, 2500), 206, 2500, True),
        (GraphCount(300, 2500), 206, 2500, False),
        (GraphCount(2, 200), 12, 2000, True),
        (GraphCount(20, 200), 12, 2000, False),
    ],
)
def test_counts_are_judged_by_chance(ours, published_count, graphs, equal):
    assert is_likely(ours, published_count, graphs) is equal
    number = NUMBER | {"published": published_count, "graphs": graphs}
    shown = finding(KNOWN, number, ours)["ours"]
    assert shown == (ours.found if ours.graphs == graphs else str(ours))


MEANS = pd.DataFrame(
    {
        "method": ["random-perturbation"] * 3 + ["random-switch"] * 3,
        "p %": [1, 2, 3] * 2,
        "infeasible": 0,
        "diameter": [6.0, 5.0, 3.0, 6.0, 6.0, 4.0],
    }
)


@pytest.mark.parametrize(
    ("claim", "ours"),
    [
        ({"p": [2, 3]}, 4.0),
        ({"p": [1, 3], "statistic": "lowest"}, 3.0),
        ({"p": [3, 3], "statistic": "change %"}, -50.0),
        ({"p": [2, 3], "against": "random-switch"}, -1.0),
    ],
)
def test_statements_are_about_averages(claim, ours):
    asked = {"where": "T", "data_set": "a", "method": "random-perturbation", "k": None,
             "column": "diameter", "statistic": "mean", "test": "about", "value": ours,
             "within": 1e-9, "text": "t", "reason": "r"} | claim  # fmt: skip
    known = KNOWN | {"claims": [asked]}
    means, before = {"a": MEANS}, {"a": {"diameter": 6.0}}
    (found,) = claim_findings(known, means, before, judged=True)
    assert (found["ours"], found["equal"]) == (pytest.approx(ours), True)
    (found,) = claim_findings(known, means, before, judged=False)
    assert found["equal"] is None
    (found,) = claim_findings(
        known, {"a": MEANS.assign(infeasible=1)}, before, judged=True
    )
    assert (found["ours"], found["equal"], found["reason"]) == ("infeasible", False, "")


def test_what_is_stated_is_not_compared():
    number = NUMBER | {"reason": "r", "stated": True}
    found = finding(KNOWN, number, None)
    assert (found["ours"], found["equal"], found["reason"]) == (
        "stated", None, "because",
    )  # fmt: skip


EDGES = {("karate", 2): 3, ("karate", 3): 6, ("karate", 4): 10, ("karate", 5): 10,
         ("football", 4): 1, ("football", 5): 2, ("football", 10): 4,
         ("jazz", 2): 11}  # fmt: skip
SIZES = {"karate": 78, "football": 613, "jazz": 2742}


def judged(**wanted):
    """A stored number beside one that might come out of a run."""
    found = {name: wanted.pop(name) for name in ("ours", "modified") if name in wanted}
    (number,) = (
        n
        for n in read_source_numbers()["numbers"]
        if all(n[name] == value for name, value in wanted.items())
    )
    return finding(read_source_numbers(), number, found["ours"], found.get("modified"))


@pytest.mark.parametrize(("name", "k"), EDGES)
def test_more_changed_edges_than_needed_have_no_reason(name, k):
    asked = {"data_set": name, "method": METHOD, "k": k}
    percent = 100 / SIZES[name]
    for measure, unit in (("edges modified", 1), ("% of the edges", percent)):
        most = EDGES[name, k] * unit
        at = judged(**asked, measure=measure, ours=RunValues((most,)))
        assert (at["equal"], at["reason"] != "") == (False, True)
        for one in (most + unit, at["published"]):
            above = judged(**asked, measure=measure, ours=RunValues((most, one)))
            assert (above["equal"], above["reason"]) == (False, "")


@pytest.mark.parametrize(
    ("asked", "ours", "explained"),
    [
        ({"k": 2, "measure": "average distance"}, 2.37, True),
        ({"k": 2, "measure": "average distance"}, 99.0, False),
        ({"k": 2, "measure": "average distance"}, 2.5, False),
        ({"k": 2, "measure": "diameter"}, 5, True),
        ({"k": 2, "measure": "diameter"}, 7, False),
        ({"k": 2, "measure": "Jaccard RRW"}, 0.5, True),
        ({"k": 2, "measure": "Jaccard RRW"}, 0.0, False),
        ({"k": 2, "measure": "Jaccard MCL"}, 0.97, True),
        ({"k": 2, "measure": "Jaccard MCL"}, 0.7, False),
    ],
)
def test_a_reason_holds_near_what_is_known_of_ours(asked, ours, explained):
    about = {"data_set": "karate", "method": METHOD} | asked
    found = judged(**about, ours=RunValues((ours,)), modified=RunValues((2,)))
    assert (found["equal"], found["reason"] != "") == (False, explained)
    if asked["measure"] in ("average distance", "diameter"):
        found = judged(**about, ours=RunValues((ours,)), modified=RunValues((29,)))
        assert found["reason"] == ""


def test_every_reason_says_where_ours_is_expected():
    """In a range that does not hold whatever may come out, or at one value."""
    known = read_source_numbers()
    for entry in known["numbers"] + known["claims"] + known["guidance"]:
        if "reason" not in entry or entry.get("stated"):
            continue
        expected = entry.get("explained", entry.get("recomputed"))
        assert expected is not None, entry
        if isinstance(expected, list):
            low, high = expected
            assert -np.inf < low <= high < np.inf
            if "Jaccard" in entry.get("column", entry.get("measure", "")):
                assert (low, high) != (0, 1)


def test_a_run_that_ends_without_a_graph_is_noted():
    """On karate each k from 17 on is infeasible."""
    club = Graph(34, np.array(nx.karate_club_graph().edges))
    runs = degree_runs(club, {}, [2, 17], 2, 0)
    found = degree_numbers("karate", runs)
    assert found["karate", METHOD, 2, "connected"] == "yes"
    assert found["karate", METHOD, 17, "connected"] == "infeasible"
    assert found["karate", METHOD, 17, "edges modified"] == "infeasible"
    # One run that failed is enough, and so is one without the number.
    of = runs[runs["k"] == 2].reset_index(drop=True)
    of.loc[0, ["connected", "edges modified", "error"]] = [np.nan, np.nan, "no graph"]
    found = degree_numbers("karate", of)
    assert {found["karate", METHOD, 2, name] for name in ("connected", "edges modified")
            } == {"infeasible"}  # fmt: skip
    of["error"] = ""
    found = degree_numbers("karate", of)
    assert found["karate", METHOD, 2, "connected"] == "no"
    assert found["karate", METHOD, 2, "edges modified"] == "undefined"


@pytest.mark.parametrize(
    ("holds_to", "equal", "explained"),
    [(3, False, False), (9, True, False), (12, False, True), (30, False, False)],
)
@pytest.mark.parametrize("method", ["random-perturbation", "random-switch"])
def test_guidance_is_neither_too_careful_nor_too_bold(
    method, holds_to, equal, explained
):
    shares = np.arange(1, 31)
    means = pd.DataFrame(
        {"method": method, "p %": shares, "infeasible": 0,
         "Jaccard MCL": np.where(shares <= holds_to, 0.9, 0.7)}
    )  # fmt: skip
    rows = guidance_findings(read_source_numbers(), {"karate": means}, judged=True)
    (found,) = (f for f in rows if f["method"] == method and "MCL" in f["measure"])
    assert (found["ours"], found["equal"]) == (holds_to, equal)
    assert (found["reason"] != "") is explained

"""Methods on graphs tell how far they are, and let other threads run."""

import threading
import time

import networkx as nx
import pytest

from anon_transformers.base import progress_heard_by
from anon_transformers_graphs.automorphism import KAutomorphismAnonymizer
from anon_transformers_graphs.degrees import KDegreeAnonymizer
from anon_transformers_graphs.generalization import NodeClusterGeneralizer
from anon_transformers_graphs.neighborhoods import KNeighborhoodAnonymizer
from anon_transformers_graphs.randomization import FeatureChain


@pytest.fixture(scope="module")
def friends():
    return nx.powerlaw_cluster_graph(600, 5, 0.3, seed=3)


@pytest.mark.parametrize(
    "method",
    [
        FeatureChain(["lambda1"], steps_per_edge=0.02, random_state=1),
        NodeClusterGeneralizer(k=5, random_state=1),
    ],
    ids=["chain", "clusters"],
)
def test_shares_rise(method, friends):
    told = []
    with progress_heard_by(lambda share, found: told.append(share)):
        method.fit_transform(friends)
    assert len(told) > 2
    assert told == sorted(told)
    assert told[0] == 0 and told[-1] < 1


def test_a_small_graph_that_is_searched_several_times_never_falls_back():
    told = []
    with progress_heard_by(lambda share, found: told.append(share)):
        NodeClusterGeneralizer(k=5, random_state=1).fit_transform(
            nx.gnm_random_graph(120, 300, seed=1)
        )
    assert told == sorted(told)
    assert told[0] == 0 and 0.5 < told[-1] < 1


COUNTED = {
    "genetic": lambda: KDegreeAnonymizer(
        k=2, sequence="genetic", max_iter_no_improve=2_000, n_starts=3, random_state=1
    ),
    "additions": lambda: KDegreeAnonymizer(
        k=5, construction="supergraph", random_state=1
    ),
    "neighborhoods": lambda: KNeighborhoodAnonymizer(k=2, max_iter=30, random_state=1),
    "automorphisms": lambda: KAutomorphismAnonymizer(k=2, max_iter=30, random_state=1),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_in_compiled_code_is_told_while_it_runs(
    name, friends, monkeypatch
):
    monkeypatch.setattr("anon_transformers.base._progress.SECONDS", 0.001)
    COUNTED[name]().fit_transform(friends)  # compiled before somebody listens
    told = []
    with progress_heard_by(lambda share, found: told.append(share)):
        heard = COUNTED[name]().fit_transform(friends)
    assert told == sorted(told)
    assert told[-1] <= 1
    if name == "additions":  # its first attempt nearly always is the last
        assert told[0] == 0
    else:
        assert len(set(told)) > 3
        assert any(0 < share < 0.5 for share in told)
    alone = COUNTED[name]().fit_transform(friends)
    assert set(heard.edges) == set(alone.edges)


def test_a_chain_lets_others_run(friends):
    """It is one call of compiled code: where it held Python's lock, nobody would."""
    method = FeatureChain(["transitivity"], steps_per_edge=200, random_state=1)
    method.fit_transform(friends)  # compiled
    running = threading.Thread(target=method.fit_transform, args=(friends,))
    looks = 0
    running.start()
    while running.is_alive():
        time.sleep(0.001)
        looks += 1
    assert looks > 50

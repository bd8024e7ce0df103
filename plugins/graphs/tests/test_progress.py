"""Methods on graphs tell how far they are, and let other threads run."""

import threading
import time

import networkx as nx
import pytest

from anon_transformers.base import progress_heard_by
from anon_transformers_graphs.generalization import NodeClusterGeneralizer
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

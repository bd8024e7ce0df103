"""Methods tell whoever runs them how far they are."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers._kernels import mdav, mdav_fast, refinement
from anon_transformers.base import (
    _progress,
    part_of_progress,
    progress_heard_by,
    tell_progress,
)
from anon_transformers.fuzzy import (
    FuzzyCMeansRecoder,
    FuzzyPartitionRecoder,
    GlobalRecoder,
    GustafsonKesselRecoder,
    KMeansRecoder,
)
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import DistinctLDiversity

N_ROWS = 2_000


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Looks at compiled code follow each other quickly."""
    monkeypatch.setattr(_progress, "SECONDS", 0.001)


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 5)), columns=list("abcde"))
    return frame.assign(job=rng.integers(0, 9, N_ROWS).astype(str))


def shares_of(method, frame):
    told = []
    with progress_heard_by(lambda share, found: told.append(share)):
        published = method.fit_transform(frame)
    return told, published


METHODS = {
    "mondrian": lambda: MondrianAnonymizer(
        list("abcde"), k=3, sensitive=["job"], models=[DistinctLDiversity(l=2)]
    ),
    "mdav": lambda: MDAVAnonymizer(
        list("abcde"), k=3, refine=True, sensitive=["job"], random_state=1
    ),
    "swap": lambda: GroupSwapper(
        list("abc"), k=3, sensitive=["d", "e"], random_state=1
    ),
}


@pytest.mark.parametrize("name", ["mondrian", "mdav"])
def test_shares_rise_from_none_to_all(name, table):
    METHODS[name]().fit_transform(table)  # compiled before somebody listens
    told, _ = shares_of(METHODS[name](), table)
    assert len(set(told)) > 2
    assert told == sorted(told)
    assert 0 <= told[0] < 0.5
    assert told[-1] == 1


def test_columns_that_are_swapped_share_the_whole(table):
    told, _ = shares_of(METHODS["swap"](), table.drop(columns=["job"]))
    assert told == sorted(told)
    assert {0.5, 1.0} <= set(told)


TRIED = {
    "datafly": lambda: DataflyAnonymizer(list("abc"), k=20, suppression_limit=0.01),
    "kmeans": lambda: KMeansRecoder(["a", "b"], k=5, n_init=2, max_sets=4),
    "joint": lambda: FuzzyCMeansRecoder(
        ["a", "b"], k=5, coding="joint", max_sets=4, max_iter=50, tol=0.01
    ),
    "gustafson-kessel": lambda: GustafsonKesselRecoder(
        ["a"], k=5, n_sets=3, max_iter=50, tol=0.01, n_init=3
    ),
    "partition": lambda: FuzzyPartitionRecoder(["a", "b"], k=5, max_sets=4),
    "global": lambda: GlobalRecoder(["a", "b"], k=5, max_sets=4),
}


@pytest.mark.parametrize("name", TRIED)
def test_what_may_end_sooner_says_the_share_of_the_most_there_can_be(name, table):
    """Levels, numbers of sets, starts and iterations: none is counted twice."""
    method = TRIED[name]()
    if "random_state" in method.get_params():
        method.set_params(random_state=1)
    told, _ = shares_of(method, table[list("abc")].round(1))
    assert len(set(told)) > 3
    assert told == sorted(told)
    assert told[0] == 0
    assert 0.2 < told[-1] <= 1
    assert len(told) >= len(getattr(method, "tried_", told))


def test_a_table_of_many_rows_is_clustered_by_some_of_them_and_then_by_all(table):
    """The first half is that of some points, and the second is not told before it."""
    many = pd.concat([table] * 5, ignore_index=True)
    method = FuzzyCMeansRecoder(["a"], n_sets=2, k=5, max_iter=50, random_state=1)
    told, _ = shares_of(method, many)
    assert told == sorted(told)
    assert {0.0, 0.5} <= set(told)


@pytest.mark.parametrize("name", METHODS)
def test_a_listener_changes_no_cell(name, table):
    frame = table.drop(columns=["job"]) if name == "swap" else table
    _, heard = shares_of(METHODS[name](), frame)
    pd.testing.assert_frame_equal(heard, METHODS[name]().fit_transform(frame))


def test_what_fails_behind_a_listener_fails_as_it_does_alone():
    def work(done):
        raise ValueError("no group")

    with (
        progress_heard_by(lambda share, found: None),
        pytest.raises(ValueError, match="no group"),
    ):
        _progress.run_counted(work, 3)


def test_parts_share_the_whole():
    told = []
    with progress_heard_by(lambda share, found: told.append(share)):
        for number in range(2):
            with part_of_progress(number, 2):
                tell_progress(0.0)
                tell_progress(0.5)
    assert told == [0.0, 0.25, 0.5, 0.75]


KERNELS = {
    "exact": (mdav.group, 20_000),
    "fast": (mdav_fast.group_fast, 20_000),
    "refined": (
        lambda points, k, done: refinement.refine(
            points, np.arange(len(points)) // k, k, sweeps=1, done=done
        ),
        2_000,
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_compiled_code_lets_others_look_on(name):
    """Where it held Python's lock, nothing would be seen before its end."""
    group, rows = KERNELS[name]
    points, told = np.random.default_rng(3).normal(size=(rows, 4)), []
    group(points[:100], 5, np.zeros(1, dtype=np.int64))  # compiled
    with progress_heard_by(lambda share, found: told.append(share)):
        _progress.run_counted(lambda done: group(points, 5, done), rows)
    assert any(0.05 < share < 0.5 for share in told)

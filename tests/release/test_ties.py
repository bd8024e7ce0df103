"""Ties in a scheduled release fall by a private key of the release."""

import stat

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.ties import KEY_BYTES
from anon_transformers.exceptions import ReleaseError
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._run import TIES, tie_key

N_ROWS = 24


class Watched(MDAVAnonymizer):
    """Notes the groups of its persons."""

    groups: list = []  # noqa: RUF012

    def fit_transform(self, X, y=None):
        table = super().fit_transform(X, y)
        who = X["name"].to_numpy()
        self.groups.append(
            {frozenset(who[self.labels_ == one]) for one in set(self.labels_)}
        )
        return table


@pytest.fixture
def tied(release, registered):
    """Persons of whom all but two are equal in what an intruder knows."""
    registered("anonymizers", "watched", Watched)
    Watched.groups.clear()

    def write(seed):
        order = np.random.default_rng(seed).permutation(N_ROWS)
        table = pd.DataFrame(
            {
                "name": [f"NAMEMARK{n}" for n in range(N_ROWS)],
                "age": [20, *[30] * (N_ROWS - 2), 40],
                "job": ["a", "b"] * (N_ROWS // 2),
            }
        )
        table.iloc[order].to_csv(release.source, index=False)

    write(0)
    release.rewrite = write
    release.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"], "subject": "name"},
        anonymizer={"name": "watched"},
        thresholds=[{"model": "k-anonymity", "k": N_ROWS // 2}],
    )
    return release


def run(release):
    publish(validate(anonymize(load(release.file))))


def test_next_months_groups_are_those_of_this_month(tied):
    for seed in range(3):
        tied.rewrite(seed)
        run(tied)
    assert Watched.groups[0] == Watched.groups[1] == Watched.groups[2]


def test_without_a_subject_every_run_draws_its_own(tied):
    roles = {"quasi_identifiers": ["age"], "sensitive": ["job"]}
    tied.write(roles={**roles, "identifiers": ["name"]})
    for _ in range(3):
        run(tied)
    assert len({frozenset(groups) for groups in Watched.groups}) > 1
    assert not (tied.home / TIES).exists()


def test_another_release_has_another_key(tied, another_release):
    run(tied)
    second = another_release("second")
    tied.rewrite(0)  # the second one shares the source
    second.write(**{**tied.content, "target": {"path": "out-second"}})
    run(second)
    keys = {(one.home / TIES).read_bytes() for one in (tied, second)}
    assert len(keys) == 2


def test_the_key_is_made_once_and_is_private(tied):
    run(tied)
    file = tied.home / TIES
    key = file.read_bytes()
    assert len(key) == KEY_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    run(tied)
    assert file.read_bytes() == key
    shown = [key, key.hex().encode(), TIES.encode()]
    for content in tied.public_bytes().values():
        assert not any(text in content for text in shown)
    for path in tied.home.rglob("*"):
        if path.is_file() and path != file:
            assert key not in path.read_bytes()
            assert key.hex().encode() not in path.read_bytes()


def test_a_damaged_key_stops_the_run_and_a_link_is_not_followed(tmp_path):
    (tmp_path / TIES).write_bytes(b"short")
    with pytest.raises(ReleaseError, match=r"ties\.key is no key of 32 bytes"):
        tie_key(tmp_path)
    (tmp_path / TIES).unlink()
    (tmp_path / "elsewhere").write_bytes(bytes(KEY_BYTES))
    (tmp_path / TIES).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        tie_key(tmp_path)


def test_a_draft_that_a_crash_left_is_no_key(tmp_path):
    (tmp_path / f".{TIES}.draft").write_bytes(b"")
    assert len(tie_key(tmp_path)) == KEY_BYTES
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", TIES]

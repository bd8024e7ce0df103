"""Random series through all four steps, against an intruder who keeps every version."""

import csv
import random
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import GateError, InfeasibleError
from anon_transformers.ledger import MembershipKey
from anon_transformers.release import anonymize, load, publish, validate
from anon_transformers.release._config import read_config
from anon_transformers.release._ledger import open_ledger
from tests.release.months import ROLES, SECRET
from tests.release.series_intruder import (
    locate,
    possible_values,
    smallest_group,
    true_differences,
)

pytestmark = pytest.mark.gx
MONTHS = 5


def months(draw, kind):
    """Towns and jobs of persons; batches come, leave, move, and change their jobs."""
    jobs, towns = "vwxyz", "abc"
    people = {n: (draw.choice("aab"), draw.choice(jobs)) for n in range(40)}
    last = len(people)
    for _ in range(MONTHS):
        yield dict(people)
        for town in draw.sample(towns, 2):
            some = [p for p, (at, _) in people.items() if at == town]
            batch = draw.sample(some, min(len(some), draw.choice([0, 0, 1, 3, 5, 7])))
            where = draw.choice([None, *towns])
            for person in batch:
                if where is None:
                    del people[person]
                else:
                    people[person] = (where, people[person][1])
        for _ in range(draw.choice([0, 0, 1, 4, 6])):
            people[last], last = (draw.choice("a" + towns), draw.choice(jobs)), last + 1
        if kind == "changing":
            for person in draw.sample(sorted(people), draw.choice([0, 0, 2, 8])):
                people[person] = (people[person][0], draw.choice(jobs))


@pytest.fixture
def series(release, monkeypatch):
    """Runs a series; gives tables, classes of persons and true values, by month."""
    monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
    (release.folder / "towns.csv").write_text("a;*\nb;*\nc;*\n")
    key = MembershipKey(SECRET)

    def published(people, version):
        with (Path(version) / "data.csv").open(newline="") as file:
            rows = [(row["town"], row["job"]) for row in csv.DictReader(file)]
        ledger = open_ledger(read_config(release.file), to_read=True)
        stored = ledger.read_memberships((release.file.stem, Path(version).name), key)
        there = set(stored.persons[stored.classes > -2].tolist())
        digests = key.persons([f"namemark{person}" for person in people]).tolist()
        exact = {
            person: people[person][0]
            for person, digest in zip(people, digests, strict=True)
            if digest in there
        }
        truth = {person: f"JOBMARK{people[person][1]}" for person in exact}
        return rows, locate(rows, exact), truth

    def run(seed, kind, recoding, k, l):  # noqa: E741 - the model's own name
        release.write(
            roles={**ROLES, "quasi_identifiers": ["town"]},
            hierarchies={"town": "towns.csv"},
            anonymizer={"name": "full-domain", "suppression_limit": 0.4},
            thresholds=[
                {"model": "k-anonymity", "k": k},
                {"model": "distinct-l-diversity", "l": l},
            ],
            composition={"sensitive": {"job": kind}},
            recoding=recoding,
        )
        seen = []
        for people in months(random.Random(seed), kind):
            rows = [
                [f"NAMEMARK{n}", town, f"JOBMARK{job}"]
                for n, (town, job) in people.items()
            ]
            release.write_rows([["name", "town", "job"], *rows])
            try:
                version = publish(validate(anonymize(load(release.file))))
            except (GateError, InfeasibleError):
                continue
            seen.append(published(people, version))
        return zip(*seen, strict=True)

    return run


def exposes_nobody(seen, kind, k, l):  # noqa: E741 - the model's own name
    """Asserts that the intruder finds nobody; how many months there were to look at."""
    tables, whereabouts, truth = seen
    assert smallest_group(whereabouts) >= k
    if kind == "permanent":
        possible = possible_values(tables, whereabouts)
        assert min(map(len, possible.values())) >= l
    assert true_differences(tables, whereabouts, truth) >= l
    return len(tables)


CASES = [
    (1, "permanent", "fresh", 2, 2),
    (5, "changing", "fresh", 2, 2),
    (3, "permanent", "reuse", 3, 2),
    (4, "changing", "reuse", 2, 3),
]


@pytest.mark.parametrize(("seed", "kind", "recoding", "k", "l"), CASES)
def test_a_random_series_exposes_nobody(series, seed, kind, recoding, k, l):  # noqa: E741
    seen = series(seed, kind, recoding, k, l)
    assert exposes_nobody(seen, kind, k, l) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
@pytest.mark.parametrize("recoding", ["fresh", "reuse"])
@pytest.mark.parametrize("kind", ["permanent", "changing"])
def test_many_random_series_expose_nobody(series, seed, kind, recoding):
    k, l = seed % 3 + 1 + (seed % 3 == 0), 2 + seed % 2  # noqa: E741
    exposes_nobody(series(seed, kind, recoding, k, l), kind, k, l)

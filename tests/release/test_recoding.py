"""A series in cells that stay, against an intruder who keeps every version."""

import csv
import json
import random
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.ledger import MembershipKey
from anon_transformers.release import _publish as publishing
from anon_transformers.release import (
    abandon,
    anonymize,
    load,
    measure_published,
    publish,
    release_status,
    validate,
)
from anon_transformers.release._config import read_config
from anon_transformers.release._graph import GraphTablesForm
from anon_transformers.release._ledger import open_ledger
from anon_transformers.release._linked import LinkedForm
from anon_transformers.release._run import remove_run
from anon_transformers.release._table import TableForm
from anon_transformers.release._table_evidence import LEFT_OUT
from tests.ledger.differencing_intruder import narrowed
from tests.release.recoding_intruder import find_everybody, groups_of

pytestmark = pytest.mark.gx
SECRET = "5" * 64
K, L = 4, 2
ZIPS = ["007", "008", "110"]
ROLES = {
    "quasi_identifiers": ["age", "zip"],
    "sensitive": ["job"],
    "subject": "name",
    "identifiers": ["name"],
    "accept_unique": ["job"],
}


class Interrupted(BaseException):
    """The process ends here."""


class Series:
    """A release whose source is another one each month."""

    def __init__(self, release):
        self.release = release
        self.key = MembershipKey(SECRET)

    def write(self, people):
        rows = [["name", "age", "zip", "job"]]
        for person, (age, code, job) in people.items():
            rows.append([f"NAMEMARK{person}", str(age), code, f"JOBMARK{job}"])
        self.release.write_rows(rows)

    def candidate(self, people, run_id=None):
        self.write(people)
        return validate(anonymize(load(self.release.file, run_id)))

    def publish(self, people, run_id=None):
        return publish(self.candidate(people, run_id))

    def ledger(self):
        return open_ledger(read_config(self.release.file), to_read=True)

    def published(self, version):
        """The rows of a version, as texts: labels and value."""
        with (Path(version) / "data.csv").open(newline="") as file:
            return [((r["age"], r["zip"]), r["job"]) for r in csv.DictReader(file)]

    def persons_of(self, version, people):
        """Who is in a version: the ledger tells whoever has its secret."""
        name = (self.release.file.stem, Path(version).name)
        stored = self.ledger().read_memberships(name, self.key)
        there = set(stored.persons.tolist())
        keys = self.key.persons([f"namemark{person}" for person in people])
        pairs = zip(people, keys.tolist(), strict=True)
        found = {person for person, digest in pairs if digest in there}
        assert len(found) == len(there)
        return found

    def cells(self):
        return json.loads((self.release.home / "cells.json").read_text())["cells"]


@pytest.fixture
def series(release, monkeypatch):
    """Ages by steps of five and zip codes; cells are larger than k asks for."""
    monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
    release.write(
        source={"path": "people.csv", "columns": {"age": "integer"}},
        roles=ROLES,
        anonymizer=release.mondrian(k=20),
        thresholds=[
            {"model": "k-anonymity", "k": K},
            {"model": "distinct-l-diversity", "l": L},
        ],
        composition={"sensitive": {"job": "permanent"}},
        recoding="reuse",
    )
    return Series(release)


def somebody(draw):
    return draw.randint(20, 64), draw.choice(ZIPS), draw.choice("abcde")


def people(count, seed=1, first=0):
    draw = random.Random(seed)
    return {number: somebody(draw) for number in range(first, first + count)}


def months(count, persons=400, seed=3):
    """Who is there each month: it grows, then shrinks; some grow older or move."""
    draw = random.Random(seed)
    there, last = people(persons, seed), persons
    for month in range(count):
        yield dict(there)
        grows = month < count // 2
        for person in draw.sample(sorted(there), 4 if grows else 12):
            del there[person]
        for _ in range(16 if grows else 4):
            there[last], last = somebody(draw), last + 1
        for person in draw.sample(sorted(there), 3):
            age, code, job = there[person]
            moved = (age + draw.randint(1, 9), code), (age, draw.choice(ZIPS))
            there[person] = (*draw.choice(moved), job)


def watched(series, count, persons=400):
    """Publish months; what the intruder has, and the true values."""
    tables, whereabouts, truth, shares = [], [], {}, []
    for there in months(count, persons):
        version = series.publish(there)
        rows = series.published(version)
        register = {
            person: (str(there[person][0]), there[person][1])
            for person in series.persons_of(version, there)
        }
        tables.append(rows)
        whereabouts.append(find_everybody(rows, register))
        truth |= {person: there[person][2] for person in register}
        shares.append(len(register) / len(there))
    return tables, whereabouts, truth, shares


def exposes_nobody(tables, whereabouts, truth):
    for persons in groups_of(whereabouts).values():
        assert len(persons) >= K
        assert len({truth[person] for person in persons}) >= L
    histograms = []
    for rows in tables:
        cells = {cell: Counter() for cell, _ in rows}
        for cell, job in rows:
            cells[cell][job] += 1
        assert min(sum(counts.values()) for counts in cells.values()) >= K
        histograms.append(cells)
    left = narrowed(histograms, [{} for _ in tables], whereabouts)
    assert min(left.values()) >= L
    return len(left)


def watched_months(series, count, persons=400):
    tables, whereabouts, truth, shares = watched(series, count, persons)
    assert exposes_nobody(tables, whereabouts, truth) >= persons
    # Not by publishing the same table again, and not by publishing nothing.
    assert len({tuple(sorted(month.items())) for month in whereabouts}) > count // 2
    assert shares[0] == 1
    assert min(shares) > 0.05
    assert len(series.cells()) == len({cell for cell, _ in tables[0]})
    assert all({c for c, _ in rows} <= {c for c, _ in tables[0]} for rows in tables)


def test_half_a_year_exposes_nobody(series):
    watched_months(series, 6)


@pytest.mark.slow
def test_two_years_expose_nobody(series):
    watched_months(series, 24)


def test_the_same_months_made_anew_are_refused(series):
    series.release.write(recoding="fresh")
    first, second, *_ = months(6)
    series.publish(first)
    with pytest.raises(GateError, match="composition: with the 1 release before it"):
        series.publish(second)


@pytest.fixture
def towns(release, monkeypatch):
    """A release of towns as they are: a class is a town, k is 3."""
    monkeypatch.setenv("ANON_LEDGER_KEY", SECRET)
    (release.folder / "towns.csv").write_text("a;*\nb;*\nc;*\nd;*\n")
    release.write(
        roles={**ROLES, "quasi_identifiers": ["town"]},
        hierarchies={"town": "towns.csv"},
        anonymizer={"name": "full-domain", "suppression_limit": 0.3},
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 2},
        ],
        composition={"sensitive": {"job": "permanent"}},
        recoding="reuse",
    )
    return Towns(release)


class Towns:
    """Months of towns, as ``a=6`` for six persons of a, whose jobs take turns."""

    def __init__(self, release):
        self.release = release

    def write(self, more=(), jobs="xyz", **counts):
        rows = [
            [f"NAMEMARK{town}{n}", town, f"JOBMARK{jobs[n % len(jobs)]}"]
            for town, count in counts.items()
            for n in (range(count) if isinstance(count, int) else count)
        ]
        self.release.write_rows([["name", "town", "job"], *rows, *more])

    def publish(self, **given):
        self.write(**given)
        return self.shown(publish(validate(anonymize(load(self.release.file)))))

    def shown(self, version):
        """How many rows of each town a version has."""
        with (Path(version) / "data.csv").open(newline="") as file:
            return dict(Counter(row["town"] for row in csv.DictReader(file)))

    def refused(self, error, words, **given):
        """Asserts that a month is refused, and that readers see nothing of it."""
        before = self.release.public_bytes()
        with pytest.raises(error, match=words) as caught:
            self.publish(**given)
        assert self.release.public_bytes() == before
        assert "MARK" not in str(caught.value)

    def ledger(self):
        return open_ledger(read_config(self.release.file), to_read=True)


def test_joiners_wait_and_come_together(towns):
    assert towns.publish(a=6, b=6) == {"a": 6, "b": 6}
    assert towns.publish(a=7, b=6) == {"a": 6, "b": 6}
    assert towns.publish(a=9, b=6) == {"a": 9, "b": 6}


def joiners(name, jobs, town="a"):
    return [[f"NAMEMARK{name}{n}", town, f"JOBMARK{j}"] for n, j in enumerate(jobs)]


def test_joiners_of_one_value_never_come_with_others(towns):
    """Who knows that they were enough, and not shown, would tell their values apart."""
    towns.publish(a=6)
    first = joiners("o", "xxxx")
    assert towns.publish(a=6, more=first) == {"a": 6}
    assert towns.publish(a=6, more=[*first, *joiners("p", "y")]) == {"a": 6}
    later = [*first, *joiners("p", "yxz")]
    assert towns.publish(a=6, more=later) == {"a": 9}
    moved = [[name, "b", job] for name, _, job in first]
    assert towns.publish(a=6, more=[*moved, *later[4:]], b=6) == {"a": 9}


def test_joiners_who_are_too_few_wait_for_others(towns):
    towns.publish(a=6)
    assert towns.publish(a=6, more=joiners("o", "xx")) == {"a": 6}
    assert towns.publish(a=6, more=joiners("o", "xxy")) == {"a": 9}


def test_no_value_is_kept_of_who_was_left_out(towns):
    towns.publish(a=6)
    towns.publish(a=6, more=joiners("o", "xxxx"))
    ledger = towns.ledger()
    name = ledger.publications()[-1].publication.name
    stored = ledger.read_memberships(name, MembershipKey(SECRET))
    left_out = stored.classes < -1
    assert left_out.sum() == 4
    assert (stored.values["job"][left_out] == 0).all()
    assert (stored.values["job"][~left_out] != 0).all()


def test_the_rows_of_who_was_left_out_go_after_publication(towns):
    towns.publish(a=6)
    towns.publish(a=6, more=joiners("o", "xxxx"))
    [runs] = towns.release.folder.rglob("runs")
    assert not list(runs.iterdir())
    assert not list(towns.release.folder.rglob(f"{LEFT_OUT}*"))


@pytest.mark.parametrize("form", [TableForm, LinkedForm, GraphTablesForm])
def test_all_private_files_are_known_for_those_of_a_run(form, tmp_path):
    for name in form.private_files:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    remove_run(tmp_path)
    assert not tmp_path.exists()


def test_who_was_left_out_is_in_no_other_release_with_others(towns, another_release):
    towns.publish(a=6)
    first = joiners("o", "xxxx")
    towns.publish(a=6, more=first)
    other = another_release("other")
    other.write(
        **{
            **towns.release.content,
            "target": {"path": "out-other"},
            "recoding": "fresh",
        }
    )
    towns.write(a=6, more=[*first, *joiners("p", "yzx")])
    with pytest.raises(GateError, match="4 persons of whom the difference"):
        publish(validate(anonymize(load(other.file))))


def test_a_lone_leaver_takes_the_group_along(towns):
    towns.publish(a=9, b=6)
    assert towns.publish(a=8, b=6) == {"b": 6}
    assert towns.publish(a=6, b=6) == {"a": 6, "b": 6}
    assert towns.publish(a=9, b=6) == {"a": 9, "b": 6}


def test_a_month_in_which_nobody_can_be_published_is_refused(towns):
    towns.publish(a=6)
    towns.refused(InfeasibleError, "nobody can be published in the cells", a=5)
    (found,) = release_status([towns.release.file])
    assert found.state == "refused"
    assert "was refused when it was anonymized" in found.reason
    assert towns.publish(a=6) == {"a": 6}


def test_a_month_of_suppressed_rows_alone_is_refused(towns):
    towns.publish(a=6, b=6, c=2, d=2)
    words = "nobody can be published in the cells"
    towns.refused(InfeasibleError, words, a=5, b=5, c=2, d=2)


def test_rows_that_no_cell_covers_are_dropped(towns, caplog):
    towns.publish(a=6, b=6)
    with caplog.at_level("INFO"):
        assert towns.publish(a=6, b=6, c=6) == {"a": 6, "b": 6}
    (told,) = [r for r in caplog.messages if "anonymizer full-domain" in r][-1:]
    assert "waiting 6, withheld 0" in told
    assert "rows 12, dropped 6" in told


def test_suppressed_rows_are_a_cell_too(towns):
    assert towns.publish(a=6, b=6, c=2, d=2) == {"a": 6, "b": 6, "*": 4}
    assert towns.publish(a=6, b=6, c=2, d=2) == {"a": 6, "b": 6, "*": 4}
    assert towns.publish(a=6, b=6, c=5, d=2) == {"a": 6, "b": 6, "*": 7}


def test_who_has_rows_in_several_cells_is_not_published(towns):
    towns.publish(a=6, b=6)
    again = [["NAMEMARKa0", "a", "JOBMARKx"]]
    assert towns.publish(a=6, b=6, more=again) == {"a": 7, "b": 6}
    elsewhere = [["NAMEMARKa0", "b", "JOBMARKx"]]
    assert towns.publish(a=6, b=6, more=elsewhere) == {"b": 6}


def test_values_that_change_are_judged_as_the_gate_does(towns):
    towns.release.write(composition={"sensitive": {"job": "changing"}})
    towns.publish(a=8, b=4, jobs="xxyyzzww")
    # Two leave with z, two with w: what is left of the last table is the same.
    assert towns.publish(a=4, b=4, jobs="xxyyzzww") == {"a": 4, "b": 4}
    # The four who stay now have other values, and stay together.
    assert towns.publish(a=4, b=4, jobs="zwzw") == {"a": 4, "b": 4}


def test_what_is_published_does_not_tell_who_waits(towns):
    towns.publish(a=6, b=6)
    seen = []
    for waiting in (0, 2):
        towns.publish(a=6 + waiting, b=6, c=2 * waiting)
        manifest, current = towns.release.manifest(), towns.release.target / "current"
        judged = json.loads((current / "validation.json").read_text())
        for key in ("version", "published", "sha256", "signature", "files", "place"):
            manifest.pop(key), judged.pop(key, None)
        rows = (current / "data.csv").read_text().splitlines()
        seen.append((manifest, judged, sorted(rows)))
    assert seen[0] == seen[1]
    manifest = seen[0][0]
    assert manifest["recoding"] == "reuse"
    assert "loss" not in manifest["measured"]
    found = measure_published(towns.release.target, towns.release.file)
    assert manifest["measured"] == {"checks": manifest["measured"]["checks"]} | {
        key: number for key, number in found.items() if key != "levels"
    }


def test_rows_that_are_not_published_are_lost(towns):
    towns.release.write(
        thresholds=[
            *towns.release.content["thresholds"],
            {"metric": "loss", "max": 0.2},
        ]
    )
    towns.publish(a=6, b=6)
    towns.publish(a=6, b=6, c=2)
    towns.refused(GateError, "loss", a=6, b=6, c=6)


def test_a_series_that_was_made_anew_goes_on_in_cells(towns):
    towns.release.write(recoding="fresh")
    towns.publish(a=6, b=6)
    towns.refused(GateError, "1 person who came", a=7, b=6)
    towns.release.write(recoding="reuse")
    assert towns.publish(a=7, b=6) == {"a": 6, "b": 6}
    assert towns.publish(a=9, b=6) == {"a": 9, "b": 6}


def test_other_releases_of_the_source_count(towns, another_release):
    other = another_release("other")
    other.write(**{**towns.release.content, "target": {"path": "out-other"}})
    towns.publish(a=6, b=6)
    towns.write(a=6)
    publish(validate(anonymize(load(other.file))))
    assert towns.publish(a=6, b=7) == {"a": 6, "b": 6}
    # The six of a are one group with those of the other table, and three leave.
    assert towns.publish(a=3, b=6) == {"a": 3, "b": 6}


@pytest.mark.parametrize("at", ["_let_readers_see", "Together.remember"])
def test_who_is_interrupted_publishes_the_same_again(towns, monkeypatch, at):
    towns.publish(a=6, b=6)
    towns.write(a=9, b=6)
    candidate = validate(anonymize(load(towns.release.file, "cut-off")))
    before = towns.release.public_bytes()
    with monkeypatch.context() as patch:
        interrupt_after(patch, at)
        with pytest.raises(Interrupted):
            publish(candidate)
    assert towns.release.public_bytes() == before
    assert [e.state for e in towns.ledger().publications(states=["reserved"])]
    assert towns.shown(publish(candidate)) == {"a": 9, "b": 6}
    assert towns.publish(a=10, b=6) == {"a": 9, "b": 6}
    states = [e.state for e in towns.ledger().publications(states=STATES)]
    assert states == ["published"] * 3
    assert towns.ledger().verify(MembershipKey(SECRET)).intact


STATES = ("reserved", "published", "given-up")


def interrupt_after(patch, name):
    """End the process at a line of publishing: cells and memberships are written."""
    if name == "_let_readers_see":
        patch.setattr(publishing, name, interrupted)
    else:
        remember = publishing.Together.remember

        def cut_off(self):
            remember(self)
            raise Interrupted

        patch.setattr(publishing.Together, "remember", cut_off)


def interrupted(*given):
    raise Interrupted


def test_cells_of_a_version_that_nobody_saw_do_not_count(towns, monkeypatch):
    towns.write(a=6, b=6)
    candidate = validate(anonymize(load(towns.release.file, "cut-off")))
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_let_readers_see", interrupted)
        with pytest.raises(Interrupted):
            publish(candidate)
    kept = json.loads((towns.release.home / "cells.json").read_text())["cells"]
    assert {tuple(cell["labels"]) for cell in kept} == {("a",), ("b",)}
    # The table was wrong, and another one takes its place.
    abandon(candidate)
    assert towns.publish(a=6, c=6) == {"a": 6, "c": 6}
    assert towns.publish(a=6, b=6, c=6) == {"a": 6, "c": 6}


def test_cells_that_are_lost_or_of_other_columns_are_refused(towns):
    towns.publish(a=6, b=6)
    cells = towns.release.home / "cells.json"
    content = cells.read_text()
    assert "MARK" not in content
    assert cells.stat().st_mode & 0o077 == 0
    cells.unlink()
    towns.refused(ReleaseError, "put cells.json back", a=6, b=6)
    cells.write_text(content.replace('"town"', '"place"'))
    towns.refused(ReleaseError, "have other quasi-identifiers", a=6, b=6)
    cells.write_text("{")
    towns.refused(ReleaseError, "cannot be read", a=6, b=6)
    cells.write_text(content)
    assert towns.publish(a=6, b=6) == {"a": 6, "b": 6}


def test_values_that_a_hierarchy_lacks_are_refused(towns):
    towns.publish(a=6, b=6)
    towns.refused(DataError, "hierarchies.town.unknown", a=6, b=6, z=3)


def test_the_key_is_needed_where_persons_are_chosen(towns, monkeypatch):
    towns.publish(a=6, b=6)
    towns.write(a=6, b=6)
    run = load(towns.release.file)
    monkeypatch.delenv("ANON_LEDGER_KEY")
    with pytest.raises(ConfigurationError, match="has no ANON_LEDGER_KEY"):
        anonymize(run)


def without(key):
    return {name: held for name, held in ROLES.items() if name != key}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"roles": without("subject"), "composition": None}, "name roles.subject"),
        (
            {"composition": {"accept_unjudged": "other persons each month"}},
            "composition.accept_unjudged leaves that out",
        ),
        (
            {"composition": {"presence": "unknown", "sensitive": {"job": "changing"}}},
            "leave composition.presence out",
        ),
        ({"composition": None}, "composition.sensitive: say of 'job'"),
        (
            {"on_refusal": {"back_off": [{"drop": ["zip"]}]}},
            "a rung of on_refusal.back_off makes other cells",
        ),
        (
            {"anonymizer": {"name": "mdav"}},
            "mdav publishes centers, and cells are kept by their labels",
        ),
        (
            {
                "anonymizer": {"name": "group-swap", "k": 3},
                "thresholds": [{"model": "probabilistic-k-anonymity", "k": 3}],
                "composition": {"k": 3},
            },
            "group-swap publishes swaps",
        ),
        ({"recoding": "again"}, "recoding"),
    ],
    ids=lambda given: "" if isinstance(given, dict) else given.split()[0],
)
def test_what_cannot_be_kept_is_refused_when_it_is_read(series, changes, words):
    series.write(people(40))
    series.release.write(**changes)
    assert words in series.release.refusal()


def test_blank_rows_are_refused(series):
    blank = {**series.release.content["anonymizer"], "suppression": "blank"}
    series.release.write(anonymizer=blank)
    assert "another suppression than 'blank'" in series.release.refusal()

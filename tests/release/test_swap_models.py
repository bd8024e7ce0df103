"""Releases of swapped tables with models of the values inside the private groups."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import GateError, InfeasibleError
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.gx.gate import Threshold, run_gate, suite_for
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._run import Run
from anon_transformers.release._table_evidence import LINKS

SWAPPED = {"model": "probabilistic-k-anonymity", "k": 3}
DIVERSE = {"model": "distinct-l-diversity", "l": 3, "sensitive": "ill"}
BOTH = {
    "quasi_identifiers": ["age", "pay"],
    "sensitive": ["ill", "pay"],
    "identifiers": ["name"],
}
CLOSE = {"model": "t-closeness", "t": 0.6, "sensitive": "ill"}


@pytest.fixture
def swapped(release):
    """People whose illness goes with their age: groups of near ages agree in it."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 900)
    table = pd.DataFrame(
        {
            "name": [f"NAMEMARK{row}" for row in range(900)],
            "age": age,
            "ill": np.array(["flu", "cold", "gout", "asthma"])[
                np.where(rng.random(900) < 0.4, age // 18, rng.integers(0, 4, 900)) % 4
            ],
            "pay": rng.integers(1, 400, 900) * 100,
        }
    )
    table.to_csv(release.source, index=False)
    release.write(
        roles={
            "quasi_identifiers": ["age"],
            "sensitive": ["ill", "pay"],
            "identifiers": ["name"],
        },
        anonymizer={"name": "group-swap"},
        thresholds=[SWAPPED, DIVERSE, CLOSE],
    )
    return release


def test_persons_may_be_counted(swapped):
    roles = {**swapped.content["roles"], "identifiers": [], "subject": "name"}
    one_value = {"one_value_per_person": ["ill", "pay"]}
    swapped.write(roles={**roles, **one_value})
    table = read_published(run_release(swapped.file), labels="text")
    before = pd.read_csv(swapped.source)
    assert list(table.columns) == ["age", "ill", "pay"]
    assert sorted(table["pay"]) == sorted(before["pay"])


def test_the_gate_judges_no_groups_of_persons_with_several_rows():
    table = pd.DataFrame({"who": [1, 1, 2, 3], "age": [20, 21, 22, 23], "pay": 1})
    threshold = Threshold.read(SWAPPED)
    private = PrivateEvidence(original=table, groups={"pay": np.zeros(4, dtype=int)})
    found = run_gate(
        table,
        thresholds=[threshold],
        quasi_identifiers=["age"],
        sensitive=["pay"],
        subject="who",
        evidence=private,
    )
    assert not found.passed
    assert "persons have several rows" in found.reasons[0]


def test_a_database_shows_rows_that_do_not_tell_their_groups(swapped):
    """Its classes are those of ages as they were, and no model promises them."""
    database = {"kind": "sql", "url": "sqlite:///public.db", "table": "ward"}
    swapped.write(target={**database, "path": "out"})
    table = read_published(run_release(swapped.file), labels="text")
    with closing(sqlite3.connect(swapped.folder / "public.db")) as connection:
        shown = connection.execute("SELECT age, ill, pay FROM ward").fetchall()
    rows = table[["age", "ill", "pay"]].itertuples(index=False)
    assert sorted(shown) == sorted((int(age), ill, int(pay)) for age, ill, pay in rows)


def test_groups_are_diverse_and_close_and_published(swapped):
    location = anonymize(load(swapped.file))
    links = pd.read_parquet(Run(location).path("candidate") / LINKS)
    table = pd.read_csv(swapped.source)
    cells = table["ill"].to_numpy()[links["row"]]
    values = pd.Series(cells).groupby(links["group 0"]).nunique()
    assert values.min() >= 3
    folder = publish(validate(location))
    assert sorted(read_published(folder, labels="text")["ill"]) == sorted(table["ill"])
    checks = {c["name"]: c for c in swapped.manifest()["measured"]["checks"]}
    assert all(check["passed"] for check in checks.values())


def test_readers_are_told_pass_or_fail_and_no_number_of_the_groups(swapped):
    """Nobody can count it again: the groups are gone."""
    publish(validate(anonymize(load(swapped.file))))
    checks = {c["name"]: c for c in swapped.manifest()["measured"]["checks"]}
    for name in ("distinct-l-diversity", "t-closeness"):
        check = checks[name]
        assert check["passed"]
        assert not {"observed", "units", "failing", "details"} & set(check)
        assert "group within which cells were swapped" in check["sentence"]
    page = (swapped.target / "current" / "validation.html").read_text()
    assert "not evaluated" not in page


def test_groups_that_are_not_diverse_do_not_pass(swapped):
    swapped.write(anonymizer={"name": "group-swap", "models": []})
    with pytest.raises(GateError, match=r"distinct-l-diversity: .* groups fail"):
        validate(anonymize(load(swapped.file)))
    assert not swapped.target.exists()


def test_a_promise_that_cannot_be_kept_publishes_nothing(swapped):
    swapped.write(thresholds=[SWAPPED, {**DIVERSE, "l": 5}])
    with pytest.raises(InfeasibleError, match=r"distinct-l-diversity.*level 4"):
        anonymize(load(swapped.file))
    assert not swapped.target.exists()


def test_k_anonymity_is_still_that_of_the_published_rows(swapped):
    swapped.write(thresholds=[SWAPPED, DIVERSE, {"model": "k-anonymity", "k": 2000}])
    with pytest.raises(GateError, match=r"k-anonymity: the level is .* classes fail"):
        validate(anonymize(load(swapped.file)))


def test_a_suite_judges_the_groups_too(swapped):
    expectation = {
        "type": "expect_privacy_model_to_hold",
        "kwargs": {
            "model": "distinct-l-diversity",
            "params": {"l": 4, "sensitive": "ill"},
            "quasi_identifiers": {"$PARAMETER": "quasi_identifiers"},
            "sensitive": {"$PARAMETER": "sensitive"},
        },
        "meta": {},
    }
    suite = suite_for("x", [_threshold(t) for t in (SWAPPED, DIVERSE, CLOSE)])
    suite["expectations"].append(expectation)
    (swapped.folder / "suite.json").write_text(json.dumps(suite))
    swapped.write(suite="suite.json")
    with pytest.raises(GateError, match="expect_privacy_model_to_hold of the suite"):
        validate(anonymize(load(swapped.file)))


def _threshold(threshold):
    params = {k: v for k, v in threshold.items() if k != "model"}
    return Threshold(threshold["model"], "model", threshold["model"], params)


def test_the_published_folder_cannot_be_judged_again(swapped):
    publish(validate(anonymize(load(swapped.file))))
    done = CliRunner().invoke(app, ["validate", str(swapped.target), "--json"])
    assert done.exit_code == 0
    asked = ["validate", str(swapped.target), "--strict"]
    assert CliRunner().invoke(app, asked).exit_code == 1
    found = json.loads(done.stdout)
    assert found["passed"] is True
    assert "distinct-l-diversity" in found["release"]["not_judged_again"]
    checks = {c["id"]: c for c in json.loads(done.stdout)["checks"]}
    assert checks["distinct-l-diversity"]["passed"] is None
    assert "private evidence" in checks["distinct-l-diversity"]["reason"]


class TestGate:
    """The same, without a release around it."""

    TABLE = pd.DataFrame({"age": np.arange(8), "ill": list("aabbabab"), "pay": 1})

    def judged(self, groups, **params):
        wanted = [Threshold("l", "model", "distinct-l-diversity", {"l": 2, **params})]
        return run_gate(
            self.TABLE,
            thresholds=wanted,
            quasi_identifiers=["age"],
            sensitive=["ill", "pay"],
            evidence=PrivateEvidence(
                original=self.TABLE,
                groups=groups,
                swapped=True,
            ),
        )

    def test_groups_and_not_classes_are_judged(self):
        result = self.judged({("ill",): np.array([0, 0, 0, 0, 1, 1, 1, 1])})
        assert result.passed
        assert (result.checks[0].units, result.checks[0].observed) == (2, 2)

    def test_a_group_of_one_value_fails(self):
        result = self.judged({("ill",): np.array([0, 0, 1, 1, 2, 2, 2, 2])})
        assert not result.passed
        assert result.reasons == ("l: the level is 1; 2 of 3 groups fail",)

    def test_where_quasi_identifiers_move_what_stayed_is_judged(self):
        groups = {("age",): np.array([0, 0, 0, 0, 1, 1, 1, 1])}
        assert self.judged(groups, sensitive="ill").passed
        assert not self.judged(groups).passed  # all have the same pay

    def test_a_column_that_no_group_hides_is_not_evaluated(self):
        result = self.judged({("ill",): np.arange(8) // 4}, sensitive="pay")
        assert not result.passed
        assert result.checks[0].observed is None

    def test_without_links_nothing_is_judged(self):
        wanted = [Threshold("l", "model", "distinct-l-diversity", {"l": 1})]
        result = run_gate(
            self.TABLE,
            thresholds=wanted,
            quasi_identifiers=["age"],
            sensitive=["ill"],
            evidence=PrivateEvidence(swapped=True),
        )
        assert not result.passed
        assert "private evidence" in result.reasons[0]


class TestBothRoles:
    """A column may be known to one intruder and wanted by another, in swaps alone."""

    def test_a_swap_takes_it(self, swapped):
        swapped.write(roles=BOTH)
        folder = publish(validate(anonymize(load(swapped.file))))
        table, source = (
            read_published(folder, labels="text"),
            pd.read_csv(swapped.source),
        )
        assert sorted(table["pay"]) == sorted(source["pay"])
        assert not (table.sort_values("age")["pay"].array == source["pay"].array).all()
        roles = swapped.manifest()["roles"]
        assert roles["quasi_identifiers"] == ["age", "pay"]
        assert roles["sensitive"] == ["ill", "pay"]

    def test_every_column_may_be_both(self, swapped):
        both = ["age", "ill", "pay"]
        roles = {**BOTH, "quasi_identifiers": both, "sensitive": both}
        swapped.write(roles=roles, thresholds=[SWAPPED])
        folder = publish(validate(anonymize(load(swapped.file))))
        assert set(read_published(folder, labels="text")) == set(both)

    @pytest.mark.parametrize("name", ["mondrian", "mdav"])
    def test_other_methods_refuse_it(self, swapped, name):
        swapped.write(
            roles=BOTH,
            anonymizer={"name": name},
            thresholds=[{"model": "k-anonymity", "k": 3}],
        )
        message = swapped.refusal()
        assert "'pay' is declared as quasi_identifiers and as sensitive" in message
        assert name in message

    def test_other_pairs_of_roles_are_refused(self, swapped):
        swapped.write(roles={**BOTH, "identifiers": ["name", "pay"]})
        assert "'pay' is declared as" in swapped.refusal()

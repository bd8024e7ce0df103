"""The contract checks of attacks: the registered ones pass, broken ones fail."""

import itertools
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from anon_transformers.attacks import (
    Attack,
    AttackResult,
    GraphAttack,
    GraphAttackResult,
    Homogeneity,
    UniqueCombinations,
)
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.registry import HOME, registry
from anon_transformers.testing import attack_checks, check_attack

BUILT_IN = [
    pytest.param(check, id=f"{name}-{check_name}")
    for name, cls in registry().attacks.items()
    if registry().attacks.owner(name) == HOME
    and (name != "record-linkage" or find_spec("splink"))
    for check_name, check in attack_checks(cls)
]


@pytest.mark.parametrize("check", BUILT_IN)
def test_registered_attacks_keep_the_contract(check):
    check()


@dataclass(frozen=True)
class Busiest(GraphAttack):
    """Look for the node that has more edges than any other."""

    name = "busiest"
    needs = ("published", "original")
    meaning = "One node has more edges than any other."
    remedy = "Ask for k-degree anonymity."

    def _find(self, attack_input):
        graph, form = open_graph(attack_input.published)
        most = np.flatnonzero(graph.degrees == graph.degrees.max())
        found = form.names[most].tolist() if len(most) == 1 else []
        return GraphAttackResult(
            graph.n_nodes, found, {"most": int(max(graph.degrees))}
        )


STAR = Graph(4, [[0, 1], [0, 2], [0, 3]])


def test_an_attack_on_a_graph_keeps_the_contract():
    check_attack(Busiest)
    report = Busiest().run(STAR, original=STAR, show_values=True)
    assert (report.rows, report.exposed, report.share) == (4, 1, 0.25)
    assert report.details == {"most": 3}
    assert report.exposed_records["node"].tolist() == [0]
    with pytest.raises(NotEvaluable, match="busiest needs original"):
        Busiest().run(STAR)


def test_a_graph_without_targets_has_a_share():
    class Nobody(Busiest):
        def _find(self, attack_input):
            return GraphAttackResult(0, [])

    assert Nobody().run(STAR, original=STAR).share == 0


class NeedsWhatNobodyHas(UniqueCombinations):
    needs = ("release", "fingerprints")


class NeedsInAList(UniqueCombinations):
    needs = ["release"]  # noqa: RUF012


class SaysNothing(UniqueCombinations):
    meaning = ""


class CapitalName(UniqueCombinations):
    name = "Unique"


@dataclass
class Changeable(Attack):
    name = "changeable"
    _find = UniqueCombinations._find


class MissesNothing(Homogeneity):
    def lacks(self, attack_input):
        return ()

    def _find(self, attack_input):
        return AttackResult(np.zeros(attack_input.rows, bool), "records", 1, 0)


class Found(UniqueCombinations):
    """Finds what the subclasses say."""

    def _find(self, attack_input):
        exposed = np.ones(attack_input.rows, bool)
        return AttackResult(exposed, "records", len(exposed), len(exposed))


class TellsACell(Found):
    def _find(self, attack_input):
        found = super()._find(attack_input)
        cell = attack_input.release["ill"].iloc[0]
        return AttackResult(found.exposed, "records", 60, 60, {"first": cell})


class TellsNoPlainNumber(Found):
    def _find(self, attack_input):
        found = super()._find(attack_input)
        return AttackResult(found.exposed, "records", 60, 60, {"n": np.int64(3)})


class CountsTooMany(Found):
    def _find(self, attack_input):
        return AttackResult(super()._find(attack_input).exposed, "records", 60, 61)


class ShowsOneRecord(Found):
    def _find(self, attack_input):
        found = super()._find(attack_input)
        return AttackResult(
            found.exposed, "records", 60, 60, records=lambda: pd.DataFrame({"a": [1]})
        )


class Mutates(Found):
    def _find(self, attack_input):
        attack_input.release.iloc[0] = attack_input.release.iloc[1]
        return super()._find(attack_input)


TURNS = itertools.count(1)


class Draws(Found):
    def _find(self, attack_input):
        # Another number each time: by chance two could be the same.
        exposed = np.arange(attack_input.rows) < next(TURNS) % attack_input.rows
        return AttackResult(exposed, "records", len(exposed), exposed.sum())


class ReturnsNumbers(Found):
    def _find(self, attack_input):
        return AttackResult(np.ones(attack_input.rows), "records", 60, 60)


class ReturnsAMask(Found):
    def _find(self, attack_input):
        return super()._find(attack_input).exposed


class FirstRow(Found):
    def _find(self, attack_input):
        exposed = np.arange(attack_input.rows) == 0
        return AttackResult(exposed, "records", len(exposed), 1)


class CountsRows(Found):
    """Says that it counts persons, and finds rows that nobody shares."""

    counts_persons = True

    def _find(self, attack_input):
        rows = np.bincount(attack_input.labels)[attack_input.labels]
        return AttackResult(rows == 1, "records", len(rows), (rows == 1).sum())


class CannotCountAndDoes(Found):
    counts_persons = False

    def run_on(self, attack_input, *, show_values=False):
        return Homogeneity().run_on(attack_input)


BROKEN = [
    (NeedsWhatNobodyHas, "check_attributes", r"\['fingerprints'\]"),
    (NeedsInAList, "check_attributes", "a list"),
    (SaysNothing, "check_attributes", "meaning is a sentence"),
    (CapitalName, "check_attributes", "lower case with hyphens"),
    (Changeable, "check_is_frozen_value", "Changeable can be changed"),
    (MissesNothing, "check_what_it_needs", "sensitive is not missed"),
    (TellsACell, "check_report_is_plain", "no cell and no name"),
    (TellsNoPlainNumber, "check_report_is_plain", "int64 is not JSON"),
    (CountsTooMany, "check_report_is_plain", "exposed_units=61 of units=60"),
    (ShowsOneRecord, "check_values_are_shown_on_request", "1 rows"),
    (Mutates, "check_run_again", r"another \['release'\]"),
    (Draws, "check_run_again", "another report"),
    (ReturnsNumbers, "check_rows_are_exposed", "one boolean per row"),
    (ReturnsAMask, "check_rows_are_exposed", "a ndarray"),
    (FirstRow, "check_row_order_does_not_matter", "after a shuffle"),
    (CountsRows, "check_persons_are_counted", "a second row of the same persons"),
    (CannotCountAndDoes, "check_persons_are_counted", "Found: a report"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_attack_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(attack_checks(broken()))[check]()


def test_an_unknown_kind_is_refused():
    class OfNoKind(UniqueCombinations):
        kind = "tabel"

    with pytest.raises(ParameterError, match="did you mean 'table'"):
        check_attack(OfNoKind())

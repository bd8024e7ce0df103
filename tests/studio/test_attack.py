"""Attack: what intruders get, and how the release is changed so that they fail."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers import Classes
from anon_transformers.attacks import Attack, AttackResult
from anon_transformers.registry import registry
from anon_transformers.studio import _attacked

PEOPLE = """\
id,age,sex,disease
1,31,f,flu
2,32,m,flu
3,41,f,cold
4,42,m,flu
5,51,f,cold
6,52,m,ulcer
7,61,f,flu
8,62,m,cold
"""
RELEASE = {
    "roles": {
        "quasi_identifiers": ["age", "sex"],
        "sensitive": ["disease"],
        "identifiers": ["id"],
    },
    "hierarchies": {
        "age": {"kind": "intervals", "widths": [10, 20]},
        "sex": "../sex.csv",
    },
}


@pytest.fixture
def project(studio):
    project = studio.project(RELEASE, PEOPLE)
    (project.folder / "sex.csv").write_text("f;*\nm;*\n")
    return project


def page_of(project):
    return f"/p/{project.id}/attack/"


def post(studio, project, what, **form):
    here = page_of(project)
    return studio.post(f"{here}{what}", form, came_from=here)


def exposed(project):
    found = project.result("attack").found["attacks"]
    return {one["name"]: one["exposed"] for one in found}


def test_before_the_first_run_the_attacks_are_listed(studio, project):
    page = studio.get(page_of(project))
    studio.check_accessible(page)
    for name, cls in registry().attacks.items():
        assert (f"<td>{name}</td>" in page.text) == (cls.kind == "table")


def test_a_counter_makes_an_attack_fail(studio, project):
    page = post(studio, project, "run")
    studio.check_accessible(page)
    # The table was made for it.
    assert project.result("protect").current
    got = exposed(project)
    # Of four pairs, one has two with flu; nobody is alone.
    assert got["homogeneity"] == 2
    assert got["unique-combinations"] == 0
    assert got["linkage"] == 0
    shown = studio.text(page)
    assert "homogeneity: 2 of 8 records exposed" in shown
    assert "In the source, as it is 8 of 8 records" in shown
    assert "Ask for distinct-l-diversity with l = 2" in shown
    page = post(studio, project, "counter", attack="homogeneity")
    assert "Attack again to see what is left" in page.text
    assert {"model": "distinct-l-diversity", "l": 2} in project.content["thresholds"]
    assert "earlier state" in page.text
    assert "8 records were exposed" in studio.text(page)
    assert 'class="passed"' not in page.text and 'class="failed"' not in page.text
    post(studio, project, "run")
    assert exposed(project)["homogeneity"] == 0


def test_no_value_of_a_person_is_kept_or_shown(studio, project):
    page = post(studio, project, "run")
    main = page.text.partition("<main")[2].partition("<footer")[0]
    kept = (project.result("attack").folder / "found.json").read_text()
    for value in ("flu", "cold", "ulcer"):
        assert value not in main
        assert value not in kept


def test_what_is_not_run_says_why(studio, project):
    post(studio, project, "run")
    found = project.result("attack").found
    why = {one["name"]: one["why"] for one in found["not_run"]}
    assert why["tuple-order"] == (
        "needs a second release of the same persons; 'anon attack' takes it."
    )
    names = {one["name"] for one in found["attacks"]} | set(why)
    assert names == {n for n, cls in registry().attacks.items() if cls.kind == "table"}


def test_persons_are_counted_where_they_are_known(studio, project):
    def change(content):
        content["roles"]["subject"] = content["roles"].pop("identifiers")[0]

    project.edit("subject", change)
    page = post(studio, project, "run")
    found = project.result("attack").found
    assert found["counted"] == "persons"
    assert "persons exposed" in studio.text(page)
    assert exposed(project)["homogeneity"] == 2
    why = {one["name"]: one["why"] for one in found["not_run"]}
    assert "counts rows, not persons" in why["skewness"]


@dataclass(frozen=True)
class Quoting(Attack):
    """Find nothing, and say too much."""

    name: ClassVar[str] = "quoting"
    meaning: ClassVar[str] = "Nothing."
    remedy: ClassVar[str] = "<b>None</b>."

    def _find(self, attack_input):
        raise ValueError("the disease of 1 is flu")


@dataclass(frozen=True)
class Everybody(Attack):
    """Find everybody."""

    name: ClassVar[str] = "everybody"
    meaning: ClassVar[str] = "All."
    remedy: ClassVar[str] = "<b>None</b>."

    def _find(self, attack_input):
        n = attack_input.rows
        return AttackResult(np.ones(n, bool), "records", n, n)


def test_an_attack_of_a_plugin(studio, project, monkeypatch):
    catalog = registry().attacks
    monkeypatch.setattr(catalog, "_items", {"quoting": Quoting, "everybody": Everybody})
    monkeypatch.setattr(
        catalog, "_owners", dict.fromkeys(["quoting", "everybody"], "acme")
    )
    page = post(studio, project, "run")
    assert exposed(project) == {"everybody": 8}
    assert project.result("attack").found["not_run"] == [
        {"name": "quoting", "why": "it failed with ValueError."}
    ]
    assert "&lt;b&gt;None" in page.text
    assert "Thresholds</a>" in page.text
    page = post(studio, project, "counter", attack="everybody")
    assert "no threshold that counters" in page.text


@pytest.mark.parametrize(
    ("name", "thresholds", "wanted"),
    [
        ("linkage", [], {"model": "k-anonymity", "k": 5}),
        ("linkage", [{"model": "k-anonymity", "k": 2}],
         {"model": "k-anonymity", "k": 5}),
        ("record-intruder", [{"model": "k-anonymity", "k": 7}],
         {"model": "k-anonymity", "k": 14}),
        ("background-knowledge", [], {"model": "distinct-l-diversity", "l": 3}),
        ("homogeneity", [{"model": "distinct-l-diversity", "l": 4}],
         {"model": "distinct-l-diversity", "l": 5}),
        ("skewness", [], {"model": "t-closeness", "t": 0.29}),
        ("probabilistic-inference", [{"model": "k-anonymity", "k": 3}],
         {"model": "alpha-k-anonymity", "alpha": 0.79, "k": 3}),
        ("similarity", [{"model": "t-closeness", "t": 0.2}],
         {"model": "t-closeness", "t": 0.1}),
        ("tuple-order", [], None),
    ],
)  # fmt: skip
def test_what_counters_an_attack_is_harder_than_before(name, thresholds, wanted):
    assert _attacked.counter_of(name, {"thresholds": thresholds}) == wanted


@pytest.mark.parametrize(
    "name",
    [
        "unique-combinations",
        "homogeneity",
        "background-knowledge",
        "probabilistic-inference",
        "skewness",
    ],
)
def test_where_the_counter_holds_the_attack_finds_nobody(name):
    content = {"thresholds": [{"model": "k-anonymity", "k": 2}]}
    wanted = dict(_attacked.counter_of(name, content))
    if "t" in wanted:  # there is no other input than the table itself
        wanted["reference"] = "released"
    model = registry().privacy_models.build(wanted.pop("model"), wanted)
    rng, held, exposed = np.random.default_rng(0), 0, 0
    for _ in range(150):
        sizes = rng.integers(1, 9, 2)
        groups = np.repeat(["a", "b"], sizes)
        values = rng.choice(["x", "y", "z"], len(groups), p=[0.5, 0.3, 0.2])
        table = pd.DataFrame({"age": groups, "ill": values})
        got = (
            registry()
            .attacks[name]()
            .run(table, quasi_identifiers=["age"], sensitive=["ill"])
        )
        exposed += got.exposed > 0
        if model.satisfied(Classes.from_frame(table, ["age"], ["ill"])).all():
            held += 1
            assert got.exposed == 0
    assert held
    assert exposed


def test_no_l_is_larger_than_the_values_there_are():
    found = _attacked.counter_of("background-knowledge", {"thresholds": []}, 2)
    assert "has 2 different values" in found


def test_a_counter_changes_the_threshold_that_is_there():
    content = {"thresholds": [{"model": "t-closeness", "t": 0.4, "id": "mine"}]}
    _attacked.counter(content, {"model": "t-closeness", "t": 0.2})
    assert content["thresholds"] == [{"model": "t-closeness", "t": 0.2, "id": "mine"}]


def test_a_large_table_is_not_compared_record_by_record(studio, project, monkeypatch):
    monkeypatch.setattr(_attacked, "MOST_ROWS", 7)
    post(studio, project, "run")
    why = {o["name"]: o["why"] for o in project.result("attack").found["not_run"]}
    assert "one by one" in why["record-intruder"]
    assert "homogeneity" not in why


@pytest.mark.parametrize("name", ["tight-boxes", "downcoding"])
def test_attacks_on_the_method_are_countered_by_the_method(name):
    assert "choose boxes = cuts" in _attacked.counter_of(name, {})


def test_what_each_attack_needs_is_said_in_words():
    for cls in registry().attacks.values():
        if cls.kind == "table":
            assert set(cls.needs) <= set(_attacked.KNOWS)


class Meetings:
    """Read a graph, which no attack on tables is for."""

    kind = "graph"

    def __call__(self, path):
        raise AssertionError("nothing is read")


def test_a_graph_is_left_to_its_own_attacks(studio, registered):
    registered("readers", "meetings", Meetings())
    source = {"kind": "meetings", "path": "../data/club"}
    project = studio.project({"roles": {"identifiers": ["one"]}, "source": source})
    assert "anon graph attack" in studio.text(post(studio, project, "run"))

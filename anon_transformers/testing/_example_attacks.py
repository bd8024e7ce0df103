"""What an attack is tried on: tables or graphs, and all that an intruder may hold."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.attacks import AttackInput, GraphAttackInput
from anon_transformers.base import GraphAnonymizer, range_label
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.testing._example_graphs import friends

N_PERSONS = 60
SECRET = "secret-"
"""How every text of a sensitive column, and every name, of the tables begins."""
PLACES = {"north": ["1010", "1020", "1030"], "south": ["2010", "2020", "2030"]}
ALIGNED = ("release", "original", "other")
"""Tables whose row i is the same person's."""


def attack_tables(times: int = 1) -> dict[str, Any]:
    """The parameters of an :class:`AttackInput`, with a person in ``times`` rows."""
    rng = np.random.default_rng(11)
    codes = [code for group in PLACES.values() for code in group]
    original, control = (
        pd.DataFrame(
            {
                "age": rng.integers(20, 80, N_PERSONS),
                "zip": rng.choice(codes, N_PERSONS),
                "ill": [f"{SECRET}{at}" for at in rng.integers(0, 4, N_PERSONS)],
                "pay": rng.choice([1000.0, 1010.0, 2500.0, 9000.0], N_PERSONS),
            }
        )
        for _ in range(2)
    )
    region = {code: name for name, group in PLACES.items() for code in group}
    release = original.assign(
        age=_ranges(original["age"], 5), zip=original["zip"].map(region)
    )
    release.loc[:2, ["age", "zip"]] = SUPPRESSED
    names = [f"{SECRET}person-{at}" for at in range(N_PERSONS)]
    external = original[["age", "zip"]].assign(name=names).iloc[::2]
    tables = {
        "release": release,
        "original": original,
        "other": original.assign(age=_ranges(original["age"], 30)),
    }
    rows = np.tile(np.arange(N_PERSONS), times)
    return {
        **{name: table.iloc[rows] for name, table in tables.items()},
        "external": external,
        "control": control,
        "quasi_identifiers": ["age", "zip"],
        "sensitive": ["ill", "pay"],
        "hierarchies": {"zip": Hierarchy.from_groups(PLACES)},
    }


def _ranges(ages: pd.Series, width: int) -> pd.Series:
    starts = ages // width * width
    return starts.map(lambda low: range_label(str(low), str(low + width - 1)))


def counted_persons(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The same tables with a column that tells their persons apart."""
    persons = np.arange(len(tables["release"])) % N_PERSONS
    with_persons = {
        name: tables[name].assign(person=persons) for name in ALIGNED if name in tables
    }
    if "control" in tables:  # others, of whom each has one row
        others = N_PERSONS + np.arange(len(tables["control"]))
        with_persons["control"] = tables["control"].assign(person=others)
    return {**tables, **with_persons, "subject": "person"}


def shuffled(tables: Mapping[str, Any], order: np.ndarray) -> dict[str, Any]:
    """The same tables with rows in another order; a person keeps one place in all."""
    moved = {name: tables[name].iloc[order] for name in ALIGNED if name in tables}
    return {**tables, **moved}


class Unchanged(GraphAnonymizer):
    """Publishes a graph under new names, and changes nothing else."""

    def _alter(self, graph: Graph, rng: np.random.Generator) -> Graph:
        return graph


def graph_holdings() -> dict[str, Any]:
    """The parameters of a :class:`GraphAttackInput`."""
    table = friends()
    partly = table.iloc[: len(table) * 3 // 4]
    names = open_graph(partly)[1].names.tolist()
    return {
        "published": table,
        "original": table.sample(frac=1, random_state=0, ignore_index=True),
        "auxiliary": partly,
        "seeds": {name: name for name in names[:6]},
        "method": Unchanged(),
    }


def with_fixed_chance(attack: Any) -> Any:
    """The attack with a seed, if it takes one."""
    takes = {field.name for field in fields(attack)}
    return replace(attack, random_state=0) if "random_state" in takes else attack


INPUTS: dict[str, Any] = {
    "graph": (GraphAttackInput, graph_holdings),
    "table": (AttackInput, attack_tables),
}
"""By kind of attack, what it is run on, and what that is made of."""


def inputs_of(attack: Any) -> tuple[Any, Any]:
    """What an attack is run on, and what makes it: its own tables, or the common."""
    make, given = INPUTS[attack.kind]
    return make, getattr(attack, "test_tables", given)


def without(attack: Any, name: str) -> Any:
    """An input that holds everything but one; a column is no sensitive one then."""
    make, given = inputs_of(attack)
    held = given()
    del held[name]
    return make(**held)

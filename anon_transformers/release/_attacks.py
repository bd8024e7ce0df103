"""What intruders get of a table: counts of records, and never a record."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from anon_transformers.attacks import AttackInput
from anon_transformers.evidence import Classes
from anon_transformers.registry import registry
from anon_transformers.release._declared_roles import DeclaredRoles

EVERYBODYS = {"release", "sensitive"}
"""What whoever reads the published table can use."""


def attack_numbers(
    table: pd.DataFrame, classes: Classes, roles: DeclaredRoles, suppression_label: str
) -> dict[str, Any]:
    """What each attack gets that needs nothing but the published table.

    They count rows: where persons are what is counted, nothing is told.
    """
    if roles.subject is not None:
        return {}
    held = AttackInput(
        table,
        list(roles.quasi_identifiers),
        list(roles.sensitive),
        suppression_label=suppression_label,
    )
    vars(held)["classes"] = classes  # they are made once for all numbers
    return {"attacks": run_attacks(held, EVERYBODYS)}


def run_attacks(held: AttackInput, allowed: set[str]) -> dict[str, dict[str, Any]]:
    """Run every registered attack that needs no more than it may use.

    Returns
    -------
    dict of str to dict
        By name: ``exposed`` of ``rows`` records, in ``exposed_units`` of ``units`` of
        a ``unit``. One that cannot be run of this table is left out.
    """
    found = {}
    for name, attack in registry().attacks.items():
        if attack.kind != "table" or not set(attack.needs) <= allowed:
            continue
        try:
            report = attack().run_on(held)
        except Exception:  # a stranger's attack may raise anything, and quote a cell
            continue
        shown = ("exposed", "rows", "exposed_units", "units", "unit")
        found[name] = {key: getattr(report, key) for key in shown}
    return found


def attack_rows(attacks: Mapping[str, Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Counts of attacks as lines of a table, with what it means and what resists."""
    known = registry().attacks
    return [
        (
            name,
            found["exposed"],
            found["exposed"] / max(found["rows"], 1),
            f"{found['exposed_units']:,} of {found['units']:,} {found['unit']}",
            known[name].meaning if name in known else "",
            known[name].remedy if name in known and found["exposed"] else "",
        )
        for name, found in attacks.items()
    ]


ATTACK_COLUMNS = (
    "Attack", "Exposed", "Share", "Found in", "What it means", "What resists",
)  # fmt: skip

"""The contract of attacks."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.attacks import AttackInput, AttackReport, AttackResult
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice
from anon_transformers.testing._contract import (
    Check,
    bind,
    check_is_frozen_value,
    instances_of,
    require,
    require_legal_name,
    run,
)
from anon_transformers.testing._example_attacks import (
    SECRET,
    attack_tables,
    counted_persons,
    inputs_of,
    shuffled,
    with_fixed_chance,
    without,
)
from anon_transformers.testing._example_graphs import NAME


def attack_checks(attack: Any) -> Iterator[Check]:
    """Yield the contract checks of an attack, by name.

    Parameters
    ----------
    attack : attack instance or class
        A class is checked on its ``test_instances()``, or else on its default.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    for instance in instances_of(attack, or_default=True):
        kind = getattr(instance, "kind", None)
        if kind not in CHECKS_BY_KIND:
            raise ParameterError(
                f"{type(instance).__name__}.kind: "
                + unknown_choice("kind of attack", kind, CHECKS_BY_KIND)
            )
        yield from bind(attack, [instance], lambda one: CHECKS_BY_KIND[one.kind])


def check_attack(attack: Any, *, verbose: bool = False) -> None:
    """Check an attack against the contract.

    Parameters
    ----------
    attack : attack instance or class
        A class is checked on its ``test_instances()``, or else on its default. It is
        run on a table of 60 persons or on a graph of 60 nodes, with everything that
        an intruder may hold. A class that this table tells nothing of has a static
        method ``test_tables()`` that returns parameters of an ``AttackInput``; its
        sensitive cells and names begin with ``secret-``.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.attacks import UniqueCombinations
    >>> from anon_transformers.testing import check_attack
    >>> check_attack(UniqueCombinations)
    """
    run(attack, attack_checks(attack), verbose=verbose)


def check_attributes(attack: Any) -> None:
    """What commands and reports read."""
    require_legal_name("attack", attack)
    legal = {field.name for field in fields(inputs_of(attack)[0])}
    sentence = f"needs is a tuple of inputs: {', '.join(sorted(legal))}."
    needs = attack.needs
    require(isinstance(needs, tuple), sentence, f"a {type(needs).__name__}")
    strange = [need for need in needs if need not in legal]
    require(not strange, sentence, repr(strange))
    for name in ("meaning", "remedy"):
        text = getattr(attack, name, None)
        require(
            isinstance(text, str) and text.endswith("."),
            f"{name} is a sentence.",
            repr(text),
        )


def check_what_it_needs(attack: Any) -> None:
    """An input that is not there is told, and nothing is reported without it."""
    sentence = "An attack that lacks an input says which: run_on raises NotEvaluable."
    attacked = fields(inputs_of(attack)[0])[0].name
    for name in (need for need in attack.needs if need != attacked):
        held = without(attack, name)
        require(name in attack.lacks(held), sentence, f"{name} is not missed")
        try:
            attack.run_on(held)
        except NotEvaluable:
            continue
        raise AssertionError(f"{sentence} Found: a report without {name}.")


def check_report_is_plain(attack: Any) -> None:
    """Numbers that can be written to a file, and no cell or name."""
    report = _report(attack)
    sentence = "A report holds plain numbers and words."
    try:
        text = json.dumps(report.to_dict())
    except TypeError as error:
        raise AssertionError(f"{sentence} Found: {error}.") from None
    shown = re.search(rf"{SECRET}|{NAME}\d", text + repr(report))
    require(shown is None, "A report shows no cell and no name.", "one of them")
    sentence = "A report counts: exposed up to rows, exposed_units up to units."
    for low, high in (("exposed", "rows"), ("exposed_units", "units")):
        few, many = getattr(report, low), getattr(report, high)
        require(0 <= few <= many, sentence, f"{low}={few} of {high}={many}")
    require(
        report.attack == attack.name, "A report bears the name.", repr(report.attack)
    )


def check_values_are_shown_on_request(attack: Any) -> None:
    """Who is exposed is told to those only who ask for it."""
    sentence = "Exposed records are shown with show_values=True only."
    require(_report(attack).exposed_records is None, sentence, "records unasked")
    make, given = inputs_of(attack)
    shown = with_fixed_chance(attack).run_on(make(**given()), show_values=True)
    records = shown.exposed_records
    require(isinstance(records, pd.DataFrame), sentence, f"{type(records).__name__}")
    require(len(records) == shown.exposed, sentence, f"{len(records)} rows")


def check_run_again(attack: Any) -> None:
    """The same input has the same report; it is left as it is."""
    make, given = inputs_of(attack)
    held, kept = given(), given()
    fixed, shared = with_fixed_chance(attack), make(**held)
    one, other = fixed.run_on(shared), fixed.run_on(shared)
    require(one == other, "The same input has the same report.", "another report")
    changed = [
        name
        for name, table in kept.items()
        if isinstance(table, pd.DataFrame) and not table.equals(held[name])
    ]
    require(not changed, "An attack leaves its input as it is.", f"another {changed}")


def check_rows_are_exposed(attack: Any) -> None:
    """``_find`` says of each row of the release whether it is exposed."""
    tables = inputs_of(attack)[1]()
    found = attack._find(AttackInput(**tables))
    sentence = "_find returns an AttackResult with one boolean per row of the release."
    require(isinstance(found, AttackResult), sentence, f"a {type(found).__name__}")
    exposed, n_rows = found.exposed, len(tables["release"])
    require(
        isinstance(exposed, np.ndarray)
        and exposed.dtype == bool
        and exposed.shape == (n_rows,),
        sentence,
        f"{type(exposed).__name__} {np.shape(exposed)} for {n_rows} rows",
    )


def check_row_order_does_not_matter(attack: Any) -> None:
    """Rows have no order but that of the tables beside them."""
    tables = inputs_of(attack)[1]()
    order = np.random.default_rng(1).permutation(len(tables["release"]))
    before = attack._find(AttackInput(**tables)).exposed
    after = attack._find(AttackInput(**shuffled(tables, order))).exposed
    require(
        np.array_equal(before[order], after),
        "The order of the rows does not matter.",
        "other rows that are exposed after a shuffle",
    )


def check_persons_are_counted(attack: Any) -> None:
    """Persons are counted where a subject tells them apart, or the attack refuses."""
    require(
        isinstance(attack.counts_persons, bool),
        "counts_persons says whether an attack can count persons.",
        repr(attack.counts_persons),
    )
    once, twice = (counted_persons(attack_tables(times)) for times in (1, 2))
    if not attack.counts_persons:
        try:
            attack.run_on(AttackInput(**once))
        except NotEvaluable:
            return
        raise AssertionError(
            "An attack that cannot count persons raises NotEvaluable where there is a "
            "subject. Found: a report."
        )
    single = attack._find(AttackInput(**once)).exposed
    try:
        double = attack._find(AttackInput(**twice)).exposed
    except NotEvaluable:  # persons of several rows are more than it can count
        return
    require(
        np.array_equal(np.tile(single, 2), double),
        "Persons are counted where a subject tells them apart: a second row of the "
        "same persons changes nothing.",
        "other rows that are exposed",
    )


def _report(attack: Any) -> AttackReport:
    make, given = inputs_of(attack)
    return with_fixed_chance(attack).run_on(make(**given()))


_OF_ALL: tuple[Callable[[Any], None], ...] = (
    check_is_frozen_value,
    check_attributes,
    check_what_it_needs,
    check_report_is_plain,
    check_values_are_shown_on_request,
    check_run_again,
)
CHECKS_BY_KIND: dict[str, tuple[Callable[[Any], None], ...]] = {
    "graph": _OF_ALL,
    "table": (
        *_OF_ALL,
        check_rows_are_exposed,
        check_row_order_does_not_matter,
        check_persons_are_counted,
    ),
}

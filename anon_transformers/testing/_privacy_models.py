"""The contract of privacy models."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice
from anon_transformers.privacy import judge
from anon_transformers.privacy._judge import answers
from anon_transformers.testing._contract import (
    Check,
    bind,
    check_is_frozen_value,
    instances_of,
    require,
    require_legal_name,
    run,
)
from anon_transformers.testing._example_evidence import (
    EVIDENCE,
    N_TRIALS,
    empty,
    fingerprint,
    n_units,
    reordered,
    same_persons,
    spelled_classes,
    trials,
)

MERGING = ("any", "satisfying", "none")
BETTER = ("higher", "lower")
N_MERGES = 300
FEWEST_MERGES = 20
"""With fewer merges of satisfying classes the flag was not really tried."""


def privacy_model_checks(model: Any) -> Iterator[Check]:
    """Yield the contract checks of a privacy model, by name.

    Parameters
    ----------
    model : privacy model instance or class
        A class is checked on its ``test_instances()``.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.

    Examples
    --------
    >>> from anon_transformers import KAnonymity
    >>> [name for name, check in privacy_model_checks(KAnonymity(k=2))][:2]
    ['check_is_frozen_value', 'check_attributes']
    """
    for instance in instances_of(model):
        kind = getattr(instance, "evidence", None)
        if kind not in EVIDENCE:
            raise ParameterError(
                f"{type(instance).__name__}.evidence: "
                + unknown_choice("kind of evidence", kind, EVIDENCE)
            )
        yield from bind(model, [instance], _checks)


def check_privacy_model(model: Any, *, verbose: bool = False) -> None:
    """Check a privacy model against the contract.

    Parameters
    ----------
    model : privacy model instance or class
        A class is checked on its ``test_instances()``.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers import KAnonymity
    >>> from anon_transformers.testing import check_privacy_model
    >>> check_privacy_model(KAnonymity)
    """
    run(model, privacy_model_checks(model), verbose=verbose)


def check_attributes(model: Any) -> None:
    """The class attributes that searches, gates and reports read."""
    require_legal_name("privacy model", model)
    require(model.better in BETTER, f"better is one of {BETTER}.", repr(model.better))
    require(
        model.merging in MERGING, f"merging is one of {MERGING}.", repr(model.merging)
    )
    sentence = "tighter says for each threshold which way asks for more."
    tighter = getattr(model, "tighter", None)
    require(isinstance(tighter, Mapping), sentence, repr(tighter))
    names = {field.name for field in fields(model)}
    strange = [key for key in model.tighter if key not in names]
    require(not strange, sentence, f"{strange}, which are no parameters")
    illegal = [key for key, way in model.tighter.items() if way not in BETTER]
    require(not illegal, sentence, f"{illegal} with another word than {BETTER}")


def check_answers_are_plain(model: Any) -> None:
    """One boolean per unit, and a level that can be written to a file."""
    for evidence in trials(model, count=40):
        satisfied, units = model.satisfied(evidence), n_units(evidence)
        require(
            isinstance(satisfied, np.ndarray)
            and satisfied.dtype == bool
            and satisfied.shape in {(1,), *((n,) for n in units)},
            "satisfied() gives a boolean array: one per class, or one for the table.",
            f"{type(satisfied).__name__} {np.shape(satisfied)} for {units} classes",
        )
        level = model.level(evidence)
        require(
            type(level) in {int, float} and not math.isnan(level),
            "level() gives a plain number, int or float.",
            f"{type(level).__module__}.{type(level).__name__}",
        )


def check_evidence_is_not_mutated(model: Any) -> None:
    """Others judge the same evidence."""
    for evidence in trials(model, count=40):
        before = fingerprint(evidence)
        model.satisfied(evidence)
        model.level(evidence)
        require(
            fingerprint(evidence) == before,
            "A model leaves the evidence as it is.",
            "other counts after judging",
        )


def check_nothing_to_judge_fails(model: Any) -> None:
    """An empty table, or one without the column that is judged, does not pass."""
    sentence = "What cannot be evaluated fails: judge() raises NotEvaluable."
    cases = {"an empty table": empty(model)}
    if any(field.name == "sensitive" for field in fields(model)):
        bare = next(trials(model))
        cases["a table without sensitive columns"] = replace(bare, sensitive={})
    for case, evidence in cases.items():
        try:
            verdict = judge(model, evidence)
        except NotEvaluable:
            continue
        raise AssertionError(f"{sentence} Found: {case} with passed={verdict.passed}.")


def check_class_order_does_not_matter(model: Any) -> None:
    """Classes have no order."""
    rng = np.random.default_rng(1)
    sentence = "The order of the classes does not matter."
    for evidence in trials(model, seed=1, count=40):
        before, level = model.satisfied(evidence), model.level(evidence)
        for n in n_units(evidence):
            order = rng.permutation(n)
            moved = reordered(evidence, order)
            after = model.satisfied(moved)
            same = after[order] if len(before) == len(order) else after
            require(
                np.array_equal(same, before), sentence, "another verdict on some class"
            )
            near = math.isclose(level, model.level(moved), rel_tol=1e-9, abs_tol=1e-12)
            require(near, sentence, "another level")


def check_persons_are_counted(model: Any) -> None:
    """Where persons have several rows, persons are counted, and no rows."""
    if model.evidence != "classes":
        return
    rng = np.random.default_rng(5)
    sensitive = getattr(model, "sensitive", None)
    sentence = (
        "Persons are counted where a subject tells them apart (Classes.sizes, and "
        "counts of values): more rows of the same persons change nothing."
    )
    for _ in range(N_TRIALS // 2):
        once, repeated = same_persons(rng, "salary" if sensitive is None else sensitive)
        same = np.array_equal(model.satisfied(once), model.satisfied(repeated))
        require(same, sentence, "another verdict on some class")
        levels = model.level(once), model.level(repeated)
        near = math.isclose(*levels, rel_tol=1e-9, abs_tol=1e-12)
        require(near, sentence, "another level")


def check_values_are_judged_as_read(model: Any) -> None:
    """Spellings of one value are one value; a release asks about both."""
    if model.evidence != "classes":
        return
    sensitive = getattr(model, "sensitive", None)
    rng = np.random.default_rng(6)
    for _ in range(N_TRIALS // 2):
        spelled = spelled_classes(rng, "illness" if sensitive is None else sensitive)
        read = spelled.as_read()
        try:
            both, alone = answers(model, spelled), model.satisfied(read)
        except NotEvaluable:
            return  # a model of numbers, or of a reference that is not there
        require(
            not (both & ~alone).any(),
            "Values are judged as they are and as people read them (HIV, hiv), and the "
            "worse counts; a class that says judges_readings = True does so itself.",
            "a class that passes with several spellings of a value, and fails with one",
        )


def check_merging_flag(model: Any) -> None:
    """Searches prune by this flag; try it on many random merges."""
    if model.merging == "none" or model.evidence != "classes":
        return
    rng = np.random.default_rng(2)
    tried = 0
    for evidence in trials(model, seed=2, count=N_MERGES):
        n_merged = int(rng.integers(1, evidence.n_classes))
        into = rng.permutation(np.arange(evidence.n_classes) % n_merged)
        expected = _must_satisfy(model, evidence, into, n_merged)
        merged = model.satisfied(evidence.merge(into, n_merged))
        tried += int(expected.sum())
        broken = int((expected & ~merged).sum())
        require(not broken, _MERGING_SENTENCES[model.merging], f"{broken} that do not")
    require(
        tried >= FEWEST_MERGES,
        "test_instances() have parameters easy enough to try the merging flag.",
        f"{tried} merges of satisfying classes in {N_MERGES} tables; ask for less",
    )


def check_tighter_parameters_ask_for_more(model: Any) -> None:
    """A tighter model accepts nothing that the looser one refuses."""
    for name, way in model.tighter.items():
        for tight in _tightened(model, name, way):
            for evidence in trials(model, seed=3, count=60):
                accepted = tight.satisfied(evidence) & ~model.satisfied(evidence)
                require(
                    not accepted.any(),
                    "tighter says which way a threshold asks for more.",
                    f"{tight!r} accepts what {model!r} refuses",
                )


def check_level_agrees_with_verdict(model: Any) -> None:
    """What passes has a better level than what fails, if one threshold decides."""
    if len(model.tighter) != 1:
        return
    levels: dict[bool, list[float]] = {True: [], False: []}
    for evidence in trials(model, seed=4):
        verdict = judge(model, evidence)
        levels[verdict.passed].append(verdict.level)
    if not (levels[True] and levels[False]):
        return
    higher = model.better == "higher"
    worst_passing = min(levels[True]) if higher else max(levels[True])
    best_failing = max(levels[False]) if higher else min(levels[False])
    apart = worst_passing > best_failing if higher else worst_passing < best_failing
    require(
        apart,
        f"better={model.better!r}: what passes has a {model.better} level than what "
        "fails.",
        f"level {worst_passing} passes and level {best_failing} fails",
    )


_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_is_frozen_value,
    check_attributes,
    check_answers_are_plain,
    check_evidence_is_not_mutated,
    check_nothing_to_judge_fails,
    check_class_order_does_not_matter,
    check_persons_are_counted,
    check_values_are_judged_as_read,
    check_merging_flag,
    check_tighter_parameters_ask_for_more,
    check_level_agrees_with_verdict,
)

_MERGING_SENTENCES = {
    "any": 'merging="any": a satisfying class stays so whatever joins it.',
    "satisfying": 'merging="satisfying": the union of satisfying classes satisfies.',
}


def _checks(model: Any) -> tuple[Callable[[Any], None], ...]:
    return _CHECKS


def _must_satisfy(
    model: Any, evidence: Classes, into: np.ndarray, n_merged: int
) -> np.ndarray:
    """Which merged units satisfy the model if its flag is true."""
    satisfied = model.satisfied(evidence)
    if len(satisfied) != evidence.n_classes:
        return satisfied  # one verdict for the whole table, before and after
    n_joined = np.bincount(into, minlength=n_merged)
    n_satisfying = np.bincount(into[satisfied], minlength=n_merged)
    if model.merging == "any":
        return (n_satisfying >= 1) & (n_joined > 1)
    return (n_satisfying == n_joined) & (n_joined > 1)


def _tightened(model: Any, name: str, way: str) -> Iterator[Any]:
    """The model with a tighter threshold, as far as its constructor allows."""
    value = getattr(model, name)
    if not isinstance(value, int | float):
        return
    steps = (value + 1, value * 2, value + 0.1)
    if way == "lower":
        steps = (value - 1, value / 2, value - 0.1)
    for step in steps:
        moved = step > value if way == "higher" else step < value
        try:
            tight = replace(model, **{name: step}) if moved else None
        except (TypeError, ValueError):
            continue  # not a legal value of this threshold
        if tight is not None:
            yield tight

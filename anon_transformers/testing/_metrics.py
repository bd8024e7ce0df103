"""The contract of metrics."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice
from anon_transformers.metrics import measure
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
    empty_classes,
    empty_linkage,
    fingerprint,
    same_persons,
    trials,
)
from anon_transformers.testing._example_graphs import empty_graph


def metric_checks(metric: Any) -> Iterator[Check]:
    """Yield the contract checks of a metric, by name.

    Parameters
    ----------
    metric : metric instance or class
        A class is checked on its ``test_instances()``, or else on its default.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    for instance in instances_of(metric, or_default=True):
        kind = getattr(instance, "evidence", None)
        if kind not in EVIDENCE:
            raise ParameterError(
                f"{type(instance).__name__}.evidence: "
                + unknown_choice("kind of evidence", kind, EVIDENCE)
            )
        yield from bind(metric, [instance], _checks)


def check_metric(metric: Any, *, verbose: bool = False) -> None:
    """Check a metric against the contract.

    Parameters
    ----------
    metric : metric instance or class
        A class is checked on its ``test_instances()``, or else on its default.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.metrics import AverageRisk
    >>> from anon_transformers.testing import check_metric
    >>> check_metric(AverageRisk)
    """
    run(metric, metric_checks(metric), verbose=verbose)


def check_attributes(metric: Any) -> None:
    """The class attributes that gates and reports read."""
    require_legal_name("metric", metric)
    legal = ("higher", "lower")
    require(metric.better in legal, f"better is one of {legal}.", repr(metric.better))


def check_number_is_plain(metric: Any) -> None:
    """A number that can be written to a file, and evidence left as it is."""
    # What compares two tables may fit a classifier to each.
    count = N_TRIALS // 20 if metric.evidence in {"linkage", "graph"} else N_TRIALS
    n_measured = 0
    for evidence in trials(metric, count=count):
        before = fingerprint(evidence)
        try:
            value = metric.measure(evidence)
        except NotEvaluable:
            continue  # a number that is not defined for all, as the diameter
        n_measured += 1
        require(
            type(value) in {int, float} and math.isfinite(value),
            "measure() gives a plain finite number, int or float.",
            f"{type(value).__module__}.{type(value).__name__}",
        )
        require(
            fingerprint(evidence) == before,
            "A metric leaves the evidence as it is.",
            "other counts after measuring",
        )
    require(n_measured, "A metric measures something.", f"nothing in {count} trials")


def check_nothing_to_measure_fails(metric: Any) -> None:
    """An empty table has no number."""
    empty = {
        "classes": empty_classes,
        "graph": empty_graph,
        "linkage": empty_linkage,
    }
    if metric.evidence not in empty:
        return
    try:
        value = measure(metric, empty[metric.evidence]())
    except NotEvaluable:
        return
    raise AssertionError(
        f"What cannot be evaluated raises NotEvaluable. Found: {value} for an empty "
        "table."
    )


def check_class_order_does_not_matter(metric: Any) -> None:
    """Classes have no order."""
    rng = np.random.default_rng(1)
    for evidence in trials(metric, seed=1, count=40):
        if not isinstance(evidence, Classes):
            return
        order = rng.permutation(evidence.n_classes)
        moved = evidence.merge(order, evidence.n_classes)
        one, other = metric.measure(evidence), metric.measure(moved)
        require(
            math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12),
            "The order of the classes does not matter.",
            "another number",
        )


def check_persons_are_counted(metric: Any) -> None:
    """Where persons have several rows, persons are counted, and no rows."""
    if metric.evidence != "classes" or getattr(metric, "counts_rows", False) is True:
        return
    rng = np.random.default_rng(5)
    sensitive = getattr(metric, "sensitive", None)
    for _ in range(N_TRIALS // 2):
        pair = same_persons(rng, "salary" if sensitive is None else sensitive)
        try:
            one, other = (metric.measure(evidence) for evidence in pair)
        except NotEvaluable:
            continue
        require(
            math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12),
            "Persons are counted where a subject tells them apart (Classes.sizes): "
            "more rows of the same persons change nothing. A metric that is of rows "
            "says counts_rows = True.",
            "another number",
        )


def _checks(metric: Any) -> tuple[Callable[[Any], None], ...]:
    return (
        check_is_frozen_value,
        check_attributes,
        check_number_is_plain,
        check_nothing_to_measure_fails,
        check_class_order_does_not_matter,
        check_persons_are_counted,
    )

"""The contract of anonymizers, by their kind."""

from collections.abc import Callable, Iterator
from typing import Any

from anon_transformers.exceptions import ParameterError, unknown_choice
from anon_transformers.testing import (
    _behaviour_checks,
    _graph_checks,
    _linked_checks,
    _output_checks,
    _promise_checks,
    _refusal_checks,
    _tie_checks,
)
from anon_transformers.testing._contract import Check, bind, instances_of, run


def _table_checks(estimator: Any) -> tuple[Callable[[Any], None], ...]:
    return (
        *_behaviour_checks.CHECKS,
        *_output_checks.CHECKS,
        *_promise_checks.CHECKS,
        *_refusal_checks.CHECKS,
        *_tie_checks.CHECKS,
    )


CHECKS_BY_KIND: dict[str, Callable[[Any], tuple[Callable[[Any], None], ...]]] = {
    "graph": _graph_checks.checks,
    "linked": _linked_checks.checks,
    "table": _table_checks,
}
"""A new kind of anonymizer brings its checks by one entry here."""


def anonymizer_checks(estimator: Any) -> Iterator[Check]:
    """Yield the contract checks of an anonymizer, by name.

    Parameters
    ----------
    estimator : anonymizer instance or class
        A class is checked on its ``test_instances()``.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.

    Examples
    --------
    >>> from anon_transformers import MondrianAnonymizer
    >>> name, check = next(anonymizer_checks(MondrianAnonymizer(k=2)))
    >>> name
    'check_constructor'
    >>> check()
    """
    for instance in instances_of(estimator):
        kind = getattr(instance, "kind", None)
        if kind not in CHECKS_BY_KIND:
            raise ParameterError(
                f"{type(instance).__name__}.kind: "
                + unknown_choice("kind of anonymizer", kind, CHECKS_BY_KIND)
            )
        yield from bind(estimator, [instance], CHECKS_BY_KIND[kind])


def check_anonymizer(estimator: Any) -> None:
    """Check an anonymizer against the contract.

    Parameters
    ----------
    estimator : anonymizer instance or class
        A class is checked on its ``test_instances()``. The checks declare their own
        columns in tables of 120 rows; the sensitive one holds the numbers 1750, 2250,
        3125 and 4875. The instance decides the rest, such as ``k`` and ``models``.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers import MondrianAnonymizer
    >>> from anon_transformers.testing import check_anonymizer
    >>> check_anonymizer(MondrianAnonymizer(k=3))
    """
    run(estimator, anonymizer_checks(estimator))

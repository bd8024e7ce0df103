"""The contract of anonymizers, by their kind."""

from collections.abc import Callable, Iterator
from typing import Any

from sklearn.utils import get_tags

from anon_transformers.exceptions import ParameterError
from anon_transformers.registry import unjudged
from anon_transformers.testing import (
    _behavior_checks,
    _graph_checks,
    _linked_checks,
    _output_checks,
    _promise_checks,
    _refusal_checks,
    _tie_checks,
)
from anon_transformers.testing._contract import Check, bind, instances_of, run

_SUBTRACTS = "the check subtracts published values, and these are texts"
_SUBTRACTING_CHECKS = (
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
)


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Name the checks of scikit-learn that must fail, with the reason.

    An anonymizer that publishes numbers is excused from none. One that publishes texts
    says so by the tag ``transformer_tags.preserves_dtype = []`` and is excused from
    those that subtract what was published; :func:`check_anonymizer` checks the same
    properties on texts.

    Parameters
    ----------
    estimator : anonymizer
        As configured.

    Returns
    -------
    dict of str to str
        For ``parametrize_with_checks(..., expected_failed_checks=...)``.

    Examples
    --------
    >>> from anon_transformers import MondrianAnonymizer
    >>> expected_failed_checks(MondrianAnonymizer(output="center"))
    {}
    >>> len(expected_failed_checks(MondrianAnonymizer(output="interval")))
    7
    """
    tags = get_tags(estimator).transformer_tags
    if tags is not None and tags.preserves_dtype:
        return {}
    return dict.fromkeys(_SUBTRACTING_CHECKS, _SUBTRACTS)


def _table_checks(estimator: Any) -> tuple[Callable[[Any], None], ...]:
    return (
        *_behavior_checks.CHECKS,
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
"""A new kind of anonymizer brings its checks by one entry here, one per kind."""


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
        reason = unjudged(instance)
        if reason is not None:
            raise ParameterError(
                f"{type(instance).__name__}: {reason}. The checks of scikit-learn "
                "apply to it, and no others."
            )
        yield from bind(estimator, [instance], CHECKS_BY_KIND[instance.kind])


def check_anonymizer(estimator: Any, *, verbose: bool = False) -> None:
    """Check an anonymizer against the contract.

    Parameters
    ----------
    estimator : anonymizer instance or class
        A class is checked on its ``test_instances()``. The checks declare their own
        columns in tables of 120 rows; the sensitive one holds the numbers 1750, 2250,
        3125 and 4875. The instance decides the rest, such as ``k`` and ``models``.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

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
    run(estimator, anonymizer_checks(estimator), verbose=verbose)

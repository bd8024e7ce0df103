"""Which of scikit-learn's own checks an anonymizer is excused from."""

from typing import Any

from sklearn.utils import get_tags

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

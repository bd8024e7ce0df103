"""Contract checks that plugin authors run on their own classes.

Each ``check_…`` runs every check on an instance, or on the ``test_instances()`` of a
class, and raises one ``AssertionError`` that says which sentences of the contract are
broken. Each ``…_checks`` yields ``(name, check)`` instead, for
``pytest.mark.parametrize``.
"""

from anon_transformers._lazy import lazy_names

__all__ = [
    "anonymizer_checks",
    "check_anonymizer",
    "check_metric",
    "check_privacy_model",
    "expected_failed_checks",
    "metric_checks",
    "privacy_model_checks",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "anonymizer_checks": "anon_transformers.testing._anonymizers",
        "check_anonymizer": "anon_transformers.testing._anonymizers",
        "check_metric": "anon_transformers.testing._metrics",
        "check_privacy_model": "anon_transformers.testing._privacy_models",
        "expected_failed_checks": "anon_transformers.testing._scikit_learn",
        "metric_checks": "anon_transformers.testing._metrics",
        "privacy_model_checks": "anon_transformers.testing._privacy_models",
    },
)

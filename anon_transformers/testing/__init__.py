"""Contract checks that plugin authors run on their own classes.

Each ``check_…`` runs every check on an instance, or on the ``test_instances()`` of a
class, and raises one ``AssertionError`` that says which sentences of the contract are
broken. Each ``…_checks`` yields ``(name, check)`` instead, for
``pytest.mark.parametrize``.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.testing._anonymizers import (
        anonymizer_checks,
        check_anonymizer,
        expected_failed_checks,
    )
    from anon_transformers.testing._metrics import check_metric, metric_checks
    from anon_transformers.testing._privacy_models import (
        check_privacy_model,
        privacy_model_checks,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "anonymizer_checks",
    "check_anonymizer",
    "check_metric",
    "check_privacy_model",
    "expected_failed_checks",
    "metric_checks",
    "privacy_model_checks",
]

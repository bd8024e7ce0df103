"""Contract checks that plugin authors run on what they offer.

Each ``check_…`` runs every check on an instance, or on the ``test_instances()`` of a
class, and raises one ``AssertionError`` that says which sentences of the contract are
broken; with ``verbose=True`` it says how far it is. Each ``…_checks`` yields
``(name, check)`` instead, for ``pytest.mark.parametrize``.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.testing._anonymizers import (
        anonymizer_checks,
        check_anonymizer,
        expected_failed_checks,
    )
    from anon_transformers.testing._attacks import attack_checks, check_attack
    from anon_transformers.testing._commands import check_command, command_checks
    from anon_transformers.testing._experiments import (
        check_experiment,
        experiment_checks,
    )
    from anon_transformers.testing._hierarchy_builders import (
        check_hierarchy_builder,
        hierarchy_builder_checks,
    )
    from anon_transformers.testing._metrics import check_metric, metric_checks
    from anon_transformers.testing._pages import check_page, page_checks
    from anon_transformers.testing._policies import check_policy, policy_checks
    from anon_transformers.testing._privacy_models import (
        check_privacy_model,
        privacy_model_checks,
    )
    from anon_transformers.testing._readers import check_reader, reader_checks
    from anon_transformers.testing._writers import check_writer, writer_checks
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "anonymizer_checks",
    "attack_checks",
    "check_anonymizer",
    "check_attack",
    "check_command",
    "check_experiment",
    "check_hierarchy_builder",
    "check_metric",
    "check_page",
    "check_policy",
    "check_privacy_model",
    "check_reader",
    "check_writer",
    "command_checks",
    "expected_failed_checks",
    "experiment_checks",
    "hierarchy_builder_checks",
    "metric_checks",
    "page_checks",
    "policy_checks",
    "privacy_model_checks",
    "reader_checks",
    "writer_checks",
]

"""Great Expectations: expectations for every registered model, and the gate."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.gx._judging import PrivateEvidence, private_evidence
    from anon_transformers.gx._threshold import Threshold
    from anon_transformers.gx.expect_privacy_metric_to_be_between import (
        ExpectPrivacyMetricToBeBetween,
    )
    from anon_transformers.gx.expect_privacy_model_to_hold import (
        ExpectPrivacyModelToHold,
    )
    from anon_transformers.gx.expect_table_to_be_fuzzy_l_diverse import (
        ExpectTableToBeFuzzyLDiverse,
    )
    from anon_transformers.gx.expect_table_to_be_fuzzy_t_close import (
        ExpectTableToBeFuzzyTClose,
    )
    from anon_transformers.gx.expect_table_to_be_k_anonymous import (
        ExpectTableToBeKAnonymous,
    )
    from anon_transformers.gx.expect_table_to_be_q_anonymous import (
        ExpectTableToBeQAnonymous,
    )
    from anon_transformers.gx.gate import (
        Check,
        GateResult,
        read_suite,
        run_gate,
        suite_for,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Check",
    "ExpectPrivacyMetricToBeBetween",
    "ExpectPrivacyModelToHold",
    "ExpectTableToBeFuzzyLDiverse",
    "ExpectTableToBeFuzzyTClose",
    "ExpectTableToBeKAnonymous",
    "ExpectTableToBeQAnonymous",
    "GateResult",
    "PrivateEvidence",
    "Threshold",
    "private_evidence",
    "read_suite",
    "run_gate",
    "suite_for",
]

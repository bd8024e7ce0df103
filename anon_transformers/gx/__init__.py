"""Great Expectations: expectations for every registered model, and the gate."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.gx._data_docs import build_data_docs
    from anon_transformers.gx._judging import PrivateEvidence, private_evidence
    from anon_transformers.gx._threshold import Threshold
    from anon_transformers.gx.expect_privacy_attack_to_expose_at_most import (
        ExpectPrivacyAttackToExposeAtMost,
    )
    from anon_transformers.gx.expect_privacy_metric_to_be_between import (
        ExpectPrivacyMetricToBeBetween,
    )
    from anon_transformers.gx.expect_privacy_model_to_hold import (
        ExpectPrivacyModelToHold,
    )
    from anon_transformers.gx.expectations import (
        ExpectTableToBeAlphaKAnonymous,
        ExpectTableToBeBeliefBounded,
        ExpectTableToBeBetaLike,
        ExpectTableToBeDeltaPresent,
        ExpectTableToBeDistinctLDiverse,
        ExpectTableToBeEntropyLDiverse,
        ExpectTableToBeFuzzyLDiverse,
        ExpectTableToBeFuzzyTClose,
        ExpectTableToBeKAnonymous,
        ExpectTableToBeKMapped,
        ExpectTableToBeProbabilisticallyKAnonymous,
        ExpectTableToBeQAnonymous,
        ExpectTableToBeRecursivelyDiverse,
        ExpectTableToBeTClose,
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
    "ExpectPrivacyAttackToExposeAtMost",
    "ExpectPrivacyMetricToBeBetween",
    "ExpectPrivacyModelToHold",
    "ExpectTableToBeAlphaKAnonymous",
    "ExpectTableToBeBeliefBounded",
    "ExpectTableToBeBetaLike",
    "ExpectTableToBeDeltaPresent",
    "ExpectTableToBeDistinctLDiverse",
    "ExpectTableToBeEntropyLDiverse",
    "ExpectTableToBeFuzzyLDiverse",
    "ExpectTableToBeFuzzyTClose",
    "ExpectTableToBeKAnonymous",
    "ExpectTableToBeKMapped",
    "ExpectTableToBeProbabilisticallyKAnonymous",
    "ExpectTableToBeQAnonymous",
    "ExpectTableToBeRecursivelyDiverse",
    "ExpectTableToBeTClose",
    "GateResult",
    "PrivateEvidence",
    "Threshold",
    "build_data_docs",
    "private_evidence",
    "read_suite",
    "run_gate",
    "suite_for",
]

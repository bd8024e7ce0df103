"""Great Expectations: expectations for every registered model, and the gate."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "Check",
    "ExpectPrivacyMetricToBeBetween",
    "ExpectPrivacyModelToHold",
    "ExpectTableToBeKAnonymous",
    "GateResult",
    "Requirement",
    "read_suite",
    "run_gate",
    "suite_for",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Check": "anon_transformers.gx.gate",
        "ExpectPrivacyMetricToBeBetween": (
            "anon_transformers.gx.expect_privacy_metric_to_be_between"
        ),
        "ExpectPrivacyModelToHold": "anon_transformers.gx.expect_privacy_model_to_hold",
        "ExpectTableToBeKAnonymous": (
            "anon_transformers.gx.expect_table_to_be_k_anonymous"
        ),
        "GateResult": "anon_transformers.gx.gate",
        "Requirement": "anon_transformers.gx.gate",
        "read_suite": "anon_transformers.gx.gate",
        "run_gate": "anon_transformers.gx.gate",
        "suite_for": "anon_transformers.gx.gate",
    },
)

"""Great Expectations: expectations for every registered model, and the gate."""

from anon_transformers._lazy import lazy_names

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
    "Requirement",
    "knowing",
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
        "ExpectTableToBeFuzzyLDiverse": (
            "anon_transformers.gx.expect_table_to_be_fuzzy_l_diverse"
        ),
        "ExpectTableToBeFuzzyTClose": (
            "anon_transformers.gx.expect_table_to_be_fuzzy_t_close"
        ),
        "ExpectTableToBeKAnonymous": (
            "anon_transformers.gx.expect_table_to_be_k_anonymous"
        ),
        "ExpectTableToBeQAnonymous": (
            "anon_transformers.gx.expect_table_to_be_q_anonymous"
        ),
        "GateResult": "anon_transformers.gx.gate",
        "PrivateEvidence": "anon_transformers.gx._judging",
        "Requirement": "anon_transformers.gx.gate",
        "knowing": "anon_transformers.gx._judging",
        "read_suite": "anon_transformers.gx.gate",
        "run_gate": "anon_transformers.gx.gate",
        "suite_for": "anon_transformers.gx.gate",
    },
)

"""Privacy models: one promise a file, judged on evidence."""

from anon_transformers._lazy import lazy_names

__all__ = ["AllOf", "KAnonymity", "PrivacyModel", "Verdict", "judge"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AllOf": "anon_transformers.privacy._all_of",
        "KAnonymity": "anon_transformers.privacy._k_anonymity",
        "PrivacyModel": "anon_transformers.privacy._judge",
        "Verdict": "anon_transformers.privacy._judge",
        "judge": "anon_transformers.privacy._judge",
    },
)

"""A release: load, anonymize, validate, publish, from one configuration file."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "ReleaseConfig",
    "Threshold",
    "anonymize",
    "load",
    "measure_published",
    "publish",
    "read_config",
    "read_published",
    "run_release",
    "tighten",
    "validate",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ReleaseConfig": "anon_transformers.release._config",
        "Threshold": "anon_transformers.release._thresholds",
        "anonymize": "anon_transformers.release._anonymize",
        "load": "anon_transformers.release._load",
        "measure_published": "anon_transformers.release._measured",
        "publish": "anon_transformers.release._publish",
        "read_config": "anon_transformers.release._config",
        "read_published": "anon_transformers.release._files",
        "run_release": "anon_transformers.release._pipeline",
        "tighten": "anon_transformers.release._thresholds",
        "validate": "anon_transformers.release._validate",
    },
)

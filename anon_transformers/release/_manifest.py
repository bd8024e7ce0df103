"""What the public is told about a release: promise, measurement, versions."""

import math
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from anon_transformers.registry import registry
from anon_transformers.release._build import unjudged_columns
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._run import Run, now

TOLD_VERSIONS = (
    "anon-transformers",
    "numpy",
    "pandas",
    "scikit-learn",
    "great-expectations",
)
NOT_TOLD = "not published"
PROCEEDINGS = {"sha256", "passed", "reasons"}
"""What a verdict holds beside what was measured."""
DISCLAIMER = (
    "The models named here bound what they say about this table alone: k-anonymity how "
    "well a person can be singled out, and nothing about what that person's class has "
    "in common; probabilistic k-anonymity how well a record is traced, and not how "
    "well its values are guessed. None of them is differential privacy."
)


def make_manifest(
    run: Run, candidate: dict[str, Any], verdict: dict[str, Any], n_bytes: int
) -> dict[str, Any]:
    """Everything a reader may know; no seed, no hash of the source, no frequencies."""
    config = run.config
    beside = {"nodes": candidate["nodes"]} if "nodes" in candidate else {}
    return {
        "release": config.name,
        "version": run.id,
        "published": now(),
        "data": candidate["data"],
        "format": candidate["format"],
        "bytes": n_bytes,
        "sha256": candidate["sha256"],
        "schema": candidate["schema"],
        **beside,
        "suppression_label": candidate["suppression_label"],
        "roles": {
            "quasi_identifiers": list(config.roles.quasi_identifiers),
            "sensitive": list(config.roles.sensitive),
            "insensitive": list(config.roles.insensitive),
            "subject": config.roles.subject,
        },
        "not_judged": unjudged_columns(config),
        "anonymizer": {"name": config.anonymizer.name, **_stated(config)},
        "promised": {
            "file": [_plain(t) for t in config.thresholds],
            "in_force": [_plain(t) for t in run.thresholds],
        },
        "measured": {
            key: value for key, value in verdict.items() if key not in PROCEEDINGS
        },
        "versions": {"python": platform.python_version(), **_versions()},
        "note": DISCLAIMER,
    }


def _stated(config: ReleaseConfig) -> dict[str, Any]:
    """Parameters that the file states, without the values of private ones.

    Where clusters start may have been taken from the input; where sets end, which a
    person may have drawn, is what their names leave vague.
    """
    cls = registry().anonymizers[config.anonymizer.name]
    return {
        name: NOT_TOLD if name in cls.private_parameters else _finite(value)
        for name, value in config.anonymizer.params.items()
    }


def _plain(threshold: Any) -> dict[str, Any]:
    params = _finite(threshold.params)
    return {"id": threshold.id, threshold.kind: threshold.name, **params}


def _finite(value: Any) -> Any:
    """The same with infinities as texts: the JSON that readers get has none."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _versions() -> dict[str, str]:
    found = {}
    for name in TOLD_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found

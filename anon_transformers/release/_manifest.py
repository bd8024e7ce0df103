"""What the public is told about a release: promise, measurement, versions."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from anon_transformers.gx._judging import numbers_only
from anon_transformers.release._run import Run, now

TOLD_VERSIONS = (
    "anon-transformers",
    "numpy",
    "pandas",
    "scikit-learn",
    "great-expectations",
)
DISCLAIMER = (
    "The models named here bound what they say about this table alone: k-anonymity how "
    "well a person can be singled out, and nothing about what that person's class has "
    "in common. None of them is differential privacy."
)


def make_manifest(
    run: Run, candidate: dict[str, Any], verdict: dict[str, Any], n_bytes: int
) -> dict[str, Any]:
    """Everything a reader may know; no seed, no hash of the source, no frequencies."""
    config, report = run.config, candidate["report"]
    return {
        "release": config.name,
        "version": run.id,
        "published": now(),
        "data": candidate["data"],
        "format": candidate["format"],
        "bytes": n_bytes,
        "sha256": candidate["sha256"],
        "schema": candidate["schema"],
        "suppression_label": candidate["suppression_label"],
        "roles": {
            "quasi_identifiers": list(config.roles.quasi_identifiers),
            "sensitive": list(config.roles.sensitive),
            "insensitive": run.unique_shares,
            "subject": config.roles.subject,
        },
        "anonymizer": {"name": config.anonymizer.name, **config.anonymizer.params},
        "promised": {
            "file": [_plain(t) for t in config.thresholds],
            "in_force": [_plain(t) for t in run.thresholds],
        },
        "measured": {"checks": verdict["checks"], **_told(report)},
        "versions": {"python": platform.python_version(), **_versions()},
        "note": DISCLAIMER,
    }


def _told(report: dict[str, Any]) -> dict[str, Any]:
    """The report; of what a method tells in its own words, only the numbers."""
    return {**report, "details": numbers_only(report["details"])}


def _plain(threshold: Any) -> dict[str, Any]:
    return {"id": threshold.id, threshold.kind: threshold.name, **threshold.params}


def _versions() -> dict[str, str]:
    found = {}
    for name in TOLD_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found

"""What is published about a release: its manifest and its numbers."""

import json
import math
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ReleaseError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.registry import registry
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._forms import form_of
from anon_transformers.release._policies import public_policies
from anon_transformers.release._reading import read_published
from anon_transformers.release._run import Run, now, of_period
from anon_transformers.release._stated_composition import public_composition
from anon_transformers.release._stated_recoding import REUSE

SHOWN_VERSIONS = (
    "anon-transformers",
    "numpy",
    "pandas",
    "scikit-learn",
    "great-expectations",
)
HIDDEN = "not published"
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
    config = run.config.at_rung(candidate.get("rung", 0))
    beside = {"nodes": candidate["nodes"]} if "nodes" in candidate else {}
    named = {"policies": public_policies(config)} if config.policy else {}
    named |= public_composition(config, run.thresholds)
    return {
        "release": config.name,
        "version": run.id,
        **of_period(config.period),
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
            **pseudonyms_of(config),
        },
        "not_judged": form_of(config).unjudged_columns(),
        "anonymizer": method_of(config),
        "promised": {
            "file": [_finite(t.public()) for t in config.thresholds],
            "in_force": [_finite(t.public()) for t in run.thresholds],
        },
        **named,
        "measured": {
            key: value for key, value in verdict.items() if key not in PROCEEDINGS
        },
        "versions": versions(),
        "note": DISCLAIMER,
    }


def pseudonyms_of(config: ReleaseConfig) -> dict[str, list[str]]:
    """What a manifest says of the columns of pseudonyms, if there are any."""
    if config.pseudonyms is None:
        return {}
    return {"pseudonyms": list(config.pseudonyms.columns)}


def public_parameters(method: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that the file states, without the values of private ones.

    Where clusters start may have been taken from the input; where sets end, which a
    person may have drawn, is what their names leave vague.
    """
    cls = registry().anonymizers[method]
    return {
        name: HIDDEN if name in cls.private_parameters else _finite(value)
        for name, value in stated.items()
    }


def drops_rows(
    method: str, stated: Mapping[str, Any], recoding: str | None = None
) -> bool:
    """Whether rows are left out, so that nobody can count them.

    Parameters
    ----------
    method : str
        Registered name of the anonymizer.
    stated : mapping
        The parameters that the file states.
    recoding : str, optional
        Where cells are kept, whoever waits is left out.
    """
    if recoding == REUSE:
        return True
    takes = signature(registry().anonymizers[method]).parameters
    default = takes["suppression"].default if "suppression" in takes else None
    return stated.get("suppression", default) == "drop"


def method_of(config: ReleaseConfig) -> dict[str, Any]:
    """What a manifest says of the method: the settings in force, and no others.

    Where a ladder is stated, that earlier rungs were refused tells of rows that are not
    published. The tries stand in the private journal.
    """
    method = config.anonymizer
    return {"name": method.name, **public_parameters(method.name, method.params)}


def _finite(value: Any) -> Any:
    """The same with infinities as texts: the JSON that readers get has none."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def versions() -> dict[str, str]:
    """Versions of what made a release."""
    found = {"python": platform.python_version()}
    for name in SHOWN_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def measure_published(
    folder: str | os.PathLike[str], config_path: str | os.PathLike[str]
) -> dict[str, Any]:
    """Compute the numbers of a published release again, from what is published.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version.
    config_path : path
        The release file; its hierarchies are read, its source is not.

    Returns
    -------
    dict
        What the manifest has under ``measured``, without the verdicts.
    """
    place = Path(folder)
    if (place / "current").exists():
        place = place / "current"
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    tables = read_published(place, labels="text")
    in_force = [Threshold.read(t) for t in manifest["promised"]["in_force"]]
    config = _as_published(read_config(config_path), manifest)
    return form_of(config).numbers(
        tables if isinstance(tables, tuple) else (tables,),
        in_force,
        manifest["suppression_label"],
    )


def _as_published(config: ReleaseConfig, manifest: Mapping[str, Any]) -> ReleaseConfig:
    """The release at the rung whose settings a manifest states."""
    rungs = [config.at_rung(n) for n in range(len(config.on_refusal.back_off) + 1)]
    if len(rungs) == 1:
        return config
    stated = manifest["anonymizer"], manifest["roles"]["quasi_identifiers"]
    for one in rungs:
        columns = list(one.roles.quasi_identifiers)
        if json.loads(json.dumps([method_of(one), columns])) == list(stated):
            return one
    raise ReleaseError(
        f"{manifest['version']} was published with settings that {config.name} states "
        "at no rung; its file has changed since."
    )

"""The folder of a published release: its table, and what its manifest says of it."""

import json
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError

NOT_PUBLISHED = (
    "whose rows are one person's is not published, so rows are counted here."
)
"""Of a release that counts persons."""


def references_of(frame: Any, sensitive: list[str]) -> dict[str, Any]:
    """How often a table has each sensitive value."""
    from anon_transformers.evidence import distribution

    return {name: distribution(frame[name]) for name in sensitive}


def read_release(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Table, roles and thresholds of a published release."""
    from anon_transformers.release import read_published

    place = folder / "current" if (folder / "current").exists() else folder
    if not (place / "manifest.json").is_file():
        raise ConfigurationError(f"{folder} holds no published release.")
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    frame = read_published(place, labels="text")
    sensitive = manifest["roles"]["sensitive"]
    if isinstance(frame, tuple):
        return frame[0], {
            **_read_roles(manifest),
            "nodes": frame[1],
            "quasi_identifiers": list(frame[0].columns[:2]),
        }
    # Masked rows keep their sensitive cells: the input's distribution is still there.
    whole = _suppression(manifest["anonymizer"]) == "mask"
    return frame, {
        "references": references_of(frame, sensitive) if whole else None,
        "quasi_identifiers": manifest["roles"]["quasi_identifiers"],
        **_read_roles(manifest),
    }


def _suppression(stated: dict[str, Any]) -> str | None:
    """What an anonymizer did with suppressed rows; None if nobody knows."""
    import inspect

    from anon_transformers.registry import registry

    catalog = registry().anonymizers
    if "suppression" in stated or stated["name"] not in catalog:
        return stated.get("suppression")
    takes = inspect.signature(catalog[stated["name"]]).parameters
    return takes["suppression"].default if "suppression" in takes else None


def _read_roles(manifest: dict[str, Any]) -> dict[str, Any]:
    """What a manifest says, under the names that the gate takes."""
    from anon_transformers.registry import registry

    name, catalog = manifest["anonymizer"]["name"], registry().anonymizers
    return {
        "swapped": name in catalog and catalog[name].kind == "linked",
        "sensitive": manifest["roles"]["sensitive"],
        "subject": manifest["roles"]["subject"],
        "suppression_label": manifest["suppression_label"],
        "thresholds": manifest["promised"]["in_force"],
        "checks": manifest["measured"]["checks"],
    }

"""Sources and published releases as assets: a release can wait for another."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from airflow.sdk import Asset

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.parameters import is_number
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._airflow_options import (
    AirflowOptions,
    StatedAsset,
    WantedAsset,
)
from anon_transformers.release._check import SUFFIXES
from anon_transformers.release._config import BUNDLED, is_address
from anon_transformers.release._last_known import read_leniently
from anon_transformers.release._tighten import COMMON_WORDS


def release_asset(name: str, options: AirflowOptions) -> Asset:
    """What is updated when a release is published: ``Asset("<release>")``."""
    return _asset(options.asset or StatedAsset(name=name))


def _asset(stated: StatedAsset) -> Asset:
    return Asset(name=stated.name, uri=stated.uri or stated.name)


def source_assets(config: ReleaseConfig) -> list[Asset]:
    """What a release is made of; nothing for the library's own data.

    Periods and variables of a path stand as the file states them: the source of all
    periods is one asset, and what a variable holds may be private.
    """
    if config.airflow.source_asset is not None:
        return [_asset(config.airflow.source_asset)]
    found = [config.path(given).as_uri() for given in config.source.files.values()
             if not given.startswith(BUNDLED)]  # fmt: skip
    path = config.source.path
    if isinstance(path, str) and is_address(path) and "@" not in urlsplit(path).netloc:
        # Behind the path stand tokens; an asset is shown to all.
        found.append(urlsplit(path)._replace(query="", fragment="").geturl())
    return [Asset(uri=uri) for uri in found]


def awaited_assets(name: str, file: Path, options: AirflowOptions) -> list[Asset]:
    """The assets that a release waits for, all of them."""
    refuse_waiting_in_a_circle(name, file, options)
    return [
        _asset(wanted.asset)
        if isinstance(wanted, WantedAsset)
        else release_asset(wanted, _options_of(wanted, file))
        for wanted in options.wait_for
    ]


def _options_of(name: str, beside: Path) -> AirflowOptions:
    """Options of another release of the folder, also of one that is broken now."""
    for suffix in SUFFIXES:
        file = beside.with_name(f"{name}{suffix}")
        if file.is_file():
            return read_leniently(file)[1]
    there = [f.stem for f in sorted(beside.parent.iterdir()) if f.suffix in SUFFIXES]
    fault = unknown_choice("release", name, there)
    raise ConfigurationError(f"airflow.wait_for: {fault}")


def refuse_waiting_in_a_circle(name: str, file: Path, options: AirflowOptions) -> None:
    """Refuse releases that wait for one another: none of them would ever run."""
    waiting: list[tuple[str, Sequence[str | WantedAsset]]] = [(name, options.wait_for)]
    met: set[str] = set()
    while waiting:
        _, wanted = waiting.pop()
        for other in wanted:
            if other == name:
                raise ConfigurationError(
                    f"airflow.wait_for: {name} would wait for itself, and never run."
                )
            if isinstance(other, str) and other not in met:
                met.add(other)
                waiting.append((other, _options_of(other, file).wait_for))


def published_facts(version: Path) -> dict[str, Any]:
    """What travels with the news that a release was published; all of it is public.

    Parameters
    ----------
    version : Path
        Folder of the published version.

    Returns
    -------
    dict
        ``version``, ``period``, what thresholds ask for as ``k``, ``l`` and ``t``, the
        number that each of them reached under its id in ``levels``, ``risk`` and
        ``loss``, as far as the manifest has them.
    """
    manifest = json.loads((version / "manifest.json").read_text(encoding="utf-8"))
    measured = manifest["measured"]
    levels = {c["id"]: c["observed"] for c in measured["checks"] if "observed" in c}
    facts = {
        "release": manifest["release"],
        "version": version.name,
        "folder": str(version),
        "period": manifest.get("period"),
        "rows": measured.get("rows"),
        **_asked(measured["checks"]),
        "levels": levels,
        "risk": measured.get("risk"),
        "loss": measured.get("loss"),
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _asked(checks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The k, l and t that hold of all: where several ask for one, the least of them."""
    found: dict[str, float] = {}
    for letter in ("k", "l", "t"):
        stated = [check.get("params", {}).get(letter) for check in checks]
        numbers = [number for number in stated if is_number(number)]
        if numbers:
            least = min if COMMON_WORDS[letter] == "higher" else max
            found[letter] = least(numbers)
    return found

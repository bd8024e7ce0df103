"""The validation report: one page that needs nothing else."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from anon_transformers.release._build import unjudged_columns
from anon_transformers.release._manifest import DISCLAIMER
from anon_transformers.release._run import Run, write_text


def lines(details: Any, path: tuple[str, ...] = ()) -> list[tuple[str, Any]]:
    """Nested numbers as lines, each named by the way to it.

    Examples
    --------
    >>> lines({"moved": {"pay": {"groups": 60}}, "level": 5})
    [('moved: pay: groups', 60), ('level', 5)]
    """
    if isinstance(details, dict):
        return [
            line
            for key, item in details.items()
            for line in lines(item, (*path, str(key).replace("_", " ")))
        ]
    if isinstance(details, list):
        details = ", ".join(map(str, details))
    return [(": ".join(path), details)] if details != "" else []


def write_report(
    path: Path, run: Run, candidate: dict[str, Any], verdict: dict[str, Any]
) -> None:
    """Write the page; it holds numbers and column names, never a cell."""
    environment = Environment(
        loader=PackageLoader("anon_transformers.release"), autoescape=True
    )
    page = environment.get_template("validation.html").render(
        release=run.config.name,
        version=run.id,
        started=run.started,
        method=run.config.anonymizer.name,
        quasi_identifiers=run.config.roles.quasi_identifiers,
        sensitive=run.config.roles.sensitive,
        not_judged=unjudged_columns(run.config),
        extremes=candidate.get("extremes", ""),
        verdict=verdict,
        details={c["id"]: lines(c.get("details", {})) for c in verdict["checks"]},
        disclaimer=DISCLAIMER,
    )
    write_text(path, page)

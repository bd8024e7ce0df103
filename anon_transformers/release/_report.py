"""The validation report: one page that needs nothing else."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from anon_transformers.release._manifest import DISCLAIMER
from anon_transformers.release._run import Run, write_text


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
        report=candidate["report"],
        verdict=verdict,
        disclaimer=DISCLAIMER,
    )
    write_text(path, page)

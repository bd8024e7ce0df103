"""The table as the release file would publish it, and what the gate says of it.

It is made as a try of ``anon release --suggest`` is: by the release's own method,
judged by its own gate, in a private folder. Nothing is published. Pages that show the
result read it from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError
from anon_transformers.release._forms import INPUT, form_of
from anon_transformers.release._resolve import resolve
from anon_transformers.release._table import read_rows
from anon_transformers.release._trials import Try, private_trials
from anon_transformers.release._validate import public_verdict
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project, Result

if TYPE_CHECKING:
    import pandas as pd

PROTECT = "protect"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._protected:protect"
ROW = "row of the source"
SOURCE, PUBLISHED = "source.parquet", "published.parquet"


@dataclass(frozen=True)
class Protected:
    """A protected table beside its source.

    Attributes
    ----------
    result : Result
        What was found: ``passed``, ``reasons``, ``checks``, ``loss``,
        ``column_losses``, ``risk``, ``classes``, ``suppressed_rows``, ``seconds``.
    source : data frame
        The rows as they were read.
    published : data frame
        The rows as they would be published, in the order of the source and under its
        row numbers; a row that is left out is not there.
    """

    result: Result
    source: "pd.DataFrame"
    published: "pd.DataFrame"


def protected_of(project: Project) -> Protected | None:
    """What the last run of the job made; None if there was none."""
    import pandas as pd

    result = project.result(PROTECT)
    if result is None:
        return None
    published = pd.read_parquet(result.folder / PUBLISHED).set_index(ROW)
    return Protected(result, pd.read_parquet(result.folder / SOURCE), published)


def protect(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Make the candidate of the release file and judge it (a job).

    Raises
    ------
    DataError
        If there is no candidate, in the words of the method or of the release.
    """
    progress(0, 3, "reading the table")
    config = resolve(project.config, params.get("period"), file=project.file)
    form = form_of(config)
    tables = form.read()
    progress(1, 3, f"{config.anonymizer.name}: protecting and judging")
    with private_trials(config, tables) as trials:
        made = trials.attempt(config, config.thresholds)
        if made.candidate is None or made.result is None:
            raise DataError(made.reason)
        progress(2, 3, "measuring")
        numbers = form.numbers(
            made.candidate.tables, config.thresholds, made.candidate.suppression_label
        )
        _keep_tables(project, tables[INPUT], made)
        report = made.candidate.noted["report"]
        found = public_verdict(made.result, numbers)
        found = {
            **found,
            "loss": made.loss,
            "column_losses": made.column_losses,
            "suppressed_rows": made.suppressed_rows,
            "suppressed_persons": made.suppressed_persons,
            "suppression_label": made.candidate.suppression_label,
            "method": config.anonymizer.name,
            "seconds": report["seconds"],
            "details": report["details"],
        }
    progress(3, 3, "done")
    return found


def _keep_tables(project: Project, source: "pd.DataFrame", made: Try) -> None:
    assert made.candidate is not None
    folder = project.results_folder(PROTECT)
    source.reset_index(drop=True).to_parquet(folder / SOURCE)
    published = made.candidate.tables[0].copy()
    published.insert(0, ROW, read_rows(made.candidate))
    published.sort_values(ROW).reset_index(drop=True).to_parquet(folder / PUBLISHED)

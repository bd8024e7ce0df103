"""The private report: the candidate beside its source, for those who have the source.

Risk before and after, and what an intruder gets who knows the original, tell of rows
that are not published. So they stand in no file of the target: the report lies in the
run's folder, goes with it into quarantine, or after publication into a private folder
of the release. It holds numbers and names of columns, and never a cell.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd
from jinja2 import PackageLoader

from anon_transformers.attacks import AttackInput
from anon_transformers.figures import Chart, make_environment, statistics_charts
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release._attacks import (
    ATTACK_COLUMNS,
    EVERYBODYS,
    attack_rows,
    run_attacks,
)
from anon_transformers.release._build import make_hierarchies
from anon_transformers.release._forms import Candidate, Form
from anon_transformers.release._log import LOG, stage
from anon_transformers.release._report import can_draw, has_private_report
from anon_transformers.release._run import (
    REPORTS,
    Run,
    is_plain,
    locked,
    make_private,
    write_text,
)
from anon_transformers.release._statistics import table_statistics
from anon_transformers.release._table import TableForm
from anon_transformers.release._table_evidence import read_rows

PAGE = "private.html"
MOST_ATTACKED = 5_000
"""Rows of a table whose every record is looked for in the original."""
MOST_REPORTS = 50
"""Private reports that are kept; the newest."""
OF_VALUES = ("distributions", "queries", "associations", "correlations")
"""What a page of Studio shows and a report does not: it names values, or is long."""


def write_private_report(
    run: Run, form: Form, candidate: Candidate, verdict: Mapping[str, Any]
) -> None:
    """Write the page beside the verdict; of graphs and swapped tables there is none.

    What cannot be told of an odd table is no reason to refuse it: then there is no
    page, and the log says so.
    """
    if not isinstance(form, TableForm) or not has_private_report(form):
        return
    stage("the private report")
    try:
        with warnings.catch_warnings():
            # What is odd about a table the gate has said already.
            warnings.simplefilter("ignore")
            page = render(run, candidate, verdict, private_numbers(form, candidate))
    except OSError:
        raise
    except Exception as error:  # its words may quote a cell
        LOG.warning("run %s: no private report (%s).", run.id, type(error).__name__)
        return
    write_text(run.path(PAGE), page)


def private_numbers(form: TableForm, candidate: Candidate) -> dict[str, Any]:
    """The candidate beside its source, in numbers; never a value of a column."""
    roles, label = form.config.roles, candidate.suppression_label
    source, rows = candidate.source, read_rows(candidate)
    published = candidate.tables[0].set_axis(rows, axis=0)
    hierarchies = make_hierarchies(form.config, roles.quasi_identifiers)
    found = table_statistics(
        source.reset_index(drop=True), published, roles, hierarchies, label
    )
    report = {**candidate.noted["report"], **form.judged_losses(candidate)}
    return {
        **{key: item for key, item in found.items() if key not in OF_VALUES},
        "column_losses": report["column_losses"],
        "loss": report["loss"],
        "attacks": _attacks(form, candidate, source.iloc[rows]),
    }


def _attacks(
    form: TableForm, candidate: Candidate, before: pd.DataFrame
) -> dict[str, dict[str, Any]]:
    """What whoever knows the original gets; persons count where they are known."""
    roles, before = form.config.roles, before.reset_index(drop=True)
    release = candidate.tables[0]
    if roles.subject is not None:
        release = release.assign(**{roles.subject: before[roles.subject]})
    trees = make_hierarchies(form.config, [*roles.quasi_identifiers, *roles.sensitive])
    small = len(release) <= MOST_ATTACKED
    held = AttackInput(
        release,
        list(roles.quasi_identifiers),
        list(roles.sensitive),
        original=before if small else None,
        hierarchies={n: h for n, h in trees.items() if isinstance(h, Hierarchy)},
        suppression_label=candidate.suppression_label,
        subject=roles.subject,
    )
    return run_attacks(held, EVERYBODYS | {"original"} if small else EVERYBODYS)


def render(
    run: Run,
    candidate: Candidate,
    verdict: Mapping[str, Any],
    found: Mapping[str, Any],
) -> str:
    """The page as a text."""
    charts: dict[str, Chart] = statistics_charts(found) if can_draw() else {}
    environment = make_environment(PackageLoader("anon_transformers.release"))
    return environment.get_template("private.html").render(
        release=run.config.name,
        version=run.id,
        period=run.config.period,
        verdict=verdict,
        found=found,
        charts=charts,
        risks=[
            (name, found["risk"]["before"].get(name), after)
            for name, after in found["risk"]["after"].items()
        ],
        size_rows={
            side: [list(step.values()) for step in steps]
            for side, steps in found["class_sizes"].items()
        },
        attack_columns=ATTACK_COLUMNS,
        attacks=attack_rows(found["attacks"]),
        most_attacked=MOST_ATTACKED,
        method=candidate.config.anonymizer.name,
    )


def keep_private_report(run: Run) -> None:
    """Put the page of a published run among the private reports of its release."""
    page = run.path(PAGE)
    if not page.is_file():
        return
    folder = make_private(run.folder.parent.parent / REPORTS)
    if not is_plain(folder):  # a link may have come since the run was loaded
        return
    page.chmod(0o600)
    page.touch()
    page.replace(folder / f"{run.id}.html")
    with locked(folder):  # runs of two periods end side by side
        # A run's name does not tell when it ended: it may be a period's, or be given.
        kept = sorted(folder.glob("*.html"), key=lambda file: file.stat().st_mtime_ns)
        for old in kept[:-MOST_REPORTS]:
            old.unlink()

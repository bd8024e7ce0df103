"""The validation report: one page that a data protection officer can sign.

It is published, and so every number on it can be computed from the published files, the
release file and its hierarchies.
"""

from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path, PurePath
from typing import Any

from jinja2 import PackageLoader

from anon_transformers.base import BaseAnonymizer
from anon_transformers.figures import (
    Chart,
    class_size_chart,
    has_matplotlib,
    loss_chart,
    make_environment,
    risk_chart,
)
from anon_transformers.registry import registry
from anon_transformers.release._anonymizer import make_anonymizer
from anon_transformers.release._attacks import ATTACK_COLUMNS, attack_rows
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._forms import Form, form_of
from anon_transformers.release._hidden_columns import HIDDEN_SHARES, said_of_hidden
from anon_transformers.release._manifest import (
    DISCLAIMER,
    drops_rows,
    public_parameters,
    versions,
)
from anon_transformers.release._policies import public_policies
from anon_transformers.release._run import Run, write_text
from anon_transformers.release._stated_composition import (
    public_composition,
    sentence_of,
)
from anon_transformers.release._table import TableForm
from anon_transformers.release._verdict_only import why_verdict_only

OF_ALL = (
    "Every promise is about this table alone: another release of the same persons, or "
    "what an intruder knows beside the quasi-identifiers, may tell more.",
    "The quasi-identifiers are those that the release file names; a column that is not "
    "among them, and that an intruder knows, is not protected.",
)

UNSTATED = {
    "k": "by the thresholds",
    "suppression_limit": "not stated: the method's own",
    "suppression": "not stated: the method's own",
}
"""Parameters that a promise depends on, and where they come from if not stated."""
MANY = 0.05
"""Share of the rows whose exposure is warned of."""


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
    path: Path, run: Run, candidate: Mapping[str, Any], verdict: Mapping[str, Any]
) -> None:
    """Write the page; it holds numbers and column names, never a cell."""
    config = run.config.at_rung(candidate.get("rung", 0))
    environment = make_environment(PackageLoader("anon_transformers.release"))
    method, stated = config.anonymizer.name, config.anonymizer.params
    form, subject = form_of(config), config.roles.subject
    made = make_anonymizer(config, run.thresholds)
    page = environment.get_template("validation.html").render(
        release=run.config.name,
        version=run.id,
        period=run.config.period,
        started=run.started,
        method=method,
        parameters=method_lines(config, made),
        roles=config.roles,
        policies=public_policies(config),
        together=sentence_of(public_composition(config, run.thresholds)),
        warnings=[
            *warnings_of(form.unjudged_columns(), verdict.get("attacks", {})),
            *warnings_of_hidden(verdict, candidate["suppression_label"]),
        ],
        not_judged=form.unjudged_columns(),
        loss_rows=loss_rows(config, made, verdict),
        extremes=candidate.get("extremes", ""),
        verdict=verdict,
        checks=[
            {**check, "unpublished": why_verdict_only(check, subject)}
            for check in verdict["checks"]
        ],
        has_private_report=has_private_report(form),
        drops=drops_rows(method, stated, config.recoding),
        details={c["id"]: lines(c.get("details", {})) for c in verdict["checks"]},
        charts=report_charts(verdict),
        size_rows=[list(step.values()) for step in class_sizes(verdict)],
        attack_columns=ATTACK_COLUMNS,
        attacks=attack_rows(verdict.get("attacks", {})),
        versions=versions(),
        limits=limits_of(verdict["checks"]),
        of_all=OF_ALL,
        disclaimer=DISCLAIMER,
    )
    write_text(path, page)


def has_private_report(form: Form) -> bool:
    """Whether a report for those who have the source stands beside this one."""
    return isinstance(form, TableForm) and form.has_private_report


def can_draw() -> bool:
    """Whether reports have charts here."""
    return has_matplotlib()


def method_lines(config: ReleaseConfig, made: BaseAnonymizer) -> list[tuple[str, Any]]:
    """The parameters of the method: what the file states, and what a promise needs.

    Of a parameter that is private nothing but its name is told, and of a hierarchy
    where it comes from.
    """
    method, stated = config.anonymizer.name, config.anonymizer.params
    takes = signature(type(made)).parameters
    shown = lines(public_parameters(method, stated))
    for name, origin in UNSTATED.items():
        if name in takes and name not in {*stated, *made.private_parameters}:
            value = getattr(made, name)
            shown.append((name.replace("_", " "), f"{value} ({origin})"))
    for column in (*config.roles.quasi_identifiers, *config.roles.sensitive):
        given = (config.hierarchies or {}).get(column)
        if given is not None:
            told = f"of the kind {given.kind}"
            if given.path is not None:
                told = f"the file {PurePath(given.path).name}"
            shown.append((f"hierarchy of {column}", told))
    return shown


def warnings_of(
    not_judged: Sequence[str], attacks: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """What somebody has to know who signs, though every threshold may hold.

    Examples
    --------
    >>> warnings_of(["pay"], {})[0].split(". ")[0]
    'No threshold judges these sensitive columns: pay'
    """
    found = []
    if not_judged:
        found.append(
            f"No threshold judges these sensitive columns: {', '.join(not_judged)}. "
            "Whoever finds the class of a person may learn what stands in them."
        )
    for name, exposed, share, _, meaning, remedy in attack_rows(attacks):
        if share >= MANY:
            of = f"{exposed:,} of {attacks[name]['rows']:,} rows"
            resists = f" What resists: {remedy}" if remedy else ""
            found.append(
                f"The attack {name} exposes {of} ({share:.1%}). {meaning}{resists}"
            )
    return found


def warnings_of_hidden(verdict: Mapping[str, Any], label: str) -> list[str]:
    """Columns of few values that readers will miss in many rows."""
    return [
        f"{said}. One rare value may be the reason, which needs others in its class: "
        "joined with another value in the hierarchy, or left out of it with 'unknown: "
        "suppress', it hides the column no more."
        for said in said_of_hidden(verdict.get(HIDDEN_SHARES, {}), label)
    ]


def loss_rows(
    config: ReleaseConfig, made: BaseAnonymizer, verdict: Mapping[str, Any]
) -> list[tuple[str, float | str]]:
    """Every quasi-identifier with its loss, or why it has none; none of other forms."""
    if "column_losses" not in verdict:
        return []
    losses, given = verdict["column_losses"], config.hierarchies or {}

    def reason(column: str) -> str:
        if getattr(made, "publishes", "labels") != "labels":
            return "no number: what is published is no label of a hierarchy"
        if column in given:
            return "no number: its hierarchy is built from the values of the source"
        return "no number: the release file names no hierarchy to measure it by"

    names = config.roles.quasi_identifiers
    return [(n, losses[n] if n in losses else reason(n)) for n in names]


def class_sizes(verdict: Mapping[str, Any]) -> list[dict[str, int]]:
    """How many classes there are of each size, in rows; none without classes."""
    found = verdict.get("class_sizes", verdict.get("class_sizes_in_rows"))
    return list(found or ())


def report_charts(verdict: Mapping[str, Any]) -> dict[str, Chart]:
    """Charts of what was measured; none where nothing can draw them.

    A worker that publishes tables need not have matplotlib: their numbers stand in the
    report as tables, with or without charts.
    """
    if not can_draw():
        return {}
    charts = {}
    if class_sizes(verdict):
        charts["class_sizes"] = class_size_chart(class_sizes(verdict))
    if verdict.get("risk"):
        charts["risk"] = risk_chart(verdict["risk"])
    if verdict.get("column_losses"):
        charts["column_losses"] = loss_chart(
            verdict["column_losses"],
            "Loss of each column over the published labels",
        )
    return charts


def limits_of(checks: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What the models that were asked for do not promise, as their classes say it."""
    names = dict.fromkeys(c["name"] for c in checks if c["kind"] == "model")
    models = registry().privacy_models
    return [
        (name, str(limit))
        for name in names
        if name in models
        for limit in getattr(models[name], "not_promised", ())
    ]

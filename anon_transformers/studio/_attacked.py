"""What intruders get of the table that the release file would publish.

The attacks are those of ``anon attack``, on the protected table and, to compare, on the
source as if it were published. Records are counted, and none is shown.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    ParameterError,
    is_our_error,
)
from anon_transformers.registry import registry
from anon_transformers.studio._goals import stated_method
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Content, Project
from anon_transformers.studio._protected import ROW, Protected, make_protected

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.attacks import Attack, AttackInput, AttackReport
    from anon_transformers.release import ReleaseConfig

ATTACK = "attack"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._attacked:attack"
KNOWS = {
    "release": "the published table",
    "sensitive": "which columns are sensitive",
    "original": "the whole original table, row by row",
    "external": "the exact quasi-identifiers of everybody in the table, with names",
    "other": "a second release of the same persons",
    "control": "people of the same kind who are not in the table, to compare with",
    "hierarchies": "the hierarchies that values are generalized by",
}
"""What an intruder holds, by the input that an attack needs."""
NOT_SAID = {
    "minimality": (
        "needs the sensitive value that is hidden, with the l and k that hide it; "
        "'anon attack' takes them."
    ),
}
"""Attacks that must be told something which no release file says."""
OF_RELEASE = {"release", "sensitive"}
"""What the source alone gives, too."""
MOST_ROWS = 200_000
"""Rows above which attacks that compare records one by one are not run here."""
USUAL_K = 5


def attack(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run every registered attack on the protected table (a job).

    The table is made first, if there is none of the file as it is.
    """
    if project.is_graph:
        raise DataError("attacks on networks are run by 'anon graph attack'.")
    protected = make_protected(project, progress)
    config = project.config
    chosen = _attacks(config)
    published = _held(config, protected, protected.published)
    source = _held(config, protected, protected.source.rename_axis(ROW))
    found, not_run = [], []
    for done, (name, one) in enumerate(chosen.items()):
        progress(done, len(chosen), name)
        try:
            if name in NOT_SAID:
                raise NotEvaluable(NOT_SAID[name])
            if len(protected.source) > MOST_ROWS and not set(one.needs) <= OF_RELEASE:
                raise NotEvaluable(
                    f"it compares records one by one, and there are more than "
                    f"{MOST_ROWS:,}; run 'anon attack' on the published file."
                )
            if lacking := one.lacks(published):
                held = " and ".join(KNOWS.get(name, name) for name in lacking)
                raise NotEvaluable(f"needs {held}; 'anon attack' takes it.")
            report = one.run_on(published)
        except Exception as error:
            not_run.append({"name": name, "why": _why(name, error)})
            continue
        raw = _in_source(one, source) if set(one.needs) <= OF_RELEASE else None
        found.append({**_plain(report), "knows": _knows(one), "raw": raw})
    progress(len(chosen), len(chosen), "done")
    return {
        "counted": "records" if config.roles.subject is None else "persons",
        "values": _fewest_values(config, protected.source),
        "attacks": found,
        "not_run": not_run,
    }


def _attacks(config: "ReleaseConfig") -> "dict[str, Attack]":
    """Every attack on tables, told what only the publisher knows."""
    catalog, made = registry().attacks, {}
    for name in catalog:
        cls = catalog[name]
        if cls.kind != "table":
            continue
        takes = {field.name for field in fields(cls)}
        own: dict[str, Any] = {}
        if "original" in cls.needs and "key" in takes:
            own["key"] = ROW
            method = registry().anonymizers[config.anonymizer.name]
            if "k" in takes and method.kind == "linked":
                # Of swapped cells, one link in k is right by chance.
                own["k"] = max(
                    (t.params["k"] for t in config.thresholds if "k" in t.params),
                    default=None,
                )
        made[name] = cls(**own)
    return made


def _held(
    config: "ReleaseConfig", protected: Protected, table: "pd.DataFrame"
) -> "AttackInput":
    """What an intruder holds, at the worst: the source is the table with names."""
    from anon_transformers.attacks import AttackInput

    roles, source = config.roles, protected.source.rename_axis(ROW)
    quasi_identifiers, sensitive = list(roles.quasi_identifiers), list(roles.sensitive)
    named = [
        *quasi_identifiers,
        *([roles.subject] if roles.subject is not None else []),
    ]
    if roles.subject is not None:
        persons = source[roles.subject].loc[table.index]
        table = table.assign(**{str(roles.subject): persons})
    return AttackInput(
        table.reset_index(),
        quasi_identifiers,
        sensitive,
        original=source.reset_index(),
        external=source[list(dict.fromkeys(named))].reset_index(drop=True),
        hierarchies=_hierarchies(config, source),
        suppression_label=str(protected.result.found["suppression_label"]),
        subject=roles.subject,
    )


def _hierarchies(config: "ReleaseConfig", source: "pd.DataFrame") -> dict[str, Any]:
    from anon_transformers._data.columns import to_text
    from anon_transformers.hierarchies import Hierarchy
    from anon_transformers.release._build import make_hierarchies

    columns = [*config.roles.quasi_identifiers, *config.roles.sensitive]
    made = make_hierarchies(config, columns)
    return {
        column: one
        if isinstance(one, Hierarchy)
        else one.build(to_text(source[column]).dropna().unique().tolist())
        for column, one in made.items()
    }


def _why(name: str, error: Exception) -> str:
    """Why an attack was not run; a stranger's words may quote a cell."""
    if isinstance(error, (DataError, NotEvaluable, ParameterError)) and is_our_error(
        error
    ):
        return str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
    return f"it failed with {type(error).__name__}."


def _in_source(one: "Attack", held: "AttackInput") -> tuple[int, int] | None:
    """What the same attack exposes in the source, and of how many."""
    try:
        report = one.run_on(held)
    except Exception:  # it is told of the published table; this one is to compare
        return None
    return report.exposed, report.rows


def _plain(report: "AttackReport") -> dict[str, Any]:
    """Counts and sentences; details may hold more than a page should keep."""
    return {
        "name": report.attack,
        "meaning": report.meaning,
        "remedy": report.remedy,
        "exposed": report.exposed,
        "rows": report.rows,
        "share": report.share,
        "units": report.units,
        "exposed_units": report.exposed_units,
        "unit": report.unit,
    }


def _knows(one: "Attack") -> str:
    return "; ".join(KNOWS.get(name, name) for name in one.needs)


def _fewest_values(config: "ReleaseConfig", source: "pd.DataFrame") -> int | None:
    """Different values of the sensitive column that has fewest."""
    counts = [int(source[column].nunique()) for column in config.roles.sensitive]
    return min(counts, default=None)


# How to change the release so that an attack fails.

LARGER_K = ("unique-combinations", "linkage", "small-classes", "record-intruder")
"""Attacks that larger classes counter."""
OF_THE_METHOD = {
    "tight-boxes": (
        "No threshold changes how ranges are drawn: choose boxes = cuts with a step "
        "for each number, or a method that generalizes by levels."
    ),
    "downcoding": (
        "No threshold changes how far a class is generalized: choose boxes = cuts, or "
        "full-domain, which generalizes a column alike in all classes."
    ),
}
"""Attacks on how the method works, which a choice of the method counters."""
MOST_SURE = 0.79
"""Share of a value in a class, just below what the attack calls sure."""
FARTHEST = {"skewness": 0.29, "similarity": 0.2}
"""Distances of a class from the whole table, just below what an attack notices."""


def counter_of(
    name: str, content: Content, values: int | None = None
) -> dict[str, Any] | str | None:
    """The threshold that counters an attack, harder than what the file asks.

    Parameters
    ----------
    name : str
        The attack.
    content : dict
        The release file.
    values : int, optional
        Different values of the sensitive column that has fewest.

    Returns
    -------
    dict, str or None
        The threshold as a file states it; words if no threshold can; None if that is
        not known, as of a plugin's attack.

    Examples
    --------
    >>> counter_of("homogeneity", {"thresholds": [{"model": "k-anonymity", "k": 5}]})
    {'model': 'distinct-l-diversity', 'l': 2}
    >>> counter_of("linkage", {"thresholds": [{"model": "k-anonymity", "k": 5}]})
    {'model': 'k-anonymity', 'k': 10}
    """
    if name in OF_THE_METHOD:
        return OF_THE_METHOD[name]
    if name in LARGER_K:
        model = _k_model(content)
        k = _stated(content, model, "k")
        return {"model": model, "k": USUAL_K if k is None else max(2 * k, USUAL_K)}
    if name in ("homogeneity", "background-knowledge"):
        model, least = "distinct-l-diversity", 2 if name == "homogeneity" else 3
        stated = _stated(content, model, "l")
        wanted = least if stated is None else max(stated + 1, least)
        if values is not None and wanted > values:
            return (
                f"A sensitive column has {values} different values: whoever rules out "
                f"{values - 1} of them knows the other, whatever is asked. Leave the "
                "column out, or ask for t-closeness, so that a class tells little more "
                "than the whole table."
            )
        return {"model": model, "l": wanted}
    if name == "probabilistic-inference":
        model = "alpha-k-anonymity"
        stated = _stated(content, model, "alpha")
        alpha = MOST_SURE if stated is None else min(round(stated * 0.9, 3), MOST_SURE)
        k = _stated(content, _k_model(content), "k")
        return {"model": model, "alpha": alpha, "k": USUAL_K if k is None else k}
    if name in FARTHEST:
        stated, usual = _stated(content, "t-closeness", "t"), FARTHEST[name]
        found = usual if stated is None else min(round(stated / 2, 3), usual)
        return {"model": "t-closeness", "t": found}
    return None


def _k_model(content: Content) -> str:
    method, _ = stated_method(content)
    known = registry().anonymizers
    return str(known[method].k_model) if method in known else "k-anonymity"


def _stated(content: Content, model: str, parameter: str) -> Any:
    """What the file asks of a model already."""
    for one in content.get("thresholds") or ():
        if isinstance(one, dict) and one.get("model") == model and parameter in one:
            return one[parameter]
    return None


def counter(content: Content, wanted: Mapping[str, Any]) -> None:
    """Ask for a threshold: harder where the file has it, or else beside the others."""
    thresholds = [dict(one) for one in content.get("thresholds") or ()]
    same = [one for one in thresholds if one.get("model") == wanted["model"]]
    for one in same:
        one.update({key: v for key, v in wanted.items() if key in one})
    if not same:
        thresholds.append(dict(wanted))
    content["thresholds"] = thresholds


def threshold_words(wanted: Mapping[str, Any]) -> str:
    """A threshold in words, as ``k-anonymity with k = 10``."""
    asked = ", ".join(f"{k} = {v}" for k, v in wanted.items() if k != "model")
    return f"{wanted['model']} with {asked}"

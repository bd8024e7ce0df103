"""A published table, judged by a model, measured by a metric, attacked: by names.

Nothing here knows Great Expectations. What leaves this module is plain: numbers, names
and parameters, never a cell's value.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.attacks import AttackInput, AttackReport
from anon_transformers.engines import Engine, open_engine
from anon_transformers.evidence import (
    SUPPRESSED,
    Classes,
    GraphEvidence,
    Linkage,
    Memberships,
    Report,
)
from anon_transformers.evidence._references import open_sensitive
from anon_transformers.exceptions import (
    NotEvaluable,
    ParameterError,
    safe_words,
    unknown_choice,
)
from anon_transformers.graphs import open_graph
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import measure
from anon_transformers.parameters import is_whole
from anon_transformers.privacy import (
    Verdict,
    judge,
    judge_both,
    judge_each,
    judges_values,
    report_of,
)
from anon_transformers.privacy.probabilistic._disclosure import wanted_columns
from anon_transformers.registry import OUR_DISTRIBUTIONS, registry

ROUNDING = 1e-9
"""Degrees that are nearer to each other than this are taken for equal."""


def refuse_strange_degrees(degrees: np.ndarray, labels: np.ndarray) -> None:
    """Refuse degrees that are not those of the rows beside them.

    A row publishes the set in which its degree is largest, so that sets and published
    combinations go together one by one. Rows with two largest degrees may do either.
    """
    ordered = np.sort(degrees, axis=1)
    clear = ordered[:, -1] > ordered[:, -2:-1].max(axis=1, initial=0.0) + ROUNDING
    pairs = np.column_stack([degrees.argmax(axis=1), labels])[clear]
    n_pairs = len(np.unique(pairs, axis=0))
    if any(n_pairs != len(np.unique(pairs[:, side])) for side in (0, 1)):
        raise NotEvaluable("the degrees of membership do not fit the published labels.")


def refuse_elsewhere(frame: Any) -> None:
    """Refuse a table that is counted where it lives, for what needs its rows."""
    if open_engine(frame) is not None:
        raise NotEvaluable(
            "it needs the rows themselves, and the table lives in a database or in "
            "Spark, where they are only counted; read it into a data frame and "
            "validate that."
        )


def refuse_unknown_columns(frame: pd.DataFrame, names: Sequence[Hashable]) -> None:
    """Refuse to judge a table without a column that is named."""
    for name in names:
        if name not in frame.columns:
            raise NotEvaluable(unknown_choice("column", name, frame.columns))


ENDS = 2


def graph_evidence(
    frame: pd.DataFrame,
    ends: Sequence[Hashable],
    nodes: pd.DataFrame | None,
    functions: np.ndarray | None,
) -> GraphEvidence:
    """The graph whose edges ``frame`` lists, judged alone: no original is known here.

    ``ends`` are the two columns that name nodes. Without a node table, a row without a
    second name is a node without edges.
    """
    if len(ends) != ENDS:
        raise NotEvaluable(
            "it judges a graph, whose edges have two columns of node names; "
            f"quasi_identifiers names {len(ends)}."
        )
    refuse_unknown_columns(frame, ends)
    edges = frame[list(ends)]
    graph, _ = open_graph(edges if nodes is None else (edges, nodes))
    return GraphEvidence(graph, functions=functions)


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Scope:
    """Which columns are judged, and the label of a suppressed cell.

    Attributes
    ----------
    quasi_identifiers, sensitive : sequence
        Columns; at least one quasi-identifier.
    subject : hashable or None
        Column that tells persons apart.
    suppression_label : str
        The label of a suppressed cell.
    """

    quasi_identifiers: Sequence[Hashable]
    sensitive: Sequence[Hashable] = ()
    subject: Hashable | None = None
    suppression_label: str = SUPPRESSED

    def __post_init__(self) -> None:
        for role in ("quasi_identifiers", "sensitive"):
            names = getattr(self, role)
            if isinstance(names, str):
                raise ParameterError(
                    f"{role} must be a list of columns, got the string {names!r}."
                )
            object.__setattr__(self, role, tuple(names))
        if not self.quasi_identifiers:
            raise ParameterError(
                "quasi_identifiers is empty; name at least one column."
            )
        if not isinstance(self.suppression_label, str) or not self.suppression_label:
            raise ParameterError("suppression_label must be a text that is not empty.")

    def _once(self, kind: str, frame: pd.DataFrame, make: Callable[..., T]) -> T:
        """Make evidence of ``frame`` once per kind and columns in a gate."""
        context = _CONTEXT.get()
        if context is None:
            return make(frame)
        columns = (self.quasi_identifiers, self.sensitive, self.subject)
        key = (kind, *columns, self.suppression_label)
        if key not in context.made or context.made[key][0] is not frame:
            context.made[key] = (frame, make(frame))
        return context.made[key][1]

    def classes(self, frame: pd.DataFrame) -> Classes:
        """The equivalence classes of ``frame``."""
        return self._once("classes", frame, self._classes)

    def _classes(self, frame: pd.DataFrame) -> Classes:
        private = current_evidence()
        return Classes.from_frame(
            frame,
            self.quasi_identifiers,
            self.sensitive,
            self.subject,
            self.suppression_label,
            references=_of(self.sensitive, private.references),
            reference_persons=private.reference_persons,
            hierarchies=_of(self.sensitive, private.hierarchies),
            population=private.population,
        )

    def evidence(self, kind: str, frame: pd.DataFrame) -> Any:
        """What a model or metric judges of ``frame``: its classes, or its links."""
        if kind not in {"classes", "report"}:
            refuse_elsewhere(frame)
        if kind == "linkage":
            return self.linkage(frame)
        if kind == "memberships":
            return self.memberships(frame)[0]
        if kind == "graph":
            return self._once("graph", frame, self._graph)
        return self.classes(frame)

    def _graph(self, frame: pd.DataFrame) -> GraphEvidence:
        private = current_evidence()
        ends = self.quasi_identifiers
        return graph_evidence(frame, ends, private.nodes, private.functions)

    def linkage(self, frame: pd.DataFrame) -> Linkage:
        """Rows of the table beside those of the original, which only its maker has."""
        return self._once("linkage", frame, self._linkage)

    def _linkage(self, frame: pd.DataFrame) -> Linkage:
        private = current_evidence()
        if private.original is None:
            raise NotEvaluable(
                "it needs the original of each row and, where cells were swapped, "
                "their groups and links: private evidence of the run, which is "
                "removed when the table is published. An original table alone does "
                "not show them."
            )
        refuse_unknown_columns(frame, (*self.quasi_identifiers, *self.sensitive))
        # Persons are counted, and not published: they are no column that stayed.
        shared = [name for name in frame.columns if name in private.original.columns]
        columns = [name for name in shared if name != self.subject]
        if self.subject is not None and frame[self.subject].duplicated().any():
            raise NotEvaluable(
                "persons have several rows, and a group of k rows would not be k "
                "persons."
            )
        return Linkage(
            private.original,
            frame[columns],
            private.groups or {},
            private.sources,
            wanted=self.sensitive,
        )

    def groups(self, frame: pd.DataFrame, column: Hashable | None) -> list[Classes]:
        """Groups within which cells were swapped, each with the columns they hide.

        A table whose cells were swapped has its quasi-identifiers as they were: what
        an intruder learns of a value is what its group holds, not what its row shows.
        ``column`` leaves out the groups that do not hide this one.
        """
        found = self._once("groups", frame, self._groups)
        return [
            groups for hidden, groups in found if column is None or column in hidden
        ]

    def _groups(self, frame: pd.DataFrame) -> list[tuple[list[Hashable], Classes]]:
        """For each set of columns that were moved together: what it hides, groups."""
        linked, private = self.linkage(frame), current_evidence()
        persons = None if self.subject is None else identify(frame[self.subject])
        found = []
        for moved in linked.moved:
            hidden = wanted_columns(linked, moved)
            columns, references = open_sensitive(
                frame,
                hidden,
                _of(hidden, private.references),
                _of(hidden, private.hierarchies),
                subject=persons,
            )
            labels = linked.labels(moved)
            groups = Classes.from_labels(
                labels,
                int(labels.max()) + 1,
                sensitive=columns,
                subject=persons,
                references=references,
                reference_persons=private.reference_persons,
                origin="released",
            )
            found.append((hidden, groups))
        return found

    def memberships(self, frame: pd.DataFrame) -> tuple[Memberships, Memberships]:
        """Fuzzy classes of the rows that are kept; those that readers see of all."""
        return self._once("memberships", frame, self._memberships)

    def _memberships(self, frame: pd.DataFrame) -> tuple[Memberships, Memberships]:
        private = current_evidence()
        if private.degrees is None:
            raise NotEvaluable(
                "it needs the degrees of membership, which are private evidence of the "
                "run and are removed when the table is published."
            )
        if len(private.degrees) != len(frame):
            raise NotEvaluable(
                f"there are degrees of membership for {len(private.degrees)} rows, and "
                f"the table has {len(frame)}."
            )
        if self.subject is not None:
            raise NotEvaluable("degrees of membership count rows, and not persons.")
        classes = self.classes(frame)
        labels = np.asarray(classes.labels)
        shown = -1 if classes.suppressed is None else classes.suppressed
        kept = labels != shown
        of: dict[str, Any] = {
            "references": _of(self.sensitive, private.references),
            "hierarchies": _of(self.sensitive, private.hierarchies),
        }
        refuse_strange_degrees(private.degrees[kept], labels[kept])
        fuzzy, every = (
            Memberships.from_frame(
                private.degrees[rows], frame[rows], self.sensitive, **of
            )
            for rows in (kept, np.ones(len(frame), dtype=bool))
        )
        return fuzzy, every.crisp(labels)

    def attack_input(
        self, frame: pd.DataFrame, needs: Collection[str], control: str | None
    ) -> AttackInput:
        """What an intruder holds: the table, and of what is private what is needed.

        The register is the original of just the rows that are published: whoever knows
        these exactly knows most.
        """
        private = current_evidence()
        refuse_unknown_columns(frame, (*self.quasi_identifiers, *self.sensitive))
        controls = private.controls or {}
        if control is not None and control not in controls:
            raise NotEvaluable("control: the file is no evidence of this run.")
        tables = {
            "original": private.original,
            "external": private.original,
            "control": None if control is None else controls[control],
        }
        columns = (*self.quasi_identifiers, *self.sensitive)
        return AttackInput(
            frame,
            self.quasi_identifiers,
            self.sensitive,
            hierarchies=_of(columns, private.hierarchies),
            suppression_label=self.suppression_label,
            subject=self.subject,
            **{name: table for name, table in tables.items() if name in needs},
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, the columns in a list each."""
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "subject": self.subject,
            "suppression_label": self.suppression_label,
        }


@dataclass(frozen=True)
class PrivateEvidence:
    """Evidence that the table alone does not give: never part of a suite or a result.

    Attributes
    ----------
    references : mapping of column to mapping, optional
        How often the input has each value of a sensitive column, in rows or, where a
        subject is judged by, in persons.
    reference_persons : int, optional
        Persons of the input.
    hierarchies : mapping of column to Hierarchy, optional
        Which values of a sensitive column are near each other; for attacks also how
        quasi-identifiers are made more general.
    population : data frame, optional
        Quasi-identifiers of the population, recoded like the table.
    original : data frame, optional
        The input, its rows in the order of the table.
    groups, sources : mapping of columns to int array, optional
        Within which rows cells were moved, and from where, as in ``Linkage``.
    swapped : bool
        Cells were moved inside groups: models of sensitive values judge these groups,
        and nothing where they are not known.
    degrees : float array of shape (n_rows, n_sets), optional
        How much each row of the table belongs to each fuzzy class.
    nodes : data frame, optional
        Where the table lists edges of a graph: its nodes, as they are published.
    functions : int array, optional
        What maps the nodes of that graph onto each other, as in ``GraphEvidence``.
    controls : mapping of str to data frame, optional
        Rows of the same population that are not in the input, by the file that a
        threshold names.
    """

    references: Mapping[Any, Mapping[Any, int]] | None = None
    hierarchies: Mapping[Any, Hierarchy] | None = None
    reference_persons: int | None = None
    population: Any = None
    original: pd.DataFrame | None = None
    groups: Mapping[Any, np.ndarray] | None = None
    sources: Mapping[Any, np.ndarray] | None = None
    swapped: bool = False
    degrees: np.ndarray | None = None
    nodes: pd.DataFrame | None = None
    functions: np.ndarray | None = None
    controls: Mapping[str, pd.DataFrame] | None = None


@dataclass(frozen=True)
class _Context:
    """Private evidence of one gate, and the evidence that was made with it so far.

    ``made`` holds a frame and what was made of it, by kind and columns; ``opened`` a
    table that lives elsewhere and its engine. ``elsewhere`` is the table that the gate
    judges, where an empty frame with its columns stands for it.
    """

    private: PrivateEvidence
    elsewhere: Engine | None = None
    made: dict[Any, tuple[pd.DataFrame, Any]] = field(default_factory=dict)
    opened: dict[int, tuple[Any, Engine | None]] = field(default_factory=dict)


_CONTEXT: ContextVar[_Context | None] = ContextVar("context", default=None)


@contextmanager
def private_evidence(
    evidence: PrivateEvidence | None, elsewhere: Engine | None = None
) -> Iterator[None]:
    """Judge with private evidence, which does not go through a suite's parameters.

    Inside, evidence is made once per kind and columns, whatever the number of models;
    all of it is forgotten at the end. A table that is ``elsewhere`` is judged in place
    of the batch, which is empty.
    """
    token = _CONTEXT.set(_Context(evidence or PrivateEvidence(), elsewhere))
    try:
        yield
    finally:
        _CONTEXT.reset(token)


def current_evidence() -> PrivateEvidence:
    """The private evidence of the gate that runs; empty where there is none."""
    context = _CONTEXT.get()
    return PrivateEvidence() if context is None else context.private


def judged_elsewhere() -> Engine | None:
    """The table of the gate that runs, where it is only counted; None otherwise."""
    context = _CONTEXT.get()
    return None if context is None else context.elsewhere


def open_once(table: Any) -> Engine | None:
    """The engine of a table; in a gate one for all models, which counts once."""
    context = _CONTEXT.get()
    if context is None:
        return open_engine(table)
    key = id(table)
    if key not in context.opened or context.opened[key][0] is not table:
        context.opened[key] = (table, open_engine(table))
    return context.opened[key][1]


def _of(columns: Sequence[Hashable], given: Mapping[Any, T] | None) -> dict[Any, T]:
    """The part of ``given`` that is about these columns."""
    return {name: of for name, of in (given or {}).items() if name in columns}


def cells_were_swapped() -> bool:
    """Whether models of sensitive values are asked about groups of swapped cells."""
    return current_evidence().swapped


def discreetly(ask: Callable[P, T]) -> Callable[P, T]:
    """Let no error of ``ask`` carry a cell's value away.

    Errors of the library that our code raised are safe to repeat. Of any other only the
    type is named, and neither is chained: a trace prints the messages of everything
    that is.
    """

    @functools.wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return ask(*args, **kwargs)
        except Exception as error:
            reason = safe_words(error)
        raise NotEvaluable(reason)

    return asked


def build(kind: str, name: str, params: Mapping[str, Any]) -> Any:
    """Make a registered model, metric or attack."""
    return registry().of_thresholds(kind).build(name, params)


def judges_classes(kind: str, name: Any) -> bool:
    """Whether a model or metric is about the quasi-identifiers that are named."""
    catalog = registry().of_thresholds(kind)
    if not isinstance(name, str) or name not in catalog:
        return True
    return catalog[name].evidence in {"classes", "report"}


WHOLE_ONLY = {
    "linkage": "it compares rows with their originals, which only the whole table has",
    "memberships": "it judges degrees of membership, which only the whole table has",
    "graph": "it judges a graph, and some of its edges are another graph",
    "report": "it is taken from the report of the run, which is about the whole table",
    "attack": "it is an attack on the whole table, and a part of it is another table",
}
"""Evidence that a part of a table does not have, and why."""


def refuse_part(kind: str, name: Any) -> None:
    """Refuse to judge a part of the table by what only the whole one shows.

    Raises
    ------
    NotEvaluable
        If the model or metric needs such evidence, or cells were swapped in groups.
    """
    catalog = registry().of_thresholds(kind)
    known = isinstance(name, str) and name in catalog
    why = WHOLE_ONLY.get(catalog[name].evidence) if known else None
    if why is None and cells_were_swapped():
        why = "cells were swapped within groups of the whole table"
    if why is not None:
        raise NotEvaluable(f"row_condition: {why}.")


def parameters(built: Any) -> dict[str, Any]:
    """All parameters of a model or metric, defaults too, as plain values."""
    return {f.name: plain(getattr(built, f.name)) for f in fields(built)}


@discreetly
def judge_table(
    frame: Any, name: str, params: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Ask a privacy model about a table; says what was judged and what was found.

    ``frame`` is a data frame, or a table in an engine, which counts it.
    """
    model = build("model", name, params)
    if cells_were_swapped() and judges_values(model):
        groups = _lent("model", name, scope.groups(frame, model.sensitive))
        return _found(name, judge_each(model, groups), frame, scope, unit="groups")
    evidence = _lent("model", name, scope.evidence(model.evidence, frame))
    if model.evidence == "memberships":  # a fuzzy table is a crisp one to its readers
        both = _lent("model", name, scope.memberships(frame))
        verdict = judge_both(model, *both)
    else:
        verdict = judge(model, evidence)
    classes = evidence.n_classes if evidence.kind == "classes" else None
    unit = unit_of(model, int(verdict.units), classes)
    columns = (*scope.quasi_identifiers, *scope.sensitive)
    details = details_of(model, evidence, columns)
    return _found(name, verdict, frame, scope, unit=unit, details=details)


def _lent(kind: str, name: str, evidence: T) -> T:
    """Evidence for one model or metric; a stranger's gets a copy.

    Others are judged by the same evidence, and a stranger's code may write into it.
    """
    ours = registry().of_thresholds(kind).owner(name) in OUR_DISTRIBUTIONS
    return evidence if ours else copy.deepcopy(evidence)


def _found(
    name: str,
    verdict: Verdict,
    frame: pd.DataFrame,
    scope: Scope,
    *,
    unit: str,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What was judged and what was found, as plain values."""
    return {
        "judged": {
            "kind": "model",
            "name": name,
            "params": parameters(verdict.model),
            **scope.to_dict(),
        },
        "observed": _number(name, verdict.level),
        "passed": bool(verdict.passed),
        "rows": len(frame),
        "unit": unit,
        "units": int(verdict.units),
        "failing": int(verdict.failing),
        "details": dict(details or {}),
    }


def unit_of(model: Any, units: int, n_classes: int | None) -> str:
    """What was judged one by one, in a word."""
    # Of the class: an object has seen the evidence, and words of its own.
    word = getattr(type(model), "unit", None)
    if isinstance(word, str):
        return word
    return "classes" if units == n_classes else "units"


def details_of(
    model: Any, evidence: Any, columns: Sequence[Hashable]
) -> dict[str, Any]:
    """What else a model reports, in numbers; most report nothing.

    Numbers are given under names that are fixed before the table is: columns that are
    judged, parameters of the model, and what its class declares as ``details``.
    """
    if not hasattr(model, "report"):
        return {}
    declared = getattr(type(model), "details", ())
    names = {*map(str, columns), *(field.name for field in fields(model))}
    names |= {*declared} if isinstance(declared, tuple) else set()
    return numbers_only(report_of(model, evidence), names)


@discreetly
def measure_table(
    frame: Any,
    name: str,
    params: Mapping[str, Any],
    scope: Scope,
    report: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Take a metric of ``frame``, or of the report of the run that made it."""
    metric = build("metric", name, params)
    if not len(frame):
        raise NotEvaluable(f"{name} has nothing to judge: the table is empty.")
    evidence = _lent("metric", name, scope.evidence(metric.evidence, frame))
    if metric.evidence == "report":  # about columns that are there all the same
        evidence = read_report(name, report)
    return {
        "judged": {
            "kind": "metric",
            "name": name,
            "params": parameters(metric),
            **scope.to_dict(),
        },
        "observed": _number(name, measure(metric, evidence)),
        "rows": len(frame),
    }


@discreetly
def attack_table(
    frame: Any,
    name: str,
    params: Mapping[str, Any],
    scope: Scope,
    control: str | None = None,
) -> dict[str, Any]:
    """Attack ``frame``; says what was done and which share of it was exposed."""
    attack = build("attack", name, params)
    refuse_elsewhere(frame)
    if attack.kind != "table":
        raise NotEvaluable(f"{name} attacks no table.")
    held = _lent("attack", name, scope.attack_input(frame, attack.needs, control))
    report = attack.run_on(held)
    # A stranger's report may say anything; a share below 0 would pass every bound.
    counts = getattr(report, "exposed", None), getattr(report, "rows", None)
    whole = all(is_whole(plain(count)) for count in counts)
    if not isinstance(report, AttackReport) or not whole:
        raise NotEvaluable(f"{name} did not report how many rows it exposes.")
    exposed, rows = (int(plain(count)) for count in counts)
    if not 0 <= exposed <= rows or rows < 1:
        raise NotEvaluable(f"{name} does not report a share of the rows.")
    return {
        "judged": {
            "kind": "attack",
            "name": name,
            "params": parameters(attack),
            **scope.to_dict(),
            "control": control,
        },
        "observed": exposed / rows,
        "rows": len(frame),
        "unit": "rows" if scope.subject is None else "persons",
        "units": rows,
        "failing": exposed,
    }


def read_report(name: str, report: Mapping[str, Any] | None) -> Report:
    """The report of a run, from its fields."""
    if report is None:
        raise NotEvaluable(f"{name} needs the report of the run, and there is none.")
    needed = inspect.signature(Report).parameters
    missing = [
        key
        for key, field in needed.items()
        if field.default is field.empty and key not in report
    ]
    unknown = [str(key) for key in report if key not in needed]
    if missing or unknown:
        raise NotEvaluable(
            f"{name} needs the report of the run; of the fields given, "
            f"{', '.join(missing) or 'none'} are missing and "
            f"{', '.join(unknown) or 'none'} are unknown."
        )
    return Report(**report)


def plain(value: Any) -> Any:
    """The same as what JSON holds; of anything else the name of its type."""
    if isinstance(value, np.generic):
        return plain(value.item())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return type(value).__name__


def numbers_only(value: Any, names: Collection[str] | None = None) -> Any:
    """The numbers in nested mappings and lists; texts and objects are left out.

    With ``names``, so is what stands under other ones, or other lists of them.

    Examples
    --------
    >>> numbers_only({"found": 2, "age, zip": 3, "Ann": 1}, {"found", "age", "zip"})
    {'found': 2, 'age, zip': 3}
    """
    value = plain(value)
    if isinstance(value, dict):
        kept = {
            key: numbers_only(item, names)
            for key, item in value.items()
            if names is None or key in names or {*key.split(", ")} <= {*names}
        }
        return {key: item for key, item in kept.items() if item is not None}
    if isinstance(value, list):
        kept_items = (numbers_only(item, names) for item in value)
        return [item for item in kept_items if item is not None]
    return value if isinstance(value, bool | int | float) else None


def _number(name: str, value: Any) -> int | float:
    """A plain number; anything else could be a cell's value."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotEvaluable(f"{name} did not answer with a number.")
    return value

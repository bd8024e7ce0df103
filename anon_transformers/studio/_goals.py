"""What a release file asks for: its method, and thresholds; and edits of them.

Everything that is read from a form becomes keys of the file. A parameter that the
library refuses is refused here, in its words; whether method and thresholds go
together is another question, for one is changed before the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import (
    AnonymizationError,
    ParameterError,
    safe_words,
)
from anon_transformers.gx._threshold import KINDS, Threshold
from anon_transformers.registry import registry
from anon_transformers.studio._first_rows import (
    TriedRows,
    first_rows,
    stamp_of,
    try_rows,
)
from anon_transformers.studio._forms import (
    GOAL,
    Field,
    method_fields,
    read_form,
    threshold_fields,
)
from anon_transformers.studio._project import Content, Project

PREFIX = "p-"
"""What the names of inputs begin with that are parameters."""
TABLES = ("table", "linked")
"""Kinds of anonymizers that make a table."""
OF_TABLES = ("classes", "report", "linkage", "memberships")
"""Evidence that there is of a table."""
IN_FRONT = ("suppression_limit", "suppression")
"""Parameters of a method that are shown before the others."""


@dataclass(frozen=True)
class Offer:
    """A method that is registered for tables.

    Attributes
    ----------
    name, summary : str
        Its registered name, and what it does.
    refusal : str
        Why a release would refuse it with this file; empty if it would not.
    lacks : str
        The model of its own k, if that is why; empty otherwise.
    doubt : str
        Why it may make no table though it is not refused; empty if nothing is known.
    """

    name: str
    summary: str
    refusal: str = ""
    lacks: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class StatedThreshold:
    """A threshold of the file, and the form to change it.

    Attributes
    ----------
    at : int
        Its place in the list; -1 for one that is not there yet.
    kind, name, summary : str
        "model" or "metric", its registered name, and what it asks.
    stated : mapping
        What the file states.
    fields : tuple of Field
        Empty if there is no such model or metric.
    fault : str
        What is wrong with it, in the words of the library.
    """

    at: int
    kind: str
    name: str
    summary: str
    stated: Mapping[str, Any]
    fields: tuple[Field, ...] = ()
    fault: str = ""

    @property
    def title(self) -> str:
        """Its id, or else its name."""
        return str(self.stated.get("id", self.name))

    @property
    def front(self) -> tuple[Field, ...]:
        """Fields that are shown: numbers, and what the file states."""
        shown = [f.name for f in self.fields if f.required or f.name in self.stated]
        shown += [f.name for f in self.fields if f.name == "sensitive"]
        # Of the bounds of a metric the first one is that which keeps what is bad out.
        shown += [f.name for f in self.fields[:1] if self.kind == "metric"]
        return tuple(f for f in self.fields if f.name in shown)

    @property
    def others(self) -> tuple[Field, ...]:
        """Fields that are folded away."""
        return tuple(f for f in self.fields if f not in self.front)

    @property
    def words(self) -> str:
        """What it asks for, in a few words.

        Examples
        --------
        >>> stated = {"model": "k-anonymity", "k": 5}
        >>> StatedThreshold(0, "model", "k-anonymity", "", stated).words
        'k-anonymity (k 5)'
        """
        own = {k: v for k, v in self.stated.items() if k not in ("id", self.kind)}
        listed = ", ".join(f"{key} {value}" for key, value in own.items())
        return f"{self.title} ({listed})" if listed else self.title


@dataclass(frozen=True)
class Preset:
    """Thresholds that are stated together.

    Attributes
    ----------
    name, words : str
        How a form names it, and what it asks.
    models : tuple of (str, mapping)
        Models and their parameters; the first is the one of ``k``.
    metrics : tuple of (str, mapping)
        Metrics and their bounds.
    """

    name: str
    words: str
    k: int
    models: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    metrics: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    def thresholds(self, k_model: str) -> list[dict[str, Any]]:
        """As a file states them, for a method whose k is judged by a model."""
        return [
            {"model": k_model, "k": self.k},
            *({"model": name, **params} for name, params in self.models),
            *({"metric": name, **bounds} for name, bounds in self.metrics),
        ]


PRESETS = (
    Preset("k5", "k 5: nobody is told apart from four others", 5),
    Preset(
        "k10-l3",
        "k 10, distinct l 3: ten persons, with three different sensitive values",
        10,
        (("distinct-l-diversity", {"l": 3}),),
    ),
    Preset(
        "k5-t02",
        "k 5, t 0.2: sensitive values are spread almost as in the whole table",
        5,
        (("t-closeness", {"t": 0.2}),),
    ),
    Preset(
        "strict",
        "strict: k 20, distinct l 2, t 0.15, and no average risk above 2 %",
        20,
        (("distinct-l-diversity", {"l": 2}), ("t-closeness", {"t": 0.15})),
        (("average-risk", {"max": 0.02}),),
    ),
)


# The method.


def stated_method(content: Content) -> tuple[str, dict[str, Any]]:
    """Name of the method and the parameters that the file states."""
    given = content.get("anonymizer")
    if not isinstance(given, dict):
        return (given if isinstance(given, str) else ""), {}
    params = {key: value for key, value in given.items() if key != "name"}
    return str(given.get("name", "")), params


def fields_of_method(content: Content) -> tuple[Field, ...]:
    """The form of the method, the most asked for first; empty if there is none."""
    name, params = stated_method(content)
    known = registry().anonymizers
    if name not in known:
        return ()
    found = method_fields(known[name], params)
    front = [field for key in IN_FRONT for field in found if field.name == key]
    return (*front, *(field for field in found if field.name not in IN_FRONT))


def choose_method(name: str) -> "Edit":
    """The edit that takes another method; what it suppresses stays the same."""
    from anon_transformers.release._settings import CARRIED

    known = registry().anonymizers
    known.require(name)

    def change(content: Content) -> None:
        _, params = stated_method(content)
        takes = {field.name for field in method_fields(known[name])}
        kept = {key: params[key] for key in CARRIED if key in params and key in takes}
        content["anonymizer"] = {"name": name, **kept}

    return Edit(f"method: {name}", change)


def state_parameters(project: Project, form: Mapping[str, Any]) -> "Edit":
    """The edit that states what the form of the method says.

    Raises
    ------
    ParameterError, ConfigurationError
        If the method does not take it.
    """
    content = project.content
    name, params = stated_method(content)
    fields = fields_of_method(content)
    shown = {field.name for field in fields}
    kept = {key: value for key, value in params.items() if key not in shown}
    stated = {"name": name, **kept, **read_form(fields, form, PREFIX)}
    _refuse_parameters(project, stated)

    def change(content: Content) -> None:
        content["anonymizer"] = stated

    return Edit(f"parameters of {name}", change)


def _refuse_parameters(project: Project, stated: Mapping[str, Any]) -> None:
    """Refuse what the method refuses, alone or as this release would make it."""
    known, name = registry().anonymizers, str(stated["name"])
    own = {key: v for key, v in stated.items() if key not in ("name", *GOAL)}
    made = known.build(name, {**known[name].release_defaults(own), **own})
    made._check_parameters()
    if project.fault is None and not try_method(project, None).refusal:
        refusal = try_method(project, stated).refusal
        if refusal:
            raise ParameterError(refusal)


def try_method(
    project: Project, method: Mapping[str, Any] | None, rows: Any = None
) -> TriedRows:
    """Why a release would refuse the file, with another method or as it is.

    Parameters
    ----------
    project : Project
        Whose file it is.
    method : mapping or None
        As a file states it; None for the one of the file.
    rows : data frame, optional
        First rows of the source, which the method is let read.
    """
    from anon_transformers.release._anonymizer import check_gate, make_anonymizer
    from anon_transformers.release._config import Method
    from anon_transformers.release._forms import form_of

    try:
        config = project.config
        if method is not None:
            update = {"anonymizer": Method.model_validate(dict(method))}
            config = config.model_copy(update=update)
        anonymizer = make_anonymizer(config, config.thresholds)
        check_gate(form_of(config), config.thresholds)
    except Exception as error:  # a stranger's, too: it keeps no page from opening
        return TriedRows(safe_words(error))
    return try_rows(anonymizer, config, rows)


def offers(project: Project) -> tuple[Offer, ...]:
    """All methods of tables, with why a release of this file would refuse some."""
    return _offers(project.file, project.text, project.period, stamp_of(project))


@lru_cache(maxsize=8)
def _offers(file: Path, text: str, period: str | None, stamp: str) -> tuple[Offer, ...]:
    project, known = Project(file), registry().anonymizers
    name, params = stated_method(project.content)
    whole = project.fault is None
    rows = first_rows(project) if whole and stamp else None
    found = []
    for one in known:
        if known.fault(one) is not None or known[one].kind not in TABLES:
            continue
        stated = {"name": one, **(params if one == name else {})}
        refusal, doubt = try_method(project, stated, rows) if whole else TriedRows()
        k_model = known[one].k_model
        lacks = k_model if refusal and f"model: {k_model}" in refusal else ""
        summary = known.summary(one).replace("``", "")
        found.append(Offer(one, summary, refusal, lacks, doubt))
    return tuple(found)


# Thresholds.


def stated_thresholds(content: Content) -> list[StatedThreshold]:
    """The thresholds of the file with their forms, in its order."""
    given = content.get("thresholds")
    return [
        _described(at, one, content)
        for at, one in enumerate(given if isinstance(given, list) else ())
    ]


def new_threshold(kind: str, name: str, content: Content) -> StatedThreshold:
    """A threshold that is not there yet.

    Raises
    ------
    ParameterError
        If nothing of that kind is registered under the name.
    """
    if kind not in KINDS:
        raise ParameterError(
            f"a threshold is a model, a metric or an attack, not {kind!r}."
        )
    registry().of_thresholds(kind).require(name)
    return _described(-1, {kind: name}, content)


def _described(at: int, stated: Any, content: Content) -> StatedThreshold:
    if not isinstance(stated, dict):
        return StatedThreshold(at, "", str(stated), "", {}, fault="no model or metric.")
    kind = next((key for key in KINDS if key in stated), "")
    name = str(stated.get(kind, ""))
    known = registry().of_thresholds(kind)
    if not kind or name not in known:
        fault = "nothing is registered under this name."
        return StatedThreshold(at, kind, name, "", stated, fault=fault)
    try:
        fields = threshold_fields(kind, name, known[name], sensitive_columns(content))
        fault = "" if at < 0 else _fault_of(stated)
    except AnonymizationError as error:
        fields, fault = (), str(error)
    summary = known.summary(name).replace("``", "")
    return StatedThreshold(at, kind, name, summary, stated, fields, fault)


def _fault_of(stated: Mapping[str, Any]) -> str:
    try:
        _refuse_threshold(stated)
    except AnonymizationError as error:
        return str(error)
    return ""


def _refuse_threshold(stated: Mapping[str, Any]) -> None:
    from anon_transformers.release._build import check_threshold

    check_threshold(Threshold.read(stated))


def sensitive_columns(content: Content) -> list[str]:
    """The sensitive columns that the file names."""
    roles = content.get("roles")
    given = roles.get("sensitive") if isinstance(roles, dict) else None
    return [str(name) for name in given] if isinstance(given, list) else []


def known_thresholds() -> dict[str, list[tuple[str, str]]]:
    """Models and metrics that judge tables, each with what it asks."""
    found: dict[str, list[tuple[str, str]]] = {}
    for kind in KINDS:
        known = registry().of_thresholds(kind)
        usable = (name for name in known if known.fault(name) is None)
        found[kind] = [
            (name, known.summary(name).replace("``", ""))
            for name in usable
            if known[name].evidence in OF_TABLES
            and not getattr(known[name], "needs_population", False)
        ]
    return found


def state_threshold(
    project: Project, kind: str, name: str, at: int, form: Mapping[str, Any]
) -> "Edit":
    """The edit that adds a threshold (``at=-1``), or changes the one at a place.

    Raises
    ------
    ParameterError, ConfigurationError
        If the model or metric does not take it.
    """
    content = project.content
    asked = new_threshold(kind, name, content)
    params = read_form(asked.fields, form, PREFIX)
    called = params.pop("id", None)
    taken = [one.title for one in stated_thresholds(content) if one.at != at]
    if called is None and name in taken:
        called = _free_id(name, taken)
    stated = {kind: name, **params, **({} if called is None else {"id": called})}
    _refuse_threshold(stated)
    if called in taken:
        raise ParameterError(f"{called!r} is given twice; give each an id of its own.")

    def change(content: Content) -> None:
        given = content.get("thresholds")
        listed = list(given) if isinstance(given, list) else []
        if at < 0:
            listed.append(stated)
        else:
            _refuse_no_place(at, listed)
            listed[at] = stated
        content["thresholds"] = listed

    return Edit(f"{'add' if at < 0 else 'change'} {called or name}", change)


def state_thresholds(
    project: Project, form: Mapping[str, Any], without: int | None = None
) -> "Edit":
    """The edit that states all thresholds as one form says, and may remove one.

    Raises
    ------
    ParameterError, ConfigurationError
        If the list was changed since the form was shown, or a model or metric does not
        take what it says.
    """
    there = stated_thresholds(project.content)
    shown = [form.get(f"{place_of(one.at)}of") for one in there]
    ahead = form.get(f"{place_of(len(there))}of")
    if shown != [f"{one.kind}:{one.name}" for one in there] or ahead is not None:
        raise ParameterError("the list was changed meanwhile; see it again.")
    listed = [_read(one, form) for one in there if one.at != without]
    ids = [str(one.get("id", next(iter(one.values()), ""))) for one in listed]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise ParameterError(f"{twice!r} is given twice; give each an id of its own.")

    def change(content: Content) -> None:
        content["thresholds"] = listed

    return Edit("thresholds" if without is None else "remove a threshold", change)


def place_of(at: int) -> str:
    """What the names of inputs begin with that are of the threshold at a place."""
    return f"t{at}-"


def _read(one: StatedThreshold, form: Mapping[str, Any]) -> dict[str, Any]:
    """A threshold as a form states it; one that has no form stays as it is."""
    if not one.fields:
        return dict(one.stated)
    stated = {
        one.kind: one.name,
        **read_form(one.fields, form, f"{place_of(one.at)}{PREFIX}"),
    }
    _refuse_threshold(stated)
    return stated


def add_k_model(content: Content, method: str) -> "Edit":
    """The edit that adds the model that judges a method's own k, with the stated k."""
    known = registry().anonymizers
    known.require(method)
    model = known[method].k_model
    stated = [one for one in stated_thresholds(content) if "k" in one.stated]
    k = stated[0].stated["k"] if stated else PRESETS[0].k

    def change(content: Content) -> None:
        given = content.get("thresholds")
        listed = list(given) if isinstance(given, list) else []
        content["thresholds"] = [*listed, {"model": model, "k": k}]

    return Edit(f"add {model}", change)


def _free_id(name: str, taken: Sequence[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def remove_threshold(at: int) -> "Edit":
    """The edit that removes the threshold at a place."""

    def change(content: Content) -> None:
        given = content.get("thresholds")
        listed = list(given) if isinstance(given, list) else []
        _refuse_no_place(at, listed)
        del listed[at]
        content["thresholds"] = listed

    return Edit("remove a threshold", change)


def _refuse_no_place(at: int, listed: Sequence[Any]) -> None:
    if not 0 <= at < len(listed):
        raise ParameterError("there is no such threshold any more.")


def state_preset(name: str) -> "Edit":
    """The edit that states the thresholds of a preset, in place of all others."""
    found = next((one for one in PRESETS if one.name == name), None)
    if found is None:
        raise ParameterError("there is no such preset.")

    def change(content: Content) -> None:
        method, _ = stated_method(content)
        known = registry().anonymizers
        k_model = known[method].k_model if method in known else "k-anonymity"
        content["thresholds"] = found.thresholds(k_model)

    return Edit(f"thresholds: {found.words.partition(':')[0]}", change)


@dataclass(frozen=True)
class Edit:
    """A change of the file, and the words for it."""

    words: str
    change: Any

    def apply(self, project: Project) -> None:
        """Change the file."""
        project.edit(self.words, self.change)

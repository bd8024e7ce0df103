"""The method of a release: what it is made with, and what it must promise."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from anon_transformers.base import BaseAnonymizer, TableAnonymizer
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    ParameterError,
    UnknownValuesError,
)
from anon_transformers.gx._judging import Scope
from anon_transformers.gx._suites import refuse_unjudged
from anon_transformers.gx._threshold import Threshold, refuse_bad_thresholds
from anon_transformers.gx.gate import parameters_for, read_suite, wanted
from anon_transformers.privacy import PrivacyModel, judges_values, stands_alone
from anon_transformers.privacy._judge import parameters
from anon_transformers.release._build import (
    build,
    check_threshold,
    evidence_kinds,
    installed,
    make_hierarchies,
    make_model,
    named,
)
from anon_transformers.release._config import ReleaseConfig, refused_under
from anon_transformers.release._forms import Form, form_of
from anon_transformers.release._stated_composition import refuse_not_composable
from anon_transformers.release._stated_method import NO_SEED
from anon_transformers.release._stated_recoding import refuse_no_cells, reuses_cells

Made = TypeVar("Made")
KEPT = {"keep_links": "linkage", "keep_memberships": "memberships"}
"""Parameters that have an anonymizer keep evidence, and the kind of it."""
FIXED_PARAMETERS = ("relabel", "keep_mapping")
"""Parameters of graphs that no release may state: names go, and nobody keeps them."""


def check_gate(form: Form, thresholds: Sequence[Threshold]) -> None:
    """Refuse before the run what the gate would refuse at its end, or not judge."""
    config = form.config
    crisp = any(t.name == "k-anonymity" for t in thresholds)
    if "memberships" in evidence_kinds(thresholds) and not crisp:
        raise ConfigurationError(
            "thresholds: a fuzzy release is judged as a crisp table too, by the labels "
            "it publishes; add {model: k-anonymity, k: …}."
        )
    if config.pseudonyms is not None and not form.takes_pseudonyms:
        raise ConfigurationError(
            f"pseudonyms: {config.anonymizer.name} makes no rows that a pseudonym "
            "could stand for; leave them out."
        )
    refuse_not_composable(form, thresholds)
    refuse_other_evidence(form, thresholds)
    refuse_unmade_columns(form, thresholds)
    scope = Scope(form.judged_columns, config.roles.sensitive, config.roles.subject)
    refuse_unjudgeable(thresholds, scope)
    refuse_without_model(form, thresholds)
    refuse_undeclared_values(form, thresholds)
    if config.suite is not None:
        suite = read_suite(config.path(config.suite))
        try:
            refuse_unjudged(suite, thresholds)
        except ConfigurationError as error:
            raise ConfigurationError(f"suite {config.suite}: {error}") from None


def refuse_without_model(form: Form, thresholds: Sequence[Threshold]) -> None:
    """Refuse thresholds that no privacy model is among, or not the one of swaps.

    A model that rows may satisfy as they are, such as k = 1 or a bound on how values
    are distributed, is none beside nothing else (:func:`stands_alone`). Metrics say
    how much was changed, and the source itself changes least. Cells that were swapped
    look like those of the source to every model but that of the swapper.
    """
    cls = form.method
    models = {t.name for t in thresholds if t.kind == "model"}
    add = f"add {{model: {cls.k_model}, k: …}}."
    if not models:
        raise ConfigurationError(
            "thresholds: none is a privacy model, and metrics alone would pass the "
            f"source as it is; {add}"
        )
    if form.swaps and cls.k_model not in models:
        raise ConfigurationError(
            f"thresholds: {form.config.anonymizer.name} swaps cells, and none of "
            f"{', '.join(sorted(models))} judges whether they moved; {add}"
        )
    asked = [make_model(t) for t in thresholds if t.kind == "model"]
    if not any(map(stands_alone, asked)):
        numbers = [number for model in asked for number in _asked_of(model)]
        alone = len(numbers) == 1
        raise ConfigurationError(
            f"thresholds: {', '.join(numbers)} promise{'s' * alone} nothing by "
            f"{'itself' if alone else 'themselves'}: a person who stands alone may "
            f"pass; ask for k of at least 2 with {{model: {cls.k_model}, k: …}}."
        )


def refuse_undeclared_values(form: Form, thresholds: Sequence[Threshold]) -> None:
    """Refuse models of one value per person, unless the file says that it is so.

    A source in which persons happen to have one value today may have several tomorrow,
    and these have no distribution over persons. What is declared is checked when the
    source is loaded.
    """
    roles = form.config.roles
    if roles.subject is None:
        return
    for threshold in (t for t in thresholds if t.kind == "model"):
        model = make_model(threshold)
        if not getattr(model, "one_value_per_person", False):
            continue
        named = getattr(model, "sensitive", None)
        judged = roles.sensitive if named is None else [named]
        lacking = [c for c in judged if c not in roles.one_value_per_person]
        if lacking:
            declared = [*roles.one_value_per_person, *lacking]
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} compares distributions "
                "of one value per person, and roles names a subject. If each person "
                f"has one value in {', '.join(map(repr, lacking))}, declare it with "
                f"'one_value_per_person: [{', '.join(declared)}]' under roles; if not, "
                "judge by another model, such as distinct-l-diversity."
            )


def _asked_of(model: PrivacyModel) -> list[str]:
    """What a model asks for, with its defaults; its name, where that is no number."""
    given = {name: getattr(model, name, None) for name in model.tighter}
    numbers = [f"{n}={v:g}" for n, v in given.items() if isinstance(v, int | float)]
    return numbers or [model.name]


def refuse_other_evidence(form: Form, thresholds: Sequence[Threshold]) -> None:
    """Refuse thresholds of tables for a graph, and those of graphs for a table."""
    for threshold in thresholds:
        kind = named(threshold).evidence
        if kind != "report" and not form.judges(kind):
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} judges {kind}, and this "
                f"release publishes {form.noun}."
            )


def refuse_unmade_columns(form: Form, thresholds: Sequence[Threshold]) -> None:
    """Refuse thresholds about columns that the method does not make itself.

    A column of the source that happens to have such a name proves nothing.
    """
    made = getattr(form.method, "columns_made", ())
    for threshold in thresholds:
        needed = getattr(named(threshold), "needs_columns", ())
        lacking = [name for name in needed if name not in made]
        if lacking:
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} judges what a method "
                f"writes into {', '.join(lacking)}, and {form.config.anonymizer.name} "
                "writes no such column."
            )


def refuse_unjudgeable(thresholds: Sequence[Threshold], scope: Scope) -> None:
    """Refuse thresholds that no table could be judged by."""
    refuse_bad_thresholds(thresholds)
    parameters_for(thresholds, scope)
    for threshold in thresholds:
        with refused_under(f"thresholds, {threshold.id}"):
            wanted(threshold, scope)
            counted = getattr(named(threshold), "counts_persons", True)
            if scope.subject is not None and not counted:
                raise ParameterError(
                    f"{threshold.name} counts rows and not persons, and roles names a "
                    "subject."
                )
            needs = getattr(named(threshold), "needs", ())
            if "sensitive" in needs and not scope.sensitive:
                raise ParameterError(
                    f"{threshold.name} needs roles.sensitive, and it names no column."
                )


def make_anonymizer(
    config: ReleaseConfig, thresholds: tuple[Threshold, ...]
) -> BaseAnonymizer:
    """Make the anonymizer, with the release's models unless it states its own."""
    form, stated = form_of(config), config.anonymizer.params
    cls = form.method
    models = [make_model(t) for t in thresholds if t.kind == "model"]
    what = f"anonymizer {config.anonymizer.name}"
    if cls.kind not in form.kinds:
        raise ConfigurationError(
            f"{what}: it anonymizes a {cls.kind}, and the source is {form.noun} "
            "(source.kind)."
        )
    for column in config.roles.both:
        if not form.swaps:
            raise ConfigurationError(
                f"roles: column {column!r} is declared as quasi_identifiers and as "
                f"sensitive, and {config.anonymizer.name} does not hide from one "
                "intruder what another one knows; anonymizers that swap cells do."
            )
    params = form.parameters()
    if config.hierarchies:
        params["hierarchies"] = make_hierarchies(config, config.hierarchies)
    params |= _promised(cls, models) | _kept(what, cls, stated, thresholds)
    if "models" in stated:
        stated["models"] = _stated_models(what, stated["models"])
    params |= cls.release_defaults(stated)
    catalog, name = installed().anonymizers, config.anonymizer.name
    anonymizer = build(what, catalog, name, {**params, **stated})
    refuse_seeds(what, anonymizer)
    refuse_no_cells(config, anonymizer)
    if getattr(anonymizer, "reproduction_only", False):
        raise ConfigurationError(
            f"{what}: with these parameters it reproduces published numbers only, and "
            "tells more of the suppressed rows than a release may."
        )
    fault = _parameter_fault(config, anonymizer)
    if fault is not None:
        raise ConfigurationError(f"{what}: {fault}")
    return anonymizer


def _parameter_fault(config: ReleaseConfig, anonymizer: BaseAnonymizer) -> str | None:
    """Why an anonymizer refuses its parameters.

    A plugin's words are shown, too: they are about what the file states. No table has
    been handed to it, whose cells it could quote.
    """
    try:
        if isinstance(anonymizer, TableAnonymizer):
            anonymizer._promise()
        anonymizer._check_parameters()
        anonymizer._check_release()
        if reuses_cells(config) or method_may_suppress(anonymizer):
            refuse_labels_of_suppressed(anonymizer)
    except ParameterError as error:
        return str(error)
    return None


def refuse_seeds(what: str, anonymizer: BaseAnonymizer) -> None:
    """Refuse a seed that the file does not state: a default, or one of a part."""
    # One that a constructor sets without asking is no parameter.
    own = {"random_state": getattr(anonymizer, "random_state", None)}
    for name, given in {**own, **anonymizer.get_params(deep=True)}.items():
        if name.split("__")[-1] == "random_state" and given is not None:
            raise ConfigurationError(f"{what}: {name}: {NO_SEED}")


def method_may_suppress(anonymizer: BaseAnonymizer) -> bool:
    """Whether some rows may not be published, or show nothing."""
    # None is a rule of the method's own, which suppresses too.
    return getattr(anonymizer, "suppression_limit", 0) != 0


def unknown_by_key(make: Callable[[], Made]) -> Made:
    """Make something; an error about unknown values speaks in the keys of the file."""
    try:
        return make()
    except UnknownValuesError as error:
        keys = ", ".join(
            f"hierarchies.{name}.unknown ({count:,} rows)"
            for name, count in error.rows.items()
        )
    raise DataError(
        f"values that hierarchies do not have: {keys}. What becomes of them is error, "
        "the default; state suppress (within anonymizer.suppression_limit) or root "
        "there, or add the values to the hierarchies."
    )


def refuse_labels_of_suppressed(anonymizer: BaseAnonymizer) -> None:
    """Refuse labels that are made of all values, where some rows are not published.

    Whoever is dropped, not one cell of whom is published, would show in the labels of
    the others. Only methods know what their own labels are made of, and refuse them in
    ``_check_release``.

    Raises
    ------
    ParameterError
        With the column and what to state instead.
    """
    for name, sentence in extremes_of_hierarchies(anonymizer).items():
        raise ParameterError(
            f"hierarchies, {name}: {sentence} Where rows are suppressed, labels would "
            "tell of the suppressed rows too; state what does not, or "
            "suppression_limit: 0."
        )


def extremes_of_hierarchies(anonymizer: BaseAnonymizer) -> dict[Any, str]:
    """What labels of hierarchies show of single persons, by column.

    Cells that are swapped and names of sets are no labels of a hierarchy, and columns
    that are not generalized have none.
    """
    if anonymizer.publishes in {"swaps", "names"}:
        return {}
    columns = getattr(anonymizer, "quasi_identifiers", None)
    hierarchies = dict(getattr(anonymizer, "hierarchies", None) or {})
    if isinstance(anonymizer, TableAnonymizer):
        hierarchies = {**anonymizer._own_hierarchies(), **hierarchies}
    said = {name: getattr(made, "extremes", "") for name, made in hierarchies.items()}
    return {
        name: sentence
        for name, sentence in said.items()
        if sentence and (not columns or name in columns)
    }


def extremes_of(anonymizer: BaseAnonymizer) -> str:
    """What published values show of single persons: the method, its hierarchies."""
    said = extremes_of_hierarchies(anonymizer).items()
    sentences = [f"hierarchies, {name}: {sentence}" for name, sentence in said]
    return " ".join(filter(None, [anonymizer.extremes, *sentences]))


def _promised(cls: Any, models: Sequence[PrivacyModel]) -> dict[str, Any]:
    """What an anonymizer is asked to promise of the thresholds: k, and its models."""
    takes = inspect.signature(cls).parameters
    sizes = [parameters(m)["k"] for m in models if m.name == cls.k_model]
    asked: dict[str, Any] = {"k": max(sizes)} if sizes and "k" in takes else {}
    if "models" in takes:
        asked["models"] = [
            model
            for model in models
            if model.evidence in cls.model_evidence
            and model.name != cls.k_model
            and (cls.kind != "linked" or judges_values(model))
        ]
    return asked


def _kept(
    what: str, cls: Any, stated: Mapping[str, Any], thresholds: Sequence[Threshold]
) -> dict[str, bool]:
    """Private evidence that the gate needs, and an anonymizer must keep."""
    for keep in (*KEPT, *FIXED_PARAMETERS):
        if keep in stated:
            why = "nodes are always renamed, and nobody keeps how"
            if keep in KEPT:
                why = "what the gate needs is kept as long as it is needed"
            raise ConfigurationError(
                f"{what}: {keep} cannot be chosen in a release: {why}."
            )
    takes, needed = inspect.signature(cls).parameters, evidence_kinds(thresholds)
    if "memberships" in needed and "keep_memberships" not in takes:
        raise ConfigurationError(
            f"{what}: it makes no fuzzy sets, and a threshold judges degrees in them."
        )
    return {keep: True for keep in KEPT if keep in takes and KEPT[keep] in needed}


def _stated_models(what: str, stated: Any) -> list[PrivacyModel]:
    """The models that an anonymizer states for itself, written like thresholds."""
    if not isinstance(stated, list | None):
        raise ConfigurationError(f"{what}: models must be a list.")
    asked = []
    for at, model in enumerate(stated or []):
        try:
            asked.append(Threshold.read(model))
        except ConfigurationError as error:
            raise ConfigurationError(f"{what}: models: {at}: {error}") from None
    for threshold in asked:
        if threshold.kind != "model":
            raise ConfigurationError(
                f"{what}: models: {threshold.id} is no privacy model, and no method "
                f"aims at one {threshold.kind}; state it under thresholds."
            )
        check_threshold(threshold)
    return [make_model(threshold) for threshold in asked]

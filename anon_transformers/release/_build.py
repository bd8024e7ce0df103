"""From names in a configuration to the objects they stand for."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from anon_transformers.base import BaseAnonymizer, TableAnonymizer
from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    InfeasibleError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.gx._judging import Scope
from anon_transformers.gx._requirements import (
    parameters_for,
    refuse_bad_requirements,
)
from anon_transformers.gx.gate import Requirement, read_suite
from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder
from anon_transformers.privacy import PrivacyModel, judges_values, stands_alone
from anon_transformers.privacy._judge import parameters
from anon_transformers.registry import Registry, registry
from anon_transformers.release._config import NO_SEED, ReleaseConfig, Tree
from anon_transformers.release._strict import explain
from anon_transformers.release._thresholds import Threshold

READING_OPTIONS = ("unknown", "normalizer")
"""What may be said of a hierarchy that is read from a file."""
KEPT = {"keep_links": "linkage", "keep_memberships": "memberships"}
"""Parameters that have an anonymizer keep evidence, and the kind of it."""
OURS = ("relabel", "keep_mapping")
"""Parameters of graphs that no release may state: names go, and nobody keeps them."""


def installed() -> Registry:
    """The registry; a broken plugin stops a release."""
    found = registry()
    found.refuse_broken()
    return found


def make(what: str, cls: Any, params: Mapping[str, Any]) -> Any:
    """Make a model, metric or anonymizer; a misspelt parameter is told by name."""
    refuse_unknown_parameters(what, cls, params)
    try:
        return cls(**params)
    except (TypeError, ParameterError) as error:
        raise ConfigurationError(f"{what}: {error}") from None


def refuse_unknown_parameters(
    what: str, called: Callable[..., Any], params: Mapping[str, Any]
) -> None:
    """Refuse what ``called`` does not take, before anything is called."""
    signature = inspect.signature(called)
    takes = signature.parameters.values()
    legal = [p.name for p in takes if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if not any(p.kind == p.VAR_KEYWORD for p in takes):
        for name in params:
            if name not in legal:
                raise ConfigurationError(
                    f"{what}: {unknown_choice('parameter', name, legal)}"
                )
    lacking = [
        repr(p.name)
        for p in takes
        if p.name in legal and p.name not in params and p.default is p.empty
    ]
    if lacking:
        one = "parameter" if len(lacking) == 1 else "parameters"
        raise ConfigurationError(f"{what}: needs the {one} {' and '.join(lacking)}.")


def named(threshold: Threshold) -> Any:
    """The class of the model or metric that a threshold names."""
    found = installed()
    catalog = found.privacy_models if threshold.kind == "model" else found.metrics
    return catalog[threshold.name]


def evidence_kinds(thresholds: Sequence[Threshold]) -> set[str]:
    """Kinds of evidence that thresholds are judged on."""
    return {named(threshold).evidence for threshold in thresholds}


def make_model(threshold: Threshold) -> PrivacyModel:
    """The privacy model a threshold names, with its parameters."""
    return make(f"thresholds, {threshold.id}", named(threshold), threshold.params)


def unjudged_columns(config: ReleaseConfig) -> list[str]:
    """Sensitive columns whose values no threshold is about.

    What is swapped is protected as it is: nobody knows whose the values are.
    """
    if installed().anonymizers[config.anonymizer.name].kind != "table":
        return []
    models = [make_model(t) for t in config.thresholds if t.kind == "model"]
    judged = [model.sensitive for model in models if hasattr(model, "sensitive")]
    return [c for c in config.roles.sensitive if None not in judged and c not in judged]


def check_threshold(threshold: Threshold) -> Mapping[str, str]:
    """Refuse what cannot be judged; which way of each parameter asks for more."""
    cls = named(threshold)
    if getattr(cls, "needs_population", False):
        raise ConfigurationError(
            f"thresholds, {threshold.id}: {threshold.name} needs a population, and a "
            "release has none; judge it with Classes.from_frame(…, population=…)."
        )
    if getattr(cls, "needs_original", False):
        raise ConfigurationError(
            f"thresholds, {threshold.id}: {threshold.name} compares with the original "
            "graph, and a gate judges the published one alone."
        )
    if threshold.kind == "model":
        model = make_model(threshold)
        if getattr(model, "reproduction_only", False):
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} with these parameters "
                "is no minimum over all, and reproduces published numbers only; leave "
                "aggregation and the like out."
            )
        return dict(model.tighter)
    own = {k: v for k, v in threshold.params.items() if k not in {"min", "max"}}
    make(f"thresholds, {threshold.id}", cls, own)
    return {"min": "higher", "max": "lower"}


def requirements_for(thresholds: Sequence[Threshold]) -> list[Requirement]:
    """The thresholds as the gate knows them."""
    return [
        Requirement(id=t.id, kind=t.kind, name=t.name, params=t.params)
        for t in thresholds
    ]


def check_gate(config: ReleaseConfig, thresholds: Sequence[Threshold]) -> None:
    """Refuse before the run what the gate would refuse at its end, or not judge."""
    crisp = any(t.name == "k-anonymity" for t in thresholds)
    if "memberships" in evidence_kinds(thresholds) and not crisp:
        raise ConfigurationError(
            "thresholds: a fuzzy release is judged as a crisp table too, by the labels "
            "it publishes; add {model: k-anonymity, k: …}."
        )
    refuse_other_evidence(config, thresholds)
    refuse_unmade_columns(config, thresholds)
    # The columns that name the ends of edges are known when the file is read.
    known = ("source", "target") if config.is_graph else config.roles.quasi_identifiers
    refuse_unjudgeable(
        requirements_for(thresholds), Scope(known, config.roles.sensitive)
    )
    refuse_without_model(config, thresholds)
    if config.suite is not None:
        read_suite(config.path(config.suite))


def refuse_without_model(
    config: ReleaseConfig, thresholds: Sequence[Threshold]
) -> None:
    """Refuse thresholds that no privacy model is among, or not the one of swaps.

    A model that rows may satisfy as they are, such as k = 1 or a bound on how values
    are distributed, is none beside nothing else (:func:`stands_alone`). Metrics say
    how much was changed, and the source itself changes least. Cells that were swapped
    look like those of the source to every model but that of the swapper.
    """
    cls = installed().anonymizers[config.anonymizer.name]
    models = {t.name for t in thresholds if t.kind == "model"}
    add = f"add {{model: {cls.k_model}, k: …}}."
    if not models:
        raise ConfigurationError(
            "thresholds: none is a privacy model, and metrics alone would pass the "
            f"source as it is; {add}"
        )
    if cls.kind == "linked" and cls.k_model not in models:
        raise ConfigurationError(
            f"thresholds: {config.anonymizer.name} swaps cells, and none of "
            f"{', '.join(sorted(models))} judges whether they moved; {add}"
        )
    asked = [make_model(t) for t in thresholds if t.kind == "model"]
    if not any(map(stands_alone, asked)):
        told = [number for model in asked for number in _asked_of(model)]
        alone = len(told) == 1
        raise ConfigurationError(
            f"thresholds: {', '.join(told)} promise{'s' * alone} nothing by "
            f"{'itself' if alone else 'themselves'}: a person who stands alone may "
            "pass; ask for k of at least 2 with "
            f"{{model: {cls.k_model}, k: …}}."
        )


def _asked_of(model: PrivacyModel) -> list[str]:
    """What a model asks for, with its defaults; its name, where that is no number."""
    given = {name: getattr(model, name, None) for name in model.tighter}
    numbers = [f"{n}={v:g}" for n, v in given.items() if isinstance(v, int | float)]
    return numbers or [model.name]


def refuse_too_few_groups(
    anonymizer: BaseAnonymizer, thresholds: Sequence[Threshold], n_rows: int
) -> None:
    """Refuse a table with too few groups of k rows to see whether cells moved in them.

    The gate would find the same, after the cells were swapped.
    """
    if anonymizer.kind != "linked":
        return
    needed = max(getattr(named(t), "fewest_groups", 0) for t in thresholds)
    k = anonymizer.k
    if k > 1 and n_rows // k < needed:
        raise InfeasibleError(
            f"{n_rows} rows make at most {n_rows // k} groups of k={k}, and "
            f"{needed} are needed to judge whether cells moved; lower k to "
            f"{n_rows // needed} or less, or release more rows."
        )


def refuse_other_evidence(
    config: ReleaseConfig, thresholds: Sequence[Threshold]
) -> None:
    """Refuse thresholds of tables for a graph, and those of graphs for a table."""
    for threshold in thresholds:
        kind = named(threshold).evidence
        if kind != "report" and (kind == "graph") != config.is_graph:
            whole = "a graph" if config.is_graph else "a table"
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} judges {kind}, and this "
                f"release publishes {whole}."
            )


def refuse_unmade_columns(
    config: ReleaseConfig, thresholds: Sequence[Threshold]
) -> None:
    """Refuse thresholds about columns that the method does not make itself.

    A column of the source that happens to have such a name proves nothing.
    """
    made = getattr(installed().anonymizers[config.anonymizer.name], "columns_made", ())
    for threshold in thresholds:
        needed = getattr(named(threshold), "needs_columns", ())
        lacking = [name for name in needed if name not in made]
        if lacking:
            raise ConfigurationError(
                f"thresholds, {threshold.id}: {threshold.name} judges what a method "
                f"writes into {', '.join(lacking)}, and {config.anonymizer.name} "
                "writes no such column."
            )


def refuse_unjudgeable(requirements: list[Requirement], scope: Scope) -> None:
    """Refuse thresholds that no table could be judged by."""
    refuse_bad_requirements(requirements)
    parameters_for(requirements, scope)
    for requirement in requirements:
        try:
            requirement.wanted(scope)
        except ParameterError as error:
            raise ConfigurationError(f"thresholds, {requirement.id}: {error}") from None


def make_anonymizer(
    config: ReleaseConfig, thresholds: tuple[Threshold, ...]
) -> BaseAnonymizer:
    """Make the anonymizer, with the release's models unless it states its own."""
    cls = installed().anonymizers[config.anonymizer.name]
    stated = config.anonymizer.params
    models = [make_model(t) for t in thresholds if t.kind == "model"]
    what = f"anonymizer {config.anonymizer.name}"
    if (cls.kind == "graph") != config.is_graph:
        raise ConfigurationError(
            f"{what}: it anonymizes a {cls.kind}, and the source is "
            f"{'a graph' if config.is_graph else 'a table'} (source.kind)."
        )
    for column in config.roles.both:
        if cls.kind != "linked":
            raise ConfigurationError(
                f"roles: column {column!r} is declared as quasi_identifiers and as "
                f"sensitive, and {config.anonymizer.name} does not hide from one "
                "intruder what another one knows; anonymizers that swap cells do."
            )
    params = {} if config.is_graph else _roles(config)
    if config.hierarchies:
        params["hierarchies"] = make_hierarchies(config, config.hierarchies)
    params |= _promised(cls, models) | _kept(what, cls, stated, thresholds)
    if "models" in stated:
        stated["models"] = _stated_models(what, stated["models"])
    params |= cls.release_defaults(stated)
    anonymizer = make(what, cls, {**params, **stated})
    refuse_seeds(what, anonymizer)
    if getattr(anonymizer, "reproduction_only", False):
        raise ConfigurationError(
            f"{what}: with these parameters it reproduces published numbers only, and "
            "tells more of the suppressed rows than a release may."
        )
    try:
        if isinstance(anonymizer, TableAnonymizer):
            anonymizer._promise()
        anonymizer._check_parameters()
        anonymizer._check_release()
        refuse_labels_of_suppressed(anonymizer)
    except ParameterError as error:
        raise ConfigurationError(f"{what}: {error}") from None
    return anonymizer


def refuse_seeds(what: str, anonymizer: BaseAnonymizer) -> None:
    """Refuse a seed that the file does not state: a default, or one of a part."""
    # One that a constructor sets without asking is no parameter.
    own = {"random_state": getattr(anonymizer, "random_state", None)}
    for name, given in {**own, **anonymizer.get_params(deep=True)}.items():
        if name.split("__")[-1] == "random_state" and given is not None:
            raise ConfigurationError(f"{what}: {name}: {NO_SEED}")


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
    # None is a rule of the method's own, which suppresses too.
    if getattr(anonymizer, "suppression_limit", 0) == 0:
        return
    for name, told in told_by_hierarchies(anonymizer).items():
        raise ParameterError(
            f"hierarchies, {name}: {told} Where rows are suppressed, labels would tell "
            "of the suppressed rows too; state what does not, or suppression_limit: 0."
        )


def told_by_hierarchies(anonymizer: BaseAnonymizer) -> dict[Any, str]:
    """What labels of hierarchies tell of single persons, by column.

    Cells that are swapped and names of sets are no labels of a hierarchy, and columns
    that are not generalized have none.
    """
    if anonymizer.publishes in {"swaps", "names"}:
        return {}
    known = getattr(anonymizer, "quasi_identifiers", None)
    trees = dict(getattr(anonymizer, "hierarchies", None) or {})
    if isinstance(anonymizer, TableAnonymizer):
        trees = {**anonymizer._own_hierarchies(), **trees}
    told = {name: getattr(tree, "extremes", "") for name, tree in trees.items()}
    return {n: said for n, said in told.items() if said and (not known or n in known)}


def extremes_of(anonymizer: BaseAnonymizer) -> str:
    """What published values tell of single persons, by the method and its trees."""
    told = told_by_hierarchies(anonymizer).items()
    sentences = [f"hierarchies, {name}: {sentence}" for name, sentence in told]
    return " ".join(filter(None, [anonymizer.extremes, *sentences]))


def _roles(config: ReleaseConfig) -> dict[str, Any]:
    """The declared columns as parameters of an anonymizer of tables."""
    return {
        "quasi_identifiers": list(config.roles.quasi_identifiers),
        "sensitive": list(config.roles.sensitive),
        "identifiers": list(config.roles.identifiers),
        "subject": config.roles.subject,
    }


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
    for keep in (*KEPT, *OURS):
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


def make_hierarchies(
    config: ReleaseConfig, columns: Iterable[str]
) -> dict[str, Hierarchy | HierarchyBuilder]:
    """The hierarchies of these columns, of those that have one."""
    given = config.hierarchies or {}
    return {
        name: _hierarchy(config, name, given[name]) for name in columns if name in given
    }


def _hierarchy(
    config: ReleaseConfig, column: str, tree: Tree
) -> Hierarchy | HierarchyBuilder:
    what = f"hierarchies, {column}"
    if tree.kind is not None:
        try:
            builder = installed().hierarchy_builders[tree.kind]
        except ParameterError as error:
            raise ConfigurationError(f"{what}: {error}") from None
        return make(what, builder, _stated_spelling(config, builder) | tree.options)
    for name in tree.options:
        if name not in READING_OPTIONS:
            told = unknown_choice("parameter", name, READING_OPTIONS)
            raise ConfigurationError(f"{what}: {told}")
    path = config.path(str(tree.path))
    try:
        return Hierarchy.read_csv(path, **tree.options)
    except OSError as error:
        raise ConfigurationError(
            f"{what}: {path} cannot be read ({type(error).__name__})."
        ) from None
    except (DataError, ParameterError) as error:
        raise ConfigurationError(f"{what}: {error}") from None


def _stated_spelling(config: ReleaseConfig, builder: Any) -> dict[str, Any]:
    """What keeps labels the same whatever the suppressed rows held.

    Of whole numbers alone, ranges would be written otherwise.
    """
    takes_whole = "whole" in inspect.signature(builder).parameters
    return {"whole": False} if takes_whole and may_suppress(config) else {}


def may_suppress(config: ReleaseConfig) -> bool:
    """Whether rows may go unpublished, as far as the file and the method's class say.

    :func:`refuse_labels_of_suppressed` asks the same of the method once it is made.
    """
    cls, stated = installed().anonymizers[config.anonymizer.name], config.anonymizer
    given = {**cls.release_defaults(stated.params), **stated.params}
    takes = inspect.signature(cls).parameters.get("suppression_limit")
    default = getattr(cls, "suppression_limit", 0) if takes is None else takes.default
    return bool(given.get("suppression_limit", default) != 0)


def _stated_models(what: str, stated: Any) -> list[PrivacyModel]:
    """The models that an anonymizer states for itself, written like thresholds."""
    if not isinstance(stated, list | None):
        raise ConfigurationError(f"{what}: models must be a list.")
    try:
        asked = [Threshold.model_validate(model) for model in stated or []]
        for threshold in asked:
            check_threshold(threshold)
        return [make_model(threshold) for threshold in asked]
    except ValidationError as error:
        raise ConfigurationError(f"{what}: models: {explain(error)}") from None

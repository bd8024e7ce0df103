"""Which anonymizer runs with which parameters."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.exceptions import ParameterError, unknown_choice
from anon_transformers.experiments._model_grid import (
    check_models,
    registered_model,
    unknown_owner,
    with_models,
)

Method = str | FrameAnonymizer
Grid = Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Iterable[Any]]]


@dataclass(frozen=True)
class Cell:
    """One run of a comparison, before it is run."""

    method: str
    parameters: Mapping[str, Any]
    anonymizer: FrameAnonymizer

    @property
    def line(self) -> str:
        """What to call it in a plot against k."""
        return line_name(self.method, self.parameters)


def line_name(method: str, parameters: Mapping[str, Any], axis: str = "k") -> str:
    """A method with all its parameters but the one that a plot is drawn against.

    Examples
    --------
    >>> line_name("mondrian", {"k": 5, "mode": "relaxed"})
    'mondrian mode=relaxed'
    """
    others = (f"{name}={value}" for name, value in parameters.items() if name != axis)
    return " ".join([method, *others])


def cells(
    methods: Sequence[Method] | Mapping[str, Method],
    grid: Grid | None,
    common: Mapping[str, Any],
) -> list[Cell]:
    """Every method with every combination of the parameters that concern it.

    ``common`` holds what is set for all methods, such as the quasi-identifiers. The
    parameters of a privacy model concern all methods.
    """
    named = {name: _prepared(name, m, common) for name, m in _named(methods)}
    folds: list[Mapping[str, Any]] = [{}]
    if grid:
        folds = [grid] if isinstance(grid, Mapping) else list(grid)
    for fold in folds:
        _check(fold, named)
    found = []
    for name, anonymizer in named.items():
        seen: list[Mapping[str, Any]] = []
        for fold in folds:
            for parameters in ParameterGrid(_of_method(name, fold, named)):
                if parameters not in seen:
                    seen.append(parameters)
                    run = clone(anonymizer)
                    run.set_params(**with_models(run, parameters))
                    found.append(Cell(name, parameters, run))
    return found


def _named(methods: Any) -> list[tuple[str, Method]]:
    """Names of the methods; an instance goes by the name of its class."""
    if isinstance(methods, str | FrameAnonymizer):
        methods = [methods]
    if isinstance(methods, Mapping):
        pairs = list(methods.items())
    else:
        pairs = [(m if isinstance(m, str) else type(m).__name__, m) for m in methods]
    if not pairs:
        raise ParameterError("methods: name at least one.")
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            f"methods: {', '.join(twice)} is given twice; give a dict with names."
        )
    return pairs


def _prepared(name: str, method: Method, common: Mapping[str, Any]) -> FrameAnonymizer:
    from anon_transformers.registry import registry

    if isinstance(method, str):
        method = registry().anonymizers[method]()
    if not isinstance(method, FrameAnonymizer):
        raise ParameterError(f"methods: {name} does not anonymize tables.")
    legal = method.get_params(deep=False)
    given = {k: v for k, v in common.items() if v is not None and k in legal}
    if not method.uses_hierarchies:
        given.pop("hierarchies", None)
    return clone(method).set_params(**given)


def _check(fold: Mapping[str, Any], named: Mapping[str, FrameAnonymizer]) -> None:
    """Refuse a parameter that a method does not have, before anything is run."""
    for key, values in fold.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise ParameterError(f"grid: {key} needs a list of values.")
        owner, parameter = _owner(key)
        if _is_of_model(key, named):
            owner, parameter = None, "models"
        elif owner is not None and owner not in named:
            raise ParameterError(f"grid: {unknown_owner(owner, named)}")
        for name in named if owner is None else [owner]:
            legal = named[name].get_params(deep=False)
            if parameter not in legal:
                message = unknown_choice("parameter", parameter, legal)
                hint = "" if owner else f" For one method write METHOD.{parameter}."
                raise ParameterError(f"grid, {name}: {message}{hint}")
    check_models(key for key in fold if _is_of_model(key, named))


def _is_of_model(key: str, named: Container[str]) -> bool:
    owner, _ = _owner(key)
    return owner is not None and owner not in named and bool(registered_model(owner))


def _owner(key: str) -> tuple[str | None, str]:
    owner, dot, parameter = key.rpartition(".")
    return (owner if dot else None), parameter


def _of_method(
    name: str, fold: Mapping[str, Any], named: Container[str]
) -> dict[str, list[Any]]:
    """The part of a grid that concerns one method; its own lists go first."""
    general = {
        key: list(values)
        for key, values in fold.items()
        if _owner(key)[0] is None or _is_of_model(key, named)
    }
    own = {_owner(k)[1]: list(v) for k, v in fold.items() if _owner(k)[0] == name}
    return {**general, **own}

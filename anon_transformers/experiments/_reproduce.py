"""Experiments by name: those that plugins registered, and where others come from."""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import ParameterError, unknown_choice

if TYPE_CHECKING:
    from anon_transformers.experiments._compare import Progress
    from anon_transformers.experiments._experiment import Findings

OFFERED_BY = {
    "anon-transformers-reproductions": (
        "fuzzy",
        "mondrian-datafly",
        "probabilistic",
        "tabular-k-l-t",
    ),
    "anon-transformers-graphs": ("graphs",),
}
"""Experiments of the distributions that this one is tested with."""


def reproduce(
    name: str, *, progress: "Progress | None" = None, **options: Any
) -> "Findings":
    """Run a registered experiment.

    Parameters
    ----------
    name : str
        As registered, such as ``"mondrian-datafly"`` of the distribution
        anon-transformers-reproductions.
    progress : callable, default=None
        Called with the number of runs that are done, that of all runs, and the name
        of the next one.
    **options : dict
        What the experiment takes, such as ``quick=True``.

    Returns
    -------
    Findings

    Raises
    ------
    ParameterError
        If nobody registered the experiment, with what to install, or if it does not
        take an option.
    """
    experiment = find_experiment(name)
    _refuse_unknown(name, experiment, options)
    return experiment(**options).run(progress)


def find_experiment(name: str) -> Any:
    """The experiment that is registered as ``name``, or what to install."""
    from anon_transformers.registry import registry

    found = registry()
    registered = found.experiments
    if name in registered:
        return registered[name]
    message = unknown_choice("experiment", name, registered)
    if not registered:
        message = f"unknown experiment {name!r}: none is registered."
    for distribution, names in OFFERED_BY.items():
        if not set(names) & set(registered):
            message += f" pip install {distribution} adds {', '.join(names)}."
    if found.broken:
        message += " Plugins are broken: anon list shows them."
    raise ParameterError(message)


def _refuse_unknown(name: str, experiment: Any, options: Mapping[str, Any]) -> None:
    legal = inspect.signature(experiment).parameters
    if any(p.kind == p.VAR_KEYWORD for p in legal.values()):
        return
    for option in options:
        if option not in legal:
            raise ParameterError(f"{name}: {unknown_choice('option', option, legal)}")

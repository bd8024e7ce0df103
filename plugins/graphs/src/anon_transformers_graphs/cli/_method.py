"""Options that say how a network is anonymized, shared by commands."""

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from anon_transformers.cli import assignments
from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    unknown_choice,
)
from anon_transformers.registry import registry

OURS = ("k", "relabel", "keep_mapping", "random_state")
"""Parameters that --option may not set."""

K = Annotated[
    int | None,
    typer.Option("--k", "-k", help="How many look alike, where the method has a k."),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Further parameter of the method, such as [bold]sequence=exact[/bold]; "
        "repeat for more.",
    ),
]


def anonymizer(
    method: str,
    k: int | None,
    options: Sequence[str],
    *,
    carry_weights: bool = False,
    **fixed: Any,
) -> Any:
    """Make the anonymizer that the options describe.

    With ``carry_weights`` it publishes weights, unless the options say otherwise.
    """
    catalog = registry().anonymizers
    graphs = [name for name, cls in catalog.items() if cls.kind == "graph"]
    if method not in graphs:
        raise ConfigurationError(
            f"--method: {unknown_choice('method', method, graphs)}"
        )
    params = assignments("option", options)
    for name in OURS:
        if name in params:
            raise ConfigurationError(f"--option: {name}: {_reason(name)}")
    if k is not None:
        params["k"] = k
    legal = list(inspect.signature(catalog[method]).parameters)
    for name in params:
        if name not in legal:
            message = unknown_choice("parameter", name, legal)
            raise ConfigurationError(f"method {method}: {message}")
    if carry_weights and "weights" in legal:
        params.setdefault("weights", "carry")
    try:
        return catalog[method](**params, **fixed)
    except (TypeError, ParameterError) as error:
        raise ConfigurationError(f"method {method}: {error}") from None


def _reason(name: str) -> str:
    if name == "k":
        return "it has an option of its own, -k."
    if name == "keep_mapping":
        return "--mapping FILE of anon graph anonymize writes who is who."
    return "names are removed for good: new ones come from fresh entropy."

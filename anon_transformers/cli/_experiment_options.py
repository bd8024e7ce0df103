"""Options that an experiment has of its own: the parameters of its constructor."""

import inspect
import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill, indent
from typing import Any, Union, get_args, get_origin

import typer
from typer.core import TyperCommand

from anon_transformers.cli._assignments import number_or_text
from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    unknown_choice,
)

DASHES = "--"
INDENT = " " * 6
COMMON = ("quick",)
"""Options that the command itself has."""
OWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of a command that leaves options it does not know to us."""


class ExperimentCommand(TyperCommand):
    """A command whose help lists the options of the experiment that is named, too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember which experiment is meant; help is asked for before that is read."""
        ctx.meta["anon.experiment"] = next((a for a in args if a[:1] != "-"), None)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, then the options of the experiment."""
        from anon_transformers.registry import registry

        super().format_help(ctx, formatter)
        name, experiments = ctx.meta["anon.experiment"], registry().experiments
        if name in experiments:
            typer.echo(f"Options of {name}:")
            for option, description in _described(experiments[name]):
                typer.echo(f"  {option}")
                typer.echo(indent(fill(description), INDENT))


def own_options(
    name: str, experiment: Callable[..., Any], given: Sequence[str]
) -> dict[str, Any]:
    """Read ``--option value``, ``--option=value`` and, for a switch, ``--option``.

    Examples
    --------
    >>> def experiment(repetitions: int = 1, exact: bool = False): ...
    >>> own_options("e", experiment, ["--repetitions", "5", "--exact"])
    {'repetitions': 5, 'exact': True}
    """
    legal, found = _own(experiment), {}
    left = list(given)
    while left:
        text, equals, value = left.pop(0).partition("=")
        if not text.startswith(DASHES):
            raise ConfigurationError(f"expected an option of {name}, got {text!r}.")
        option = text.removeprefix(DASHES).replace("-", "_")
        if option not in legal:
            raise ParameterError(f"{name}: {unknown_choice('option', option, legal)}")
        if option in found:
            raise ConfigurationError(f"{text} is given twice.")
        if legal[option].annotation is bool and not equals:
            found[option] = True
            continue
        if not equals and (not left or left[0].startswith(DASHES)):
            raise ConfigurationError(f"{text} needs a value.")
        found[option] = _read(legal[option], value if equals else left.pop(0))
    return found


def _own(experiment: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    taken = inspect.signature(experiment, eval_str=True).parameters
    return {
        name: parameter
        for name, parameter in taken.items()
        if name not in COMMON and parameter.kind != parameter.VAR_KEYWORD
    }


def _read(parameter: inspect.Parameter, text: str) -> Any:
    """A value as it is written; a path must lead somewhere."""
    if not _takes_path(parameter.annotation):
        return number_or_text(text)
    if not Path(text).exists():
        raise ConfigurationError(f"{text} does not exist.")
    return Path(text)


def _takes_path(annotation: Any) -> bool:
    union = get_origin(annotation) in {Union, types.UnionType}
    kinds = [
        get_origin(k) or k for k in (get_args(annotation) if union else [annotation])
    ]
    return any(isinstance(k, type) and issubclass(k, os.PathLike) for k in kinds)


def _described(experiment: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Each option with the word for its value, and what the docstring says of it."""
    descriptions = _documented(experiment)
    for name, parameter in _own(experiment).items():
        word = " PATH" if _takes_path(parameter.annotation) else " VALUE"
        option = f"{DASHES}{name.replace('_', '-')}"
        yield (
            option + word * (parameter.annotation is not bool),
            descriptions.get(name, ""),
        )


def _documented(experiment: Callable[..., Any]) -> dict[str, str]:
    """Texts of the parameters in a docstring, as numpydoc wants it."""
    _, _, section = (inspect.getdoc(experiment) or "").partition("Parameters\n---")
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in section.partition("\n\n")[0].splitlines():
        head, colon, _ = line.partition(" : ")
        if colon and line[:1].isalpha():
            names = head.split(", ")
        elif line.startswith(" "):
            descriptions |= {
                name: f"{descriptions.get(name, '')} {line.strip()}" for name in names
            }
    return {name: text.strip() for name, text in descriptions.items()}

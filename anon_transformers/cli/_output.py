"""How commands speak: to people with colours, to machines with ``--json``."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    GateError,
    InfeasibleError,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]

BROKEN_PROMISE = 1
BAD_INPUT = 2


def told(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into a message and an exit code.

    1: a threshold is broken or cannot be met. 2: anything wrong with what was given.
    """

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        as_json = bool(kwargs.get("json_output"))
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except (GateError, InfeasibleError) as error:
            _say(str(error), as_json)
            raise typer.Exit(BROKEN_PROMISE) from None
        except (AnonymizationError, OSError) as error:
            _say(str(error), as_json)
            raise typer.Exit(BAD_INPUT) from None
        except Exception as error:
            if os.environ.get("ANON_DEBUG"):
                raise
            _say(
                f"unexpected {type(error).__name__}; set ANON_DEBUG=1 for the "
                "traceback, which may quote the data.",
                as_json,
            )
            raise typer.Exit(BAD_INPUT) from None

    return run


def _say(message: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": message}))
    else:
        Console(stderr=True).print("[bold red]error:[/] ", end="")
        print(message, file=sys.stderr)


def print_json(content: Any) -> None:
    """Print for machines."""
    print(json.dumps(content, indent=2, default=str))


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Print for people."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    Console().print(table)


def shown(number: object) -> str:
    """Four digits of a number are enough for people; JSON has them all."""
    return f"{number:.4g}" if isinstance(number, float) else str(number)


def number_or_text(text: str) -> Any:
    """What a person means by ``5``, ``0.1``, ``true`` or ``center``."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return text if isinstance(value, dict | list) else value


def assignments(key: str, given: Sequence[str]) -> dict[str, Any]:
    """Read ``name=value`` options.

    Examples
    --------
    >>> assignments("option", ["output=center", "k=5"])
    {'output': 'center', 'k': 5}
    """
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ConfigurationError(f"--{key}: expected NAME=VALUE, got {text!r}.")
        if name in found:
            raise ConfigurationError(f"--{key}: {name} stands twice.")
        found[name] = number_or_text(value)
    return found

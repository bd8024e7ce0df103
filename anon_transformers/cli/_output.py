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

LOSS_IN_WORDS = "detail given up: 0 % is none, 100 % is all suppressed"

UNBROKEN = 10_000
"""Width of what is not printed on a terminal."""
SHORT = 12
"""Cells up to this length are folded last."""
NARROW = 8
"""What is folded is folded to this width, not to nothing."""


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
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    spare: Sequence[str] = (),
) -> None:
    """Print for people; into a pipe or a file no line is broken.

    Where a terminal is too narrow, columns in ``spare`` are left out, the first of them
    first, and the others are folded.
    """
    unbroken = Console(width=UNBROKEN)
    console = Console() if unbroken.is_terminal else unbroken
    cells = [[str(cell) for cell in row] for row in rows]
    left_out: list[str] = []
    for name in [*spare, None]:
        table = _table(title, header, cells, left_out)
        if name is None or unbroken.measure(table).minimum <= console.width:
            break
        left_out.append(name)
    console.print(table)
    if left_out:
        told = ", ".join(name for name in header if name in left_out)
        console.print(f"not shown on a narrow terminal: {told}", highlight=False)


def _table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    left_out: Sequence[str],
) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    kept = [at for at, name in enumerate(header) if name not in left_out]
    for at in kept:
        # What is short is broken last: half a number is no number.
        short = " " not in header[at] and all(len(row[at]) <= SHORT for row in rows)
        table.add_column(
            header[at],
            overflow="fold",
            no_wrap=short,
            min_width=None if short else NARROW,
        )
    for row in rows:
        table.add_row(*(row[at] for at in kept))
    return table


def shown(number: object) -> str:
    """Four digits of a number are enough for people; JSON has them all."""
    return f"{number:.4g}" if isinstance(number, float) else str(number)


def number_or_text(text: str) -> Any:
    """What a person means by ``5``, ``0.1``, ``true``, ``None`` or ``center``.

    A list or mapping stands in brackets, written as in a release file.

    Examples
    --------
    >>> number_or_text("5"), number_or_text("center"), number_or_text("{age: 3}")
    (5, 'center', {'age': 3})
    """
    if text == "None":  # as Python and the documentation write it
        return None
    if text[:1] in {"{", "["}:
        return _nested(text)
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return value


def _nested(text: str) -> Any:
    """A list or mapping, in YAML or JSON; anything else is a text."""
    try:
        import yaml

        value = yaml.safe_load(text)
    except ImportError:  # of the release extra
        return text
    except yaml.YAMLError:
        return text
    return value if isinstance(value, dict | list) else text


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

"""Output of the commands: tables for people, JSON for machines (``--json``)."""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from anon_transformers.exceptions import (
    AnonymizationError,
    InfeasibleError,
    NotEvaluable,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
BROKEN_PROMISE = 1
BAD_INPUT = 2
UNBROKEN = 10_000
"""Width of what is not printed on a terminal: no line is broken there."""
REMEDIES = {
    "which an anonymizer with keep_mapping=True has as mapping_, or publish with "
    "relabel=False": "which anon graph anonymize writes if it is given --mapping FILE, "
    "too",
    "relabel=False keeps them": "--mapping FILE says who is who",
}
"""Advice of the library for Python, and the same for the command line."""


def report_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into a message and an exit code.

    1: a promise cannot be kept. 2: anything wrong with what was given.
    """
    parameters = signature(command).parameters

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        as_json = bool(kwargs.get("json_output"))
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except (InfeasibleError, NotEvaluable) as error:
            _print_error(with_option_names(str(error), parameters), as_json)
            raise typer.Exit(BROKEN_PROMISE) from None
        except (AnonymizationError, OSError) as error:
            _print_error(with_option_names(str(error), parameters), as_json)
            raise typer.Exit(BAD_INPUT) from None
        except Exception as error:
            if os.environ.get("ANON_DEBUG"):
                raise
            what = type(error).__name__
            quoted = "set ANON_DEBUG=1 for the traceback, which may quote the data."
            _print_error(f"unexpected {what}; {quoted}", as_json)
            raise typer.Exit(BAD_INPUT) from None

    return run


def with_option_names(message: str, parameters: Container[str]) -> str:
    """A message of the library with parameters called as a command calls them.

    Examples
    --------
    >>> with_option_names("reduce=True drops loops.", {"reduce"})
    '--reduce drops loops.'
    >>> with_option_names("reduce=True drops loops.", {"options"})
    '-o reduce=true drops loops.'
    >>> with_option_names("pass mapping= with who is who.", {"mapping"})
    'pass --mapping FILE with who is who.'
    """
    reduce = "--reduce" if "reduce" in parameters else "-o reduce=true"
    limit = "--time-limit" if "time_limit" in parameters else "-o time_limit"
    translated = message.replace("reduce=True", reduce).replace("time_limit", limit)
    translated = translated.replace('weights="drop"', "-o weights=drop")
    if "mapping" not in parameters:
        return translated
    for python, option in REMEDIES.items():
        translated = translated.replace(python, option)
    return re.sub(r"\bmapping=", "--mapping FILE", translated)


def _print_error(message: str, as_json: bool) -> None:
    if as_json:
        print_json({"error": message})
    else:
        print(f"error: {message}", file=sys.stderr)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line on the error stream, without the line of code."""
    print(f"warning: {message}", file=sys.stderr)


def show_status(what: str) -> Any:
    """Show on a terminal that a step is running."""
    return Console(stderr=True).status(f"{what} (the first use compiles for a while)")


def print_json(content: Any) -> None:
    """Print JSON, for machines."""
    print(json.dumps(content, indent=2, default=str))


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Print a table, for people."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=UNBROKEN)
    table = Table(header_style="bold")
    for name in header:
        table.add_column(escape(name), overflow="fold")
    for row in rows:
        table.add_row(*(escape(format_cell(cell)) for cell in row))
    console.print(escape(title), style="italic", highlight=False)
    console.print(table)


def print_numbers(title: str, numbers: Mapping[str, object]) -> None:
    """Print one number per line, its name in words."""
    rows = [(readable_name(name), value) for name, value in numbers.items()]
    print_table(title, ["what", "measured"], rows)


def readable_name(name: str) -> str:
    """The name of a number for people.

    Examples
    --------
    >>> readable_name("n_nodes"), readable_name("average_degree")
    ('nodes', 'average degree')
    """
    return name.removeprefix("n_").replace("_", " ")


def format_cell(cell: object) -> str:
    """Four digits of a number are enough for people; JSON has them all.

    Examples
    --------
    >>> [format_cell(cell) for cell in (0.123456, 12000, None, "k-degree")]
    ['0.1235', '12,000', 'not defined', 'k-degree']
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "not defined"
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return str(cell)
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"

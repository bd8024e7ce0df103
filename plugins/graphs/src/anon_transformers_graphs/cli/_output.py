"""How the commands speak: to people in tables, to machines with ``--json``."""

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
"""What helps in Python, and what helps here."""


def told(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into a message and an exit code.

    1: a promise cannot be kept. 2: anything wrong with what was given.
    """
    takes = signature(command).parameters

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        as_json = bool(kwargs.get("json_output"))
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except (InfeasibleError, NotEvaluable) as error:
            _say(in_options(str(error), takes), as_json)
            raise typer.Exit(BROKEN_PROMISE) from None
        except (AnonymizationError, OSError) as error:
            _say(in_options(str(error), takes), as_json)
            raise typer.Exit(BAD_INPUT) from None
        except Exception as error:
            if os.environ.get("ANON_DEBUG"):
                raise
            what = type(error).__name__
            quoted = "set ANON_DEBUG=1 for the traceback, which may quote the data."
            _say(f"unexpected {what}; {quoted}", as_json)
            raise typer.Exit(BAD_INPUT) from None

    return run


def in_options(message: str, takes: Container[str]) -> str:
    """A message of the library with parameters called as a command calls them.

    Examples
    --------
    >>> in_options("reduce=True drops loops.", {"reduce"})
    '--reduce drops loops.'
    >>> in_options("reduce=True drops loops.", {"options"})
    '-o reduce=true drops loops.'
    >>> in_options("pass mapping= with who is who.", {"mapping"})
    'pass --mapping FILE with who is who.'
    """
    reduce = "--reduce" if "reduce" in takes else "-o reduce=true"
    limit = "--time-limit" if "time_limit" in takes else "-o time_limit"
    told = message.replace("reduce=True", reduce).replace("time_limit", limit)
    told = told.replace('weights="drop"', "-o weights=drop")
    if "mapping" not in takes:
        return told
    for python, option in REMEDIES.items():
        told = told.replace(python, option)
    return re.sub(r"\bmapping=", "--mapping FILE", told)


def _say(message: str, as_json: bool) -> None:
    if as_json:
        print_json({"error": message})
    else:
        print(f"error: {message}", file=sys.stderr)


def working(what: str) -> Any:
    """Show on a terminal that something is going on."""
    return Console(stderr=True).status(f"{what} (the first use compiles for a while)")


def print_json(content: Any) -> None:
    """Print for machines."""
    print(json.dumps(content, indent=2, default=str))


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Print for people."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=UNBROKEN)
    table = Table(header_style="bold")
    for name in header:
        table.add_column(escape(name), overflow="fold")
    for row in rows:
        table.add_row(*(escape(shown(cell)) for cell in row))
    console.print(escape(title), style="italic", highlight=False)
    console.print(table)


def print_numbers(title: str, numbers: Mapping[str, object]) -> None:
    """Print a number a line, its name in words."""
    rows = [(in_words(name), value) for name, value in numbers.items()]
    print_table(title, ["what", "measured"], rows)


def in_words(name: str) -> str:
    """The name of a number for people.

    Examples
    --------
    >>> in_words("n_nodes"), in_words("average_degree")
    ('nodes', 'average degree')
    """
    return name.removeprefix("n_").replace("_", " ")


def shown(cell: object) -> str:
    """Four digits of a number are enough for people; JSON has them all.

    Examples
    --------
    >>> shown(0.123456), shown(12000), shown(None), shown("k-degree")
    ('0.1235', '12,000', 'not defined', 'k-degree')
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "not defined"
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return str(cell)
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"

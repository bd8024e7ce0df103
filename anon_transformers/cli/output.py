"""How commands speak: to people with tables, to machines with ``--json``.

Commands of plugins use these functions too, so that all of ``anon`` reports errors,
numbers and names in the same way. Importing this module needs the ``cli`` extra: import
it in the module of a command, and let ``register_commands`` name a function that
imports that.

Examples
--------
>>> from anon_transformers.cli.output import JsonFlag, handle_errors, print_json
>>> from anon_transformers.cli.output import format_number, print_table
>>> @handle_errors
... def count(json_output: JsonFlag = False) -> None:
...     found = {"rows": 3, "mean [age]": 100 / 3}
...     if json_output:
...         print_json(found)
...         return
...     rows = [(name, format_number(value)) for name, value in found.items()]
...     print_table("people.csv", ["what", "measured"], rows)
>>> count()
people.csv
┏━━━━━━━━━━━━┳━━━━━━━━━━┓
┃ what       ┃ measured ┃
┡━━━━━━━━━━━━╇━━━━━━━━━━┩
│ rows       │ 3        │
│ mean [age] │ 33.33    │
└────────────┴──────────┘
"""

import ast
import errno
import json
import math
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Annotated, Any, TextIO

import typer
from rich import console as rich_console
from rich.table import Table
from rich.text import Text

from anon_transformers.exceptions import (
    AnonymizationError,
    GateError,
    InfeasibleError,
    RepeatedIdentifierWarning,
)

__all__ = [
    "BAD_INPUT",
    "BROKEN_PROMISE",
    "CLOSED_PIPE",
    "Console",
    "JsonFlag",
    "dump_json",
    "escape_markup",
    "format_number",
    "handle_errors",
    "percent",
    "print_error",
    "print_json",
    "print_table",
    "print_warning",
    "progress_bar",
    "show_status",
]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
"""Type of the parameter ``json_output``, by which :func:`handle_errors` knows it."""

BROKEN_PROMISE = 1
"""Exit code: a threshold is broken, cannot be met or cannot be judged."""
BAD_INPUT = 2
"""Exit code: something is wrong with what was given."""
CLOSED_PIPE = 141
"""What a shell reports of a program whose reader went away: no verdict at all."""

_SUBJECT = re.compile(r"such as subject=('.*?'|\".*?\")\.(?= Here |$)", re.DOTALL)
"""What helps in Python where an identifier repeats."""

_UNBROKEN = 10_000
"""Width at which nothing is folded."""
_PIPE = 160
"""Width of what is not printed on a terminal, unless short cells alone are wider."""
_SHORT = 12
"""Cells up to this length are folded last."""
_NARROW = 8
"""What is folded is folded to this width, not to nothing."""


class Console(rich_console.Console):
    """A console that leaves a closed pipe to :func:`handle_errors`.

    rich itself would exit with 1.
    """

    def on_broken_pipe(self) -> None:
        """Raise it again, with its number: a step that it comes through keeps that."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def handle_errors(
    command: Callable[..., Any] | None = None,
    *,
    in_options: Callable[[str], str] | None = None,
    broken: tuple[type[Exception], ...] = (),
) -> Callable[..., Any]:
    """Turn errors of a command into a message and an exit code, warnings into a line.

    The exit code is ``BROKEN_PROMISE`` for a broken gate and an infeasible promise, and
    ``BAD_INPUT`` for all other errors. The message of an error that is not the
    library's own may quote the data, and is not shown.

    Parameters
    ----------
    command : callable
        What typer calls. With a true argument ``json_output`` errors are JSON, too.
    in_options : callable, default=None
        Says a message of the library, which speaks of Python's parameters, in the
        options of the command line.
    broken : tuple of exception types, default=()
        Further errors of the library that break a promise, such as ``NotEvaluable``
        where it means that a time limit was hit.

    Returns
    -------
    callable
        The command; without ``command`` a decorator.
    """
    if command is None:
        return partial(handle_errors, in_options=in_options, broken=broken)
    say = in_options or str
    not_kept: tuple[type[Exception], ...] = (GateError, InfeasibleError, *broken)

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        as_json = bool(kwargs.get("json_output"))
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning(warnings.showwarning, say)
                result = command(*args, **kwargs)
            sys.stdout.flush()  # a closed pipe shows here, and not after the end
        except typer.Exit:
            _flush_verdict()
            raise
        except typer.Abort:
            raise
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(CLOSED_PIPE) from None
        except not_kept as error:
            _print_error(say(str(error)), as_json)
            raise typer.Exit(BROKEN_PROMISE) from None
        except (AnonymizationError, OSError) as error:
            _print_error(say(str(error)), as_json)
            raise typer.Exit(BAD_INPUT) from None
        except Exception as error:
            if os.environ.get("ANON_DEBUG") or _is_of_usage(error):
                raise
            _print_error(
                f"unexpected {type(error).__name__}; set ANON_DEBUG=1 for the "
                "traceback, which may quote the data.",
                as_json,
            )
            raise typer.Exit(BAD_INPUT) from None
        return result

    return run


def _is_of_usage(error: Exception) -> bool:
    """Whether an error is about what was typed, and shows itself.

    There are two classes of these, for typer has a click of its own.
    """
    return hasattr(error, "exit_code") and hasattr(error, "show")


def _flush_verdict() -> None:
    """Flush what was printed; an exit code stands also where nobody reads on."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()


def _forget_output() -> None:
    """Let the interpreter flush into nothing when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    others: Callable[..., None], say: Callable[[str], str]
) -> Callable[..., None]:
    """Show warnings of the library and its plugins as one line, all others as usual.

    The same line is shown once, however many runs of a comparison give it.
    """
    seen: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not category.__module__.startswith("anon_transformers"):
            others(message, category, filename, lineno, file, line)
            return
        text = " ".join(say(_in_options(str(message), category)).split())
        if text not in seen:
            seen.add(text)
            print_warning(text)

    return show


def _in_options(message: str, category: type[Warning]) -> str:
    """A warning in the words of the command line.

    Examples
    --------
    >>> _in_options("Name it, such as subject='pid'.", RepeatedIdentifierWarning)
    'Name it, such as --subject pid.'
    """
    found = _SUBJECT.search(message)
    if found is None or not issubclass(category, RepeatedIdentifierWarning):
        return message
    name = shlex.quote(str(ast.literal_eval(found[1])))
    advice = f"such as --subject {name}."
    return f"{message[: found.start()]}{advice}{message[found.end() :]}"


def _print_error(message: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": message}))
    else:
        _print_labeled("error", "red", message)


def print_error(message: str) -> None:
    """Print an error on the error stream, where a command goes on after it."""
    _print_error(message, as_json=False)


def print_warning(message: str) -> None:
    """Print a warning on the error stream, on one line."""
    _print_labeled("warning", "yellow", message)


def _print_labeled(label: str, color: str, message: str) -> None:
    Console(stderr=True).print(Text(f"{label}: ", style=f"bold {color}"), end="")
    print(message, file=sys.stderr)


def show_status(what: str, *, hidden: bool = False) -> Any:
    """Show on a terminal that something is going on, while the context lasts."""
    return Console(stderr=True, quiet=hidden).status(Text(what))


def print_json(content: Any, *, to_stderr: bool = False) -> None:
    """Print for machines, on the output or the error stream.

    What JSON does not know, such as a path, becomes a text.
    """
    file = sys.stderr if to_stderr else sys.stdout
    print(dump_json(content), file=file)


def dump_json(content: Any) -> str:
    """The text that :func:`print_json` prints; raises where there is none."""
    return json.dumps(content, indent=2, default=str)


def print_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    spare: Sequence[str] = (),
    *,
    to_stderr: bool = False,
) -> None:
    """Print for people, as wide as the terminal; into a pipe or a file 160 wide.

    There, no column is left out and no short cell is folded: where these alone take
    more, the table is wider. What reads the output should ask for JSON. Texts are
    printed as they are, whatever brackets they hold: names of columns and files are no
    markup.

    Parameters
    ----------
    title : str
        A line above the table.
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Cells: what is no text is printed as ``str`` gives it, see
        :func:`format_number` and :func:`percent`. A cell that is to have a style comes
        as a rich ``Text``.
    spare : sequence of str, default=()
        Columns that are left out where a terminal is too narrow, the first of them
        first; the others are folded.
    to_stderr : bool, default=False
        Print on the error stream, where the output is a table of its own.
    """
    unbroken = Console(width=_UNBROKEN, stderr=to_stderr)
    cells = [[_as_text(cell) for cell in row] for row in rows]
    if unbroken.is_terminal:
        console = Console(stderr=to_stderr)
    else:
        console = Console(width=max(_PIPE, _least(header, cells)), stderr=to_stderr)
    left_out: list[str] = []
    for name in [*spare, None]:
        table = _table(header, cells, left_out)
        if name is None or unbroken.measure(table).minimum <= console.width:
            break
        left_out.append(name)
    # On a line of its own; a table would fold it to its own width.
    console.print(Text(title, style="italic"), soft_wrap=not console.is_terminal)
    console.print(table)
    if left_out:
        names = ", ".join(name for name in header if name in left_out)
        console.print(Text(f"not shown on a narrow terminal: {names}"))


def _as_text(cell: object) -> Text:
    """What a cell says, with its own style if it has one, and no markup."""
    return cell if isinstance(cell, Text) else Text(str(cell))


def _is_short(header: str, cells: Iterable[Text]) -> bool:
    """Whether a column is broken last: half a number is no number."""
    return " " not in header and all(len(cell) <= _SHORT for cell in cells)


def _least(header: Sequence[str], rows: Sequence[Sequence[Text]]) -> int:
    """Width of a table in which all but short cells are folded as far as they go."""
    width = 1
    for at, name in enumerate(header):
        cells = [row[at] for row in rows]
        widest = max([len(name), *map(len, cells)])
        width += 3 + (widest if _is_short(name, cells) else min(widest, _NARROW))
    return width


def _table(
    header: Sequence[str], rows: Sequence[Sequence[Text]], left_out: Sequence[str]
) -> Table:
    table = Table(header_style="bold")
    kept = [at for at, name in enumerate(header) if name not in left_out]
    for at in kept:
        short = _is_short(header[at], [row[at] for row in rows])
        table.add_column(
            Text(header[at]),
            overflow="fold",
            no_wrap=short,
            min_width=None if short else _NARROW,
        )
    for row in rows:
        table.add_row(*(row[at] for at in kept))
    return table


def format_number(value: object, missing: str = "not defined") -> str:
    """A cell for people: four digits of a number are enough, and JSON has them all.

    Whole numbers and texts stay as they are, and ``missing`` stands for None and NaN.

    Examples
    --------
    >>> [format_number(cell) for cell in (1 / 3, 0.5, 12000, None, "holds")]
    ['0.3333', '0.5', '12000', 'not defined', 'holds']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def escape_markup(text: str) -> str:
    r"""A text for the help of a command, which alone is read as markup.

    Examples
    --------
    >>> escape_markup("ages [bold]")
    'ages \\[bold]'
    """
    from rich.markup import escape

    return escape(text)


def percent(share: float) -> str:
    """A share for people: three digits at most, and none that was made up.

    Examples
    --------
    >>> percent(1 / 3), percent(0.5), percent(0), percent(0.00041666)
    ('33.3 %', '50 %', '0 %', '0.0417 %')
    """
    # Rounding errors are no news; adding 0 leaves no "-0".
    return f"{round(100 * share, 10) + 0.0:.3g} %"


@contextmanager
def progress_bar(
    *, hidden: bool = False, unit: str = "runs"
) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on the error stream, while the context lasts.

    Parameters
    ----------
    hidden : bool, default=False
        Show nothing, as for ``--json``.
    unit : str, default="runs"
        What is counted.

    Yields
    ------
    callable
        To be called with how many units are done, how many there are, and what is
        next: the ``progress`` of :func:`anon_transformers.experiments.compare`.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    with Progress(
        TextColumn("{task.description:40}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=hidden,
    ) as progress:
        bar = progress.add_task("start", total=None)

        def update(done: int, total: int, what: str) -> None:
            progress.update(
                bar, description=what or "done", completed=done, total=total
            )

        yield update

"""How commands speak: to people with colors, to machines with ``--json``."""

import ast
import json
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, TextIO

import typer
from rich import console as rich_console
from rich.table import Table
from rich.text import Text

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    GateError,
    InfeasibleError,
    RepeatedIdentifierWarning,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]

BROKEN_PROMISE = 1
BAD_INPUT = 2
CLOSED_PIPE = 141
"""What a shell reports of a program whose reader went away: no verdict at all."""

_SUBJECT = re.compile(r"such as subject=('.*?'|\".*?\")\.(?= Here |$)", re.DOTALL)
"""What helps in Python where an identifier repeats."""

LOSS_IN_WORDS = "detail given up: 0 % is none, 100 % is all suppressed"

UNBROKEN = 10_000
"""Width of what is not printed on a terminal."""
SHORT = 12
"""Cells up to this length are folded last."""
NARROW = 8
"""What is folded is folded to this width, not to nothing."""


class Console(rich_console.Console):
    """A console that leaves a closed pipe to :func:`handle_errors`.

    rich itself would exit with 1.
    """

    def on_broken_pipe(self) -> None:
        """Raise it again."""
        raise BrokenPipeError


def handle_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into a message and an exit code, and warnings into a line.

    1: a threshold is broken or cannot be met. 2: anything wrong with what was given.
    """

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        as_json = bool(kwargs.get("json_output"))
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning(warnings.showwarning)
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
        except (GateError, InfeasibleError) as error:
            _print_error(str(error), as_json)
            raise typer.Exit(BROKEN_PROMISE) from None
        except (AnonymizationError, OSError) as error:
            _print_error(str(error), as_json)
            raise typer.Exit(BAD_INPUT) from None
        except Exception as error:
            if os.environ.get("ANON_DEBUG"):
                raise
            _print_error(
                f"unexpected {type(error).__name__}; set ANON_DEBUG=1 for the "
                "traceback, which may quote the data.",
                as_json,
            )
            raise typer.Exit(BAD_INPUT) from None
        return result

    return run


def _flush_verdict() -> None:
    """Flush what was printed; an exit code stands also where nobody reads on."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()


def _forget_output() -> None:
    """Let the interpreter flush into nothing when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(others: Callable[..., None]) -> Callable[..., None]:
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
        text = " ".join(_in_options(str(message), category).split())
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


def print_warning(message: str) -> None:
    """Print a warning on the error stream, on one line."""
    _print_labeled("warning", "yellow", message)


def _print_labeled(label: str, color: str, message: str) -> None:
    Console(stderr=True).print(Text(f"{label}: ", style=f"bold {color}"), end="")
    print(message, file=sys.stderr)


def working(what: str, *, hidden: bool = False) -> Any:
    """Show on a terminal that something is going on."""
    return Console(stderr=True, quiet=hidden).status(Text(what))


def print_json(content: Any, *, to_stderr: bool = False) -> None:
    """Print for machines."""
    file = sys.stderr if to_stderr else sys.stdout
    print(json.dumps(content, indent=2, default=str), file=file)


def print_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    spare: Sequence[str] = (),
    *,
    to_stderr: bool = False,
) -> None:
    """Print for people; into a pipe or a file no line is broken.

    Texts are printed as they are, whatever brackets they hold: names of columns and
    files are no markup. A cell that is to have a style comes as a rich ``Text``.

    Where a terminal is too narrow, columns in ``spare`` are left out, the first of them
    first, and the others are folded.
    """
    unbroken = Console(width=UNBROKEN, stderr=to_stderr)
    console = Console(stderr=to_stderr) if unbroken.is_terminal else unbroken
    cells = [[as_text(cell) for cell in row] for row in rows]
    left_out: list[str] = []
    for name in [*spare, None]:
        table = _table(header, cells, left_out)
        if name is None or unbroken.measure(table).minimum <= console.width:
            break
        left_out.append(name)
    # On a line of its own; a table would fold it to its own width.
    console.print(Text(title, style="italic"))
    console.print(table)
    if left_out:
        names = ", ".join(name for name in header if name in left_out)
        console.print(Text(f"not shown on a narrow terminal: {names}"))


def as_text(cell: object) -> Text:
    """What a cell says, with its own style if it has one, and no markup."""
    return cell if isinstance(cell, Text) else Text(str(cell))


def _table(
    header: Sequence[str], rows: Sequence[Sequence[Text]], left_out: Sequence[str]
) -> Table:
    table = Table(header_style="bold")
    kept = [at for at, name in enumerate(header) if name not in left_out]
    for at in kept:
        # What is short is broken last: half a number is no number.
        short = " " not in header[at] and all(len(row[at]) <= SHORT for row in rows)
        table.add_column(
            Text(header[at]),
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


def percent(share: float) -> str:
    """A share for people: three digits at most, and none that was made up.

    Examples
    --------
    >>> percent(1 / 3), percent(0.5), percent(0), percent(0.00041666)
    ('33.3 %', '50 %', '0 %', '0.0417 %')
    """
    # Rounding errors are no news; adding 0 leaves no "-0".
    return f"{round(100 * share, 10) + 0.0:.3g} %"


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


def name_and_assignments(key: str, text: str) -> tuple[str, dict[str, Any]]:
    """Read ``NAME,KEY=VALUE,…``.

    Examples
    --------
    >>> name_and_assignments("model", "distinct-l-diversity,l=3,sensitive=job")
    ('distinct-l-diversity', {'l': 3, 'sensitive': 'job'})
    """
    name, *pairs = text.split(",")
    return name, assignments(key, pairs)


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
            raise ConfigurationError(f"--{key}: {name} is given twice.")
        found[name] = number_or_text(value)
    return found


@contextmanager
def run_bar(
    *, hidden: bool, unit: str = "runs"
) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on the error stream; yields what to call after each unit."""
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

"""The contract of commands."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from anon_transformers.registry import as_command, first_line
from anon_transformers.testing._contract import Check, bind, require, run

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
OPTION = re.compile(r"(-[A-Za-z]|--[a-z][a-z0-9]*(-[a-z0-9]+)*)\Z")
BAD_INPUT = 2


def command_checks(command: Any) -> Iterator[Check]:
    """Yield the contract checks of a command, by name.

    Parameters
    ----------
    command : typer application, command, or function that returns one
        As in :func:`check_command`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    yield from bind(command, [command], lambda _: CHECKS)


def check_command(command: Any, *, verbose: bool = False) -> None:
    """Check a command of ``anon`` against the contract.

    Nothing but its help is run.

    Parameters
    ----------
    command : typer application, command, or function that returns one
        As it is registered; commands below it are checked too.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.testing import check_command
    >>> def greet_command():
    ...     \"\"\"Greet somebody.\"\"\"
    ...     import typer
    ...     app = typer.Typer(help="Greet somebody.")
    ...     @app.command()
    ...     def greet(name: str = typer.Option("you", help="Who is greeted.")):
    ...         \"\"\"Greet somebody by name.\"\"\"
    ...         typer.echo(f"Hello, {name}.")
    ...     return app
    >>> check_command(greet_command)
    """
    run(command, command_checks(command), verbose=verbose)


def check_summary(command: Any) -> None:
    """What ``anon list`` and ``anon --help`` show without calling it."""
    summary = first_line(command)
    require(
        summary.endswith("."),
        "A command has a summary, without being called: the first line of its "
        "docstring, or its help, is a sentence.",
        repr(summary),
    )


def check_is_a_command(command: Any) -> None:
    """A typer application, a command, or what returns one."""
    made = as_command(command)
    lacking = [n for n in ("main", "params", "help") if not hasattr(made, n)]
    require(
        not lacking,
        "A command is a typer application, a command, or a function without "
        "parameters that returns one of these.",
        f"a {type(made).__name__}",
    )


def check_everything_has_help(command: Any) -> None:
    """Every command below it, and every option."""
    sentence = "Every command and every option has a help text."
    for name, made in _commands(as_command(command)):
        require(made.help, sentence, f"none of {name or 'the command'}")
        for parameter in made.params:
            if getattr(parameter, "hidden", False):
                continue
            text = getattr(parameter, "help", "")
            require(text, sentence, f"none of {parameter.name} of {name or 'it'}")


def check_help_is_printed(command: Any) -> None:
    """``--help`` ends with exit code 0."""
    for name, _ in _commands(as_command(command)):
        code, printed = _called(command, [*name.split(), "--help"])
        require(
            code == 0 and "Usage" in printed,
            "--help prints how a command is used, with exit code 0.",
            f"exit code {code} of {name or 'the command'}",
        )


def check_unknown_option_is_refused(command: Any) -> None:
    """What was typed wrong is exit code 2, and no traceback."""
    code, printed = _called(command, ["--no-such-option"])
    require(
        code == BAD_INPUT and "Traceback" not in printed,
        "An option that nobody knows is refused with exit code 2.",
        f"exit code {code}",
    )


def check_names(command: Any) -> None:
    """Names of commands and options are those of the others."""
    for name, made in _commands(as_command(command)):
        for word in name.split():
            sentence = "Names of commands are lower case with hyphens."
            require(NAME.match(word), sentence, repr(word))
        for parameter in made.params:
            if getattr(parameter, "param_type_name", "option") != "option":
                continue
            given = [*parameter.opts, *parameter.secondary_opts]
            odd = [option for option in given if not OPTION.match(option)]
            sentence = "Options are a letter, or words in lower case with hyphens."
            require(not odd, sentence, repr(odd))


CHECKS: tuple[Callable[[Any], None], ...] = (
    check_summary,
    check_is_a_command,
    check_everything_has_help,
    check_help_is_printed,
    check_unknown_option_is_refused,
    check_names,
)


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """A command and all below it, by what is typed."""
    yield name, command
    for key, below in getattr(command, "commands", {}).items():
        yield from _commands(below, f"{name} {key}".strip())


def _called(command: Any, arguments: list[str]) -> tuple[Any, str]:
    """Exit code, and all that was printed."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            as_command(command).main(args=arguments, prog_name="anon")
        except SystemExit as done:
            return done.code or 0, printed.getvalue()
    return 0, printed.getvalue()

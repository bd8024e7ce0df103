"""What the commands say about networks, in the words of the command line."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

from anon_transformers.cli import output
from anon_transformers.exceptions import NotEvaluable

REMEDIES = {
    "which an anonymizer with keep_mapping=True has as mapping_, or publish with "
    "relabel=False": "which anon graph anonymize writes if it is given --mapping FILE, "
    "too",
    "relabel=False keeps them": "--mapping FILE says who is who",
}
"""Advice of the library for Python, and the same for the command line."""


def report_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into a message, with options named as the command names them.

    A promise that was not judged, mostly for lack of time, counts as broken.
    """
    parameters = signature(command).parameters
    in_options = partial(with_option_names, parameters=parameters)
    return output.handle_errors(command, in_options=in_options, broken=(NotEvaluable,))


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


def print_measures(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Print a table of numbers and names, for people."""
    cells = [[format_cell(cell) for cell in row] for row in rows]
    output.print_table(title, header, cells)


def print_numbers(title: str, numbers: Mapping[str, object]) -> None:
    """Print one number per line, its name in words."""
    rows = [(readable_name(name), value) for name, value in numbers.items()]
    print_measures(title, ["what", "measured"], rows)


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
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    return output.format_number(cell)

"""The contract of readers."""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers.exceptions import DataError
from anon_transformers.registry import refuse_wrong_parameters
from anon_transformers.testing._contract import Check, bind, require, run
from anon_transformers.testing._published_texts import differing_cells

GRAPH_TABLES = 2
_QUOTED_CODE = re.compile(r'"(0[0-9]+)"')
"""A text of digits that no number is written as, in JSON, CSV and the like."""


@dataclass(frozen=True)
class ReaderTrial:
    """A reader, and options under which it reads something."""

    reader: Callable[..., Any]
    options: Mapping[str, Any]
    expected: pd.DataFrame | None = None

    def read(self, **changed: Any) -> list[pd.DataFrame]:
        """Read; the tables of a graph are its edges and its nodes."""
        found = self.reader(**{**self.options, **changed})
        if getattr(self.reader, "kind", "table") == "graph":
            sentence = 'A reader of kind "graph" returns edges and nodes.'
            pair = isinstance(found, tuple) and len(found) == GRAPH_TABLES
            require(pair, sentence, f"a {type(found).__name__}")
            return [table for table in found if table is not None]
        return [found]

    @property
    def files(self) -> dict[str, Path]:
        """Options that name a file which is there."""
        texts = {k: v for k, v in self.options.items() if isinstance(v, str | Path)}
        return {key: Path(text) for key, text in texts.items() if Path(text).is_file()}


def reader_checks(
    reader: Callable[..., Any],
    options: Mapping[str, Any],
    expected: pd.DataFrame | None = None,
) -> Iterator[Check]:
    """Yield the contract checks of a reader, by name.

    Parameters
    ----------
    reader, options, expected
        As in :func:`check_reader`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    trial = ReaderTrial(reader, options, expected)
    yield from bind(reader, [trial], lambda _: CHECKS)


def check_reader(
    reader: Callable[..., Any],
    options: Mapping[str, Any],
    expected: pd.DataFrame | None = None,
    *,
    verbose: bool = False,
) -> None:
    """Check a reader against the contract.

    Parameters
    ----------
    reader : callable
        As it is registered: called with options, it returns a data frame. One that
        reads graphs has the attribute ``kind = "graph"`` and returns two, edges and
        nodes (or None in place of these).
    options : mapping
        Options under which it reads a table, as the ``source`` of a release file
        states them, such as ``{"path": "people.xlsx"}``. Commands give ``path`` alone.
    expected : data frame, default=None
        What it must read then; not of graphs. Put what a careless reader destroys into
        it: texts of digits with leading zeros, as postal codes are; and whole numbers
        beside a missing cell, in a column of type ``Int64``. Such a number is read as
        ``1``, and never as ``1.0``. Numbers and dates stand in columns of their types:
        read as texts, they would be categories without an order.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> import tempfile
    >>> from anon_transformers.testing import check_reader
    >>> def read_json_lines(path):
    ...     # Without dtype=False, pandas reads "01234" as 1234, and guesses dates.
    ...     return pd.read_json(path, lines=True, dtype=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.jsonl")
    ...     people = pd.DataFrame({"age": [20, 30], "zip": ["01234", "00501"]})
    ...     people.to_json(file, orient="records", lines=True)
    ...     check_reader(read_json_lines, {"path": file}, expected=people)
    """
    run(reader, reader_checks(reader, options, expected), verbose=verbose)


def check_options_are_named(trial: ReaderTrial) -> None:
    """A release names the options, and tells a misspelled one by them."""
    sentence = "A reader names its options, so that a misspelled one is refused."
    parameters = inspect.signature(trial.reader).parameters.values()
    loose = [p.name for p in parameters if p.kind in {p.VAR_POSITIONAL, p.VAR_KEYWORD}]
    require(not loose, sentence, f"*{loose}")
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
    require(not positional, sentence, f"{positional} that can be given by place only")
    refuse_wrong_parameters(trial.reader, trial.options)


def check_tables_are_read(trial: ReaderTrial) -> None:
    """Data frames with rows, names of columns, and nothing beside them."""
    for table in trial.read():
        sentence = "A reader returns data frames of pandas, with rows."
        require(isinstance(table, pd.DataFrame), sentence, f"a {type(table).__name__}")
        require(len(table), sentence, "no row")
        sentence = "Names of columns are texts, and each stands once."
        names = list(table.columns)
        odd = sum(not isinstance(name, str) for name in names)
        require(not odd, sentence, f"{odd} names that are no text")
        repeated = len(names) - len(set(names))
        require(not repeated, sentence, f"{repeated} that stand twice")
        sentence = "Rows are numbered from 0, and nothing stands beside the cells."
        fresh = table.index.equals(pd.RangeIndex(len(table)))
        require(fresh, sentence, "another index")
        require(not table.attrs, sentence, f"DataFrame.attrs {list(table.attrs)}")


def check_cells_are_single_values(trial: ReaderTrial) -> None:
    """A release refuses lists and the like."""
    for table in trial.read():
        for at, name in enumerate(table.columns, 1):
            cells = table[name][table[name].notna()]
            nested = sum(isinstance(c, list | tuple | set | dict) for c in cells)
            require(
                not nested,
                "A cell is a single value.",
                f"{nested} others in column {at}",
            )


def check_cells_are_read_as_they_are(trial: ReaderTrial) -> None:
    """Every cell of the table that the author expects, as the text that it is."""
    if trial.expected is None:
        return
    (found,) = trial.read()
    names = list(trial.expected.columns)
    require(
        list(found.columns) == names,
        "The expected columns are read, in their order, and no other.",
        f"{list(found.columns)}",
    )
    _refuse_made_decimals(trial.expected)
    sentence = "Every cell is read as the text that it is."
    require(len(found) == len(trial.expected), sentence, f"{len(found)} rows")
    for name in names:
        other = differing_cells(trial.expected[name], found[name])
        require(not other, sentence, f"in column {name!r} {other}")


def check_numbers_and_dates_are_read(trial: ReaderTrial) -> None:
    """Anonymizers take texts for categories, which have no ranges."""
    if trial.expected is None:
        return
    (found,) = trial.read()
    if list(found.columns) != list(trial.expected.columns):
        return  # the check of the cells says so
    for name, column in trial.expected.items():
        if not _has_an_order(column):
            continue
        cells = found[name].dropna()
        texts = sum(isinstance(cell, str) for cell in cells)
        require(
            not texts,
            "Numbers are read as numbers and dates as dates: texts have no ranges.",
            f"in column {name!r} {texts} texts",
        )


def _has_an_order(column: pd.Series) -> bool:
    """Whether a column has a type for numbers or dates."""
    number = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    return number or types.is_datetime64_any_dtype(column)


def check_codes_stay_texts(trial: ReaderTrial) -> None:
    """A text of digits with a leading zero is a postal code, and no number."""
    written: set[str] = set()
    for file in trial.files.values():
        written.update(_QUOTED_CODE.findall(file.read_text("utf-8", errors="replace")))
    held: set[Any] = set()
    for table in trial.read():
        for name in table.columns:
            held.update(to_text(table[name]).tolist())
    lost = sorted(written - held)
    require(
        not lost,
        'A text of digits stays a text: the file holds "01234", and so does the table.',
        f"{len(lost)} such texts that are not in the table, {lost[:1]} the first",
    )


def _refuse_made_decimals(expected: pd.DataFrame) -> None:
    """Refuse whole numbers that pandas made decimals of, beside a missing cell."""
    for name, column in expected.items():
        if column.isna().any() and _are_whole_decimals(column):
            raise AssertionError(
                "Whole numbers beside missing cells are expected as 1, and not as 1.0. "
                f"Found: column {name!r} of expected has type {column.dtype}; state "
                "them with dtype='Int64', and put a fraction into a column of decimals."
            )


def check_whole_numbers_stay_whole(trial: ReaderTrial) -> None:
    """What stands as 1 in a file of text is no 1.0, beside missing cells either."""
    written = "\n".join(_text_of(file) for file in trial.files.values())
    for table in trial.read():
        for name in table.columns:
            if not _are_whole_decimals(table[name]):
                continue
            texts = to_text(table[name].dropna()).tolist()
            made = [t for t in texts if _stands_without_fraction(str(t), written)]
            require(
                not made,
                "A whole number is read as 1, also beside missing cells, and not as "
                "1.0 (pandas: astype('Int64')).",
                f"in column {name!r} {len(made)} numbers that got a fraction",
            )


def _are_whole_decimals(column: pd.Series) -> bool:
    """Whether a column has a type for fractions, and none in it."""
    known = column.dropna()
    return (
        types.is_float_dtype(column) and len(known) > 0 and bool((known % 1 == 0).all())
    )


def _text_of(file: Path) -> str:
    """What a file of text holds; of another, whose numbers do not show, nothing."""
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text


def _stands_without_fraction(decimal: str, written: str) -> bool:
    """Whether a text holds 1 where a table holds 1.0, and 1.0 nowhere."""
    if not decimal.endswith(".0"):
        return False
    whole = re.escape(decimal.removesuffix(".0"))
    with_fraction = rf"(?<![\w.+-]){whole}\.0"
    without = rf"(?<![\w.+-]){whole}(?![\w.])"
    return bool(re.search(without, written) and not re.search(with_fraction, written))


def check_reading_again_gives_the_same(trial: ReaderTrial) -> None:
    """A release may read its source twice; paths come as texts and as objects."""
    sentence = "Reading again gives the same table, also for a path as a text."
    paths = {key: str(path) for key, path in trial.files.items()}
    for one, other in zip(trial.read(), trial.read(**paths), strict=True):
        require(one.equals(other), sentence, "another table")


def check_source_is_left_alone(trial: ReaderTrial) -> None:
    """Nothing is written where the source lies."""
    before = {file: _content(file) for file in trial.files.values()}
    trial.read()
    changed = [file for file, content in before.items() if _content(file) != content]
    require(
        not changed,
        "A reader writes nothing beside its source, nor into it.",
        f"{len(changed)} files or folders that changed",
    )


def check_missing_file_is_refused(trial: ReaderTrial) -> None:
    """A file that is not there is told as one, and is no empty table."""
    for key, file in trial.files.items():
        nowhere = file.with_name(f"nowhere-{file.name}")
        try:
            trial.read(**{key: nowhere})
        except (DataError, OSError):
            continue
        raise AssertionError(
            "A file that is not there raises DataError or OSError. Found: a table for "
            f"{key}."
        )


CHECKS: tuple[Callable[[ReaderTrial], None], ...] = (
    check_options_are_named,
    check_tables_are_read,
    check_cells_are_single_values,
    check_cells_are_read_as_they_are,
    check_numbers_and_dates_are_read,
    check_codes_stay_texts,
    check_whole_numbers_stay_whole,
    check_reading_again_gives_the_same,
    check_source_is_left_alone,
    check_missing_file_is_refused,
)


def _content(file: Path) -> tuple[str, list[str]]:
    """The bytes of a file, and what lies beside it."""
    beside = sorted(path.name for path in file.parent.iterdir())
    return hashlib.sha256(file.read_bytes()).hexdigest(), beside

"""Everything that can go wrong, by name.

Messages about parameters name the key, the value given and the legal choices.
Messages about data name the column, the fault and how many rows, never a value.
"""

import sys
import traceback
from collections.abc import Collection, Hashable, Iterable, Mapping
from difflib import get_close_matches
from types import FrameType
from typing import Any


class AnonymizationError(Exception):
    """Root of the library's own errors."""


class ParameterError(AnonymizationError, ValueError):
    """A parameter has an illegal value."""


class DataError(AnonymizationError, ValueError):
    """A table cannot be used as it is."""


class UnreachableError(DataError):
    """A database or a store of files cannot be reached now; schedulers try again."""


class UnknownValuesError(DataError):
    """Columns hold values that their hierarchies do not have, and should have.

    Parameters
    ----------
    rows : mapping of column to int
        How many rows of each column.
    """

    def __init__(self, rows: Mapping[Hashable, int]):
        self.rows = dict(rows)
        counted = " and ".join(
            f"column {name!r} holds values in {count} rows"
            for name, count in self.rows.items()
        )
        whose = "its hierarchy does" if len(self.rows) == 1 else "their hierarchies do"
        super().__init__(
            f"{counted} that {whose} not have; unknown='root' or 'suppress' lets them "
            "pass."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors of worker processes are sent home."""
        return type(self), (self.rows,)


class ConfigurationError(AnonymizationError, ValueError):
    """A release configuration cannot be used as it is."""


class InfeasibleError(AnonymizationError, ValueError):
    """The promise cannot be kept within the suppression limit."""


class NotEvaluable(AnonymizationError, ValueError):
    """A privacy model or metric has nothing to judge; a gate then fails."""


class PluginError(AnonymizationError, RuntimeError):
    """A plugin is broken, misspelled, or takes a name that is already taken."""


class ReleaseError(AnonymizationError, RuntimeError):
    """A release step cannot go on; nothing was published."""


class GateError(ReleaseError):
    """The validation gate refused a candidate.

    Parameters
    ----------
    message : str
        Why, and where the candidate lies.
    reasons : iterable of str
        Why, one reason each.
    """

    def __init__(self, message: str, reasons: Iterable[str] = ()):
        super().__init__(message)
        self.reasons = tuple(reasons)


class LedgerError(ReleaseError):
    """The ledger of publications cannot be used, or does not allow a publication."""


class ReservedError(LedgerError):
    """Another run has reserved the publication of a source.

    Parameters
    ----------
    release, version : str
        Release and run that reserved it.
    since : str
        When.
    """

    def __init__(self, release: str, version: str, since: str):
        self.release, self.version, self.since = release, version, since
        super().__init__(
            f"run {version} of the release {release} has reserved this source since "
            f"{since}, and is neither published nor given up. Two releases of one "
            "source are published one after the other."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors of worker processes are sent home."""
        return type(self), (self.release, self.version, self.since)


class WithoutKWarning(UserWarning):
    """Sensitive values are protected, but not against finding a person's row."""


class DuplicatesWarning(UserWarning):
    """Rows share all their quasi-identifiers, which a method does not expect."""


class DependenceWarning(UserWarning):
    """A column that was swapped can be computed from other ones."""


class RepeatedIdentifierWarning(UserWarning):
    """An identifier repeats: persons have several rows, and rows are counted."""


class TellingColumnsWarning(UserWarning):
    """Published columns that nobody protects tell persons apart together."""


class ExtraSuppressionWarning(UserWarning):
    """More rows are suppressed for the suppressed class than break the promise."""


class SpellingWarning(UserWarning):
    """Values of a quasi-identifier, or names of persons, differ in spelling only."""


class NearlyNumbersWarning(UserWarning):
    """A column of numbers is taken for texts, since a few of its cells are none."""


class ExtremesWarning(UserWarning):
    """Published values show extremes, means or cells of single persons."""


class TellingWeightsWarning(UserWarning):
    """Weights of edges are published that tell nodes apart; no method protects them."""


class LabelsLeftOutWarning(UserWarning):
    """Labels of nodes are not published, since the method does not protect them."""


class WeightsLeftOutWarning(UserWarning):
    """Weights of edges are not published, and no parameter says that this is wanted."""


LONGEST_QUOTE = 200
"""Characters of a text that a message repeats; nobody reads more."""


def shortened(text: object, longest: int = LONGEST_QUOTE) -> str:
    """A text as a message quotes it: of a long one the start and the end.

    Examples
    --------
    >>> shortened("a" * 500, longest=9)
    'aaaa…aaaa'
    """
    whole = str(text)
    half = (longest - 1) // 2
    return whole if len(whole) <= longest else f"{whole[:half]}…{whole[-half:]}"


def unknown_choice(what: str, given: object, legal: Iterable[object]) -> str:
    """Say that ``given`` is not among ``legal``, and which one is nearest.

    Examples
    --------
    >>> unknown_choice("mode", "strickt", ["strict", "relaxed"])
    "unknown mode 'strickt'; did you mean 'strict'? Choices: 'relaxed', 'strict'."
    >>> unknown_choice("model", "l-x", ["a-l-x", "b-l-x", "y"]).partition("?")[0]
    "unknown model 'l-x'; did you mean 'a-l-x' or 'b-l-x'"
    """
    names, wanted = sorted(map(shortened, legal)), shortened(given)
    # Of several that end alike, such as those of l-diversity, none is nearer.
    longer = [name for name in names if name.endswith(wanted) and wanted]
    near = longer or get_close_matches(wanted, names, n=1)
    meant = f"did you mean {' or '.join(map(repr, near))}? Choices"
    listed = ", ".join(repr(name) for name in names) or "none"
    return f"unknown {what} {wanted!r}; {meant if near else 'choices'}: {listed}."


def check_choice(key: str, given: object, legal: Collection[object]) -> None:
    """Refuse a named option that does not exist."""
    if given not in legal:
        raise ParameterError(f"{key}: {unknown_choice('option', given, legal)}")


def check_columns(
    key: str, stated: Iterable[object] | None, legal: object, what: str = "column"
) -> None:
    """Refuse columns under a parameter that are none of those it may be about.

    Parameters
    ----------
    key : str
        The parameter.
    stated : iterable
        The columns that it names.
    legal : sequence or None
        Columns that it may name; None: this is not known before a table is.
    what : str
        What these columns are.
    """
    if not isinstance(legal, Collection):
        return
    for name in stated or ():
        if name not in legal:
            raise ParameterError(f"{key}: {unknown_choice(what, name, legal)}")


OUR_PACKAGES = frozenset({"anon_transformers", "anon_transformers_graphs"})
"""Packages of the distributions that are tested together with this one."""


def is_our_frame(frame: FrameType | None) -> bool:
    """Whether it is our code that runs there."""
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in OUR_PACKAGES


def is_our_error(error: BaseException) -> bool:
    """Whether our code raised an error of the library, and all that led to it.

    Anybody may raise one, and quote a cell in it; what our code makes of such an error
    may repeat it.
    """
    if not isinstance(error, AnonymizationError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not frames or not is_our_frame(frames[-1]):
        return False
    before = [e for e in (error.__cause__, error.__context__) if e is not None]
    return all(is_our_error(e) for e in before if isinstance(e, AnonymizationError))


def safe_words(error: BaseException) -> str:
    """What an error says if our code raised it, otherwise its type."""
    if is_our_error(error):
        return str(error)
    return f"it could not be evaluated: {type(error).__name__}."


INSIDE = ("anon_transformers.", "sklearn.")
"""Names of modules that are not the caller's start so."""


def level_of_caller() -> int:
    """Stack level of the first line that is neither ours nor scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    return level

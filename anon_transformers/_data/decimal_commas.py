"""Numbers as most of Europe writes them: a comma before decimals, ``1.040,64``."""

import re
from collections.abc import Sequence

import pandas as pd

from anon_transformers.exceptions import ParameterError

NO_NUMBER = "no number"
_NUMBER = re.compile(r"-?(?:[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,[0-9]+)?\Z")
_CLEAR = re.compile(r".*(?:,(?:[0-9]{1,2}|[0-9]{4,})|\.[0-9]{3},[0-9]+)\Z")


def with_point(text: str) -> str | None:
    """The number with a point before its decimals; None if it is none.

    Examples
    --------
    >>> with_point("1.040,64"), with_point("-3"), with_point("1.5"), with_point("1,2,3")
    ('1040.64', '-3', None, None)
    """
    if _NUMBER.match(text) is None:
        return None
    return text.replace(".", "").replace(",", ".")


def have_decimal_commas(values: Sequence[str]) -> bool:
    """Whether all are such numbers, and some could be nothing else.

    ``1,234`` could be a whole number, too, as it is written in English.

    Examples
    --------
    >>> have_decimal_commas(["1.040,64", "7"]), have_decimal_commas(["1,234", "7"])
    (True, False)
    """
    return all(map(_NUMBER.match, values)) and any(map(_CLEAR.match, values))


def with_points(texts: pd.Series, mark: object) -> pd.Series:
    """The same numbers with a point; what is no such number is none afterwards, too.

    Raises
    ------
    ParameterError
        If ``mark``, which stands before decimals, is not a comma.

    Examples
    --------
    >>> with_points(pd.Series(["1,5", "1.5"]), ",").tolist()
    ['1.5', 'no number']
    """
    if mark != ",":
        raise ParameterError(
            'number must be ",", the mark before decimals; without it, write '
            f"{texts.name}: number."
        )
    read = {text: with_point(text) or NO_NUMBER for text in texts.dropna().unique()}
    return texts.map(read, na_action="ignore")

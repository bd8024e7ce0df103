"""Identifiers that stand in labels of a candidate, and did not in the source."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers._data.readings import read_text, read_value
from anon_transformers.release._config import DeclaredRoles

SHORTEST_NAME = 4
"""An identifier of as many characters is looked for within labels too."""
SHORTEST_NUMBER = 6
"""A number of as many digits is looked for however they are divided."""
DIVIDED = re.compile(r"\d(?:[\s.'/_\u2019\u2010-\u2015-]{0,2}\d)*")
"""Digits that blanks, dots, hyphens and the like may divide."""


def identifier_faults(
    source: pd.DataFrame, table: pd.DataFrame, roles: DeclaredRoles, publishes: str
) -> list[str]:
    """Identifiers that stand in a published column, and did not in the source.

    Labels that are names of the anonymizer's own may hold anything, so that numbers
    are looked for in them however they are divided: ``920 23 7613`` is ``920-23-7613``.
    """
    hidden = {*roles.identifiers, *([roles.subject] if roles.subject else [])}
    names = {text for column in hidden for text in _read(source[column])}
    numbers = {n for text in names for n in _numbers_in(text) if _is_number(text)}
    # What is short may stand in many a text by chance.
    within = Names.at_least(SHORTEST_NAME, names)
    faults = []
    for name in roles.quasi_identifiers:
        counted = pd.api.types.is_numeric_dtype(table[name].dtype)
        # A mean may be anybody's number; whether it is one, center_faults has asked.
        if not names or (counted and publishes != "names"):
            continue
        own = _read(source[name])
        labels = {
            text: _spellings(text) for text in to_text(table[name]).dropna().unique()
        }
        new = {text: read for text, read in labels.items() if not read & own}
        told = {text for text, read in new.items() if read & names}
        if not counted:
            told |= {t for t, read in new.items() if any(map(within.stand_in, read))}
        if publishes == "names":
            told |= {text for text in new if _numbers_in(text) & numbers}
        if told:
            count = int(to_text(table[name]).isin(told).sum())
            faults.append(f"column {name!r} holds identifiers in {count} rows")
    return faults


@dataclass(frozen=True)
class Names:
    """Texts that are looked for within others, at once and not one by one.

    Attributes
    ----------
    texts : collection of str
        What is looked for.
    shortest : int
        Characters that each of them has at least.
    lengths : mapping of str to collection of int
        By the first characters of texts, as many as that, how long these texts are.

    Examples
    --------
    >>> names = Names.at_least(4, ["anna smith", "bob"])
    >>> names.stand_in("of anna smith's"), names.stand_in("of bob's")
    (True, False)
    """

    texts: Collection[str]
    shortest: int
    lengths: Mapping[str, Collection[int]]

    @classmethod
    def at_least(cls, shortest: int, texts: Iterable[str]) -> "Names":
        """Those texts that have as many characters."""
        long = {text for text in texts if len(text) >= shortest}
        lengths = defaultdict(set)
        for text in long:
            lengths[text[:shortest]].add(len(text))
        return cls(long, shortest, dict(lengths))

    def stand_in(self, text: str) -> bool:
        """Whether one of them is a part of a text."""
        return any(
            text[start : start + length] in self.texts
            for start in range(len(text) - self.shortest + 1)
            for length in self.lengths.get(text[start : start + self.shortest], ())
        )


def _read(series: pd.Series) -> set[str]:
    return {
        read for text in to_text(series).dropna().unique() for read in _spellings(text)
    }


def _spellings(text: str) -> set[str]:
    """A text as people read it, with its signs and without those that mean nothing."""
    return {read_text(text), read_value(text)}


def _numbers_in(text: str) -> set[str]:
    """Long numbers of a text, without what divides their digits and leading zeros.

    Examples
    --------
    >>> sorted(_numbers_in("no. 920-23-7613 and [20, 35]"))
    ['920237613']
    """
    whole = re.sub(r"\.0+\Z", "", read_text(text))  # as a float is written
    runs = (re.sub(r"\D", "", run) for run in DIVIDED.findall(whole))
    return {run.lstrip("0") for run in runs if len(run) >= SHORTEST_NUMBER}


def _is_number(text: str) -> bool:
    return not any(letter.isalpha() for letter in text)

"""Identifiers that stand in labels of a candidate, and did not in the source."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.readings import read_text, read_value
from anon_transformers.release._config import DeclaredRoles

SHORTEST_NAME = 4
"""An identifier of as many characters is looked for within labels too."""
SHORTEST_NUMBER = 6
"""A number of as many digits, or a name or code of as many letters and digits, is
looked for however they are divided."""
PAIR = 2
"""A first name and a last one: either may come first."""
WORD = re.compile(r"[^\W_]+")
DIVIDED = re.compile(r"\d(?:[\s.'/_\u2019\u2010-\u2015-]{0,2}\d)*")
"""Digits that blanks, dots, hyphens and the like may divide."""


def identifier_faults(
    source: pd.DataFrame, table: pd.DataFrame, roles: DeclaredRoles, publishes: str
) -> list[str]:
    """Identifiers that stand in a published column, and did not in the source.

    A column of the source may hold some, as a town that is a name: such a label is
    published in no more rows than had it. In any other label none may stand.
    """
    hidden = {*roles.identifiers, *([roles.subject] if roles.subject else [])}
    known = Identifiers.of(source[column] for column in hidden)
    faults = []
    for name in roles.quasi_identifiers:
        counted = types.is_numeric_dtype(table[name].dtype)
        # A mean may be anybody's number; whether it is one, center_faults has asked.
        if not known.names or (counted and publishes != "names"):
            continue
        before, after = to_text(source[name]), to_text(table[name])
        own = _read(before)
        labels = {text: _spellings(text) for text in after.dropna().unique()}
        naming = {
            text
            for text, read in labels.items()
            if not read & own and known.stand_in(text, read, publishes, counted)
        }
        same = {
            text for text, read in labels.items() if read & own and known.is_one(text)
        }
        count = int(after.isin(naming).sum()) + _rows_beyond(before, after, same)
        if count:
            faults.append(f"column {name!r} holds identifiers in {count} rows")
    return faults


def _rows_beyond(before: pd.Series, after: pd.Series, texts: Collection[str]) -> int:
    """How many more rows hold these texts, in any spelling, than did before."""
    if not texts:
        return 0
    there: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for text, rows in after[after.isin(texts)].value_counts().items():
        there[_letters(str(text))] += rows
    for text, rows in before.value_counts().items():
        most[_letters(str(text))] += rows
    return sum((there - most).values())


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


@dataclass(frozen=True)
class Identifiers:
    """Identifiers of a source, in the ways in which a label may hold one.

    Attributes
    ----------
    names : collection of str
        Each as people read it.
    within : Names
        Those that are no short texts: such may stand in many a text by chance.
    letters : Names
        Letters and digits of each, as in ``AnnaSmith`` and ``AB1234X``.
    words : collection of tuple of str
        Words of each in the order of letters, as of ``Smith, Anna``.
    sizes : collection of int
        How many words these have.
    numbers : set of str
        Those that are numbers, however their digits are divided.
    """

    names: Collection[str]
    within: Names
    letters: Names
    words: Collection[tuple[str, ...]]
    sizes: Collection[int]
    numbers: Set[str]

    @classmethod
    def of(cls, columns: Iterable[pd.Series]) -> "Identifiers":
        """All values of these columns."""
        names = {text for column in columns for text in _read(column)}
        # Digits alone would be found in every range of numbers.
        spoken = [name for name in names if not _is_number(name)]
        several = {words for name in spoken if len(words := _words(name)) > 1}
        long = {words for words in several if len("".join(words)) >= SHORTEST_NUMBER}
        pairs = [words for words in long if len(words) == PAIR]
        letters = map(_letters, spoken)
        either_way = ("".join(way) for words in pairs for way in (words, words[::-1]))
        return cls(
            names,
            Names.at_least(SHORTEST_NAME, names),
            Names.at_least(SHORTEST_NUMBER, (*letters, *either_way)),
            long,
            {len(words) for words in long},
            {n for text in names for n in _numbers_in(text) if _is_number(text)},
        )

    def stand_in(
        self, text: str, read: Collection[str], publishes: str, counted: bool
    ) -> bool:
        """Whether a label holds one of them.

        Labels that are names of the anonymizer's own may hold anything, so that
        numbers are looked for in them however they are divided: ``920 23 7613`` is
        ``920-23-7613``.
        """
        if any(name in self.names for name in read):
            return True
        if publishes == "names" and not self.numbers.isdisjoint(_numbers_in(text)):
            return True
        return not counted and (
            any(map(self.within.stand_in, read))
            or self.letters.stand_in(_letters(text))
            or self._in_other_order(text)
        )

    def is_one(self, text: str) -> bool:
        """Whether a whole label is one of them, and no short one."""
        if _is_number(text):
            return not self.numbers.isdisjoint(_numbers_in(text))
        return (
            any(read in self.within.texts for read in _spellings(text))
            or _letters(text) in self.letters.texts
            or _words(text) in self.words
        )

    def _in_other_order(self, text: str) -> bool:
        """Whether the words of one stand beside each other, whichever comes first."""
        words = WORD.findall(read_text(text))
        return any(
            tuple(sorted(words[start : start + size])) in self.words
            for size in self.sizes
            for start in range(len(words) - size + 1)
        )


def _read(series: pd.Series) -> set[str]:
    return {
        read for text in to_text(series).dropna().unique() for read in _spellings(text)
    }


def _spellings(text: str) -> set[str]:
    """A text as people read it, with its signs and without those that mean nothing."""
    return {read_text(text), read_value(text)}


def _letters(text: str) -> str:
    """Letters and digits of a text, as people read them."""
    return "".join(WORD.findall(read_text(text)))


def _words(text: str) -> tuple[str, ...]:
    """Words of a text, sorted."""
    return tuple(sorted(WORD.findall(read_text(text))))


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

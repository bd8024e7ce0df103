"""Identifiers that stand in labels of a candidate, and did not in the source."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.readings import read_text, read_value
from anon_transformers.release._declared_roles import DeclaredRoles

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
DIGITS = re.compile(r"(?<![\d.])\d+")
BEHIND_POINT = re.compile(rf"\.(\d{{{SHORTEST_NUMBER},}})")
CHANCE = 1e-3
"""Labels with identifiers that honest ones have less often than this are refused."""
AROUND = 1000
"""Numbers on either side of an identifier, of which few are others."""
MANY = 0.1
"""Share of them that makes an identifier one of a row."""
FEW = 20
"""So few ends do not show which numbers there are ends among."""
MOST_DIGITS = 18
ANY_WORDS = 10_000
"""Words that a label may be made of: as many as people use."""
MOST_WORDS = 500
"""More new words than this do not make it likelier that some are names."""
OFTEN = 10
"""A single word is a name so many times as often: Young is, and an age too."""


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
        if not known.names:
            continue
        counted = types.is_numeric_dtype(table[name].dtype)
        before, after = to_text(source[name]), to_text(table[name])
        naming: set[str] = set()
        # Ends of ranges and means may be anybody's number by chance, names may not.
        if publishes != "names" and not types.is_datetime64_any_dtype(source[name]):
            naming = known.beyond_chance(after.dropna().unique(), before)
        # A mean is no text that could hold a name.
        if counted and publishes != "names":
            after = after.where(after.isin(naming))
        own = _read(before)
        labels = {text: _spellings(text) for text in after.dropna().unique()}
        naming |= {
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
    return faults or spread_faults(source, table, roles.quasi_identifiers, hidden)


def spread_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    identifiers: Iterable[str],
) -> list[str]:
    """Identifiers whose words stand in one row, if chance would not give so many.

    Other words may be between them (``Anna of house Smith``), and each may be in
    another column. Words of the source's own cells are no names there, as a town that
    is one: an identifier of such words alone is not looked for.
    """
    columns = [
        name
        for name in quasi_identifiers
        if not types.is_numeric_dtype(table[name].dtype)
        and not types.is_datetime64_any_dtype(table[name].dtype)
    ]
    own = set().union(*(_all_words(source[name]) for name in quasi_identifiers))
    sought = SpreadNames.of((source[name] for name in identifiers), own)
    coded = [pd.factorize(to_text(table[name])) for name in columns]
    # The last one is that of a missing cell.
    words = [[*(frozenset(_words(text)) for text in texts), frozenset()]
             for _, texts in coded]  # fmt: skip
    new = {w for labels in words for label in labels for w in label} - own
    if new.isdisjoint(sought.by_word):
        return []
    rows = np.stack([codes for codes, _ in coded], axis=1)
    combinations, counts = np.unique(rows, axis=0, return_counts=True)
    found: set[frozenset[str]] = set()
    n_rows = 0
    for codes, count in zip(combinations.tolist(), counts.tolist(), strict=True):
        held = frozenset().union(*(words[at][code] for at, code in enumerate(codes)))
        named = sought.within(held)
        found |= named
        n_rows += count if named else 0
    if not found or _chance_of(len(found), sought.met_by_chance(new)) >= CHANCE:
        return []
    listed = ", ".join(map(repr, columns))
    return [f"columns {listed} hold the words of identifiers in {n_rows} rows"]


def _all_words(series: pd.Series) -> set[str]:
    return {w for text in to_text(series).dropna().unique() for w in _words(text)}


@dataclass(frozen=True)
class SpreadNames:
    """Identifiers of several words, to be found in a set of words at once.

    Attributes
    ----------
    by_word : mapping of str to list of pairs of sets of str
        All words of each identifier, and those that the source's own cells lack, by the
        rarest of these.
    sizes : mapping of int to int
        How many different sets of lacking words have so many.

    Examples
    --------
    >>> names = SpreadNames.of([pd.Series(["Anna Smith", "Bob Rome"])], {"rome"})
    >>> names.within({"bob", "of", "rome"})
    {frozenset({'bob'})}
    >>> names.sizes[1], names.sizes[2]
    (1, 1)
    """

    by_word: Mapping[str, list[tuple[frozenset[str], frozenset[str]]]]
    sizes: Mapping[int, int]

    @classmethod
    def of(cls, columns: Iterable[pd.Series], own: Set[str]) -> "SpreadNames":
        """All identifiers with two words of letters, not both of them ``own``."""
        texts = {t for column in columns for t in to_text(column).dropna().unique()}
        several = {
            words: frozenset(w for w in words - own if not _is_number(w))
            for words in map(frozenset, map(_words, texts))
            if sum(not _is_number(word) for word in words) >= PAIR
        }
        often = Counter(word for words in several for word in words)
        by_word = defaultdict(list)
        for words, lacking in several.items():
            if lacking:
                rarest = min(lacking, key=often.__getitem__)
                by_word[rarest].append((words, lacking))
        return cls(dict(by_word), Counter(map(len, {*several.values()})))

    def within(self, held: Set[str]) -> set[frozenset[str]]:
        """Words that own cells lack, of those whose words are all among others."""
        return {
            lacking
            for word in self.by_word.keys() & held
            for words, lacking in self.by_word[word]
            if words <= held
        }

    def met_by_chance(self, new: Collection[str]) -> float:
        """How many would be found, if new words of labels were any words."""
        n_new = sum(not _is_number(word) for word in new)
        share = min(n_new, MOST_WORDS) / ANY_WORDS
        chances = {0: 0.0, 1: OFTEN * share}
        return sum(n * chances.get(m, share**m) for m, n in self.sizes.items())


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
        Those that are no short texts and no plain digits: such may stand in many a text
        by chance.
    letters : Names
        Letters and digits of each, as in ``AnnaSmith`` and ``AB1234X``.
    words : collection of tuple of str
        Words of each in the order of letters, as of ``Smith, Anna``.
    sizes : collection of int
        How many words these have.
    numbers : set of str
        Those that are numbers, however their digits are divided.
    digits : set of str
        Those, and shorter ones.
    """

    names: Collection[str]
    within: Names
    letters: Names
    words: Collection[tuple[str, ...]]
    sizes: Collection[int]
    numbers: Set[str]
    digits: Set[str]

    @classmethod
    def of(cls, columns: Iterable[pd.Series]) -> "Identifiers":
        """All values of these columns."""
        names = {text for column in columns for text in _read(column)}
        # Digits alone would be found in every range of numbers.
        spoken = [name for name in names if not _is_number(name)]
        numbers = [name for name in names if _is_number(name)]
        # beyond_chance asks of these.
        divided = [name for name in names if not name.isdecimal()]
        several = {words for name in spoken if len(words := _words(name)) > 1}
        long = {words for words in several if len("".join(words)) >= SHORTEST_NUMBER}
        pairs = [words for words in long if len(words) == PAIR]
        letters = map(_letters, spoken)
        either_way = ("".join(way) for words in pairs for way in (words, words[::-1]))
        return cls(
            names,
            Names.at_least(SHORTEST_NAME, divided),
            Names.at_least(SHORTEST_NUMBER, (*letters, *either_way)),
            long,
            {len(words) for words in long},
            {n for text in numbers for n in _numbers_in(text)},
            {n for text in numbers for n in _digits_in(re.sub(r"\D", "", text))},
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
        if publishes == "names":
            # Commas divide the digits of a name of a set, and the ends of a range.
            read_both_ways = _numbers_in(text) | _numbers_in(text.replace(",", " "))
            if not self.numbers.isdisjoint(read_both_ways):
                return True
        return not counted and (
            any(map(self.within.stand_in, read))
            or self.letters.stand_in(_letters(text))
            or self._in_other_order(text)
        )

    def beyond_chance(self, labels: Iterable[str], source: pd.Series) -> set[str]:
        """Labels with numbers that are identifiers, if chance would not give so many.

        An honest end of a range, or a digit behind the point of a mean, may be one.
        """
        if not self.digits:
            return set()
        own = {n for text in source.dropna().unique() for n in _digits_in(text)}
        whole = {text: _digits_in(text) - own for text in labels}
        every = set().union(*whole.values())
        naming = set()
        hits = self._alone(every & self.digits)
        if hits and _chance_of(len(hits), self._ends_by_chance(every)) < CHANCE:
            naming = {text for text, numbers in whole.items() if numbers & hits}
        # Zeros at the end of a fraction are not kept.
        numbers = {number.rstrip("0") for number in self.numbers}
        behind = {text: _fractions_in(text) for text in whole}
        every = set().union(*behind.values())
        hits = every & numbers
        if hits and _chance_of(len(hits), _met_by_chance(every, numbers)) < CHANCE:
            naming |= {text for text, runs in behind.items() if runs & hits}
        return naming

    def _alone(self, numbers: Collection[str]) -> set[str]:
        """Those identifiers around which few others are.

        Where many numbers in a row are identifiers, or many of those in round steps,
        an end that is one tells of nobody.
        """
        ids = _as_numbers(self.digits)
        step = _round_step(ids)
        low, high = (
            np.searchsorted(ids, _as_numbers(numbers) + side * AROUND * step)
            for side in (-1, 1)
        )
        dense = (high - low - 1) / (2 * AROUND) >= MANY
        crowded = {str(n) for n in _as_numbers(numbers)[dense]}
        return set(numbers) - crowded

    def _ends_by_chance(self, ends: Collection[str]) -> float:
        """How many of these ends would be identifiers, if these were any numbers."""
        given, ids = _as_numbers(ends), _as_numbers(self.digits)
        expected = 0.0
        for length in sorted({len(str(n)) for n in given.tolist()}):
            low, high = 10 ** (length - 1), 10**length - 1
            some = given[(given >= low) & (given <= high)]
            if len(some) >= FEW:  # these show among which numbers ends lie
                low, high = int(some[0]), int(some[-1])
            inside = ((ids >= low) & (ids <= high)).sum()
            expected += float(inside) * len(some) / (high - low + 1)
        return expected

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


def _digits_in(text: str) -> set[str]:
    """Numbers of a text, whether or not something divides their digits.

    Examples
    --------
    >>> sorted(_digits_in("[0, 4200.012107000]"), key=len)
    ['4200', '4200012107000']
    """
    runs = (run.lstrip("0") for run in DIGITS.findall(text))
    return {run for run in (*runs, *_numbers_in(text)) if len(run) >= SHORTEST_NAME}


def _as_numbers(texts: Collection[str]) -> np.ndarray:
    """Digits as sorted numbers; so many that a machine has none meet by no chance."""
    return np.sort([int(n) for n in texts if len(n) <= MOST_DIGITS]).astype(np.int64)


def _round_step(numbers: np.ndarray) -> int:
    """The largest of 1, 2, 5, 10, 20 … that divides all differences.

    Examples
    --------
    >>> _round_step(np.array([7, 107, 307])), _round_step(np.array([1, 8, 15]))
    (100, 1)
    """
    step = int(np.gcd.reduce(np.diff(numbers))) if len(numbers) > 1 else 1
    steps = (digit * 10**zeros for zeros in range(MOST_DIGITS) for digit in (1, 2, 5))
    return max((s for s in steps if step and step % s == 0), default=1)


def _fractions_in(text: str) -> set[str]:
    """Digits behind the points of a text, if they are many.

    Examples
    --------
    >>> _fractions_in("22.012107 or 22.5")
    {'12107'}
    """
    return {run.strip("0") for run in BEHIND_POINT.findall(text)} - {""}


def _chance_of(n_hits: int, expected: float) -> float:
    """The chance of so many hits, or more, where ``expected`` come by chance."""
    # Here: loading it takes as long as all other work of a small release.
    from scipy.stats import poisson

    return float(poisson.sf(n_hits - 1, expected))


def _met_by_chance(some: Collection[str], others: Collection[str]) -> float:
    """How many texts of digits would be among others, if all digits were drawn."""
    lengths = Counter(map(len, others))
    expected = (lengths[len(text)] / (9 * 10.0 ** (len(text) - 1)) for text in some)
    return sum(expected)


def _is_number(text: str) -> bool:
    return not any(letter.isalpha() for letter in text)

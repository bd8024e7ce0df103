"""Persons as people tell them apart: one key for a name or number in any spelling.

``Smith, Anna`` and ``Anna Smith`` are one person to a reader, and so are
``920-23-7000`` and ``920237000``. What is counted by its text alone would call them
two, and a class of k texts would hold fewer persons.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from anon_transformers._data.amounts import NUMBER, one_number_each
from anon_transformers._data.readings import TWO_LETTERS, read_text, without_accents

SHORTEST_CODE = 6
"""Letters and digits of a code that is the same however it is divided; shorter ones,
such as 1-12 and 11-2, are parts that mean something."""
WORD = re.compile(r"[^\W_]+")
APOSTROPHES = re.compile("['\u2019]")
LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
ADDRESS = "@"
"""In a mail address every sign and the order of words mean something."""


def read_persons(texts: Sequence[str]) -> np.ndarray:
    """The person that each of the distinct ``texts`` names to a reader.

    Overlooked are case, blanks, accents, punctuation and the order of words in names,
    what divides a code of six letters and digits or more, and spellings of a number.

    Returns
    -------
    int array of shape (n_texts,)
        Equal where texts name one person.

    Examples
    --------
    >>> read_persons(["Smith, Anna", "Anna Smith", "Anne Smith"])
    array([0, 0, 2])
    >>> read_persons(["920-23-7000", "920237000", "7", "7.0", "007"])
    array([0, 0, 2, 2, 4])
    """
    return _as_one(_keys(texts))


def person_key(text: str) -> str:
    """What a person is known by in every table, whichever other texts it holds.

    As :func:`read_persons`, but for what divides a code, and zeros that lead it: 1-12
    and 11-2 have one key, and so have 007 and 7, of which one table may lose the zeros.

    Examples
    --------
    >>> person_key("Smith, Anna"), person_key("920-23-7000"), person_key("P 007")
    ('anna smith', '920237000', 'p7')
    """
    seen = read_text(text)
    words = _words(seen)
    if ADDRESS in seen or not any(letter.isdigit() for letter in seen):
        return _in_order(words)
    # Once they are joined: the zeros of 920-03-7000 lead nothing.
    return LEADING_ZEROS.sub("", "".join(words))


def read_likely_persons(texts: Sequence[str]) -> np.ndarray:
    """The person that each of the distinct ``texts`` may name.

    Leading zeros are overlooked, too: ``7`` and ``007`` may be two codes, or one.

    Examples
    --------
    >>> read_likely_persons(["7", "007", "P7", "P-07"])
    array([0, 0, 2, 3])
    """
    keys = _keys(texts)
    for own, text in zip(keys, texts, strict=True):
        seen = read_text(text)
        own.append(_in_order(_words(LEADING_ZEROS.sub("", seen))))
    return _as_one(keys)


def _keys(texts: Sequence[str]) -> list[list[str]]:
    """What each text is known by; texts that share a key name one person."""
    keys, divided = [], defaultdict(list)
    seen = [read_text(text) for text in texts]
    for place, number in enumerate(one_number_each(seen)):
        # With zeros before it, a number may be a code in any column.
        text = seen[place] if LEADING_ZEROS.match(seen[place]) else number
        words = _words(text)
        keys.append([_in_order(words)])
        if not text.isascii() and (other := text.translate(TWO_LETTERS)) != text:
            keys[place].append(_in_order(_words(other)))
        divided["".join(words)].append((place, words))
    for letters, found in divided.items():
        if len(found) > 1 and len(letters) >= SHORTEST_CODE:
            _add_codes(keys, letters, found)
    return keys


def _words(text: str) -> list[str]:
    r"""The words of a text, without accents; all of it where its signs mean something.

    Examples
    --------
    >>> _words("o'neil, zo\u00eb"), _words("-7.5"), _words("a.b@example.org")
    (['oneil', 'zoe'], ['-7.5'], ['a.b@example.org'])
    """
    plain = text.isascii() and text.isalnum()
    if plain or ADDRESS in text or NUMBER.match(text):
        return [text]
    return WORD.findall(APOSTROPHES.sub("", without_accents(text))) or [text]


def _in_order(words: Sequence[str]) -> str:
    """Words in the order of letters, whichever comes first; numbers keep theirs.

    Examples
    --------
    >>> _in_order(["smith", "anna"]), _in_order(["house", "12", "3"])
    ('anna smith', 'house 12 3')
    """
    if len(words) == 1:
        return words[0]
    names = sorted(word for word in words if not word.isdecimal())
    return " ".join([*names, *(word for word in words if word.isdecimal())])


def _add_codes(
    keys: list[list[str]], letters: str, found: Iterable[tuple[int, list[str]]]
) -> None:
    """Give texts of the same letters and digits one key, unless their parts differ.

    1234-12 and 123412 are one code, 1234-12 and 12341-2 are not: a household and the
    number of a person in it, say.
    """
    cuts = {
        place: frozenset(np.cumsum([len(word) for word in words])[:-1].tolist())
        for place, words in found
    }
    finest: list[frozenset[int]] = []
    for place in sorted(cuts, key=lambda place: -len(cuts[place])):
        holding = [at for at, known in enumerate(finest) if cuts[place] <= known]
        if not holding:
            holding = [len(finest)]
            finest.append(cuts[place])
        keys[place].append(f"{letters}|{holding[0]}")


def _as_one(keys: Sequence[Collection[str]]) -> np.ndarray:
    """The first of those texts that are linked by keys, for each text."""
    parents = list(range(len(keys)))

    def first_of(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    holder: dict[str, int] = {}
    for place, own in enumerate(keys):
        for key in own:
            other = holder.setdefault(key, place)
            if other != place:
                one, two = first_of(other), first_of(place)
                parents[max(one, two)] = min(one, two)
    return np.array([first_of(place) for place in range(len(keys))], dtype=np.int64)

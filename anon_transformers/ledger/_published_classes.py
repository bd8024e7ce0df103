"""Which class each person of a release is in."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.parameters import is_whole

SUPPRESSED_CLASS = -1
"""The class of the persons whose quasi-identifiers are published as marks."""
LEFT_OUT = -2
"""The first class of persons who were left out of the table because of their values;
each further batch of them has the next lower number."""
WORD = 8
"""Bytes of one word of a key."""
LARGEST_WHOLE = 2**63 - 1


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """The persons of one published table, each in one class. Private.

    Parameters
    ----------
    persons : sequence
        One key per person, the same in all releases: whole numbers, bytes of one
        length (numpy ``S`` or ``V``, such as digests), texts or bytes. Who is not
        listed is absent: not in the source, or in the source and not in the table.
    classes : sequence of int
        The class of each person; -1: in the table with suppressed quasi-identifiers.
        From -2 downwards: not in the table, because too few values are among those
        with the same number. An intruder who knows the rule knows that of them, and
        tells them apart from others who are absent. Their values are not used; give
        None. The numbers need not mean the same in two releases.
    values : mapping of str to sequence, optional
        For each sensitive column the value of each person, as it is published. None
        and NaN are missing; other marks of a missing value must be given as None.
    suppressed_shown : bool, default=True
        Whether the table shows the sensitive values of suppressed persons.
    not_shown : collection of str, optional
        Sensitive columns that this table does not hold; give None for their values.
        Groups that this release divides are judged by what others show of them.

    Examples
    --------
    >>> PublishedClasses(["ann", "bob"], [0, -1], {"illness": ["flu", None]})
    PublishedClasses(2 persons in 1 classes, 1 suppressed)
    """

    persons: Any
    classes: Any
    values: Mapping[str, Any] = field(default_factory=dict)
    suppressed_shown: bool = True
    not_shown: Collection[str] = ()

    def __post_init__(self) -> None:
        """Bring everything into one form, and refuse what has none."""
        keys = key_words(self.persons)
        classes = _class_numbers(self.classes)
        if len(classes) != len(keys.words):
            raise DataError(
                f"classes holds {len(classes)} classes for {len(keys.words)} persons."
            )
        columns = {}
        for name, given in dict(self.values).items():
            column = pd.Series(given).reset_index(drop=True)
            if len(column) != len(classes):
                raise DataError(
                    f"values of {name!r} are {len(column)} for {len(classes)} persons."
                )
            columns[name] = column
        for name in self.not_shown:
            check_choice("not_shown", name, columns)
        taken = {"persons": keys, "classes": classes, "values": columns}
        for name, form in taken.items():
            object.__setattr__(self, name, form)

    def __repr__(self) -> str:
        """Counts alone: persons and values are private."""
        suppressed = int((self.classes == SUPPRESSED_CLASS).sum())
        left_out = int((self.classes <= LEFT_OUT).sum())
        n_classes = len(np.unique(self.classes[self.classes >= 0]))
        return (
            f"{type(self).__name__}({len(self.classes) - left_out} persons in "
            f"{n_classes} "
            f"classes, {suppressed} suppressed)"
        )


class KeyWords(NamedTuple):
    """Keys of persons as rows of words; keys of two kinds never meet."""

    words: np.ndarray
    kind: str


def key_words(persons: Any) -> KeyWords:
    """Keys of one kind as rows of unsigned words.

    Examples
    --------
    >>> key_words([7, 8]).words.tolist(), key_words([7]).kind
    ([[7], [8]], 'whole numbers')
    """
    if isinstance(persons, KeyWords):
        return persons
    keys = _as_array(persons)
    if keys.ndim != 1:
        raise DataError(f"persons must be one key per person, got {keys.ndim} axes.")
    if keys.dtype.kind in "iu":
        if keys.dtype.kind == "u" and len(keys) and int(keys.max()) > LARGEST_WHOLE:
            raise DataError("persons: whole numbers must be below 2 ** 63.")
        words = np.ascontiguousarray(keys, dtype=np.int64).view(np.uint64)
        return KeyWords(words.reshape(-1, 1), "whole numbers")
    if keys.dtype.kind in "SV" and keys.dtype.itemsize:
        width = -(-keys.dtype.itemsize // WORD) * WORD
        padded = np.zeros((len(keys), width), dtype=np.uint8)
        raw = np.ascontiguousarray(keys).view(np.uint8)
        padded[:, : keys.dtype.itemsize] = raw.reshape(len(keys), -1)
        return KeyWords(padded.view(np.uint64), f"digests of {width} bytes")
    return KeyWords(_hashed(keys), "texts")


def _as_array(persons: Any) -> np.ndarray:
    if isinstance(persons, pd.Series | pd.Index):
        return persons.to_numpy()
    if isinstance(persons, np.ndarray):
        return persons
    listed = list(persons)
    if listed and all(is_whole(key) for key in listed):
        return np.array(listed)
    keys = np.empty(len(listed), dtype=object)
    keys[:] = listed
    return keys


def _hashed(keys: np.ndarray) -> np.ndarray:
    """Texts and bytes as 128 bits each: two persons never meet by chance."""
    odd = sum(not isinstance(key, str | bytes) for key in keys)
    if odd:
        raise DataError(
            f"persons holds {odd} keys that are missing or of no kind that keys have; "
            "legal are all whole numbers, all bytes of one length, or texts and bytes."
        )
    digests = b"".join(
        blake2b(
            key.encode("utf-8", "surrogatepass") if isinstance(key, str) else key,
            digest_size=2 * WORD,
            person=b"text" if isinstance(key, str) else b"bytes",
        ).digest()
        for key in keys
    )
    return np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)


def _class_numbers(given: Any) -> np.ndarray:
    classes = np.asarray(given)
    if classes.size == 0:
        classes = classes.astype(np.int64)
    if classes.ndim != 1 or classes.dtype.kind not in "iu":
        raise DataError("classes must be one whole number per person.")
    return np.ascontiguousarray(classes, dtype=np.int64)

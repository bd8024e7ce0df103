"""Texts that differ only in how they are typed."""

import unicodedata
from collections.abc import Callable
from typing import Literal

Normalizer = Literal["fold"] | Callable[[str], str]


def fold(text: str) -> str:
    """Leave out case, accents and surplus blanks.

    Examples
    --------
    >>> fold("  Zürich   WEST ")
    'zurich west'
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def normal(text: str, normalizer: Normalizer | None) -> str:
    """The form in which a text is compared with others."""
    if normalizer is None:
        return text
    return fold(text) if normalizer == "fold" else normalizer(text)


def readable(text: str, normalizer: Normalizer | None) -> str:
    """The form that a rule works on; a text that is normalized away stays itself."""
    return normal(text, normalizer) or text

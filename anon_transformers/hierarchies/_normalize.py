"""Texts that differ only in how they are typed."""

import unicodedata


def fold(text: str) -> str:
    """Leave out case, accents and surplus blanks.

    Examples
    --------
    >>> fold("  Zürich   WEST ")
    'zurich west'
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(plain.split())

"""The ``pseudonyms:`` section of a release file."""

from pydantic import Field

from anon_transformers.release._strict import Strict


class Pseudonyms(Strict):
    """Identifiers that are published as pseudonyms, in place of being left out.

    The secret is in the environment, as ``ANON_PSEUDONYM_KEY``: 32 characters or more,
    drawn by chance. It is written nowhere.

    Attributes
    ----------
    columns : tuple of str
        Identifiers, or the subject. A pseudonym is another one in every version.
    stable : bool
        Whether a person keeps their pseudonym in all versions of the release. Whoever
        has several versions then knows which rows are of one person, and the versions
        are judged together by that: it needs a ``subject``, and ``composition``.
    """

    columns: tuple[str, ...] = Field(min_length=1)
    stable: bool = Field(default=False, strict=True)

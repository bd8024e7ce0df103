"""A policy: what a release must reach, and which public document asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anon_transformers.gx._threshold import Threshold
from anon_transformers.policies._rules import ColumnRule

NO_COMPLIANCE = (
    "A policy names thresholds and checks that were judged. It claims no compliance "
    "with a law or a guideline."
)
"""What stands beside every policy that a release names."""


@dataclass(frozen=True)
class Citation:
    """A public document that a policy takes its bounds from.

    Attributes
    ----------
    title : str
        Its title, with its number and edition.
    publisher : str
        Who published it.
    year : int
        When this edition was published.
    address : str
        Where everybody finds it.
    """

    title: str
    publisher: str
    year: int
    address: str


@dataclass(frozen=True)
class Policy:
    """A named, versioned bundle of thresholds and required checks.

    Attributes
    ----------
    name : str
        Its name in a release file: lower case with hyphens.
    version : str
        Version of the bundle; it changes with every bound.
    title : str
        What it is, in one sentence.
    claims : str
        What a release that names it claims, in one sentence.
    not_claimed : str
        What it does not claim, in one sentence.
    citations : tuple of Citation
        Documents that the bounds are taken from.
    thresholds : tuple of mapping
        Thresholds that it demands, as under ``thresholds:`` of a release file.
    checks : tuple of str
        Names of thresholds that the file must state itself, with bounds of its own: the
        document asks for them and gives no number.
    rules : tuple of ColumnRule
        What published columns must be like.
    attestations : mapping of str to str
        What nothing here can recognize in a table, and the file must state in words:
        a key, and the sentence that it stands for.

    Examples
    --------
    >>> from anon_transformers.policies import Citation, Policy
    >>> policy = Policy(
    ...     name="house-7",
    ...     version="1",
    ...     title="Seven persons in every class.",
    ...     claims="Every class holds at least 7 persons.",
    ...     not_claimed="That a class differs in what is sensitive.",
    ...     citations=(Citation("House rules", "We", 2026, "https://example.org"),),
    ...     thresholds=({"model": "k-anonymity", "k": 7},),
    ... )
    >>> policy.asked[0].params
    {'k': 7}
    """

    name: str
    version: str
    title: str
    claims: str
    not_claimed: str
    citations: tuple[Citation, ...]
    thresholds: tuple[Mapping[str, Any], ...] = ()
    checks: tuple[str, ...] = ()
    rules: tuple[ColumnRule, ...] = ()
    attestations: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """What ``anon list`` shows."""
        return self.title

    @property
    def asked(self) -> tuple[Threshold, ...]:
        """The thresholds that it demands."""
        return tuple(map(Threshold.read, self.thresholds))

    @property
    def column_kinds(self) -> tuple[str, ...]:
        """What a file may say that a column is, for the rules to judge it so."""
        kinds = dict.fromkeys(kind for rule in self.rules for kind in rule.kinds)
        return (*kinds, "none") if kinds else ()

    def to_dict(self) -> dict[str, Any]:
        """Everything about it as plain values, for JSON."""
        return {
            "name": self.name,
            "version": self.version,
            "title": self.title,
            "claims": self.claims,
            "not_claimed": self.not_claimed,
            "note": NO_COMPLIANCE,
            "citations": [vars(citation) for citation in self.citations],
            "thresholds": [dict(stated) for stated in self.thresholds],
            "checks": list(self.checks),
            "rules": {rule.name: rule.sentence for rule in self.rules},
            "attestations": dict(self.attestations),
        }

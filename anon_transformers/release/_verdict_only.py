"""Why a number of a release is not published, where its verdict alone is."""

from collections.abc import Mapping
from typing import Any

from anon_transformers.registry import registry

OF_PERSONS = "the number counts persons, who are not published"
OF_SOURCE = (
    "the number is measured against the source, with rows and values that are not "
    "published"
)
OF_LINKS = "the number needs to know whose each cell was, which is not published"
OF_MEMBERSHIPS = "the number needs degrees of membership, which are not published"
OF_REFERENCE = (
    "the number compares with the values of the whole source, which are not published"
)
OF_INTRUDER = (
    "the number is what an intruder gets who may hold the source, which is not "
    "published"
)
OF_MORE = "the number needs more than what is published"
BY_EVIDENCE = {
    "report": OF_SOURCE,
    "linkage": OF_LINKS,
    "likelihoods": OF_LINKS,
    "memberships": OF_MEMBERSHIPS,
    "attack": OF_INTRUDER,
}
"""Reasons that hold whoever is counted."""


def why_verdict_only(check: Mapping[str, Any], subject: str | None) -> str:
    """Say why a check of a verdict has no number.

    Parameters
    ----------
    check : mapping
        With the ``kind``, ``name`` and ``params`` of its threshold.
    subject : str or None
        The column that tells persons apart.

    Examples
    --------
    >>> loss = {"kind": "metric", "name": "loss", "params": {"max": 0.5}}
    >>> why_verdict_only(loss, "patient").startswith("the number is measured against")
    True
    >>> k = {"kind": "model", "name": "k-anonymity", "params": {"k": 5}}
    >>> why_verdict_only(k, "patient")
    'the number counts persons, who are not published'
    """
    known: Mapping[str, Any] = registry().of_thresholds(check["kind"])
    cls = known.get(check["name"])
    found = BY_EVIDENCE.get(getattr(cls, "evidence", ""))
    if found is not None:
        return found
    if subject is not None:
        return OF_PERSONS
    stated = check["params"].get("reference", getattr(cls, "reference", None))
    return OF_REFERENCE if stated == "input" else OF_MORE

"""``policy:`` of a release file: its thresholds join the file's, its rules are judged.

Nothing here touches pandas or a model before something is judged, so that a scheduler
can read configurations as often as it likes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator, model_validator

from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    PluginError,
    unknown_choice,
)
from anon_transformers.gx._threshold import KINDS, Threshold
from anon_transformers.parameters import is_whole
from anon_transformers.policies._policy import NO_COMPLIANCE, Policy
from anon_transformers.policies._rules import ColumnFault, ColumnRule, PublishedCells
from anon_transformers.registry import registry
from anon_transformers.release._strict import Strict
from anon_transformers.release._tighten import COMMON_WORDS, asks_for

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.release._config import ReleaseConfig

KEY = "policy"
OURS = "anon_transformers"
"""The package whose rules quote no cell."""


class StatedPolicy(Strict):
    """A policy that the release names.

    Attributes
    ----------
    name : str
        Registered name, such as ``ontario-15``; a name alone stands for
        ``{name: …}``.
    version : str
        Version of the policy; another one than the installed is refused. By default
        the installed one, which a run notes.
    attest : tuple of str
        What no program can recognize in a table and the file states in words, such as
        ``names``; each policy lists what it asks for.
    columns : dict of column to str
        What columns are, where their names do not say so: a kind that the policy
        knows, such as ``zip``, or ``none`` for a column that is nothing of what its
        name looks like.
    """

    name: str
    version: str = ""
    attest: tuple[str, ...] = ()
    columns: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given

    @field_validator("version", mode="before")
    @classmethod
    def _a_number_is_a_version(cls, given: Any) -> Any:
        return str(given) if type(given) is int else given

    @model_validator(mode="after")
    def _fits_the_policy(self) -> "StatedPolicy":
        policy = find_policy(self.name)
        if self.version not in {"", policy.version}:
            raise ValueError(
                f"version: {self.name} is installed in version {policy.version}, and "
                "the file asks for another one."
            )
        for word in self.attest:
            if word not in policy.attestations:
                choices = tuple(policy.attestations)
                raise ValueError(
                    f"attest: {unknown_choice('attestation', word, choices)}"
                )
        lacking = [word for word in policy.attestations if word not in self.attest]
        if lacking:
            listed = " ".join(f"{w}: {policy.attestations[w]}" for w in lacking)
            raise ValueError(
                f"attest: {self.name} asks for what no program can recognize in a "
                f"table. State attest: [{', '.join(lacking)}] if it is true. {listed}"
            )
        for column, kind in self.columns.items():
            if kind not in policy.column_kinds:
                fault = unknown_choice("kind", kind, policy.column_kinds)
                raise ValueError(f"columns, {column}: {fault}")
        return self

    @property
    def policy(self) -> Policy:
        """The policy itself."""
        return find_policy(self.name)


def find_policy(name: str) -> Policy:
    """The registered policy of a name.

    Raises
    ------
    ConfigurationError
        If nobody registered it, or what is registered is no policy.
    """
    try:
        found = registry().policies[name]
    except (ParameterError, PluginError) as error:
        raise ConfigurationError(str(error)) from None
    if not isinstance(found, Policy) or found.name != name:
        raise ConfigurationError(
            f"what {registry().policies.owner(name)} registers as the policy {name!r} "
            "is no Policy of that name."
        )
    return found


def with_policies(given: Any) -> Any:
    """The keys of a release file with the thresholds of its policies among its own.

    What cannot be read is left for whoever reads the keys one by one, and so is a
    policy that nobody knows.
    """
    if not isinstance(given, Mapping) or not given.get(KEY):
        return given
    named = given[KEY]
    stated = list(named) if isinstance(named, list | tuple) else [named]
    keys = {**given, KEY: stated}
    try:
        read = [StatedPolicy.model_validate(one) for one in stated]
        thresholds = [Threshold.read(one) for one in given.get("thresholds") or ()]
    except (ValueError, TypeError):
        return keys
    noted = [one.model_dump() | {"version": one.policy.version} for one in read]
    names = [one.name for one in read]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{KEY}: {twice[0]} is named twice.")
    joined = join_thresholds(thresholds, [one.policy for one in read])
    return {**keys, KEY: noted, "thresholds": list(joined)}


def join_thresholds(
    stated: Sequence[Threshold],
    policies: Sequence[Policy],
    ways: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Threshold, ...]:
    """Thresholds of a file with those of its policies; the file may only tighten.

    Parameters
    ----------
    stated : sequence of Threshold
        Those of the file.
    policies : sequence of Policy
        Policies that it names.
    ways : mapping, optional
        For each name of a model or metric which way asks for more, by parameter;
        without it, the words that mean the same in every model decide.

    Raises
    ------
    ConfigurationError
        With the key, the policy and its bound, if the file asks for less.

    Examples
    --------
    >>> ontario = find_policy("ontario-15")
    >>> join_thresholds([Threshold.read({"model": "k-anonymity", "k": 20})], [ontario])
    (Threshold(id='k-anonymity', kind='model', name='k-anonymity', params={'k': 20}),)
    >>> join_thresholds([Threshold.read({"model": "k-anonymity", "k": 5})], [ontario])
    Traceback (most recent call last):
        ...
    anon_transformers.exceptions.ConfigurationError: thresholds, k-anonymity: k=5 is \
looser than the policy ontario-15, which asks for k=15; a file may only tighten.
    """
    for policy in policies:
        for asked in policy.asked:
            for threshold in stated:
                if _same_scope(threshold, asked):
                    _refuse_looser(threshold, asked, policy, ways)
    joined, added = list(stated), list[Threshold]()
    for policy in policies:
        for asked in policy.asked:
            if any(_holds(one, asked, ways) for one in (*joined, *added)):
                continue
            added = [one for one in added if not _holds(asked, one, ways)]
            added.append(_with_free_id(asked, policy, (*joined, *added)))
    return (*joined, *added)


def _same_scope(one: Threshold, other: Threshold) -> bool:
    """Whether two thresholds differ in their numbers alone."""

    def scope(threshold: Threshold) -> Any:
        numbers = threshold.numbers()
        texts = {k: v for k, v in threshold.params.items() if k not in numbers}
        return threshold.kind, threshold.name, texts, set(numbers)

    return bool(scope(one) == scope(other))


def _compared(
    one: Threshold, other: Threshold, ways: Mapping[str, Mapping[str, str]] | None
) -> Iterator[tuple[str, str | None]]:
    """Each number of two thresholds of one scope: what the first asks for."""
    known = COMMON_WORDS if ways is None else ways.get(one.name, {})
    for param, bound in other.numbers().items():
        yield param, asks_for(one.numbers()[param], bound, known.get(param))


def _holds(
    one: Threshold, other: Threshold, ways: Mapping[str, Mapping[str, str]] | None
) -> bool:
    """Whether whatever passes the first threshold passes the other one."""
    return _same_scope(one, other) and all(
        compared in {"the same", "more"} for _, compared in _compared(one, other, ways)
    )


def _refuse_looser(
    stated: Threshold,
    asked: Threshold,
    policy: Policy,
    ways: Mapping[str, Mapping[str, str]] | None,
) -> None:
    for param, compared in _compared(stated, asked, ways):
        # Before a model is asked which way its own words go, both stay in force.
        legal = {"the same", "more", *((None,) if ways is None else ())}
        if compared in legal:
            continue
        told, why = "is looser than", "a file may only tighten"
        if compared is None:
            told, why = "differs from", "its model does not say which way asks for more"
        raise ConfigurationError(
            f"thresholds, {stated.id}: {param}={stated.params[param]} {told} the "
            f"policy {policy.name}, which asks for {param}={asked.params[param]}; "
            f"{why}."
        )


def _with_free_id(
    asked: Threshold, policy: Policy, taken: Sequence[Threshold]
) -> Threshold:
    """A threshold of a policy under an id that no other one has."""
    stems = {threshold.stem for threshold in taken}
    named = replace(asked, id=f"{policy.name}-{asked.id}")
    return named if asked.stem in stems else asked


def check_policies(config: "ReleaseConfig") -> None:
    """Refuse a release that lacks what its policies ask for, or does not fit them.

    Its columns must be declared, its checks stated, and its thresholds be in force.
    """
    for one in config.policy:
        for column in one.columns:
            if column not in config.roles.columns:
                fault = unknown_choice("column", column, config.roles.columns)
                raise ValueError(f"{KEY}, {one.name}: columns: {fault}")
        stated = {threshold.name for threshold in config.thresholds}
        lacking = [name for name in one.policy.checks if name not in stated]
        if lacking:
            raise ValueError(f"{KEY}, {one.name}: {_ask_for(lacking)}")
    refuse_looser_thresholds(config)


def _ask_for(lacking: Sequence[str]) -> str:
    """What a file has to state, or why it cannot be evaluated at all."""
    found = registry()
    kind_of = {name: kind for kind in KINDS for name in found.of_thresholds(kind)}
    unknown = [name for name in lacking if name not in kind_of]
    if unknown:
        return (
            f"no threshold that is installed measures {', '.join(unknown)}. The policy "
            "is not evaluable here, and a release that names it is refused."
        )
    first = lacking[0]
    most = "max: …, " if kind_of[first] == "attack" else ""
    return (
        f"the policy asks for {', '.join(lacking)} and gives no number; state bounds "
        f"of your own under thresholds, such as {{{kind_of[first]}: {first}, {most}…}}."
    )


def refuse_looser_thresholds(
    config: "ReleaseConfig", ways: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Refuse a release whose thresholds do not hold those of its policies.

    Parameters
    ----------
    config : ReleaseConfig
        The release.
    ways : mapping, optional
        For each id of a threshold which way asks for more, by parameter, as the models
        themselves declare it.
    """
    by_name = None
    if ways is not None:
        by_name = {t.name: ways[t.id] for t in config.thresholds}
    policies = [one.policy for one in config.policy]
    joined = join_thresholds(config.thresholds, policies, by_name)
    if len(joined) != len(config.thresholds):
        raise ConfigurationError(
            f"{KEY}: its thresholds are not among those of the release."
        )


def policy_faults(
    config: "ReleaseConfig",
    tables: Sequence["pd.DataFrame"],
    suppression_label: str,
    year: int | None = None,
) -> list[str]:
    """Every rule of a policy that published tables break; columns and counts of rows.

    Parameters
    ----------
    config : ReleaseConfig
        The release.
    tables : sequence of data frames
        What is published.
    suppression_label : str
        The label of a suppressed cell.
    year : int, optional
        In which year; by default this one.
    """
    roles = config.roles
    hidden = {*roles.identifiers, *([roles.subject] if roles.subject else ())}
    now = datetime.now(UTC).year if year is None else year
    return [
        f"policy {one.name}, {rule.name}: {_told(rule, fault, table)}"
        for one in config.policy
        for rule in one.policy.rules
        for table in tables
        for fault in rule.faults(
            PublishedCells(
                table, now, suppression_label, frozenset(hidden), dict(one.columns)
            )
        )
    ]


def _told(rule: ColumnRule, fault: ColumnFault, table: "pd.DataFrame") -> str:
    """What is said of a fault; a stranger's rule may quote a cell in its reason."""
    if type(rule).__module__.split(".")[0] == OURS:
        return str(fault)
    named = [name for name in table.columns if name == fault.column]
    where = f"column {named[0]!r}" if named else "a column"
    rows = f"{fault.rows:,}" if is_whole(fault.rows) else "some"
    return f"{where}, {rows} rows: it breaks the rule"


def public_policies(config: "ReleaseConfig") -> list[dict[str, Any]]:
    """What manifest and report say of the policies that a release names."""
    roles = config.roles
    published = (*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive)
    return [
        {
            "name": one.name,
            "version": one.policy.version,
            "title": one.policy.title,
            "claims": one.policy.claims,
            "not_claimed": one.policy.not_claimed,
            "thresholds": [dict(stated) for stated in one.policy.thresholds],
            "checks": list(one.policy.checks),
            "rules": [rule.name for rule in one.policy.rules],
            "attested": list(one.attest),
            "columns": {c: k for c, k in one.columns.items() if c in published},
            "sources": [vars(citation) for citation in one.policy.citations],
            "note": NO_COMPLIANCE,
        }
        for one in config.policy
    ]

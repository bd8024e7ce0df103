"""The ``composition:`` section of a release file: what releases must hold together.

It reads no table: a scheduler reads files as often as it likes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.gx._threshold import Threshold
from anon_transformers.parameters import is_number
from anon_transformers.release._stated_recoding import reuses_cells
from anon_transformers.release._strict import Strict

if TYPE_CHECKING:
    from anon_transformers.release._config import ReleaseConfig
    from anon_transformers.release._forms import Form

FEWEST_VALUES = 2
"""One value is what every class holds: a smaller l asks for nothing."""
OR_ACCEPT = ", or state composition.accept_unjudged with your reason"
"""Ends what refuses a release that need not be judged with others."""
SHORTEST_REASON = 10
"""Characters of a reason that says anything."""
OF_PERSONS = (
    "delta-presence",
    "k-anonymity",
    "k-automorphism",
    "k-candidate",
    "k-degree",
    "k-map",
    "k-neighborhood",
    "likelihood-k-anonymity",
    "probabilistic-k-anonymity",
    "q-anonymity",
    "super-node-size",
)
"""Models that ask nothing of sensitive values; of others, also a plugin's, all do."""
HIGHEST_RISK = "highest-risk"
"""The metric that is one divided by the persons of the smallest class."""
AtLeastOne = Annotated[int, Field(ge=1, strict=True)]


class StatedComposition(Strict):
    """What a table must hold together with all earlier tables of the same persons.

    It is judged where the section is stated, where the release has a ``subject``, a
    schedule or periods. Persons are told apart by ``roles.subject``, and the classes
    they were in are kept in the ledger, keyed by the secret ``ANON_LEDGER_KEY``.

    Attributes
    ----------
    k : int or None
        Persons of each group with the same classes in all releases; at least, and by
        default, the largest k of the thresholds.
    l : int, mapping of column to int, or None
        Different values of a sensitive column in each such group; at least, and by
        default, what the thresholds ask of each column, and 2 where a model without an
        l judges it, such as t-closeness. A column of which nothing is asked is not
        judged.
    sensitive : mapping of column to {"permanent", "changing"}
        Whether the value of a person stays for ever, or may be another one in each
        release. It is stated for every column that is judged.
    presence : {"known", "unknown"}
        Whether an intruder knows who was in which release. ``unknown`` asks for less,
        and protects nobody from an intruder who knows who joined or left.
    window : int or None
        Judge the last so many releases alone. Older ones are still in the world.
    shares_persons_with : tuple of str
        Names of other sources, as their releases state them under ``ledger.source``,
        that hold some of the same persons under the same keys. It holds both ways, and
        for those that they share persons with.
    accept_unjudged : str or None
        Publish without this judgement, and why, in words; they stand in the manifest.
    """

    k: AtLeastOne | None = None
    l: AtLeastOne | dict[str, AtLeastOne] | None = None  # noqa: E741 - the model's name
    sensitive: dict[str, Literal["permanent", "changing"]] = Field(default_factory=dict)
    presence: Literal["known", "unknown"] = "known"
    window: Annotated[int, Field(ge=2, strict=True)] | None = None
    shares_persons_with: tuple[str, ...] = ()
    accept_unjudged: str | None = None

    @field_validator("accept_unjudged")
    @classmethod
    def _in_words(cls, given: str | None) -> str | None:
        if given is not None and len(given.strip()) < SHORTEST_REASON:
            raise ValueError(
                "give the reason in words that readers will see "
                f"({SHORTEST_REASON} characters or more)."
            )
        return given

    def k_in_force(self, thresholds: Sequence[Threshold]) -> int | None:
        """The k that is judged; None if neither section nor thresholds state one."""
        stated = [] if self.k is None else [self.k]
        return max(
            [*stated, *_asked("k", thresholds), *_sizes_of_risks(thresholds)],
            default=None,
        )

    def l_in_force(
        self, thresholds: Sequence[Threshold], columns: Sequence[str]
    ) -> dict[str, int]:
        """The l of each sensitive column that is judged."""
        if isinstance(self.l, Mapping):
            stated = self.l
        else:
            stated = {} if self.l is None else dict.fromkeys(columns, self.l)
        found = {
            name: max(
                stated.get(name, 1),
                *_asked("l", thresholds, name),
                FEWEST_VALUES if _bounds_shares(thresholds, name) else 1,
            )
            for name in columns
        }
        return {name: n for name, n in found.items() if n >= FEWEST_VALUES}


def _asked(
    parameter: str, thresholds: Sequence[Threshold], column: str | None = None
) -> list[int]:
    """What models ask for by a parameter, of one sensitive column or of all."""
    return [
        math.ceil(number)  # 2.5 values are three
        for threshold in thresholds
        if threshold.kind == "model"
        and is_number(number := threshold.params.get(parameter))
        and threshold.params.get("sensitive", column) in (None, column)
    ]


def _extended(
    thresholds: Sequence[Threshold], columns: Sequence[str]
) -> dict[str, int]:
    """The l of columns that are judged as if all other sensitive ones were known."""
    found = [t for t in thresholds if t.params.get("multiple") == "extended"]
    several = len(columns) > 1
    return StatedComposition().l_in_force(found, columns) if several else {}


def _sizes_of_risks(thresholds: Sequence[Threshold]) -> list[int]:
    """The persons of a class that the largest risk of a person asks for."""
    risks = [
        threshold.params.get("max")
        for threshold in thresholds
        if (threshold.kind, threshold.name) == ("metric", HIGHEST_RISK)
    ]
    # 1 / (1 / 49) is a little more than 49.
    return [math.ceil(1 / r - 1e-9) for r in risks if is_number(r) and 0 < r <= 1]


def _bounds_shares(thresholds: Sequence[Threshold], column: str) -> bool:
    """Whether a model asks something of the values of a column, and states no l.

    t-closeness, for one. It bounds what a class tells of its persons; a group with a
    single value tells everything, so that two are the least that it asks for.
    """
    return any(
        threshold.kind == "model"
        and threshold.name not in OF_PERSONS
        and "l" not in threshold.params
        and threshold.params.get("sensitive", column) == column
        for threshold in thresholds
    )


def repeats(config: "ReleaseConfig") -> bool:
    """Whether a release is made to be published again and again."""
    by_schedule = config.schedule is not None or bool(config.airflow.wait_for)
    # What was filled in may look like a placeholder.
    return by_schedule or config.stated.grain is not None


def check_composition(config: "ReleaseConfig") -> None:
    """Refuse a release of which nobody could say what its tables tell together."""
    stated, roles = config.composition or StatedComposition(), config.roles
    for key, given in (("sensitive", stated.sensitive), ("l", stated.l)):
        for name in given if isinstance(given, Mapping) else ():
            if name not in roles.sensitive:
                fault = unknown_choice("sensitive column", name, roles.sensitive)
                raise ValueError(f"composition.{key}: {fault}")
    _refuse_unjudged_links(config, stated)
    must = repeats(config) or reuses_cells(config)
    if stated.accept_unjudged is not None or not must:
        return
    if roles.subject is None:
        raise ValueError(
            "composition: a release that is published again and again is judged with "
            "its earlier tables, and without roles.subject nobody knows who is in "
            "several of them. Name the subject, or say why this may be left out: "
            "'composition: {accept_unjudged: …}', in words that readers will see."
        )
    if stated.k_in_force(config.thresholds) is None:
        raise ValueError(
            "composition.k: no threshold states a k; say how many persons must share "
            "their classes in all releases."
        )
    judged = stated.l_in_force(config.thresholds, roles.sensitive)
    unstated = [name for name in judged if name not in stated.sensitive]
    if unstated:
        raise ValueError(
            f"composition.sensitive: say of {', '.join(map(repr, unstated))} whether a "
            "person's value stays for ever (permanent) or may be another one in each "
            "release (changing)."
        )


def _refuse_unjudged_links(config: "ReleaseConfig", stated: StatedComposition) -> None:
    """Refuse pseudonyms that stay, unless versions are judged by what they link."""
    if config.pseudonyms is None or not config.pseudonyms.stable:
        return
    if config.roles.subject is None:
        raise ValueError(
            "pseudonyms.stable: whoever has two versions knows which rows are of one "
            "person; name roles.subject, so that versions are judged together."
        )
    if stated.accept_unjudged is not None or stated.presence != "known":
        raise ValueError(
            "pseudonyms.stable: pseudonyms that stay show who joined and left; leave "
            "composition.accept_unjudged and presence: unknown out, or stable."
        )


@dataclass(frozen=True)
class AskedTogether:
    """What a release asks of all releases together.

    Attributes
    ----------
    stated : StatedComposition
        The section of the release file.
    k : int or None
        Persons of each group; None if nothing states one.
    l : dict of str to int
        Values of each group, by sensitive column.
    extended : dict of str to int
        Values of those of a group with the same values of all other sensitive columns,
        where a threshold states ``multiple: extended``.
    must : bool
        Whether the first release is judged, too: more will follow it.
    """

    stated: StatedComposition
    k: int | None
    l: dict[str, int]  # noqa: E741 - the model's own name
    extended: dict[str, int]
    must: bool

    @classmethod
    def of(
        cls, config: "ReleaseConfig", thresholds: Sequence[Threshold]
    ) -> "AskedTogether | None":
        """What is asked; None where nothing is, or where the file accepts that."""
        stated = config.composition or StatedComposition()
        must = config.composition is not None or repeats(config)
        must = must or reuses_cells(config)
        if stated.accept_unjudged is not None:
            return None
        if config.roles.subject is None and not must:
            return None
        k = stated.k_in_force(thresholds)
        values = stated.l_in_force(thresholds, config.roles.sensitive)
        extended = _extended(thresholds, config.roles.sensitive)
        return cls(stated, k, values, extended, must)

    def public(self) -> dict[str, Any]:
        """What a manifest says of it: what was asked for, and nothing measured."""
        stated = self.stated
        return {
            "k": self.k,
            "l": dict(self.l),
            "presence": stated.presence,
            "window": stated.window,
        }


def public_composition(
    config: "ReleaseConfig", thresholds: Sequence[Threshold]
) -> dict[str, Any]:
    """What a manifest says of releases that are judged together; nothing if none is."""
    stated = config.composition
    if stated is not None and stated.accept_unjudged is not None:
        return {"composition": {"not_judged": stated.accept_unjudged}}
    asked = AskedTogether.of(config, thresholds)
    kept = {"recoding": config.recoding} if reuses_cells(config) else {}
    return kept if asked is None else {"composition": asked.public(), **kept}


def sentence_of(public: Mapping[str, Any]) -> str:
    """What a reader is told of releases that are judged together; empty if none are.

    Examples
    --------
    >>> sentence_of({"composition": {"not_judged": "other persons every month"}})
    'It was not judged what this table tells together with earlier releases of the \
same persons. The publisher says: other persons every month'
    """
    if "composition" not in public:
        return ""
    asked = public["composition"]
    if "not_judged" in asked:
        return (
            "It was not judged what this table tells together with earlier releases "
            f"of the same persons. The publisher says: {asked['not_judged']}"
        )
    of_values = "".join(
        f", with at least {n} values of {name}" for name, n in asked["l"].items()
    )
    several = asked["window"]
    which = "all earlier releases"
    if several is not None:
        which = f"the last {several - 1} releases, and no older ones,"
    told = ""
    if asked["presence"] != "known":
        told = " It is supposed that nobody knows who was in which release."
    if "recoding" in public:
        told += " Later tables keep the classes of the first one."
    return (
        f"Judged together with {which} of the same persons: whoever has them all finds "
        f"everybody among {asked['k']} persons or more who shared every class"
        f"{of_values}.{told}"
    )


def refuse_not_composable(form: "Form", thresholds: Sequence[Threshold]) -> None:
    """Refuse a release that could not be judged with others, before it begins."""
    asked = AskedTogether.of(form.config, thresholds)
    if asked is None or not asked.must:
        return
    if not form.composes:
        raise ConfigurationError(
            "composition: releases of this method cannot be judged together: whoever "
            "has several of them may find out who is who. State 'composition: "
            "{accept_unjudged: …}' with your reason, or take a method that publishes "
            "classes."
        )
    if form.config.roles.subject is None:
        raise ConfigurationError(
            "composition: without roles.subject nobody knows who is in several "
            "releases; name the subject, or state accept_unjudged with your reason."
        )

"""What a release does when it is refused: nothing more, or the next rung of a ladder.

A rung states what it changes in the release file: the anonymizer, or quasi-identifiers
that are not published. Thresholds are no part of it: they are in force at every rung.
"""

import copy
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from anon_transformers.release._strict import Strict

REFUSE = "refuse"
NEVER_LOWERED = (
    "no rung changes it: thresholds stay in force, and a rung states another "
    "anonymizer (anonymizer: …) or quasi-identifiers that are not published "
    "(drop: […])."
)


class Rung(Strict):
    """One rung of the ladder: what it changes in the file as it is stated.

    Attributes
    ----------
    anonymizer : dict
        Parameters that are added to those of the file; with a ``name``, a method with
        these parameters alone.
    drop : tuple of str
        Quasi-identifiers that are not published.
    """

    anonymizer: dict[str, Any] = Field(default_factory=dict)
    drop: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _keeps_what_was_promised(cls, given: Any) -> Any:
        for key in ("thresholds", "roles", "source", "suite", "target"):
            if isinstance(given, dict) and key in given:
                raise ValueError(f"{key}: {NEVER_LOWERED}")
        return given

    @model_validator(mode="after")
    def _changes_something(self) -> "Rung":
        if not self.anonymizer and not self.drop:
            raise ValueError("a rung states anonymizer: {…}, drop: […], or both.")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """What it states; whoever gets it may change it."""
        stated = {"anonymizer": self.anonymizer, "drop": list(self.drop)}
        return copy.deepcopy({key: given for key, given in stated.items() if given})

    def applied(self, stated: Mapping[str, Any]) -> dict[str, Any]:
        """The keys of a release file with what this rung changes."""
        changed = {**stated, "on_refusal": REFUSE}
        given = self.settings.get("anonymizer", {})
        if "name" in given:
            changed["anonymizer"] = given
        elif given:
            changed["anonymizer"] = {**dict(stated["anonymizer"]), **given}
        return without_columns(changed, self.drop) if self.drop else changed


class OnRefusal(Strict):
    """What happens when a release is refused: ``refuse``, or a ladder.

    Attributes
    ----------
    back_off : tuple of Rung
        What is tried in this order when the file as it is stated is refused; the first
        rung that passes every threshold is published. The manifest states the settings
        in force, and the private journal lists the tries. Each rung changes the file as
        it is stated, and not what the rung before it made.
    """

    back_off: tuple[Rung, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _a_word_or_a_ladder(cls, given: Any) -> Any:
        if given == REFUSE:
            return {}
        if isinstance(given, str):
            raise ValueError(
                f"choices: {REFUSE}, or a ladder, such as {{back_off: [{{anonymizer: "
                "{suppression_limit: 0.05}}]}."
            )
        if isinstance(given, dict) and given.get("back_off", True) in ([], None):
            raise ValueError("back_off: state at least one rung.")
        return given

    @model_serializer(mode="wrap")
    def _as_stated(self, dump: SerializerFunctionWrapHandler) -> Any:
        return dump(self) if self.back_off else REFUSE


def without_columns(
    stated: Mapping[str, Any], columns: Collection[str]
) -> dict[str, Any]:
    """The keys of a release file when quasi-identifiers are dropped.

    What the file says of their labels goes with them.

    Parameters
    ----------
    stated : mapping
        The keys of the file.
    columns : collection of str
        Quasi-identifiers.

    Raises
    ------
    ValueError
        If they cannot be left out.
    """
    changed, roles = copy.deepcopy(dict(stated)), dict(stated["roles"])
    known = list(roles.get("quasi_identifiers", ()))
    _refuse_not_droppable(columns, known, roles.get("sensitive", ()))
    roles["quasi_identifiers"] = [name for name in known if name not in columns]
    roles["dropped"] = [*roles.get("dropped", ()), *columns]
    accepted = roles.get("accept_unique", ())
    roles["accept_unique"] = [
        names
        for names in accepted
        if isinstance(names, str) or not set(names) & set(columns)
    ]
    changed["roles"] = roles
    changed["hierarchies"] = _without(changed.get("hierarchies") or {}, columns)
    changed["anonymizer"] = {
        key: _without_parameters(given, columns, known)
        for key, given in dict(changed["anonymizer"]).items()
    }
    return changed


def _refuse_not_droppable(
    columns: Collection[str], known: Collection[str], sensitive: Collection[str]
) -> None:
    for name in columns:
        if name not in known:
            listed = ", ".join(map(repr, known))
            raise ValueError(
                f"drop: {name!r} is no quasi-identifier; choices: {listed}."
            )
        if name in sensitive:
            raise ValueError(
                f"drop: {name!r} is sensitive too, and is published all the same."
            )
    if not set(known) - set(columns):
        raise ValueError("drop: at least one quasi-identifier must be left.")


def _without_parameters(
    given: Any, columns: Collection[str], known: Collection[str]
) -> Any:
    """A parameter of an anonymizer without what it says of columns that go."""
    if isinstance(given, Mapping):
        return _without(given, columns)
    named = isinstance(given, list | tuple) and all(
        isinstance(name, str) and name in known for name in given
    )
    return [name for name in given if name not in columns] if named else given


def _without(given: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in columns}

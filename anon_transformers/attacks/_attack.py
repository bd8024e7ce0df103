"""What an attack on a table is, and what it finds."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._base_attack import AttackReport, BaseAttack
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import NotEvaluable


@dataclass(frozen=True)
class AttackResult:
    """What the ``_find`` of an attack returns; :meth:`Attack.run_on` reports it.

    Attributes
    ----------
    exposed : bool ndarray
        Which rows of the release are exposed, by position.
    unit : str
        What was examined: "classes", "pairs" or "records".
    units, exposed_units : int
        How many were examined, and how many of them expose records.
    details : mapping, default={}
        Further numbers, by column where they belong to one; never a cell.
    records : callable or None
        Makes the table of exposed records; None: the rows of the release.
    remedy : str or None
        What a publisher of this table can do; None: what the attack says of all.
    meaning : str or None
        What it means to be exposed in this table; None: what the attack says of all.
    n_exposed : int or None
        How many are exposed, where members of a class cannot be told apart: ``exposed``
        then has the rows of their classes. None: as many as rows are exposed.

    Examples
    --------
    >>> AttackResult(np.array([True, False, False]), "records", 3, 1).exposed_units
    1
    """

    exposed: np.ndarray
    unit: str
    units: int
    exposed_units: int
    details: Mapping[str, Any] = field(default_factory=dict)
    records: Callable[[], pd.DataFrame] | None = None
    remedy: str | None = None
    meaning: str | None = None
    n_exposed: int | None = None


class Attack(BaseAttack):
    """Base of attacks on tables: a frozen dataclass whose fields are its parameters.

    A subclass implements ``_find(attack_input)``, which returns an
    :class:`AttackResult` or raises NotEvaluable.

    Attributes
    ----------
    name : str
        Its name in configurations: lower case with hyphens.
    needs : tuple of str
        Inputs it cannot do without, among "release", "sensitive", "original",
        "external", "other", "control" and "hierarchies".
    counts_persons : bool
        Whether it can count persons in place of rows.
    meaning : str
        What it means to be exposed, in one sentence.
    remedy : str
        What a publisher can do.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class LoneRows(Attack):
    ...     name = "lone-rows"
    ...     meaning = "Nobody else has these quasi-identifiers."
    ...     remedy = "Ask for k-anonymity."
    ...
    ...     def _find(self, attack_input):
    ...         classes = attack_input.classes
    ...         lone = classes.sizes == 1
    ...         exposed = lone[attack_input.labels]
    ...         return AttackResult(exposed, "classes", classes.n_classes, lone.sum())
    >>> release = pd.DataFrame({"age": [20, 20, 30]})
    >>> LoneRows().run(release, quasi_identifiers=["age"]).exposed
    1
    """

    kind: ClassVar[str] = "table"
    counts_persons: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("release",)

    @abstractmethod
    def _find(self, attack_input: AttackInput) -> AttackResult:
        """Look for exposed records; raise NotEvaluable if that is not possible."""

    def run(
        self,
        release: Any,
        *,
        quasi_identifiers: Sequence[Hashable],
        sensitive: Sequence[Hashable] = (),
        original: Any = None,
        external: Any = None,
        other: Any = None,
        hierarchies: Mapping[Any, Any] | None = None,
        suppression_label: str = SUPPRESSED,
        subject: Hashable | None = None,
        control: Any = None,
        show_values: bool = False,
    ) -> AttackReport:
        """Attack a release.

        Parameters
        ----------
        release, quasi_identifiers, sensitive, original, external, other, hierarchies, \
suppression_label, subject, control
            As in :class:`AttackInput`.
        show_values : bool, default=False
            Whether the report carries the exposed records themselves.

        Raises
        ------
        NotEvaluable
            If an input that the attack needs was not given, or tells nothing, or if it
            cannot count persons.
        """
        attack_input = AttackInput(
            release,
            quasi_identifiers,
            sensitive,
            original,
            external,
            other,
            hierarchies,
            suppression_label,
            subject,
            control,
        )
        return self.run_on(attack_input, show_values=show_values)

    def run_on(
        self, attack_input: AttackInput, *, show_values: bool = False
    ) -> AttackReport:
        """Attack what several attacks may share."""
        self._refuse_lacking(attack_input)
        if attack_input.subject is not None and not self.counts_persons:
            raise NotEvaluable(
                f"{self.name}: it counts rows, not persons; leave out the subject."
            )
        found = self._find(attack_input)
        records = None
        if show_values:
            rows = attack_input.release.iloc[np.flatnonzero(found.exposed)]
            records = rows.copy() if found.records is None else found.records()
        return AttackReport(
            attack=self.name,
            params=self._params(),
            meaning=found.meaning or self.meaning,
            remedy=found.remedy or self.remedy,
            rows=attack_input.count(np.ones(attack_input.rows, dtype=bool)),
            exposed=(
                attack_input.count(found.exposed)
                if found.n_exposed is None
                else found.n_exposed
            ),
            exposed_suppressed=attack_input.count(
                found.exposed & attack_input.suppressed
            ),
            unit=found.unit,
            units=int(found.units),
            exposed_units=int(found.exposed_units),
            details=found.details,
            exposed_records=records,
        )

"""What all attacks are, and what they report."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import pandas as pd

from anon_transformers.exceptions import NotEvaluable


@dataclass(frozen=True)
class AttackReport:
    """What an attack found, in numbers only.

    Attributes
    ----------
    attack : str
        Its name.
    params : mapping
        Its parameters.
    meaning : str
        What it means to be exposed, in one sentence.
    remedy : str
        What a publisher can do.
    rows : int
        Records of the release, or persons where a subject was named; of a graph the
        nodes that were looked for.
    exposed : int
        Those of them that the attack exposes, the suppressed ones with them; of a graph
        the nodes that were found.
    exposed_suppressed : int
        Those among them whose quasi-identifiers are all suppressed.
    unit : str
        What was examined: "classes", "pairs", "records" or "nodes".
    units, exposed_units : int
        How many were examined, and how many of them expose records.
    details : mapping
        Further numbers, by column where they belong to one.
    exposed_records : pandas.DataFrame or None
        The exposed records themselves, only if ``show_values=True`` asked for them.
        Neither ``repr`` nor :meth:`to_dict` shows them.
    """

    attack: str
    params: Mapping[str, Any]
    meaning: str
    remedy: str
    rows: int
    exposed: int
    exposed_suppressed: int
    unit: str
    units: int
    exposed_units: int
    details: Mapping[str, Any]
    exposed_records: pd.DataFrame | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def share(self) -> float:
        """Share of the records, persons or nodes that are exposed; 0 without any."""
        return self.exposed / max(self.rows, 1)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records, as plain values."""
        plain = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name != "exposed_records"
        }
        return {**plain, "params": dict(self.params), "share": self.share}


class BaseAttack(ABC):
    """Common ground of attacks: a frozen dataclass whose fields are its parameters.

    Subclass :class:`Attack` for tables and :class:`GraphAttack` for graphs.

    Attributes
    ----------
    name : str
        Its name in configurations: lower case with hyphens.
    kind : {"table", "graph"}
        What it attacks.
    needs : tuple of str
        Inputs it cannot do without.
    exposes : bool
        Whether it can expose anybody; one that tells of limits alone cannot, and is no
        threshold of a release.
    evidence : str
        What a gate runs it on: "attack", an input of its own.
    meaning : str
        What it means to be exposed, in one sentence.
    remedy : str
        What a publisher can do.
    """

    name: ClassVar[str]
    kind: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    exposes: ClassVar[bool] = True
    evidence: ClassVar[str] = "attack"
    meaning: ClassVar[str]
    remedy: ClassVar[str]

    @abstractmethod
    def _find(self, attack_input: Any) -> Any:
        """Look for who is exposed; raise NotEvaluable if that is not possible."""

    @abstractmethod
    def run_on(self, attack_input: Any, *, show_values: bool = False) -> AttackReport:
        """Attack what several attacks may share."""

    def lacks(self, attack_input: Any) -> tuple[str, ...]:
        """Inputs that the attack needs and ``attack_input`` has not."""
        return tuple(name for name in self.needs if not attack_input.has(name))

    def _refuse_lacking(self, attack_input: Any) -> None:
        lacking = self.lacks(attack_input)
        if lacking:
            raise NotEvaluable(f"{self.name} needs {' and '.join(lacking)}.")

    def _params(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

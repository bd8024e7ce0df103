"""What an example is made of: numbers to turn, tables, drawings, remarks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anon_transformers.exceptions import ParameterError
from anon_transformers.studio._drawings import Drawing
from anon_transformers.studio._forms import Field, Kind

RANGES: Mapping[str, tuple[float, float, float]] = {
    "k": (1, 10, 1),
    "l": (1, 10, 1),
    "q": (1, 10, 1),
    "c": (0.5, 6, 0.5),
    "t": (0, 1, 0.05),
    "p": (0, 1, 0.1),
    "alpha": (0.1, 1, 0.1),
    "beta": (0, 6, 0.5),
    "low": (0, 1, 0.1),
    "high": (0, 1, 0.1),
    "positive": (0.1, 1, 0.1),
    "negative": (0, 1, 0.1),
    "radius": (1, 3, 1),
    "tolerance": (0, 1, 0.1),
    "eps_lambda": (0, 2, 0.1),
    "eps_mu": (0, 1, 0.1),
}
"""Lowest, highest and step of the numbers that examples turn."""


@dataclass(frozen=True)
class Knob:
    """A number of an example that the reader turns.

    Attributes
    ----------
    name : str
        The parameter.
    value : int or float
        What it is set to.
    """

    name: str
    value: int | float

    @property
    def limits(self) -> tuple[float, float, float] | None:
        """Lowest, highest, step; None if nothing is known of the parameter."""
        found = RANGES.get(self.name)
        if found is None or isinstance(self.value, int):
            return found
        low, high, step = found
        return low, high, step if step % 1 else step / 2

    def turned(self, given: str | None) -> "Knob":
        """The same knob, set to what an address says.

        Examples
        --------
        >>> Knob("k", 2).turned("3"), Knob("t", 0.5).turned(None)
        (Knob(name='k', value=3), Knob(name='t', value=0.5))
        """
        kind: Kind = "whole" if isinstance(self.value, int) else "number"
        value = Field(self.name, self.name, kind, self.value).read(given)
        if self.limits is not None and not self.limits[0] <= value <= self.limits[1]:
            low, high, _ = self.limits
            raise ParameterError(f"{self.name} is from {low:g} to {high:g} here.")
        return Knob(self.name, type(self.value)(value))


@dataclass(frozen=True)
class Sheet:
    """A table; rows of one class have one color.

    Attributes
    ----------
    classes : sequence of int, optional
        The class of each row; -1 for none.
    """

    kind: ClassVar[str] = "sheet"
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    classes: Sequence[int] = ()


@dataclass(frozen=True)
class Picture:
    """A drawing."""

    kind: ClassVar[str] = "picture"
    drawing: Drawing


@dataclass(frozen=True)
class Remark:
    """A sentence between tables and pictures."""

    kind: ClassVar[str] = "remark"
    text: str
    warns: bool = False


Part = Sheet | Picture | Remark


@dataclass
class Lesson:
    """A worked example.

    Attributes
    ----------
    knobs : list of Knob
        The numbers that can be turned.
    parts : list of Sheet, Picture and Remark
        What came of them, in order.
    """

    knobs: list[Knob] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def say(self, text: str, *, warns: bool = False) -> None:
        """Add a sentence."""
        self.parts.append(Remark(text, warns))

    def draw(self, drawing: Drawing) -> None:
        """Add a drawing."""
        self.parts.append(Picture(drawing))

    @property
    def values(self) -> dict[str, int | float]:
        """What the knobs are set to."""
        return {knob.name: knob.value for knob in self.knobs}


def turn(knobs: Sequence[Knob], given: Callable[[str], str | None]) -> list[Knob]:
    """All knobs, as an address sets them."""
    return [knob.turned(given(knob.name)) for knob in knobs]

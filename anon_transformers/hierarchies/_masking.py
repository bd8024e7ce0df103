"""Characters hidden one after another, from either side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anon_transformers.exceptions import ParameterError, check_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._normalize import Normalizer


@dataclass(frozen=True)
class Masking(HierarchyBuilder):
    """Hide one more character at each level.

    Parameters
    ----------
    side : {"right", "left"}, default="right"
        Where hiding starts.
    mark : str, default="*"
        What stands for a hidden character.
    step : int, default=1
        How many characters each level hides.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> Masking().build(["810", "812"]).rows
    (('810', '81*', '8**', '*'), ('812', '81*', '8**', '*'))
    >>> Masking(side="left", step=2).build(["810"]).rows
    (('810', '**0', '*'),)
    """

    side: Literal["right", "left"] = "right"
    mark: str = "*"
    step: int = 1
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        check_choice("side", self.side, ("right", "left"))
        if not isinstance(self.mark, str) or len(self.mark) != 1:
            raise ParameterError(f"mark must be one character, got {self.mark!r}.")
        if not isinstance(self.step, int) or self.step < 1:
            raise ParameterError(
                f"step must be a whole number of at least 1, got {self.step!r}."
            )

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its masked forms; shorter values are filled with the mark."""
        longest = max(map(len, values))
        hidden = range(self.step, longest, self.step)
        return [[self._hide(value, n, longest) for n in hidden] for value in values]

    def _hide(self, value: str, count: int, length: int) -> str:
        if self.side == "right":
            return value.ljust(length, self.mark)[: length - count] + self.mark * count
        return self.mark * count + value.rjust(length, self.mark)[count:]

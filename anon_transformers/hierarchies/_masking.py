"""Characters hidden one after another, from either side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from anon_transformers.exceptions import DataError, ParameterError, check_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._rules import HierarchyRule
from anon_transformers.parameters import whole

Side = Literal["right", "left"]


@dataclass(frozen=True)
class MaskRule(HierarchyRule):
    """Texts of at most ``length`` characters, of which each level hides more."""

    side: Side
    mark: str
    step: int
    length: int

    def read(self, value: str) -> str | None:
        """Filled up with the mark, where it is short."""
        if len(value) > self.length:
            return None
        if self.side == "right":
            return value.ljust(self.length, self.mark)
        return value.rjust(self.length, self.mark)

    def levels(self, read: Sequence[str]) -> Iterator[list[str]]:
        """One step more hidden, as long as anything is seen."""
        for hidden in range(self.step, self.length, self.step):
            marks = self.mark * hidden
            if self.side == "right":
                yield [text[: self.length - hidden] + marks for text in read]
            else:
                yield [marks + text[hidden:] for text in read]
        yield [ROOT] * len(read)


@dataclass(frozen=True)
class Masking(HierarchyBuilder):
    """Hide one more character at each level.

    Later values that are no longer than those it was built from are masked likewise.

    Parameters
    ----------
    side : {"right", "left"}, default="right"
        Where hiding starts.
    mark : str, default="*"
        What stands for a hidden character.
    step : int, default=1
        How many characters each level hides.
    length : int, optional
        How many characters values have at most. By default as many as the longest
        value, which every label shows then: a release warns, and refuses it where
        rows are suppressed.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> Masking().build(["810", "812"]).rows
    (('810', '81*', '8**', '*'), ('812', '81*', '8**', '*'))
    >>> Masking(side="left", step=2).build(["810"]).rows
    (('810', '**0', '*'),)
    >>> Masking(length=5).build(["810"]).rows
    (('810', '810**', '810**', '81***', '8****', '*'),)
    """

    side: Side = "right"
    mark: str = "*"
    step: int = 1
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None
    length: int | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        check_choice("side", self.side, ("right", "left"))
        if not isinstance(self.mark, str) or len(self.mark) != 1:
            raise ParameterError(f"mark must be one character, got {self.mark!r}.")
        whole("step", self.step)
        if self.length is not None:
            whole("length", self.length)

    @property
    def extremes(self) -> str:
        """What labels reveal that are as long as the longest value."""
        if self.length is not None:
            return ""
        return (
            "Its labels are as long as the longest value, which one person may have. "
            "A stated length does not show it."
        )

    def rule(self, values: Sequence[str]) -> MaskRule:
        """Made for texts of the stated length, or as long as the longest."""
        longest = max(map(len, values))
        length = longest if self.length is None else self.length
        if longest > length:
            beyond = sum(len(value) > length for value in values)
            raise DataError(
                f"length: {beyond} values have more than {length} characters, the "
                f"longest {longest}."
            )
        return MaskRule(self.side, self.mark, self.step, length)

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its masked forms; shorter values are filled with the mark."""
        return [chain[:-1] for chain in self.rule(values).chains(values)]

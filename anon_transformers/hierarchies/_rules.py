"""Rules: how a column becomes less exact, for its own values and for later ones."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anon_transformers.hierarchies._levels import Draft, draft_table, number


class HierarchyRule(ABC):
    """What a hierarchy was grown by; it treats values that come later likewise.

    What it took from the column it was made for (its longest text, …) it keeps. A group
    of one level lies in one group of the next, whatever values there are. Rules are
    compared with one another: they are frozen data classes.
    """

    @abstractmethod
    def read(self, value: str) -> Any:
        """What the rule works on; None, if it is not for this value."""

    @abstractmethod
    def levels(self, read: Sequence[Any]) -> Iterator[list[str]]:
        """The groups of what was read, level by level up to the root."""

    def chains(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its groups, from the first level to the root."""
        columns = self.levels([self.read(value) for value in values])
        return [list(chain) for chain in zip(*columns, strict=True)]

    def draft(self, texts: Sequence[str]) -> Draft:
        """Levels above these texts; the ground is not among them."""
        return draft_table(self.levels([self.read(text) for text in texts]))


class StepRule(ABC):
    """Makes every value of a column less exact, one step at a time."""

    @property
    @abstractmethod
    def n_steps(self) -> int:
        """Steps up to the root."""

    @abstractmethod
    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """The generalizations at ``level``, from those of the level below."""


@dataclass(frozen=True)
class TypeRule(HierarchyRule):
    """The steps of a data type.

    Attributes
    ----------
    pattern : str
        Regular expression that a value matches as a whole, or the rule is not for it.
    steps : StepRule
        From one level to the next.
    """

    pattern: str
    steps: StepRule

    def read(self, value: str) -> str | None:
        """The text itself."""
        return value if re.fullmatch(self.pattern, value, flags=re.S) else None

    def levels(self, read: Sequence[str]) -> Iterator[list[str]]:
        """One step after another."""
        labels = list(read)
        for level in range(1, self.steps.n_steps + 1):
            labels = self.steps.step(labels, level)
            yield labels

    def draft(self, texts: Sequence[str]) -> Draft:
        """Each level from the distinct labels of the one below."""
        codes, labels = number(texts)
        draft = Draft([], [])
        for level in range(1, self.steps.n_steps + 1):
            above, labels = number(self.steps.step(labels, level))
            codes = above[codes]
            draft.codes.append(codes)
            draft.labels.append(labels)
        return draft

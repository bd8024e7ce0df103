"""What builds a hierarchy once the values of a column are known."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from anon_transformers.hierarchies._hierarchy import Hierarchy, Unknown
from anon_transformers.hierarchies._normalize import Normalizer, normal
from anon_transformers.hierarchies._type_rules import ROOT


class HierarchyBuilder(ABC):
    """A rule that makes values less exact, whatever the values are.

    A builder may stand wherever a :class:`Hierarchy` may: an anonymizer builds it
    from the values of the table it is fitted on.
    """

    top: ClassVar[tuple[str, ...]] = (ROOT,)
    """What is put above the ancestors; nothing, where they end in one root anyway."""

    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    @abstractmethod
    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its generalizations, level by level, without the root."""

    def build(self, values: Sequence[str]) -> Hierarchy:
        """Build the hierarchy of these values, given as texts.

        Parameters
        ----------
        values : sequence of str
            Distinct values of a column; of those that the normalizer makes one, the
            first is kept. A column without any value gets the root alone.
        """
        kept = self.distinct(values)
        return self._from_rows(kept, self.ancestors(kept) if kept else [])

    def _from_rows(self, kept: list[str], ancestors: list[list[str]]) -> Hierarchy:
        rows = [
            (value, *parents, *self.top)
            for value, parents in zip(kept, ancestors, strict=True)
        ]
        return Hierarchy(
            rows or [(ROOT, ROOT)], unknown=self.unknown, normalizer=self.normalizer
        )

    def distinct(self, values: Sequence[str]) -> list[str]:
        """Each value once; of those that the normalizer makes one, the first."""
        if self.normalizer is None:
            return list(dict.fromkeys(values))
        firsts: dict[str, str] = {}
        for value in values:
            firsts.setdefault(normal(value, self.normalizer), value)
        return list(firsts.values())

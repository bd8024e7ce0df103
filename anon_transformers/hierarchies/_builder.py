"""What builds a hierarchy once the values of a column are known."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from anon_transformers.hierarchies._hierarchy import Hierarchy, Unknown
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer, normal, readable
from anon_transformers.hierarchies._rules import HierarchyRule


class HierarchyBuilder(ABC):
    """A rule that makes values less exact, whatever the values are.

    A builder may stand wherever a :class:`Hierarchy` may: an anonymizer builds it
    from the values of the table it is fitted on.

    A builder with a :meth:`rule` gives it to the hierarchy, and ``transform`` of
    Datafly treats values that come later as those it was built from. Where a normalizer
    is given, levels are made of what it makes of the values.
    """

    top: ClassVar[tuple[str, ...]] = (ROOT,)
    """What is put above the ancestors; nothing, where they end in one root anyway."""

    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    @property
    def extremes(self) -> str:
        """What its labels reveal about single persons, in a sentence or two.

        A release warns of it and its report says it; one that suppresses rows refuses
        it. Empty: no bound of a label is somebody's value, nor made of values.
        """
        return ""

    @abstractmethod
    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its generalizations, level by level, without the root."""

    def rule(self, values: Sequence[str]) -> HierarchyRule | None:
        """What makes these values less exact; None, if it is for no others."""
        return None

    def build(self, values: Sequence[str]) -> Hierarchy:
        """Build the hierarchy of these values, given as texts.

        Parameters
        ----------
        values : sequence of str
            Distinct values of a column; of those that the normalizer makes one, the
            first is kept. A column without any value gets the root alone.
        """
        kept = self.distinct(values)
        texts = [readable(value, self.normalizer) for value in kept]
        policies: Any = {"unknown": self.unknown, "normalizer": self.normalizer}
        if not kept:
            return Hierarchy([(ROOT, ROOT)], **policies)
        rule = self.rule(texts)
        if rule is not None:
            return Hierarchy.by_rule(kept, rule, **policies)
        rows = [
            (value, *parents, *self.top)
            for value, parents in zip(kept, self.ancestors(texts), strict=True)
        ]
        return Hierarchy(rows, **policies)

    def distinct(self, values: Sequence[str]) -> list[str]:
        """Each value once; of those that the normalizer makes one, the first."""
        if self.normalizer is None:
            return list(dict.fromkeys(values))
        firsts: dict[str, str] = {}
        for value in values:
            firsts.setdefault(normal(value, self.normalizer), value)
        return list(firsts.values())

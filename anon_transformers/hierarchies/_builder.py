"""What builds a hierarchy once the values of a column are known."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies._hierarchy import Hierarchy, Normalizer, Unknown

ROOT = "*"


class HierarchyBuilder(ABC):
    """A rule that makes values less exact, whatever the values are.

    A builder may stand wherever a :class:`Hierarchy` may: an anonymizer builds it
    from the values of the table it is fitted on.
    """

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
            Distinct values of a column.
        """
        if not len(values):
            raise DataError("a hierarchy needs at least one value.")
        above = self.ancestors(values)
        rows = [
            (value, *parents, ROOT)
            for value, parents in zip(values, above, strict=True)
        ]
        return Hierarchy(rows, unknown=self.unknown, normalizer=self.normalizer)

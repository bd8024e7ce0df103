"""Rules for published columns: what they judge, and what they say.

A rule names columns and counts rows, and never quotes a cell.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from anon_transformers._data.labels import OR_MISSING, parse_label

if TYPE_CHECKING:
    import pandas as pd

NONE = "none"
"""What a file says of a column that is nothing of what its name looks like."""


@dataclass(frozen=True)
class ColumnFault:
    """A column that breaks a rule.

    Attributes
    ----------
    column : str
        Its name.
    rows : int
        In how many rows it does.
    reason : str
        What is wrong, without a value.
    """

    column: str
    rows: int
    reason: str

    def __str__(self) -> str:
        return f"column {self.column!r}, {self.rows:,} rows: {self.reason}"


@dataclass(frozen=True)
class PublishedCells:
    """A published table as rules see it: names of columns, and texts of cells.

    Parameters
    ----------
    frame : data frame
        What is published.
    year : int
        In which year it is published.
    suppression_label : str
        The label of a suppressed cell.
    identifiers : frozenset of str
        Columns that the file declares as identifiers, or as the subject.
    kinds : mapping of column to str
        What the file says that columns are; ``none`` of one whose name means nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = PublishedCells(pd.DataFrame({"age": [20, 20, None]}), 2026)
    >>> list(cells.texts("age"))
    [('20', 2)]
    """

    frame: "pd.DataFrame"
    year: int
    suppression_label: str = "*"
    identifiers: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self.frame.columns)

    def texts(self, column: str) -> Iterator[tuple[str, int]]:
        """Published texts of a column, each with its number of rows.

        Missing and suppressed cells tell nothing, and are left out.
        """
        return iter(self._texts[column].items())

    @cached_property
    def _texts(self) -> dict[str, dict[str, int]]:
        from anon_transformers._data.columns import single_texts

        found = {}
        for column in self.columns:
            counts = single_texts(self.frame[column]).value_counts()
            found[column] = {
                str(text): int(rows)
                for text, rows in counts.items()
                if str(text).removesuffix(OR_MISSING) != self.suppression_label
            }
        return found

    def filled(self, column: str) -> int:
        """In how many rows a column says something."""
        return sum(rows for _, rows in self.texts(column))

    def words(self, column: str) -> list[str]:
        """The words of a column's name; none where the file says that it is nothing."""
        from anon_transformers.hierarchies._kinds import name_parts

        if self.kinds.get(column) == NONE:
            return []
        words = name_parts(str(column))
        while len(words) > 1 and words[-1].isdigit():
            words.pop()
        return words


def members_of(text: str) -> tuple[str, ...]:
    """What a label stands for, one by one: the members of a set, or the label itself.

    Examples
    --------
    >>> members_of("{021, 022} or missing"), members_of("[20, 29]")
    (('021', '022'), ('[20, 29]',))
    """
    label = parse_label(text)
    return label.members if label.ends is None else (label.text,)


class ColumnRule(ABC):
    """What a policy demands of published columns.

    Attributes
    ----------
    name : str
        Lower case with hyphens.
    sentence : str
        What it demands, in one sentence.
    kinds : tuple of str
        What a file may say that a column is, for this rule to judge it.
    """

    name: ClassVar[str]
    sentence: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def faults(self, cells: PublishedCells) -> list[ColumnFault]:
        """Every column that breaks the rule, with its number of rows."""

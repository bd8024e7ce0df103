"""One hierarchy a data type, in place of one written by hand for each column.

The rules are those of a comparison of Datafly and Mondrian (University of Zaragoza,
2017). A level belongs to the whole column: every value has been
generalized equally often.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import (
    Hierarchy,
    Unknown,
    check_policies,
)
from anon_transformers.hierarchies._levels import Rule, StepRule, draft_rule
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._type_rules import (
    CharRule,
    DateRule,
    DoubleRule,
    IntRule,
    StringRule,
)

Rows = list[list[str]]


@dataclass(frozen=True)
class DataType:
    """A kind of text, and how it is made less exact.

    Attributes
    ----------
    pattern : str
        What all values of the column look like.
    rule : callable
        From the values of a column to the generalizations of each, level by level, the
        last one the same for all; or to a rule of steps, which a hierarchy keeps for
        values that come later.
    """

    pattern: str
    rule: Callable[[Sequence[str]], Rows | StepRule]


DATA_TYPES: dict[str, DataType] = {
    "date": DataType(r"[0-9]{2}/[0-9]{2}/[0-9]{4}", DateRule.fit),
    "int": DataType(r"[-+]?[0-9]+", IntRule.fit),
    # With an exponent, because that is how very small floats are written.
    "double": DataType(
        r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]{1,3})?", DoubleRule.fit
    ),
    "char": DataType(r".", CharRule.fit),
    "string": DataType(r".+", StringRule.fit),
}
"""By name, in the order in which a column is tried against them."""


def register_data_type(
    name: str, pattern: str, rule: Callable[[Sequence[str]], Rows]
) -> None:
    """Add a type, or change the rule of one; new types are tried before the others.

    Parameters
    ----------
    name : str
        By which ``ByDataType`` and ``types=`` of Datafly know it.
    pattern : str
        Regular expression that every value of such a column matches as a whole.
    rule : callable
        From the values of a column to the generalizations of each, level by level; the
        last one must be the same for all.
    """
    try:
        re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"pattern is no regular expression: {error}.") from None
    added = {name: DataType(pattern, rule)}
    others = {known: kind for known, kind in DATA_TYPES.items() if known != name}
    DATA_TYPES.clear()
    DATA_TYPES.update({**added, **others})


def detect_data_type(values: Sequence[str]) -> str:
    """The first type that all values look like.

    Examples
    --------
    >>> detect_data_type(["7", "12"]), detect_data_type(["7", "a"])
    ('int', 'char')
    """
    for name, kind in DATA_TYPES.items():
        if all(map(re.compile(kind.pattern, flags=re.S).fullmatch, values)):
            return name
    raise DataError("no data type fits: there are empty texts.")


@dataclass(frozen=True)
class ByDataType(HierarchyBuilder):
    """Generalize by what the values look like.

    The hierarchy keeps the rule with what it took from the values, such as the length
    of the shortest: ``transform`` of Datafly treats values that come later likewise.
    Those that the rule is not for (of another type, or with more digits than it has
    steps) are unknown, and so are all where a registered type has a rule of its own.

    Parameters
    ----------
    type : str, optional
        One of ``DATA_TYPES``; by default the first that all values look like.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> ByDataType().build(["1234", "87"]).rows
    (('1234', '1230', '1200', '1000', '0'), ('87', '80', '0', '0', '0'))
    """

    top: ClassVar[tuple[str, ...]] = ()

    type: str | None = None
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        if self.type is not None and self.type not in DATA_TYPES:
            raise ParameterError(unknown_choice("data type", self.type, DATA_TYPES))

    def ancestors(self, values: Sequence[str]) -> Rows:
        """For each value its generalizations; the last one is the root of the type."""
        rule = self._kind(values).rule(values)
        if not isinstance(rule, StepRule):
            return rule
        draft = draft_rule(list(values), rule)
        levels = zip(draft.codes[1:], draft.labels[1:], strict=True)
        columns = [[labels[code] for code in codes] for codes, labels in levels]
        return [list(row) for row in zip(*columns, strict=True)]

    def build(self, values: Sequence[str]) -> Hierarchy:
        """Build the hierarchy of these values; it keeps the rule for others.

        Parameters
        ----------
        values : sequence of str
            As for every builder.
        """
        kept = self.distinct(values)
        if not kept:
            return self._from_rows([], [])
        kind = self._kind(kept)
        steps = kind.rule(kept)
        if not isinstance(steps, StepRule):
            return self._from_rows(kept, steps)
        return Hierarchy.by_rule(
            kept,
            Rule(kind.pattern, steps),
            unknown=self.unknown,
            normalizer=self.normalizer,
        )

    def _kind(self, values: Sequence[str]) -> DataType:
        """The type, which all values look like."""
        if self.type is None:
            return DATA_TYPES[detect_data_type(values)]
        kind = DATA_TYPES[self.type]
        matches = re.compile(kind.pattern, flags=re.S).fullmatch
        strange = sum(match is None for match in map(matches, values))
        if strange:
            raise DataError(f"{strange} values do not look like {self.type}.")
        return kind

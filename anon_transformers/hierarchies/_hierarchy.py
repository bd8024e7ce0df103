"""A table of levels: ground value, its group, the group's group, … , the root."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, Literal

import numpy as np

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._files import read_rows, write_rows
from anon_transformers.hierarchies._levels import (
    Draft,
    Level,
    RowError,
    add_other,
    cell_texts,
    check_depth,
    check_draft,
    check_other,
    draft_table,
    freeze,
    groups_above,
    in_tree_order,
    leaves_below,
    name_of_other,
    number,
    repeated,
    runs,
    same_depth,
)
from anon_transformers.hierarchies._normalize import Normalizer, normal, readable
from anon_transformers.hierarchies._rules import HierarchyRule

Unknown = Literal["error", "root", "suppress"]
UNKNOWN_POLICIES = ("error", "root", "suppress")


class Hierarchy:
    """Immutable generalization hierarchy of one attribute.

    Parameters
    ----------
    rows : iterable of sequences of str
        One row per ground value: the value, then its generalization at each level.
        All rows have the same length and end in the same root.
    unknown : {"error", "root", "suppress"}, default="error"
        What becomes of a value that the hierarchy does not have: an error, the root
        at every level, or a suppressed row. Where the root's text is also a value or a
        group below (0 among numbers), ``*`` stands for it there.
    normalizer : {"fold"} or callable, default=None
        Applied to values and leaves before they are compared; "fold" ignores case,
        accents and surplus blanks.

    Attributes
    ----------
    leaves : tuple of str
        Ground values in tree order: the values under any group stand together.
    n_levels : int
        Levels with the ground level.

    Examples
    --------
    >>> rows = [("cat", "mammal", "*"), ("cod", "fish", "*"), ("cow", "mammal", "*")]
    >>> tree = Hierarchy(rows)
    >>> tree.leaves
    ('cat', 'cow', 'cod')
    >>> tree.common_ancestor(0, 1)
    ('mammal', 2)
    >>> tree.common_ancestor(1, 2)
    ('*', 3)
    """

    def __init__(
        self,
        rows: Iterable[Sequence[str]],
        *,
        unknown: Unknown = "error",
        normalizer: Normalizer | None = None,
    ):
        check_policies(unknown, normalizer)
        table = [row if isinstance(row, tuple) else tuple(row) for row in rows]
        check_depth(table)
        draft = draft_table(map(cell_texts, zip(*table, strict=True)))
        check_draft(draft)
        self._set_levels(draft, unknown, normalizer, None)

    @classmethod
    def by_rule(
        cls,
        leaves: Sequence[str],
        rule: HierarchyRule,
        *,
        unknown: Unknown = "error",
        normalizer: Normalizer | None = None,
    ) -> "Hierarchy":
        """Grow the hierarchy of distinct values by a rule, which it keeps.

        Parameters
        ----------
        leaves : sequence of str
            Values that the rule was made for.
        rule : HierarchyRule
            Where a value goes from one level to the next.
        unknown, normalizer
            As for the class.
        """
        check_policies(unknown, normalizer)
        hierarchy = cls.__new__(cls)
        above = rule.draft([readable(leaf, normalizer) for leaf in leaves])
        ground = np.arange(len(leaves), dtype=np.int32)
        # A rule gives each group one parent: there is nothing to check.
        draft = Draft([ground, *above.codes], [list(leaves), *above.labels])
        hierarchy._set_levels(draft, unknown, normalizer, rule)
        return hierarchy

    def _set_levels(
        self,
        draft: Draft,
        unknown: Unknown,
        normalizer: Normalizer | None,
        rule: HierarchyRule | None,
    ) -> None:
        known = draft.labels[0]
        if normalizer is not None:
            codes, known = number([normal(leaf, normalizer) for leaf in known])
            if len(known) < len(codes):
                raise RowError(
                    int(repeated(codes).argmax()),
                    "has a ground value that the normalizer makes one with another.",
                )
        other = None
        if unknown == "root":
            other = name_of_other(draft, by_rule=rule is not None)
        added = other is not None and normal(other, normalizer) not in known
        if added:
            draft = add_other(draft, str(other))
        elif other is not None:
            check_other(draft, known.index(normal(other, normalizer)), other)
        # Past __setattr__: from here on nothing changes.
        self.__dict__.update(
            _levels=in_tree_order(draft, other),
            _unknown=unknown,
            _normalizer=normalizer,
            _other=other,
            _added=added,
            _rule=rule,
        )

    _levels: tuple[Level, ...]
    _unknown: Unknown
    _normalizer: Normalizer | None
    _other: str | None
    _added: bool
    _rule: HierarchyRule | None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a hierarchy is immutable.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a hierarchy is immutable.")

    def __getstate__(self) -> dict[str, Any]:
        # What it was made of, without what was computed from it.
        return {name: self.__dict__[name] for name in Hierarchy.__annotations__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for level in self._levels:
            freeze(level)

    @classmethod
    def from_mapping(
        cls, parents: Mapping[str, str | Sequence[str]], root: str = "*", **options: Any
    ) -> "Hierarchy":
        """Build from ``{value: group}`` or ``{value: [group, larger group, …]}``.

        Examples
        --------
        >>> Hierarchy.from_mapping({"cat": "mammal", "cod": "fish"}).rows
        (('cat', 'mammal', '*'), ('cod', 'fish', '*'))
        """
        return cls(same_depth(groups_above(parents), root), **options)

    @classmethod
    def from_groups(
        cls, groups: Mapping[str, Any], root: str = "*", **options: Any
    ) -> "Hierarchy":
        """Build from nested groups: ``{group: {smaller group: [value, …]}}``.

        Where one branch is deeper than another, the last group is repeated.

        Examples
        --------
        >>> Hierarchy.from_groups({"EU": {"West": ["FR"]}, "Asia": ["JP"]}).rows
        (('FR', 'West', 'EU', '*'), ('JP', 'Asia', 'Asia', '*'))
        """
        return cls(same_depth(list(leaves_below(groups, [])), root), **options)

    @classmethod
    def read_csv(
        cls, path: str | os.PathLike[str], *, encoding: str = "utf-8", **options: Any
    ) -> "Hierarchy":
        """Read a semicolon-separated file without a header, as ARX writes it.

        A file whose name ends in ``.gz`` is unpacked. The encoding is that of the file,
        such as ``latin-1``.
        """
        rows, lines = read_rows(path, encoding)
        try:
            return cls(rows, **options)
        except RowError as error:
            message = error.describe(lines[error.row])
            raise DataError(f"{os.fspath(path)}: {message}") from None
        except DataError as error:
            raise DataError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def suggest(cls, column: Any) -> "Hierarchy":
        """Propose a hierarchy for a column, from its values.

        Parameters
        ----------
        column : Series or sequence
            The column, or its values; missing ones are left out.

        Examples
        --------
        >>> Hierarchy.suggest([34, 37, None, 61]).rows[0]
        ('34', '[30, 34]', '[30, 39]', '[0, 49]', '*')
        """
        from anon_transformers.hierarchies._suggest import suggest

        return suggest(column)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the file that :meth:`read_csv` reads.

        What stands for unknown values is not written; the policy adds it on reading.
        """
        strange = self._place_of_other() if self._added else None
        write_rows(path, [row for at, row in enumerate(self.rows) if at != strange])

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Every ground value with its generalizations, in tree order."""
        columns = (labels[codes].tolist() for codes, labels, _ in self._levels)
        return tuple(zip(*columns, strict=True))

    @property
    def rule(self) -> HierarchyRule | None:
        """What it was grown by; None, where it is a table only."""
        return self._rule

    @property
    def unknown(self) -> Unknown:
        """What becomes of a value that the hierarchy does not have."""
        return self._unknown

    @property
    def unknown_leaf(self) -> int | None:
        """Position of the leaf that stands for unknown values; None without one.

        Examples
        --------
        >>> Hierarchy([("f", "*"), ("m", "*")], unknown="root").unknown_leaf
        2
        """
        return None if self._other is None else self._place_of_other()

    @property
    def root(self) -> str:
        """The most general value."""
        return self._levels[-1].labels[0]

    @cached_property
    def root_is_anything(self) -> bool:
        """Whether the root stands for a missing value, too, as ``*`` does.

        A rule may come to a root that tells less than everything: 0 among numbers.
        """
        draft = Draft([], [list(level.labels) for level in self._levels])
        return name_of_other(draft, by_rule=self._rule is not None) == self.root

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Ground values in tree order."""
        return tuple(self._levels[0].labels)

    @property
    def n_levels(self) -> int:
        """Levels with the ground level."""
        return len(self._levels)

    def locate(self, values: Iterable[str]) -> np.ndarray:
        """Position of each value among the leaves; -1 where there is none."""
        return self.apply_policy(self._find(list(values)))

    def meet(self, values: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where each value meets the tree: a leaf, and from which level on they agree.

        A leaf meets itself at level 0. Other values go up by the rule that the
        hierarchy was grown by, until they come to a group that it has; where there is
        no rule, or it is not for them, they are -1, whatever the policy.

        Parameters
        ----------
        values : sequence of str
            Values of other rows.

        Returns
        -------
        leaves, levels : int64 ndarrays
        """
        leaves = self._find(values)
        levels = np.zeros(len(leaves), dtype=np.int64)
        lost = np.flatnonzero(leaves < 0)
        if self._rule is None or not len(lost):
            return leaves, levels
        texts = [readable(values[at], self._normalizer) for at in lost.tolist()]
        read = [self._rule.read(text) for text in texts]
        lost = lost[[it is not None for it in read]]
        groups = self._rule.levels([it for it in read if it is not None])
        for level, labels in enumerate(groups, start=1):
            found = np.fromiter(
                map(self._heads[level].get, labels, repeat(-1)), np.int64, len(labels)
            )
            met = (found >= 0) & (leaves[lost] < 0)
            leaves[lost[met]], levels[lost[met]] = found[met], level
            if (leaves[lost] >= 0).all():
                break
        return leaves, levels

    def _find(self, values: Sequence[str]) -> np.ndarray:
        if len(values) == len(self.leaves) and tuple(values) == self.leaves:
            # The very values it was built from, which need no dictionary.
            return np.arange(len(values))
        if self._normalizer is not None:
            values = [normal(value, self._normalizer) for value in values]
        return np.fromiter(
            map(self._places.get, values, repeat(-1)), np.int64, len(values)
        )

    def apply_policy(self, leaves: np.ndarray) -> np.ndarray:
        """What is not known is the root, if that is the policy."""
        if self._unknown != "root":
            return leaves
        return np.where(leaves < 0, self._place_of_other(), leaves)

    def _place_of_other(self) -> int:
        """The leaf that stands for what is not known."""
        assert self._other is not None
        return self._places[normal(self._other, self._normalizer)]

    def __contains__(self, value: str) -> bool:
        """Whether a text is one of the ground values."""
        return normal(value, self._normalizer) in self._places

    @cached_property
    def _places(self) -> dict[str, int]:
        keys = self.leaves
        if self._normalizer is not None:
            keys = tuple(normal(leaf, self._normalizer) for leaf in keys)
        return dict(zip(keys, range(len(keys)), strict=True))

    @cached_property
    def _heads(self) -> tuple[dict[str, int], ...]:
        """For each level the first leaf of every group."""
        return tuple(
            dict(zip(labels, np.unique(codes, return_index=True)[1], strict=True))
            for codes, labels, _ in self._levels
        )

    def level(self, level: int) -> Level:
        """One level as codes, from 0 for the ground values up to the root."""
        return self._levels[level]

    @cached_property
    def _bounds(self) -> np.ndarray:
        """First and last leaf below each leaf's ancestor, level by level."""
        return np.array([np.stack(runs(level), axis=1) for level in self._levels])

    def common_ancestor(self, first: int, last: int) -> tuple[str, int]:
        """Lowest value above leaves ``first`` to ``last``, and its leaf count."""
        for level, (codes, labels, _) in enumerate(self._levels):
            low, high = self._bounds[level, first]
            if low <= first and last <= high:
                name = labels[codes[first]]
                # What stands for every value stands for all of them.
                everything = name == self._other
                return name, len(codes) if everything else int(high - low + 1)
        raise IndexError(f"leaves {first} to {last} lie outside the hierarchy.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.rows, self._unknown, self._normalizer, self._rule

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.leaves)} values, {self.n_levels} levels)"


def check_policies(unknown: Unknown, normalizer: Normalizer | None) -> None:
    """Refuse what a hierarchy cannot do with a value."""
    if unknown not in UNKNOWN_POLICIES:
        raise ParameterError(
            f"unknown: {unknown_choice('policy', unknown, UNKNOWN_POLICIES)}"
        )
    if not (normalizer is None or normalizer == "fold" or callable(normalizer)):
        raise ParameterError(
            f"normalizer must be 'fold' or a function of a text, got {normalizer!r}."
        )

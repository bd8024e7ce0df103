"""Edits of the rows of a hierarchy; the library checks what they return."""

from collections.abc import Iterable

from anon_transformers.exceptions import ParameterError

Rows = tuple[tuple[str, ...], ...]
WITHOUT_GROUPS = 2
"""Levels of a hierarchy of values and the root alone."""


def rename(rows: Rows, level: int, label: str, name: str) -> Rows:
    """Call a group otherwise; under the name of another one, they become one.

    Examples
    --------
    >>> rename((("cat", "mammal", "*"), ("cod", "fish", "*")), 1, "fish", "fishes")
    (('cat', 'mammal', '*'), ('cod', 'fishes', '*'))
    """
    name = _named(name)
    _find(rows, level, label)
    return tuple(
        tuple(name if at == level and cell == label else cell
              for at, cell in enumerate(row))
        for row in rows
    )  # fmt: skip


def move(rows: Rows, level: int, label: str, group: str) -> Rows:
    """Put a value, or a group, into a group of the level above.

    A group that is not there is made, below what was above.

    Examples
    --------
    >>> rows = (("cat", "mammal", "*"), ("whale", "fish", "*"))
    >>> move(rows, 0, "whale", "mammal")
    (('cat', 'mammal', '*'), ('whale', 'mammal', '*'))
    >>> move(rows, 0, "whale", "whales")[1]
    ('whale', 'whales', '*')
    """
    group = _named(group)
    _find(rows, level, label)
    if level + 2 > len(rows[0]) - 1:
        raise ParameterError("the level above has the root alone: nothing can move.")
    above = next((row[level + 1 :] for row in rows if row[level + 1] == group), None)
    moved = []
    for row in rows:
        if row[level] != label:
            moved.append(row)
            continue
        rest = above if above is not None else (group, *row[level + 2 :])
        moved.append((*row[: level + 1], *rest))
    return tuple(moved)


def add_values(rows: Rows, values: Iterable[str], group: str) -> Rows:
    """Add values to a group of the first level; one that is not there is made.

    Above a new group are groups of its own name, up to the root.

    Examples
    --------
    >>> add_values((("cat", "mammal", "*"),), ["cod"], "other")
    (('cat', 'mammal', '*'), ('cod', 'other', '*'))
    """
    depth = len(rows[0])
    if depth == WITHOUT_GROUPS:
        return (*rows, *((value, rows[0][-1]) for value in values))
    group = _named(group)
    found = next((row[1:] for row in rows if row[1] == group), None)
    chain = found or (*[group] * (depth - 2), rows[0][-1])
    return (*rows, *((value, *chain) for value in values))


def add_level(rows: Rows) -> Rows:
    """Add a level below the root, in which every group is still by itself.

    Examples
    --------
    >>> add_level((("cat", "*"), ("cod", "*")))
    (('cat', 'cat', '*'), ('cod', 'cod', '*'))
    """
    return tuple((*row[:-1], row[-2], row[-1]) for row in rows)


def remove_level(rows: Rows, level: int) -> Rows:
    """Leave a level out, which is neither that of the values nor the root."""
    if not 0 < level < len(rows[0]) - 1:
        raise ParameterError("values and root stay; choose a level between them.")
    return tuple((*row[:level], *row[level + 1 :]) for row in rows)


def _named(name: str) -> str:
    if not name.strip():
        raise ParameterError("give the group a name.")
    return name.strip()


def _find(rows: Rows, level: int, label: str) -> None:
    if not 0 <= level < len(rows[0]) - 1:
        raise ParameterError("there is no such level, or it is the root.")
    if not any(row[level] == label for row in rows):
        raise ParameterError("there is no such value or group at this level.")

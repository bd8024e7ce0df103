"""Local recoding: rows that one node would suppress are generalized further."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from anon_transformers._kernels.lattice import Node
from anon_transformers._recoding import PublishedColumn, Table, approved
from anon_transformers._suppression import Rules, approve
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.generalization._levels import publish_level
from anon_transformers.privacy import AllOf


class Pass(NamedTuple):
    """A node, and the combinations of its groups that are published."""

    node: Node
    codes: np.ndarray


def publish_node(table: Table, node: Node) -> list[PublishedColumn]:
    """Every column of a table at its level."""
    return [publish_level(c, level) for c, level in zip(table.known, node, strict=True)]


def learn_passes(
    table: Table, promise: AllOf, find: Callable[[Table], Node], mark: str
) -> list[Pass]:
    """Find a node for all rows, then one for those that it suppresses, and so on."""
    left = np.ones(table.n_rows, dtype=bool)
    passes: list[Pass] = []
    rules = Rules(1.0, "drop", mark)
    while left.any():
        part = table.part(left)
        try:
            node = find(part)
            approval = approve(part, publish_node(part, node), promise, rules)
        except InfeasibleError:
            break
        passes.append(Pass(node, approval.codes))
        left[left] = approval.suppressed
    return passes


def recode_by_passes(table: Table, passes: list[Pass]) -> list[PublishedColumn]:
    """Each row by the first node that publishes its combination."""
    tables = [publish_node(table, one.node) for one in passes]
    of_row = np.full(table.n_rows, -1)
    for number, (one, published) in enumerate(zip(passes, tables, strict=True)):
        of_row[(of_row < 0) & approved(one.codes, published)] = number
    return [_join(list(columns), of_row) for columns in zip(*tables, strict=True)]


def _join(columns: list[PublishedColumn], of_row: np.ndarray) -> PublishedColumn:
    """One column of several; what two of them call alike is one label."""
    place: dict[str | None, int] = {}
    shares: list[float] = []
    codes = np.full(len(of_row), -1, dtype=np.int32)
    for number, column in enumerate(columns):
        into = np.empty(len(column.labels) + 1, dtype=np.int32)
        into[-1] = -1
        for at, label in enumerate(column.labels.tolist()):
            into[at] = place.setdefault(label, len(place))
            if into[at] == len(shares):
                shares.append(0.0)
            shares[into[at]] = max(shares[into[at]], float(column.shares[at]))
        mine = of_row == number
        codes[mine] = into[column.codes[mine]]
    return PublishedColumn(codes, np.array([*place], dtype=object), np.array(shares))

"""Ties between rows fall by chance: neither a secret nor the source decides them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.testing._contract import require
from anon_transformers.testing._published_texts import row_texts

N_TABLES = 40
FARTHEST = 5
"""Standard deviations that a count may lie off by chance."""


def check_ties_do_not_sort_by_the_sensitive_value(estimator: Any) -> None:
    """A source sorted by secrets has no more classes with one secret than another."""
    by_secret, by_chance = homogeneous_classes(estimator, N_TABLES)
    require(
        abs(by_secret - by_chance) <= FARTHEST * math.sqrt(by_secret + by_chance + 1),
        "Ties between rows fall by chance, not by a sensitive value or by source order.",
        f"{by_secret} classes with a single sensitive value in {N_TABLES} tables that "
        f"are sorted by it, {by_chance} in the same tables shuffled",
    )


def check_rules_do_not_depend_on_the_order_of_rows(estimator: Any) -> None:
    """What publishes by a rule publishes a row the same wherever it stands."""
    if not hasattr(estimator, "transform"):
        return  # bound to its rows, so that chance decides
    for table, order in tied_tables(4):
        one = publish_tied(estimator, table, seed=0)
        other = publish_tied(estimator, table.iloc[order], seed=0)
        if one is None or other is None:
            same = one is other
        else:
            same = [one[1][at] for at in order] == other[1]
        require(
            same,
            "A rule does not depend on the order of the rows it was learnt from.",
            "rows that are published otherwise after a shuffle",
        )


CHECKS = (
    check_ties_do_not_sort_by_the_sensitive_value,
    check_rules_do_not_depend_on_the_order_of_rows,
)


def homogeneous_classes(estimator: Any, n_tables: int) -> tuple[int, int]:
    """Classes with one sensitive value in tables sorted by it, and in shuffled ones."""
    found = [0, 0]
    for seed, (table, order) in enumerate(tied_tables(n_tables)):
        for at, rows in enumerate((table, table.iloc[order])):
            published = publish_tied(estimator, rows, seed)
            if published is not None:
                secrets = rows["secret"].groupby(published[0]).nunique()
                found[at] += int((secrets == 1).sum())
    return found[0], found[1]


def tied_tables(n_tables: int) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
    """Tables full of equal rows, sorted by their secret; and another order of each.

    A single row lies below the others and one above: a method that halves the table
    must share the equal ones out.
    """
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        half = int(rng.integers(4, 7))
        age = np.array([20, *[30] * (2 * half - 2), 40])
        secret = np.repeat([1750, 2250], half)
        table = pd.DataFrame({"age": age, "secret": secret})
        yield table, rng.permutation(len(table))


def publish_tied(
    estimator: Any, table: pd.DataFrame, seed: int
) -> tuple[np.ndarray, list[tuple[str, ...]]] | None:
    """Class of each row and what is published of it; None where that is infeasible."""
    params: dict[str, Any] = {
        "quasi_identifiers": ["age"],
        "sensitive": ["secret"],
        "k": len(table) // 2,
        "random_state": seed,
        "suppression": "mask",
    }
    fresh = clone(estimator)
    if hasattr(fresh, "set_output"):
        fresh.set_output(transform="default")
    legal = fresh.get_params(deep=False)
    fresh.set_params(**{name: v for name, v in params.items() if name in legal})
    try:
        output = fresh.fit_transform(table.reset_index(drop=True))
    except InfeasibleError:
        return None
    texts = row_texts(output[["age"]])
    if fresh.kind == "linked":
        (labels,) = fresh.labels_.values()
        return np.asarray(labels), texts
    return pd.factorize(pd.Series(texts))[0], texts

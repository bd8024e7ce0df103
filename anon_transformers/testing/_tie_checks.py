"""Ties between rows fall by chance: neither a secret nor the source decides them."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.testing._contract import require
from anon_transformers.testing._published_texts import row_texts

N_TABLES = 20
FARTHEST = 5
"""Standard deviations that a count may lie off by chance."""


class Homogeneous(NamedTuple):
    """Classes in which all persons have one secret, counted in many tables.

    Attributes
    ----------
    by_secret : int
        In tables that are sorted by the secret.
    shuffled : int
        In the same tables shuffled.
    dealt : int
        In the classes of the sorted tables, with the secrets of rows that are equal in
        their quasi-identifiers dealt out among these anew.
    """

    by_secret: int
    shuffled: int
    dealt: int


def check_ties_do_not_sort_by_the_sensitive_value(estimator: Any) -> None:
    """Classes with a single secret are no more frequent than random ties make them."""
    found = homogeneous_classes(estimator, N_TABLES)
    # Swaps may group by the column itself that they move; the source must not tell.
    by_chance = [found.shuffled] + [found.dealt] * (estimator.kind == "table")
    for count in by_chance:
        require(
            found.by_secret - count <= FARTHEST * math.sqrt(found.by_secret + count),
            "Ties between rows fall by chance, not by a sensitive value or by the "
            "order of the source.",
            f"{found.by_secret} classes with a single sensitive value in {N_TABLES} "
            f"tables, {count} where ties are random",
        )


def check_rules_do_not_depend_on_the_order_of_rows(estimator: Any) -> None:
    """What publishes by a rule publishes a row the same wherever it stands."""
    if estimator.row_bound:
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
            "A rule does not depend on the order of the rows it was learned from.",
            "rows that are published otherwise after a shuffle",
        )


CHECKS = (
    check_ties_do_not_sort_by_the_sensitive_value,
    check_rules_do_not_depend_on_the_order_of_rows,
)


def homogeneous_classes(estimator: Any, n_tables: int) -> Homogeneous:
    """Count the classes with one sensitive value in tables full of ties."""
    found = [0, 0, 0]
    for seed, (table, order) in enumerate(tied_tables(n_tables)):
        shuffled = table.iloc[order]
        dealt = shuffled["secret"].groupby(shuffled["age"]).agg(list).explode()
        tables = (table, shuffled, table.assign(secret=dealt.to_numpy()))
        classes = [publish_tied(estimator, rows, seed) for rows in tables[:2]]
        for at, rows in enumerate(tables):
            published = classes[at % 2]
            if published is not None:
                secrets = pd.Series(rows["secret"].to_numpy()).groupby(published[0])
                found[at] += int((secrets.nunique() == 1).sum())
    return Homogeneous(*found)


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

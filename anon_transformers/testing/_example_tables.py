"""Tables that an anonymizer is tried on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.base import clone
from sklearn.utils import get_tags

N_ROWS = 120
GAPS = 0.15
AMOUNTS = (1750, 2250, 3125, 4875)
"""Sensitive values: numbers, which every kind of model can judge."""


@dataclass(frozen=True)
class Example:
    """A table with the roles of its columns.

    Attributes
    ----------
    name : str
        Said in messages.
    table : DataFrame
        Its rows are in random order and its index labels tell persons apart.
    quasi_identifiers, sensitive, identifiers : sequence of str
        Roles; what is in none of them is insensitive.
    """

    name: str
    table: pd.DataFrame
    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    identifiers: Sequence[str]

    @property
    def published_columns(self) -> list[str]:
        """Columns that may be published, in the order of the table."""
        return [c for c in self.table.columns if c not in self.identifiers]

    @property
    def untouched(self) -> list[str]:
        """Columns that are published as they are."""
        quasi_identifiers = self.quasi_identifiers
        return [c for c in self.published_columns if c not in quasi_identifiers]

    def configure(self, estimator: Any, **params: Any) -> Any:
        """A clone that knows the roles; what can be random is fixed."""
        fresh = clone(estimator)
        if hasattr(fresh, "set_output"):
            # Otherwise scikit-learn asks for the original index.
            fresh.set_output(transform="default")
        if "random_state" in fresh.get_params(deep=False):
            params = {"random_state": 0, **params}
        roles = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "identifiers": list(self.identifiers),
            "subject": None,
        }
        return fresh.set_params(**roles | params)


def examples(estimator: Any) -> list[Example]:
    """Every example, less the kinds of columns that the estimator's tags refuse."""
    found = [_fit_for(estimator, e) for e in (people(0), oddities(), numbers())]
    found = [example for example in found if example.quasi_identifiers]
    if estimator.kind == "linked" and not getattr(estimator, "models", None):
        # What moves should be of every type, whichever role it is that moves; but
        # models of sensitive values hold in no column that is constant.
        found = [_with_more_sensitive(example) for example in found]
    return found


def people(seed: int = 0) -> Example:
    """Mixed columns: numbers, categories, booleans, dates, missing values."""
    rng = np.random.default_rng(seed)
    token = rng.permutation(N_ROWS) + 1000 * (seed + 1)
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(
        rng.integers(0, 20000, N_ROWS), unit="D"
    )
    table = pd.DataFrame(
        {
            "name": [f"person-{t}" for t in token],
            "age": rng.integers(18, 91, N_ROWS),
            "note": [f"note-{t}" for t in rng.permutation(token)],
            "city": _with_gaps(rng, rng.choice(_CITIES, N_ROWS)),
            "salary": rng.choice(AMOUNTS, N_ROWS),
            "born": _with_gaps(rng, days),
            "account": [f"account-{t}" for t in rng.permutation(token)],
            "member": rng.choice([False, True], N_ROWS),
            "grade": pd.Categorical(
                rng.choice(["low", "high"], N_ROWS),
                categories=["low", "mid", "high"],
                ordered=True,
            ),
            "height": _with_gaps(rng, rng.normal(170, 9, N_ROWS).round(1)),
            "seen": rng.permutation(days.tz_localize("UTC")),
            "score": _with_gaps(rng, rng.normal(size=N_ROWS)),
            "tag": pd.Categorical(rng.choice(["x", "y"], N_ROWS), ["x", "y", "z"]),
        }
    )
    table.index = pd.Index([f"label-{t}" for t in rng.permutation(token)], name="who")
    table.attrs["source"] = "private"
    return Example(
        "people",
        table,
        ("height", "age", "city", "born", "member", "grade"),
        ("salary",),
        ("name", "account"),
    )


def oddities() -> Example:
    """Cells that are easily confused, and columns with nothing to tell."""
    rng = np.random.default_rng(7)
    mixed = np.array([1, 1.0, "1", "1.0", "1.50", "", None, True], dtype=object)
    table = pd.DataFrame(
        {
            "code": rng.choice(["007", "7", "7.0", " 7", "07"], N_ROWS),
            "mixed": pd.Series(rng.choice(mixed, N_ROWS), dtype=object),
            "visits": _with_gaps(rng, pd.array(rng.integers(0, 4, N_ROWS), "Int64")),
            "zero": rng.choice([0.0, -0.0, 0.1 + 0.2, 0.3], N_ROWS),
            "tiny": rng.choice(np.array([-128, 0, 127], dtype=np.int8), N_ROWS),
            "same": np.full(N_ROWS, "all"),
            "void": pd.Series([None] * N_ROWS, dtype=object),
            "choice": pd.Categorical(rng.choice(["p", "q"], N_ROWS), ["p", "q", "r"]),
            "amount": rng.choice(AMOUNTS, N_ROWS),
            "key": [f"key-{t}" for t in rng.permutation(N_ROWS)],
        }
    )
    table.index = pd.Index(rng.permutation(N_ROWS) + 5000)
    quasi_identifiers = (
        "code",
        "mixed",
        "visits",
        "zero",
        "tiny",
        "same",
        "void",
        "choice",
    )
    return Example("oddities", table, quasi_identifiers, ("amount",), ("key",))


def numbers() -> Example:
    """Whole and broken numbers, without a gap."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "x": rng.integers(-20, 20, N_ROWS),
            "y": rng.normal(size=N_ROWS),
            "wealth": rng.choice(AMOUNTS, N_ROWS),
            "id": rng.permutation(N_ROWS) + 700000,
        }
    )
    table.index = pd.Index(rng.permutation(N_ROWS) + 300000, name="id")
    return Example("numbers", table, ("y", "x"), ("wealth",), ("id",))


_CITIES = ["Zanzibar", "Quebec", "Reykjavik", "Timbuktu", "Vladivostok", "Ouagadougou"]


def _with_gaps(rng: np.random.Generator, values: Any) -> pd.Series:
    return pd.Series(values).mask(rng.random(len(values)) < GAPS)


def _with_more_sensitive(example: Example) -> Example:
    """Every second quasi-identifier is sensitive instead."""
    quasi_identifiers = example.quasi_identifiers
    sensitive = (*example.sensitive, *quasi_identifiers[1::2])
    return replace(
        example, quasi_identifiers=quasi_identifiers[::2], sensitive=sensitive
    )


def _holds_numbers(column: pd.Series) -> bool:
    """Whether a column holds numbers; False and True are categories."""
    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _fit_for(estimator: Any, example: Example) -> Example:
    """Leave out quasi-identifiers that scikit-learn's input tags refuse."""
    tags = get_tags(estimator).input_tags
    table = example.table
    refused = {
        name
        for name in example.quasi_identifiers
        if (table[name].isna().any() and not tags.allow_nan)
        or (not _holds_numbers(table[name]) and not (tags.string or tags.categorical))
    }
    return replace(
        example,
        table=table.drop(columns=list(refused)),
        quasi_identifiers=tuple(
            name for name in example.quasi_identifiers if name not in refused
        ),
    )

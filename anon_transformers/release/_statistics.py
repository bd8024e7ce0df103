"""Statistics of a protected table beside its source: private, for those who have both.

A label covers several values: where values are compared, each label is spread evenly
over the values that it covers, as somebody has to who reads the published table alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers._data.written_numbers import numbers_of
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import AnonymizationError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import (
    AverageRisk,
    HighestJournalistRisk,
    HighestRisk,
    MarketerRisk,
    RecordsAtRisk,
    aggregate_query_error,
    correlation_differences,
    size_histogram,
)
from anon_transformers.published import LabelParser
from anon_transformers.release._declared_roles import DeclaredRoles

MOST_ROWS = 100_000
"""Of larger tables so many rows are drawn to compare values."""
MOST_VALUES = 12
"""Values of a column that are told apart; further ones are one value."""
N_BINS = 10
OTHER, HIDDEN = "other values", "hidden or missing"
SEED = 0
RISKS = (
    HighestRisk(),
    AverageRisk(),
    RecordsAtRisk(),
    HighestJournalistRisk(),
    MarketerRisk(),
)
QUERIES = ("minimum", "maximum", "mean_lower", "mean_middle", "mode", "mode_count")

Progress = Callable[[int, int, str], None]


def table_statistics(
    source: pd.DataFrame,
    published: pd.DataFrame,
    roles: DeclaredRoles,
    hierarchies: Mapping[str, Any],
    suppression_label: str,
    progress: Progress = lambda done, total, at: None,
) -> dict[str, Any]:
    """Compare a protected table with its source.

    Parameters
    ----------
    source : data frame
        The rows as they were read, numbered from 0.
    published : data frame
        Rows as they are published, under the numbers of their rows in the source.
    roles : DeclaredRoles
        What the columns are; where a subject is named, each person counts once.
    hierarchies : mapping of str to Hierarchy
        Of quasi-identifiers; what is none is left out.
    suppression_label : str
        The label of a suppressed cell.
    progress : callable
        Told how far it is.

    Returns
    -------
    dict
        JSON types only. Values of columns stand in ``distributions`` and ``queries``;
        everything else is numbers and names of columns.
    """
    kept = source.iloc[published.index.to_numpy()]
    subject = roles.subject
    if subject is not None:
        published = published.assign(**{subject: kept[subject].to_numpy()})
    progress(0, 4, "classes and risk")
    before = _classes(source, roles, suppression_label)
    after = _classes(published, roles, suppression_label)
    found: dict[str, Any] = {
        "unit": "rows" if subject is None else "persons",
        "rows": {"source": len(source), "published": len(published)},
        "class_sizes": {
            "before": size_histogram(before),
            "after": size_histogram(after),
        },
        "risk": {"before": _risks(before), "after": _risks(after)},
        "sampled": None,
    }
    if len(published) > MOST_ROWS:
        drawn = np.random.default_rng(SEED).choice(
            len(published), MOST_ROWS, replace=False
        )
        published = published.iloc[np.sort(drawn)]
        kept = source.iloc[published.index.to_numpy()]
        found["sampled"] = MOST_ROWS
    progress(1, 4, "distributions")
    names = [
        *roles.quasi_identifiers,
        *roles.sensitive,
        *roles.insensitive,
    ]
    trees = {n: h for n, h in hierarchies.items() if isinstance(h, Hierarchy)}
    spreads = {
        name: spread(kept[name], published[name], trees.get(name), suppression_label)
        for name in names
        if name in published.columns
    }
    weights = _weights(kept, subject)
    shares = {n: s.shares(weights) for n, s in spreads.items()}
    found["changes"] = {n: one.pop("change") for n, one in shares.items()}
    found["distributions"] = shares
    progress(2, 4, "correlations")
    found["associations"] = _associations(spreads, weights)
    progress(3, 4, "queries")
    found["correlations"] = _correlations(spreads)
    found["queries"] = _queries(source, published, roles, suppression_label, found)
    return found


def _classes(frame: pd.DataFrame, roles: DeclaredRoles, label: str) -> Classes:
    """The classes; the table is taken for the whole population."""
    made = Classes.from_frame(
        frame, list(roles.quasi_identifiers), (), roles.subject, label
    )
    return replace(made, population_sizes=made.sizes)


def _risks(classes: Classes) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for metric in RISKS:
        try:
            found[metric.name] = metric.measure(classes)
        except NotEvaluable:
            found[metric.name] = None
    return found


def _weights(kept: pd.DataFrame, subject: str | None) -> np.ndarray:
    """How much each row counts: all rows of a person count as one."""
    if subject is None:
        return np.ones(len(kept))
    persons = pd.factorize(kept[subject], use_na_sentinel=False)[0]
    return 1 / np.bincount(persons)[persons]


@dataclass(frozen=True)
class Spread:
    """A column before and after, over the same few values.

    Attributes
    ----------
    values : tuple of str
        What is told apart; the last is for what is suppressed or missing.
    before : int array of shape (n_rows,)
        The value of each row of the source.
    labels : float array of shape (n_labels, n_values)
        Share of each value in what a label covers.
    after : int array of shape (n_rows,)
        The label of each published row.
    numbers : pair of float arrays or None
        The numbers of a column of numbers, and the centers of their labels.
    """

    values: tuple[str, ...]
    before: np.ndarray
    labels: np.ndarray
    after: np.ndarray
    numbers: tuple[np.ndarray, np.ndarray] | None = None

    def shares(self, weights: np.ndarray) -> dict[str, Any]:
        """Share of each value before and after; how far they are apart."""
        n_values, total = len(self.values), weights.sum() or 1.0
        before = np.bincount(self.before, weights, n_values) / total
        rows = np.bincount(self.after, weights, len(self.labels))
        after = rows @ self.labels / total
        shown = (before > 0) | (after > 0)
        return {
            "values": [v for v, s in zip(self.values, shown, strict=True) if s],
            "before": before[shown].tolist(),
            "after": after[shown].tolist(),
            "change": float(np.abs(before - after).sum() / 2),
        }

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """One value per row, drawn from what its label covers."""
        ends = np.cumsum(self.labels, axis=1)
        chance = rng.random(len(self.after))[:, None] * ends[:, -1:][self.after]
        return (ends[self.after] <= chance).sum(axis=1).clip(max=len(self.values) - 1)


def spread(
    before: pd.Series, after: pd.Series, hierarchy: Hierarchy | None, label: str
) -> Spread:
    """See a column and its labels as shares of the same few values."""
    codes, texts = pd.factorize(to_text(after), use_na_sentinel=False)
    labels = pd.Series([None if pd.isna(t) else str(t) for t in texts], dtype=object)
    numbers = numbers_of(before)
    kept = set(labels.dropna()) <= {*to_text(before).dropna(), label}
    if numbers is not None and (before.nunique() > MOST_VALUES or not kept):
        found = _spread_numbers(numbers, labels, codes, hierarchy, label)
        if found is not None:
            return found
    return _spread_texts(before, labels, codes, hierarchy, label)


def _spread_numbers(
    numbers: np.ndarray,
    labels: pd.Series,
    codes: np.ndarray,
    hierarchy: Hierarchy | None,
    label: str,
) -> Spread | None:
    """Bins of equal width; None if the labels are no ranges."""
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return None
    whole = bool((known == np.round(known)).all())
    ends = [f"{known.min():.17g}", f"{known.max():.17g}"]
    try:
        read = _read(pd.concat([labels, pd.Series(ends)]), hierarchy, label)
    except AnonymizationError:
        return None
    if read.shape[1] != 2:  # noqa: PLR2004 - the two ends of a range
        return None
    half = 0.5 if whole else 0.0
    edges = np.linspace(known.min() - half, known.max() + half, N_BINS + 1)
    if whole and edges[-1] - edges[0] > N_BINS:
        width = -(-(edges[-1] - edges[0]) // N_BINS)
        edges = edges[0] + width * np.arange(-(-(edges[-1] - edges[0]) // width) + 1)
    ranges = read[: len(labels)]
    shares = _overlaps(ranges[:, 0] - half, ranges[:, 1] + half, edges)
    at = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    at = np.where(np.isfinite(numbers), at, len(edges) - 1)
    names = [_bin_name(a, b, whole) for a, b in pairwise(edges)]
    centers = ranges.mean(axis=1)[codes]
    return Spread((*names, HIDDEN), at, shares, codes, (numbers, centers))


def _overlaps(low: np.ndarray, high: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Share of each range in each bin; what has no range is in one after the last."""
    hidden = np.isnan(low)
    below, above = np.where(hidden, 0.0, low), np.where(hidden, 0.0, high)
    inside = np.minimum(above[:, None], edges[1:])
    inside = np.maximum(inside - np.maximum(below[:, None], edges[:-1]), 0.0)
    # A single number, or a range beyond all that the source has.
    point = inside.sum(axis=1) <= 0
    place = np.clip(np.searchsorted(edges, below, side="right") - 1, 0, len(edges) - 2)
    inside[point, place[point]] = 1.0
    inside[hidden] = 0.0
    shares = np.column_stack([inside, hidden.astype(float)])
    return shares / shares.sum(axis=1, keepdims=True)


def _bin_name(low: float, high: float, whole: bool) -> str:
    if whole:
        first, last = round(low + 0.5), round(high - 0.5)
        return str(first) if first == last else f"{first} to {last}"
    return f"{low:.4g} to {high:.4g}"


def _spread_texts(
    before: pd.Series,
    labels: pd.Series,
    codes: np.ndarray,
    hierarchy: Hierarchy | None,
    label: str,
) -> Spread:
    """The most frequent values; all others are one."""
    texts = to_text(before)
    frequent = texts.value_counts().index[:MOST_VALUES].tolist()
    place = {str(value): at for at, value in enumerate(frequent)}
    other, lost = len(frequent), len(frequent) + 1
    at = texts.map(place).fillna(other).where(texts.notna(), lost)
    shares = np.zeros((len(labels), lost + 1))
    for value, share in _read_values(texts, labels, hierarchy, label).items():
        shares[:, place.get(value, other)] += share
    hidden = labels.isna().to_numpy() | (labels == label).to_numpy()
    shares[hidden] = 0.0
    shares[hidden, lost] = 1.0
    unread = shares.sum(axis=1) <= 0
    shares[unread, other] = 1.0
    names = (*map(str, frequent), OTHER, HIDDEN)
    return Spread(names, at.astype(int).to_numpy(), shares, codes)


def _read_values(
    texts: pd.Series, labels: pd.Series, hierarchy: Hierarchy | None, label: str
) -> dict[str, np.ndarray]:
    """Share of each value in what every label covers; 0 where it is suppressed."""
    ground = pd.Series(sorted(map(str, texts.dropna().unique())), dtype=object)
    given = pd.DataFrame({"column": pd.concat([labels, ground], ignore_index=True)})
    parser = LabelParser(
        missing="nan",
        hierarchies=None if hierarchy is None else {"column": hierarchy},
        suppression_label=label,
    )
    try:
        read = np.asarray(parser.fit_transform(given), dtype=float)
        is_read = parser.kinds_["column"] == "category"
    except AnonymizationError:
        is_read = False
    if not is_read:  # a few numbers or dates: each label is its own value
        return {str(v): (labels == v).to_numpy(dtype=float) for v in labels.dropna()}
    names = parser.get_feature_names_out()
    return {
        str(name).removeprefix("column_"): np.nan_to_num(read[: len(labels), at])
        for at, name in enumerate(names)
    }


def _read(labels: pd.Series, hierarchy: Hierarchy | None, label: str) -> np.ndarray:
    """Ends of labels; NaN where a label is suppressed."""
    parser = LabelParser(
        features=("lower", "upper"),
        missing="nan",
        hierarchies=None if hierarchy is None else {"column": hierarchy},
        suppression_label=label,
    )
    given = pd.DataFrame({"column": labels.reset_index(drop=True)})
    read = np.asarray(parser.fit_transform(given), dtype=float)
    return read if parser.kinds_["column"] == "number" else np.zeros((len(labels), 0))


def _associations(spreads: Mapping[str, Spread], weights: np.ndarray) -> dict[str, Any]:
    """Cramér's V of every two columns, before and after, corrected for its bias."""
    rng, names = np.random.default_rng(SEED), list(spreads)
    before = [(spreads[n].before, len(spreads[n].values)) for n in names]
    after = [(spreads[n].drawn(rng), len(spreads[n].values)) for n in names]
    return {
        "names": names,
        "before": _cramer_matrix(before, weights),
        "after": _cramer_matrix(after, weights),
    }


def _cramer_matrix(
    columns: Sequence[tuple[np.ndarray, int]], weights: np.ndarray
) -> list[list[float]]:
    size = len(columns)
    found = np.eye(size)
    for i in range(size):
        for j in range(i):
            found[i, j] = found[j, i] = cramer(columns[i], columns[j], weights)
    return found.tolist()


def cramer(
    one: tuple[np.ndarray, int], other: tuple[np.ndarray, int], weights: np.ndarray
) -> float:
    """Cramér's V of two columns of codes, corrected for its bias.

    Examples
    --------
    >>> codes = np.array([0, 1] * 50)
    >>> round(cramer((codes, 2), (codes, 2), np.ones(100)), 2)
    1.0
    """
    (a, n_a), (b, n_b) = one, other
    table = np.bincount(a * n_b + b, weights, n_a * n_b).reshape(n_a, n_b)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (rows, columns) = table.sum(), table.shape
    if min(rows, columns) < 2 or n <= 1:  # noqa: PLR2004 - a constant tells nothing
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    square = ((table - expected) ** 2 / expected).sum() / n
    square = max(0.0, square - (rows - 1) * (columns - 1) / (n - 1))
    fewest = min(
        rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)
    )
    return float(min(1.0, np.sqrt(square / max(fewest - 1, 1e-12))))


def _correlations(spreads: Mapping[str, Spread]) -> dict[str, Any] | None:
    """How far correlations of numbers moved; None without two columns of them."""
    numbers = {n: s.numbers for n, s in spreads.items() if s.numbers is not None}
    if len(numbers) < 2:  # noqa: PLR2004 - a pair
        return None
    before = pd.DataFrame({name: pair[0] for name, pair in numbers.items()})
    after = pd.DataFrame({name: pair[1] for name, pair in numbers.items()})
    try:
        return correlation_differences(before, after).to_dict()
    except AnonymizationError:
        return None


def _queries(
    source: pd.DataFrame,
    published: pd.DataFrame,
    roles: DeclaredRoles,
    label: str,
    found: Mapping[str, Any],
) -> dict[str, list[list[Any]]]:
    """What queries on each column of numbers answer before and after."""
    answers = {}
    for name in (*roles.quasi_identifiers, *roles.sensitive):
        if name not in published or numbers_of(source[name]) is None:
            continue
        column = source[name]
        if found["sampled"]:
            column = column.iloc[published.index.to_numpy()]
        try:
            asked = aggregate_query_error(
                column, published[name], suppression_label=label
            )
        except AnonymizationError:
            continue
        answers[name] = [
            [query.replace("_", " "), one.original, one.released, one.error]
            for query in QUERIES
            for one in [asked[query]]
        ]
    return answers

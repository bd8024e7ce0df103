"""Whether one table is a generalization of another."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import encode, refuse_unknown, to_text
from anon_transformers._data.frames import to_frame
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, unknown_choice
from anon_transformers.hierarchies import Hierarchy

Texts = dict[Hashable, np.ndarray]


def is_generalization(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppressed_allowed: bool = True,
    *,
    suppression_label: str = SUPPRESSED,
) -> bool:
    """Tell whether a published table is a full-domain generalization of another.

    Every column is published at one level of its hierarchy, columns without a
    hierarchy are unchanged, and each published row can be given an original one of its
    own that it generalizes. Without suppression no original row may be left over.

    Parameters
    ----------
    original, published : data frame
        The published table has columns of the original, all or some; rows may stand in
        another order.
    hierarchies : mapping of column to Hierarchy
        How columns are generalized.
    suppressed_allowed : bool, default=True
        Whether rows may be left out, or published with ``suppression_label`` in every
        column that has a hierarchy.
    suppression_label : str, default="*"
        Label of a suppressed cell.

    See Also
    --------
    distance_vector : The levels at which the columns are published.

    References
    ----------
    .. [1] P. Samarati and L. Sweeney, "Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression", SRI International, 1998.

    Examples
    --------
    >>> tree = Hierarchy([("05345", "05340"), ("05346", "05340")])
    >>> original = pd.DataFrame({"zip": ["05345", "05346"], "problem": ["flu", "gout"]})
    >>> published = pd.DataFrame({"zip": ["05340"] * 2, "problem": ["gout", "flu"]})
    >>> is_generalization(original, published, {"zip": tree})
    True
    >>> is_generalization(original, published.iloc[:1], {"zip": tree})
    True
    >>> is_generalization(original, published[:1], {"zip": tree}, False)
    False
    """
    found = distance_vector(
        original,
        published,
        hierarchies,
        suppressed_allowed,
        suppression_label=suppression_label,
    )
    return found is not None


def distance_vector(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppressed_allowed: bool = True,
    *,
    suppression_label: str = SUPPRESSED,
) -> dict[Hashable, int] | None:
    """Levels by which a published table is more general than the original.

    Takes what :func:`is_generalization` takes.

    Returns
    -------
    dict of column to int, or None
        The smallest levels that explain the table, 0 for a column without a
        hierarchy; None if it is no generalization.

    Examples
    --------
    >>> tree = Hierarchy([("05345", "05340"), ("05346", "05340")])
    >>> original = pd.DataFrame({"zip": ["05345", "05346"]})
    >>> distance_vector(original, pd.DataFrame({"zip": ["05340"] * 2}), {"zip": tree})
    {'zip': 1}
    """
    original, published = to_frame(original), to_frame(published)
    for name in published.columns:
        if name not in original.columns:
            raise DataError(unknown_choice("column", name, original.columns))
    hierarchies = {c: t for c, t in hierarchies.items() if c in published.columns}
    texts = {name: _texts(published[name]) for name in published.columns}
    hidden = np.zeros(len(published), dtype=bool)
    if hierarchies and suppressed_allowed:
        hidden = np.all(
            [texts[name] == suppression_label for name in hierarchies], axis=0
        )
    if len(published) > len(original) or (
        not suppressed_allowed and len(published) < len(original)
    ):
        return None
    for levels in _levels(original, texts, hierarchies, hidden):
        if _explained(original, texts, hierarchies, levels, hidden):
            return {name: levels.get(name, 0) for name in published.columns}
    return None


def _texts(series: pd.Series) -> np.ndarray:
    return to_text(series).to_numpy(dtype=object)


def _levels(
    original: pd.DataFrame,
    texts: Texts,
    hierarchies: Mapping[Any, Hierarchy],
    hidden: np.ndarray,
) -> Iterator[dict[Hashable, int]]:
    """Levels whose names are those that the columns hold, smallest sum first."""
    fitting = []
    for name, hierarchy in hierarchies.items():
        held = {text for text in texts[name][~hidden] if text is not None}
        fitting.append(
            [
                level
                for level in range(hierarchy.n_levels)
                if held <= set(hierarchy.level(level).labels.tolist())
            ]
        )
    for levels in sorted(product(*fitting), key=lambda chosen: (sum(chosen), chosen)):
        yield dict(zip(hierarchies, levels, strict=True))


def _explained(
    original: pd.DataFrame,
    texts: Texts,
    hierarchies: Mapping[Any, Hierarchy],
    levels: Mapping[Any, int],
    hidden: np.ndarray,
) -> bool:
    """Whether each published row has an original one of its own."""
    source = [
        _raised(original[name], hierarchies[name], levels[name])
        if name in hierarchies
        else _texts(original[name])
        for name in texts
    ]
    left = Counter(zip(*source, strict=True))
    shown = Counter(zip(*(texts[name][~hidden] for name in texts), strict=True))
    if shown - left:
        return False
    # What is left over must hold the suppressed rows, by the columns they still show.
    at = [place for place, name in enumerate(texts) if name not in hierarchies]
    rest: Counter[tuple[Any, ...]] = Counter()
    for row, count in (left - shown).items():
        rest[tuple(row[place] for place in at)] += count
    kept = [texts[name][hidden] for name in texts if name not in hierarchies]
    masked = zip(*kept, strict=True) if kept else [()] * int(hidden.sum())
    return not Counter(masked) - rest


def _raised(series: pd.Series, hierarchy: Hierarchy, level: int) -> np.ndarray:
    """Texts of a column at a level; a missing value stays missing."""
    coded = encode(series, hierarchy)
    refuse_unknown(coded)
    at = hierarchy.level(level)
    # The missing value last but one; what the hierarchy does not have, code -1, last.
    names = [*at.labels[at.codes].tolist(), None, hierarchy.root]
    return np.array(names, dtype=object)[coded.codes]

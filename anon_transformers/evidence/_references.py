"""How often a whole table has each sensitive value: what classes are compared with."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify, natural_key, to_text
from anon_transformers.evidence._holdings import Holdings
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import is_whole


class ReferenceCounts(NamedTuple):
    """How often a whole table has each value: in rows, or in persons and who they are.

    Persons may have several values. ``counts`` are those of ``holdings``, if known.
    """

    counts: np.ndarray
    persons: int | None = None
    holdings: Holdings | None = None

    @classmethod
    def of_column(
        cls,
        column: Column,
        subject: Column | None = None,
        weights: np.ndarray | None = None,
    ) -> "ReferenceCounts":
        """Count rows by value of a column, missing ones last; persons if known."""
        if subject is None:
            return cls(np.bincount(column.codes, weights, column.cardinality))
        known = subject.codes != subject.missing_code
        return cls.of_persons(
            subject.codes[known], column.codes[known], column.missing_code
        )

    @classmethod
    def of_persons(
        cls, persons: np.ndarray, values: np.ndarray, missing: int
    ) -> "ReferenceCounts":
        """Count persons by value, with a row for each that one of them holds."""
        everywhere = np.zeros(len(persons), dtype=np.int64)
        holdings = Holdings.of_rows(everywhere, persons, values, 1, missing)
        n_persons = int(holdings.n_persons()[0])
        return cls(holdings.counts().toarray()[0], n_persons, holdings)


def distribution(
    column: Any,
    subject: Any = None,
    *,
    together: bool = False,
    weights: np.ndarray | None = None,
) -> dict[Any, int]:
    """Rows by published text of a value, missing ones under None.

    This is what ``Classes.from_frame(references={name: …})`` takes. With ``subject``,
    the person of each row, it counts the persons who hold a value at least once, and
    with ``together`` each person once, several values of one person as a tuple.
    ``weights`` are the rows that each cell stands for.

    Examples
    --------
    >>> distribution(["flu", "cold", None, "flu"])
    {'cold': 1, 'flu': 2, None: 1}
    >>> distribution(["flu", "cold", None, "flu"], subject=[1, 1, 2, 1])
    {'cold': 1, 'flu': 1, None: 1}
    >>> distribution(["flu", "cold", None, "flu"], subject=[1, 1, 2, 1], together=True)
    {('cold', 'flu'): 1, None: 1}
    """
    series = column if isinstance(column, pd.Series) else pd.Series(column)
    coded = identify(series)
    persons = None if subject is None else identify(pd.Series(subject))
    counted = ReferenceCounts.of_column(coded, persons, weights)
    return by_set(coded, counted) if together else by_text(coded, counted.counts)


def by_text(column: Column, held: np.ndarray) -> dict[Any, int]:
    """Counts by code as counts by published text, missing ones under None."""
    texts = [*column.texts().tolist(), None]
    counted = zip(texts, held.astype(np.int64).tolist(), strict=True)
    return {text: count for text, count in counted if count}


def by_set(column: Column, counted: ReferenceCounts) -> dict[Any, int]:
    """A reference by published text; where a person has several, by all of these."""
    if counted.holdings is None:
        return by_text(column, counted.counts)
    holdings = counted.holdings
    held = holdings.held.indices
    start = np.flatnonzero(np.diff(holdings.person[held], prepend=-1))
    texts = np.array([*column.texts().tolist(), None], dtype=object)
    sets: dict[Any, int] = {}
    for values in np.split(texts[holdings.value[held]], start[1:]):
        key = values[0] if len(values) == 1 else tuple(values)
        sets[key] = sets.get(key, 0) + 1
    return sets


def by_single(reference: Mapping[Any, Any]) -> dict[Any, Any]:
    """A reference with tuples taken apart: persons who hold a value, among others."""
    single: dict[Any, Any] = {}
    for key, count in reference.items():
        for text in key if isinstance(key, tuple) else (key,):
            single[text] = single.get(text, 0) + count
    return single


def scaled_reference(
    reference: Mapping[Any, int],
    column: Any,
    subject: Any = None,
    weights: np.ndarray | None = None,
) -> dict[Any, int]:
    """A reference with the same shares and rows enough for a larger table.

    Examples
    --------
    >>> scaled_reference({"flu": 1, "cold": 2}, ["flu", "flu", "flu"])
    {'flu': 3, 'cold': 6}
    """
    held = distribution(column, subject, weights=weights)
    single = by_single(reference)
    known = [text for text in held if text is not None and single.get(text)]
    times = max([1, *(-(-held[text] // single[text]) for text in known)])
    return {text: rows * times for text, rows in reference.items()}


def with_reference(
    column: Column,
    series: pd.Series,
    reference: Mapping[Any, Any],
    weights: np.ndarray | None = None,
    subject: Column | None = None,
) -> tuple[Column, ReferenceCounts]:
    """The column with the values of a reference too, and the reference by code.

    What is released was in the input, each value at least as often. Missing cells may
    have been blanked.
    """
    counts = _reference_rows(column.name, reference)
    single = by_single(counts)
    texts = [key for key in single if not (pd.isna(key) or key == "")]
    given = _as_values(column, texts)
    values = _in_natural_order(column, series, given)
    place = pd.Index(values)
    lookup = np.append(place.get_indexer(pd.Index(column.values)), len(values))
    code = dict(zip(texts, place.get_indexer(pd.Index(given)).tolist(), strict=True))
    whole = _reference_by_code(counts, code, len(values))
    rows = whole.counts
    column = replace(column, values=values, codes=lookup[column.codes].astype(np.int32))
    counted = ReferenceCounts.of_column(column, subject, weights).counts
    held = counted.astype(np.int64)[:-1]
    strange = int(held[rows[:-1] == 0].sum())
    if strange:
        raise DataError(
            f"column {column.name!r} holds values in {strange} rows that its reference "
            "does not have; it belongs to another table."
        )
    beyond = int(np.maximum(held - rows[:-1], 0).sum())
    if beyond:
        raise DataError(
            f"column {column.name!r} holds its values in {beyond} rows more than its "
            "reference has; it belongs to another table."
        )
    return column, whole


def _reference_by_code(
    counts: Mapping[Any, int], code: Mapping[Any, int], missing: int
) -> ReferenceCounts:
    """A reference by code, in persons where it has tuples of what they hold."""
    sets = [key if isinstance(key, tuple) else (key,) for key in counts]
    mass = np.fromiter(counts.values(), dtype=np.int64, count=len(sets))
    values = np.array([code.get(text, missing) for key in sets for text in key])
    sizes = np.array([len(key) for key in sets])
    if sizes.max() == 1:
        rows = np.zeros(missing + 1, dtype=np.int64)
        np.add.at(rows, values, mass)
        return ReferenceCounts(rows)
    # As many persons as each set has, one after the other.
    start = np.cumsum(sizes) - sizes
    of_person = np.repeat(np.arange(len(sets)), mass)
    persons = np.repeat(np.arange(len(of_person)), sizes[of_person])
    within = np.arange(len(persons)) - np.searchsorted(persons, persons)
    return ReferenceCounts.of_persons(
        persons, values[start[of_person[persons]] + within], missing
    )


def _reference_rows(name: Hashable, reference: Mapping[Any, Any]) -> dict[Any, int]:
    if not isinstance(reference, Mapping):
        raise ParameterError(
            f"references: what {name!r} has must be a mapping of text to rows, "
            f"got {type(reference).__name__}."
        )
    wrong = 0
    counts: dict[Any, int] = {}
    for key, rows in reference.items():
        legal = is_whole(rows)
        wrong += not legal or rows < 0
        counts[key] = int(rows) if legal else 0
    if wrong or not sum(counts.values()):
        raise ParameterError(
            f"references: what {name!r} has must count rows in whole numbers; "
            f"{wrong} of {len(reference)} entries do not."
        )
    return counts


def _as_values(column: Column, texts: list[Any]) -> np.ndarray:
    """Texts as the values that the column holds."""
    if column.kind != "number":
        return np.array([str(text) for text in texts], dtype=object)
    try:
        if column.values.dtype.kind == "M":
            moments = pd.to_datetime(pd.Series(texts, dtype=object), format="ISO8601")
            return moments.to_numpy(dtype=column.values.dtype)
        numbers = pd.to_numeric(pd.Series(texts, dtype=object)).to_numpy()
    except ValueError:
        raise DataError(
            f"references: column {column.name!r} holds numbers or dates, its reference "
            "other texts."
        ) from None
    # Texts of a narrow column are shorter than those of the same number in a wide one.
    narrow = column.values.dtype.kind == "f"
    return numbers.astype(column.values.dtype) if narrow else numbers


def _in_natural_order(
    column: Column, series: pd.Series, given: np.ndarray
) -> np.ndarray:
    if column.kind == "number":
        held = column.values
        if held.dtype == object:
            held = pd.to_numeric(pd.Series(held)).to_numpy()
        return np.union1d(held, given)
    both = list(dict.fromkeys([*column.values, *given]))
    if column.kind == "ordinal":
        order = to_text(pd.Series(series.cat.categories)).tolist()
        unknown = len(set(both) - set(order))
        if unknown:
            raise DataError(
                f"references: {unknown} values for column {column.name!r} are none of "
                "its ordered categories."
            )
        both.sort(key=order.index)
        return np.array(both, dtype=object)
    texts = np.array(sorted(both), dtype=object)
    key = natural_key(series)
    return texts if key is None else texts[np.argsort(key(texts), kind="stable")]


def places_in(texts: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Leaf of each value; -1 where the tree has none."""
    spelled = [_spelling(str(text), hierarchy) for text in texts]
    places = hierarchy.locate([text or "" for text in spelled])
    return np.where([text is None for text in spelled], -1, places)


def _spelling(text: str, hierarchy: Hierarchy) -> str | None:
    """As the tree has it: 20 may be its 20.0."""
    for other in (text, text.removesuffix(".0"), text + ".0"):
        if other in hierarchy:
            return other
    return None


def refuse_values_outside(hierarchy: Hierarchy, column: Column) -> None:
    """Refuse values that the tree of a sensitive column does not have."""
    if not isinstance(hierarchy, Hierarchy):
        raise ParameterError(f"hierarchies: what {column.name!r} has is no Hierarchy.")
    if hierarchy.unknown != "error":
        return
    outside = np.append(places_in(column.texts(), hierarchy) < 0, False)
    strange = int(outside[column.codes].sum())
    if strange or outside.any():
        raise DataError(
            f"column {column.name!r} holds values in {strange} rows that its hierarchy "
            "does not have; unknown='root' takes them as far from all others."
        )


def open_sensitive(
    frame: pd.DataFrame,
    sensitive: Sequence[Hashable],
    references: Mapping[Any, Mapping[Any, Any]] | None,
    hierarchies: Mapping[Any, Hierarchy] | None,
    weights: np.ndarray | None = None,
    subject: Column | None = None,
) -> tuple[list[Column], dict[Hashable, ReferenceCounts]]:
    """The sensitive columns with their trees, and the references by code.

    ``weights`` are the rows that each row of ``frame`` stands for, ``subject`` the
    persons whom the references count.
    """
    references, hierarchies = references or {}, hierarchies or {}
    for option, given in (("references", references), ("hierarchies", hierarchies)):
        for name in given:
            if name not in sensitive:
                message = unknown_choice("sensitive column", name, sensitive)
                raise ParameterError(f"{option}: {message}")
    columns, by_code = [], {}
    for name in sensitive:
        column = identify(frame[name])
        if name in references:
            column, by_code[name] = with_reference(
                column, frame[name], references[name], weights, subject
            )
        if name in hierarchies:
            refuse_values_outside(hierarchies[name], column)
            column = replace(column, hierarchy=hierarchies[name])
        columns.append(column)
    return columns, by_code

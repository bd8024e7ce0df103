"""How many persons of the population stand behind each class."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.frames import to_frame
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence import SUPPRESSED, Classes
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._coverage import Domain, columns_of


def weigh_population(classes: Classes, weights: Any) -> Classes:
    """Estimate the persons behind each class by the sampling weights of its rows.

    The sum of the weights is the Horvitz-Thompson estimate of the number of persons in
    the population who share the published combination. It is right on average over
    samples; for one small class it may be far off. A risk taken as one divided by this
    estimate is a rough one, and too low on average: a class that is small in the
    population is over-represented among those with a large weight by chance alone.

    Parameters
    ----------
    classes : Classes
        Built from a table, so that the class of each row is known.
    weights : Series or array
        One number per row, at least 1: how many persons of the population the row
        stands for, itself included. Weights that were scaled to add up to the rows of
        the sample say nothing about the population.

    Returns
    -------
    Classes
        With ``population_sizes``.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 20, 30], "weight": [10.0, 15.0, 12.5]})
    >>> classes = Classes.from_frame(table, ["age"])
    >>> weigh_population(classes, table["weight"]).population_sizes
    array([25. , 12.5])
    """
    labels = _labels(classes)
    numbers = pd.to_numeric(pd.Series(weights), errors="coerce").to_numpy(
        float, na_value=np.nan
    )
    if len(numbers) != len(labels):
        raise DataError(f"there are {len(numbers)} weights for {len(labels)} rows.")
    wrong = int((~((numbers >= 1) & np.isfinite(numbers))).sum())
    if wrong:
        raise DataError(
            f"the weights are below 1, missing or infinite in {wrong} rows; a row "
            "stands for at least one person."
        )
    inside = labels >= 0
    sums = np.bincount(labels[inside], numbers[inside], classes.n_classes)
    return replace(classes, population_sizes=sums)


def match_population(
    classes: Classes,
    published: Any,
    population: Any,
    quasi_identifiers: Sequence[Hashable],
    hierarchies: Mapping[Any, Hierarchy] | None = None,
    suppression_label: str = SUPPRESSED,
) -> Classes:
    """Count the persons of a register who may be behind each class.

    A person may be behind a class if each of its labels may stand for the person's
    value; where classes overlap, one person counts in several.

    Parameters
    ----------
    classes : Classes
        Of the published table, in its row order.
    published : data frame
        The table that the classes were built from.
    population : data frame
        One row per person, with ground values in the quasi-identifiers.
    quasi_identifiers : sequence
        Columns that both tables have.
    hierarchies : mapping of column to Hierarchy, optional
        They say what a label stands for; without one it is read as a value, a range
        or a set.
    suppression_label : str, default="*"
        The text of a suppressed cell, which may stand for everything.

    Returns
    -------
    Classes
        With ``population_sizes``.

    Examples
    --------
    >>> published = pd.DataFrame({"age": ["[20, 29]", "[20, 29]", "[30, 39]"]})
    >>> register = pd.DataFrame({"age": [20, 25, 29, 30, 31, 52]})
    >>> classes = Classes.from_frame(published, ["age"])
    >>> match_population(classes, published, register, ["age"]).population_sizes
    array([3, 2])
    """
    after, persons = to_frame(published), to_frame(population)
    columns_of(persons, columns_of(after, quasi_identifiers, None), None)
    labels = _labels(classes)
    if len(after) != len(labels):
        raise DataError(f"there are {len(after)} rows for {len(labels)} in classes.")
    known, first = np.unique(labels, return_index=True)
    first = first[known >= 0]
    if classes.suppressed is not None:
        first = np.delete(first, classes.suppressed)
    covers, of_class, of_person = [], [], []
    for name in quasi_identifiers:
        domain = Domain.of(persons[name], (hierarchies or {}).get(name))
        published_column = identify(after[name])
        codes = published_column.codes[first]
        used, at = np.unique(codes, return_inverse=True)
        cover = domain.cover(_only(published_column, used), suppression_label)
        covers.append(cover[_lines(used, published_column)])
        of_class.append(at)
        of_person.append(domain.ground.codes)
    sizes, outside = _count(covers, of_class, of_person)
    if classes.suppressed is not None:
        sizes, outside = np.insert(sizes, classes.suppressed, len(persons)), 0
    return replace(classes, population_sizes=sizes, population_outside=outside)


def known_population(evidence: Classes, name: str) -> tuple[Classes, np.ndarray]:
    """The kept classes and the persons behind each, if those can be theirs."""
    if evidence.population_sizes is None:
        raise NotEvaluable(
            f"{name} is not available: it needs a population table or sampling weights."
        )
    kept = evidence.kept()
    behind = np.asarray(kept.population_sizes)
    if not kept.n_classes:
        raise NotEvaluable(f"{name} has nothing to judge: no row was kept.")
    if not kept.sizes.all():
        raise NotEvaluable(f"{name}: a class holds rows that belong to no person.")
    few = int((behind < kept.sizes * (1 - 1e-9)).sum())
    if few:
        raise NotEvaluable(
            f"{name}: {few} classes have more persons than the population behind them."
        )
    return kept, behind


def _labels(classes: Classes) -> np.ndarray:
    if classes.labels is None:
        raise NotEvaluable("the classes were built from counts: no row has a class.")
    return classes.labels


def _only(column: Column, used: np.ndarray) -> Column:
    """The labels that kept classes have; the others need not be understood."""
    values = column.values[used[used < column.missing_code]]
    none = np.zeros(0, dtype=np.int32)
    return Column(column.name, column.kind, values, none)


def _lines(used: np.ndarray, column: Column) -> np.ndarray:
    """Where each used label stands among those of ``_only``; a missing one is last."""
    lines = np.arange(len(used))
    return np.where(
        used == column.missing_code, (used < column.missing_code).sum(), lines
    )


def _count(
    covers: list[sparse.csr_array],
    of_class: list[np.ndarray],
    of_person: list[np.ndarray],
) -> tuple[np.ndarray, int]:
    """Persons by class, and those in none."""
    combinations = group_rows(of_person, [cover.shape[1] for cover in covers])
    values = [codes[combinations.first] for codes in of_person]
    if all(cover.sum(axis=0).max(initial=0) <= 1 for cover in covers):
        sizes = _count_disjoint(covers, of_class, values, combinations.sizes)
        return sizes, int(combinations.sizes.sum() - sizes.sum())
    return _count_overlapping(covers, of_class, values, combinations.sizes)


def _count_overlapping(
    covers: list[sparse.csr_array],
    of_class: list[np.ndarray],
    values: list[np.ndarray],
    weights: np.ndarray,
) -> tuple[np.ndarray, int]:
    """Persons by class, where a value may have several labels; and those in none.

    Attribute by attribute: classes with one label share the persons behind it.
    """
    sizes = np.zeros(len(of_class[0]), dtype=np.int64)
    somewhere = np.zeros(len(weights), dtype=bool)
    pending = [(0, np.arange(len(sizes)), np.arange(len(weights)))]
    while pending:
        attribute, classes, persons = pending.pop()
        if attribute == len(covers):
            sizes[classes] = weights[persons].sum()
            somewhere[persons] = True
            continue
        cover, labels = covers[attribute], of_class[attribute][classes]
        held = values[attribute][persons]
        for label in np.unique(labels):
            inside = np.zeros(cover.shape[1], dtype=bool)
            inside[cover.indices[cover.indptr[label] : cover.indptr[label + 1]]] = True
            pending.append(
                (attribute + 1, classes[labels == label], persons[inside[held]])
            )
    return sizes, int(weights[~somewhere].sum())


def _count_disjoint(
    covers: list[sparse.csr_array],
    of_class: list[np.ndarray],
    values: list[np.ndarray],
    weights: np.ndarray,
) -> np.ndarray:
    """Persons by class, where every value has one label at most."""
    n_classes = len(of_class[0])
    codes = []
    for cover, labels, column in zip(covers, of_class, values, strict=True):
        label_of = np.zeros(cover.shape[1], dtype=np.int32)
        at = cover.tocoo()
        label_of[at.col] = at.row + 1
        codes.append(np.concatenate((labels + 1, label_of[column])).astype(np.int32))
    groups = group_rows(codes, [cover.shape[0] + 1 for cover in covers])
    persons = np.bincount(groups.labels[n_classes:], weights, len(groups.sizes))
    return persons[groups.labels[:n_classes]].astype(np.int64)

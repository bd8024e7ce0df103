"""Evidence that a privacy model or metric is tried on."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column
from anon_transformers.evidence import (
    Classes,
    GraphEvidence,
    Likelihoods,
    Linkage,
    Memberships,
    Report,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.testing._example_graphs import empty_graph, random_graph

N_TRIALS = 200
_VALUES = np.array([1750.0, 2250.0, 3125.0, 4875.0, 9000.0])
_SPELLINGS = np.array(["HIV", "hiv", "HIV ", "flu", "Flu", "cold", "NA"], dtype=object)
_TREE = Hierarchy.from_groups(
    {"low": ["1750", "2250"], "middle": ["3125", "4875"], "high": ["9000"]}
)


def random_classes(rng: np.random.Generator, sensitive: Hashable = "salary") -> Classes:
    """A few classes, small or large, alike or very different.

    The sensitive values are numbers with a tree, and there is a population: every kind
    of model can judge them.
    """
    labels, column = _random_rows(rng, sensitive)
    return _with_population(
        Classes.from_labels(labels, int(labels[-1]) + 1, sensitive=[column])
    )


def same_persons(
    rng: np.random.Generator, sensitive: Hashable = "salary"
) -> tuple[Classes, Classes]:
    """Classes of persons with one row each, and with some of these rows repeated.

    The persons, and what each of them holds, are the same.
    """
    labels, column = _random_rows(rng, sensitive)
    n_classes, persons = int(labels[-1]) + 1, np.arange(len(labels))
    found = []
    for times in (np.ones_like(persons), rng.integers(1, 6, len(persons))):
        rows = np.repeat(persons, times)
        subject = Column("person", "number", persons, rows.astype(np.int32))
        values = replace(column, codes=column.codes[rows])
        classes = Classes.from_labels(
            labels[rows], n_classes, sensitive=[values], subject=subject
        )
        found.append(_with_population(classes))
    return found[0], found[1]


def spelled_classes(
    rng: np.random.Generator, sensitive: Hashable = "illness"
) -> Classes:
    """Classes of few values in many spellings, with marks of missing ones."""
    n_classes = int(rng.integers(2, 6))
    labels = np.repeat(np.arange(n_classes), rng.integers(1, 9, n_classes))
    codes = rng.choice(len(_SPELLINGS), len(labels)).astype(np.int32)
    codes[: len(_SPELLINGS)] = np.arange(len(_SPELLINGS))[: len(codes)]
    column = Column(sensitive, "category", _SPELLINGS, codes)
    return _with_population(Classes.from_labels(labels, n_classes, sensitive=[column]))


def _with_population(classes: Classes) -> Classes:
    sizes = classes.sizes
    return replace(classes, population_sizes=sizes * (1 + sizes % 4))


def _random_rows(
    rng: np.random.Generator, sensitive: Hashable
) -> tuple[np.ndarray, Column]:
    """Class of each row, in order, and their sensitive values."""
    n_classes = int(rng.integers(2, 9))
    largest = int(rng.choice([2, 6, 20, 60]))
    sizes = rng.integers(1, largest + 1, n_classes)
    common = rng.dirichlet(np.full(len(_VALUES) + 1, 2.0))
    # From "every class like the table" to "every class of one value".
    likeness = float(rng.choice([0.05, 1.0, 30.0, 3000.0]))
    codes = []
    for size in sizes:
        weights = rng.dirichlet(common * likeness + 1e-3)
        codes.append(rng.choice(len(weights), size, p=weights))
    labels = np.repeat(np.arange(n_classes), sizes)
    column = Column(
        sensitive,
        "number",
        _VALUES,
        np.concatenate(codes).astype(np.int32),
        hierarchy=_TREE,
    )
    return labels, column


def _random_report(rng: np.random.Generator, _: Hashable) -> Report:
    share = float(rng.random())
    return Report(
        method="Example",
        rows=100,
        suppressed_rows=int(100 * share),
        extra_suppressed_rows=0,
        classes={
            "count": 3,
            "smallest": 5,
            "largest": 40,
            "mean": 30.0,
            "variance": 1.5,
        },
        models=(),
        loss=share,
        column_losses={"age": share},
        risk={"average-risk": 0.1, "highest-risk": 0.2},
        seconds=0.5,
    )


def random_linkage(rng: np.random.Generator, sensitive: Hashable = "salary") -> Linkage:
    """A table whose sensitive cells were swapped in 200 small groups, or were not."""
    smallest = int(rng.choice([1, 2, 3, 5]))
    sizes = rng.integers(smallest, 2 * smallest + 1, 200)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    n_rows = len(labels)
    age = 20 + labels + rng.integers(0, 9, n_rows)
    # From "pay follows age" to "pay is noise", with and without values that repeat.
    pay = 100 * age + rng.normal(0, float(rng.choice([1, 300, 9000])), n_rows)
    original = pd.DataFrame(
        {
            "age": age,
            "city": rng.choice(["Oslo", "Rome", "Wien"], n_rows),
            sensitive: np.round(pay, int(rng.choice([-3, 2]))),
        }
    )
    swapped = rng.choice([True, True, True, False])
    sources = np.lexsort((rng.random(n_rows) if swapped else age * 0, labels))
    moved = original[sensitive].to_numpy()[sources]
    published = original.copy()
    published[sensitive] = moved
    return Linkage(original, published, {sensitive: labels}, {sensitive: sources})


def random_likelihoods(rng: np.random.Generator, _: Hashable = None) -> Likelihoods:
    """From records that anybody could have given to those of one identity."""
    shape = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    likeness = float(rng.choice([0.1, 1.0, 100.0]))
    return Likelihoods(rng.dirichlet(np.full(shape[0], likeness), shape[1]).T + 1e-9)


def random_memberships(
    rng: np.random.Generator, sensitive: Hashable = "salary"
) -> Memberships:
    """From crisp sets to vague ones, each with a row that belongs to it mostly.

    There are more rows than sets, so that a model's units can be told apart.
    """
    n_sets = int(rng.integers(2, 6))
    n_rows = n_sets * int(rng.choice([2, 4, 20]))
    vagueness = float(rng.choice([0.01, 0.3, 2.0]))
    degrees = rng.dirichlet(np.full(n_sets, vagueness), n_rows)
    mostly = np.arange(n_sets)
    degrees[mostly, mostly] += 1 + rng.random(n_sets)
    degrees /= degrees.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(np.full(len(_VALUES) + 1, 1.0), n_sets)
    codes = [
        rng.choice(len(_VALUES) + 1, p=weights[row % n_sets]) for row in range(n_rows)
    ]
    column = Column(
        sensitive, "number", _VALUES, np.array(codes, dtype=np.int32), hierarchy=_TREE
    )
    return Memberships(np.minimum(degrees, 1), {sensitive: column})


EVIDENCE: dict[str, Callable[[np.random.Generator, Hashable], Any]] = {
    "classes": random_classes,
    "graph": random_graph,
    "likelihoods": random_likelihoods,
    "linkage": random_linkage,
    "memberships": random_memberships,
    "report": _random_report,
}
"""A new kind of evidence is tried by one entry here."""


def trials(item: Any, seed: int = 0, count: int = N_TRIALS) -> Iterator[Any]:
    """Random evidence of the kind that a model or metric judges."""
    rng = np.random.default_rng(seed)
    sensitive = getattr(item, "sensitive", None)
    if item.evidence in {"linkage", "graph"}:
        count = max(count // 5, 10)  # a graph or two tables cost more
    for _ in range(count):
        yield EVIDENCE[item.evidence](rng, "salary" if sensitive is None else sensitive)


def empty_classes(sensitive: Hashable = "salary") -> Classes:
    """The classes of a table without rows."""
    none = np.zeros(0, dtype=np.int32)
    column = Column(sensitive, "number", _VALUES, none)
    return Classes.from_labels(none, 0, sensitive=[column])


def empty_linkage(sensitive: Hashable = "salary") -> Linkage:
    """Two tables without rows."""
    table = pd.DataFrame({"age": [1.0], sensitive: [1.0]}).iloc[:0]
    return Linkage(table, table)


def empty_memberships(sensitive: Hashable = "salary") -> Memberships:
    """A partition that nobody belongs to."""
    column = Column(sensitive, "number", _VALUES, np.zeros(0, dtype=np.int32))
    return Memberships(np.empty((0, 3)), {sensitive: column})


EMPTY: dict[str, Callable[[Hashable], Any]] = {
    "classes": empty_classes,
    "graph": empty_graph,
    "likelihoods": lambda _: Likelihoods(np.empty((3, 0))),
    "linkage": empty_linkage,
    "memberships": empty_memberships,
}


def empty(item: Any) -> Any:
    """Evidence of a table without rows, of the kind that a model or metric judges."""
    sensitive = getattr(item, "sensitive", None)
    return EMPTY[item.evidence]("salary" if sensitive is None else sensitive)


def n_units(evidence: Any) -> tuple[int, ...]:
    """Classes, groups or records that a model answers for; or sets, or else rows."""
    if isinstance(evidence, Linkage):
        sizes = [len(evidence.group_sizes(columns)) for columns in evidence.moved]
        return (sum(sizes),)
    if isinstance(evidence, Likelihoods):
        return (evidence.n_records,)
    if isinstance(evidence, GraphEvidence):
        return (evidence.published.n_nodes,)
    if isinstance(evidence, Memberships):
        return evidence.n_sets, evidence.n_rows
    return (evidence.n_classes,)


def reordered(evidence: Any, order: np.ndarray) -> Any:
    """The same evidence, unit ``i`` of which comes at place ``order[i]``."""
    if isinstance(evidence, Linkage):
        (columns,) = evidence.moved
        groups = {columns: order[evidence.labels(columns)]}
        return replace(evidence, groups=groups)
    if isinstance(evidence, Likelihoods):
        return Likelihoods(evidence.matrix[:, np.argsort(order)])
    if isinstance(evidence, GraphEvidence):
        return evidence.relabeled(order)
    if isinstance(evidence, Memberships):
        return _reordered_degrees(evidence, np.argsort(order))
    return evidence.merge(order, evidence.n_classes)


def _reordered_degrees(evidence: Memberships, order: np.ndarray) -> Memberships:
    """With the sets, or else the rows, in another order."""
    if len(order) == evidence.n_sets:
        return replace(evidence, degrees=evidence.degrees[:, order])
    columns = evidence.sensitive.items()
    moved = {
        name: replace(column, codes=column.codes[order]) for name, column in columns
    }
    return replace(evidence, degrees=evidence.degrees[order], sensitive=moved)


def fingerprint(evidence: Any) -> str:
    """Everything that evidence holds, to see whether it was changed."""
    if isinstance(evidence, Linkage):
        tables = [evidence.original.to_csv(), evidence.published.to_csv()]
        moves = [dict(part) for part in (evidence.groups, evidence.sources or {})]
        return repr([tables, [{k: v.tolist() for k, v in m.items()} for m in moves]])
    if isinstance(evidence, Likelihoods):
        return repr(evidence.matrix.tolist())
    if isinstance(evidence, Memberships):
        codes = [(n, c.codes.tolist()) for n, c in evidence.sensitive.items()]
        return repr([evidence.degrees.tolist(), codes])
    if isinstance(evidence, GraphEvidence):
        graphs = [evidence.published, evidence.original or evidence.published]
        functions = np.asarray(evidence.functions).tolist()
        return repr([[g.n_nodes, g.edges.tolist()] for g in graphs] + [functions])
    if not isinstance(evidence, Classes):
        return repr(evidence)
    parts: list[Any] = [evidence.sizes.tolist(), evidence.rows.tolist()]
    if evidence.labels is not None:
        parts.append(evidence.labels.tolist())
    for name, column in evidence.sensitive.items():
        counts = column.counts.toarray().tolist()
        parts += [name, column.values.tolist(), counts, column.reference.tolist()]
    if evidence.population_sizes is not None:
        parts.append(evidence.population_sizes.tolist())
    return repr([*parts, evidence.suppressed, list(evidence.sensitive)])

"""Evidence that a privacy model or metric is tried on."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from anon_transformers._tables import Column
from anon_transformers.evidence import Classes, Report
from anon_transformers.hierarchies import Hierarchy

N_TRIALS = 200
_VALUES = np.array([1750.0, 2250.0, 3125.0, 4875.0, 9000.0])
_TREE = Hierarchy.from_groups(
    {"low": ["1750", "2250"], "middle": ["3125", "4875"], "high": ["9000"]}
)


def random_classes(rng: np.random.Generator, sensitive: Hashable = "salary") -> Classes:
    """A few classes, small or large, alike or very different.

    The sensitive values are numbers with a tree, and there is a population: every kind
    of model can judge them.
    """
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
    classes = Classes.from_labels(labels, n_classes, sensitive=[column])
    return replace(classes, population_sizes=sizes * (1 + sizes % 4))


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


EVIDENCE: dict[str, Callable[[np.random.Generator, Hashable], Any]] = {
    "classes": random_classes,
    "report": _random_report,
}
"""A new kind of evidence is tried by one entry here."""


def trials(item: Any, seed: int = 0, count: int = N_TRIALS) -> Iterator[Any]:
    """Random evidence of the kind that a model or metric judges."""
    rng = np.random.default_rng(seed)
    sensitive = getattr(item, "sensitive", None)
    for _ in range(count):
        yield EVIDENCE[item.evidence](rng, "salary" if sensitive is None else sensitive)


def empty_classes(sensitive: Hashable = "salary") -> Classes:
    """The classes of a table without rows."""
    none = np.zeros(0, dtype=np.int32)
    column = Column(sensitive, "number", _VALUES, none)
    return Classes.from_labels(none, 0, sensitive=[column])


def fingerprint(evidence: Any) -> str:
    """Everything that evidence holds, to see whether it was changed."""
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

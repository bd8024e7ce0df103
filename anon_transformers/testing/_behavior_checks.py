"""How an anonymizer behaves as an estimator."""

import inspect
import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from anon_transformers.testing._contract import require
from anon_transformers.testing._example_tables import Example, examples, people
from anon_transformers.testing._published_texts import row_texts, too_rare
from anon_transformers.testing._runs import ExampleRun, publish

ROLE_PARAMETERS = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "hierarchies",
    "subject",
)
PARAMETERS_BY_KIND = {
    "graph": ("relabel", "reduce", "keep_mapping", "random_state"),
    "linked": (*ROLE_PARAMETERS, "k", "keep_links", "random_state"),
    "table": (*ROLE_PARAMETERS, "k", "models", "suppression_limit", "suppression"),
}


def check_constructor(estimator: Any) -> None:
    """Parameters are stored as given, survive a clone, and have defaults."""
    sentence = "An anonymizer is a scikit-learn estimator."
    cls = type(estimator)
    parameters = inspect.signature(cls.__init__).parameters.values()
    loose = [p.name for p in parameters if p.kind in {p.VAR_POSITIONAL, p.VAR_KEYWORD}]
    require(not loose, sentence, f"a constructor with *{loose}")
    default = cls().get_params(deep=False)
    needed = PARAMETERS_BY_KIND[estimator.kind]
    lacking = [name for name in needed if name not in default]
    require(not lacking, sentence, f"no parameter {lacking}")
    set_already = [n for n in ROLE_PARAMETERS if default.get(n) is not None]
    require(
        not set_already,
        sentence,
        f"roles with a default other than None: {set_already}",
    )
    given = estimator.get_params(deep=False)
    try:
        twin = clone(estimator).get_params(deep=False)
    except RuntimeError as error:
        raise AssertionError(f"{sentence} Found: {error}.") from error
    changed = [
        n for n, v in twin.items() if v is not given[n] and repr(v) != repr(given[n])
    ]
    require(not changed, sentence, f"a clone with other parameters: {changed}")
    again = cls().set_params(**given).get_params(deep=False)
    changed = [name for name in given if again[name] is not given[name]]
    require(not changed, sentence, f"set_params that does not store {changed} as given")
    learned = [name for name in vars(cls()) if name.endswith("_")]
    require(not learned, sentence, f"attributes before fit: {learned}")


def check_private_parameters(estimator: Any) -> None:
    """What a release does not publish is named by parameters that exist."""
    sentence = "private_parameters names parameters."
    private = estimator.private_parameters
    require(
        isinstance(private, tuple), sentence, f"a {type(private).__name__}, no tuple"
    )
    unknown = [n for n in private if n not in estimator.get_params(deep=False)]
    require(not unknown, sentence, f"no parameter {unknown}")


def check_row_bound_is_declared(estimator: Any) -> None:
    """Who has no rule for other rows says so, and nobody hides ``transform``."""
    sentence = "row_bound says whether there is no transform; fit_transform is there."
    bound = estimator.row_bound
    require(isinstance(bound, bool), sentence, f"row_bound={bound!r}")
    require(hasattr(estimator, "fit_transform"), sentence, "no fit_transform")
    there = "a" if hasattr(estimator, "transform") else "no"
    require(
        (there == "no") == bound, sentence, f"row_bound={bound} and {there} transform"
    )


def check_fit_leaves_parameters_alone(estimator: Any) -> None:
    """``fit`` sets attributes with a trailing underscore and no parameter."""
    for example in examples(estimator):
        configured = example.configure(estimator)
        before = {name: repr(v) for name, v in configured.get_params().items()}
        configured.fit_transform(example.table)
        after = {name: repr(v) for name, v in configured.get_params().items()}
        changed = [name for name in before if before[name] != after[name]]
        require(not changed, "fit changes no parameter.", f"another {changed}")


def check_input_is_not_mutated(estimator: Any) -> None:
    """The caller's table is the same afterwards, index and attributes too."""
    sentence = "The input is not mutated."
    for example in examples(estimator):
        table = example.table.copy(deep=True)
        configured = example.configure(estimator)
        configured.fit_transform(table)
        if not estimator.row_bound:
            configured.transform(table)
        require(
            _equal_frames(table, example.table)
            and table.index.equals(example.table.index)
            and table.index.name == example.table.index.name
            and table.attrs == example.table.attrs,
            sentence,
            f"the table {example.name!r} after fit_transform is another",
        )
    array = _array()
    before = array.copy()
    _plain(estimator).fit_transform(array)
    require(np.array_equal(array, before), sentence, "an array with other numbers")


def check_reproducible(estimator: Any) -> None:
    """Randomness comes from ``random_state`` only, and goes nowhere else."""
    for example in examples(estimator):
        with _global_randomness(1):
            first = publish(estimator, example).output
        with _global_randomness(2):
            second = publish(estimator, example).output
        require(
            _equal_frames(first, second),
            "Randomness comes only from random_state: two clones publish the same.",
            f"two tables from one input ({example.name})",
        )


def check_global_randomness_is_left_alone(estimator: Any) -> None:
    """Neither numpy's nor Python's global generator is drawn from or seeded."""
    example = examples(estimator)[0]
    with _global_randomness(3):
        before = _drawn_next()
    with _global_randomness(3):
        publish(estimator, example)
        after = _drawn_next()
    require(
        before == after,
        "The global random generators are neither used nor seeded.",
        "other numbers after fit_transform",
    )


def check_no_state_is_shared(estimator: Any) -> None:
    """What was fitted before, or beside, changes nothing."""
    sentence = "No state is shared between two fits or two instances."
    one, other = examples(estimator)[0], _narrowed(people(1), estimator)
    alone = publish(estimator, one).output
    beside = publish(estimator, other)
    stricter = publish(estimator, other, k=4 * estimator.k)
    for run in (beside, stricter):
        require(_is_of_its_own_table(run), sentence, "the result of an earlier fit")
    fitted = one.configure(estimator)
    require(
        _equal_frames(fitted.fit_transform(one.table), alone),
        sentence,
        "another result because other instances were fitted before",
    )
    publish(estimator, other)
    require(
        fitted.report_.rows == len(one.table), sentence, "one report_ for two instances"
    )
    if not estimator.row_bound:
        require(
            _equal_frames(fitted.transform(one.table), alone),
            sentence,
            "another transform because a second instance was fitted",
        )
    fitted.fit_transform(other.table)
    require(
        _equal_frames(fitted.fit_transform(one.table), alone),
        sentence,
        "another result because the instance was fitted before",
    )


def check_transform_repeats_fit_transform(estimator: Any) -> None:
    """``fit(X).transform(X)`` equals ``fit_transform(X)``, also after a pickle."""
    if estimator.row_bound:
        return
    for example in examples(estimator):
        for limit in (estimator.suppression_limit, 0.4):
            expected = publish(estimator, example, suppression_limit=limit).output
            fitted = example.configure(estimator, suppression_limit=limit)
            fitted.fit(example.table)
            for model in (fitted, pickle.loads(pickle.dumps(fitted))):
                require(
                    _equal_frames(model.transform(example.table), expected),
                    "fit(X).transform(X) equals fit_transform(X).",
                    f"two tables ({example.name}, suppression_limit={limit})",
                )


def check_transform_goes_row_by_row(estimator: Any) -> None:
    """Other rows are recoded one by one, and only as approved at ``fit``."""
    if estimator.row_bound:
        return
    params = {"suppression": "mask", "suppression_limit": 0.4}
    run = publish(estimator, examples(estimator)[0], **params)
    others = _narrowed(people(1), estimator).table
    batch = run.estimator.transform(others)
    quasi_identifiers = list(run.example.quasi_identifiers)
    labels = {run.estimator.suppression_label, ""}
    approved = set(run.combinations)
    strange = [
        cells
        for cells in row_texts(batch[quasi_identifiers])
        if cells not in approved and not set(cells) <= labels
    ]
    require(
        not strange,
        "transform suppresses rows whose class was not approved at fit.",
        f"{len(strange)} of {len(batch)} rows with a combination that was not",
    )
    half = run.estimator.transform(others.iloc[::2])
    require(
        row_texts(half) == row_texts(batch)[::2],
        "transform recodes row by row.",
        "rows that change with their batch",
    )


def check_arrays_are_published_as_arrays(estimator: Any) -> None:
    """An array of numbers comes back as an array, without dropped rows."""
    array, done = _array(), _plain(estimator)
    output = done.fit_transform(array)
    n_rows = len(array)
    if done.get_params().get("suppression") == "drop":
        n_rows -= done.n_suppressed_
    require(
        isinstance(output, np.ndarray) and output.shape == (n_rows, array.shape[1]),
        "What is published is of the kind that was given.",
        f"{type(output).__name__} for an array",
    )


CHECKS = (
    check_constructor,
    check_private_parameters,
    check_row_bound_is_declared,
    check_fit_leaves_parameters_alone,
    check_input_is_not_mutated,
    check_reproducible,
    check_global_randomness_is_left_alone,
    check_no_state_is_shared,
    check_transform_repeats_fit_transform,
    check_transform_goes_row_by_row,
    check_arrays_are_published_as_arrays,
)


@contextmanager
def _global_randomness(seed: int) -> Iterator[None]:
    """Seed the global generators, and put them back."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


def _drawn_next() -> tuple[float, float]:
    return float(np.random.random()), random.random()  # noqa: NPY002


def _array() -> np.ndarray:
    return np.random.default_rng(5).normal(size=(60, 2)).round(3)


def _plain(estimator: Any) -> Any:
    """A clone for an array, whose columns have no names."""
    fresh = clone(estimator)
    if estimator.kind == "linked":
        roles: dict[str, Any] = {"quasi_identifiers": [0], "sensitive": [1]}
    else:
        roles = {"quasi_identifiers": None, "sensitive": None, "models": None}
    return fresh.set_params(identifiers=None, subject=None, **roles)


def _narrowed(example: Example, estimator: Any) -> Example:
    """The example with the columns that the estimator's examples have."""
    wanted = examples(estimator)[0]
    table = example.table[list(wanted.table.columns)]
    return replace(wanted, name=example.name, table=table)


def _is_of_its_own_table(run: ExampleRun) -> bool:
    """Whether the untouched columns are the input's, and k is the one asked for."""
    untouched = run.untouched
    if run.estimator.kind == "linked":
        rare = int(run.estimator.k_effective_ < run.estimator.k)
    else:
        rare, _ = too_rare(run.combinations, run.estimator.k)
    return not rare and row_texts(run.output[untouched]) == row_texts(
        run.source[untouched]
    )


def _equal_frames(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    return (
        list(one.columns) == list(other.columns)
        and list(one.dtypes) == list(other.dtypes)
        and row_texts(one) == row_texts(other)
    )

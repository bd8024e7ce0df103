"""The contract of anonymizers that move cells from row to row."""

import math
import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.evidence import Classes, Linkage
from anon_transformers.exceptions import (
    DataError,
    DependenceWarning,
    InfeasibleError,
    NotEvaluable,
)
from anon_transformers.privacy import (
    DistinctLDiversity,
    ProbabilisticKAnonymity,
    judge,
)
from anon_transformers.testing import (
    _behavior_checks,
    _output_checks,
    _refusal_checks,
    _tie_checks,
)
from anon_transformers.testing._contract import require
from anon_transformers.testing._example_tables import examples
from anon_transformers.testing._promise_checks import require_plain_numbers
from anon_transformers.testing._published_texts import column_texts, row_texts
from anon_transformers.testing._runs import ExampleRun, every_run, on_every_run, publish

SEEDS = range(1, 9)
FARTHEST = 5
"""Standard deviations that a count may lie off by chance."""


@on_every_run
def check_groups_have_k_rows(run: ExampleRun) -> None:
    """``labels_`` puts every row into a group, and each group is large enough."""
    sentence = "labels_ puts every row into a group of k rows or more."
    fitted, smallest = run.estimator, []
    require(fitted.labels_, sentence, f"nothing that moved ({run.description})")
    for columns, labels in fitted.labels_.items():
        require(
            isinstance(columns, tuple), sentence, "a key that is no tuple of columns"
        )
        require(
            len(labels) == len(run.example.table), sentence, f"{len(labels)} labels"
        )
        sizes = sorted(Counter(np.asarray(labels).tolist()).values())
        require(
            sizes[0] >= fitted.k,
            sentence,
            f"a group of {sizes[0]} rows, k={fitted.k} ({columns}, {run.description})",
        )
        require(
            sorted(fitted.group_sizes_[columns].tolist()) == sizes,
            "group_sizes_ counts the rows of each group.",
            f"other numbers ({columns}, {run.description})",
        )
        smallest.append(sizes[0])
    require(
        fitted.k_effective_ == min(smallest),
        "k_effective_ is the size of the smallest group.",
        f"{fitted.k_effective_} instead of {min(smallest)} ({run.description})",
    )


@on_every_run
def check_cells_stay_in_their_group(run: ExampleRun) -> None:
    """What moves together is, in every group, the same cells as before."""
    for columns, labels in run.estimator.labels_.items():
        names = list(columns)
        before, after = row_texts(run.source[names]), row_texts(run.output[names])
        require(
            _by_group(labels, before) == _by_group(labels, after),
            "Cells move inside their group: it holds the same ones as before.",
            f"other cells in {names} ({run.description})",
        )


@on_every_run
def check_every_model_holds_in_the_groups(run: ExampleRun) -> None:
    """Judge the published cells of every group by every model that was given."""
    sentence = "The sensitive values of every group satisfy every model that was given."
    for model in _models(run.estimator):
        judged = 0
        for name, labels in _hidden(run):
            if getattr(model, "sensitive", None) not in (None, name):
                continue
            judged += 1
            numbers = np.unique(labels, return_inverse=True)[1]
            groups = Classes.from_labels(
                numbers, int(numbers.max()) + 1, sensitive=[identify(run.output[name])]
            )
            verdict = judge(model, groups)
            require(
                verdict.passed,
                sentence,
                f"{model!r} reaches level {verdict.level} in the groups of {name!r}, "
                f"{verdict.failing} of {verdict.units} fail ({run.description})",
            )
        require(
            judged,
            sentence,
            f"{model!r}, which no group was judged by ({run.description})",
        )


def check_models_beyond_the_groups_are_infeasible(estimator: Any) -> None:
    """More different values are asked for than there are rows."""
    if "models" not in estimator.get_params(deep=False):
        return
    for example in examples(estimator):
        beyond = [DistinctLDiversity(l=len(example.table) + 1)]
        _refusal_checks.require_refusal(
            example.configure(estimator, models=beyond),
            example,
            InfeasibleError,
            "A model that no group can keep raises InfeasibleError; no weaker table is "
            "returned.",
        )


@on_every_run
def check_types_are_kept(run: ExampleRun) -> None:
    """A column that moves has the type it had, with all categories and its zone."""
    for name in run.output.columns:
        before, after = run.source[name].dtype, run.output[name].dtype
        require(
            before == after,
            "A moved cell is the cell as it was, of the same type.",
            f"{after} instead of {before} in column {name!r} ({run.description})",
        )


@on_every_run
def check_no_attributes_are_carried(run: ExampleRun) -> None:
    """What was noted of the input may tell whose it is."""
    require(
        not run.output.attrs,
        "A published table holds no more than its cells.",
        f"DataFrame.attrs {list(run.output.attrs)} ({run.description})",
    )


def check_links_are_given_on_request(estimator: Any) -> None:
    """``linkage`` gives the evidence; its sources are the rows that cells came from."""
    sentence = "linkage(original, published) links the rows, with sources if kept."
    for example in examples(estimator):
        run = publish(estimator, example, keep_links=True)
        fitted = run.estimator
        linkage = fitted.linkage(run.source, run.output)
        require(isinstance(linkage, Linkage), sentence, type(linkage).__name__)
        sources = linkage.sources
        require(
            sources is not None and set(sources) == set(fitted.labels_),
            sentence,
            f"no sources for what moved ({run.description})",
        )
        for columns, rows in (sources or {}).items():
            labels = fitted.labels_[columns]
            require(
                np.array_equal(labels[rows], labels),
                "Cells move inside their group: it holds the same ones as before.",
                f"sources in other groups ({columns}, {run.description})",
            )
            moved = run.source[list(columns)].iloc[rows]
            require(
                row_texts(moved) == row_texts(run.output[list(columns)]),
                sentence,
                f"cells that came from other rows ({columns}, {run.description})",
            )


def check_links_pass_the_judge(estimator: Any) -> None:
    """Probabilistic k-anonymity holds, wherever there are groups enough to tell."""
    for example in examples(estimator):
        run = publish(estimator, example, keep_links=True)
        linkage = run.estimator.linkage(run.source, run.output)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DependenceWarning)  # of the example
                verdict = judge(ProbabilisticKAnonymity(estimator.k), linkage)
        except NotEvaluable:
            continue
        require(
            verdict.passed,
            "What is published is probabilistically k-anonymous.",
            f"level {verdict.level} instead of k={estimator.k} ({run.description})",
        )


def check_links_are_private(estimator: Any) -> None:
    """Without ``keep_links`` nothing that is kept says which cell came from where."""
    sentence = "What is fitted holds no cell, and without keep_links no link."
    for example in examples(estimator):
        fitted = publish(estimator, example, keep_links=False).estimator
        require(not hasattr(fitted, "permutations_"), sentence, "permutations_")
        linkage = fitted.linkage(example.table, example.table)
        require(linkage.sources is None, sentence, "sources in linkage()")
        kept = pickle.dumps(fitted)
        cells = {
            cell
            for name in example.identifiers
            for cell in column_texts(example.table, name)
        }
        shown = sum(cell.encode() in kept for cell in cells)
        require(not shown, sentence, f"{shown} cells in a pickle ({example.name})")


def check_permutations_are_random(estimator: Any) -> None:
    """Seeds differ, and a row may keep its cells: otherwise it tells who it is not."""
    example = examples(estimator)[0]
    kept = expected = 0
    outputs = set()
    for seed in SEEDS:
        run = publish(estimator, example, random_state=seed, keep_links=True)
        outputs.add(tuple(row_texts(run.output)))
        for columns, rows in run.estimator.permutations_.items():
            kept += int((rows == np.arange(len(rows))).sum())
            expected += len(run.estimator.group_sizes_[columns])
    require(
        # In a group of any size the number of rows that stay has a variance of 1.
        abs(kept - expected) <= FARTHEST * math.sqrt(expected),
        "Permutations are uniform: one row per group keeps its cells, on average.",
        f"{kept} rows in {expected} groups",
    )
    require(
        len(outputs) > 1 or estimator.k == 1,
        "Permutations are drawn by random_state.",
        f"one table for {len(SEEDS)} seeds",
    )


def check_is_row_bound(estimator: Any) -> None:
    """A swap is no rule for other rows."""
    require(estimator.row_bound, "A swap is bound to its rows.", "row_bound=False")


def check_persons_have_one_row(estimator: Any) -> None:
    """With ``subject``, a person with several rows is refused; it is removed."""
    example = examples(estimator)[0]
    persons = [f"someone-{row}" for row in range(len(example.table))]
    configured = example.configure(estimator, subject="person")
    output = configured.fit_transform(example.table.assign(person=persons))
    require(
        "person" not in output.columns,
        "The subject column is dropped like an identifier.",
        "it is published",
    )
    persons[0] = persons[1]
    _refusal_checks.require_refusal(
        example.configure(estimator, subject="person"),
        example,
        DataError,
        "A table in which a person has several rows raises DataError.",
        table=example.table.assign(person=persons),
    )


def check_report_of_links(estimator: Any) -> None:
    """``report_`` is true, plain, and holds no cell."""
    sentence = "report_ holds group statistics, loss, risk, value disclosure and time."
    for run in every_run(estimator):
        report, fitted = run.estimator.report_, run.estimator
        sizes = np.concatenate(list(fitted.group_sizes_.values()))
        n_cells = len(run.output) * len(fitted.labels_)
        found = {
            "rows": report.rows == len(run.output),
            "suppressed_rows": report.suppressed_rows == 0,
            "count": report.classes["count"] == len(sizes),
            "smallest": report.classes["smallest"] == fitted.k_effective_,
            "highest-risk": np.isclose(report.risk["highest-risk"], 1 / sizes.min()),
            "average-risk": np.isclose(
                report.risk["average-risk"], len(sizes) / n_cells
            ),
            "passed": [m["passed"] for m in report.models]
            == [True] * (1 + len(_models(fitted))),
            "level": report.models[0]["level"] == fitted.k_effective_,
        }
        wrong = [key for key, right in found.items() if not right]
        require(not wrong, sentence, f"other numbers in {wrong} ({run.description})")
        moved = {str(name) for columns in fitted.labels_ for name in columns}
        require(set(report.column_losses) == moved, sentence, "no loss for some column")
        losses = {"loss": report.loss, **report.column_losses}
        outside = [key for key, loss in losses.items() if not 0 <= loss <= 1]
        require(not outside, sentence, f"{outside} outside 0 to 1")
        _require_true_disclosure(run)
        require_plain_numbers(report, run.example)


CHECKS = (
    check_groups_have_k_rows,
    check_cells_stay_in_their_group,
    check_every_model_holds_in_the_groups,
    check_models_beyond_the_groups_are_infeasible,
    check_types_are_kept,
    check_no_attributes_are_carried,
    check_links_are_given_on_request,
    check_links_pass_the_judge,
    check_links_are_private,
    check_permutations_are_random,
    check_is_row_bound,
    check_persons_have_one_row,
    check_report_of_links,
)

NOT_FOR_LINKED = {
    _output_checks.check_cells_hide_nothing,  # cells are those of the input
    _refusal_checks.check_label_in_the_input_is_refused,  # nothing is suppressed
    _behavior_checks.check_transform_repeats_fit_transform,
    _behavior_checks.check_transform_goes_row_by_row,
}


def checks(estimator: Any) -> tuple[Callable[[Any], None], ...]:
    """What applies of the contract of tables, and what only swaps must keep."""
    of_tables = (
        *_behavior_checks.CHECKS,
        *_output_checks.CHECKS,
        *_refusal_checks.CHECKS,
        *_tie_checks.CHECKS,
    )
    return (*(c for c in of_tables if c not in NOT_FOR_LINKED), *CHECKS)


def _models(estimator: Any) -> tuple[Any, ...]:
    """What an anonymizer was asked for beside k; not all of them take models."""
    return tuple(getattr(estimator, "models", None) or ())


def _by_group(labels: np.ndarray, rows: list[tuple[str, ...]]) -> Counter:
    return Counter(zip(np.asarray(labels).tolist(), rows, strict=True))


def _require_true_disclosure(run: ExampleRun) -> None:
    """Count how often a row of the group has the value of a record."""
    disclosed = run.estimator.report_.details.get("value_disclosure", {})
    for name, labels in _hidden(run):
        texts = column_texts(run.source, name)
        # Two texts, one number.
        cells = ["0.0" if text == "-0.0" else text for text in texts]
        groups = pd.Series(cells).groupby(labels)
        pairs = sum((g.value_counts() ** 2).sum() / len(g) for _, g in groups)
        require(
            np.isclose(disclosed.get(str(name), -1), pairs / len(run.output)),
            "value_disclosure is how likely a row of the group has the same value.",
            f"{disclosed.get(str(name))} for {name!r} ({run.description})",
        )


def _hidden(run: ExampleRun) -> Iterator[tuple[Hashable, np.ndarray]]:
    """Sensitive columns with the groups that hide them."""
    for columns, labels in run.estimator.labels_.items():
        own = [name for name in columns if name in run.example.sensitive]
        for name in own or run.example.sensitive:
            yield name, labels

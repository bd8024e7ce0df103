"""Whether the promise is kept, and whether the reported numbers are true."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.privacy import KAnonymity, judge
from anon_transformers.testing._contract import require
from anon_transformers.testing._example_tables import Example, examples
from anon_transformers.testing._published_texts import (
    column_texts,
    meanings,
    number_classes,
    too_rare,
)
from anon_transformers.testing._runs import ExampleRun, every_run, on_every_run, publish


@on_every_run
def check_every_class_has_k_rows(run: ExampleRun) -> None:
    """Count the published combinations by what they mean."""
    k = run.estimator.k
    rare, count = too_rare(meanings(run.combinations), k)
    require(
        not rare,
        "Every published combination of quasi-identifiers is shared by k rows.",
        f"{rare} of {count} classes hold fewer than k={k} rows ({run.description})",
    )


@on_every_run
def check_no_value_is_finer_than_its_class(run: ExampleRun) -> None:
    """Count them again by their exact texts: 1, 1.0 and 1.00 are three."""
    k = run.estimator.k
    by_meaning, _ = too_rare(meanings(run.combinations), k)
    by_text, count = too_rare(run.combinations, k)
    require(
        by_text <= by_meaning,
        "No published value is finer than its class: what means the same is written "
        "the same.",
        f"{by_text} of {count} combinations of texts belong to fewer than k={k} rows, "
        f"though their class is large enough ({run.description})",
    )


@on_every_run
def check_every_model_holds(run: ExampleRun) -> None:
    """Judge the published table by k and by every further model."""
    sentence = "What fit_transform returns satisfies every model it was given."
    classes = run.classes()
    for model in (KAnonymity(run.estimator.k), *(run.estimator.models or ())):
        try:
            verdict = judge(model, classes)
        except NotEvaluable as error:
            raise AssertionError(
                f"{sentence} Found: {error} ({run.description})"
            ) from error
        require(
            verdict.passed,
            sentence,
            f"{model!r} reaches level {verdict.level}, {verdict.failing} of "
            f"{verdict.units} classes fail ({run.description})",
        )


def check_own_judgment_agrees(estimator: Any) -> None:
    """``check(table)`` passes the fitted table and fails a weaker one."""
    sentence = "check(table) judges a published table by every model that was given."
    run = publish(estimator, examples(estimator)[0], k=max(2, estimator.k))
    verdicts = run.estimator.check(run.output)
    n_models = 1 + len(run.estimator.models or ())
    require(
        len(verdicts) == n_models, sentence, f"{len(verdicts)} of {n_models} verdicts"
    )
    failed = [v.model.name for v in verdicts if not v.passed]
    require(not failed, sentence, f"its own table fails {failed}")
    try:
        verdicts = run.estimator.check(run.output.iloc[:1])
    except NotEvaluable:
        return  # which fails a gate just as well
    require(not all(v.passed for v in verdicts), sentence, "a table of one row passes")


def check_k_counts_subjects(estimator: Any) -> None:
    """With ``subject``, k persons share a combination, and the column is dropped."""
    example = _two_rows_a_person(examples(estimator)[0])
    params: dict[str, Any] = {"subject": "person", "identifiers": []}
    if "models" in estimator.get_params():
        # Some models cannot judge persons who have several values, as these have.
        params["models"] = None
    run = publish(estimator, example, **params)
    require(
        "person" not in run.output.columns,
        "The subject column is dropped like an identifier.",
        "it is published",
    )
    persons: dict[tuple[str, ...], set[str]] = defaultdict(set)
    who = column_texts(run.source, "person")
    for combination, person in zip(run.combinations, who, strict=True):
        persons[combination].add(person)
    fewest = min(len(found) for found in persons.values())
    require(
        fewest >= run.estimator.k,
        "With subject=, k persons, not rows, share every published combination.",
        f"a combination that belongs to {fewest} of k={run.estimator.k} persons",
    )


@on_every_run
def check_suppressed_rows_agree(run: ExampleRun) -> None:
    """The mask, the count, the limit and the labels agree."""
    sentence = "suppressed_mask_ and n_suppressed_ say which rows were suppressed."
    fitted, mask = run.estimator, run.suppressed
    n_rows = len(run.example.table)
    limit = fitted.suppression_limit  # None: a rule of the method's own
    gone = mask.sum() if isinstance(limit, Integral) else mask.sum() / n_rows
    require(mask.shape == (n_rows,), sentence, f"a mask of shape {mask.shape}")
    require(
        mask.sum() == fitted.n_suppressed_,
        sentence,
        f"{mask.sum()} rows in the mask, n_suppressed_={fitted.n_suppressed_}",
    )
    require(
        limit is None or gone <= limit,
        "No more rows are suppressed than suppression_limit allows.",
        f"{mask.sum()} of {n_rows} rows at suppression_limit="
        f"{fitted.suppression_limit}",
    )
    require(
        0 <= fitted.n_extra_suppressed_ <= fitted.n_suppressed_,
        "n_extra_suppressed_ counts some of the suppressed rows.",
        f"{fitted.n_extra_suppressed_} of {fitted.n_suppressed_}",
    )
    labels = {fitted.suppression_label, ""}
    hidden = np.array([set(cells) <= labels for cells in run.combinations])
    require(
        hidden[run.suppressed_output].all(),
        "A suppressed row shows the label, or nothing, in every quasi-identifier.",
        f"{(~hidden & run.suppressed_output).sum()} suppressed rows that show more "
        f"({run.description})",
    )
    suppression_label = {fitted.suppression_label}
    astray = np.array([set(c) == suppression_label for c in run.combinations])
    astray &= ~run.suppressed_output
    require(not astray.any(), sentence, f"{astray.sum()} marked rows outside the mask")


def check_report(estimator: Any) -> None:
    """``report_`` is true, plain, and holds no cell."""
    for run in every_run(estimator):
        report = run.estimator.report_
        sentence = (
            "report_ holds class statistics, rows suppressed, loss, risk and time."
        )
        expected = _true_numbers(run)
        found = {
            "rows": report.rows,
            "suppressed_rows": report.suppressed_rows,
            "extra_suppressed_rows": report.extra_suppressed_rows,
            "classes": report.classes["count"],
            "smallest": report.classes["smallest"],
            "largest": report.classes["largest"],
            "average-risk": report.risk["average-risk"],
            "highest-risk": report.risk["highest-risk"],
        }
        wrong = {
            key: (found[key], value)
            for key, value in expected.items()
            if not math.isclose(found[key], value, rel_tol=1e-9)
        }
        require(not wrong, sentence, f"(reported, true) is {wrong} ({run.description})")
        losses = {"loss": report.loss, **report.column_losses}
        outside = [key for key, loss in losses.items() if not 0 <= loss <= 1]
        require(not outside, sentence, f"{outside} outside 0 to 1")
        names = [str(name) for name in run.example.quasi_identifiers]
        require(
            list(report.column_losses) == names, sentence, "no loss for some column"
        )
        require(report.seconds >= 0, sentence, f"seconds={report.seconds}")
        require(isinstance(report.details, Mapping), sentence, "details is no mapping")
        failed = [m["model"] for m in report.models if not m["passed"]]
        n_models = 1 + len(run.estimator.models or ())
        require(
            len(report.models) == n_models and not failed,
            sentence,
            f"{len(report.models)} of {n_models} models, failed: {failed}",
        )
        require_plain_numbers(report, run.example)


CHECKS = (
    check_every_class_has_k_rows,
    check_no_value_is_finer_than_its_class,
    check_every_model_holds,
    check_own_judgment_agrees,
    check_k_counts_subjects,
    check_suppressed_rows_agree,
    check_report,
)


def _two_rows_a_person(example: Example) -> Example:
    table = example.table.drop(columns=list(example.identifiers))
    rng = np.random.default_rng(11)
    person = rng.permutation(np.repeat(np.arange(len(table) // 2), 2))
    table["person"] = [f"person-{p}" for p in person]
    # The rows of a person agree, so that counting rows would be fooled.
    first = {p: row for row, p in reversed(list(enumerate(person)))}
    quasi_identifiers = list(example.quasi_identifiers)
    table[quasi_identifiers] = (
        table[quasi_identifiers].iloc[[first[p] for p in person]].set_axis(table.index)
    )
    return replace(example, table=table, identifiers=("person",))


def _true_numbers(run: ExampleRun) -> dict[str, float]:
    """The report's numbers, from the published texts alone."""
    kept = [
        combination
        for combination, hidden in zip(
            run.combinations, run.suppressed_output, strict=True
        )
        if not hidden
    ]
    sizes = np.bincount(number_classes(kept))
    return {
        "rows": len(run.example.table),
        "suppressed_rows": run.estimator.n_suppressed_,
        "extra_suppressed_rows": run.estimator.n_extra_suppressed_,
        "classes": len(sizes),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "average-risk": len(sizes) / len(kept),
        "highest-risk": 1 / sizes.min(),
    }


def report_text(report: Any) -> str:
    """A report as JSON, which holds plain values only."""
    sentence = "report_ holds plain numbers."
    require(is_dataclass(report), sentence, type(report).__name__)
    try:
        text = json.dumps(asdict(report))
    except TypeError as error:
        raise AssertionError(f"{sentence} Found: {error}.") from error
    require(isinstance(report.loss, Real), sentence, type(report.loss).__name__)
    sentence = '_details() is a mapping; its "levels" are numbers by column.'
    levels = getattr(report, "details", {}).get("levels", {})
    require(isinstance(levels, Mapping), sentence, f"a {type(levels).__name__}")
    return text


def require_plain_numbers(report: Any, example: Example) -> None:
    """Numbers and names of columns, but nothing that a cell holds."""
    sentence, text = "report_ holds no cell of the table.", report_text(report)
    cells = {
        cell
        for name in (*example.quasi_identifiers, *example.identifiers)
        for cell in column_texts(example.table, name)
        if not cell.replace(".", "").isdigit()
    }
    shown = sorted(cell for cell in cells if json.dumps(cell) in text)
    require(not shown, sentence, f"{len(shown)} cells of the table")

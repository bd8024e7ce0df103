"""What an anonymizer refuses, and that its errors name no cell."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from anon_transformers.exceptions import (
    AnonymizationError,
    DataError,
    InfeasibleError,
    ParameterError,
)
from anon_transformers.testing._contract import require
from anon_transformers.testing._example_tables import Example, examples
from anon_transformers.testing._published_texts import column_texts

UNKNOWN = "no-such-column"
N_GAPS = 20
ILLEGAL: dict[str, Any] = {
    "k": 0,
    "suppression_limit": 1.5,
    "suppression": "hide",
    "random_state": "dice",
}
SHORTEST_CELL = 6
"""Shorter cells occur in any sentence by chance."""


def check_k_beyond_the_table_is_infeasible(estimator: Any) -> None:
    """More rows are asked for than there are."""
    for example in examples(estimator):
        require_refusal(
            example.configure(estimator, k=len(example.table) + 1),
            example,
            InfeasibleError,
            "k larger than the table raises InfeasibleError; no weaker table is "
            "returned.",
        )


def check_empty_table_is_refused(estimator: Any) -> None:
    """No rows, no release."""
    example = examples(estimator)[0]
    require_refusal(
        example.configure(estimator),
        example,
        DataError,
        "An empty table raises DataError.",
        table=example.table.iloc[:0],
    )


def check_label_in_the_input_is_refused(estimator: Any) -> None:
    """A cell that reads like a suppressed one would be taken for one."""
    tags = get_tags(estimator).input_tags
    if not (tags.string or tags.categorical):
        return  # then no text is taken at all
    for example in examples(estimator):
        for name in example.quasi_identifiers:
            cells = example.table[name].tolist()
            cells[3] = estimator.suppression_label
            error = require_refusal(
                example.configure(estimator),
                example,
                DataError,
                "A literal suppression label in a quasi-identifier raises DataError.",
                table=_with_cells(example, name, cells),
            )
            require(
                name in str(error),
                "Errors in data name the column.",
                f"an error that does not name {name!r}",
            )


def check_unknown_columns_are_refused(estimator: Any) -> None:
    """A role for a column that is not there."""
    example = examples(estimator)[0]
    for role in ("quasi_identifiers", "sensitive", "identifiers"):
        columns = [*getattr(example, role), UNKNOWN]
        error = require_refusal(
            example.configure(estimator, **{role: columns}),
            example,
            ParameterError,
            "An unknown column raises ParameterError.",
        )
        _require_named(error, role, UNKNOWN)


def check_two_roles_for_a_column_are_refused(estimator: Any) -> None:
    """An identifier that is a quasi-identifier too."""
    example = examples(estimator)[0]
    both = [*example.identifiers, example.quasi_identifiers[0]]
    require_refusal(
        example.configure(estimator, identifiers=both),
        example,
        ParameterError,
        "The roles of a table are disjoint.",
    )


def check_bad_parameters_are_refused(estimator: Any) -> None:
    """Values that mean nothing; the error names the key."""
    example = examples(estimator)[0]
    for key, value in ILLEGAL.items():
        if key not in estimator.get_params(deep=False):
            continue
        error = require_refusal(
            example.configure(estimator, **{key: value}),
            example,
            ParameterError,
            "A parameter with an illegal value raises ParameterError.",
        )
        _require_named(error, key, value)


def check_missing_values_are_published_or_refused(estimator: Any) -> None:
    """Tags that refuse missing values mean an error, not fewer rows."""
    example = examples(estimator)[0]
    name = example.quasi_identifiers[0]
    gaps = np.arange(len(example.table)) < N_GAPS
    table = example.table.assign(**{name: example.table[name].mask(gaps)})
    sentence = "A missing quasi-identifier is a value of its own, never dropped."
    configured = example.configure(estimator)
    if hasattr(configured, "suppression"):
        configured.set_params(suppression="mask")
    try:
        output = configured.fit_transform(table)
    except ValueError as error:
        refuses = not get_tags(estimator).input_tags.allow_nan
        found = f"{type(error).__name__}, though the tags allow missing values"
        require(refuses, sentence, found)
        return
    require(len(output) == len(table), sentence, f"{len(output)} of {len(table)} rows")


CHECKS = (
    check_k_beyond_the_table_is_infeasible,
    check_empty_table_is_refused,
    check_label_in_the_input_is_refused,
    check_unknown_columns_are_refused,
    check_two_roles_for_a_column_are_refused,
    check_bad_parameters_are_refused,
    check_missing_values_are_published_or_refused,
)


def _with_cells(example: Example, name: str, cells: list[Any]) -> pd.DataFrame:
    column = pd.Series(cells, index=example.table.index, dtype=object)
    return example.table.assign(**{name: column})


def require_refusal(
    configured: Any,
    example: Example,
    expected: type[AnonymizationError],
    sentence: str,
    table: pd.DataFrame | None = None,
) -> Exception:
    """Run what must fail; the error is of the right class and names no cell."""
    try:
        configured.fit_transform(example.table if table is None else table)
    except expected as error:
        _require_no_cell(error, example)
        return error
    except Exception as error:  # the wrong class is a finding, not a crash
        raise AssertionError(f"{sentence} Found: {type(error).__name__}.") from error
    raise AssertionError(f"{sentence} Found: a table and no error ({example.name}).")


def _require_named(error: Exception, key: str, value: object) -> None:
    require(
        key in str(error) and str(value) in str(error),
        "Errors in parameters name the key and the value given.",
        f"an error that does not name {key!r} and {value!r}",
    )


def _require_no_cell(error: Exception, example: Example) -> None:
    sentence = str(error)
    behind = error.__cause__ or error.__context__
    while behind is not None:
        sentence += str(behind)
        behind = behind.__cause__ or behind.__context__
    cells = {str(label) for label in example.table.index}
    for name in example.table.columns:
        cells.update(column_texts(example.table, name))
    shown = [cell for cell in cells if len(cell) >= SHORTEST_CELL and cell in sentence]
    require(
        not shown,
        "Errors in data say how many rows, never a cell's value.",
        f"{len(shown)} cells of the table in the message of a {type(error).__name__}",
    )

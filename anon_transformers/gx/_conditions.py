"""Row conditions of Great Expectations: in words, and the rows that meet them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine import ExecutionEngine
from great_expectations.expectations.row_conditions import (
    AndCondition,
    ComparisonCondition,
    NullityCondition,
    OrCondition,
    PassThroughCondition,
    deserialize_row_condition,
)

from anon_transformers.exceptions import NotEvaluable

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.engines import Engine


def condition_text(condition: Any) -> str | None:
    """A condition in words, as its author states it; None if there is none.

    Examples
    --------
    >>> from great_expectations.expectations.row_conditions import Column
    >>> condition_text((Column("age") > 20) & (Column("sex") == "f"))
    "age > 20 and sex == 'f'"
    >>> condition_text({"type": "pass_through", "pass_through_filter": "age > 20"})
    'age > 20'
    """
    if condition is None:
        return None
    found = deserialize_row_condition(condition)
    if isinstance(found, AndCondition | OrCondition):
        word = " and " if isinstance(found, AndCondition) else " or "
        return word.join(str(condition_text(part)) for part in found.conditions)
    if isinstance(found, NullityCondition):
        return f"{found.column.name} is {'' if found.is_null else 'not '}missing"
    if isinstance(found, ComparisonCondition):
        word = str(found.operator).lower().replace("_", " ")
        return f"{found.column.name} {word} {found.parameter!r}"
    if isinstance(found, PassThroughCondition):
        return found.pass_through_filter
    return str(found)


Table: TypeAlias = "pd.DataFrame | Engine"
"""A table in memory, or where it lives."""


def judged_rows(
    rows: Callable[[dict[str, Any]], Table], domain: dict[str, Any]
) -> tuple[Table, int]:
    """The rows that meet the condition of a domain, and how many there are in all.

    ``rows`` gives the rows of a domain.

    Raises
    ------
    NotEvaluable
        If the condition cannot be evaluated, or no row meets it.
    """
    conditions = {"row_condition", "condition_parser"}
    table = rows({k: v for k, v in domain.items() if k not in conditions})
    n_rows = len(table)
    if not domain.get("row_condition"):
        return table, n_rows
    fault, n_met = None, 0
    try:
        table = rows(domain)
        n_met = len(table)
    except Exception as error:  # a stranger's message could quote a cell
        fault = type(error).__name__
    if fault is not None:
        raise NotEvaluable(
            f"row_condition: it cannot be evaluated on this table ({fault}); does it "
            "name columns of the table, and compare them with values of their kind?"
        )
    if not n_met:
        raise NotEvaluable("row_condition: no row of the table meets it.")
    return table, n_rows


def rows_of(engine: ExecutionEngine, domain: dict[str, Any]) -> Any:
    """The rows of a domain, as an engine of Great Expectations holds them."""
    rows, *_ = engine.get_compute_domain(domain, domain_type=MetricDomainTypes.TABLE)
    return rows

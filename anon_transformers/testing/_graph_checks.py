"""The contract of anonymizers of graphs."""

import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.testing._behavior_checks import (
    check_constructor,
    check_private_parameters,
    check_row_bound_is_declared,
)
from anon_transformers.testing._contract import require
from anon_transformers.testing._example_graphs import NAME, every_form, friends
from anon_transformers.testing._promise_checks import report_text


def _publish(estimator: Any, given: Any, **params: Any) -> tuple[Any, Any]:
    """A fitted clone, and what it published."""
    configured = clone(estimator).set_params(**params)
    try:
        return configured, configured.fit_transform(given)
    except InfeasibleError as error:
        raise AssertionError(
            "The checks need parameters under which a graph of 60 nodes can be "
            f"published. Found: {error}"
        ) from error


def check_form_is_kept(estimator: Any) -> None:
    """What is published is of the kind of the input, isolated nodes too.

    Labels that a method makes need a table of nodes, which the input may not have.
    """
    for form, given in every_form(friends()).items():
        fitted, output = _publish(estimator, given)
        made = isinstance(output, tuple) and not isinstance(given, tuple)
        require(
            bool(estimator.columns_made)
            if made
            else _kinds(output, estimator.columns_made) == _kinds(given),
            "A graph is published in the form it came in.",
            f"{form} became {_kinds(output)}",
        )
        nodes = open_graph(output)[0].n_nodes
        require(
            nodes == fitted.evidence_.published.n_nodes,
            "Nodes without edges are published too.",
            f"{nodes} nodes of {fitted.evidence_.published.n_nodes} ({form})",
        )


def _kinds(graph: Any, made: tuple[str, ...] = ()) -> Any:
    """Types, and names of the first columns that were not made."""
    if isinstance(graph, tuple):
        return tuple(_kinds(table, made) for table in graph)
    columns = list(graph.columns) if isinstance(graph, pd.DataFrame) else []
    return type(graph), [name for name in columns if name not in made][:2]


def check_promises_hold(estimator: Any) -> None:
    """Every model it promises holds for the published graph, judged anew."""
    for seed in range(3):
        fitted, output = _publish(estimator, friends(seed))
        published = open_graph(output)[0]
        evidence = GraphEvidence(published, functions=fitted.evidence_.functions)
        for model in fitted._promises():
            satisfied = model.satisfied(evidence)
            require(
                len(satisfied) and satisfied.all(),
                "What is published satisfies every promised model.",
                f"{model.name} fails for {int((~satisfied).sum())} nodes",
            )


def check_names_are_gone(estimator: Any) -> None:
    """No name of a node is left: in the graph, the report, or the estimator."""
    fitted, output = _publish(estimator, friends())
    held = _text(output) + repr(fitted.report_) + repr(vars(fitted))
    require(
        NAME not in held and NAME.encode() not in pickle.dumps(fitted),
        "Names of nodes are neither published nor kept.",
        "the name of a node",
    )
    table = friends()
    names = {name: number for number, name in enumerate(open_graph(table)[1].names)}
    numbers = table.apply(lambda column: column.map(names).astype("Int64"))
    new = open_graph(_publish(estimator, numbers)[1])[1].names
    kept = {str(name) for name in new} & {str(number) for number in names.values()}
    require(not kept, "No new name is an old one.", f"{len(kept)} of {len(new)}")
    orders = {_text(_publish(estimator, friends())[1]) for _ in range(3)}
    require(
        len(orders) > 1,
        "New names are drawn from fresh entropy.",
        "the same graph three times",
    )


def _text(output: Any) -> str:
    """A table of edges, or the two of edges and nodes, as text."""
    tables = output if isinstance(output, tuple) else (output,)
    return "".join(table.to_csv() for table in tables)


def check_seed_decides(estimator: Any) -> None:
    """The same seed gives the same graph; nobody else's generator is touched."""
    before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
    one, other = (
        _text(_publish(estimator, friends(), random_state=7)[1]) for _ in range(2)
    )
    require(one == other, "The same seed gives the same graph.", "another graph")
    after = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
    require(before == after, "Global generators are left alone.", "a draw from one")


def check_input_is_left_alone(estimator: Any) -> None:
    """The caller's graph and the parameters are the same afterwards."""
    table = friends()
    kept = table.copy(deep=True)
    configured = clone(estimator)
    before = repr(configured.get_params())
    configured.fit_transform(table)
    require(table.equals(kept), "The input is not mutated.", "another edge table")
    require(
        repr(configured.get_params()) == before,
        "fit changes no parameter.",
        "another parameter",
    )


def check_report_is_plain(estimator: Any) -> None:
    """``report_`` holds numbers that can be written to a file."""
    table = friends()
    fitted, _ = _publish(estimator, table)
    require(report_text(fitted.report_), "report_ holds plain numbers.", "nothing")
    require(
        fitted.report_.rows == open_graph(table)[0].n_nodes,
        "report_.rows counts nodes.",
        "another number",
    )


def check_rich_graphs_are_refused(estimator: Any) -> None:
    """Loops, parallel edges, directions, labels and nonsense: an error, no name."""
    table = friends()
    loop = table.assign(other=table["one"])
    twice = pd.concat([table, table], ignore_index=True)
    directed = sparse.csr_array(np.triu(np.ones((5, 5)), 1))
    nameless = table.assign(one=None)
    cases = {
        "loops": loop,
        "parallel edges": twice,
        "directions": directed,
        "edges without nodes": nameless,
        "no graph": [1, 2, 3],
        "an empty graph": Graph(0, np.empty((0, 2), dtype=np.int64)),
    }
    for kind, given in cases.items():
        _require_refusal(clone(estimator), given, kind)
    reduced = clone(estimator).set_params(reduce=True)
    reduced.fit_transform(twice)


def _require_refusal(estimator: Any, given: Any, kind: str) -> None:
    try:
        estimator.fit_transform(given)
    except DataError as error:
        require(NAME not in str(error), "An error names no node.", f"one ({kind})")
        require(
            not hasattr(estimator, "report_"),
            "After a fit that fails nothing passes for fitted.",
            f"a report ({kind})",
        )
        return
    raise AssertionError(f"A graph with {kind} is refused. Found: it was published.")


def check_too_large_k_is_refused(estimator: Any) -> None:
    """More than all nodes cannot look alike."""
    if "k" not in estimator.get_params():
        return
    table = friends(n_nodes=20)
    try:
        clone(estimator).set_params(k=21).fit_transform(table)
    except InfeasibleError:
        return
    raise AssertionError("k above the number of nodes is infeasible. Found: a graph.")


def checks(estimator: Any) -> tuple[Callable[[Any], None], ...]:
    """The checks of anonymizers of graphs."""
    return (
        check_constructor,
        check_private_parameters,
        check_row_bound_is_declared,
        check_form_is_kept,
        check_promises_hold,
        check_names_are_gone,
        check_seed_decides,
        check_input_is_left_alone,
        check_report_is_plain,
        check_rich_graphs_are_refused,
        check_too_large_k_is_refused,
    )

"""The worked example of a privacy model: which classes of a table keep it.

The table is protected by k = 2 alone and judged by the model, class by class; then it
is protected by the model, too. What a model judges decides how: classes, degrees in
fuzzy sets, swapped cells, likelihoods, or graphs.
"""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.registry import registry
from anon_transformers.studio._drawings import letter
from anon_transformers.studio._learn.graphs import show_graphs
from anon_transformers.studio._learn.lesson import Knob, Lesson, Sheet, turn
from anon_transformers.studio._learn.methods import (
    Given,
    classes_of,
    hierarchy_sheets,
    make,
    membership_curves,
    sheet_of,
    show_swaps,
    table_of,
)
from anon_transformers.studio._learn.people import (
    NAME,
    PAY,
    SENSITIVE,
    TWO_NUMBERS,
    WITH_CODES,
    builders,
    drawn_alike,
    friendships,
    persons,
    population,
)

if TYPE_CHECKING:
    import pandas as pd

FIRST: Mapping[str, float] = {
    "k": 3,
    "l": 2,
    "t": 0.4,
    "c": 3,
    "q": 3,
    "alpha": 0.7,
    "beta": 1.5,
    "high": 0.6,
    "positive": 0.7,
}
"""Thresholds with which something is seen on ten rows."""
FIRST_OF: Mapping[str, float] = {"k-map": 6}
"""Of models whose first k is another: there are more persons in the town."""
FIRST_OF_GRAPHS = 2
"""The first k of models of graphs: ten friends become few edges more."""
FEW = 2
"""What k alone asks of the table that a model is shown on."""
K = "k-anonymity"


def model_lesson(name: str, given: Given) -> Lesson:
    """The example of a registered privacy model.

    Parameters
    ----------
    name : str
        Its registered name.
    given : callable
        What the address sets a threshold to, or None.
    """
    catalog = registry().privacy_models
    cls = catalog[name]
    lesson = Lesson(knobs_of(cls))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            lesson.knobs = turn(lesson.knobs, given)
            model = catalog.build(name, lesson.values)
            judge_it = _EVIDENCE.get(cls.evidence)
            if judge_it is None:
                lesson.say(f"It judges {cls.evidence}; there is no example of these.")
            else:
                judge_it(lesson, model)
        except AnonymizationError as error:
            lesson.say(str(error), warns=True)
        except Exception as error:  # a plugin's class may raise anything
            lesson.say(f"The example failed with {type(error).__name__}.", warns=True)
    return lesson


def knobs_of(cls: Any) -> list[Knob]:
    """The thresholds of a model, with values that show something."""
    usual = cls.test_instances()[0] if hasattr(cls, "test_instances") else None
    knobs = []
    for name in cls.tighter:
        value = getattr(usual, name, FIRST.get(name))
        if isinstance(value, int | float):
            first = _first_k(cls) if name == "k" else FIRST.get(name, value)
            knobs.append(Knob(name, type(value)(first)))
    return knobs


def _first_k(cls: Any) -> float:
    first = FIRST_OF_GRAPHS if cls.evidence == "graph" else FIRST["k"]
    return FIRST_OF.get(cls.name, first)


def _called(lesson: Lesson, model: Any) -> str:
    """A model with the numbers that the page turns; the others are as by default."""
    turned = [f"{knob.name} = {knob.value:g}" for knob in lesson.knobs]
    return f"{model.name} with {', '.join(turned)}" if turned else model.name


def _level(level: float) -> float | str:
    """A level that a reader knows what to make of."""
    return "infinite" if isinstance(level, float) and math.isinf(level) else level


def _verdict(lesson: Lesson, model: Any, evidence: Any, what: str) -> None:
    """What the model says of a table, in one sentence."""
    from anon_transformers.exceptions import NotEvaluable
    from anon_transformers.privacy import describe_level, judge

    try:
        found = judge(model, evidence)
    except NotEvaluable as error:
        lesson.say(f"{what}: it cannot be judged, which counts as broken. {error}")
        return
    units = _units(evidence, found.units)
    kept = (
        "holds"
        if found.passed
        else f"does not hold in {found.failing} of {found.units}{units}"
    )
    level = _level(found.level)
    said = level if isinstance(level, str) else describe_level(level)
    lesson.say(f"{what}: {_called(lesson, model)} {kept}; the level is {said}.")


def _units(evidence: Any, count: int) -> str:
    """What a model was asked about one by one, in words; empty if that is not known.

    A model of degrees judges sets or rows, and one of the whole table neither.
    """
    moved = getattr(evidence, "moved", ())
    counted = {
        "classes": getattr(evidence, "n_classes", None),
        "sets": getattr(evidence, "n_sets", None),
        "groups": sum(len(evidence.group_sizes(columns)) for columns in moved),
        "rows": getattr(evidence, "n_rows", getattr(evidence, "n_records", None)),
        "nodes": getattr(getattr(evidence, "published", None), "n_nodes", None),
    }
    words = (word for word, number in counted.items() if number == count)
    return next((f" {word}" for word in words), "")


def _judge_classes(lesson: Lesson, model: Any) -> None:
    from anon_transformers.generalization import FullDomainAnonymizer

    frame = table_of(WITH_CODES)
    alone = 1 if model.name == K else FEW
    plain = make(
        FullDomainAnonymizer, WITH_CODES, {"k": alone, "hierarchies": builders()}
    )
    published = plain.fit_transform(frame)
    classes = classes_of(published, WITH_CODES, plain.suppressed_mask_)
    lesson.parts.append(sheet_of("The table", frame, classes))
    if _is_of_population(model):
        town = population()[[NAME, *WITH_CODES]]
        title = "The town, which the intruder knows"
        lesson.parts.append(sheet_of(title, town, ()))
    lesson.parts += hierarchy_sheets(plain, frame)
    evidence = _classes(published, frame, plain)
    what = "As it is" if alone == 1 else f"With k = {alone} alone"
    lesson.parts.append(
        _class_sheet(f"{what}, class by class", published, model, evidence)
    )
    _verdict(lesson, model, evidence, what)
    try:
        both, safe = _protected(model, alone)
    except AnonymizationError as error:
        lesson.say(f"Protected by this model: {error}", warns=True)
        return
    found = classes_of(safe, WITH_CODES, both.suppressed_mask_)
    title = "Protected by this model" + ("" if alone == 1 else ", too")
    if _is_of_population(model):
        title = f"With k = {both.k}, the first at which this model holds"
    lesson.parts.append(sheet_of(title, safe, found, named=True))
    _verdict(lesson, model, _classes(safe, frame, both), "Then")
    lesson.say(f"Loss: {plain.report_.loss:.2f} before, {both.report_.loss:.2f} now.")


def _is_of_population(model: Any) -> bool:
    return bool(getattr(model, "needs_population", False))


def _protected(model: Any, alone: int) -> tuple[Any, "pd.DataFrame"]:
    """A method that keeps the model, and its table.

    A method knows no population: for models of one, k rises until the model holds.
    """
    from anon_transformers.exceptions import InfeasibleError
    from anon_transformers.generalization import FullDomainAnonymizer
    from anon_transformers.privacy import judge

    frame, how = table_of(WITH_CODES), {"k": alone, "hierarchies": builders()}
    if not _is_of_population(model):
        both = make(FullDomainAnonymizer, WITH_CODES, {**how, "models": [model]})
        return both, both.fit_transform(frame)
    for k in range(alone, len(frame) + 1):
        method = make(FullDomainAnonymizer, WITH_CODES, {**how, "k": k})
        published = method.fit_transform(frame)
        if judge(model, _classes(published, frame, method)).passed:
            return method, published
    raise InfeasibleError(f"no k keeps {model.name} in this town.")


def _classes(published: "pd.DataFrame", frame: "pd.DataFrame", anonymizer: Any) -> Any:
    from anon_transformers.evidence import Classes, distribution

    town = population()
    town[SENSITIVE] = ""  # a column of the rule that nobody looks at
    recoded = anonymizer.transform(town[[NAME, *WITH_CODES, SENSITIVE]])
    return Classes.from_frame(
        published,
        list(WITH_CODES),
        sensitive=[SENSITIVE],
        references={SENSITIVE: distribution(frame[SENSITIVE])},
        population=recoded[list(WITH_CODES)],
    )


def _class_sheet(
    title: str, published: "pd.DataFrame", model: Any, evidence: Any
) -> Sheet:
    """One row for each class: who is in it, and whether the model holds there."""
    fine = model.satisfied(evidence).tolist()
    levels = getattr(model, "class_levels", None)
    reached = levels(evidence).tolist() if levels is not None else None
    by_class = len(fine) == evidence.n_classes
    # Who else lives there matters to models of a population alone.
    in_town = _is_of_population(model)
    # The verdict stands before the widest column: on a narrow screen it is seen, too.
    heads = ["class", *WITH_CODES, "rows", *["in the town"] * in_town]
    heads += ["level"] * (reached is not None) + ["keeps it"] * by_class + [SENSITIVE]
    order = list(dict.fromkeys(evidence.labels.tolist()))
    rows = []
    for place, number in enumerate(order):
        part = published[evidence.labels == number]
        held = Counter(part[SENSITIVE]).most_common()
        row: list[Any] = [
            letter(place),
            *(str(part[name].iloc[0]) for name in WITH_CODES),
        ]
        row += [len(part), *[int(evidence.population_sizes[number])] * in_town]
        row += [_level(reached[number])] if reached is not None else []
        row += [bool(fine[number])] if by_class else []
        row.append(", ".join(f"{value} × {count}" for value, count in held))
        rows.append(row)
    return Sheet(title, heads, rows, list(range(len(rows))))


def _judge_degrees(lesson: Lesson, model: Any) -> None:
    from anon_transformers.evidence import Memberships
    from anon_transformers.fuzzy import FuzzyPartitionRecoder

    columns = WITH_CODES[:1]
    frame = table_of(columns)
    tries: tuple[tuple[str, dict[str, Any]], ...] = (
        ("With four sets", {"k": 1, "n_sets": 4}),
        ("Protected by this model", {"k": 1, "models": [model]}),
    )
    for what, how in tries:
        recoder = make(FuzzyPartitionRecoder, columns, how)
        try:
            published = recoder.fit_transform(frame)
        except AnonymizationError as error:
            lesson.say(f"{what}: {error}", warns=True)
            return
        classes = classes_of(published, columns, recoder.suppressed_mask_)
        if what == tries[0][0]:
            lesson.parts.append(sheet_of("The table", frame, classes))
        lesson.draw(membership_curves(recoder, frame))
        evidence = Memberships.from_frame(recoder.degrees_, frame, [SENSITIVE])
        _verdict(lesson, model, evidence, what)
    lesson.parts.append(sheet_of("What is published", published, classes, named=True))


MANY_GROUPS = 100
"""Groups of the larger table: chance is seen in many only."""


def _judge_swaps(lesson: Lesson, model: Any) -> None:
    from anon_transformers.microaggregation import GroupSwapper

    # Of few illnesses most groups would hold one: nobody sees whether these moved.
    how = {"sensitive": [PAY]}
    ten = persons()[[NAME, *TWO_NUMBERS, PAY]]
    show_swaps(lesson, make(GroupSwapper, TWO_NUMBERS, {**how, "k": model.k}), ten)
    frame = drawn_alike(MANY_GROUPS * max(FEW, model.k))
    lesson.say(
        "Ten rows are too few to tell a swap from a table that nobody swapped: it is "
        f"judged on {len(frame)} rows that are drawn like these."
    )
    for k in sorted({FEW, model.k}):
        swapper = make(GroupSwapper, TWO_NUMBERS, {**how, "k": k})
        linkage = swapper.linkage(frame, swapper.fit_transform(frame))
        _verdict(lesson, model, linkage, f"Groups of {k}")


def _judge_likelihoods(lesson: Lesson, model: Any) -> None:
    import numpy as np

    from anon_transformers.evidence import Likelihoods
    from anon_transformers.partitioning import MondrianAnonymizer

    frame = table_of(TWO_NUMBERS)
    lesson.parts.append(sheet_of("The table", frame, ()))
    for k in sorted({FEW, model.k}):
        method = make(MondrianAnonymizer, TWO_NUMBERS, {"k": k})
        published = method.fit_transform(frame)
        classes = np.array(classes_of(published, TWO_NUMBERS, method.suppressed_mask_))
        evidence = Likelihoods((classes[:, np.newaxis] == classes).astype(float))
        what = f"Boxes of {k} or more"
        shown = published.assign(
            **{"chance of its best guess": evidence.posterior().max(axis=0)}
        )
        lesson.parts.append(sheet_of(what, shown, classes.tolist(), named=True))
        _verdict(lesson, model, evidence, what)


def _judge_graphs(lesson: Lesson, model: Any) -> None:
    from anon_transformers.evidence import GraphEvidence

    edges: Any = friendships()  # evidence takes a graph in any form
    method = _graph_method(model.name)
    k = getattr(model, "k", FEW)
    anonymizer = make(registry().anonymizers[method], (), {**lesson.values, "k": k})
    published = anonymizer.fit_transform(edges)
    show_graphs(lesson, edges, published, anonymizer.mapping_)
    _verdict(lesson, model, GraphEvidence(edges), "Before")
    _verdict(lesson, model, anonymizer.evidence_, f"After {method} with k = {k}")


def _graph_method(model: str) -> str:
    """The method whose promise a model is, by its name or by what it publishes."""
    methods = registry().anonymizers
    own = [name for name in methods if methods[name].kind == "graph"]
    if model in own:
        return model
    states = [name for name in own if methods[name].k_model == model]
    named = [name for name in own if methods[name].k_model == name]
    return (states or named or own)[0]


_EVIDENCE: Mapping[str, Callable[[Lesson, Any], None]] = {
    "classes": _judge_classes,
    "memberships": _judge_degrees,
    "linkage": _judge_swaps,
    "likelihoods": _judge_likelihoods,
    "graph": _judge_graphs,
}

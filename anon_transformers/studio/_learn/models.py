"""The worked example of a privacy model: which classes of a table keep it.

The table is protected by k = 2 alone and judged by the model, class by class; then it
is protected by the model, too. What a model judges decides how: classes, degrees in
fuzzy sets, swapped cells, likelihoods, or graphs.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.registry import registry
from anon_transformers.studio._drawings import letter
from anon_transformers.studio._learn.graphs import draw_both, open_edges
from anon_transformers.studio._learn.lesson import Knob, Lesson, Sheet, turn
from anon_transformers.studio._learn.methods import (
    Given,
    classes_of,
    hierarchy_sheets,
    make,
    membership_curves,
    sheet_of,
    table_of,
)
from anon_transformers.studio._learn.people import (
    NAME,
    SENSITIVE,
    TWO_NUMBERS,
    WITH_CODES,
    builders,
    friendships,
    population,
)

if TYPE_CHECKING:
    import pandas as pd

FIRST: Mapping[str, float] = {
    "k": 3,
    "l": 2,
    "t": 0.4,
    "c": 3,
    "q": 2,
    "alpha": 0.7,
    "beta": 1.5,
    "high": 0.6,
    "positive": 0.7,
}
"""Thresholds with which something is seen on ten rows."""
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
            knobs.append(Knob(name, type(value)(FIRST.get(name, value))))
    return knobs


def _verdict(lesson: Lesson, model: Any, evidence: Any, what: str) -> None:
    """What the model says of a table, in one sentence."""
    from anon_transformers.privacy import describe_level, describe_model, judge

    try:
        found = judge(model, evidence)
    except AnonymizationError as error:
        lesson.say(f"{what}: {error}", warns=True)
        return
    kept = (
        "holds"
        if found.passed
        else f"does not hold in {found.failing} of {found.units}"
    )
    level = describe_level(found.level)
    lesson.say(f"{what}: {describe_model(model)} {kept}; the level is {level}.")


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
    lesson.parts += hierarchy_sheets(plain, frame)
    evidence = _classes(published, frame, plain)
    what = "As it is" if alone == 1 else f"With k = {alone} alone"
    lesson.parts.append(
        _class_sheet(f"{what}, class by class", published, model, evidence)
    )
    _verdict(lesson, model, evidence, what)
    try:
        both = make(
            FullDomainAnonymizer,
            WITH_CODES,
            {"k": alone, "models": [model], "hierarchies": builders()},
        )
        safe = both.fit_transform(frame)
    except AnonymizationError as error:
        lesson.say(f"Protected by this model, too: {error}", warns=True)
        return
    found = classes_of(safe, WITH_CODES, both.suppressed_mask_)
    lesson.parts.append(
        sheet_of("Protected by this model, too", safe, found, named=True)
    )
    _verdict(lesson, model, _classes(safe, frame, both), "Then")
    lesson.say(f"Loss: {plain.report_.loss:.2f} before, {both.report_.loss:.2f} now.")


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
    in_town = bool(getattr(model, "needs_population", False))
    heads = ["class", *WITH_CODES, "rows", *["in the town"] * in_town, SENSITIVE]
    heads += ["level"] * (reached is not None) + ["keeps it"] * by_class
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
        row.append(", ".join(f"{value} × {count}" for value, count in held))
        row += [reached[number]] if reached is not None else []
        row += [bool(fine[number])] if by_class else []
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
        try:
            recoder = make(FuzzyPartitionRecoder, columns, how)
            published = recoder.fit_transform(frame)
        except AnonymizationError as error:
            lesson.say(f"{what}: {error}", warns=True)
            continue
        classes = classes_of(published, columns, recoder.suppressed_mask_)
        if what == tries[0][0]:
            lesson.parts.append(sheet_of("The table", frame, classes))
        lesson.draw(membership_curves(recoder, frame))
        evidence = Memberships.from_frame(recoder.degrees_, frame, [SENSITIVE])
        _verdict(lesson, model, evidence, what)
    lesson.parts.append(sheet_of("What is published", published, classes, named=True))


def _judge_swaps(lesson: Lesson, model: Any) -> None:
    from anon_transformers.microaggregation import GroupSwapper

    frame = table_of(TWO_NUMBERS)
    for k in (FEW, model.k):
        swapper = make(GroupSwapper, TWO_NUMBERS, {"k": k})
        published = swapper.fit_transform(frame)
        groups = next(iter(swapper.labels_.values())).tolist()
        if k == FEW:
            lesson.parts.append(sheet_of("The table, in groups of 2", frame, groups))
        else:
            title = f"Swapped inside groups of {k}"
            lesson.parts.append(sheet_of(title, published, groups, named=True))
        _verdict(lesson, model, swapper.linkage(frame, published), f"Groups of {k}")


def _judge_likelihoods(lesson: Lesson, model: Any) -> None:
    import numpy as np

    from anon_transformers.evidence import Likelihoods
    from anon_transformers.partitioning import MondrianAnonymizer

    frame = table_of(TWO_NUMBERS)
    lesson.parts.append(sheet_of("The table", frame, ()))
    for k in (FEW, model.k):
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
    try:
        _verdict(lesson, model, GraphEvidence(edges), "Before")
    except AnonymizationError as error:
        lesson.say(f"Before: {error}", warns=True)
    k = getattr(model, "k", FEW)
    anonymizer = make(registry().anonymizers[method], (), {"k": k})
    published = open_edges(anonymizer.fit_transform(edges))
    for drawing in draw_both(edges, published, anonymizer.mapping_):
        lesson.draw(drawing)
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

"""Why no full-domain generalization keeps a promise: what stands in the way."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from anon_transformers._kernels.lattice import Node
from anon_transformers.base._suppression import suppressed_class, worst_level
from anon_transformers.evidence import Classes
from anon_transformers.generalization._lattice import Lattice
from anon_transformers.privacy import (
    AllOf,
    KAnonymity,
    PrivacyModel,
    describe_level,
    describe_model,
    judge,
)

FEW_NODES = 20_000
"""Nodes that are gone through again to tell what could be reached."""


class Reach(NamedTuple):
    """What a model reaches by itself, at the best of the nodes that show something.

    Attributes
    ----------
    model : PrivacyModel
        The model.
    level : int, float or None
        The level there; None if no node shows anything.
    keeps : bool
        One of these nodes keeps the model within the suppression limit.
    """

    model: PrivacyModel
    level: int | float | None
    keeps: bool


class Kept(NamedTuple):
    """The classes of a node that keep a promise.

    Attributes
    ----------
    node : tuple of int
        The level of every attribute.
    gone : int
        Rows of the other classes.
    classes : Classes
        All classes.
    fine : bool ndarray
        Which of them keep it.
    """

    node: Node
    gone: int
    classes: Classes
    fine: np.ndarray


def describe_reach(lattice: Lattice, stated: Node | None = None) -> str:
    """What stands in the way: a level, the suppression limit, or what is suppressed.

    A table in which every quasi-identifier is the suppression label is no result,
    whatever level it has, and is told apart.

    Parameters
    ----------
    lattice : Lattice
        What was searched, in vain.
    stated : tuple of int, optional
        The one node that was asked for.
    """
    promise = lattice.goal.promise
    nodes = None if stated is None else [stated]
    found = [_best_reach(lattice, model, nodes) for model in promise.models]
    shown = [reach for reach in found if reach.level is not None]
    sentences = [] if shown or stated else ["No level shows anything."]
    if shown and all(reach.keeps for reach in shown):
        sentences += _together(lattice, promise, nodes)
    elif shown:
        sentences.append(f"{_levels_in_words(shown, stated)}.")
        sentences += _limit_in_words(lattice, promise, nodes)
    return " ".join([*sentences, *_marks_in_words(lattice, stated)])


def _levels_in_words(found: Sequence[Reach], stated: Node | None) -> str:
    """Models that are not reached, with their levels; then those that are."""
    at = " at best" if stated is None else ""
    told = [
        f"{describe_model(reach.model)} reaches {describe_level(reach.level)}{at}"
        for reach in found
        if reach.level is not None and not reach.keeps
    ]
    told += [
        f"{describe_model(reach.model)} could be kept by itself"
        for reach in found
        if reach.keeps
    ]
    return "; ".join(told)


def _limit_in_words(
    lattice: Lattice, promise: AllOf, nodes: Sequence[Node] | None
) -> list[str]:
    """How many rows would have to go, if the limit is what is too low."""
    if nodes is None and not _looks_everywhere(lattice, promise):
        return []  # another node may need fewer
    nearest = _nearest(lattice, promise, nodes)
    if nearest is None:
        return ["No class that shows something keeps it, whatever the limit."]
    least = "at least " if nodes is None else ""
    return [
        f"The limit is in the way: {least}{nearest.gone} of {lattice.n_rows} rows "
        f"would be suppressed, and it allows {lattice.allowance}."
    ]


def _together(
    lattice: Lattice, promise: AllOf, nodes: Sequence[Node] | None
) -> list[str]:
    """Why models that can be kept one by one are not kept."""
    nearest, mode = _nearest(lattice, promise, nodes), lattice.goal.rules.mode
    if nearest is None or nearest.gone > lattice.allowance:
        names = ", ".join(map(describe_model, promise.models))
        sure = nodes is not None or _looks_everywhere(lattice, promise)
        unsure = mode != "drop" and lattice.allowance and not sure
        too = ", of the suppressed rows too, which are a class" if unsure else ""
        return [f"Each of {names} could be kept by itself, but not all at once{too}."]
    hidden = suppressed_class(nearest.classes, nearest.fine, mode)
    return [
        f"The suppressed rows are in the way: without {nearest.gone} of "
        f"{lattice.n_rows} rows, which the limit allows, the classes keep it, but "
        "suppressed rows are published as one class, which must keep it too: "
        f"{worst_level(promise, hidden)}. With suppression='drop' they are left out."
    ]


def _marks_in_words(lattice: Lattice, stated: Node | None) -> list[str]:
    """What a table of marks would reach, if that is all that keeps the promise."""
    node = lattice.top if stated is None else stated
    if not _hides(lattice, node):
        return []
    no_result = "such a table shows nothing and is no result."
    if stated is not None:
        return [f"They put the suppression label everywhere: {no_result}"]
    hidden, _ = lattice.classes(node)
    verdicts = [judge(model, hidden) for model in lattice.goal.promise.models]
    if not all(verdict.passed for verdict in verdicts):
        return []
    levels = "; ".join(
        f"{describe_model(verdict.model)} {describe_level(verdict.level)}"
        for verdict in verdicts
    )
    return [
        "Within the limit only the suppression label in every quasi-identifier would "
        f"keep it ({levels}), but {no_result}"
    ]


def _hides(lattice: Lattice, node: Node) -> bool:
    """Whether a node shows nothing but the suppression label."""
    held = lattice.held(node)
    return lattice.shows_nothing(node, held, np.ones(len(held.sizes), dtype=bool))


def _looks_everywhere(lattice: Lattice, model: PrivacyModel) -> bool:
    """Whether the nodes that are gone through have the one that hides fewest rows."""
    # What keeps a model of this kind still does when it is joined with others.
    at_top = model.merging == "any" and not lattice.goal.persons_move
    return at_top or _goes_through_all(lattice, model)


def _goes_through_all(lattice: Lattice, model: PrivacyModel) -> bool:
    """Whether all nodes are looked at, since they are few.

    Joining classes makes a model of kind "any" better, and every model where nothing
    may be suppressed: then the highest nodes are enough.
    """
    rises = model.merging == "any" or not lattice.allowance
    return lattice.size <= FEW_NODES and (not rises or lattice.goal.persons_move)


def _nodes(lattice: Lattice, model: PrivacyModel) -> Iterable[Node]:
    """Nodes among which the best level is."""
    if _goes_through_all(lattice, model):
        return np.ndindex(lattice.shape)
    return _highest_shown(lattice)


def _kept(lattice: Lattice, model: PrivacyModel, node: Node) -> Kept | None:
    """What of a node keeps a model and shows something; None if nothing does."""
    classes, held = lattice.classes(node)
    coded = np.arange(classes.n_classes) < len(held.sizes)
    fine = coded & model.satisfied(classes)
    shown = fine[: len(held.sizes)]
    if not fine.any() or lattice.shows_nothing(node, held, shown):
        return None
    gone = lattice.n_rows - int(classes.rows[fine].sum())
    return Kept(node, gone, classes, fine)


def _nearest(
    lattice: Lattice, model: PrivacyModel, nodes: Sequence[Node] | None
) -> Kept | None:
    """The node that keeps a model with the fewest rows suppressed."""
    best = None
    for node in _nodes(lattice, model) if nodes is None else nodes:
        one = _kept(lattice, model, node)
        if one is not None and (best is None or one.gone < best.gone):
            best = one
    return best


def _best_reach(
    lattice: Lattice, model: PrivacyModel, nodes: Sequence[Node] | None
) -> Reach:
    """The best node that shows something."""
    better = max if model.better == "higher" else min
    best, keeps = None, False
    for node in _nodes(lattice, model) if nodes is None else nodes:
        if _hides(lattice, node):
            continue
        level = _level_within(lattice, model, lattice.classes(node)[0])
        best = level if best is None else better(best, level)
        kept = _kept(lattice, model, node)
        keeps = keeps or (kept is not None and kept.gone <= lattice.allowance)
    return Reach(model, best, keeps)


def _highest_shown(lattice: Lattice) -> list[Node]:
    """The highest nodes that show something, from the top down.

    A hierarchy may have the label at several levels.
    """
    shown: list[Node] = []
    hidden, looked_at = [lattice.top], {lattice.top}
    while hidden:
        node = hidden.pop()
        if not _hides(lattice, node):
            shown.append(node)
            continue
        below = [
            (*node[:a], level - 1, *node[a + 1 :])
            for a, level in enumerate(node)
            if level
        ]
        hidden += [other for other in below if other not in looked_at]
        looked_at.update(below)
    return shown


def _level_within(
    lattice: Lattice, model: PrivacyModel, classes: Classes
) -> int | float:
    """Level of a node when its worst classes go, as many as the limit allows."""
    levels = _class_levels(model, classes)
    if levels is None or not lattice.allowance:
        return judge(model, classes).level
    order = np.argsort(-levels if model.better == "higher" else levels)
    enough = np.cumsum(classes.rows[order]) >= lattice.n_rows - lattice.allowance
    return levels[order[int(np.argmax(enough))]].item()


def _class_levels(model: PrivacyModel, classes: Classes) -> np.ndarray | None:
    """The level of each class by itself, where the model has one."""
    if isinstance(model, KAnonymity):
        return classes.sizes
    of_class = getattr(model, "class_levels", None)
    return None if of_class is None else of_class(classes)

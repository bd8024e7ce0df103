"""Why a request cannot be met, and how far one could get."""

import numpy as np

from anon_transformers.generalization._lattice import Lattice
from anon_transformers.privacy import (
    PrivacyModel,
    describe_level,
    describe_model,
    judge,
)

FEW_NODES = 20_000
"""Nodes that are gone through again to tell what could be reached."""


def tell_reach(lattice: Lattice) -> str:
    """What each model could reach by itself within the suppression limit."""
    told = [
        f"{describe_model(model)} reaches "
        f"{describe_level(_best_level(lattice, model))} at best"
        for model in lattice.goal.promise.models
    ]
    return "; ".join(told)


def _best_level(lattice: Lattice, model: PrivacyModel) -> int | float:
    """Level of the best node.

    The whole table as one class is best, unless joining classes can cost diversity and
    some of them may be suppressed.
    """
    classes, _ = lattice.classes(lattice.top)
    best = judge(model, classes).level
    of_class = getattr(model, "class_levels", None)
    if of_class is None or model.merging == "any" or not lattice.allowance:
        return best
    if lattice.size > FEW_NODES:
        return best
    better = max if model.better == "higher" else min
    for node in np.ndindex(lattice.shape):
        classes, _ = lattice.classes(node)
        levels = of_class(classes)
        order = np.argsort(-levels if model.better == "higher" else levels)
        enough = np.cumsum(classes.rows[order]) >= lattice.n_rows - lattice.allowance
        best = better(best, levels[order[int(np.argmax(enough))]].item())
    return best

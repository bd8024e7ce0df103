"""What recoders by fuzzy clusters have in common."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anon_transformers._data.columns import Column
from anon_transformers._kernels.fuzzy_clusters import FuzzyClusters, spread_centers
from anon_transformers.base import part_of_progress
from anon_transformers.base._coded_table import CodedTable, PublishedColumn
from anon_transformers.exceptions import DataError, ParameterError, level_of_caller
from anon_transformers.fuzzy._centers import (
    Layout,
    are_apart,
    are_enough,
    center_order,
    thinned,
)
from anon_transformers.fuzzy._coding import NoSets
from anon_transformers.fuzzy._naming import numbered_names, ordered_names
from anon_transformers.fuzzy._recoder import SetRecoder
from anon_transformers.fuzzy._rules import CenterRule, SetRule, WholeRule
from anon_transformers.fuzzy._scaling import Scale
from anon_transformers.parameters import real, whole
from anon_transformers.privacy import AllOf

FEW_POINTS = 8192
"""A larger table is clustered by this many of its points before it is by all."""


class ClusterRecoder(SetRecoder):
    """Base of recoders whose sets lie about centers that are learned.

    A subclass implements ``_cluster``, which learns from given centers on.
    """

    # Where clusters start may have been taken from the table.
    private_parameters: ClassVar[tuple[str, ...]] = ("init",)
    m: float
    tol: float
    max_iter: int
    n_init: int
    init: Any
    coding: str
    scale: Scale

    @abstractmethod
    def _cluster(self, points: np.ndarray, centers: np.ndarray) -> FuzzyClusters:
        """Learn centers and degrees from these centers on."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        real("m", self.m, 1, above=True)
        real("tol", self.tol, 0)
        whole("max_iter", self.max_iter)
        whole("n_init", self.n_init)
        if self.init is None:
            return
        start = self._start()
        if not isinstance(self.n_sets, Integral) or len(start) != self.n_sets:
            raise ParameterError(
                f"init has {len(start)} rows, one per set, for n_sets={self.n_sets!r}."
            )

    def _start(self) -> np.ndarray:
        """Where the first centers lie, as it was given."""
        try:
            start = np.array(self.init, dtype=np.float64)
        except (TypeError, ValueError):
            start = np.empty(0)
        if start.ndim not in {1, 2} or not start.size or not np.isfinite(start).all():
            raise ParameterError(
                "init must be an array of numbers, of shape (n_sets,) or (n_sets, "
                f"n_columns), got {_describe_array(self.init)}."
            )
        return start.reshape(len(start), -1)

    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn]:
        published = super()._learn(table, models)
        rules = [block.rule for block in self._coding.blocks]
        found = [rule for rule in rules if isinstance(rule, CenterRule)]
        self.n_iter_ = max((rule.n_iter for rule in found), default=0)
        if not all(rule.converged for rule in found):
            warnings.warn(
                f"the sets did not come to rest in max_iter={self.max_iter} "
                "iterations; the promise holds all the same.",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        return published

    def _make_rule(
        self,
        columns: Sequence[Column],
        n_sets: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
    ) -> SetRule:
        if n_sets == 1:
            return WholeRule(names or ordered_names(1))
        layout = Layout.of(columns, self.scale)
        found = self._best(layout, len(columns), n_sets, rng)
        order = center_order(found.centers)
        order = order[~found.empty[order]]
        n_found = len(order)
        if not n_found:
            raise NoSets(
                f"m={self.m} is too large for {n_sets} sets: the weights degree ** m "
                "of all rows are too small for a number."
            )
        if names is not None and n_found < len(names):
            raise DataError(
                f"labels: {len(names)} sets are named, and {len(names) - n_found} of "
                f"them got no row at all with m={self.m}; ask for fewer, or a larger m."
            )
        default = ordered_names if len(columns) == 1 else numbered_names
        return CenterRule(
            names or default(n_found),
            layout.axes,
            layout.used,
            found.centers[order],
            None if found.norms is None else found.norms[order],
            None if found.factors is None else found.factors[order],
            float(self.m),
            found.n_iter,
            found.converged,
        )

    def _best(
        self, layout: Layout, n_columns: int, n_sets: int, rng: np.random.Generator
    ) -> FuzzyClusters:
        """The clusters of the start that leads to the least objective."""
        if self.init is None:
            shape = n_sets, n_columns
            starts = [rng.random(shape) for _ in range(self.n_init)]
        else:
            starts = [self._start()[:n_sets]]
        if starts[0].shape[1] not in {1, n_columns}:
            raise ParameterError(
                f"init has {starts[0].shape[1]} columns for {n_columns} columns that "
                f"are coded together (coding={self.coding!r})."
            )
        spread = [
            spread_centers(
                layout.points,
                np.broadcast_to(start, (n_sets, n_columns))[:, layout.used],
            )
            for start in starts
        ]
        if self.init is None:
            spread = self._nearer(layout.points, spread, rng)
            if len(layout.points) > FEW_POINTS:
                with part_of_progress(1, 2):
                    return self._best_of(layout.points, spread)
        return self._best_of(layout.points, spread)

    def _nearer(
        self, points: np.ndarray, starts: list[np.ndarray], rng: np.random.Generator
    ) -> list[np.ndarray]:
        """Where to start in a large table: at the best centers of some of its points.

        Most iterations are then made with few points; those with all of them begin
        where little is left to move. But equal centers stay equal: where some points do
        not show enough to part the sets, starts remain what they are.
        """
        if len(points) <= FEW_POINTS:
            return starts
        some = thinned(points, FEW_POINTS, rng)
        if not are_enough(some, len(starts[0])):
            return starts
        with part_of_progress(0, 2):
            centers = self._best_of(some, starts).centers
        return [centers] if are_apart(centers, points) else starts

    def _best_of(self, points: np.ndarray, starts: list[np.ndarray]) -> FuzzyClusters:
        found = []
        for number, start in enumerate(starts):
            with part_of_progress(number, len(starts)):
                found.append(self._cluster(points, start))
        return min(found, key=lambda c: (c.empty.sum(), c.history[-1]))


def _describe_array(given: Any) -> str:
    """Type and shape, for the cells may be some of a table."""
    shape = getattr(given, "shape", None)
    if shape is None and isinstance(given, Sequence) and not isinstance(given, str):
        shape = (len(given),)
    kind = type(given).__name__
    return kind if shape is None else f"{kind} of shape {shape}"

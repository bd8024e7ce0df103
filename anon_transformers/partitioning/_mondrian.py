"""Mondrian multidimensional recoding."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from anon_transformers._data.columns import Column
from anon_transformers._kernels import mondrian
from anon_transformers.base import TableAnonymizer, tell_progress
from anon_transformers.base._coded_table import (
    CodedTable,
    Points,
    PublishedColumn,
    refuse_too_few,
)
from anon_transformers.base._docs import TABLE_TEXTS
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import (
    DataError,
    DuplicatesWarning,
    ParameterError,
    check_choice,
    check_columns,
    level_of_caller,
)
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.parameters import generator, substitute
from anon_transformers.partitioning._axes import (
    CutAxis,
    check_domains,
    check_steps,
    cut_axis,
    in_declared_list,
    lacking_step,
    plain_axis,
)
from anon_transformers.partitioning._box_labels import center_labels, interval_labels
from anon_transformers.partitioning._unknown_values import (
    publishes_root,
    without_unknown,
)
from anon_transformers.privacy import AllOf, KAnonymity, PrivacyModel, may_judge_values

Policy = Literal["ignore", "warn", "error"]
POLICIES = (None, "ignore", "warn", "error")


def judge_duplicates(table: CodedTable, policy: Policy, *, relaxed: bool) -> None:
    """Do what ``policy`` says about rows that share all their quasi-identifiers.

    Classes have their size in any case. What such rows change is who stands behind
    them, and that relaxed cuts may part them.
    """
    if policy == "ignore":
        return
    counts = table.points().weights
    n_rows = int(counts[counts > 1].sum())
    if not n_rows:
        return
    message = f"{n_rows} rows share all their quasi-identifiers with another row"
    if policy == "error":
        raise DataError(f"{message}; duplicates='ignore' or 'warn' lets them pass.")
    if relaxed:
        message += "; equal rows may be published differently by relaxed cuts"
    if table.subject is None:
        message += "; k rows may be fewer persons, unless subject= tells them apart"
    warnings.warn(
        f"{message}. duplicates='ignore' accepts this.",
        DuplicatesWarning,
        stacklevel=level_of_caller(),
    )


CHOICES = {
    "mode": ("strict", "relaxed"),
    "output": ("interval", "center"),
    "boxes": ("tight", "cuts"),
    "tie_side": ("both", "left"),
    "on_failed_cut": ("next_attribute", "stop"),
    "duplicates": POLICIES,
    "outside": (None, "cuts", "suppress"),
}


OUTSIDE = {"interval": "suppress", "center": "cuts"}
"""What happens to other rows that no box covers, by output."""


@substitute(TABLE_TEXTS)
class MondrianAnonymizer(TableAnonymizer):
    """Cut the table at medians into boxes of ``k`` rows or more.

    The attribute with the widest normalized range is cut behind its lower median; if
    that leaves a side that breaks the promise, before it; if that does too, the next
    widest is tried. Every row is published with the box of its class, drawn tightly
    around the members. A class that holds known and missing values of an attribute is
    first cut between them.

    Nothing that is published depends on the order of the rows or on their index. In
    strict mode a row is published the same wherever it stands. In relaxed mode, which
    of several rows that are equal in all quasi-identifiers gets which of their boxes is
    left to chance, and never to their place in the table or a sensitive value.

    Dates of a time zone are published in that zone, as days where all are midnights
    there, otherwise with their offset: ``2020-01-01T09:30:00+01:00``. Python objects
    that neither a 64-bit whole number nor a double holds exactly are refused.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know; their order decides ties. None: all columns that
        are not declared otherwise.
    k : int, default=5
        Smallest number of rows (persons, with ``subject``) in a box.
    models : list of privacy models, default=None
        Further promises that every box must keep.
    mode : {"strict", "relaxed"}, default="strict"
        Strict: equal values stay together, and other rows can be recoded. Relaxed:
        values equal to the median are shared out so that both halves are even; equal
        rows may be published differently, and there is no ``transform``. A relaxed
        box holds k to 2k - 1 rows, unless ``subject`` or a model refused to cut it;
        boxes that publish the same are one, larger class.
    output : {"interval", "center"}, default="interval"
        Publish boxes as labels, such as ``[20, 35]`` or ``{Private, State-gov}``; or
        one number per class: the mean of its rows (categories stay labels). Categories
        without a hierarchy are ordered as texts, and a box names all from its first to
        its last.
    boxes : {"tight", "cuts"}, default="tight"
        Draw boxes around their members, or as the cuts draw them: these cover every
        value there may be, and show no extreme that a person has. Strict mode only. A
        release draws them by cuts unless it states otherwise.
    step : dict of column to number or str, default=None
        With ``boxes="cuts"``, the step whose multiples the cuts of a column lie on: a
        number, or for dates whole days, ``"month"``, ``"year"`` or several of them, as
        in ``"5 years"``. The search itself knows no other cuts, so that every promise
        is judged as it is published. If given, and be it empty, a column with neither a
        hierarchy nor a step nor a declared list is refused. None: cuts lie halfway
        between two values, which tells of both; a release refuses that.
    domain : dict of column to list, default=None
        With ``boxes="cuts"``, ``[low, high]`` of a number or date column, which its
        outer boxes end at (``[60, 120]`` instead of ``>= 60``); or all categories of a
        column in their order, of which a box publishes a part, also those that nobody
        has. Rows outside are refused.
    tie_side : {"both", "left"}, default="both"
        Values equal to the median go low or, where that is not allowable, high. "left"
        is the convention of the source: they go low, or there is no cut. On columns
        with few, frequent values that is far coarser: on Adult (age, education, marital
        status, race, sex; k = 5) the mean loss of a column is 41 % and not 1.2 %.
        Strict mode only.
    on_failed_cut : {"next_attribute", "stop"}, default="next_attribute"
        Where the widest attribute has no allowable cut, try the next widest, or leave
        the box as it is.
    outside : {"cuts", "suppress"}, default=None
        What ``transform`` publishes of other rows that no box covers: the box that the
        cuts lead them to, as if it reached so far, or nothing. Values beyond all fitted
        ones count as the outermost, and categories that were not fitted as the first. A
        missing value of a column that had none, a value that a hierarchy does not know
        where its box does not publish the root, and a row whose class was not approved,
        are suppressed in any case. None: "cuts" with ``output="center"``, so that a
        model that follows gets numbers; otherwise "suppress", for a label that does not
        hold the value would be wrong. The fitted table is the same with both.
    duplicates : {"ignore", "warn", "error"}, default=None
        What to do where rows share all their quasi-identifiers. Classes hold k rows in
        any case, but relaxed cuts may publish equal rows differently, and k rows of
        one person are no k persons (see ``subject``). A warning is a
        ``DuplicatesWarning``. None: warn in relaxed mode, ignore in strict mode.
    n_jobs : int, default=None
        Threads; -1 for all. The result does not depend on it.
    random_state : int or Generator, default=None
        Decides ties between rows, which only relaxed cuts have. None: fresh entropy.
    {sensitive_and_identifiers}
    hierarchies : dict of column to Hierarchy or builder, default=None
        Values with a hierarchy are published as the lowest one above the members of
        the box. Strict cuts go between groups below that one, as evenly as can be;
        relaxed cuts go through the median leaf in the order of the tree, wherever that
        is, since both halves must be even. With ``unknown="root"`` a box that holds an
        unknown value publishes the root, and no other box does because of it.
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    tree_ : CutTree
        The learned cuts, in strict mode.
    boxes_ : Boxes
        Bounds of each box, as codes.
    {report_}
    n_suppressed_, n_extra_suppressed_ : int
        Rows suppressed; with strict cuts 0 on the fitted table.
    {suppressed_mask_}

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
       k-anonymity", ICDE 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import MondrianAnonymizer
    >>> people = pd.DataFrame({"age": [20, 22, 40, 44], "job": list("abab")})
    >>> MondrianAnonymizer(["age"], k=2).fit_transform(people)
            age job
    0  [20, 22]   a
    1  [20, 22]   b
    2  [40, 44]   a
    3  [40, 44]   b
    >>> MondrianAnonymizer(k=2, output="center").fit_transform([[20], [22], [40], [44]])
    array([[21.],
           [21.],
           [42.],
           [42.]])
    """

    uses_hierarchies: ClassVar[bool] = True
    _hooks: ClassVar[frozenset[str]] = frozenset({"_encode"})

    not_promised: ClassVar[tuple[str, ...]] = (
        "Tight boxes show the lowest and the highest value that somebody in them "
        "has; boxes by cuts do not.",
        "Cuts at medians are a rule of thumb: other boxes may keep the promise and "
        "lose less.",
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        mode: Literal["strict", "relaxed"] = "strict",
        output: Literal["interval", "center"] = "interval",
        boxes: Literal["tight", "cuts"] = "tight",
        step: Mapping[Any, float | str] | None = None,
        domain: Mapping[Any, Sequence[Any]] | None = None,
        tie_side: Literal["both", "left"] = "both",
        on_failed_cut: Literal["next_attribute", "stop"] = "next_attribute",
        outside: Literal["cuts", "suppress"] | None = None,
        duplicates: Policy | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            models=models,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            suppression_limit=suppression_limit,
            suppression=suppression,
            suppression_label=suppression_label,
        )
        self.mode = mode
        self.output = output
        self.boxes = boxes
        self.step = step
        self.domain = domain
        self.tie_side = tie_side
        self.on_failed_cut = on_failed_cut
        self.outside = outside
        self.duplicates = duplicates
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def test_instances(cls) -> list["MondrianAnonymizer"]:
        """Configurations that the contract checks run on."""
        return [
            cls(k=2, output="center"),
            cls(k=2, output="interval"),
            cls(k=2, output="center", boxes="cuts", tie_side="left"),
            cls(k=2, output="center", mode="relaxed", duplicates="ignore"),
        ]

    @property
    def row_bound(self) -> bool:  # type: ignore[override]
        """Whether it learns no rule: relaxed boxes share values, and part rows."""
        return self.mode != "strict"

    @property
    def fits_counts(self) -> bool:  # type: ignore[override]
        """Whether counts of distinct combinations tell enough: strict cuts do."""
        return self.mode == "strict"

    @property
    def publishes(self) -> str:
        """What it puts into quasi-identifiers."""
        return "centers" if self.output == "center" else "labels"

    @property
    def extremes(self) -> str:
        """What means and tight boxes reveal about single persons."""
        if self.output == "center":
            return (
                "A center is the mean of a class: whoever knows the values of all but "
                "one of its persons computes the last one."
            )
        if self.boxes == "cuts":
            return ""
        return (
            "The ends of a range are the lowest and the highest value that persons of "
            "the class have, and a set names only what they have: whoever knows that a "
            "person is the oldest of a class reads the age. Boxes drawn by cuts do not "
            "show it."
        )

    @classmethod
    def release_defaults(cls, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Boxes as the cuts draw them, on steps, unless others are asked for."""
        tight = stated.get("mode") == "relaxed" or stated.get("boxes") == "tight"
        return {} if tight else {"boxes": "cuts", "step": {}}

    def _check_release(self) -> None:
        if self.boxes != "cuts":
            return
        if self.step is None:
            raise ParameterError(
                "step: null lets cuts lie halfway between the values of two persons, "
                "which tells of both; state a step per column."
            )
        for name in self.quasi_identifiers or ():
            extremes = getattr((self.hierarchies or {}).get(name), "extremes", "")
            if extremes:
                raise ParameterError(f"hierarchies, {name}: {extremes}")
        ways = [held or {} for held in self._ways_to_end_a_box()]
        names = self.quasi_identifiers or ()
        lacking = [name for name in names if not any(name in held for held in ways)]
        if lacking:
            first, *others = lacking
            listed = ", ".join(map(repr, others))
            also = f" The same goes for {listed}." if others else ""
            raise ParameterError(
                f"step: {lacking_step(first)}{also} (boxes: tight would publish the "
                "extremes of every class.)"
            )

    def _ways_to_end_a_box(self) -> tuple[Mapping[Any, Any] | None, ...]:
        return self.step, self.domain, self.hierarchies

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.output == "center":
            tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        generator(self.random_state)
        if self.mode == "relaxed" and self.boxes == "cuts":
            raise ParameterError("boxes='cuts' needs mode='strict': others overlap.")
        check_steps(self.step)
        check_domains(self.domain)
        for name in ("step", "domain"):
            if getattr(self, name) and self.boxes != "cuts":
                raise ParameterError(
                    f"{name} needs boxes='cuts': tight boxes end at values."
                )
        self._refuse_odd_columns(self.quasi_identifiers)
        for model in self.models or ():
            if model.merging == "none":
                raise ParameterError(
                    f"models: {model.name} may be lost when boxes merge, and Mondrian "
                    "cannot promise it."
                )

    def _refuse_odd_columns(self, legal: Any) -> None:
        for key, columns in (("step", self.step), ("domain", self.domain)):
            check_columns(key, columns, legal, "quasi-identifier")
            for name in columns or {}:
                if name in (self.hierarchies or {}):
                    raise ParameterError(f"{key}, {name}: it has a hierarchy already.")

    def _encode(
        self, frame: pd.DataFrame, weights: np.ndarray | None = None
    ) -> CodedTable:
        self._refuse_odd_columns(self.roles_.quasi_identifiers)
        table = super()._encode(frame, weights)
        return replace(
            table, quasi_identifiers=tuple(map(self._declared, table.quasi_identifiers))
        )

    def _declared(self, column: Column) -> Column:
        """Categories as their declared list has them; other columns as they are."""
        listed = (self.domain or {}).get(column.name)
        if listed is None or column.kind not in {"category", "ordinal"}:
            return column
        return in_declared_list(column, listed)

    def _axis(self, column: Column) -> CutAxis:
        if self.boxes == "cuts":
            return cut_axis(column, self.step, self.domain)
        return plain_axis(column)

    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn]:
        relaxed = self.mode == "relaxed"
        self.__dict__.pop("tree_", None)
        points = self._rows(table) if relaxed else table.points()
        refuse_too_few(points, self.k, table.subject)
        judge_duplicates(
            table, self.duplicates or ("warn" if relaxed else "ignore"), relaxed=relaxed
        )
        self._axes = [self._axis(column) for column in table.quasi_identifiers]
        pairs = zip(self._axes, points.codes, strict=True)
        cells = np.stack([axis.cells[codes] for axis, codes in pairs])
        space = mondrian.make_space(
            cells,
            points.weights,
            [axis.positions for axis in self._axes],
            [axis.joins() for axis in self._axes],
        )
        rules = mondrian.Rules(
            self.k, relaxed, self.tie_side == "both", self.on_failed_cut != "stop"
        )
        allowed = _allowed(table, points.of_row, models, relaxed=rules.relaxed)
        tree, box_of = mondrian.grow(
            space, rules, allowed, effective_n_jobs(self.n_jobs), tell_progress
        )
        n_boxes = int(box_of.max()) + 1
        if self.boxes == "cuts":
            drawn = mondrian.cut_bounds(tree, space.n_known, n_boxes)
            # No cut tells where a missing value belongs that no row has.
            seen = np.array([column.has_missing for column in table.quasi_identifiers])
            drawn = drawn._replace(missing=drawn.missing & seen)
            self.boxes_ = without_unknown(drawn, self._axes, cells, box_of)
        else:
            self.boxes_ = mondrian.bounds(cells, space.n_known, box_of, n_boxes)
        self._labels = [
            self._label(column, a, box_of, points.codes[a], points.weights)
            for a, column in enumerate(table.quasi_identifiers)
        ]
        if not relaxed:
            # Relaxed, equal rows may lie in different boxes: no rule for other rows.
            self.tree_ = tree
        return self._publish_boxes(np.append(box_of, -1)[points.of_row])

    def _rows(self, table: CodedTable) -> Points:
        """Every row as a point; relaxed cuts share out equal ones in this order."""
        rng = generator(self.random_state)
        return table.rows(self._tie_order(table.n_rows, rng, table.subject))

    def _label(
        self,
        column: Column,
        attribute: int,
        box_of: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
    ) -> PublishedColumn:
        """What each box publishes of one attribute; ``codes`` go by box."""
        low, high, missing = (part[:, attribute] for part in self.boxes_)
        labels = interval_labels(self._axes[attribute], low, high, missing)
        if self.output == "center" and column.kind in {"number", "date"}:
            return center_labels(column, labels, box_of, codes, weights)
        return labels

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        pairs = list(zip(self._axes, table.quasi_identifiers, strict=True))
        if (self.outside or OUTSIDE[self.output]) == "cuts":
            return self._publish_boxes(self._nearest(pairs))
        cells = np.stack([axis.place(column) for axis, column in pairs])
        box = mondrian.route(self.tree_, cells)
        covered = np.ones(table.n_coded_rows, dtype=bool)
        for attribute, (axis, column) in enumerate(pairs):
            bounds = [part[box, attribute] for part in self.boxes_]
            # Between two values, only a box that cuts draw tells where a row belongs.
            exact = column.exact if axis.points is None else None
            covered &= _covers(cells[attribute], axis.n_cells, exact, *bounds)
        return self._publish_boxes(np.where(covered, box, -1))

    def _nearest(self, pairs: list[tuple[CutAxis, Column]]) -> np.ndarray:
        """The box that the cuts lead each row to; -1 where they cannot tell."""
        cells = np.stack([axis.place_nearest(column) for axis, column in pairs])
        box = mondrian.route(self.tree_, cells)
        placed = (cells >= 0).all(axis=0)
        for attribute, (axis, _) in enumerate(pairs):
            missing = cells[attribute] == axis.n_cells
            placed &= ~missing | self.boxes_.missing[box, attribute]
            hierarchy = axis.column.hierarchy
            if hierarchy is not None and axis.unknown_cell is not None:
                # It is no neighbor of any value: only the root stands for it.
                low, high, _ = (part[:, attribute] for part in self.boxes_)
                known = cells[attribute] != axis.unknown_cell
                placed &= known | publishes_root(hierarchy, low, high)[box]
        return np.where(placed, box, -1)

    def _publish_boxes(self, box: np.ndarray) -> list[PublishedColumn]:
        """Published columns of rows whose boxes are known (-1: none)."""
        box = box.astype(np.intp)  # once, not in every look-up
        return [
            replace(by_box, codes=np.append(by_box.codes, -1)[box])
            for by_box in self._labels
        ]

    def _details(self) -> dict[str, Any]:
        return {"mode": self.mode, "boxes": len(self.boxes_.low)}


def _allowed(
    table: CodedTable, point_of_row: np.ndarray, models: AllOf, *, relaxed: bool
):
    """Ask the models about proposed boxes; row counts the kernel checks itself."""
    by_rows = all(isinstance(model, KAnonymity) for model in models.models)
    if by_rows and table.subject is None and len(models.models) == 1:
        return None

    # Who is in several boxes is judged by all of them, also by those that are done.
    of_values = table.subject is not None and any(map(may_judge_values, models.models))
    moving = of_values and (relaxed or table.persons_move)

    def allowed(half: np.ndarray, n_halves: int) -> np.ndarray:
        n_boxes = n_halves
        if moving:
            done = half < 0
            half = np.where(done, n_halves + ~half, half)
            n_boxes += len(np.unique(half[done]))
        labels = np.append(half, -1)[point_of_row]
        return models.satisfied(table.classes(labels, n_boxes))[:n_halves]

    return allowed


def _covers(
    cells: np.ndarray,
    missing_cell: int,
    exact: np.ndarray | None,
    low: np.ndarray,
    high: np.ndarray,
    missing: np.ndarray,
) -> np.ndarray:
    """Whether each row lies in its box."""
    above = (cells > low) | ((cells == low) & (True if exact is None else exact))
    inside = above & (cells <= high)
    return np.where(cells == missing_cell, missing, inside)

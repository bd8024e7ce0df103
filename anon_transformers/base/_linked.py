"""Anonymizers that keep every cell and hide whose it is."""

import time
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from anon_transformers._data.columns import identify
from anon_transformers._data.frames import is_frame, to_frame
from anon_transformers._kernels.swapping import (
    Agreement,
    Members,
    agreement,
    gather,
    permute_members,
)
from anon_transformers.base._base import FrameAnonymizer
from anon_transformers.base._coded_table import (
    index_is_asked_for,
    refuse_unknown_hierarchies,
    too_few,
)
from anon_transformers.base._docs import LINKED_TEXTS
from anon_transformers.base._linked_table import LinkedTable, with_moved_cells
from anon_transformers.base._progress import part_of_progress
from anon_transformers.base._suppression import make_promise
from anon_transformers.evidence import Report
from anon_transformers.evidence._linkage import Linkage, Moved
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    ParameterError,
    check_choice,
    unknown_choice,
)
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.metrics._class_statistics import ClassStatistics
from anon_transformers.parameters import generator, substitute, whole
from anon_transformers.privacy import (
    AllOf,
    PrivacyModel,
    Verdict,
    describe_verdict,
    judge_each,
    judges_values,
)
from anon_transformers.roles import Roles


class SwapPass(NamedTuple):
    """What permuting once does, in numbers."""

    sizes: np.ndarray
    losses: dict[Hashable, float]
    agreements: dict[Hashable, Agreement]


@substitute(LINKED_TEXTS)
class LinkedAnonymizer(FrameAnonymizer):
    """Anonymizer that swaps cells between the rows of a group.

    A subclass implements ``_group(table, moving)``, which puts every row into a group;
    ``_moving()`` says which columns move, and which of them together. Each group must
    keep ``_promise(moving)``. This class does the rest: roles, the draw of the
    permutations, the check of the groups, the report, the published table and the
    evidence for a judge.

    Row i of what is published belongs to row i of the table. Shuffle the rows before
    anybody sees them, wherever their order tells who they are.

    Parameters
    ----------
    quasi_identifiers : list, default=None
        Columns an intruder may know; may be empty. None: all that are not declared
        otherwise.
    k : int, default=5
        Rows that a group must have.
    sensitive : list, default=None
        Columns an intruder wants to know; they may be quasi-identifiers too, known to
        one intruder and wanted by another. None, and no quasi-identifiers either: every
        column, each of which is known to those who are after another one.
    models : list of privacy models, default=None
        What the sensitive values inside each group must satisfy beside: l-diversity,
        t-closeness and the like.
    {identifiers}
    hierarchies : dict of column to Hierarchy or builder, default=None
        Which values are near to each other.
    {subject}
    {keep_links}
    {random_state}

    Attributes
    ----------
    {labels_}
    {group_sizes_}
    {k_effective_}
    {permutations_}
    report_ : Report
        Groups, loss, risk and time, in numbers. ``classes`` describes the groups of all
        permutations. ``loss`` is the mean distance from a row's own cell to one drawn
        from its group, as a share of the column's range; 0 or 1 where values have no
        distance. It is what swapping costs on average: the distance to the cell that
        a row got would tell of the permutation.
        ``details["value_disclosure"]`` is, for each sensitive column, the probability
        that a row of a record's group has the value of that record.
    """

    kind: ClassVar[str] = "linked"
    k_model: ClassVar[str] = "probabilistic-k-anonymity"
    row_bound: ClassVar[bool] = True
    model_evidence: ClassVar[tuple[str, ...]] = ("classes",)
    uses_hierarchies: ClassVar[bool] = True
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {
            "_group",
            "_moving",
            "_hidden",
            "_promise",
            "_groups_swapped_table",
            "_details",
        }
    )

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        sensitive: Sequence[Hashable] | None = None,
        models: Sequence[PrivacyModel] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        keep_links: bool = False,
        random_state: int | np.random.Generator | None = None,
    ):
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.sensitive = sensitive
        self.models = models
        self.identifiers = identifiers
        self.hierarchies = hierarchies
        self.subject = subject
        self.keep_links = keep_links
        self.random_state = random_state

    @property
    def extremes(self) -> str:
        """What cells that only moved reveal about single persons."""
        return (
            "Every published cell is the value of a person, as it was: the lowest and "
            "the highest of each column are published, and whoever knows that a person "
            "has such a value knows that this is the cell."
        )

    @abstractmethod
    def _group(self, table: LinkedTable, moving: Moved) -> np.ndarray:
        """Group of each row, numbered from 0 without a gap, for what moves together."""

    def _moving(self) -> list[Moved]:
        """Columns that move, by what moves together: each sensitive one alone."""
        return [(name,) for name in self.roles_.sensitive]

    def _hidden(self, moving: Moved) -> Moved:
        """Sensitive columns that the groups of ``moving`` hide."""
        # Where quasi-identifiers move, an intruder reads what stayed.
        own = tuple(name for name in moving if name in self.roles_.sensitive)
        return own or self.roles_.sensitive

    def _promise(self, moving: Moved) -> AllOf:
        """What every group of ``moving`` must keep: k, and the models of its cells."""
        asked = (None, *self._hidden(moving))
        models = [
            m for m in self.models or () if getattr(m, "sensitive", None) in asked
        ]
        return make_promise(self.k, models)

    def _groups_swapped_table(self) -> bool:
        """Whether a permutation's groups are those of the table swapped so far."""
        return False

    def _details(self) -> dict[str, Any]:
        """What the report should hold beside the common numbers."""
        return {}

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Publish ``X`` with cells swapped inside groups of k rows, or raise.

        Groups that do not keep what was promised raise an InfeasibleError.

        Parameters
        ----------
        X : data frame or array
            The table to be protected.
        y : ignored
            Not used.

        Returns
        -------
        data frame or array
            Of the kind and the types of ``X``, without its identifiers.
        """
        frame, sources = self._fit(X)
        moved = {name: rows for names, rows in sources.items() for name in names}
        table = with_moved_cells(X, frame, self._kept_columns, moved)
        if isinstance(table, pd.DataFrame) and not index_is_asked_for(self):
            table = table.reset_index(drop=True)
        return table

    def linkage(self, original: Any, published: Any) -> Linkage:
        """The evidence by which a judge compares the two tables, row by row.

        Parameters
        ----------
        original, published : data frame or array
            The fitted table, and what :meth:`fit_transform` made of it.

        Returns
        -------
        Linkage
            With the groups, with what is sensitive, and with the rows that cells came
            from if they were kept.
        """
        check_is_fitted(self)
        return Linkage(
            _named(original, self._all_columns),
            _named(published, self._kept_columns),
            self.labels_,
            getattr(self, "permutations_", None),
            self.roles_.sensitive,
        )

    def _check_parameters(self) -> None:
        whole("k", self.k)
        for model in make_promise(self.k, self.models).models[1:]:
            _refuse_other_model(model)
        check_choice("keep_links", self.keep_links, (False, True))
        self._generator()

    def _generator(self) -> np.random.Generator:
        return generator(self.random_state)

    @property
    def publishes(self) -> str:
        """What it puts into quasi-identifiers."""
        return "swaps"

    def _resolve(self, columns: pd.Index) -> Roles:
        roles = Roles.resolve(
            columns,
            self.quasi_identifiers,
            self.sensitive,
            self.identifiers,
            self.subject,
            need_quasi_identifiers=False,
            sensitive_may_be_known=True,
        )
        if self.quasi_identifiers is None and self.sensitive is None:
            roles = replace(
                roles, quasi_identifiers=(), sensitive=roles.quasi_identifiers
            )
        if not roles.sensitive:
            raise ParameterError("sensitive is empty; name at least one column.")
        for model in self.models or ():
            judged = getattr(model, "sensitive", None)
            if judged not in (None, *roles.sensitive):
                message = unknown_choice("sensitive column", judged, roles.sensitive)
                raise ParameterError(f"models: {model.name}: {message}")
        return roles

    def _fit(self, X: Any) -> tuple[pd.DataFrame, dict[Moved, np.ndarray]]:
        started = time.perf_counter()
        self.__dict__.pop("permutations_", None)
        frame = self._begin(X)
        roles, hierarchies = self.roles_, self.hierarchies or {}
        refuse_unknown_hierarchies(
            hierarchies, [*roles.quasi_identifiers, *roles.sensitive]
        )
        if roles.subject is not None:
            _refuse_repeated_persons(frame[roles.subject])
        if len(frame) < self.k:  # a person has one row here
            persons = None if roles.subject is None else len(frame)
            raise InfeasibleError(f"{too_few(self.k, len(frame), persons)}.")
        sources, passes = self._swap(frame, hierarchies)
        verdicts = self._judge(LinkedTable(frame, hierarchies), sources)
        self.k_effective_ = min(int(s.min()) for s in self.group_sizes_.values())
        if self.keep_links:
            self.permutations_ = sources
        seconds = time.perf_counter() - started
        self.report_ = self._report(len(frame), passes, verdicts, seconds)
        return frame, sources

    def _swap(
        self, frame: pd.DataFrame, hierarchies: Mapping[Any, Any]
    ) -> tuple[dict[Moved, np.ndarray], list[SwapPass]]:
        """Group and permute, for one set of columns after the other.

        Groups are made of rows in the order of ties: no method can see where a row
        stands in the source.
        """
        rng, subject = self._generator(), self.roles_.subject
        persons = None if subject is None else identify(frame[subject])
        ties = self._tie_order(len(frame), rng, persons)
        table = LinkedTable(frame.iloc[ties], hierarchies)
        self.labels_, self.group_sizes_ = {}, {}
        sources: dict[Moved, np.ndarray] = {}
        passes, current = [], table
        all_of_them = self._moving()
        for number, moving in enumerate(all_of_them):
            with part_of_progress(number, len(all_of_them)):
                labels = self._group(current, moving)
            _refuse_bad_groups(labels, table.n_rows, self.k)
            members = gather(labels)
            rows = permute_members(members, rng)
            if self._groups_swapped_table():
                current = current.swapped(moving, rows)
            passes.append(self._measured(table, moving, members))
            sources[moving] = _in_source_order(ties[rows], ties)
            self.labels_[moving] = _in_source_order(labels, ties)
            self.group_sizes_[moving] = passes[-1].sizes
        return sources, passes

    def _judge(
        self, table: LinkedTable, sources: Mapping[Moved, np.ndarray]
    ) -> list[Verdict]:
        """Judge the cells that every group holds after the swap, by every model."""
        for moving, rows in sources.items():
            table = table.swapped(moving, rows)
        verdicts = []
        for model in self.models or ():
            groups = [
                table.classes(labels, self._hidden(moving))
                for moving, labels in self.labels_.items()
                if model in self._promise(moving).models
            ]
            verdicts.append(judge_each(model, groups))
            _refuse_broken(verdicts[-1])
        return verdicts

    def _measured(
        self, table: LinkedTable, moving: Moved, members: Members
    ) -> SwapPass:
        """What groups cost and give away, whatever permutation is drawn in them."""
        places = {name: table.places(name) for name in moving}
        losses = {name: places[name].loss(members) for name in moving}
        hidden = self._hidden(moving)
        for name in hidden:
            places.setdefault(name, table.places(name))
        agreements = {name: agreement(members, places[name].keys) for name in hidden}
        return SwapPass(np.diff(members.starts), losses, agreements)

    def _report(
        self,
        n_rows: int,
        passes: list[SwapPass],
        verdicts: list[Verdict],
        seconds: float,
    ) -> Report:
        sizes = np.concatenate([done.sizes for done in passes])
        losses = {str(n): loss for done in passes for n, loss in done.losses.items()}
        found = {
            str(n): alike for done in passes for n, alike in done.agreements.items()
        }
        verdict = {
            "model": self.k_model,
            "params": {"k": int(self.k)},
            "level": self.k_effective_,
            "passed": True,
            "units": len(sizes),
            "failing": 0,
        }
        return Report(
            method=type(self).__name__,
            rows=n_rows,
            suppressed_rows=0,
            extra_suppressed_rows=0,
            classes=asdict(_statistics(sizes)),
            models=(verdict, *(found.to_dict() for found in verdicts)),
            loss=float(np.mean(list(losses.values()))),
            column_losses=losses,
            risk={
                "average-risk": len(sizes) / (n_rows * len(passes)),
                "highest-risk": 1 / self.k_effective_,
            },
            seconds=seconds,
            details={
                **self._details(),
                "value_disclosure": {n: alike.same for n, alike in found.items()},
                "constant_groups": {n: alike.constant for n, alike in found.items()},
            },
        )


def _named(table: Any, names: pd.Index) -> pd.DataFrame:
    """A table as a frame; the columns of an array get their names."""
    frame = to_frame(table)
    return frame if is_frame(table) else frame.set_axis(names, axis=1)


def _statistics(sizes: np.ndarray) -> ClassStatistics:
    return ClassStatistics(
        count=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        mean=float(sizes.mean()),
        variance=float(sizes.var()),
        kept_rows=int(sizes.sum()),
        suppressed_rows=0,
    )


def _in_source_order(found: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """What was found row by row in the order of ties, by the rows of the source."""
    placed = np.empty_like(found)
    placed[ties] = found
    return placed


def _refuse_repeated_persons(subject: pd.Series) -> None:
    rows = np.bincount(identify(subject).codes)
    count = int((rows > 1).sum())
    if count:
        raise DataError(
            f"subject: column {subject.name!r} has several rows for {count} persons; a "
            "group of k rows would not be k persons."
        )


def _refuse_other_model(model: PrivacyModel) -> None:
    """Refuse a model that would not hold of what a swap publishes."""
    if not judges_values(model):
        raise ParameterError(
            f"models: {model.name} is not about sensitive values, and a swap publishes "
            "everything else as it is; k is the number of rows of its groups."
        )


def _refuse_broken(verdict: Verdict) -> None:
    if not verdict.passed:
        raise InfeasibleError(f"{describe_verdict(verdict, 'groups')}.")


def _refuse_bad_groups(labels: np.ndarray, n_rows: int, k: int) -> None:
    """Refuse groups that are no partition of the rows into ``k`` rows or more."""
    whole_numbers = labels.dtype.kind in "iu" and labels.shape == (n_rows,)
    if not whole_numbers or labels.min() < 0 or labels.max() >= n_rows:
        raise InfeasibleError(f"the groups are no partition of {n_rows} rows.")
    sizes = np.bincount(labels)
    small = int((sizes < k).sum())
    if small:
        raise InfeasibleError(
            f"{small} of {len(sizes)} groups hold fewer than k={k} rows; the smallest "
            f"holds {sizes.min()}."
        )

"""Anonymizers of tables that learn a recoding rule."""

import time
import warnings
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from anon_transformers._data.columns import Column, without_rows
from anon_transformers._data.dates import refuse_written_dates
from anon_transformers._data.frames import is_frame, like_input, to_frame
from anon_transformers.base._base import (
    FrameAnonymizer,
    open_table,
    warn_of_repeated,
    warn_of_spelled_subjects,
)
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    approved,
    encode_table,
    index_is_asked_for,
    refuse_ambiguous_labels,
    without_unused_categories,
)
from anon_transformers.base._docs import TABLE_TEXTS
from anon_transformers.base._suppression import (
    Approval,
    SuppressionRules,
    approve,
    can_approve,
    check_promise,
    make_promise,
)
from anon_transformers.engines import (
    Engine,
    LabelTable,
    counted_frame,
    open_engine,
)
from anon_transformers.evidence import SUPPRESSED, Classes, Report
from anon_transformers.evidence._references import by_set, scaled_reference
from anon_transformers.exceptions import (
    DataError,
    ExtraSuppressionWarning,
    NotEvaluable,
    ParameterError,
    level_of_caller,
)
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    class_statistics,
    domain_share_loss,
)
from anon_transformers.parameters import substitute
from anon_transformers.privacy import AllOf, PrivacyModel, Verdict, judge
from anon_transformers.roles import refuse_repeated_columns


class _MaskOfRows:
    """``suppressed_mask_`` where no row has a place; an instance's own hides it."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        fitted = "report_" in vars(instance or self)
        reason = (
            ": a table in an engine has no order of rows; n_suppressed_ says how many "
            "are suppressed."
        )
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute 'suppressed_mask_'"
            f"{reason if fitted else ''}"
        )


@substitute(TABLE_TEXTS)
class TableAnonymizer(FrameAnonymizer):
    """Anonymizer of tables that learns a recoding rule.

    A subclass implements ``_learn(table, models)``, which sets attributes with a
    trailing underscore, and ``_recode(table)``, which returns one
    :class:`PublishedColumn` per quasi-identifier (``_can_publish`` tells a search
    whether they would do). This class does the rest: roles, coding, suppression, the
    final judgment, the report, and the published table.

    Parameters
    ----------
    {quasi_identifiers}
    {k}
    models : list of privacy models, default=None
        Further promises.
    {sensitive_and_identifiers}
    {hierarchies}
    {subject}
    {suppression_limit}
    {suppression}
    {suppression_label}

    Attributes
    ----------
    {report_}
    {n_suppressed_}
    {suppressed_mask_}
    """

    kind: ClassVar[str] = "table"
    model_evidence: ClassVar[tuple[str, ...]] = ("classes",)
    # Whether it learns the same from the distinct combinations and their counts as from
    # all rows; it then takes tables in an engine.
    fits_counts: ClassVar[bool] = False
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {"_learn", "_recode", "_details", "_left_exact"}
    )
    suppressed_mask_: Any = _MaskOfRows()
    # What ``fit`` keeps for other rows.
    _columns: list[Column]
    _sensitive: list[Column]
    _references: dict[Hashable, dict[Any, int]]
    _approved: np.ndarray

    def __init__(
        self,
        quasi_identifiers: Sequence[Hashable] | None = None,
        *,
        k: int = 5,
        models: Sequence[PrivacyModel] | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        hierarchies: Mapping[Any, Hierarchy] | None = None,
        subject: Hashable | None = None,
        suppression_limit: float | None = 0.0,
        suppression: Literal["mask", "drop", "blank"] = "mask",
        suppression_label: str = SUPPRESSED,
    ):
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.models = models
        self.sensitive = sensitive
        self.identifiers = identifiers
        self.hierarchies = hierarchies
        self.subject = subject
        self.suppression_limit = suppression_limit
        self.suppression = suppression
        self.suppression_label = suppression_label

    @abstractmethod
    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn] | None:
        """Learn the recoding rule; set attributes with a trailing underscore.

        A method that is bound to the rows it saw has no rule, and returns what it
        publishes of them.
        """

    @abstractmethod
    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        """Apply the rule, one column per quasi-identifier."""

    def _details(self) -> dict[str, Any]:
        """What the report should hold beside the common numbers, as plain values.

        A mapping of texts to numbers, texts, and lists and mappings of these. Numbers
        by column under ``"levels"`` are shown by ``anon anonymize``. The report is
        published: nothing here may be a value of the input.
        """
        return {}

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Publish ``X`` so that every promised model holds, or raise.

        Parameters
        ----------
        X : data frame or array
            The table to be protected.
        y : ignored
            Not used.

        Returns
        -------
        data frame or array
            Of the kind of ``X``, without its identifiers. If the promise cannot be
            kept within ``suppression_limit``, an InfeasibleError is raised.
        """
        engine = open_engine(X)
        if engine is not None:
            self.fit(X, y)
            return self._publish_in(engine)
        frame, published = self._fit(X)
        return self._publish(X, frame, published, self.suppressed_mask_)

    def fit(self, X: Any, y: Any = None):
        """Learn from a table what may be published of it, and publish nothing.

        Parameters
        ----------
        X : data frame, array, or table in an engine
            The table to be protected. Of a DuckDB relation, a polars LazyFrame or an
            :class:`~anon_transformers.engines.SQLTable`, only the distinct combinations
            are read, where the method needs no more (``fits_counts``).
        y : ignored
            Not used; refused beside a table in an engine, which has no order of rows.

        Returns
        -------
        self
        """
        if y is not None and open_engine(X) is not None:
            raise ParameterError(
                "y: the rows of a table in an engine have no order to follow."
            )
        return super().fit(X, y)

    def transform(self, X: Any) -> Any:
        """Recode rows one by one, promising nothing about this batch.

        What ``fit`` promised belongs to the fitted table. Other rows are recoded with
        the same rule; those the rule does not cover, or whose class was not
        approved, are suppressed. Judge a batch with :meth:`check`.

        Parameters
        ----------
        X : data frame or array
            Rows with the columns of the fitted table.

        Returns
        -------
        data frame or array
            Of the kind of ``X``, without its identifiers.
        """
        check_is_fitted(self)
        engine = open_engine(X)
        if engine is not None:
            return self._publish_in(engine)
        frame, table = self._reopen(X)
        published = self._recode(table)
        return self._publish(X, frame, published, ~approved(self._approved, published))

    def check(self, table: Any) -> list[Verdict]:
        """Judge a published table by every model this anonymizer was given.

        Parameters
        ----------
        table : data frame or array
            Published rows; beside them the ``subject`` column, if there is one.

        Returns
        -------
        list of Verdict
            One per model.
        """
        check_is_fitted(self)
        roles, subject = self.roles_, self.roles_.subject
        engine = open_engine(table)
        columns = engine.columns if engine is not None else to_frame(table).columns
        if engine is None and not is_frame(table):
            table = to_frame(table).set_axis(self._kept_columns, axis=1)
            columns = self._kept_columns
        if subject not in {None, *columns}:
            raise NotEvaluable(f"persons cannot be counted without column {subject!r}.")
        wanted = [*roles.quasi_identifiers, *roles.sensitive]
        wanted += [] if subject is None else [subject]
        frame, rows = counted_frame(table, wanted)
        # A batch may hold more rows than were fitted: only the shares are asked for.
        references = {
            name: scaled_reference(
                held, frame[name], None if subject is None else frame[subject], rows
            )
            for name, held in self._references.items()
            if name in frame.columns
        }
        classes = Classes.from_frame(
            frame,
            roles.quasi_identifiers,
            roles.sensitive,
            subject,
            self.suppression_label,
            weights=rows,
            references=references,
            hierarchies={c.name: c.hierarchy for c in self._sensitive if c.hierarchy},
        )
        return [judge(model, classes) for model in self._promise().models]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Numbers are published as texts, unless a subclass says otherwise.
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _promise(self) -> AllOf:
        """Everything that was asked for, as one model; checks the parameters."""
        return make_promise(self.k, self.models)

    def _check_parameters(self) -> None:
        self._promise()
        limit = 0.0 if self.suppression_limit is None else self.suppression_limit
        SuppressionRules(limit, self.suppression, self.suppression_label).check()
        if self.hierarchies and not self.uses_hierarchies:
            raise ParameterError(
                f"{type(self).__name__} uses no hierarchies (a method that does "
                "declares uses_hierarchies = True)."
            )

    def _fit(self, X: Any) -> tuple[pd.DataFrame, list[PublishedColumn]]:
        started = time.perf_counter()
        self._forget()
        promise = self._promise()
        frame, table = self._read(X)
        check_promise(promise, table)
        published = self._learn(table, promise) or self._recode(table)
        refuse_ambiguous_labels(table, published, self.suppression_label)
        approval = self._approve(table, published, promise)
        self._columns = [without_rows(column) for column in table.quasi_identifiers]
        self._sensitive = [without_rows(column) for column in table.sensitive]
        self._references = {
            c.name: by_set(c, table.reference(c)) for c in table.sensitive
        }
        seconds = time.perf_counter() - started
        self.report_ = make_report(self, table, published, approval, seconds)
        return frame, published

    def _read(self, X: Any) -> tuple[pd.DataFrame, CodedTable]:
        """A table to learn from, or its distinct combinations, and these coded."""
        engine = open_engine(X)
        if engine is None:
            frame = self._open(X, reset=True)
            return frame, self._encode(frame)
        if not self.fits_counts:
            open_table(self, X, reset=True)  # says that rows are needed
        self._refuse_output()
        columns = pd.Index(engine.columns)
        refuse_repeated_columns(list(columns))
        self.feature_names_in_ = columns.to_numpy(dtype=object)
        self.n_features_in_ = len(columns)
        self._note_columns(columns, named=True)
        roles = self.roles_
        subject = [] if roles.subject is None else [roles.subject]
        wanted = [*roles.quasi_identifiers, *roles.sensitive, *subject]
        counts = engine.count(list(dict.fromkeys(wanted)))
        if not len(counts.rows):
            raise DataError("the table is empty: it has 0 sample(s).")
        if subject:
            warn_of_spelled_subjects(counts.frame, roles.subject)
        else:
            repeated = {name: engine.n_repeated(name) for name in roles.identifiers}
            warn_of_repeated({n: c for n, c in repeated.items() if c})
        return counts.frame, self._encode(counts.frame, counts.rows)

    def _refuse_output(self) -> None:
        if index_is_asked_for(self):
            raise ParameterError(
                "set_output: what a table in an engine becomes is a table of the same "
                "kind; collect it first where a frame is wanted."
            )

    def _reopen(self, X: Any) -> tuple[pd.DataFrame, CodedTable]:
        """Other rows, and their quasi-identifiers coded as the fitted ones."""
        frame = self._open(X, reset=False)
        if not (self._named and is_frame(X)):  # by position, as scikit-learn does
            frame = frame.set_axis(self._all_columns, axis=1)
        coded = tuple(
            column.encode_more(frame[name])
            for column, name in zip(
                self._columns, self.roles_.quasi_identifiers, strict=True
            )
        )
        return frame, CodedTable(len(frame), coded)

    def _hierarchy_of(self, series: pd.Series) -> Any:
        """Hierarchy of a quasi-identifier or what builds it; None if there is none."""
        return (self.hierarchies or {}).get(series.name)

    def _own_hierarchies(self) -> dict[Hashable, Any]:
        """What builds hierarchies of quasi-identifiers for which none is given."""
        return {}

    def _limit(self, n_rows: int) -> float:
        """Share of rows that may be suppressed, or their number."""
        return self.suppression_limit or 0.0

    def _rules(self, n_rows: int) -> SuppressionRules:
        """How rows of a table of this size are suppressed."""
        return SuppressionRules(
            self._limit(n_rows), self.suppression, self.suppression_label
        )

    def _encode(
        self, frame: pd.DataFrame, weights: np.ndarray | None = None
    ) -> CodedTable:
        """Code a table; ``weights`` are the rows that each row of it stands for."""
        table = encode_table(
            frame,
            self.roles_,
            self.hierarchies or {},
            self._hierarchy_of,
            self.suppression_label,
            weights,
        )
        for column in table.quasi_identifiers:
            if column.name not in self._described():
                refuse_written_dates(frame[column.name], column.values)
        return table

    def _left_exact(self, table: CodedTable) -> list[Any]:
        """Quasi-identifiers whose values this method cannot make less exact."""
        return []

    def _described(self) -> Mapping[Any, Any]:
        """Columns of which a parameter says what their values are."""
        return self.hierarchies or {}

    def _approve(self, table: CodedTable, published: list, promise: AllOf) -> Approval:
        """Decide which classes may be published, and remember them."""
        approval = approve(table, published, promise, self._rules(table.n_rows))
        self._approved = approval.codes
        self.__dict__.pop("suppressed_mask_", None)
        if table.weights is None:
            self.suppressed_mask_ = approval.suppressed
        self.n_suppressed_ = table.count_rows(approval.suppressed)
        self.n_extra_suppressed_ = approval.outcome.n_extra_rows
        self._warn_of_extra_rows()
        return approval

    def _warn_of_extra_rows(self) -> None:
        """Warn where whole classes go for the sake of a few rows."""
        extra = self.n_extra_suppressed_
        violating = self.n_suppressed_ - extra
        if extra > violating:
            warnings.warn(
                f"{self.n_suppressed_} rows are suppressed, though {violating} "
                f"break{'s'[: violating == 1]} the promise: suppressed rows are "
                "published as one class, which must keep it too, and so further "
                f"classes with {extra} rows went, smallest first. With "
                "suppression='drop' none of these goes.",
                ExtraSuppressionWarning,
                stacklevel=level_of_caller(),
            )

    def _can_publish(self, table: CodedTable, published: list, models: AllOf) -> bool:
        """Whether these columns keep the promise; for a search that tries several."""
        return can_approve(table, published, models, self._rules(table.n_rows))

    def _publish(
        self,
        X: Any,
        frame: pd.DataFrame,
        published: list[PublishedColumn],
        suppressed: np.ndarray,
    ) -> Any:
        recoded = zip(self.roles_.quasi_identifiers, published, strict=True)
        changed: dict[Hashable, Any] = {
            name: column.decode(suppressed, self.suppression_label)
            for name, column in recoded
        }
        if self.suppression == "blank":
            for name in self.roles_.sensitive:
                changed[name] = frame[name].mask(suppressed)
        # Untouched columns as series: pandas has another type for texts in an array.
        table = pd.DataFrame(
            {n: changed[n] if n in changed else frame[n] for n in self._kept_columns},
            frame.index,
        )
        rows = ~suppressed if self.suppression == "drop" else None
        table = table if rows is None else table[rows]
        if suppressed.any() and self.suppression != "mask":
            table = without_unused_categories(table)
        if not index_is_asked_for(self):
            table = table.reset_index(drop=True)
        return like_input(table, X, changed, rows)

    def _publish_in(self, engine: Engine) -> Any:
        """Recode a table where it lives, by the rule that was learned."""
        self._refuse_output()
        names = list(self.roles_.quasi_identifiers)
        engine.refuse_unknown(self._kept_columns)
        counts = engine.count_keys(names)
        coded = [
            column.encode_more(counts.frame[name])
            for column, name in zip(self._columns, names, strict=True)
        ]
        n_rows = int(counts.rows.sum())
        table = CodedTable(n_rows, tuple(coded), weights=counts.rows)
        published = self._recode(table)
        suppressed = ~approved(self._approved, published)
        labels = {
            name: column.decode(suppressed, self.suppression_label)
            for name, column in zip(names, published, strict=True)
        }
        emptied: list[Any] = []
        if self.suppression == "blank":
            emptied = list(self.roles_.sensitive)
        return engine.recode(
            LabelTable(
                keys=counts.keys,
                labels=pd.DataFrame(labels),
                suppressed=suppressed,
                columns=self._kept_columns.tolist(),
                emptied=emptied,
                drops=self.suppression == "drop",
                suppression_label=self.suppression_label,
            )
        )


def make_report(
    anonymizer: Any,
    table: CodedTable,
    published: list[PublishedColumn],
    approval: Approval,
    seconds: float,
) -> Report:
    """Put the numbers of a fitted anonymizer together."""
    settled, n_rows = approval.outcome, table.n_rows
    classes = settled.published
    names = [str(name) for name in anonymizer.roles_.quasi_identifiers]
    losses = [column.loss(approval.suppressed, table.weights) for column in published]
    return Report(
        method=type(anonymizer).__name__,
        rows=n_rows,
        suppressed_rows=n_rows - int(classes.kept().rows.sum()),
        extra_suppressed_rows=anonymizer.n_extra_suppressed_,
        classes=asdict(class_statistics(classes)),
        models=tuple(verdict.to_dict() for verdict in settled.verdicts),
        loss=domain_share_loss(losses),
        column_losses=dict(zip(names, losses, strict=True)),
        risk={m.name: m.measure(classes) for m in (AverageRisk(), HighestRisk())},
        seconds=seconds,
        details=anonymizer._details(),
    )

"""What anonymizers that publish sets have in common."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from anon_transformers._data.columns import Column
from anon_transformers.base import TableAnonymizer
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    approved,
    refuse_too_few,
)
from anon_transformers.base._suppression import Approval, approve, make_promise
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
    check_choice,
    check_columns,
)
from anon_transformers.fuzzy._bounds import (
    SetRequest,
    check_n_sets,
    numbers_by_column,
    refuse_kind,
    refuse_objects,
    refuse_single_sets,
)
from anon_transformers.fuzzy._breaks import OUTER_LIMITS
from anon_transformers.fuzzy._coding import (
    MOST_DEGREES,
    Coding,
    CodingCache,
    NoSets,
    count_distinct,
    kept_degrees,
    labels_read,
)
from anon_transformers.fuzzy._naming import Labels, given_names
from anon_transformers.fuzzy._publishing import grouped_table
from anon_transformers.fuzzy._rules import CenterRule, SetRule
from anon_transformers.fuzzy._scaling import SCALES
from anon_transformers.fuzzy._search import Numbers, SetBounds, Trial, find_n_sets
from anon_transformers.metrics import domain_share_loss
from anon_transformers.parameters import generator, whole
from anon_transformers.privacy import (
    AllOf,
    PrivacyModel,
    Verdict,
    describe_model,
    describe_verdict,
    judge_both,
)

CHOICES: dict[str, tuple[Any, ...]] = {
    "coding": ("independent", "joint"),
    "scale": SCALES,
    "keep_memberships": (False, True),
}

PRIVATE = ("degrees_", "class_names_", "centers_", "norms_")
"""Attributes that are kept only if a user asks for them."""


class SetRecoder(TableAnonymizer):
    """Base of anonymizers that replace values by the sets they belong to.

    A subclass implements ``_make_rule``, which puts the rows of one block of columns
    into a given number of sets. This class does the rest: which columns go together,
    how many sets there are, missing values, the judgment of fuzzy models, and what is
    kept of the private evidence.
    """

    uses_hierarchies: ClassVar[bool] = True
    model_evidence: ClassVar[tuple[str, ...]] = ("classes", "memberships")
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {"_approve", "_encode", "_hierarchy_of", "_promise"}
    )
    random_state: Any = None
    n_sets: int | Mapping[Any, int] | None
    max_sets: int
    labels: Labels
    keep_memberships: bool

    @abstractmethod
    def _make_rule(
        self,
        columns: Sequence[Column],
        n_sets: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
    ) -> SetRule:
        """Put rows into sets.

        Parameters
        ----------
        columns : sequence of Column
            The columns of one block, with the rows that lack no value in them.
        n_sets : int
            How many sets, at most as many as there are different rows.
        names : tuple of str or None
            What the user calls them.
        rng : Generator
            Where randomness comes from.
        """

    def publish_grouped(self, X: Any) -> pd.DataFrame:
        """Group rows by class, promising nothing about another table than the fitted.

        Of the fitted table this publishes less than ``fit_transform``: with each class
        the list of sensitive values of the rows that publish its labels. Suppressed
        rows are left out. (:func:`grouped_table` lists by degrees.)

        Parameters
        ----------
        X : data frame or array
            The fitted table.

        Returns
        -------
        DataFrame
            One row per class.
        """
        check_is_fitted(self)
        frame, table = self._reopen(X)
        published = self._coding.publish(table.quasi_identifiers)
        kept = approved(self._approved, published)
        if not kept.any():
            raise DataError("no row of the table is in a class that may be published.")
        roles = self.roles_
        degrees = self._coding.degrees(table.quasi_identifiers)[kept]
        own = degrees.argmax(axis=1)[:, None] == np.arange(degrees.shape[1])
        rows = Memberships.from_frame(own.astype(float), frame[kept], roles.sensitive)
        grouped = grouped_table(
            rows, self._coding.class_names(), roles.quasi_identifiers
        )
        # A row may belong to two classes by one half each, of which one is not shown.
        codes = [
            pd.Index(column.labels).get_indexer(pd.Index(grouped[name], dtype=object))
            for name, column in zip(roles.quasi_identifiers, published, strict=True)
        ]
        columns = [
            replace(column, codes=code)
            for column, code in zip(published, codes, strict=True)
        ]
        return grouped[approved(self._approved, columns)].reset_index(drop=True)

    def check(self, table: Any) -> list[Verdict]:
        """Judge a published table by every model this anonymizer was given.

        Parameters
        ----------
        table : data frame or array
            Published rows; beside them the ``subject`` column, if there is one.

        Returns
        -------
        list of Verdict
            One per model. A model that judges degrees raises NotEvaluable: labels do
            not show them. ``report_.models`` has its verdict on the fitted table.
        """
        for model in self._fuzzy_models():
            raise NotEvaluable(
                f"{model.name} judges degrees, and a published table has none; "
                "report_.models has the verdict on the fitted table."
            )
        return super().check(table)

    @property
    def publishes(self) -> str:
        """What it puts into quasi-identifiers."""
        return "names"

    @property
    def extremes(self) -> str:
        """What the outer limits of intervals reveal about single persons."""
        shown = self._shows_limits() and not self._names_all_sets()
        return OUTER_LIMITS if shown else ""

    def _check_release(self) -> None:
        if self.extremes and self.suppression_limit:
            raise ParameterError(
                "labels: name the sets of every column; limits are computed from all "
                "rows, and would tell of suppressed rows too. Or set "
                "suppression_limit: 0."
            )

    def _shows_limits(self) -> bool:
        """Whether sets that the user does not name are called by their limits."""
        return False

    def _names_all_sets(self) -> bool:
        if isinstance(self.labels, Mapping):
            names = self.quasi_identifiers
            return names is not None and set(names) <= set(self.labels)
        return self.labels is not None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags

    def _take(self, arguments: Mapping[str, Any]) -> None:
        """Store the arguments of the constructor as they were given."""
        for name in self._get_param_names():
            setattr(self, name, arguments[name])

    def _fuzzy_models(self) -> list[PrivacyModel]:
        """Those of the models that judge degrees."""
        listed = self.models if isinstance(self.models, Sequence) else ()
        return [model for model in listed if _judges_degrees(model)]

    def _promise(self) -> AllOf:
        models = self.models
        if isinstance(models, Sequence):
            models = [model for model in models if not _judges_degrees(model)]
        return make_promise(self.k, models)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, choices in CHOICES.items():
            if name in self.get_params(deep=False):
                check_choice(name, getattr(self, name), choices)
        self._check_fuzzy_models()
        check_n_sets(self.n_sets)
        for key in ("n_sets", "labels"):
            if isinstance(stated := getattr(self, key), Mapping):
                check_columns(key, stated, self.quasi_identifiers)
        whole("max_sets", self.max_sets, 2)
        generator(self.random_state)

    def _check_fuzzy_models(self) -> None:
        """Refuse what a table cannot be promised by."""
        for model in self._fuzzy_models():
            if not getattr(model, "for_search", True):
                raise ParameterError(
                    f"models: {model!r} is no promise for every set and every row; it "
                    "is for published numbers. Leave aggregation and the like out."
                )
            if self.subject is not None:
                raise ParameterError(
                    f"models: {model.name} counts rows, and subject={self.subject!r} "
                    "asks for persons."
                )

    def _encode(
        self, frame: pd.DataFrame, weights: np.ndarray | None = None
    ) -> CodedTable:
        table = super()._encode(frame, weights)
        for column in table.quasi_identifiers:
            refuse_objects(column, frame[column.name])
            if not self._takes(column):
                refuse_kind(column)
        return table

    def _hierarchy_of(self, series: pd.Series) -> None:
        """Sets are made of values, whatever hierarchy they may have."""

    def _takes(self, column: Column) -> bool:
        """Whether sets can be made of a column."""
        return column.kind in {"number", "date"}

    def _places(self, n_columns: int) -> list[tuple[int, ...]]:
        """Which columns are coded together."""
        if getattr(self, "coding", "independent") == "joint":
            return [tuple(range(n_columns))]
        return [(at,) for at in range(n_columns)]

    def _requests(
        self, table: CodedTable, places: Sequence[tuple[int, ...]]
    ) -> list[SetRequest]:
        """What is asked of each block of columns."""
        columns = [column.name for column in table.quasi_identifiers]
        described = [f"column {name!r}" for name in columns]
        if len(places) < len(columns):
            for key in ("n_sets", "labels"):
                if isinstance(getattr(self, key), Mapping):
                    raise ParameterError(
                        f"{key}: coding='joint' makes the same sets of all columns, "
                        "and takes no dict of columns."
                    )
            columns, described = columns[:1], ["the table"]
        numbers = numbers_by_column(self.n_sets, columns)
        names = given_names(self.labels, columns)
        distinct = [count_distinct(table, at) for at in places]
        return [
            SetRequest(*w)
            for w in zip(described, numbers, names, distinct, strict=True)
        ]

    def _learn(self, table: CodedTable, models: AllOf) -> list[PublishedColumn]:
        for name in PRIVATE:
            self.__dict__.pop(name, None)
        refuse_too_few(table.points(), self.k, table.subject)
        places = self._places(len(table.quasi_identifiers))
        requests = self._requests(table, places)
        bounds = [request.bounds(self.max_sets) for request in requests]
        refuse_single_sets(requests, bounds)
        rng = generator(self.random_state)
        codings = CodingCache(table, places, requests, self._make_rule, rng)
        numbers = self._choose(table, models, codings, bounds)
        self._coding = codings.coding(numbers)
        return codings.published(numbers)

    def _choose(
        self,
        table: CodedTable,
        models: AllOf,
        codings: CodingCache,
        bounds: list[SetBounds],
    ) -> Numbers:
        """How many sets each block gets: as asked for, or as a search finds."""
        self.tried_: list[dict[str, Any]] = []
        if all(bound.fewest == bound.most for bound in bounds):
            return tuple(bound.fewest for bound in bounds)

        def attempt(numbers: Numbers) -> Trial:
            try:
                coding = codings.coding(numbers)
                published = codings.published(numbers)
                _refuse_one_class(table, published)
                approval = approve(table, published, models, self._rules(table.n_rows))
                self._judge_degrees(table, coding, published, approval.suppressed)
            except (InfeasibleError, NotEvaluable, NoSets) as error:
                return Trial(numbers, None, str(error))
            losses = [column.loss(approval.suppressed) for column in published]
            return Trial(numbers, domain_share_loss(losses))

        found = find_n_sets(bounds, attempt, codings.least_loss)
        if found.best is None:
            first = found.trials[0]
            raise InfeasibleError(
                f"{found.refusal(self.max_sets)} With "
                f"{self._sets_in_words(first.n_sets)}: {first.reason} Fewer or coarser "
                "quasi-identifiers, a smaller promise, or a larger suppression_limit "
                "may help."
            )
        self.tried_ = [
            {"n_sets": self._shown_sets(trial.n_sets), "loss": trial.loss}
            for trial in found.trials
        ]
        self._proved = found.proved
        return found.best.n_sets

    def _judge_degrees(
        self,
        table: CodedTable,
        coding: Coding,
        published: list[PublishedColumn],
        suppressed: np.ndarray,
    ) -> list[Verdict]:
        """Ask the fuzzy models about degrees and about labels, or raise.

        Degrees are those of the rows that are kept; in labels the suppressed rows are a
        class like any other.
        """
        models = self._fuzzy_models()
        if not models:
            return []
        if len(suppressed) * coding.n_classes > MOST_DEGREES:
            raise InfeasibleError(
                f"{describe_model(models[0])} cannot be judged: {coding.n_classes} "
                "product classes are too many."
            )
        fuzzy = kept_degrees(table, coding, suppressed)
        crisp = labels_read(table, published, suppressed, self.suppression)
        verdicts = [judge_both(model, fuzzy, crisp) for model in models]
        for verdict in verdicts:
            if not verdict.passed:
                raise InfeasibleError(f"{describe_verdict(verdict, 'units')}.")
        return verdicts

    def _approve(self, table: CodedTable, published: list, promise: AllOf) -> Approval:
        try:
            _refuse_one_class(table, published)
            approval = super()._approve(table, published, promise)
            verdicts = self._judge_degrees(
                table, self._coding, published, self.suppressed_mask_
            )
        except (InfeasibleError, NotEvaluable) as error:
            n_sets = self._shown_sets(self._coding.n_sets)
            raise InfeasibleError(f"with n_sets={n_sets}: {error}") from None
        if self.keep_memberships:
            self._keep_evidence(table)
        outcome = approval.outcome
        outcome = replace(outcome, verdicts=[*outcome.verdicts, *verdicts])
        return replace(approval, outcome=outcome)

    def _recode(self, table: CodedTable) -> list[PublishedColumn]:
        return self._coding.publish(table.quasi_identifiers)

    def _keep_evidence(self, table: CodedTable) -> None:
        """Keep degrees and what they come from."""
        self.degrees_ = self._coding.degrees(table.quasi_identifiers)
        self.class_names_ = self._coding.class_names()
        rules = [b.rule for b in self._coding.blocks if isinstance(b.rule, CenterRule)]
        if not rules:
            return
        self.centers_ = {
            table.quasi_identifiers[block.at[used]].name: axis.back(rule.centers[:, at])
            for block in self._coding.blocks
            if isinstance(rule := block.rule, CenterRule)
            for at, (axis, used) in enumerate(zip(rule.axes, rule.used, strict=True))
        }
        if rules[0].norms is not None:
            self.norms_ = [rule.norms for rule in rules]

    def _shown_sets(self, numbers: Numbers) -> Any:
        """Numbers of sets by column, or the one of all columns together."""
        names = [str(name) for name in self.roles_.quasi_identifiers]
        if len(numbers) < len(names):
            return numbers[0]
        return dict(zip(names, numbers, strict=True))

    def _sets_in_words(self, numbers: Numbers) -> str:
        """Numbers of sets, for an error: those of each column, or of all together."""
        shown = self._shown_sets(numbers)
        if not isinstance(shown, dict):
            return f"{shown} sets"
        return "sets " + ", ".join(f"{name}: {n}" for name, n in shown.items())

    def _details(self) -> dict[str, Any]:
        coding = getattr(self, "coding", "independent")
        details = {"coding": coding, "n_sets": self._shown_sets(self._coding.n_sets)}
        if not self.tried_:
            return details
        # How many only: most choices broke the promise, and the report is published.
        return {**details, "tried": len(self.tried_), "proved_least": self._proved}


def _judges_degrees(model: Any) -> bool:
    """Whether a model wants degrees; a class is no model yet."""
    evidence = getattr(model, "evidence", None)
    return evidence == "memberships" and not isinstance(model, type)


def _refuse_one_class(table: CodedTable, published: list[PublishedColumn]) -> None:
    """Refuse to put different rows into one and the same class, all of them."""
    one = all((column.codes == column.codes[0]).all() for column in published)
    if one and any((c.codes != c.codes[0]).any() for c in table.quasi_identifiers):
        raise InfeasibleError(
            "every row would be published in the same class, which tells nothing."
        )

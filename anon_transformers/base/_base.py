"""What all anonymizers have in common, whatever they promise."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import get_annotations
from types import FunctionType, MethodType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from anon_transformers._data.columns import Column, to_text
from anon_transformers._data.frames import is_frame, to_frame
from anon_transformers._data.persons import read_likely_persons, read_persons
from anon_transformers._data.ties import tie_order
from anon_transformers.engines import open_engine
from anon_transformers.exceptions import (
    DataError,
    PluginError,
    RepeatedIdentifierWarning,
    SpellingWarning,
    level_of_caller,
)
from anon_transformers.roles import Roles, refuse_repeated_columns


class BaseAnonymizer(TransformerMixin, BaseEstimator):
    """Common ground of table and graph anonymizers.

    Attributes
    ----------
    kind : str
        What it anonymizes; decides which contract checks apply.
    k_model : str
        Name of the privacy model that its parameter ``k`` promises.
    private_parameters : tuple of str
        Parameters whose values may tell of the input; a release publishes that they
        were given, and not what.
    publishes : {"labels", "names", "centers", "swaps", "noise"}
        What it puts into quasi-identifiers, by which a release checks it: values,
        groups and ranges that cover the value of the row; names of its own; numbers or
        values within those of the row's class; the cells of other rows; or cells that
        are changed at random, by added noise or PRAM. No privacy model judges the last
        ones: what publishes noise is refused where it is registered or built for a
        release.
    row_bound : bool
        Whether it learns no rule for other rows than those it saw. It then has ``fit``
        and ``fit_transform`` and no ``transform``. A class whose parameters decide it
        makes a property of it.
    not_promised : tuple of str
        What it does not protect from, beside what its models do not: one sentence each.
    """

    kind: ClassVar[str]
    k_model: ClassVar[str] = "k-anonymity"
    private_parameters: ClassVar[tuple[str, ...]] = ()
    row_bound: ClassVar[bool] = False
    not_promised: ClassVar[tuple[str, ...]] = ()
    # Private methods that subclasses are meant to write. A class that replaces another
    # one of its base class on purpose names it here.
    _hooks: ClassVar[frozenset[str]] = frozenset(
        {"_check_parameters", "_check_release", "_hooks"}
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not _is_base_class(cls):
            _refuse_hidden_names(cls)
        if "transform" in vars(cls):
            _guard_transform(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        # A method that an instance hides breaks the base class somewhere else, with an
        # error that names neither.
        if name.startswith("_") and isinstance(
            getattr(type(self), name, None), FunctionType | property
        ):
            raise PluginError(
                f"{type(self).__name__} sets the attribute {name!r}, which is a method "
                "of its base class; store what is learnt in attributes with a trailing "
                f"underscore, such as {name.lstrip('_')}_."
            )
        super().__setattr__(name, value)

    def transform(self, X: Any) -> Any:
        """Recode rows one by one; not there if ``row_bound`` is true.

        Parameters
        ----------
        X : data frame or array
            Rows with the columns of the fitted table.
        """
        raise NotImplementedError

    # The same, also there for a method that is bound to its rows.
    _transform = transform

    @property
    def publishes(self) -> str:
        """What it puts into quasi-identifiers."""
        return "labels"

    @property
    def extremes(self) -> str:
        """What published values reveal about single persons, in a sentence or two.

        A release warns of it and its report says it. Empty: no published value is
        somebody's extreme, or computed from the values of few.
        """
        return ""

    @classmethod
    def release_defaults(cls, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters that a release sets where its file has not ``stated`` them."""
        return {}

    def _check_release(self) -> None:
        """Refuse what may be studied and not released; raises ParameterError."""

    @classmethod
    @abstractmethod
    def test_instances(cls) -> list["BaseAnonymizer"]:
        """Configurations that the contract checks run on."""

    def _check_parameters(self) -> None:
        """Refuse parameters that mean nothing, before a table is seen."""


def _is_base_class(cls: type) -> bool:
    """Whether it is one of this package, from which anonymizers are derived."""
    return cls.__module__.rpartition(".")[0] == __package__


def _refuse_hidden_names(cls: type) -> None:
    """Refuse what would replace a private name of a base class without knowing it."""
    hooks: set[str] = set().union(*(vars(c).get("_hooks", ()) for c in cls.__mro__))
    for base in filter(_is_base_class, cls.__mro__):
        for name, what in _private_names(base).items():
            owner = next((c for c in cls.__mro__ if name in vars(c)), base)
            # Classes between were asked when they were made; a mixin never was.
            own = owner is cls or not issubclass(owner, BaseAnonymizer)
            if own and name not in hooks:
                raise PluginError(
                    f"{owner.__name__}.{name} hides {what} of {base.__name__}; choose "
                    "another name."
                )


def _private_names(base: type) -> dict[str, str]:
    """Methods of a base class, and attributes that its instances have."""
    methods = {
        name: "a method"
        for name, held in vars(base).items()
        if isinstance(held, FunctionType | property | classmethod | staticmethod)
    }
    found = {**dict.fromkeys(get_annotations(base), "an attribute"), **methods}
    return {n: w for n, w in found.items() if n[0] == "_" and n[:2] != "__"}


def _guard_transform(cls: Any) -> None:
    """Take ``transform`` away from instances that are bound to their rows.

    Called when the class is made: scikit-learn wraps what a class body defines, and
    would make a method of it that is always there.
    """
    cls._transform = cls.transform
    cls.transform = _OfRules(cls.transform)


class _OfRules:
    """A method that instances have if they learn a rule; ``available_if`` hides why."""

    def __init__(self, method: Callable[..., Any]):
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self.method
        if instance.row_bound:
            raise AttributeError(
                f"{type(instance).__name__!r} object has no attribute 'transform': "
                f"{type(instance).__name__} is bound to the rows it saw (row_bound), "
                "and has fit_transform only."
            )
        return MethodType(self.method, instance)


_guard_transform(BaseAnonymizer)


class FrameAnonymizer(OneToOneFeatureMixin, BaseAnonymizer):
    """Anonymizer of tables, each of whose columns has a role.

    It opens tables of any kind, finds the roles and drops the identifiers. A subclass
    sets ``report_`` as the last thing of ``fit``.
    """

    uses_hierarchies: ClassVar[bool] = False
    # Of a scheduled release; no parameter, for whoever knows it knows how ties fell.
    _tie_key: bytes | None = None
    # What ``fit`` keeps of the table: whether its columns had names, and which.
    _named: bool
    _all_columns: pd.Index
    _kept_columns: pd.Index
    _kept_positions: np.ndarray
    quasi_identifiers: Sequence[Hashable] | None
    sensitive: Sequence[Hashable] | None
    identifiers: Sequence[Hashable] | None
    subject: Hashable | None

    def fit(self, X: Any, y: Any = None):
        """Learn from a table what may be published of it, and publish nothing.

        Parameters
        ----------
        X : data frame or array
            The table to be protected.
        y : ignored
            Not used.

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    @abstractmethod
    def _fit(self, X: Any) -> tuple[pd.DataFrame, Any]:
        """Learn from a table; it as a frame, and what it takes to publish it."""

    def _begin(self, X: Any) -> pd.DataFrame:
        """Forget an earlier fit, check the parameters and open the table."""
        self._forget()
        return self._open(X, reset=True)

    def _forget(self) -> None:
        """Forget an earlier fit, and check the parameters."""
        # The report comes last: after a fit that fails nothing passes for fitted.
        self.__dict__.pop("report_", None)
        self._check_parameters()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the published columns: all but the identifiers.

        Parameters
        ----------
        input_features : array of str, default=None
            Names of the columns of the fitted table, if it had none.
        """
        names = super().get_feature_names_out(input_features)
        return names[self._kept_positions]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "report_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

    def _resolve(self, columns: pd.Index) -> Roles:
        """The role of every column."""
        return Roles.resolve(
            columns,
            self.quasi_identifiers,
            self.sensitive,
            self.identifiers,
            self.subject,
        )

    def _tie_order(
        self, n_rows: int, rng: np.random.Generator, subject: Column | None = None
    ) -> np.ndarray:
        """Rows in the order in which they win ties.

        A method that must choose between rows takes them in this order, never in that
        of the source and never by a sensitive value.
        """
        return tie_order(n_rows, rng, subject, self._tie_key)

    def _open(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """Check ``X`` as scikit-learn does, and turn it into a pandas frame."""
        frame = open_table(self, X, reset=reset)
        if not reset:
            return frame
        self._note_columns(frame.columns, named=is_frame(X))
        if self.roles_.subject is None:
            warn_of_repeated_identifiers(frame, self.roles_.identifiers)
        else:
            warn_of_spelled_subjects(frame, self.roles_.subject)
        return frame

    def _note_columns(self, columns: pd.Index, *, named: bool) -> None:
        """Give every column its role, and remember which are published."""
        self._named, self._all_columns = named, columns
        self.roles_ = self._resolve(columns)
        published = ~columns.isin(self.roles_.identifiers)
        self._kept_positions = np.flatnonzero(published)
        self._kept_columns = columns[published]


def open_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> pd.DataFrame:
    """Check ``X`` as scikit-learn does, and turn it into a pandas frame."""
    engine = open_engine(X)
    if engine is not None:
        raise DataError(
            f"{type(estimator).__name__} needs the rows themselves, and X is a table "
            f"in an engine ({engine.name}); collect it as a frame first: "
            f"{engine.collected}."
        )
    if isinstance(X, pd.DataFrame):
        refuse_repeated_columns(list(X.columns))
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        flat = isinstance(X, np.ndarray | list | tuple) and np.ndim(X) == 1
        if flat:  # scikit-learn's own message would quote the cells
            raise DataError(
                "Expected 2D array, got 1D array instead. Reshape your data."
            )
        X = validate_data(
            estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan"
        )
    frame = to_frame(X)
    if not len(frame):
        raise DataError("the table is empty: it has 0 sample(s).")
    return frame


OVERLOOKED = (
    "case, blanks, accents, the order of words, what divides a code, spellings of a "
    "number"
)
"""Differences that make nobody another person to a reader."""
MOST_NAMED = 3
"""Columns that a message names, before it says how many more there are."""


def repeated_identifiers(
    frame: pd.DataFrame,
    identifiers: Sequence[Hashable],
    read: Callable[[Sequence[str]], np.ndarray] = read_persons,
) -> dict[Hashable, int]:
    """Identifiers that repeat, as people read them, and how many values do.

    The one with the most distinct values comes first: if one of them tells persons
    apart, it does.

    Parameters
    ----------
    frame : data frame
        The table.
    identifiers : sequence
        Columns of it.
    read : callable
        Which texts name one person.

    Examples
    --------
    >>> frame = pd.DataFrame({"name": ["Ann", "Ann", "Bob"], "visit": [1, 2, 3]})
    >>> repeated_identifiers(frame, ["name", "visit"])
    {'name': 1}
    """
    found, distinct = {}, {}
    for name in identifiers:
        rows = to_text(frame[name]).value_counts()
        by_person = rows.groupby(
            persons_in(frame[name], rows.index.tolist(), read)
        ).sum()
        n_values = int((by_person > 1).sum())
        if n_values:
            found[name], distinct[name] = n_values, len(by_person)
    order = sorted(found, key=lambda name: -distinct[name])
    return {name: found[name] for name in order}


def persons_in(
    column: pd.Series,
    texts: Sequence[str],
    read: Callable[[Sequence[str]], np.ndarray] = read_persons,
) -> np.ndarray:
    """The person that each of the distinct ``texts`` of a column names to a reader."""
    if types.is_numeric_dtype(column.dtype):  # a number has one spelling
        return np.arange(len(texts))
    return read(texts)


def describe_repeated(found: Mapping[Hashable, int]) -> str:
    """The first few identifiers that repeat, in words.

    Examples
    --------
    >>> describe_repeated({"name": 2})
    "identifier 'name' repeats (2 values stand in several rows)"
    """
    named = "; ".join(
        f"identifier {name!r} repeats ({n_values} values stand in several rows)"
        for name, n_values in list(found.items())[:MOST_NAMED]
    )
    more = len(found) - MOST_NAMED
    return f"{named}; and {more} more" if more > 0 else named


def warn_of_repeated_identifiers(
    frame: pd.DataFrame, identifiers: Sequence[Hashable]
) -> None:
    """Warn where rows are counted, and an identifier says that persons have several."""
    found, condition = repeated_identifiers(frame, identifiers), ""
    if not found:
        found = repeated_identifiers(frame, identifiers, read_likely_persons)
        condition = ", if zeros before a number mean nothing"
    warn_of_repeated(found, condition)


def warn_of_repeated(found: Mapping[Hashable, int], condition: str = "") -> None:
    """Warn of identifiers that repeat, under a condition if there is one."""
    if found:
        warnings.warn(
            "k counts rows, and a person with several rows may be a class alone. Where "
            "persons have several, name the column that tells them apart, such as "
            f"subject={next(iter(found))!r}. Here {describe_repeated(found)}"
            f"{condition}.",
            RepeatedIdentifierWarning,
            stacklevel=level_of_caller(),
        )


def warn_of_spelled_subjects(frame: pd.DataFrame, subject: Hashable) -> None:
    """Warn where texts that are counted as persons may name the same one."""
    texts = to_text(frame[subject]).dropna().unique().tolist()
    persons = persons_in(frame[subject], texts, read_likely_persons)
    n_read = len(np.unique(persons))
    if n_read < len(texts):
        warnings.warn(
            f"subject: the {len(texts)} texts of column {subject!r} may be "
            f"{n_read} persons to a reader, who overlooks {OVERLOOKED} and zeros "
            "before a number. Persons are told apart by text; write each one way.",
            SpellingWarning,
            stacklevel=level_of_caller(),
        )

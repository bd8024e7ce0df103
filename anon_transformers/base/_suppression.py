"""What an anonymizer promises, and which classes it suppresses to keep it."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import NamedTuple

import numpy as np

from anon_transformers._data.columns import unknown_rows
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    group_published,
)
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    WithoutKWarning,
    check_choice,
    level_of_caller,
)
from anon_transformers.parameters import is_number
from anon_transformers.privacy import (
    AllOf,
    KAnonymity,
    PrivacyModel,
    Verdict,
    describe_exposed,
    describe_level,
    describe_model,
    describe_verdict,
    judge,
    level_of,
    report_of,
)


def make_promise(k: int, models: Sequence[PrivacyModel] | None) -> AllOf:
    """Everything that was asked for, as one model."""
    if not isinstance(models, Sequence | None):
        raise ParameterError("models must be a list of privacy models.")
    promise = AllOf((KAnonymity(k), *(models or ())))
    for model in promise.models:
        if getattr(model, "needs_population", False):
            raise ParameterError(
                f"models: {model.name} needs a population, and an anonymizer has none; "
                "judge its output with Classes.from_frame(…, population=…)."
            )
    if not promise.for_search:
        raise ParameterError(
            "models: a reference='released' is known only when all is done, and cannot "
            "be promised before; use reference='input'."
        )
    return promise


def check_promise(promise: AllOf, table: CodedTable) -> None:
    """Raise where not even the whole table as one class could keep the promise.

    Warns where values are protected, and persons can be told apart.
    """
    _warn_without_k(promise)
    asked = [m for m in promise.models if hasattr(m, "check_feasible")]
    if asked:
        whole = table.classes(np.zeros(table.n_coded_rows, dtype=np.int64), 1)
        for model in asked:
            model.check_feasible(whole)


def _warn_without_k(promise: AllOf) -> None:
    of_values = [m.name for m in promise.models if hasattr(m, "sensitive")]
    if of_values and all(getattr(m, "k", 1) == 1 for m in promise.models):
        warnings.warn(
            f"{', '.join(of_values)} without k-anonymity does not keep anybody from "
            "being found; ask for k of at least 2 too.",
            WithoutKWarning,
            stacklevel=level_of_caller(),
        )


MODES = ("mask", "drop", "blank")

Ranks = Callable[[], np.ndarray]
"""Returns an order of classes that does not depend on the order of rows."""


@dataclass(frozen=True)
class SuppressionResult:
    """Which classes are published, and what the models say of them.

    Attributes
    ----------
    kept : bool ndarray
        Which classes are published.
    n_extra_rows : int
        Rows of satisfying classes that were suppressed so that the suppressed class
        satisfies every model too.
    published : Classes
        The classes of the published table, the suppressed one with them.
    verdicts : list of Verdict
        What each model says of the published table.
    """

    kept: np.ndarray
    n_extra_rows: int
    published: Classes
    verdicts: list[Verdict]


@dataclass(frozen=True)
class Approval:
    """What a recoding may publish of a table.

    Attributes
    ----------
    outcome : SuppressionResult
        The outcome for the classes.
    codes : int array of shape (n_columns, n_kept_classes)
        Positions of the labels of each kept class.
    suppressed : bool ndarray
        Which coded rows are suppressed.
    """

    outcome: SuppressionResult
    codes: np.ndarray
    suppressed: np.ndarray


class SuppressionRules(NamedTuple):
    """How much may be suppressed, and what becomes of it.

    A ``limit`` that is a whole number of at least 1, and no float, counts rows; any
    other is a share of them. Rows are counted even where ``subject`` tells persons.
    """

    limit: float
    mode: str
    suppression_label: str

    def check(self) -> None:
        """Refuse what an anonymizer was not meant to be given."""
        check_choice("suppression", self.mode, MODES)
        highest = np.inf if isinstance(self.limit, Integral) else 1
        if not is_number(self.limit) or not 0 <= self.limit <= highest:
            raise ParameterError(
                "suppression_limit must be a share from 0 to 1, or a number of rows as "
                f"a whole number, got {self.limit!r}."
            )
        if not isinstance(self.suppression_label, str) or not self.suppression_label:
            raise ParameterError("suppression_label must be a text that is not empty.")

    def allowance(self, n_rows: int) -> int:
        """Most rows of a table that may be suppressed.

        Examples
        --------
        >>> SuppressionRules(0.29, "mask", "*").allowance(100)
        29
        >>> SuppressionRules(3, "mask", "*").allowance(2)
        2
        """
        if isinstance(self.limit, Integral):
            return min(int(self.limit), n_rows)
        # The product alone may fall just below a whole number, or onto the next one:
        # 0.29 * 100 is 28.999999999999996.
        most = min(int(self.limit * n_rows) + 1, n_rows)
        while most and most / n_rows > self.limit:
            most -= 1
        return most


def approve(
    table: CodedTable,
    published: list[PublishedColumn],
    promise: AllOf,
    rules: SuppressionRules,
) -> Approval:
    """Decide which published combinations a table may show, or raise."""
    groups = group_published(published)
    codes = np.stack([column.codes[groups.first] for column in published])
    labels = [column.labels for column in published]
    try:
        outcome = suppress_classes(
            table.classes(groups.labels, len(groups.sizes)),
            promise,
            rules,
            covered=np.all(codes >= 0, axis=0),
            marked=_all_suppressed(codes, published, rules.suppression_label),
            ranks=lambda: content_ranks(codes, labels),
        )
    except InfeasibleError as error:
        raise InfeasibleError(f"{error}{describe_unknown(table)}") from None
    kept = outcome.kept
    return Approval(outcome, codes[:, kept], ~kept[groups.labels])


def describe_unknown(table: CodedTable) -> str:
    """Which columns suppress rows by values that their hierarchies do not have."""
    found = unknown_rows(table.quasi_identifiers, table.weights)
    if not found:
        return ""
    counted = ", ".join(f"{name!r} in {count} rows" for name, count in found.items())
    return (
        " Rows are suppressed for values that hierarchies do not have: column "
        f"{counted}; hierarchies with these values would cover them."
    )


def can_approve(
    table: CodedTable,
    published: list[PublishedColumn],
    promise: AllOf,
    rules: SuppressionRules,
) -> bool:
    """Whether :func:`approve` would not raise."""
    try:
        approve(table, published, promise, rules)
    except InfeasibleError:
        return False
    return True


def content_ranks(codes: np.ndarray, labels: list[np.ndarray]) -> np.ndarray:
    """Classes in the order of their labels, whatever order they were found in."""
    keys = []
    for own, texts in zip(codes, labels, strict=True):
        place = np.argsort(np.argsort([str(text) for text in texts.tolist()]))
        keys.append(np.append(place, -1)[own])
    return np.argsort(np.lexsort(keys))


def _all_suppressed(
    codes: np.ndarray, published: list[PublishedColumn], suppression_label: str
) -> np.ndarray:
    """Classes that a reader takes for suppressed rows, since nothing else is shown.

    Only a label that stands for all values may be; others are refused elsewhere.
    """
    marked = np.ones(codes.shape[1], dtype=bool)
    for own, column in zip(codes, published, strict=True):
        whole = (column.labels == suppression_label) & (column.shares >= 1)
        marked &= np.append(whole, False)[own]
    return marked


def suppress_classes(
    classes: Classes,
    promise: AllOf,
    rules: SuppressionRules,
    *,
    covered: np.ndarray,
    marked: np.ndarray,
    ranks: Ranks,
) -> SuppressionResult:
    """Suppress what breaks the promise, or raise.

    The suppressed rows are one class and must satisfy every model like any other,
    unless they are dropped. If they do not, further classes are suppressed, smallest
    first.

    Parameters
    ----------
    classes : Classes
        All classes of the recoded table.
    promise : AllOf
        What each published class must satisfy.
    rules : SuppressionRules
        How many rows may go, and what happens to them.
    covered : bool ndarray
        Classes that the recoding rule covers; others are always suppressed.
    marked : bool ndarray
        Classes that were generalized until nothing is left but the label.
    ranks : callable
        Order of the classes by content, for those of one size.

    Raises
    ------
    InfeasibleError
        With the model, the level reached and the limit.
    """
    fine = covered & promise.satisfied(classes)
    kept, within = choose_kept(classes, promise, fine, rules, ranks)
    if not within:
        reason = _worst_covered(promise, classes, covered)
        raise InfeasibleError(_excess(classes, promise, fine, kept, rules, reason))
    published = _published(classes, kept, rules.mode)
    # An intruder sees no difference between a row that was suppressed and one whose
    # every label is the suppression label: both are judged as one class.
    published = _as_read(published, marked[kept], promise)
    verdicts = [judge(model, published) for model in promise.models]
    for verdict in verdicts:
        if not verdict.passed:
            raise InfeasibleError(
                f"{_describe(verdict, published)} in the table as it would be "
                "published."
            )
    n_extra = classes.rows[fine].sum() - classes.rows[kept].sum()
    return SuppressionResult(kept, int(n_extra), published, verdicts)


def choose_kept(
    classes: Classes,
    promise: AllOf,
    fine: np.ndarray,
    rules: SuppressionRules,
    ranks: Ranks,
) -> tuple[np.ndarray, bool]:
    """Which of the ``fine`` classes are published, and whether the limit allows it.

    Unless suppressed rows are dropped, more are suppressed, smallest classes first,
    until the suppressed class satisfies the promise.
    """
    kept = fine.copy()
    next_ones: Iterator[int] | None = None
    while _is_within(classes, kept, rules):
        if rules.mode == "drop" or kept.all():
            return kept, True
        if promise.satisfied(suppressed_class(classes, kept, rules.mode)).all():
            return kept, True
        if next_ones is None:
            # Of one size, by content: the order of the source must not show in which
            # class is published.
            sizes = np.where(kept, classes.rows, np.iinfo(np.int64).max)
            next_ones = iter(np.lexsort((ranks(), sizes)).tolist())
        kept[next(next_ones)] = False
    return kept, False


def _as_read(published: Classes, marked: np.ndarray, promise: AllOf) -> Classes:
    """The same classes where what shows nothing but marks is the suppressed one."""
    hidden = np.zeros(published.n_classes, dtype=bool)
    hidden[: len(marked)] = marked
    if not hidden.any():
        return published
    if published.suppressed is not None:
        hidden[published.suppressed] = True
    n_shown = int((~hidden).sum())
    if not n_shown:
        reached = [level_of(model, published) for model in promise.models]
        levels = "; ".join(
            f"{describe_model(model)} at level {describe_level(level)}"
            for model, level in zip(promise.models, reached, strict=True)
        )
        raise InfeasibleError(
            "what keeps the promise shows nothing but the suppression label in every "
            f"quasi-identifier ({levels}); a result with no kept class is no result."
        )
    into = np.where(hidden, n_shown, np.cumsum(~hidden) - 1)
    return replace(published.merge(into, n_shown + 1), suppressed=n_shown)


def suppressed_class(classes: Classes, kept: np.ndarray, mode: str) -> Classes:
    """The rows that are not kept, as the one class that they are published as."""
    gone = classes.merge(np.where(kept, -1, 0), 1)
    return gone.blanked(0) if mode == "blank" else gone


def _is_within(classes: Classes, kept: np.ndarray, rules: SuppressionRules) -> bool:
    """Whether enough is kept; a result with no kept class is no result."""
    total = int(classes.rows.sum())
    gone = total - classes.rows[kept].sum()
    return bool(kept.any() and gone <= rules.allowance(total))


def _published(classes: Classes, kept: np.ndarray, mode: str) -> Classes:
    """The classes as a reader of the published table sees them."""
    n_kept = int(kept.sum())
    into = np.where(kept, np.cumsum(kept) - 1, n_kept if mode != "drop" else -1)
    masked = mode != "drop" and not kept.all()
    published = classes.merge(into, n_kept + masked)
    if masked:
        published = replace(published, suppressed=n_kept)
        if mode == "blank":
            published = published.blanked(n_kept)
    return published


def _excess(
    classes: Classes,
    promise: AllOf,
    fine: np.ndarray,
    kept: np.ndarray,
    rules: SuppressionRules,
    reason: str,
) -> str:
    """What is in the way: the promise, the limit, or the class of suppressed rows."""
    total = int(classes.rows.sum())
    broken, gone = (int(total - classes.rows[some].sum()) for some in (fine, kept))
    allows = f"suppression_limit={rules.limit} allows {rules.allowance(total)}"
    if not fine.any():
        return (
            f"{reason}; all {total} of {total} rows would be suppressed, and a result "
            "with no kept class is no result."
        )
    if broken > rules.allowance(total):
        return (
            f"{reason}; keeping the promise would suppress {broken} of {total} rows, "
            f"and {allows}."
        )
    hidden = suppressed_class(classes, fine, rules.mode)
    beyond = f"and {allows}" if kept.any() else "and leave no kept class"
    return (
        f"{reason}; without {broken} of {total} rows it would hold, but suppressed "
        "rows are published as one class, which must keep it too: "
        f"{worst_level(promise, hidden)}. Suppressing further classes for it would "
        f"suppress {gone} of {total} rows, {beyond}. With suppression='drop' "
        "suppressed rows are left out."
    )


def worst_level(promise: AllOf, hidden: Classes) -> str:
    """What the class of suppressed rows lacks."""
    for model in promise.models:
        verdict = judge(model, hidden)
        if not verdict.passed:
            level = describe_level(verdict.level)
            return f"{describe_model(model)} reaches {level} there"
    return "it does not hold there"


def _worst_covered(promise: AllOf, classes: Classes, covered: np.ndarray) -> str:
    """What the first model says that some class fails which the rule covers.

    Rows that it does not cover are suppressed anyway: what their class lacks is not in
    the way, and would hide what is.
    """
    n_covered = int(covered.sum())
    if 0 < n_covered < len(covered):
        into = np.where(covered, np.cumsum(covered) - 1, -1)
        classes = classes.merge(into, n_covered)
    uncovered = "the rule does not cover every row"
    return (_worst(promise, classes) if n_covered else None) or uncovered


def _worst(promise: AllOf, classes: Classes) -> str | None:
    """What the first model says that some class fails."""
    for model in promise.models:
        verdict = judge(model, classes)
        if not verdict.passed:
            return _describe(verdict, classes)
    return None


def _describe(verdict: Verdict, classes: Classes) -> str:
    model: PrivacyModel = verdict.model
    told = report_of(model, classes) if hasattr(model, "report") else {}
    message, exposed = describe_verdict(verdict, "classes"), describe_exposed(told)
    return f"{message}; {exposed}" if exposed else message

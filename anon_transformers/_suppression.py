"""Which classes may be published, and which are suppressed."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from anon_transformers._recoding import PublishedColumn, Table, group_published
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.privacy import AllOf, PrivacyModel, Verdict, judge


@dataclass(frozen=True)
class Settlement:
    """The outcome.

    Attributes
    ----------
    kept : bool ndarray
        Which classes are published.
    n_extra_rows : int
        Rows of classes that were fine, and went so that the suppressed class is.
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
    settlement : Settlement
        The outcome for the classes.
    codes : int array of shape (n_columns, n_kept_classes)
        Positions of the labels of each kept class.
    suppressed : bool ndarray
        Which rows are suppressed.
    """

    settlement: Settlement
    codes: np.ndarray
    suppressed: np.ndarray


def approve(
    table: Table,
    published: list[PublishedColumn],
    promise: AllOf,
    suppression_limit: float,
    mode: str,
) -> Approval:
    """Decide which published combinations a table may show, or raise."""
    groups = group_published(published)
    codes = np.stack([column.codes[groups.first] for column in published])
    settlement = settle(
        table.classes(groups.labels, len(groups.sizes)),
        promise,
        covered=np.all(codes >= 0, axis=0),
        suppression_limit=suppression_limit,
        mode=mode,
    )
    kept = settlement.kept
    return Approval(settlement, codes[:, kept], ~kept[groups.labels])


def can_approve(
    table: Table,
    published: list[PublishedColumn],
    promise: AllOf,
    suppression_limit: float,
    mode: str,
) -> bool:
    """Whether :func:`approve` would not raise."""
    try:
        approve(table, published, promise, suppression_limit, mode)
    except InfeasibleError:
        return False
    return True


def settle(
    classes: Classes,
    promise: AllOf,
    *,
    covered: np.ndarray,
    suppression_limit: float,
    mode: str,
) -> Settlement:
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
    covered : bool ndarray
        Classes that the recoding rule covers; others are always suppressed.
    suppression_limit : float
        Largest share of rows that may go.
    mode : {"mask", "drop", "blank"}
        What happens to suppressed rows.

    Raises
    ------
    InfeasibleError
        With the model, the level reached and the limit.
    """
    kept = covered & promise.satisfied(classes)
    broken = _worst(promise, classes)
    _refuse_excess(classes, kept, suppression_limit, broken)
    n_fine = classes.rows[kept].sum()
    if mode != "drop":
        kept = _complete_suppressed_class(
            classes, promise, kept, suppression_limit, mode, broken
        )
    published = _published(classes, kept, mode)
    verdicts = [judge(model, published) for model in promise.models]
    for verdict in verdicts:
        if not verdict.passed:
            raise InfeasibleError(
                f"{_told(verdict)} in the table as it would be published."
            )
    return Settlement(kept, int(n_fine - classes.rows[kept].sum()), published, verdicts)


def _complete_suppressed_class(
    classes: Classes,
    promise: AllOf,
    kept: np.ndarray,
    limit: float,
    mode: str,
    broken: Verdict | None,
) -> np.ndarray:
    """Suppress more, smallest classes first, until the suppressed class satisfies."""
    kept = kept.copy()
    smallest_first = iter(
        np.argsort(np.where(kept, classes.rows, np.iinfo(np.int64).max), kind="stable")
    )
    while not kept.all():
        gone = classes.merge(np.where(kept, -1, 0), 1)
        if mode == "blank":
            gone = _blanked(gone, 0)
        if promise.satisfied(gone).all():
            break
        kept[next(smallest_first)] = False
        _refuse_excess(classes, kept, limit, broken or _worst(promise, gone))
    return kept


def _published(classes: Classes, kept: np.ndarray, mode: str) -> Classes:
    """The classes as a reader of the published table sees them."""
    n_kept = int(kept.sum())
    into = np.where(kept, np.cumsum(kept) - 1, n_kept if mode != "drop" else -1)
    masked = mode != "drop" and not kept.all()
    published = classes.merge(into, n_kept + masked)
    if masked:
        published = replace(published, suppressed=n_kept)
        if mode == "blank":
            published = _blanked(published, n_kept)
    return published


def _blanked(classes: Classes, which: int) -> Classes:
    """The same classes with the sensitive cells of one of them emptied."""
    sensitive = {}
    for name, column in classes.sensitive.items():
        counts = sparse.lil_array(column.counts)
        counts[which, :] = 0
        counts[which, counts.shape[1] - 1] = classes.rows[which]
        sensitive[name] = replace(column, counts=counts.tocsr())
    return replace(classes, sensitive=sensitive)


def _refuse_excess(
    classes: Classes, kept: np.ndarray, limit: float, broken: Verdict | None
) -> None:
    total = classes.rows.sum()
    gone = total - classes.rows[kept].sum()
    # As a share: 0.29 * 100 falls just below 29.
    if kept.any() and gone / total <= limit:
        return
    reason = _told(broken) if broken else "the rule does not cover every row"
    raise InfeasibleError(
        f"{reason}; keeping the promise would suppress {gone} of {total} rows, and "
        f"suppression_limit={limit} allows {_allowance(limit, total)}. "
        "A result with no kept class is no result."
    )


def _allowance(limit: float, total: int) -> int:
    """Most rows that may go; the product alone may fall just below a whole number."""
    rounded = round(limit * total)
    return rounded if rounded / total <= limit else int(limit * total)


def _worst(promise: AllOf, classes: Classes) -> Verdict | None:
    """The first model that some class fails."""
    for model in promise.models:
        verdict = judge(model, classes)
        if not verdict.passed:
            return verdict
    return None


def _told(verdict: Verdict) -> str:
    model: PrivacyModel = verdict.model
    return (
        f"{model!r} does not hold: level {verdict.level}, "
        f"{verdict.failing} of {verdict.units} classes fail"
    )

"""What the models of sensitive values have in common."""

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from anon_transformers._kernels.diversity import possible_counts
from anon_transformers.evidence import Candidates, Classes, SensitiveCounts
from anon_transformers.exceptions import NotEvaluable, ParameterError, check_choice
from anon_transformers.parameters import substitute
from anon_transformers.privacy._judge import Direction, Merging

MULTIPLE = ("each", "extended")
REFERENCES = ("input", "released")
GIVE_INPUT = (
    "give it as Classes.from_frame(…, references={column: distribution}), or judge "
    "with reference='released'"
)
"""What to do where the distribution of the input is not known."""


SENSITIVE_TEXTS = {
    "sensitive": """
    sensitive : column, default=None
        The column that is judged; without one, every sensitive column must pass.
    """,
    "multiple": """
    multiple : {"each", "extended"}, default="each"
        Judge each sensitive column for itself, or take the others for
        quasi-identifiers.
    """,
    "missing_marks": """
    missing_marks : list of str, default=None
        Texts that say that a value is missing, beside the usual ones; []: none does.
    """,
}
"""Of models that judge sensitive values."""


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True, kw_only=True)
class SensitiveModel:
    """A promise about the sensitive values of every class.

    Parameters
    ----------
    {sensitive}
    multiple : {"each", "extended"}, default="each"
        Where a table has several sensitive columns: judge each for itself, or take the
        others for quasi-identifiers. A class then passes if all the finer classes do
        into which they divide it.
    missing_marks : list of str, default=None
        Texts that say that a value is missing, beside the usual ones, such as ``NA``,
        ``null`` and ``-``. An empty list: none does. No number is a usual one: name
        ``9999`` where it says so.

    Notes
    -----
    Values are judged as they are and as people read them, and the worse counts: texts
    that differ only in case, blanks, composition, quotation marks, brackets or hyphens
    are one value, and so are spellings of one number or amount (``50 000``,
    ``$50,000``, ``50.000,00``), of one time or day (``7:30`` and ``07:30``), and of yes
    and no in a column of nothing else. Signs that mean something tell values apart:
    ``A-`` and ``A+``, ``<5`` and ``5``. A mark of a missing value is no value.

    Where persons are known, every count is of persons, and the share of a value in a
    class is the share of its persons who hold it at least once, or of whom a value is
    missing, each of them once. In t-closeness and β-likeness missing values have a
    share of their own instead.

    A person with rows in several classes is judged too, by the values that all these
    classes have in common: who knows the quasi-identifiers of all her rows is left with
    these candidates. l-diversity of each kind asks for l of them; α (of every value)
    and the belief bound take one divided by their number for the share of the
    likeliest. The other models ask nothing of several candidates, and judge a single
    one like a class in which everybody holds it. A class fails if a person in it does.

    This holds for persons who show one known value, in columns in which most persons of
    several classes do; a missing cell adds no candidate. Not judged is what an intruder
    learns from how often a candidate occurs in these classes, from which persons may be
    in all of them, or from several values of one person. Where persons are in several
    classes, ``merging`` tells nothing of these models.
    """

    sensitive: Hashable | None = None
    multiple: Literal["each", "extended"] = "each"
    missing_marks: tuple[str, ...] | None = None
    name: ClassVar[str]
    evidence: ClassVar[str] = "classes"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction]
    tighter: ClassVar[Mapping[str, Direction]]
    details: ClassVar[tuple[str, ...]] = (
        "persons_in_several_classes",
        "persons_exposed",
    )

    def __post_init__(self) -> None:
        check_choice("multiple", self.multiple, MULTIPLE)
        if not isinstance(self.sensitive, Hashable):
            raise ParameterError(
                f"sensitive must be one column or None, got {self.sensitive!r}."
            )
        object.__setattr__(self, "missing_marks", texts(self.missing_marks))

    @property
    def merging(self) -> Merging:
        """The union of satisfying classes satisfies."""
        return "satisfying"

    @abstractmethod
    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        """What each class reaches in one column."""

    @abstractmethod
    def _passes(self, levels: np.ndarray) -> np.ndarray:
        """Which of these levels are good enough."""

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes satisfy the model in every column that is judged."""
        passed = np.ones(evidence.n_classes, dtype=bool)
        for levels, owner in self._found(evidence):
            passed[owner[~self._passes(levels)]] = False
        return passed

    def class_levels(self, evidence: Classes) -> np.ndarray:
        """What each class reaches, in its worst column."""
        worst = np.full(evidence.n_classes, self._best)
        joined = np.minimum if self.better == "higher" else np.maximum
        for levels, owner in self._found(evidence):
            joined.at(worst, owner, levels)
        return worst

    def level(self, evidence: Classes) -> int | float:
        """What the worst class reaches."""
        if not evidence.n_classes:
            raise NotEvaluable(f"{self.name} has nothing to judge: the table is empty.")
        levels = np.concatenate([levels for levels, _ in self._found(evidence)])
        return (levels.min() if self.better == "higher" else levels.max()).item()

    def report(self, evidence: Classes) -> dict[str, int]:
        """How many persons fail by what their classes have in common; else nothing."""
        worst, of_all = 0, 0
        for column, _ in self._judged(evidence):
            if column.candidates is not None:
                levels = self._left_levels(column, column.candidates)
                failing = int(np.count_nonzero(~self._passes(levels)))
                worst, of_all = max((worst, of_all), (failing, len(levels)))
        if not worst:
            return {}
        return {"persons_in_several_classes": of_all, "persons_exposed": worst}

    @property
    def _best(self) -> float:
        """A level that no class is worse than."""
        return np.inf if self.better == "higher" else -np.inf

    def _left_levels(self, column: SensitiveCounts, left: Candidates) -> np.ndarray:
        """What each person in several classes reaches.

        One candidate alone is judged like a class in which everybody holds it.
        """
        levels, alone = np.full(len(left.sizes), self._best), left.sizes == 1
        values, which = np.unique(left.values[alone], return_inverse=True)
        if len(values):
            levels[alone] = self._levels(column.certain(values))[which]
        return levels

    def _found(self, evidence: Classes) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Levels of what is judged, and the class that each is part of."""
        for column, owner in self._judged(evidence):
            yield self._levels(column), owner
            left = column.candidates
            if left is not None:
                levels = self._left_levels(column, left)
                yield levels[left.person], owner[left.owner]

    def _judged(self, evidence: Classes) -> Iterator[tuple[SensitiveCounts, Any]]:
        """The counts that are judged, and the class that each row is part of."""
        for name in evidence.sensitive_names(self.sensitive):
            column, owner = evidence.sensitive[name], np.arange(evidence.n_classes)
            if self.multiple == "extended":
                column, owner = evidence.finer(name)
            read = column.as_read(self.missing_marks)
            for judged in self._readings(name, column, read):
                yield judged, owner

    def _readings(
        self, name: Hashable, column: SensitiveCounts, read: SensitiveCounts | None
    ) -> list[SensitiveCounts]:
        """A column as it is and as people read it, which is None if nothing differs."""
        return [column] if read is None else [column, read]


@dataclass(frozen=True, kw_only=True)
class ReferenceModel(SensitiveModel):
    """A promise that compares every class with a whole table.

    Parameters
    ----------
    reference : {"input", "released"}, default="input"
        The table: the one that was anonymized, or what was published of it. Only the
        first is known while a search goes on; what is published is its outcome.
    """

    reference: Literal["input", "released"] = "input"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("reference", self.reference, REFERENCES)

    @property
    def for_search(self) -> bool:
        """Whether a search can be asked for this."""
        return self.reference == "input"

    @property
    def merging(self) -> Merging:
        """The union of satisfying classes satisfies, if the reference is fixed."""
        return "satisfying" if self.reference == "input" else "none"

    def _shares(self, column: SensitiveCounts) -> np.ndarray:
        """Share of each value in the reference, the missing ones last."""
        held, total = self._whole(column)
        return held / max(held.sum() if total is None else total, 1)

    def _whole(self, column: SensitiveCounts) -> tuple[np.ndarray, int | None]:
        """Counts by value in the reference, the missing ones last, and its persons."""
        if self.reference == "released":
            whole = column.whole
            return whole.counts.toarray()[0], int(whole.totals[0])
        if column.origin != "input":
            raise NotEvaluable(
                f"{self.name} compares with the input, whose distribution this "
                f"evidence does not have: {GIVE_INPUT}."
            )
        return column.reference, column.reference_persons


def texts(marks: Sequence[str] | None) -> tuple[str, ...] | None:
    """A list of marks as a model keeps it."""
    listed = isinstance(marks, list | tuple) and all(isinstance(m, str) for m in marks)
    if marks is not None and not listed:
        raise ParameterError(f"missing_marks must be a list of texts, got {marks!r}.")
    return None if marks is None else tuple(marks)


def largest_shares(column: SensitiveCounts) -> np.ndarray:
    """Largest share that a value takes in each class.

    What is not known counts as the value that is judged. A class in which nobody is
    counted protects nobody: 1.
    """
    possible = possible_counts(*in_rows(column), column.lacking, column.missing)
    shares = possible / np.maximum(column.totals, 1)
    return np.where(column.totals > 0, shares, 1.0)


def in_rows(column: SensitiveCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The counts as the kernels take them, values of a class in their order.

    scipy has places in 4 bytes or in 8; one of the two, so that a kernel is compiled
    once.
    """
    counts = column.counts
    if not counts.has_sorted_indices:
        counts = counts.sorted_indices()
    indptr = counts.indptr.astype(np.int64, copy=False)
    return indptr, counts.indices.astype(np.int64, copy=False), counts.data

"""What the models of sensitive values in fuzzy sets have in common."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Memberships
from anon_transformers.evidence._memberships import CARDINALITIES, Cardinality
from anon_transformers.exceptions import NotEvaluable, ParameterError, check_choice
from anon_transformers.parameters import substitute
from anon_transformers.privacy._judge import Direction, Merging
from anon_transformers.privacy._sensitive_model import SENSITIVE_TEXTS, texts


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True, kw_only=True)
class FuzzyModel:
    """A promise about the sensitive values of fuzzy sets of rows.

    Parameters
    ----------
    {sensitive}
    cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
        How the rows of a set are counted: those above one half, and one more if any is
        exactly there; or the sum of their degrees.
    {missing_marks}

    Notes
    -----
    Values are judged as they are and as people read them, and the worse counts; see
    :class:`SensitiveModel`.
    """

    sensitive: Hashable | None = None
    cardinality: Cardinality = "non-fuzzy"
    missing_marks: tuple[str, ...] | None = None
    name: ClassVar[str]
    evidence: ClassVar[str] = "memberships"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction]
    merging: ClassVar[Merging] = "none"
    tighter: ClassVar[Mapping[str, Direction]]

    def __post_init__(self) -> None:
        check_choice("cardinality", self.cardinality, CARDINALITIES)
        if not isinstance(self.sensitive, Hashable):
            raise ParameterError(
                f"sensitive must be one column or None, got {self.sensitive!r}."
            )
        object.__setattr__(self, "missing_marks", texts(self.missing_marks))

    @property
    def reproduction_only(self) -> bool:
        """Whether this is for published numbers, and no release may rest on it."""
        return False

    @property
    def for_search(self) -> bool:
        """Whether a search can be asked for this."""
        return not self.reproduction_only

    def _readings(self, evidence: Memberships) -> list[Memberships]:
        """The evidence as it is, and as people read it if that differs."""
        read = evidence.as_read(self.missing_marks)
        return [evidence] if read is None else [evidence, read]

    def _columns(self, evidence: Memberships) -> list[Hashable]:
        """Names of the columns that are judged; a table without rows has none."""
        if not (evidence.n_rows and evidence.n_sets):
            raise NotEvaluable(f"{self.name} has nothing to judge: the table is empty.")
        return evidence.sensitive_names(self.sensitive)

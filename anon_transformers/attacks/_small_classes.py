"""Small classes: t-closeness holds, and yet a class is one person."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.evidence import Classes, distribution
from anon_transformers.parameters import whole
from anon_transformers.privacy import TCloseness


@dataclass(frozen=True)
class SmallClasses(Attack):
    """Find classes that satisfy t-closeness but are smaller than ``k``.

    t-closeness says nothing on the size of a class: identity disclosure remains.

    Parameters
    ----------
    t : float, default=0.2
        The t that was promised.
    k : int, default=2
        Classes of fewer records, or persons, are too small; 2 finds single ones.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        As in :class:`anon_transformers.privacy.TCloseness`; "hierarchical" needs the
        hierarchy of each sensitive column.

    Notes
    -----
    Classes are compared with the original where it was given, else with the release.
    ``details`` has the classes that are small, whether they satisfy t or not.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [20] * 9 + [30], "test": ["-"] * 10})
    >>> report = SmallClasses(t=0.1).run(
    ...     release, quasi_identifiers=["age"], sensitive=["test"]
    ... )
    >>> report.exposed
    1
    """

    t: float = 0.2
    k: int = 2
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    name: ClassVar[str] = "small-classes"
    counts_persons: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "The class satisfies t-closeness and still holds so few records that a person "
        "is found in it."
    )
    remedy: ClassVar[str] = "Ask for k-anonymity beside t-closeness."

    def __post_init__(self) -> None:
        whole("k", self.k, 1)
        TCloseness(self.t, self.distance)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        original, subject = attack_input.original, attack_input.subject
        references = None
        if original is not None:
            persons = (
                None if subject is None else attack_input.reference_column(subject)
            )
            references = {
                name: distribution(attack_input.reference_column(name), persons)
                for name in attack_input.sensitive
            }
        hierarchies = {
            name: hierarchy
            for name in attack_input.sensitive
            if (hierarchy := attack_input.hierarchy(name)) is not None
        }
        classes = attack_input.classes
        if references is not None or hierarchies:
            classes = Classes.from_frame(
                attack_input.release,
                attack_input.quasi_identifiers,
                attack_input.sensitive,
                subject,
                suppression_label=attack_input.suppression_label,
                references=references,
                hierarchies=hierarchies,
            )
        reference: Literal["input", "released"] = (
            "released" if original is None else "input"
        )
        model = TCloseness(self.t, self.distance, reference=reference)
        small = classes.sizes < self.k
        found = small & model.satisfied(classes)
        details = {
            "small_classes": int(small.sum()),
            "records_in_small_classes": int(classes.rows[small].sum()),
            "t_of_the_release": float(model.level(classes)),
        }
        labels = classes.labels
        assert labels is not None
        return AttackResult(found[labels], "classes", len(found), found.sum(), details)

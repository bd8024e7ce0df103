"""Differencing: the sizes of classes of two releases, subtracted."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._kernels import compatibility
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._complementary_release import _smallest_kept
from anon_transformers.attacks._matching import Matching, refuse_unrelated_tables
from anon_transformers.attacks._tuple_order import padded
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import whole


@dataclass(frozen=True)
class Differencing(Attack):
    """Find small groups that the class sizes of two releases leave over.

    Two tables of the same persons were published: two levels of generalization, two
    points of a frontier, or the same levels with other rows suppressed. A class of one
    table contains classes of the other whose values its own cover. Its size less theirs
    is the size of a group: the persons of the class who are in none of them. Whoever
    knows a person's quasi-identifiers can tell whether the person is in it. Persons are
    exposed whose group is smaller than ``k``, though both tables keep it.

    Parameters
    ----------
    k : int, optional
        Size below which a group is too small. Default: that of the smallest class of
        the two releases, the suppressed one left out.

    Notes
    -----
    Classes of the release are looked at with those of the other inside them, and the
    other way round. A person may be left over in both; ``exposed`` is the larger of the
    two counts, so that it counts nobody twice, and ``details`` has both. Suppressed
    rows are in no class: that they are missing from a class of the finer table is what
    leaves them over. Nothing but sizes is subtracted. Differences of histograms of
    sensitive values, and of more than two releases, are not looked at.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.hierarchies import Hierarchy
    >>> tree = Hierarchy.from_groups({"north": ["a", "b"], "south": ["c", "d"]})
    >>> coarse = pd.DataFrame({"zip": ["north"] * 5 + ["south"] * 4})
    >>> fine = pd.DataFrame({"zip": ["a"] * 4 + ["*"] + ["c"] * 4})
    >>> report = Differencing().run(
    ...     coarse, quasi_identifiers=["zip"], other=fine, hierarchies={"zip": tree}
    ... )
    >>> report.exposed, report.details["k"], report.details["smallest_group"]
    (1, 4, 1)

    The one in the north who is not in a must be in b.
    """

    k: int | None = None
    name: ClassVar[str] = "differencing"
    needs: ClassVar[tuple[str, ...]] = ("release", "other")
    meaning: ClassVar[str] = (
        "The sizes of classes of two releases leave over a group that is smaller than "
        "either promised, and this person is in it."
    )
    remedy: ClassVar[str] = (
        "Publish one table of these persons; or judge each against all that were "
        "published before, and suppress what the difference would show."
    )

    def __post_init__(self) -> None:
        if self.k is not None:
            whole("k", self.k, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        other = padded(attack_input)
        if not len(other):
            raise NotEvaluable(f"{self.name}: the other release is empty.")
        names = attack_input.quasi_identifiers
        matching = Matching.of(attack_input, other, {name: name for name in names})
        refuse_unrelated_tables(matching, matching.candidates()[0], names)
        smallest = min(_smallest_kept(attack_input, table) for table in (None, other))
        k = smallest if self.k is None else self.k
        rows = matching.rows(0), matching.rows(1)
        inside = compatibility.count_contained(
            matching.records(0),
            matching.records(1),
            rows,
            matching.ranges,
            *matching.tables,
        )
        left_over = [
            np.where(contained > 0, size - contained, 0)
            for size, contained in zip(rows, inside, strict=True)
        ]
        if any((side < 0).any() for side in left_over):
            raise NotEvaluable(
                f"{self.name}: a class holds fewer rows than the classes of the other "
                "release inside it: the two are not of the same persons."
            )
        small = [(side > 0) & (side < k) for side in left_over]
        found = [int(s[at].sum()) for s, at in zip(left_over, small, strict=True)]
        groups = np.concatenate([side[side > 0] for side in left_over])
        details: dict[str, Any] = {
            "k": int(k),
            "left_over_in_release": found[0],
            "left_over_in_other": found[1],
            "groups": len(groups),
            "small_groups": int(small[0].sum() + small[1].sum()),
            "smallest_group": int(groups.min()) if len(groups) else None,
        }
        worse = int(found[1] > found[0])
        table = (attack_input.release, other)[worse]
        exposed = small[0][matching.rank(0)]
        return AttackResult(
            exposed,
            "classes",
            sum(map(len, rows)),
            details["small_groups"],
            details,
            lambda: table[small[worse][matching.rank(worse)]][: max(found)],
            n_exposed=min(max(found), attack_input.rows),
        )

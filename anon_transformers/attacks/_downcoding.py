"""Downcoding: a value is as general as it is because members differ below it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels import witnesses
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._witnesses import Register, pinned_persons
from anon_transformers.hierarchies import Hierarchy


@dataclass(frozen=True)
class Downcoding(Attack):
    """Find the persons because of whom a value must have been generalized.

    A method that generalizes each class only as far as its members differ publishes
    the lowest value above them all. Had all members been under one child of that
    value, it would have published the child. So members are under two children at
    least. The intruder has the exact quasi-identifiers of everybody who may be in the
    table. Candidates are the persons who match the class in every column. If they are
    under two children only, and under one of the two there is one person, that person
    is exposed: nobody else can have made the class so general. The person must be in
    the table and in this class, and the published cell is undone.

    Notes
    -----
    The criterion is one of each class and each column by itself, and takes time in
    proportion to the pairs of class and candidate. It never exposes a person whom a
    minimal method could have left out. It does not combine columns or classes, and
    counts no members, so that there may be further persons who follow from all of it
    together. Without a register, the members of a class are alike, and no one of them
    is known to have the one or the other child.

    Two things tell the intruder that a column was not generalized class by class, so
    that it exposes nobody: candidates of some class that are all under one child, as
    those of full-domain generalization are, or a class that has none. ``details`` names
    those columns. Where neither happens by chance, as in a small table, the attack
    believes in a minimal method and may be wrong: it then counts too many. As in
    :class:`TightBoxes`, the register, ``external``, must have everybody who is in the
    release, and a person counts once.

    See Also
    --------
    TightBoxes : The same of ranges.

    References
    ----------
    .. [1] A. Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.hierarchies import Hierarchy
    >>> tree = Hierarchy.from_groups({"north": ["a", "b"], "south": ["c", "d"]})
    >>> release = pd.DataFrame({"zip": ["north", "north", "*", "*"]})
    >>> release["sex"] = ["f", "f", "m", "m"]
    >>> town = pd.DataFrame({"zip": list("aabacc"), "sex": list("fffmmm")})
    >>> report = Downcoding().run(
    ...     release, quasi_identifiers=["zip", "sex"], external=town,
    ...     hierarchies={"zip": tree}, suppression_label="?",
    ... )
    >>> report.exposed
    2

    Of the women in the north, one lives in b. Of the men, one lives in the north.
    """

    name: ClassVar[str] = "downcoding"
    needs: ClassVar[tuple[str, ...]] = ("release", "external", "hierarchies")
    counts_persons: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "A value is more general than the others of its class need because of this "
        "person alone: the person must be in the table, with a value that is known."
    )
    remedy: ClassVar[str] = (
        "Generalize a column alike in all classes (full-domain), or draw the boxes "
        'without looking at their members (boxes="cuts").'
    )

    def _find(self, attack_input: AttackInput) -> AttackResult:
        register = Register.of(self.name, attack_input)
        matching = register.matching
        n_columns = len(register.names)
        level = np.full((len(matching.order[0]), n_columns), -1, dtype=np.int32)
        child = [np.empty(0, dtype=np.int32)]
        base, n_leaves = np.zeros((2, n_columns), dtype=np.int64)
        for at, name in enumerate(register.names):
            hierarchy = attack_input.hierarchy(name)
            if hierarchy is None:
                continue
            base[at] = sum(map(len, child))
            n_leaves[at] = len(hierarchy.leaves)
            child += [hierarchy.level(n).codes for n in range(hierarchy.n_levels)]
            places = matching.columns[at].left
            of_code = np.array([_child_level(hierarchy, *p) for p in places[:, :2]])
            level[:, at] = of_code[matching.codes[0][matching.order[0], at]]
        found = witnesses.fill_children(
            matching.records(0),
            matching.records(1),
            register.persons(),
            matching.ranges,
            *matching.tables,
            level,
            np.concatenate(child).astype(np.int32),
            base,
            n_leaves,
        )
        return pinned_persons(attack_input, register, level >= 0, found, "minimal")


def _child_level(hierarchy: Hierarchy, low: int, high: int) -> int:
    """Highest level at which the leaves of a value part; -1 if it is one leaf."""
    for number in range(hierarchy.n_levels - 1, -1, -1):
        codes = hierarchy.level(number).codes
        if low < high and codes[low] != codes[high]:
            return number
    return -1

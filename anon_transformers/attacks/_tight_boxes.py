"""Tight boxes: somebody has the value at which a published range ends."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._data.columns import identify
from anon_transformers._kernels import witnesses
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._reading import Label, read_columns
from anon_transformers.attacks._witnesses import Register, pinned_persons


@dataclass(frozen=True)
class TightBoxes(Attack):
    """Find the persons who alone can have the value at the end of a range.

    A method that draws ranges as narrow as its classes allow publishes values that
    somebody has: of ``[20, 35]`` one member is 20 and one is 35. The intruder has the
    exact quasi-identifiers of everybody who may be in the table. Candidates for an end
    are the persons who match the class in every column and have just that value. A
    person is exposed who is the only candidate for an end: that person, and nobody
    else, must be in the table, and in this class.

    Notes
    -----
    Ranges of numbers and dates are judged whose ends are both included; what a
    hierarchy has is :class:`Downcoding`'s. Two things tell the intruder that the ranges
    of a column are not tight, so that it exposes nobody: one of them has an open end,
    as boxes that are drawn by cuts have, or nobody of the register can attain one.
    ``details`` names those columns. The register, ``external``, must have everybody who
    is in the release: one that lacks persons hides what a full one would tell.

    A person counts once. Where the register has a ``subject`` column, persons are told
    apart by it; otherwise each of its rows is a person. Where it has just the persons
    of the release, all of them are known to be there, and the share tells how many are
    singled out by published values; where it has more, each of them is proven to be in.

    See Also
    --------
    Downcoding : The same of values of a hierarchy.

    References
    ----------
    .. [1] A. Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": ["[20, 35]"] * 2 + ["[40, 60]"] * 2})
    >>> town = pd.DataFrame({"age": [20, 20, 35, 40, 50, 60]})
    >>> report = TightBoxes().run(release, quasi_identifiers=["age"], external=town)
    >>> report.exposed
    3

    Two persons are 20, but only one is 35, one 40 and one 60. Boxes that do not end at
    somebody's value tell nothing of this kind:

    >>> cuts = pd.DataFrame({"age": ["< 38", "< 38", ">= 38", ">= 38"]})
    >>> TightBoxes().run(cuts, quasi_identifiers=["age"], external=town).exposed
    0
    """

    name: ClassVar[str] = "tight-boxes"
    needs: ClassVar[tuple[str, ...]] = ("release", "external")
    counts_persons: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "A published range ends at a value that this person alone can have: the person "
        "must be in the table, and in this class."
    )
    remedy: ClassVar[str] = (
        'Publish ranges that nobody\'s value ends: boxes="cuts" with a step, levels of '
        "a hierarchy, or means of groups."
    )

    def _find(self, attack_input: AttackInput) -> AttackResult:
        register = Register.of(self.name, attack_input)
        matching = register.matching
        judged = np.zeros((len(matching.order[0]), len(register.names)), dtype=bool)
        for at, name in enumerate(register.names):
            if attack_input.hierarchy(name) is not None:
                continue
            sides = identify(attack_input.release[name]), identify(register.table[name])
            reading = read_columns(
                sides,
                (sides[0].texts_of_codes(), sides[1].texts_of_codes()),
                attack_input.suppression_label,
            )
            labels = reading.labels[0]
            if reading.scale == "text" or any(map(_is_open, labels)):
                continue
            closed = np.array([label.kind == "range" for label in labels])
            judged[:, at] = closed[matching.codes[0][matching.order[0], at]]
        found = witnesses.attain_ends(
            matching.records(0),
            matching.records(1),
            register.persons(),
            matching.ranges,
            *matching.tables,
        )
        return pinned_persons(attack_input, register, judged, found, "tight")


def _is_open(label: Label) -> bool:
    """Whether a range has an end that nobody need attain."""
    return label.kind == "range" and (
        label.low_open or label.high_open or None in label.parts
    )

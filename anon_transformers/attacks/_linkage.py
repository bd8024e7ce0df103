"""Linkage: a table with names is joined with the release."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._matching import Matching, refuse_unrelated_tables
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice


@dataclass(frozen=True)
class LinkageAttack(Attack):
    """Find records that one person of an external table, and nobody else, can be.

    A person and a record match if every value of the person is one that the published
    value covers: by the hierarchy of the column, or by the grammar of labels. A record
    is exposed if it matches one person and that person matches no other record.
    Suppressed records match nobody.

    Parameters
    ----------
    on : column, sequence of columns or mapping of column to column, optional
        Columns to link on; a mapping names their counterparts in the external table.
        Default: the quasi-identifiers that the external table has too.

    Notes
    -----
    ``details`` has the pairs that match, the persons with a match, the persons with
    exactly one, and the columns that a match reveals.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International
       Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10 (5), 2002.

    Examples
    --------
    >>> release = pd.DataFrame(
    ...     {"age": ["[20, 29]", "[30, 39]", "[30, 39]"], "job": ["a", "b", "c"]}
    ... )
    >>> voters = pd.DataFrame({"name": ["Ann", "Bob"], "age": [23, 31]})
    >>> attack = LinkageAttack()
    >>> report = attack.run(release, quasi_identifiers=["age"], external=voters)
    >>> report.exposed, report.details["matched_pairs"]
    (1, 3)
    """

    on: Hashable | Sequence[Hashable] | Mapping[Any, Hashable] | None = None
    name: ClassVar[str] = "linkage"
    needs: ClassVar[tuple[str, ...]] = ("release", "external")
    meaning: ClassVar[str] = (
        "One named person matches the record and no other: the rest of the record is "
        "known to be that person's."
    )
    remedy: ClassVar[str] = (
        "Make quasi-identifiers of what others know, and ask for k-anonymity."
    )

    def _find(self, attack_input: AttackInput) -> AttackResult:
        external = attack_input.external
        assert external is not None
        on = linked_columns(self.name, self.on, attack_input, external)
        if not len(external):
            raise NotEvaluable(f"{self.name}: the external table is empty.")
        matching = Matching.of(attack_input, external, on)
        of_left, of_right, partner = matching.candidates()
        refuse_unrelated_tables(matching, of_left, list(on))
        rows, persons = matching.rows(0), matching.rows(1)
        one = (rows == 1) & (of_left == 1)
        one[one] = of_right[partner[one]] == 1
        exposed = one[matching.rank(0)]
        pairs = int((rows * of_left).sum())
        details = {
            "columns_linked": [str(name) for name in on],
            "columns_revealed": [
                str(name) for name in attack_input.release.columns if name not in on
            ],
            "persons": len(external),
            "matched_pairs": pairs,
            "matched_records": int(rows[of_left > 0].sum()),
            "matched_persons": int(persons[of_right > 0].sum()),
            "persons_with_one_record": int(persons[of_right == 1].sum()),
        }
        return AttackResult(
            exposed,
            "pairs",
            pairs,
            exposed.sum(),
            details,
            lambda: _joined(attack_input.release, external, matching, exposed, partner),
        )


def linked_columns(
    attack: str,
    stated: Hashable | Sequence[Hashable] | Mapping[Any, Hashable] | None,
    attack_input: AttackInput,
    external: pd.DataFrame,
) -> Mapping[Any, Hashable]:
    """Columns of the release to link on, each with its counterpart.

    Parameters
    ----------
    attack : str
        Its name.
    stated : column, sequence of columns, mapping or None
        What its parameter ``on`` says.
    """
    if stated is None:
        on: Mapping[Any, Any] = {
            name: name
            for name in attack_input.quasi_identifiers
            if name in external.columns
        }
        if not on:
            raise NotEvaluable(
                f"{attack}: the external table has none of the "
                "quasi-identifiers; name the columns with on=."
            )
    elif isinstance(stated, Mapping):
        on = stated
    elif isinstance(stated, Sequence) and not isinstance(stated, str):
        on = {name: name for name in stated}
    else:
        on = {stated: stated}
    if not on:
        raise ParameterError("on is empty; name at least one column.")
    for table, names in ((attack_input.release, on), (external, on.values())):
        for name in names:
            if name not in table.columns:
                raise ParameterError(
                    f"on: {unknown_choice('column', name, table.columns)}"
                )
    return on


def _joined(
    release: pd.DataFrame,
    external: pd.DataFrame,
    matching: Matching,
    exposed: np.ndarray,
    partner: np.ndarray,
) -> pd.DataFrame:
    """Exposed records with the persons they belong to."""
    at = np.flatnonzero(exposed)
    combination = matching.order[1][partner[matching.rank(0)[at]]]
    persons = external.iloc[matching.groups[1].first[combination]]
    persons = persons.set_axis(release.index[at])
    return pd.concat([release.iloc[at], persons.add_prefix("external: ")], axis=1)

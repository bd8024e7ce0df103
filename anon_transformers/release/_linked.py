"""A table whose cells are swapped: it has every cell of the source, of other rows."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.base import BaseAnonymizer
from anon_transformers.exceptions import InfeasibleError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._build import named
from anon_transformers.release._forms import INPUT, Candidate
from anon_transformers.release._swap_dependences import swap_faults
from anon_transformers.release._table import TableForm, moved_columns, subject_of


class LinkedForm(TableForm):
    """One table in which cells of sensitive columns were moved inside groups."""

    swaps: ClassVar[bool] = True
    has_private_report: ClassVar[bool] = False
    takes_pseudonyms: ClassVar[bool] = False
    # Whoever has several swaps of one source finds the groups, and then the cells.
    composes: ClassVar[bool] = False

    @property
    def swapped_columns(self) -> Sequence[str]:
        """The sensitive columns: they keep their values, and hide whose they are."""
        return self.config.roles.sensitive

    def unjudged_columns(self) -> list[str]:
        """None: what is swapped is protected, for nobody knows whose the values are."""
        return []

    def refuse_too_small(
        self,
        anonymizer: BaseAnonymizer,
        thresholds: Sequence[Threshold],
        tables: Mapping[str, pd.DataFrame],
    ) -> None:
        """Refuse too few groups of k rows to see whether cells moved in them.

        The gate would find the same, after the cells were swapped.
        """
        needed = max(getattr(named(t), "fewest_groups", 0) for t in thresholds)
        k, n_rows = anonymizer.k, len(tables[INPUT])
        if k > 1 and n_rows // k < needed:
            raise InfeasibleError(
                f"{n_rows} rows make at most {n_rows // k} groups of k={k}, and "
                f"{needed} are needed to judge whether cells moved; lower k to "
                f"{n_rows // needed} or less, or release more rows."
            )

    def moved_cells(
        self, anonymizer: Any
    ) -> Mapping[Sequence[str], tuple[np.ndarray, np.ndarray]]:
        """For each set of columns that were swapped: groups and sources of its rows."""
        return {
            columns: (anonymizer.labels_[columns], sources)
            for columns, sources in dict(anonymizer.permutations_).items()
        }

    def numbers(
        self,
        tables: Sequence[pd.DataFrame],
        thresholds: Sequence[Threshold],
        suppression_label: str,
    ) -> dict[str, Any]:
        """Rows alone: they are not what was promised, and links are not published."""
        (table,) = tables
        return {"rows": len(table), "levels": {}}

    def identifying_faults(self, candidate: Candidate, rows: np.ndarray) -> list[str]:
        """Columns that tell persons apart, or give what was swapped."""
        roles = self.config.roles
        before = candidate.source.iloc[rows].reset_index(drop=True)
        subject = subject_of(candidate, roles, rows)
        moved = moved_columns(candidate)
        faults = super().identifying_faults(candidate, rows)
        return faults + swap_faults(before, roles, moved, subject)

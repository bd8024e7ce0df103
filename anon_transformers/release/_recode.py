"""``recoding: reuse``: publish a table in the cells that were published before.

The first table is made as any other. Each later row goes into the cell whose labels
cover it. Who is published there is decided by the classes that persons were in before,
as the ledger keeps them; the gate judges the outcome like any other candidate.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import encode, refuse_unknown
from anon_transformers.evidence import Classes, Report
from anon_transformers.exceptions import (
    ConfigurationError,
    InfeasibleError,
    ReleaseError,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    attribute_losses,
    class_statistics,
    domain_share_loss,
)
from anon_transformers.parameters import whole
from anon_transformers.release._build import make_hierarchies
from anon_transformers.release._composition import (
    NO_KEY,
    keyed_values,
    read_membership_key,
    stored_classes,
)
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._files import schema_of
from anon_transformers.release._kept_cells import NO_CELL, CoveredRows, KeptCells
from anon_transformers.release._ledger import earlier_publications, open_ledger
from anon_transformers.release._log import stage, tell_numbers
from anon_transformers.release._persons_in_classes import (
    SUPPRESSED_CLASS,
    PersonsOfRows,
)
from anon_transformers.release._protected_rows import ProtectedRows
from anon_transformers.release._run import Run
from anon_transformers.release._stated_composition import AskedTogether
from anon_transformers.release._stated_recoding import REUSE

if TYPE_CHECKING:
    from anon_transformers.ledger import MembershipKey
    from anon_transformers.ledger._persons_so_far import PersonsSoFar


class Recoding:
    """A table of a series beside the cells and persons of those before it.

    Parameters
    ----------
    run : Run
        The run.
    config : ReleaseConfig
        Its release.
    source : DataFrame
        What was loaded.
    marks : mapping
        Marks of missing values that thresholds name, by column.
    suppression_label : str
        The mark of a suppressed cell.
    """

    def __init__(
        self,
        run: Run,
        config: ReleaseConfig,
        source: pd.DataFrame,
        marks: Mapping[str, Sequence[str] | None],
        suppression_label: str,
    ):
        self.config, self.source = config, source
        self.asked = _asked_of(config, run.thresholds)
        self.run, self.marks, self.label = run, marks, suppression_label
        self.ledger = open_ledger(config, to_read=True)
        self.earlier = earlier_publications(self.ledger, config, run.id)
        own = {one.publication.version for one in self.earlier if self._stays(one)}
        quasi_identifiers = config.roles.quasi_identifiers
        self.kept = KeptCells.read(config.home, quasi_identifiers, suppression_label)
        self.in_use = self.kept.in_use(own)
        if own and not len(self.in_use):
            raise ReleaseError(
                f"recoding: the ledger says that cells of {config.name} were "
                f"published, and {config.home} does not keep them; put cells.json "
                "back in its place, or state 'recoding: fresh'."
            )

    def _stays(self, one: Any) -> bool:
        """Whether classes of a publication have the numbers of kept cells."""
        publication = one.publication
        return publication.release == self.config.name and publication.recoding == REUSE

    def protect(self, fit: Callable[[], ProtectedRows]) -> ProtectedRows:
        """The table that is published.

        Parameters
        ----------
        fit : callable
            Has the method make a table; asked where no cells are kept.
        """
        if not self.earlier:
            return fit()
        stage("deciding who is published in kept cells")
        started = time.perf_counter()
        persons = PersonsOfRows.of(
            self.source, str(self.config.roles.subject), list(self.asked.l), self.marks
        )
        key = read_membership_key()
        if key is None:
            raise ConfigurationError(f"composition: {NO_KEY}.")
        digests, so_far = key.persons(persons.keys), self._so_far(key)
        made = None if len(self.in_use) else fit()
        if made is None:
            cells = self._covering(persons, so_far.last_classes(digests))
        else:
            cells = self._made_anew(persons, made)
        decided = so_far.decide(
            digests,
            cells,
            {name: keyed_values(key, name, of) for name, of in persons.values.items()},
            k=whole("composition.k", self.asked.k),
            l=self.asked.l,
            suppressed=self.kept.suppressed,
        )
        tell_numbers({"waiting": decided.waiting, "withheld": decided.withheld})
        rows = np.flatnonzero(decided.published[persons.of_rows])
        hidden = NO_CELL if self.kept.suppressed is None else self.kept.suppressed
        if (cells[persons.of_rows[rows]] == hidden).all():  # or there are none
            raise InfeasibleError(
                "recoding: nobody can be published in the cells of earlier versions: "
                "too few persons stayed, or came, together. The version that is "
                "public stays; a later table may have more of them."
            )
        if made is not None:
            held = np.isin(made.rows, rows)
            table, rows = made.table[held].reset_index(drop=True), made.rows[held]
        else:
            table = self._labelled(rows, cells[persons.of_rows[rows]])
        out = np.flatnonzero(decided.left_out != NO_CELL)
        return ProtectedRows(
            table,
            rows,
            self._report(table, persons, rows, started),
            pd.DataFrame({"row": persons.first[out], "cell": decided.left_out[out]}),
        )

    def _so_far(self, key: "MembershipKey") -> "PersonsSoFar":
        """The persons of all earlier releases, as the gate will judge them."""
        from anon_transformers.ledger._persons_so_far import PersonsSoFar

        stated = self.asked.stated
        kinds = {name: stated.sensitive[name] for name in self.asked.l}
        so_far = PersonsSoFar(kinds, window=stated.window)
        for one in self.earlier:
            release = stored_classes(self.ledger, one, key, self.asked.l)
            so_far.add(release, stays=self._stays(one))
        return so_far

    def _covering(self, persons: PersonsOfRows, last: np.ndarray) -> np.ndarray:
        """The kept cell of each person; -1 where none covers all of their rows.

        Who was published in a cell that still covers them stays in it.
        """
        quasi_identifiers = self.config.roles.quasi_identifiers
        hierarchies: dict[str, Any] = {
            **make_hierarchies(self.config, quasi_identifiers)
        }
        refuse_unknown(*(encode(self.source[n], h) for n, h in hierarchies.items()))
        covered = CoveredRows(self.source, self.kept, self.in_use, hierarchies)
        hidden = NO_CELL if self.kept.suppressed is None else self.kept.suppressed
        held = np.where(last == SUPPRESSED_CLASS, hidden, np.maximum(last, NO_CELL))
        stays = persons.all_of(covered.stay(held[persons.of_rows]))
        return np.where(stays, held, persons.common(covered.first(), NO_CELL))

    def _made_anew(self, persons: PersonsOfRows, made: ProtectedRows) -> np.ndarray:
        """The class of each person in a table that a method made; -1 if in none."""
        self.kept = self.kept.with_table(
            made.table, schema_of(made.table), self.run.id, ()
        )
        cells = np.full(len(self.source), NO_CELL)
        cells[made.rows] = self.kept.numbers_of(made.table)
        return persons.common(cells, NO_CELL)

    def _labelled(self, rows: np.ndarray, cells: np.ndarray) -> pd.DataFrame:
        """Rows of the source with the labels of their cells."""
        roles = self.config.roles
        shown = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
        columns = [name for name in self.source.columns if name in shown]
        table = self.source[columns].iloc[rows].reset_index(drop=True)
        return table.assign(**self.kept.labels_of(cells))

    def _report(
        self,
        table: pd.DataFrame,
        persons: PersonsOfRows,
        rows: np.ndarray,
        started: float,
    ) -> Report:
        """The numbers of a table of which rows were left out: they are lost."""
        names = list(self.config.roles.quasi_identifiers)
        who = "\0person"
        counted = table.assign(**{who: persons.of_rows[rows]})
        classes = Classes.from_frame(
            counted, names, subject=who, suppression_label=self.label
        )
        hierarchies: dict[Any, Any] = dict(make_hierarchies(self.config, names))
        lost = attribute_losses(self.source, table, hierarchies, names, self.label)
        statistics = class_statistics(classes)
        return Report(
            method=self.config.anonymizer.name,
            rows=len(self.source),
            suppressed_rows=len(self.source) - len(table) + statistics.suppressed_rows,
            extra_suppressed_rows=0,
            classes=asdict(statistics),
            models=(),
            loss=domain_share_loss(lost.values()),
            column_losses={str(name): loss for name, loss in lost.items()},
            risk={m.name: m.measure(classes) for m in (AverageRisk(), HighestRisk())},
            seconds=time.perf_counter() - started,
        )


def _asked_of(config: ReleaseConfig, thresholds: Sequence[Threshold]) -> AskedTogether:
    """What is asked of all releases together, and of each by itself."""
    asked = AskedTogether.of(config, thresholds)
    if asked is None:
        raise ReleaseError("recoding: composition is not judged.")
    return asked

"""Judge a candidate together with all earlier releases of the same persons.

It is judged twice: where the candidate is validated, so that it is refused there like
any other; and once more where it is published, if another release of these persons was
published in between. By then its publication is reserved, and nobody else's can come.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from anon_transformers.exceptions import (
    ConfigurationError,
    LedgerError,
    NotEvaluable,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._files import schema_of
from anon_transformers.release._forms import Candidate, Form
from anon_transformers.release._ledger import open_ledger
from anon_transformers.release._log import LOG, stage
from anon_transformers.release._persons_in_classes import (
    SUPPRESSED_CLASS,
    PersonsInClasses,
)
from anon_transformers.release._run import JUDGED, write_json
from anon_transformers.release._stated_composition import (
    AskedTogether,
    StatedComposition,
)
from anon_transformers.release._stated_recoding import reuses_cells

if TYPE_CHECKING:
    from anon_transformers.ledger import (
        CompositionReport,
        Ledger,
        MembershipKey,
        Publication,
        PublishedClasses,
        RecordedPublication,
    )
    from anon_transformers.ledger._composition import Kind

NO_KEY = (
    "the environment has no ANON_LEDGER_KEY, by which the ledger keeps who was in "
    "which class; set it to 32 random bytes (openssl rand -hex 32), the same for all "
    "runs from the first on, or name a connection under airflow.secrets, or state "
    "composition.accept_unjudged with your reason"
)
WORDS = {
    "class": "in classes of one release that are too small by themselves",
    "joiners": "who came, or came back, with too few others",
    "leavers": "who left with too few others",
    "moved": "who went to another class with too few others",
    "suppressed": "who changed to or from the suppressed rows with too few others",
    "intersection": "whose classes have too few values in common",
    "difference": "of whom the difference of releases leaves too few values",
}


def refuse_no_key(config: ReleaseConfig, thresholds: Sequence[Threshold]) -> None:
    """Refuse a release that must be judged with others, and could not be."""
    asked = AskedTogether.of(config, thresholds)
    if asked is not None and asked.must and read_membership_key() is None:
        raise ConfigurationError(f"composition: {NO_KEY}.")


def read_membership_key() -> "MembershipKey | None":
    """The key of the environment by which memberships are kept, if there is one."""
    from anon_transformers.ledger import MembershipKey

    return MembershipKey.from_environment()


class Together:
    """A candidate beside all earlier releases of the same persons.

    Parameters
    ----------
    form : Form
        The form of the release.
    candidate : Candidate
        What is to be published.
    publication : Publication
        What the ledger would record of it.
    ledger : Ledger, optional
        Where the earlier ones are recorded; that of the release by default.
    """

    def __init__(
        self,
        form: Form,
        candidate: Candidate,
        publication: "Publication",
        ledger: "Ledger | None" = None,
    ):
        self.form, self.candidate = form, candidate
        self.publication = publication
        self.ledger = ledger or open_ledger(form.config, to_read=True)
        self.asked = AskedTogether.of(form.config, candidate.run.thresholds)

    def earlier(self) -> "list[RecordedPublication]":
        """Publications that may hold the same persons, in their order."""
        found = self.ledger.publications(self.publication)
        return [e for e in found if e.publication.name != self.publication.name]

    def faults(self) -> list[str]:
        """What the releases tell together that none of them may, in words."""
        earlier = self.earlier()
        write_json(
            self.candidate.run.path(JUDGED),
            self.candidate.run.sealed({"with": _names(earlier)}),
        )
        if self.asked is None:
            return self._unasked_faults(earlier)
        if not (earlier or self.asked.must):
            return []
        stage("judging together with earlier releases")
        try:
            report = self._judged(self.asked, earlier)
        except (NotEvaluable, LedgerError) as error:
            return [f"composition: {str(error).removeprefix('composition: ')}"]
        return [] if report.passed else [describe(report)]

    def _unasked_faults(self, earlier: "Sequence[RecordedPublication]") -> list[str]:
        """Refuse a table without persons, beside tables whose persons are protected."""
        stated = self.form.config.composition
        if stated is not None and stated.accept_unjudged is not None:
            return []
        if all(one.memberships == "none" for one in earlier):
            return []
        return [
            "composition: earlier releases of this source are judged together by the "
            "persons they hold, and this one names no roles.subject; name it, or state "
            "composition.accept_unjudged with your reason"
        ]

    def new_faults(self) -> list[str]:
        """The same, if a release was published since the candidate was judged."""
        run = self.candidate.run
        noted = run.unsealed(json.loads(run.path(JUDGED).read_text(encoding="utf-8")))
        return [] if noted["with"] == _names(self.earlier()) else self.faults()

    def remember(self) -> None:
        """Keep who is in which class, for those who come later.

        Called between the reservation of a publication and its confirmation.
        """
        if self.form.config.roles.subject is None or not self.form.composes:
            return
        key = read_membership_key()
        if key is None and self.asked is None:
            return
        if key is None:
            LOG.warning(
                "Who is in which class is not kept, for %s. A further release of this "
                "source will be refused.", NO_KEY,
            )  # fmt: skip
            return
        try:
            now = self._now
        except NotEvaluable:
            if self.asked is None:  # and so will no later release be judged with it
                return
            raise
        self.ledger.write_memberships(
            self.publication.name, key, now.persons, self._kept_classes(), now.values
        )

    def _kept_classes(self) -> np.ndarray:
        """The class of each person; where cells are kept, the number of the cell.

        Cells that are new are kept from now on, before anybody sees the version.
        """
        now, config, candidate = self._now, self.form.config, self.candidate
        if not reuses_cells(config):
            return now.classes
        from anon_transformers.release._kept_cells import KeptCells

        (table,), label = candidate.tables, candidate.suppression_label
        quasi_identifiers = config.roles.quasi_identifiers
        before = KeptCells.read(config.home, quasi_identifiers, label)
        published = {
            one.publication.version
            for one in self.ledger.publications()
            if one.publication.release == config.name
        }
        kept = before.with_table(table, schema_of(table), candidate.run.id, published)
        if kept != before:
            kept.write(config.home)
        cells = kept.numbers_of(table.iloc[now.rows])
        return np.where(now.classes == SUPPRESSED_CLASS, SUPPRESSED_CLASS, cells)

    @cached_property
    def _now(self) -> PersonsInClasses:
        config = self.form.config
        stated = config.composition or StatedComposition()
        columns = stated.l_in_force(
            self.candidate.run.thresholds, config.roles.sensitive
        )
        return self.form.persons_in_classes(self.candidate, list(columns))

    def _judged(
        self, asked: AskedTogether, earlier: "Sequence[RecordedPublication]"
    ) -> "CompositionReport":
        from anon_transformers.ledger import Composition

        if not self.form.composes:
            raise NotEvaluable("releases of this method cannot be judged together.")
        if self.form.config.roles.subject is None:
            raise NotEvaluable(
                "without roles.subject nobody knows who is in several releases."
            )
        key = read_membership_key()
        if key is None:
            raise NotEvaluable(NO_KEY)
        unstated = [name for name in asked.l if name not in asked.stated.sensitive]
        if unstated:
            raise NotEvaluable(
                f"composition.sensitive does not say of {unstated} whether a person's "
                "value is permanent or changing"
            )
        tables = [_stored(self.ledger, one, key) for one in earlier]
        tables.append(_keyed(self._now, key))
        published = [*(one.publication for one in earlier), self.publication]
        linked = any(publication.linked for publication in published)
        columns = _judged_columns(asked, len(tables) if linked else 0)
        composition = Composition(
            {column.name: column.kind for column in columns},
            presence=asked.stated.presence,
            window=asked.stated.window,
        )
        for release in _in_turn(tables, columns):
            composition = composition.extended(release)
        return composition.report(asked.k, {c.name: asked.l[c.of] for c in columns})


def _names(earlier: "Sequence[RecordedPublication]") -> list[list[str]]:
    return [list(one.publication.name) for one in earlier]


@dataclass(frozen=True)
class _KeyedTable:
    """Who is in which class of a table, with digests of persons and values."""

    persons: np.ndarray
    classes: np.ndarray
    values: Mapping[str, np.ndarray]
    suppressed_shown: bool


@dataclass(frozen=True)
class _JudgedColumn:
    """A sensitive column as releases are judged by it.

    Where rows of a person are linked, a changing column is one column per release: the
    value of then belongs to the person of now, as whoever follows the link knows.
    """

    name: str
    of: str
    kind: "Kind"
    only: int | None = None

    def is_shown(self, number: int, table: _KeyedTable) -> bool:
        """Whether the table of this number shows values of the column."""
        return self.of in table.values and self.only in (None, number)

    def values_in(self, number: int, table: _KeyedTable, known: "_Known") -> np.ndarray:
        """Values of the persons of a table; those of before if it shows none."""
        if not self.is_shown(number, table):
            return known.of(table.persons)
        known.learn(table.persons, table.values[self.of])
        return table.values[self.of]


class _Known:
    """The last value of each person that any release has shown."""

    def __init__(self) -> None:
        self._values = pd.Series(dtype=np.uint64)

    def learn(self, persons: np.ndarray, values: np.ndarray) -> None:
        told = pd.Series(values, index=_as_index(persons))
        kept = self._values[~self._values.index.isin(told.index)]
        self._values = told if kept.empty else pd.concat([kept, told])

    def of(self, persons: np.ndarray) -> np.ndarray:
        found = self._values.reindex(_as_index(persons), fill_value=0)
        return found.to_numpy(dtype=np.uint64)


def _as_index(persons: np.ndarray) -> pd.MultiIndex:
    """Digests as pairs of numbers, which are looked up without a Python object each."""
    words = np.ascontiguousarray(persons).view(np.uint64).reshape(len(persons), -1)
    return pd.MultiIndex.from_arrays(list(words.T))


def _judged_columns(asked: AskedTogether, n_linked: int) -> list[_JudgedColumn]:
    """The columns that releases are judged by, of which so many tables are linked."""
    found = []
    for name in asked.l:
        kind = asked.stated.sensitive[name]
        if kind == "permanent" or not n_linked:
            found.append(_JudgedColumn(name, name, kind))
            continue
        for number in range(n_linked):
            then = f"{name} of release {number + 1}"
            found.append(_JudgedColumn(then, name, "permanent", number))
    return found


def _in_turn(
    tables: "Sequence[_KeyedTable]", columns: Sequence[_JudgedColumn]
) -> "Iterator[PublishedClasses]":
    """Tables as they are judged, each with what those before it have told."""
    from anon_transformers.ledger import PublishedClasses

    known = {column.name: _Known() for column in columns}
    for number, table in enumerate(tables):
        values = {
            c.name: _with_missing(c.values_in(number, table, known[c.name]))
            for c in columns
        }
        yield PublishedClasses(
            table.persons,
            table.classes,
            values,
            suppressed_shown=table.suppressed_shown,
            not_shown=[c.name for c in columns if not c.is_shown(number, table)],
        )


def stored_classes(
    ledger: "Ledger",
    earlier: "Sequence[RecordedPublication]",
    key: "MembershipKey",
    asked: AskedTogether,
) -> "Iterator[PublishedClasses]":
    """Earlier releases as a later one is judged with them; not where rows are linked.

    Raises
    ------
    NotEvaluable
        If the classes of one are not kept, or links tell whose a changing value was.
    """
    changing = [name for name in asked.l if asked.stated.sensitive[name] == "changing"]
    if changing and any(one.publication.linked for one in earlier):
        raise NotEvaluable(
            "recoding: stable pseudonyms of earlier releases link changing values "
            f"({', '.join(changing)}), and cells are not kept then"
        )
    tables = [_stored(ledger, one, key) for one in earlier]
    return _in_turn(tables, _judged_columns(asked, 0))


def _stored(
    ledger: "Ledger", one: "RecordedPublication", key: "MembershipKey"
) -> _KeyedTable:
    """The persons of an earlier release, as the ledger keeps them."""
    if one.memberships != "kept":
        shown = "/".join(one.publication.name)
        raise NotEvaluable(
            f"the ledger does not keep who was in which class of {shown}: it was "
            "published without ANON_LEDGER_KEY or a subject, or they were forgotten"
        )
    kept = ledger.read_memberships(one.publication.name, key)
    blanks = one.publication.method.get("suppression") == "blank"
    return _KeyedTable(kept.persons, kept.classes, kept.values, not blanks)


def _keyed(now: PersonsInClasses, key: "MembershipKey") -> _KeyedTable:
    """The persons of a candidate, as the ledger will keep them."""
    values = {name: key.values(name, cells) for name, cells in now.values.items()}
    return _KeyedTable(
        key.persons(now.persons), now.classes, values, now.suppressed_shown
    )


def keyed_values(
    key: "MembershipKey", column: str, values: Sequence[str | None]
) -> pd.Series:
    """What stands for values of a column, as the ledger will keep them."""
    return _with_missing(key.values(column, values))


def _with_missing(digests: np.ndarray) -> pd.Series:
    return pd.Series(pd.arrays.IntegerArray(digests, digests == 0))


def _persons(count: int) -> str:
    return f"{count:,} person{'s' if count != 1 else ''}"


def describe(report: "CompositionReport") -> str:
    """Why releases may not be published together: counts and reasons, of nobody."""
    parts = [
        f"{_persons(found['persons'])} {WORDS[reason]}"
        for reason, found in report.reasons.items()
        if found["persons"]
    ]
    asked = [f"k={report.k}", *(f"l={n} of {name!r}" for name, n in report.l.items())]
    reached = [
        f"k={report.k_reached}",
        *(f"l={n} of {name!r}" for name, n in report.l_reached.items()),
    ]
    return (
        f"composition: with the {report.releases - 1} releases before it, "
        f"{report.failing_persons:,} of {_persons(report.persons)} are not protected "
        f"({'; '.join(parts)}); asked for {', '.join(asked)}, reached "
        f"{', '.join(reached)}"
    )

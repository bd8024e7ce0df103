"""Judge a candidate together with all earlier releases of the same persons.

It is judged twice: where the candidate is validated, so that it is refused there like
any other; and once more where it is published, if another release of these persons was
published in between. By then its publication is reserved, and nobody else's can come.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from anon_transformers.base import (
    part_of_progress,
    progress_heard_by,
    tell_progress,
)
from anon_transformers.exceptions import (
    ConfigurationError,
    LedgerError,
    NotEvaluable,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._files import schema_of
from anon_transformers.release._forms import Candidate, Form, form_of
from anon_transformers.release._ledger import (
    lacking_beside,
    open_ledger,
    unknown_in_target,
    workspace_of,
)
from anon_transformers.release._log import LOG, share_done, stage
from anon_transformers.release._persons_in_classes import (
    LEFT_OUT,
    SUPPRESSED_CLASS,
    PersonsInClasses,
)
from anon_transformers.release._run import JUDGED, write_json
from anon_transformers.release._stated_composition import (
    FEWEST_VALUES,
    OR_ACCEPT,
    AskedTogether,
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

KEY_VARIABLE = "ANON_LEDGER_KEY"
NO_KEY = (
    "the environment has no ANON_LEDGER_KEY, by which the ledger keeps who was in "
    "which class; set it to 32 random bytes (openssl rand -hex 32), the same for all "
    "runs from the first on, or name a connection under airflow.secrets"
    f"{OR_ACCEPT}"
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
KEEP_CELLS = (
    "'recoding: reuse' publishes later tables in the cells of the first, and lets "
    "whoever came, left or moved with too few others wait"
)
LARGER_CLASSES = (
    "larger classes leave fewer of them: state a larger k under anonymizer, or leave "
    f"out a quasi-identifier{OR_ACCEPT}"
)
"""What helps where cells cannot stay, for nobody knows who is in the table."""


def refused_together(reasons: Sequence[str]) -> bool:
    """Whether what releases tell together is all that refuses a candidate."""
    return bool(reasons) and all(
        reason.startswith(("composition: ", "recoding: ")) for reason in reasons
    )


def refuse_no_key(config: ReleaseConfig, thresholds: Sequence[Threshold]) -> None:
    """Refuse a release that must be judged with others, and could not be."""
    asked = AskedTogether.of(config, thresholds)
    if asked is not None and asked.must and read_membership_key() is None:
        raise ConfigurationError(f"composition: {NO_KEY}.")


def lacks_key(config: ReleaseConfig) -> bool:
    """Whether a run here would be refused for want of the key.

    A connection under ``airflow.secrets`` brings it when the release runs.
    """
    asked = AskedTogether.of(config, config.thresholds)
    if asked is None or not asked.must or KEY_VARIABLE in config.airflow.secrets:
        return False
    return not _has_key()


def keeps_nobody(config: ReleaseConfig) -> bool:
    """Whether a run here keeps nobody, so that no later table can be judged with it.

    A connection under ``airflow.secrets`` brings the key to Airflow and to nobody here.
    """
    asked = AskedTogether.of(config, config.thresholds)
    if asked is None or config.roles.subject is None:
        return False
    try:
        composes = form_of(config).composes
    except ConfigurationError:  # the run itself says what is wrong with the method
        return False
    return composes and not _has_key()


def _has_key() -> bool:
    return bool(os.environ.get(KEY_VARIABLE, "").strip())


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
        if not (earlier or self.asked.must or self._lacking()):
            return []
        stage("judging together with earlier releases")
        try:
            with progress_heard_by(lambda share, found: share_done(share)):
                failed = self._failed(self.asked, earlier)
        except (NotEvaluable, LedgerError) as error:
            said = str(error).removeprefix("composition: ").removesuffix(".")
            return [f"composition: {said}"]
        return [f"{describe(report)}{self._helps(self.asked)}" for report in failed]

    def _helps(self, asked: AskedTogether) -> str:
        """What to do about persons who are not protected, as far as that is known."""
        if reuses_cells(self.form.config):
            return ""
        known = asked.stated.presence == "known"
        return f"; {KEEP_CELLS if known else LARGER_CLASSES}"

    def _unasked_faults(self, earlier: "Sequence[RecordedPublication]") -> list[str]:
        """Refuse a table without persons, beside tables whose persons are protected."""
        stated = self.form.config.composition
        if stated is not None and stated.accept_unjudged is not None:
            return []
        if all(one.publication.subject is None for one in earlier):
            return []
        return [
            "composition: earlier releases of this source are judged together by the "
            "persons they hold, and this one names no roles.subject; name it"
            f"{OR_ACCEPT}"
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
            self._tell_unkept(f"for {NO_KEY}")
            return
        try:
            now = self._now
        except NotEvaluable as error:
            if self.asked is not None and self.asked.must:
                raise
            self._tell_unkept(f"for {str(error).removesuffix('.')}")
            return
        self.ledger.write_memberships(
            self.publication.name, key, now.persons, self._kept_classes(), now.values
        )

    def _tell_unkept(self, why: str) -> None:
        """Log that nobody can judge later tables together with this one."""
        later = "A further release of this source will be refused"
        if self.asked is None:  # accepted unjudged
            why = why.removesuffix(OR_ACCEPT)
            later = (
                "Releases that state accept_unjudged go on; one that is judged "
                "together with this one will be refused"
            )
        LOG.warning("Who is in which class is not kept, %s. %s.", why, later)

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
        classes = now.classes.copy()
        of_table = classes[: len(now.rows)]  # then come those who are left out
        cells = kept.numbers_of(table.iloc[now.rows])
        of_table[:] = np.where(of_table == SUPPRESSED_CLASS, SUPPRESSED_CLASS, cells)
        return classes

    @cached_property
    def _now(self) -> PersonsInClasses:
        # Of all of them: what no threshold asks of now, a later release may ask of.
        columns = self.form.config.roles.sensitive
        return self.form.persons_in_classes(self.candidate, columns)

    def _failed(
        self, asked: AskedTogether, earlier: "Sequence[RecordedPublication]"
    ) -> "list[CompositionReport]":
        """The judgements that refuse the candidate."""
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
        if asked.k is None:
            raise NotEvaluable("no threshold states a k, and composition.k is missing")
        self.ledger.refuse_changed()
        self._refuse_unlike(asked, [one.publication for one in earlier])
        n_parts = 2 + len(asked.extended)
        tables = []
        for number, one in enumerate(earlier):
            tell_progress(number / len(earlier) / n_parts)
            tables.append(_stored(self.ledger, one, key))
        tables.append(_keyed(self._now, key))
        _warn_of_strangers(tables)
        published = [*(one.publication for one in earlier), self.publication]
        columns = [
            _JudgedColumn(name, name, asked.stated.sensitive[name], fewest)
            for name, fewest in asked.l.items()
        ]
        columns += _columns_of_then(asked, published[:-1])
        _refuse_other_knowledge(published[-(asked.stated.window or 0) :])
        for publication, table in zip(published, tables, strict=True):
            _refuse_unkept(publication, table, {column.of for column in columns})
        with part_of_progress(1, n_parts):
            reports = [_report(asked, columns, tables, asked.k)]
        for number, (name, fewest) in enumerate(asked.extended.items(), 2):
            # k is of those whom quasi-identifiers find.
            own = [replace(c, fewest=fewest) for c in columns if c.of == name]
            divided = [table.divided(name) for table in tables]
            with part_of_progress(number, n_parts):
                reports.append(_report(asked, own, divided, 1))
        return [report for report in reports if not report.passed]

    def _refuse_unlike(
        self, asked: AskedTogether, earlier: "Sequence[Publication]"
    ) -> None:
        """Refuse releases whose persons cannot be compared."""
        mine = self.publication
        others = {
            one.subject
            for one in earlier
            if one.subject != mine.subject and _is_of_one_source(one, mine)
        }
        if others:
            raise NotEvaluable(
                "earlier releases of this source tell persons apart by "
                f"{sorted(map(str, others))}, and this one by {mine.subject!r}"
            )
        if asked.stated.presence != "known" and any(one.linked for one in earlier):
            raise NotEvaluable(
                "an earlier release has stable pseudonyms, which show who joined and "
                "left; leave composition.presence out"
            )
        if lacking := self._lacking():
            versions = "version" if len(lacking) == 1 else "versions"
            raise NotEvaluable(
                f"the ledger lacks {len(lacking)} published {versions} of these "
                f"persons, the last of them {'/'.join(lacking[-1])}: it is another "
                "ledger, or was replaced"
            )

    def _lacking(self) -> list[tuple[str, str]]:
        """What was published of these persons, and the ledger does not know."""
        config, mine = self.form.config, self.publication
        beside = lacking_beside(self.ledger, workspace_of(config), mine)
        return beside or unknown_in_target(self.ledger, config, mine)


def _warn_of_strangers(tables: "Sequence[_KeyedTable]") -> None:
    """Tell the operator of a table with nobody of before: keys may be others now."""
    *before, now = tables
    if before and not any(np.isin(now.persons, one.persons).any() for one in before):
        LOG.warning(
            "Nobody in this table was in an earlier release. If they were, under other "
            "keys, what the releases tell together was not judged."
        )


def _report(
    asked: AskedTogether,
    columns: "Sequence[_JudgedColumn]",
    tables: "Sequence[_KeyedTable]",
    k: int,
) -> "CompositionReport":
    """What tables tell together of these columns."""
    from anon_transformers.ledger import Composition, PublishedClasses

    composition = Composition(
        {column.name: column.kind for column in columns},
        presence=asked.stated.presence,
        window=asked.stated.window,
    )
    for number, table in enumerate(tables):
        tell_progress(number / (len(tables) + 1))
        values = {c.name: _with_missing(c.values_in(number, table)) for c in columns}
        release = PublishedClasses(
            table.persons,
            table.classes,
            values,
            suppressed_shown=table.suppressed_shown,
            not_shown=[c.name for c in columns if not c.is_shown(number, table)],
        )
        composition = composition.extended(release)
    with part_of_progress(len(tables), len(tables) + 1):
        return composition.report(k, {c.name: c.fewest for c in columns})


def _is_of_one_source(one: "Publication", other: "Publication") -> bool:
    """Whether the column of persons must be the same; a declared sharer has its own."""
    return (
        one.source_id == other.source_id
        or one.release == other.release
        or not set(one.places).isdisjoint(other.places)
    )


def _refuse_unkept(
    publication: "Publication", table: "_KeyedTable", columns: Collection[str]
) -> None:
    """Refuse a table that showed values which the ledger does not keep."""
    shown = {
        name
        for role in ("quasi_identifiers", "sensitive", "insensitive")
        for name in publication.roles.get(role, ())
    }
    unkept = sorted(shown.intersection(columns).difference(table.values))
    if unkept:
        raise NotEvaluable(
            f"{'/'.join(publication.name)} shows {unkept} in another role than "
            "sensitive, or its values were not kept"
        )


def _refuse_other_knowledge(published: "Sequence[Publication]") -> None:
    """Refuse a column that one table takes for known, and another shows as it is.

    Whoever knows it finds smaller groups than the classes of that table.
    """
    declared = [set(one.roles.get("quasi_identifiers", ())) for one in published]
    known = set().union(*declared)
    for one, own in zip(published, declared, strict=True):
        shown = {*one.roles.get("sensitive", ()), *one.roles.get("insensitive", ())}
        bare = sorted(shown & known - own)
        if bare:
            raise NotEvaluable(
                f"{'/'.join(one.name)} shows {bare} as they are, which another release "
                "of these persons declares as quasi-identifiers: whoever knows them "
                "finds fewer persons than a class has"
            )


def _names(earlier: "Sequence[RecordedPublication]") -> list[list[str]]:
    return [list(one.publication.name) for one in earlier]


@dataclass(frozen=True)
class _KeyedTable:
    """Who is in which class of a table, with digests of persons and values."""

    persons: np.ndarray
    classes: np.ndarray
    values: Mapping[str, np.ndarray]
    suppressed_shown: bool

    def divided(self, column: str) -> "_KeyedTable":
        """As somebody sees it who knows all sensitive values but those of a column."""
        others = [cells for name, cells in self.values.items() if name != column]
        if not others:
            return self
        known = pd.MultiIndex.from_arrays([self.classes, *others])
        hidden = self.classes <= LEFT_OUT
        if not self.suppressed_shown:
            hidden |= self.classes == SUPPRESSED_CLASS
        classes = np.where(hidden, self.classes, pd.factorize(known)[0])
        return replace(self, classes=classes)


@dataclass(frozen=True)
class _JudgedColumn:
    """A sensitive column as releases are judged by it.

    One that the candidate is not judged by, and an earlier release was, is judged in
    that release only.
    """

    name: str
    of: str
    kind: "Kind"
    fewest: int
    only: int | None = None

    def is_shown(self, number: int, table: _KeyedTable) -> bool:
        """Whether the table of this number shows values of the column."""
        return self.of in table.values and self.only in (None, number)

    def values_in(self, number: int, table: _KeyedTable) -> np.ndarray:
        """Values of the persons of a table; none of them if it shows none."""
        if self.is_shown(number, table):
            return table.values[self.of]
        return np.zeros(len(table.persons), dtype=np.uint64)


def _columns_of_then(
    asked: AskedTogether, earlier: "Sequence[Publication]"
) -> list[_JudgedColumn]:
    """What earlier releases were judged by, and the candidate is not, or by less.

    The column may be called otherwise now, or be left out, or fewer values be asked of
    it. What was published of it is known, and groups that the candidate divides must
    still hold as many of its values.
    """
    found = []
    for at, one in enumerate(earlier):
        columns = one.asked_values
        if columns is None:
            columns = dict.fromkeys(one.roles.get("sensitive", ()), FEWEST_VALUES)
        found += [
            _JudgedColumn(f"{name} of release {at + 1}", name, "permanent", fewest, at)
            for name, fewest in columns.items()
            if asked.l.get(name, 0) < fewest
        ]
    return found


def _stored(
    ledger: "Ledger", one: "RecordedPublication", key: "MembershipKey"
) -> _KeyedTable:
    """The persons of an earlier release, as the ledger keeps them."""
    if one.memberships != "kept":
        shown = "/".join(one.publication.name)
        raise NotEvaluable(
            f"the ledger does not keep who was in which class of {shown}: "
            f"{_why_unkept(one)}. What was published so cannot be judged any more; "
            "state composition.accept_unjudged with your reason"
        )
    kept = ledger.read_memberships(one.publication.name, key)
    blanks = one.publication.method.get("suppression") == "blank"
    return _KeyedTable(kept.persons, kept.classes, kept.values, not blanks)


def _why_unkept(one: "RecordedPublication") -> str:
    """Why the ledger has nobody of an earlier release, as far as it tells."""
    if one.memberships == "forgotten":
        return "they were forgotten"
    if one.publication.subject is None:
        return "it names no roles.subject"
    return (
        "it was published unjudged, without ANON_LEDGER_KEY or with persons who had "
        "rows in several classes"
    )


def _keyed(now: PersonsInClasses, key: "MembershipKey") -> _KeyedTable:
    """The persons of a candidate, as the ledger will keep them."""
    values = {name: key.values(name, cells) for name, cells in now.values.items()}
    return _KeyedTable(
        key.persons(now.persons), now.classes, values, now.suppressed_shown
    )


def stored_classes(
    ledger: "Ledger",
    one: "RecordedPublication",
    key: "MembershipKey",
    columns: Iterable[str],
) -> "PublishedClasses":
    """The same, with the values of these sensitive columns.

    Raises
    ------
    NotEvaluable
        If the ledger does not keep them.
    """
    from anon_transformers.ledger import PublishedClasses

    kept = _stored(ledger, one, key)
    missing = [name for name in columns if name not in kept.values]
    if missing:
        raise NotEvaluable(
            f"{'/'.join(one.publication.name)} was published without a judgement of "
            f"{missing}, and nobody knows the values that it showed"
        )
    return PublishedClasses(
        kept.persons,
        kept.classes,
        {name: _with_missing(kept.values[name]) for name in columns},
        suppressed_shown=kept.suppressed_shown,
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
    before = report.releases - 1
    return (
        f"composition: with the {before} release{'s'[: before != 1]} before it, "
        f"{report.failing_persons:,} of {_persons(report.persons)} are not protected "
        f"({'; '.join(parts)}); asked for {', '.join(asked)}, reached "
        f"{', '.join(reached)}"
    )

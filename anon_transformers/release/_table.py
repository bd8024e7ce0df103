"""A table as a form of data: from the source to what the gate judges.

Private evidence lies in the run's folder and is removed with it: which row of the input
each row of the candidate was made of, how much it belongs to each fuzzy class, and how
often the input has each sensitive value. Degrees give the original values back.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.dates import looks_like_dates
from anon_transformers.base import BaseAnonymizer
from anon_transformers.evidence import Classes, Report
from anon_transformers.evidence._references import by_single
from anon_transformers.exceptions import (
    RepeatedIdentifierWarning,
    TellingColumnsWarning,
)
from anon_transformers.gx._judging import PrivateEvidence, Scope, private_evidence
from anon_transformers.gx._threshold import Threshold
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import Loss
from anon_transformers.privacy import PrivacyModel
from anon_transformers.privacy._judge import asks_of_values
from anon_transformers.release._anonymizer import (
    make_anonymizer,
    method_may_suppress,
    unknown_by_key,
)
from anon_transformers.release._attacks import attack_numbers
from anon_transformers.release._build import (
    evidence_kinds,
    make_hierarchies,
    make_model,
)
from anon_transformers.release._cells import (
    published_kinds,
    single_cells,
    write_parquet,
)
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._control import read_controls
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._faults import table_faults
from anon_transformers.release._file_kinds import TYPED_KINDS, known_kind, suffix_of
from anon_transformers.release._forms import (
    INPUT,
    Candidate,
    Form,
    GateInput,
    levels,
    read_loaded,
)
from anon_transformers.release._hidden_columns import HIDDEN_SHARES, hidden_shares
from anon_transformers.release._identifying_columns import (
    INSENSITIVE_LIMIT,
    identifying_faults,
)
from anon_transformers.release._kept_cells import KeptCells
from anon_transformers.release._ledger import source_of
from anon_transformers.release._person_columns import refuse_dropped_persons
from anon_transformers.release._persons_in_classes import (
    PersonsInClasses,
    PersonsOfRows,
    persons_in_classes,
)
from anon_transformers.release._protected_rows import ProtectedRows
from anon_transformers.release._pseudonyms import (
    linked_classes,
    make_pseudonyms,
    pseudonym_secret,
)
from anon_transformers.release._recode import Recoding
from anon_transformers.release._recoverable_labels import recoverable_faults
from anon_transformers.release._run import Run, sha256, tie_key, write_json
from anon_transformers.release._source import (
    check_columns,
    read_source,
    refuse_misspelled_columns,
    refuse_odd_subjects,
    refuse_repeated_identifiers,
    refuse_several_values,
    refuse_unstated_dates,
    refuse_unstated_numbers,
    refuse_wrong_options,
    stated_marks,
)
from anon_transformers.release._stated_recoding import reuses_cells
from anon_transformers.release._table_evidence import (
    LEFT_OUT,
    LINKS,
    MEMBERSHIPS,
    REFERENCES,
    linked_rows,
    read_left_out,
    read_memberships,
    read_rows,
    references,
    write_left_out,
    write_memberships,
)
from anon_transformers.release._table_numbers import (
    OF_PUBLISHED,
    class_numbers,
    counts_rows,
    losses,
)


class TableForm(Form):
    """One table; its rows keep the cells that are no quasi-identifiers."""

    noun: ClassVar[str] = "a table"
    kinds: ClassVar[frozenset[str]] = frozenset({"table", "linked"})
    takes_pseudonyms: ClassVar[bool] = True
    has_private_report: ClassVar[bool] = True
    """Whether its rows can be compared with those of their source, in a report."""
    composes: ClassVar[bool] = True
    private_files: ClassVar[tuple[str, ...]] = (
        f"{INPUT}.parquet",
        f"candidate/{REFERENCES}",
        f"candidate/{LINKS}",
        f"candidate/{MEMBERSHIPS}",
        f"candidate/{LEFT_OUT}",
    )

    @property
    def judged_columns(self) -> Sequence[str]:
        """The quasi-identifiers."""
        return self.config.roles.quasi_identifiers

    @property
    def published_columns(self) -> Sequence[str]:
        """All but identifiers, the subject and what is dropped; and pseudonyms."""
        roles, config = self.config.roles, self.config
        named = () if config.pseudonyms is None else config.pseudonyms.columns
        return (*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive, *named)

    @property
    def swapped_columns(self) -> Sequence[str]:
        """Columns whose cells are swapped: they hide whose their values are."""
        return ()

    def parameters(self) -> dict[str, Any]:
        """The declared columns as parameters of the anonymizer."""
        roles = self.config.roles
        return {
            "quasi_identifiers": list(roles.quasi_identifiers),
            "sensitive": list(roles.sensitive),
            "identifiers": list(roles.identifiers),
            "subject": roles.subject,
        }

    def refuse_misspelled_columns(self) -> None:
        """Refuse other columns than those of the source, if its file can be opened."""
        refuse_misspelled_columns(self.config)

    def refuse_wrong_options(self) -> None:
        """Refuse options that the reader of the source does not take."""
        refuse_wrong_options(self.config)

    @cached_property
    def models(self) -> list[PrivacyModel]:
        """The models that thresholds of the file name."""
        thresholds = self.config.thresholds
        return [make_model(t) for t in thresholds if t.kind == "model"]

    def unjudged_columns(self) -> list[str]:
        """Sensitive columns of whose values no threshold asks anything."""
        asking = [model for model in self.models if asks_of_values(model)]
        judged = [getattr(model, "sensitive", None) for model in asking]
        sensitive = self.config.roles.sensitive
        return [c for c in sensitive if None not in judged and c not in judged]

    @cached_property
    def stated_marks(self) -> dict[str, tuple[str, ...] | None]:
        """Marks of missing values that thresholds name, by published column."""
        columns = self.published_columns
        return {name: stated_marks(self.models, name) for name in columns}

    def read(self) -> dict[str, pd.DataFrame]:
        """Read the source and check its columns, persons and values."""
        config, roles = self.config, self.config.roles
        frame = read_source(config)
        check_columns(
            frame, roles, exempt=self.swapped_columns, marks=self.stated_marks
        )
        refuse_odd_subjects(frame, roles)
        refuse_repeated_identifiers(frame, roles)
        refuse_dropped_persons(frame, roles)
        refuse_several_values(frame, roles, self.stated_marks)
        refuse_unstated_dates(frame, config)
        # Here, so that not even the private copy of a run holds them.
        frame = frame.drop(columns=list(roles.dropped))
        read_controls(config, frame, config.thresholds)  # refuses what it cannot use
        return {INPUT: single_cells(frame, unstated_columns(config))}

    def refuse_dropped_persons(
        self, tables: Mapping[str, pd.DataFrame], key: str = "roles.dropped"
    ) -> None:
        """Refuse to count rows where a column that goes says that persons have several.

        Tables that were read lack what the file drops; a rung may drop more.
        """
        refuse_dropped_persons(tables[INPUT], self.config.roles, key)

    def refuse_guessed_kinds(
        self, anonymizer: BaseAnonymizer, tables: Mapping[str, pd.DataFrame]
    ) -> None:
        """Refuse unstated numbers of which rows may be suppressed."""
        if method_may_suppress(anonymizer) or reuses_cells(self.config):
            refuse_unstated_numbers(tables[INPUT], self.config)

    def write(
        self, run: Run, anonymizer: Any, draft: Path
    ) -> tuple[dict[str, pd.DataFrame], dict[str, Any], Report]:
        """Anonymize the table, shuffle its rows, write links and memberships."""
        config = self.config
        made = self._protected(run, anonymizer)
        source, table, rows = read_loaded(run, INPUT, config), made.table, made.rows
        # A lost column is the gate's to refuse.
        kept = [name for name in unstated_columns(config) if name in table.columns]
        table = published_kinds(table, kept, **what_cells_are(config))
        order = np.random.default_rng().permutation(len(table))
        table = table.iloc[order].reset_index(drop=True)
        table = table.assign(**self._pseudonyms(source, rows[order], run.id))
        noted = self.write_links(draft, anonymizer, rows[order])
        noted |= write_left_out(draft, made.left_out)
        if "memberships" in evidence_kinds(run.thresholds):
            noted |= write_memberships(draft, anonymizer, rows[order])
        write_json(draft / REFERENCES, references(source, config.roles))
        noted["references_sha256"] = sha256(draft / REFERENCES)
        return {"data": table}, noted, made.report

    def _protected(self, run: Run, anonymizer: Any) -> ProtectedRows:
        """The table that is published, made anew or in kept cells."""
        if not reuses_cells(self.config):
            return self._made(run, anonymizer)
        recoding = Recoding(
            run,
            self.config,
            read_loaded(run, INPUT, self.config),
            self.stated_marks,
            anonymizer.suppression_label,
        )
        make = partial(self._made, run, anonymizer)
        return unknown_by_key(lambda: recoding.protect(make))

    def _made(self, run: Run, anonymizer: Any) -> ProtectedRows:
        """The table as the method makes it."""
        config = self.config
        anonymizer.set_output(transform="default")
        given = read_loaded(run, INPUT, config)
        if config.roles.subject is not None:
            anonymizer._tie_key = tie_key(config.home)
        with warnings.catch_warnings():
            # Loading has refused identifiers that repeat, unless the file allows them.
            warnings.simplefilter("ignore", RepeatedIdentifierWarning)
            texts = with_stated_texts(given, config)
            table = unknown_by_key(partial(anonymizer.fit_transform, texts))
        # Read again: whoever was given a table may have written into it.
        source = read_loaded(run, INPUT, config)
        return ProtectedRows.of(anonymizer, table, len(source))

    def _pseudonyms(
        self, source: pd.DataFrame, rows: np.ndarray, version: str
    ) -> dict[str, pd.Series]:
        """The pseudonyms of these rows of the source, by column."""
        config = self.config
        if config.pseudonyms is None:
            return {}
        secret = pseudonym_secret()
        scope = [config.name, version]
        if config.pseudonyms.stable:
            scope = [config.name, "all versions", source_of(config)[1]]
        return {
            name: make_pseudonyms(
                source[name].iloc[rows].reset_index(drop=True), secret, *scope
            )
            for name in config.pseudonyms.columns
        }

    def moved_cells(
        self, anonymizer: Any
    ) -> Mapping[Sequence[str], tuple[np.ndarray, np.ndarray]]:
        """For each set of columns that were swapped: groups and sources of its rows."""
        return {}

    def write_links(
        self, draft: Path, anonymizer: Any, rows: np.ndarray
    ) -> dict[str, Any]:
        """Write the links of a shuffled candidate; returns what is noted of them."""
        links, moved = {"row": rows}, self.moved_cells(anonymizer)
        for number, (groups, sources) in enumerate(moved.values()):
            links[f"group {number}"] = groups[rows]
            links[f"source {number}"] = sources[rows]
        write_parquet(pd.DataFrame(links), draft / LINKS)
        return {
            "moved": [list(columns) for columns in moved],
            "links_sha256": sha256(draft / LINKS),
        }

    def numbers(
        self,
        tables: Sequence[pd.DataFrame],
        thresholds: Sequence[Threshold],
        suppression_label: str,
    ) -> dict[str, Any]:
        """Rows, classes, risks and losses; levels of thresholds where rows count."""
        (table,), roles = tables, self.config.roles
        scope = Scope(
            roles.quasi_identifiers,
            roles.sensitive,
            suppression_label=suppression_label,
        )
        method = make_anonymizer(self.config, self.config.thresholds)
        files = make_hierarchies(self.config, roles.sensitive)
        read = {name: h for name, h in files.items() if isinstance(h, Hierarchy)}
        # Rows are not what was promised to persons; persons are not published.
        judged = [t for t in thresholds if roles.subject is None or counts_rows(t)]
        lost = self._losses(table, method, suppression_label)
        lossy = {
            t.id: {"observed": lost["loss"]}
            for t in thresholds
            if t.kind == "metric" and t.name == Loss.name and "loss" in lost
        }
        drops = getattr(method, "suppression", None) == "drop"
        if (drops or reuses_cells(self.config)) and "loss" in lost:
            # The gate counts dropped rows as lost; how many they are is not published.
            lost, lossy = {**lost, OF_PUBLISHED: lost["loss"]}, {}
            del lost["loss"]
        with private_evidence(PrivateEvidence(hierarchies=read)):
            classes = scope.classes(table)
            return {
                "rows": len(table),
                **class_numbers(classes, roles.subject is None),
                **lost,
                **self._hidden(table, method, suppression_label),
                **self._attacked(table, classes, suppression_label),
                "levels": {**levels(table, scope, judged), **lossy},
            }

    def _attacked(
        self, table: pd.DataFrame, classes: Classes, suppression_label: str
    ) -> dict[str, Any]:
        """What intruders get who have the published table."""
        return attack_numbers(table, classes, self.config.roles, suppression_label)

    def _hidden(
        self, table: pd.DataFrame, method: BaseAnonymizer, suppression_label: str
    ) -> dict[str, dict[str, float]]:
        """Columns of few values that are hidden in many rows; nothing if none is."""
        if method.publishes != "labels":
            return {}
        quasi = self.config.roles.quasi_identifiers
        trees = make_hierarchies(self.config, quasi)
        shares = hidden_shares(table, quasi, trees, suppression_label)
        return {HIDDEN_SHARES: shares} if shares else {}

    def _losses(
        self,
        table: pd.DataFrame,
        method: BaseAnonymizer,
        suppression_label: str,
        n_rows: int | None = None,
    ) -> dict[str, Any]:
        """What a published table lost, of so many rows."""
        # Names of sets and centers of groups are no labels of a hierarchy: the ones are
        # not in it, and the others would all be as exact as the source.
        quasi = self.config.roles.quasi_identifiers
        shown = quasi if method.publishes == "labels" else ()
        trees = make_hierarchies(self.config, shown)
        return losses(table, quasi, trees, suppression_label, n_rows)

    def judged_losses(self, candidate: Candidate) -> dict[str, Any]:
        """Losses of the published labels, and of rows that are not published."""
        method = make_anonymizer(self.config, self.config.thresholds)
        lost = self._losses(
            candidate.tables[0],
            method,
            candidate.suppression_label,
            len(candidate.source),
        )
        return lost if "loss" in lost else {}

    def evidence(self, candidate: Candidate) -> GateInput:
        """The table, with the person of each row, and private evidence."""
        roles, source = self.config.roles, candidate.source
        frame = as_compared(candidate.tables[0], source, roles.sensitive)
        if roles.subject is not None:
            # Cells, labels and persons are all those of the same rows of the source.
            persons = persons_of(source[roles.subject], read_rows(candidate))
            frame = frame.assign(**{roles.subject: persons})
        return GateInput(
            frame,
            list(roles.quasi_identifiers),
            self.private_evidence(candidate),
            list(roles.sensitive),
            roles.subject,
            self._linked(candidate),
        )

    def _linked(self, candidate: Candidate) -> np.ndarray | None:
        """The class of each row as pseudonyms let it be seen; None if they do not."""
        if self.config.pseudonyms is None:
            return None
        (table,) = candidate.tables
        quasi_identifiers = list(self.config.roles.quasi_identifiers)
        labels = Classes.from_frame(table, quasi_identifiers).labels
        named = [table[name] for name in self.config.pseudonyms.columns]
        return linked_classes(np.asarray(labels), named)

    def private_evidence(self, candidate: Candidate) -> PrivateEvidence:
        """Input distributions, hierarchies of sensitive columns, links, memberships."""
        run = candidate.run
        given, built, persons = self.sensitive_evidence(candidate)
        kinds = evidence_kinds(run.thresholds)
        attacked = "attack" in kinds
        if attacked:
            built = {**quasi_hierarchies(self.config, candidate.source), **built}
        needs_links = attacked or "linkage" in kinds
        return PrivateEvidence(
            given,
            built,
            persons,
            **(linked_rows(candidate) if needs_links else {}),
            **read_memberships(candidate),
            controls={
                file: single_cells(table, unstated_columns(self.config))
                for file, table in read_controls(
                    self.config, candidate.source, run.thresholds
                ).items()
            },
        )

    def sensitive_evidence(
        self, candidate: Candidate
    ) -> tuple[dict[str, Any], dict[str, Hierarchy], int | None]:
        """Of the input: how often values are sensitive, their trees, its persons."""
        run, noted = candidate.run, candidate.noted
        file = run.evidence_file(REFERENCES, noted["references_sha256"], "the input")
        stored = json.loads(file.read_text(encoding="utf-8"))
        given = {
            name: {tuple(key) if isinstance(key, list) else key: n for key, n in pairs}
            for name, pairs in stored["columns"].items()
        }
        made = make_hierarchies(self.config, self.config.roles.sensitive)
        built: dict[str, Hierarchy] = {}
        for name, hierarchy in made.items():
            if isinstance(hierarchy, Hierarchy):
                built[name] = hierarchy
            else:
                single = by_single(given[name])
                texts = [text for text in single if text is not None]
                built[name] = hierarchy.build(texts)
        return given, built, stored["persons"]

    def persons_in_classes(
        self, candidate: Candidate, columns: Sequence[str]
    ) -> PersonsInClasses:
        """Who is in which class, with their values in these sensitive columns."""
        roles, (table,) = self.config.roles, candidate.tables
        subject = str(roles.subject)
        found = persons_in_classes(
            table,
            candidate.source[subject].iloc[read_rows(candidate)],
            roles.quasi_identifiers,
            columns,
            candidate.suppression_label,
            self.stated_marks,
            suppressed_shown=self.config.anonymizer.params.get("suppression")
            != "blank",
            linked=self._linked(candidate),
        )
        left_out = read_left_out(candidate)
        if left_out is None:
            return found
        everybody = PersonsOfRows.of(candidate.source, subject, (), {})
        numbers = everybody.of_rows[left_out["row"].to_numpy()]
        return found.with_left_out(
            [everybody.keys[number] for number in numbers], left_out["cell"].to_numpy()
        )

    def faults(self, candidate: Candidate) -> list[str]:
        """What differs from the source; what tells persons apart."""
        roles, (frame,) = self.config.roles, candidate.tables
        publishes = candidate.noted["publishes"]
        if (publishes == "swaps") != self.swaps:
            return ["the anonymizer says that it swaps cells, or not, against its kind"]
        rows = read_rows(candidate)
        faults = table_faults(
            candidate.source,
            frame,
            rows,
            roles,
            make_hierarchies(self.config, roles.quasi_identifiers),
            publishes,
            candidate.suppression_label,
            self._stated_values(candidate),
            () if self.config.pseudonyms is None else self.config.pseudonyms.columns,
        )
        return faults or [
            *self._pseudonym_faults(candidate, rows),
            *self.identifying_faults(candidate, rows),
            *self.recoverable_faults(candidate, rows),
        ]

    def _stated_values(self, candidate: Candidate) -> dict[str, set[str]]:
        """Values that columns have beside those of the source, and labels of before."""
        stated = self.config.stated_values
        if not reuses_cells(self.config):
            return stated
        names = self.config.roles.quasi_identifiers
        kept = KeptCells.read(self.config.home, names, candidate.suppression_label)
        for at, name in enumerate(names):
            labels = {cell[at] for cell in kept.labels} - {None}
            stated[name] = stated.get(name, set()) | {str(text) for text in labels}
        return stated

    def _pseudonym_faults(self, candidate: Candidate, rows: np.ndarray) -> list[str]:
        """Columns whose pseudonyms are not those of their rows."""
        (frame,) = candidate.tables
        wanted = self._pseudonyms(candidate.source, rows, candidate.run.id)
        faults = []
        for name, cells in wanted.items():
            others = int((to_text(frame[name]).fillna("") != cells.fillna("")).sum())
            if others:
                faults.append(f"column {name!r} has other pseudonyms in {others} rows")
        return faults

    def identifying_faults(self, candidate: Candidate, rows: np.ndarray) -> list[str]:
        """Columns that tell persons apart, or give what was hidden."""
        roles, (frame,) = self.config.roles, candidate.tables
        subject = subject_of(candidate, roles, rows)

        def warn(share: float) -> None:
            if share > INSENSITIVE_LIMIT:
                counted = "rows" if subject is None else "persons"
                warnings.warn(
                    f"{self.config.name}: all insensitive columns together tell "
                    f"{share:.0%} of the {counted} apart; whoever knows them finds "
                    "these.",
                    TellingColumnsWarning,
                    stacklevel=2,
                )

        return identifying_faults(
            frame,
            roles,
            subject,
            exempt=moved_columns(candidate),
            marks=self.stated_marks,
            on_share=warn,
        )

    def recoverable_faults(self, candidate: Candidate, rows: np.ndarray) -> list[str]:
        """Columns that give what labels hide; cells that are swapped have none."""
        if self.swaps:
            return []
        roles, (frame,) = self.config.roles, candidate.tables
        before = candidate.source.iloc[rows].reset_index(drop=True)
        subject = subject_of(candidate, roles, rows)
        return recoverable_faults(before, frame, roles, subject, self.stated_marks)


def with_stated_texts(source: pd.DataFrame, config: ReleaseConfig) -> pd.DataFrame:
    """The source with a type that says so where texts are stated to be no dates."""
    stated = config.stated_columns
    return source.assign(
        **{
            name: source[name].astype("category")
            for name in config.roles.quasi_identifiers
            if stated.get(name) == "text" and looks_like_dates(source[name])
        }
    )


def unstated_columns(config: ReleaseConfig) -> list[str]:
    """Columns that are published as they are, and of which no kind is stated."""
    kept = (*config.roles.sensitive, *config.roles.insensitive)
    stated = {*config.stated_columns, *config.roles.quasi_identifiers}
    return [name for name in kept if name not in stated]


def what_cells_are(config: ReleaseConfig) -> dict[str, bool]:
    """Whether the source has texts alone, and whether these may be numbers."""
    path, kind = next(iter(config.source.paths), None), config.source.kind
    if not kind and path is not None:
        kind = known_kind(path) or suffix_of(path)
    return {"written": kind == "csv", "texts": kind not in TYPED_KINDS}


def moved_columns(candidate: Candidate) -> set[str]:
    """Columns whose cells were swapped."""
    return {name for columns in candidate.noted["moved"] for name in columns}


def subject_of(
    candidate: Candidate, roles: DeclaredRoles, rows: np.ndarray
) -> pd.Series | None:
    """The person of each row of the candidate, where persons are counted."""
    if roles.subject is None:
        return None
    return persons_of(candidate.source[roles.subject], rows)


def persons_of(subject: pd.Series, rows: np.ndarray) -> pd.Series:
    """A number for the person of each row of the candidate; missing where unknown."""
    column = identify(subject)
    persons = pd.Series(column.codes[rows], dtype="Int64")
    return persons.mask(persons == column.missing_code)


def as_compared(
    frame: pd.DataFrame, source: pd.DataFrame, sensitive: Sequence[str]
) -> pd.DataFrame:
    """The candidate with texts where the source has texts.

    A column whose only text was dropped is published as numbers, and its reference is
    that of texts.
    """
    texts = {
        name: to_text(frame[name])
        for name in sensitive
        if name in frame.columns and pd.api.types.is_string_dtype(source[name].dtype)
    }
    return frame.assign(**texts)


def quasi_hierarchies(
    config: ReleaseConfig, source: pd.DataFrame
) -> dict[str, Hierarchy]:
    """Hierarchies of quasi-identifiers, those that are built from the source too."""
    made = make_hierarchies(config, config.roles.quasi_identifiers)
    return {
        name: tree
        if isinstance(tree, Hierarchy)
        else tree.build(identify(source[name]).texts().tolist())
        for name, tree in made.items()
    }

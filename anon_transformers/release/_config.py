"""The release file: one YAML file says what is released, how, and to whom.

Nothing here touches pandas, numba, Great Expectations or the data, so that a scheduler
can read configurations as often as it likes.
"""

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from anon_transformers.exceptions import (
    ConfigurationError,
    ParameterError,
    shortened,
    unknown_choice,
)
from anon_transformers.gx._threshold import Threshold, misspelled
from anon_transformers.release._airflow_options import AirflowOptions
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._expected_source import ExpectedSource
from anon_transformers.release._file_kinds import (
    FILE_KINDS,
    TABLE_KINDS,
    surely_a_table,
)
from anon_transformers.release._ledger_options import LedgerOptions
from anon_transformers.release._on_refusal import OnRefusal, Rung
from anon_transformers.release._period import EXAMPLES, Period, Template, grain_of
from anon_transformers.release._policies import (
    StatedPolicy,
    check_policies,
    with_policies,
)
from anon_transformers.release._remote_files import is_address, refuse_unopened
from anon_transformers.release._schedule import Schedule
from anon_transformers.release._stated_composition import (
    StatedComposition,
    check_composition,
)
from anon_transformers.release._stated_database import (
    refuse_wrong_database,
    sqlite_file,
)
from anon_transformers.release._stated_method import Method
from anon_transformers.release._stated_paths import (
    BUNDLED,
    FilePath,
    PlacePath,
    a_file,
)
from anon_transformers.release._stated_pseudonyms import Pseudonyms
from anon_transformers.release._stated_recoding import check_recoding
from anon_transformers.release._stated_target import Target
from anon_transformers.release._strict import (
    LARGEST_FILE,
    Strict,
    explain,
    parse_yaml,
)

LEGAL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}\Z")
"""Names of releases: of a file, of a folder, and of a DAG of Airflow."""

SOURCE_FILES = ("path", "edges", "nodes")
"""Keys of a source that name files."""


@contextmanager
def refused_under(key: str) -> Iterator[None]:
    """Say of which key of the file a parameter is that is refused inside."""
    try:
        yield
    except ParameterError as error:
        raise ConfigurationError(f"{shortened(key)}: {error}") from None


def _stated_texts(given: Any) -> tuple[str, ...]:
    """The texts of a key that may be one text or a list of texts."""
    several = given if isinstance(given, (list, tuple)) else (given,)
    return tuple(text for text in several if isinstance(text, str))


StatedThreshold = Annotated[
    Threshold, PlainValidator(Threshold.read), PlainSerializer(Threshold.to_dict)
]


class Source(Strict):
    """Where the table comes from: a kind of reader and its options.

    Attributes
    ----------
    kind : str
        Registered name of a reader, ``graph`` for the edges and nodes of a graph; of a
        file that ``path`` names, by default what its ending says.
    path : str, list of str, or None
        A CSV or Parquet file, from the folder of the release file; ``bundled:…`` for
        the library's own; with ``kind: parquet`` also a folder of such files.
        ``s3://…``, ``gs://…`` (extra ``fsspec``) and ``file://…`` are opened, too; any
        other address is handed to the reader of a plugin that ``kind`` names, and
        refused everywhere else. Every other key is an option of the reader. A path may
        hold a period, as ``data/{period:%Y-%m}.csv``, variables of the environment, as
        ``$DATA/people.csv``, and ``*`` for any name. Several files, by a list or by
        ``*``, are of one kind, have the same columns, and are put together.
    engine : {"duckdb"} or None
        Where the table is counted and recoded; in memory by default. With ``duckdb``
        it is read chunk by chunk, and no more of it than the distinct combinations of
        its values is in memory: for tables that have no room there.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: str = ""
    path: str | tuple[str, ...] | None = None
    engine: Literal["duckdb"] | None = None

    @field_validator("path")
    @classmethod
    def _some_file(cls, given: Any) -> Any:
        if given == ():
            raise ValueError("the list is empty; name at least one file.")
        return given

    @model_validator(mode="after")
    def _can_be_filled_in(self) -> "Source":
        for key, texts in self.templates.items():
            for template in texts:
                try:
                    template.check()
                except ParameterError as error:
                    raise ValueError(f"source.{key}: {error}") from None
        return self

    @model_validator(mode="after")
    def _some_origin(self) -> "Source":
        if not self.kind and self.path is None:
            slip = misspelled(self.options, ("kind", "path"))
            raise ValueError(slip or "name a path, or the kind of reader.")
        refuse_wrong_database(self.kind, self.options)
        return self

    @model_validator(mode="before")
    @classmethod
    def _a_file_for_readers_of_files(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("kind", "") in FILE_KINDS:
            for key in SOURCE_FILES:
                try:
                    for text in _stated_texts(given.get(key)):
                        of_table = given.get("kind", "") in TABLE_KINDS
                        if key == "path" and of_table and is_address(text):
                            refuse_unopened(text)
                        else:
                            a_file(text)
                except ValueError as error:
                    raise ValueError(f"source.{key}: {error}") from None
        return given

    @property
    def options(self) -> dict[str, Any]:
        """Everything the reader is called with, beside the path."""
        return copy.deepcopy(self.model_extra or {})

    @property
    def paths(self) -> tuple[str, ...]:
        """What ``path`` names: one file or address, or several."""
        return _stated_texts(self.path)

    @property
    def templates(self) -> dict[str, tuple[Template, ...]]:
        """The paths as they are stated, by the key that names them."""
        given = {**self.options, "path": self.path}
        texts = {key: _stated_texts(given.get(key)) for key in SOURCE_FILES}
        return {key: tuple(map(Template, found)) for key, found in texts.items()}

    @property
    def files(self) -> dict[str, str]:
        """The files it is read from, by the key that names each."""
        found = {}
        for key, templates in self.templates.items():
            for number, template in enumerate(templates):
                place = f"{key}[{number}]" if len(templates) > 1 else key
                found[place] = template.text
        file = sqlite_file(self.options.get("url")) if self.kind == "sql" else None
        if file is not None:
            found["url"] = file
        return {key: text for key, text in found.items() if not is_address(text)}


class StatedHierarchy(Strict):
    """A hierarchy: a file, or a kind of builder and its parameters.

    Attributes
    ----------
    path : str or None
        A file with one row per value and semicolon-separated levels, as ARX writes
        them; a path alone stands for ``{path: …}``. Beside it ``unknown`` says what
        becomes of a value that the file lacks: ``error`` (default), ``root`` or
        ``suppress``.
    kind : str or None
        Registered name of a builder, such as ``intervals``, in place of a file. Every
        other key is a parameter of the builder.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    path: FilePath | None = None
    kind: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_path_alone(cls, given: Any) -> Any:
        return {"path": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_origin(self) -> "StatedHierarchy":
        if self.path is None and self.kind is None:
            slip = misspelled(self.options, ("kind", "path"))
            raise ValueError(slip or "name a path, or the kind of builder.")
        if self.path is not None and self.kind is not None:
            raise ValueError("path and kind: a hierarchy is read or built, not both.")
        return self

    @property
    def options(self) -> dict[str, Any]:
        """Everything beside the path or the kind."""
        return copy.deepcopy(self.model_extra or {})


class ReleaseConfig(Strict):
    """A whole release file.

    Attributes
    ----------
    source : Source
        Where the table comes from.
    roles : DeclaredRoles
        What each column is; every column of the source needs a role.
    hierarchies : dict of column to StatedHierarchy
        How values of a column are made less exact.
    anonymizer : Method
        The method and its parameters.
    thresholds : tuple of Threshold
        What the release must reach: the goal of the anonymizer, and what the gate
        judges.
    policy : StatedPolicy, or list of StatedPolicy
        Named bundles of thresholds and checks, such as ``ontario-15``; their thresholds
        join those of the file, which may only tighten them.
    target : Target
        Where it is published.
    pseudonyms : Pseudonyms or None
        Identifiers that are published as keyed pseudonyms; without it, none is.
    composition : StatedComposition or None
        What this table must hold together with all earlier ones of the same persons.
    recoding : {"fresh", "reuse"}
        Whether the method makes the classes of each table anew, or later tables are
        published in the cells of the first one.
    suite : str or None
        Great Expectations suite that states the thresholds as ``$PARAMETER``; without
        it, one is written from them.
    schedule : str or None
        When Airflow runs it: a cron expression, or a word of Airflow, such as
        ``@daily``. Without it, when it is triggered.
    airflow : AirflowOptions
        How Airflow runs it.
    expect : ExpectedSource
        What the source must be like: how many rows, how old its file may be.
    on_refusal : OnRefusal
        ``refuse`` (default), or a ladder of other settings that are tried then.
    workspace : str
        Private folder for runs, quarantine and journal, from the folder of the file. It
        may hold variables of the environment.
    ledger : LedgerOptions
        Where publications are recorded; by default in the workspace.
    on_conflict : {"wait", "refuse"}
        What a run does while another one of this release, and of the same period, is
        under way: wait until it has ended, or be refused. Runs of different periods go
        on side by side.
    name : str
        Name of the release, its DAG and its private folder: that of the file, without
        its ending. Another one is refused.
    folder : str
        What relative paths start from: the folder of the file.
    """

    # A run notes the file in JSON: an infinite parameter must come back as it was.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    source: Source
    roles: DeclaredRoles
    hierarchies: dict[str, StatedHierarchy] = Field(default_factory=dict)
    anonymizer: Method
    thresholds: tuple[StatedThreshold, ...] = Field(min_length=1)
    policy: tuple[StatedPolicy, ...] = ()
    target: Target
    pseudonyms: Pseudonyms | None = None
    composition: StatedComposition | None = None
    recoding: Literal["fresh", "reuse"] = "fresh"
    suite: FilePath | None = None
    schedule: Schedule | None = None
    airflow: AirflowOptions = AirflowOptions()
    expect: ExpectedSource = ExpectedSource()
    on_refusal: OnRefusal = OnRefusal()
    workspace: PlacePath = ".anon"
    ledger: LedgerOptions = LedgerOptions()
    on_conflict: Literal["wait", "refuse"] = "wait"
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")  # that of the file
    folder: str = Field(".", repr=False)  # not a key of the file
    _filled: dict[str, Any] | None = PrivateAttr(None)
    _stated: "ReleaseConfig | None" = PrivateAttr(None)

    @model_validator(mode="before")
    @classmethod
    def _with_policies(cls, given: Any) -> Any:
        return with_policies(given)

    @model_validator(mode="after")
    def _policies_can_be_judged(self) -> "ReleaseConfig":
        check_policies(self)
        return self

    @field_validator("thresholds")
    @classmethod
    def _different_ids(cls, thresholds: tuple[Threshold, ...]) -> tuple[Threshold, ...]:
        stems = [threshold.stem for threshold in thresholds]
        for threshold in thresholds:
            if stems.count(threshold.stem) > 1:
                raise ValueError(
                    f"{threshold.id!r} is given twice; give each an id of its own."
                )
        keys = [t.key(param) for t in thresholds for param in t.params]
        twice = sorted(
            {key for key in [*keys, *stems] if (keys + stems).count(key) > 1}
        )
        if twice:
            raise ValueError(f"{twice[0]!r} could mean two of them; choose other ids.")
        return thresholds

    @model_validator(mode="after")
    def _some_quasi_identifier(self) -> "ReleaseConfig":
        if surely_a_table(self.source.kind, self.source.paths):
            self.refuse_no_quasi_identifier()
        return self

    def refuse_no_quasi_identifier(self) -> None:
        """Refuse roles under which there is nothing to protect in a table."""
        if not self.roles.quasi_identifiers:
            raise ValueError("roles.quasi_identifiers: name at least one column.")

    @model_validator(mode="after")
    def _one_reason_to_run(self) -> "ReleaseConfig":
        if self.schedule is not None and self.airflow.wait_for:
            raise ValueError(
                "airflow.wait_for: a release runs by a schedule or after others, not "
                "both."
            )
        return self

    @model_validator(mode="after")
    def _declared_columns(self) -> "ReleaseConfig":
        sensitive = self.roles.sensitive
        judged_columns = [*self.roles.quasi_identifiers, *sensitive]
        for column in self.hierarchies:
            if column not in judged_columns:
                raise ValueError(_hierarchy_of_none(column, judged_columns))
        for threshold in self.thresholds:
            for key, file in threshold.inputs.items():
                if not isinstance(file, str) or is_address(file):
                    raise ValueError(
                        f"thresholds, {threshold.id}: {key}: name a file, from the "
                        "folder of the release file."
                    )
            judged = threshold.params.get("sensitive")
            if judged is not None and judged not in sensitive:
                fault = unknown_choice("sensitive column", judged, sensitive)
                raise ValueError(f"thresholds, {threshold.id}: {fault}")
        return self

    @model_validator(mode="after")
    def _pseudonyms_of_identifiers(self) -> "ReleaseConfig":
        known = dict.fromkeys([*self.roles.identifiers, self.roles.subject])
        legal = [column for column in known if column is not None]
        for column in self.pseudonyms.columns if self.pseudonyms else ():
            if column not in legal:
                fault = unknown_choice("identifier", column, legal)
                raise ValueError(f"pseudonyms.columns: {fault}")
        return self

    @model_validator(mode="after")
    def _periods_fit_together(self) -> "ReleaseConfig":
        if Template(self.workspace).holds_period:
            raise ValueError(
                "workspace: all periods of a release share one private folder; write "
                "it without {period}."
            )
        grain = self.grain
        if grain is not None:
            self._refuse_recurring_paths(grain)
        stated = self.target.retention is not None
        if grain is not None and self.target.database is not None:
            raise ValueError(
                "target.database: shows one table, and this release has one for each "
                "period; publish periods in folders."
            )
        if grain is not None and self.target.store is not None:
            raise ValueError(
                "target.store: has one version that is current, and this release has "
                "one for each period; publish periods in folders."
            )
        if grain is None and stated:
            raise ValueError(
                "target.retention: neither source nor target holds a period, such as "
                "{period:%Y-%m}, and there is nothing to count."
            )
        if grain is not None and self.roles.subject is not None and not stated:
            raise ValueError(
                "target.retention: with roles.subject, say how many published periods "
                "stay public: whoever has two periods sees what changed for a person "
                "between them. State 'retention: {periods: 1}' under target, or more "
                "if you accept this."
            )
        return self

    def _refuse_recurring_paths(self, grain: str) -> None:
        """Refuse paths by which one year's data pass for another's, or join them."""
        stated = {
            f"source.{key}": found for key, found in self.source.templates.items()
        }
        if self.airflow.map is not None and self.airflow.map.tables is not None:
            stated["airflow.map.tables"] = (Template(self.airflow.map.tables),)
        stated["target.path"] = (Template(self.target.path),)
        for key, templates in stated.items():
            for template in templates:
                try:
                    template.refuse_recurring(grain)
                except ParameterError as error:
                    raise ValueError(f"{key}: {error}") from None

    @model_validator(mode="after")
    def _tables_can_be_judged_together(self) -> "ReleaseConfig":
        check_recoding(self)
        check_composition(self)
        return self

    @model_validator(mode="after")
    def _can_be_mapped(self) -> "ReleaseConfig":
        if self.airflow.map is not None:
            self.airflow.map.refuse_misfits(self)
        return self

    @property
    def grain(self) -> str | None:
        """How long a period of the release is; None without periods."""
        of_source = (t for found in self.source.templates.values() for t in found)
        try:
            return grain_of((*of_source, Template(self.target.path)))
        except ParameterError as error:
            raise ValueError(f"source and target: {error}") from None

    @property
    def example_period(self) -> str:
        """How a period of this release is written."""
        return EXAMPLES[self.grain or "month"]

    def filled(self, values: Mapping[str, Any]) -> "ReleaseConfig":
        """The same with paths in which nothing is left to fill in.

        Parameters
        ----------
        values : mapping
            What ``_resolve.fill_in`` found: ``period``, ``source``, ``target``,
            ``root`` and ``workspace``.
        """
        given = {
            key: tuple(found) if isinstance(found, list) else found
            for key, found in values["source"].items()
        }
        path = {"path": given.pop("path")} if "path" in given else {}
        source = self.source.model_copy(update=path)
        if given:
            source = Source.model_construct(
                **{**source.options, **given}, kind=source.kind, path=source.path
            )
        target = self.target.model_copy(update={"path": values["target"]})
        done = self.model_copy(
            update={
                "source": source,
                "target": target,
                "workspace": values["workspace"],
            }
        )
        done._filled, done._stated = dict(values), self.stated
        return done

    @property
    def stated(self) -> "ReleaseConfig":
        """The file as it is stated, in whose paths nothing is filled in."""
        return self._stated or self

    @property
    def filling(self) -> dict[str, Any] | None:
        """What was filled in, for the note of a run; private."""
        return None if self._filled is None else dict(self._filled)

    @property
    def period(self) -> Period | None:
        """The period that was filled in."""
        name = (self._filled or {}).get("period")
        return None if name is None else Period.read(name)

    @property
    def title(self) -> str:
        """The name of the release, with the period that was filled in."""
        return self.name if self.period is None else f"{self.name} {self.period}"

    @property
    def target_root(self) -> Path:
        """The folder whose ``current`` readers follow: the target, or that of all."""
        return self.path(self.filled_root)

    @property
    def filled_root(self) -> str:
        """The same as the file states it, with variables filled in."""
        unfilled = Template(self.target.path).root.text
        return str((self._filled or {}).get("root", unfilled))

    @model_validator(mode="after")
    def _every_rung_is_a_release(self) -> "ReleaseConfig":
        for number, rung in enumerate(self.on_refusal.back_off):
            key = f"on_refusal.back_off.{number}"
            try:
                self.changed_by(rung)
            except ValidationError as error:
                raise ValueError(f"{key}: {explain(error)}") from None
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
        return self

    def changed_by(self, rung: Rung) -> "ReleaseConfig":
        """The release with what a rung changes, which backs off no further."""
        return self.with_keys(rung.applied(self.stated.model_dump()))

    def with_keys(self, keys: Mapping[str, Any]) -> "ReleaseConfig":
        """The release with other keys of the file; what was filled in stays so."""
        given = {**self.stated.model_dump(), **keys}
        changed = ReleaseConfig.model_validate(given)
        return changed if self._filled is None else changed.filled(self._filled)

    def at_rung(self, number: int) -> "ReleaseConfig":
        """The release as it is tried at a rung; 0 is the file as it is stated."""
        return self.changed_by(self.on_refusal.back_off[number - 1]) if number else self

    @property
    def stated_columns(self) -> dict[str, Any]:
        """What the file says that columns of the source are, where it says so."""
        stated = self.source.options.get("columns")
        return dict(stated) if isinstance(stated, dict) else {}

    @property
    def stated_values(self) -> dict[str, set[str]]:
        """Values that columns have beside those of the source, by ``domain``."""
        stated = self.anonymizer.params.get("domain")
        lists = stated.items() if isinstance(stated, dict) else ()
        return {
            str(column): set(map(str, values))
            for column, values in lists
            if isinstance(values, (list, tuple))
        }

    @property
    def files(self) -> dict[str, str]:
        """The files that a release is judged by, by the keys that name them."""
        given = {
            f"hierarchies, {column}": stated.path
            for column, stated in self.hierarchies.items()
        }
        held = {
            f"thresholds, {threshold.id}, {key}": file
            for threshold in self.thresholds
            for key, file in threshold.inputs.items()
        }
        judging = {"suite": self.suite, **given, **held}
        return {key: path for key, path in judging.items() if path is not None}

    def path(self, given: str) -> Path:
        """A path of the file, from the folder of the file."""
        if given.startswith(BUNDLED):
            from anon_transformers.datasets import bundled_path

            return bundled_path(given.removeprefix(BUNDLED))
        return self.unresolved(given).resolve()

    def unresolved(self, given: str) -> Path:
        """The same with links as they are."""
        return Path(self.folder) / Path(given).expanduser()

    @property
    def home(self) -> Path:
        """Private folder of this release."""
        return self.path(self.workspace) / self.name


def _hierarchy_of_none(column: str, judged: Sequence[str]) -> str:
    """A hierarchy of a column without a role: either of the two may be misspelled."""
    fault = unknown_choice("column", column, judged)
    head, mean, rest = fault.partition("did you mean ")
    if not mean:
        return f"hierarchies: {fault}"
    near, _, listed = rest.partition("? ")
    return (
        f"hierarchies: {head}roles have {near}. One of the two is misspelled: correct "
        f"the one that the header of the source does not have. {listed}"
    )


def read_config(path: str | os.PathLike[str]) -> ReleaseConfig:
    """Read and check a release file; the same text is checked once.

    Raises
    ------
    ConfigurationError
        With the file, the key and the nearest legal one.
    """
    file = Path(path)
    try:
        with file.open("rb") as handle:
            content = handle.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise ConfigurationError(f"{file}: is larger than 1 MB.")
        text = content.decode()
    except FileNotFoundError:
        raise ConfigurationError(f"{file} does not exist.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file}: cannot be read ({type(error).__name__})."
        ) from None
    return _checked(file, file.parent.absolute(), text)


def checked_text(file: Path, text: str) -> ReleaseConfig:
    """Check what a release file would say if it held this text."""
    if len(text.encode()) > LARGEST_FILE:
        raise ConfigurationError(f"{file}: is larger than 1 MB.")
    return _checked(file, file.parent.absolute(), text)


@lru_cache(maxsize=8)
def _checked(file: Path, folder: Path, text: str) -> ReleaseConfig:
    try:
        stated = parse_yaml(text)
        if "folder" in stated:
            raise ConfigurationError("folder: this is the folder of the file itself.")
        refuse_other_name(file, stated)
        return ReleaseConfig.model_validate(
            {**stated, "name": file.stem, "folder": str(folder)}
        )
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except ValidationError as error:
        raise ConfigurationError(f"{file}:\n{explain(error)}") from None


def refuse_other_name(file: Path, stated: Mapping[str, Any]) -> None:
    """Refuse a name that is not that of the file, and a file that gives no name.

    A file that cannot be read has no other name than its own, and whoever waits for the
    release must find it under the same one.
    """
    if not LEGAL_NAME.match(file.stem):
        raise ConfigurationError(
            f"the name of the file, {shortened(file.stem)!r}, is that of the release: "
            "up to 200 letters, digits, '_', '-' and '.', and first a letter or digit."
        )
    if stated.get("name", file.stem) != file.stem:
        raise ConfigurationError(
            f"name: {shortened(stated['name'])!r} is not the name of the file; leave "
            f"it out, or rename the file to {shortened(stated['name'])}{file.suffix}."
        )


@lru_cache(maxsize=8)
def noted_config(text: str) -> ReleaseConfig:
    """The configuration that a run noted as JSON; the same text is checked once."""
    return ReleaseConfig.model_validate(json.loads(text))

"""How releases stand: what is public, since when, and by how much it holds.

Everything is read from release files, journals and manifests; no table is opened.
"""

import itertools
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from anon_transformers.exceptions import AnonymizationError, ConfigurationError
from anon_transformers.parameters import is_number
from anon_transformers.release._airflow_options import AirflowOptions
from anon_transformers.release._check import check_remembered
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._last_known import read_leniently, stated_leniently
from anon_transformers.release._mapping import FOLDER, derived_homes
from anon_transformers.release._period import Period, Template
from anon_transformers.release._run import (
    ACKNOWLEDGED,
    FINISHED,
    RUNS,
    Journal,
    period_in,
    sha256,
)
from anon_transformers.release._schedule import next_run
from anon_transformers.release._target import read_manifest
from anon_transformers.release._tighten import COMMON_WORDS
from anon_transformers.release._under_way import was_cut_off
from anon_transformers.release._verdict_only import why_verdict_only

SKIPPED = {"node_modules", "site-packages", "versions", "build", "dist"}
"""Folders in which no release files are looked for; hidden ones are not, either."""
FAILURES = {
    "quarantined": "was quarantined",
    "abandoned": "was given up",
    "refused": "was refused when it was loaded",
}
"""What the last event of a run that published nothing means."""
REFUSED = "was refused when it was anonymized"
"""What it means where the method, or the cells that stay, could not keep a promise."""
CUT_OFF = "was cut off: its process is gone"
"""What it means where a journal does not say how a run ended."""
ACKNOWLEDGE = "until it is published, or acknowledged: anon abandon FILE RUN"
DEFAULT_WORKSPACE = ".anon"
DEEPEST = 4
"""Folders below the one that is looked through."""
_RELEASE = re.compile(rb"^(?:anonymizer|thresholds)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True)
class Margin:
    """By how much a threshold held when the current version was published.

    Attributes
    ----------
    id : str
        The threshold.
    asked : number or None
        What it asks for; None if it is not one number.
    observed : number or None
        What was measured; None if that is not published.
    margin : number or None
        How far ``observed`` is on the safe side of ``asked``; below 0 is broken.
    margin_at_most : number or None
        Where k persons are asked for, and how many there are is not published: no class
        can have more persons than rows, and so neither can the smallest.
    unpublished : str or None
        Why ``observed`` is not published.
    """

    id: str
    asked: float | None = None
    observed: float | None = None
    margin: float | None = None
    margin_at_most: float | None = None
    unpublished: str | None = None


@dataclass(frozen=True)
class PeriodGap:
    """Periods that are not public, between two that are.

    Attributes
    ----------
    first, last : str
        The first and the last of them.
    n_periods : int
        How many they are.
    """

    first: str
    last: str
    n_periods: int


@dataclass(frozen=True)
class PublicPeriod:
    """The newest public version of one period, or of a release without periods."""

    period: str | None
    version: str
    published: str
    folder: str


@dataclass(frozen=True)
class ReleaseStatus:
    """How one release stands.

    Attributes
    ----------
    name : str
        The release.
    state : str
        ``"published"``, ``"refused"`` (the last run was, or it was cut off, whatever is
        public),
        ``"under way"``, ``"never published"``, ``"broken"`` (the file is), or
        ``"changed"`` (a public manifest is not what its run wrote).
    reason : str or None
        Why a file is broken, or what became of the last run.
    file : str or None
        The release file; None if only its workspace was found.
    schedule, next_run : str or None
        When it runs, and when that will be next on the clock of the DAG, which is that
        of ``airflow.start_date``, where it can be told.
    last_success, last_run : str or None
        When a run was published last, and when one ended or was last seen (UTC).
    periods : tuple of PublicPeriod
        What is public, oldest first.
    thresholds : tuple of Margin
        Of the current version.
    gaps : tuple of PeriodGap
        Periods between the public ones that are not public.
    counts : {"rows", "persons"} or None
        What the thresholds of the current version are about; numbers of persons are
        not published.
    """

    name: str
    state: str
    reason: str | None = None
    file: str | None = None
    schedule: str | None = None
    next_run: str | None = None
    last_success: str | None = None
    last_run: str | None = None
    periods: tuple[PublicPeriod, ...] = ()
    thresholds: tuple[Margin, ...] = field(default_factory=tuple)
    gaps: tuple[PeriodGap, ...] = ()
    counts: Literal["rows", "persons"] | None = None

    @property
    def needs_attention(self) -> bool:
        """Whether somebody should look at it."""
        return self.state in {"broken", "refused", "changed"}

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def release_status(
    places: Sequence[str | os.PathLike[str]] = (), *, now: datetime | None = None
) -> list[ReleaseStatus]:
    """Find out how releases stand.

    Parameters
    ----------
    places : sequence of paths
        Release files, folders that hold some, and workspaces; by default whatever lies
        below the current folder.
    now : datetime, optional
        What the next run is counted from; by default the present.

    Returns
    -------
    list of ReleaseStatus
        One per release, by name.
    """
    given = [Path(place) for place in places] or [Path()]
    for place in given:
        if not place.exists():
            raise ConfigurationError(f"{place} does not exist.")
    files = {file.resolve(): file for place in given for file in _files_in(place)}
    found: list[ReleaseStatus] = []
    homes: set[Path | None] = set()
    configs = {}
    for file in files.values():
        try:
            configs[file] = check_remembered(file)
        except AnonymizationError as error:
            known = _status(file.stem, _home_of_broken(file), None, file, now)
            homes.add(_home_of_broken(file).resolve())
            # What the DAG of the file goes by, and when it fails the next time.
            schedule, options = read_leniently(file)
            found.append(
                replace(
                    known,
                    state="broken",
                    reason=" ".join(str(error).split()),
                    schedule=schedule,
                    next_run=_next_run(schedule, options, now),
                )
            )
    derived = [_mapped_folder(config) for config in configs.values()]
    for file, config in configs.items():
        if any(folder and file.resolve().is_relative_to(folder) for folder in derived):
            continue  # it is counted with the file it was made of
        for home in _homes(config):
            homes.add(None if home is None else home.resolve())
            name = config.name if home is None else home.name
            found.append(_status(name, home, config, file, now))
    for place in given:
        for journal in _journals_in(place):
            if journal.parent.resolve() not in homes:
                homes.add(journal.parent.resolve())
                home = journal.parent
                found.append(_status(home.name, home, None, None, now))
    return sorted(found, key=lambda status: status.name)


def status_of(config: ReleaseConfig, file: Path) -> list[ReleaseStatus]:
    """How the releases of one file stand, which is taken to be in order."""
    return [
        _status(config.name if home is None else home.name, home, config, file, None)
        for home in _homes(config)
    ]


def past_runs(config: ReleaseConfig) -> dict[Path, list[dict[str, Any]]]:
    """What journals say of the runs of one file, by private folder and run."""
    return _past_runs(home for home in _homes(config) if home is not None)


def runs_of_place(place: Path) -> dict[Path, list[dict[str, Any]]]:
    """The same, of a release file or of the private folder of a release.

    The folder is what is left of a release whose file was removed.
    """
    if place.is_dir():
        if not Journal(place).file.is_file():
            raise ConfigurationError(
                f"{place} is neither a release file nor the private folder of a "
                "release, <workspace>/<release>, which has a journal."
            )
        return _past_runs([place])
    return past_runs(read_config(place))


def _past_runs(homes: Iterable[Path]) -> dict[Path, list[dict[str, Any]]]:
    return {
        home / run: story
        for home in homes
        for run, story in _runs_in(Journal(home)).items()
    }


def _runs_in(journal: Journal) -> dict[str, list[dict[str, Any]]]:
    """The runs of a release; what was tried for an advice is none."""
    stories = journal.stories().items()
    return {run: story for run, story in stories if not story[0].get("advice")}


def _homes(config: ReleaseConfig) -> list[Path | None]:
    """The private folders of a file: those of its items, once one of them has run."""
    home = _home(config)
    if config.airflow.map is None or home is None:
        return [home]
    return [*derived_homes(config)] or [home]


def _mapped_folder(config: ReleaseConfig) -> Path | None:
    """Where the files of items lie; None for a file that is one release."""
    home = None if config.airflow.map is None else _home(config)
    return None if home is None else (home / FOLDER).resolve()


def _home_of_broken(file: Path) -> Path:
    """The private folder of a file that cannot be used, as far as it says so."""
    stated = stated_leniently(file).get("workspace", DEFAULT_WORKSPACE)
    workspace = stated if isinstance(stated, str) else DEFAULT_WORKSPACE
    return file.parent / workspace / file.stem


def _home(config: ReleaseConfig) -> Path | None:
    """The private folder of a release; None where the environment must name it."""
    try:
        workspace = Template(config.workspace).fill(None)
    except AnonymizationError:  # a variable is not set here
        return None
    return config.path(workspace) / config.name


def _files_in(place: Path) -> Iterable[Path]:
    if place.is_file():
        return [place]
    folders = [found for found, _ in _below(place)]
    files = (
        file
        for folder in folders
        for pattern in ("*.yaml", "*.yml")
        for file in sorted(folder.glob(pattern))
        if file.is_file()
    )
    return [file for file in files if _RELEASE.search(file.read_bytes())]


def _journals_in(place: Path) -> Iterable[Path]:
    if not place.is_dir():
        return []
    found = [place / "journal.jsonl", *place.glob("*/journal.jsonl")]
    for folder, _ in _below(place):
        found += folder.glob(".anon/*/journal.jsonl")
    return [file for file in dict.fromkeys(found) if file.is_file()]


def _below(place: Path) -> Iterable[tuple[Path, int]]:
    """A folder and those below it, as far down as people put release files."""
    queue = [(place, 0)]
    while queue:
        folder, depth = queue.pop(0)
        yield folder, depth
        if depth == DEEPEST:
            continue
        try:
            inner = sorted(path for path in folder.iterdir() if path.is_dir())
        except OSError:  # not ours to look into
            continue
        queue += [
            (path, depth + 1)
            for path in inner
            if path.name not in SKIPPED
            and not path.name.startswith(".")
            and not path.is_symlink()
        ]


def _status(
    name: str,
    home: Path | None,
    config: ReleaseConfig | None,
    file: Path | None,
    now: datetime | None,
) -> ReleaseStatus:
    stories = {} if home is None else _runs_in(Journal(home))
    events = [event for story in stories.values() for event in story]
    published = [_at(e) for e in events if e["event"] == "published"]
    public = _public(stories)
    schedule = None if config is None else config.schedule
    state, reason = _state(stories, _cut_off(home, stories))
    if reason is not None and file is None and home is not None:
        reason = reason.replace(ACKNOWLEDGE, ACKNOWLEDGE.replace("FILE", str(home)))
    changed = [
        one.version
        for one in public
        if _is_changed(Path(one.folder), stories[one.version])
    ]
    if changed:
        state = "changed"
        reason = f"{', '.join(changed)}: the manifest is not what the release wrote"
    manifest = {} if changed or not public else read_manifest(Path(public[-1].folder))
    return ReleaseStatus(
        name,
        state,
        reason,
        None if file is None else str(file),
        schedule,
        None if config is None else _next_run(schedule, config.airflow, now),
        max(published, default=None),
        max(map(_at, events), default=None),
        tuple(public),
        _margins(manifest),
        _gaps([one.period for one in public if one.period is not None]),
        _counts(manifest),
    )


def _cut_off(
    home: Path | None, stories: Mapping[str, Sequence[Mapping[str, Any]]]
) -> set[str]:
    """Runs that go no further, though the journal does not say how they ended."""
    if home is None:
        return set()
    found = {
        run for run, story in stories.items() if was_cut_off(home / RUNS / run, story)
    }
    # One may have gone on, or ended, since its journal was read.
    now = Journal(home).stories() if found else {}
    return {run for run in found if len(now.get(run, ())) == len(stories[run])}


def _state(
    stories: Mapping[str, Sequence[Mapping[str, Any]]], cut_off: Collection[str] = ()
) -> tuple[str, str | None]:
    """What became of the last run of each period; a refused one goes before others.

    Of a release without periods there is one last run.
    """
    if not stories:
        return "never published", None
    # A version that is removed was public; that is no news about a run.
    told = [
        (number, story)
        for number, story in enumerate(stories.values())
        if story[-1]["event"] != "removed"
    ]
    if not told:
        return "never published", "what was published was removed"
    last: dict[Any, Mapping[str, Any]] = {}
    in_order = sorted(told, key=lambda one: (_ended(one[1]), one[0]))
    for number, (_, story) in enumerate(in_order):
        after = [later[-1]["event"] for _, later in in_order[number + 1 :]]
        if not (_was_a_slip(story) and "published" in after):
            last[period_in(story)] = story[-1]
    ended = [(event["event"], event["run"]) for event in last.values()]
    refused = [
        f"run {run} {CUT_OFF if run in cut_off else failure_of(event)}"
        for event in last.values()
        if (run := event["run"]) in cut_off or event["event"] in FAILURES
    ]
    if refused:
        return "refused", f"{'; '.join(refused)} ({ACKNOWLEDGE})"
    under_way = [f"run {run}: {what}" for what, run in ended if what not in FINISHED]
    if under_way:
        return "under way", "; ".join(under_way)
    if not any(story[-1]["event"] == "published" for _, story in told):
        return "never published", "what was refused is acknowledged"
    return "published", None


def failure_of(event: Mapping[str, Any]) -> str:
    """What became of a run that published nothing, by its last event."""
    return REFUSED if event.get("refused") is True else FAILURES[event["event"]]


def _ended(story: Sequence[Mapping[str, Any]]) -> str:
    """When a run ended, whenever somebody took note of it."""
    own = [event for event in story if event["event"] != ACKNOWLEDGED]
    return _at((own or story)[-1])


def _was_a_slip(story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether somebody asked for a period that had no source, and no scheduler did.

    What is published later shows that they went on; if the period lies between public
    ones, it is listed as missing there.
    """
    last = story[-1]
    by_hand = last.get("driver") == "process"
    return last["event"] == "refused" and last.get("lacks") == "source" and by_hand


def _at(event: Mapping[str, Any]) -> str:
    """When something happened; a line that somebody wrote may not say so."""
    return str(event.get("at", ""))


def _public(stories: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[PublicPeriod]:
    """The newest public version of each period, oldest period first."""
    newest: dict[Any, PublicPeriod] = {}
    for run, story in stories.items():
        last = story[-1]
        version = last.get("version")
        if last["event"] != "published" or not version or not Path(version).is_dir():
            continue
        period = period_in(story)
        name = None if period is None else period.name
        order = () if period is None else period.order
        # In the order of the journal: a later version of a period takes its place.
        newest[order] = PublicPeriod(name, run, _at(last), version)
    return [newest[order] for order in sorted(newest)]


def _is_changed(version: Path, story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the manifest of a version is not the one that its run wrote."""
    hashes = [event.get("sha256", {}).get("manifest.json") for event in story]
    noted = {one for one in hashes if one is not None}
    file = version / "manifest.json"
    # Journals from before hashes were noted say nothing of it.
    return bool(noted) and not (file.is_file() and sha256(file) in noted)


def _gaps(names: Sequence[str]) -> tuple[PeriodGap, ...]:
    """What is missing between public periods, as long as the newest of them.

    Examples
    --------
    >>> _gaps(["2026-10", "2026-12"])
    (PeriodGap(first='2026-11', last='2026-11', n_periods=1),)
    """
    periods = [Period.read(name) for name in names]
    alike = [period for period in periods if period.grain == periods[-1].grain]
    return tuple(
        PeriodGap(one.moved(1).name, other.moved(-1).name, missing)
        for one, other in itertools.pairwise(alike)
        if (missing := other.number - one.number - 1) > 0
    )


def _counts(manifest: Mapping[str, Any]) -> Literal["rows", "persons"] | None:
    """What a version promises something of."""
    roles = manifest.get("roles")
    if not isinstance(roles, dict):
        return None
    return "rows" if roles.get("subject") is None else "persons"


def _margins(manifest: Mapping[str, Any]) -> tuple[Margin, ...]:
    """By how much each threshold of a version holds, as its manifest says."""
    try:
        measured = manifest["measured"]
        subject = manifest.get("roles", {}).get("subject")
        found = [
            replace(_margin(check), unpublished=_unpublished(check, subject))
            for check in measured["checks"]
        ]
        if _counts(manifest) == "persons":
            checks = zip(found, measured["checks"], strict=True)
            return tuple(_bounded(one, check, measured) for one, check in checks)
        return tuple(found)
    except (ValueError, KeyError, TypeError):
        return ()


def _margin(check: Mapping[str, Any]) -> Margin:
    asked = {
        word: number
        for word, number in check["params"].items()
        if word in COMMON_WORDS and is_number(number)
    }
    observed = check.get("observed")
    if len(asked) != 1 or not is_number(observed):
        single = next(iter(asked.values())) if len(asked) == 1 else None
        return Margin(check["id"], single, observed if is_number(observed) else None)
    ((word, number),) = asked.items()
    way = 1 if COMMON_WORDS[word] == "higher" else -1
    # Rounding errors are no margin.
    return Margin(check["id"], number, observed, round(way * (observed - number), 10))


def _unpublished(check: Mapping[str, Any], subject: str | None) -> str | None:
    """Why a check has no number; None if it has one."""
    if is_number(check.get("observed")):
        return None
    return why_verdict_only(check, subject)


def _bounded(
    margin: Margin, check: Mapping[str, Any], measured: Mapping[str, Any]
) -> Margin:
    """The same with what the rows say of k persons, whose number is not published."""
    smallest = measured.get("classes_in_rows", {}).get("smallest")
    if check["name"] != "k-anonymity" or smallest is None or margin.asked is None:
        return margin
    return replace(margin, margin_at_most=smallest - margin.asked)


def _next_run(
    schedule: str | None, options: AirflowOptions, now: datetime | None
) -> str | None:
    """When a release runs next, on the clock of its DAG."""
    found = next_run(schedule, now, options.start_date, options.end_date)
    return None if found is None else found.isoformat(timespec="minutes")

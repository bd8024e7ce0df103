"""The ledger of a release: where it lies, what is recorded, how it stays in line.

A publication is reserved before readers see it, and confirmed afterwards. A run that
was cut off in between leaves a reservation; the journal of its release says later what
became of it.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import ConfigurationError, unknown_choice
from anon_transformers.release._config import (
    BUNDLED,
    ReleaseConfig,
    is_address,
    read_config,
    refused_under,
)
from anon_transformers.release._file_kinds import FILE_KINDS, suffix_of
from anon_transformers.release._period import TOKEN, Template
from anon_transformers.release._run import (
    FINISHED,
    Journal,
    Run,
    hash_of,
    home_key,
    make_private,
    read_key,
)
from anon_transformers.release._stated_composition import StatedComposition
from anon_transformers.release._stated_database import place_of_sqlite
from anon_transformers.release._target import versions_in_target
from anon_transformers.release._verification import RETIRED_KEYS, SIGNING_KEY

if TYPE_CHECKING:
    from anon_transformers.ledger import Ledger, Publication, RecordedPublication

FOLDER = ".ledger"
"""In a workspace; no release has a name that begins with a dot."""
FILE = "ledger.sqlite"
VARIABLE = "ANON_LEDGER_URL"
NAMED = "name:"
"""Begins the id of a source that a release file names."""
SOURCES = "sources"
"""In the journal: by what other releases of the same persons are found."""
USUAL_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433}
_USER = re.compile(r"(?<=://)[^/@]*@")


def workspace_of(config: ReleaseConfig) -> Path:
    """The private folder of all releases of a workspace."""
    with refused_under("workspace"):
        return config.path(Template(config.workspace).fill(None))


def ledger_url(config: ReleaseConfig) -> str | Path:
    """Where the ledger of a release lies; private, for it may hold a password."""
    if config.ledger.url is not None:
        with refused_under("ledger.url"):
            return Template(config.ledger.url).fill(None)
    return default_url(workspace_of(config))


def default_url(workspace: Path) -> str | Path:
    """Where the ledger of a workspace lies, if no release file says so."""
    return os.environ.get(VARIABLE) or workspace / FOLDER / FILE


def open_ledger(config: ReleaseConfig, *, to_read: bool = False) -> "Ledger":
    """The ledger of a release, with the key of its workspace."""
    return open_at(workspace_of(config), ledger_url(config), to_read=to_read)


def open_at(workspace: Path, url: str | Path, *, to_read: bool = False) -> "Ledger":
    """A ledger, with the key of a workspace; the first who writes draws it."""
    from anon_transformers.ledger import Ledger

    folder = workspace / FOLDER
    there = os.path.lexists(folder / SIGNING_KEY)
    if to_read:
        key = read_key(folder / SIGNING_KEY) if there else None
    else:
        if folder.is_symlink():
            raise ConfigurationError(
                f"workspace: {folder} is a link; what is private must not lie behind "
                "one."
            )
        key = home_key(make_private(folder), SIGNING_KEY)
    retired = [read_key(file) for file in sorted(folder.glob(RETIRED_KEYS))]
    return Ledger(url, key, retired)


def source_of(config: ReleaseConfig) -> tuple[str, str]:
    """Name and id of the source of a release.

    The id is the same for all periods, and for all releases that name the same file or
    address. Neither shows a path, or what variables hold.
    """
    stated = config.stated
    if stated.ledger.source is not None:
        return stated.ledger.source, f"{NAMED}{stated.ledger.source}"
    source, parts, names = stated.source, [], []
    for templates in source.templates.values():
        for template in templates:
            place = _with_variables(template)
            if is_address(place):
                parts.append(_USER.sub("", place))
            else:
                parts.append(
                    place if place.startswith(BUNDLED) else str(config.path(place))
                )
                names.append(PurePath(template.text).name)
    options, kind = source.options, source.kind
    of_database = "table" in options or "query" in options
    if kind not in FILE_KINDS or of_database:
        if "url" in options:  # whoever connects, and however the file says it
            options["url"] = _without_user(_with_variables(Template(options["url"])))
        parts.append(kind or suffix_of(source.paths[0]))
        parts.append(json.dumps(options, sort_keys=True, default=str))
    parts.sort()  # the same files in another order are the same source
    return ", ".join(names) or source.kind, f"id:{_digest(json.dumps(parts))}"


def places_of(config: ReleaseConfig) -> list[str]:
    """Ids of the files that a run reads, by which any release finds them again.

    A list, a pattern or a period may name a file that another release names alone, and
    each may call its source by another name. A link is kept beside the file that it
    leads to, for it may lead to another one next month. The file of a database is one,
    whichever of its tables is read, and so is the address of a table of any other.
    """
    texts = [_with_variables(one) for one in _file_templates(config.stated)]
    texts += [template.text for template in _file_templates(config)]
    files = [text for text in texts if not is_address(text)]
    places = {str(config.path(text)) for text in files}
    places |= {os.path.normpath(config.unresolved(text).absolute()) for text in files}
    places |= _places_in_databases(config)
    return sorted(f"id:{_digest(place)}" for place in places)


def _places_in_databases(config: ReleaseConfig) -> set[str]:
    """The file of an SQLite database, or the address of a table, without who reads it.

    One address has many spellings: drivers, usual ports, paths from another folder.
    """
    import sqlalchemy as sa

    options = config.stated.source.options
    if config.stated.source.kind != "sql" or "url" not in options:
        return set()
    text = _with_variables(Template(options["url"]))
    if not text.startswith("sqlite"):  # whose path may hold the sign, too
        text = _without_user(text)
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):  # a variable that is not set here
        return set()
    backend = url.get_backend_name()
    if backend == "sqlite":
        file = place_of_sqlite(url.database or "", config.folder)
        return {str(file)} if url.database else set()
    host = [(url.host or "").lower(), url.port or USUAL_PORTS.get(backend)]
    what = [options.get("table"), options.get("query")]
    return {json.dumps([backend, *host, url.database, *what])}


def _without_user(url: str) -> str:
    """An address of a database without name and password, which may hold any sign."""
    return re.sub("(?<=://).*@", "", url)


def _file_templates(config: ReleaseConfig) -> list[Template]:
    return [one for found in config.source.templates.values() for one in found]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _with_variables(template: Template) -> str:
    """A path with variables filled in, and periods as they are stated."""

    def filled(found: re.Match[str]) -> str:
        name = found["braced"] or found["plain"]
        return os.environ.get(name, found[0]) if name else found[0]

    return TOKEN.sub(filled, template.text)


def publication_of(
    run: Run,
    candidate: Mapping[str, Any],
    verdict: Mapping[str, Any] | None = None,
) -> "Publication":
    """What the ledger records of a run: no cell, and no number that is not public."""
    from anon_transformers.ledger import Publication
    from anon_transformers.ledger._publication import plain_parameters
    from anon_transformers.release._manifest import public_parameters

    config = run.config.at_rung(candidate.get("rung", 0))
    name, source_id = source_of(run.config)
    method, roles = config.anonymizer, config.roles
    checks = [] if verdict is None else verdict["checks"]
    return Publication(
        release=config.name,
        version=run.id,
        source=name,
        source_id=source_id,
        sha256=hash_of(candidate),
        period=None if config.period is None else config.period.name,
        subject=roles.subject,
        roles={
            "quasi_identifiers": list(roles.quasi_identifiers),
            "sensitive": list(roles.sensitive),
            "identifiers": list(roles.identifiers),
            "insensitive": list(roles.insensitive),
            "dropped": list(roles.dropped),
        },
        method={
            "name": method.name,
            **plain_parameters(public_parameters(method.name, method.params)),
        },
        thresholds={
            t.id: {"kind": t.kind, "name": t.name, **plain_parameters(t.params)}
            for t in run.thresholds
        },
        levels=plain_parameters({c["id"]: c.get("observed") for c in checks}),
        asked_values=(config.composition or StatedComposition()).l_in_force(
            run.thresholds, roles.sensitive
        ),
        shares_persons_with=_shared_sources(config),
        places=places_of(run.config),
        linked=config.pseudonyms is not None and config.pseudonyms.stable,
        recoding=config.recoding,
    )


def earlier_publications(
    ledger: "Ledger", config: ReleaseConfig, version: str
) -> "list[RecordedPublication]":
    """Publications that may hold the same persons as a run, in their order."""
    from anon_transformers.ledger import Publication

    name, source_id = source_of(config)
    mine = Publication(
        config.name,
        version,
        name,
        source_id,
        sha256="",
        shares_persons_with=_shared_sources(config),
        places=places_of(config),
    )
    found = ledger.publications(mine)
    return [one for one in found if one.publication.name != mine.name]


def _shared_sources(config: ReleaseConfig) -> list[str]:
    """Ids of other sources that are declared to hold some of the same persons."""
    together = config.composition
    shared = () if together is None else together.shares_persons_with
    return [f"{NAMED}{name}" for name in shared]


def refuse_unknown_sources(config: ReleaseConfig) -> None:
    """Refuse a source under ``shares_persons_with`` that nobody has published.

    A name with a typo would share persons with nobody, and nothing would be judged.
    """
    asked = _shared_sources(config)
    if not asked:
        return
    _, own = source_of(config)
    found = open_ledger(config, to_read=True).publications(
        states=["reserved", "published"]
    )
    ids = {one.publication.source_id for one in found} | {own}
    known = [one.removeprefix(NAMED) for one in ids if one.startswith(NAMED)]
    for source in asked:
        if source not in ids:
            fault = unknown_choice("source", source.removeprefix(NAMED), known)
            raise ConfigurationError(
                f"composition.shares_persons_with: {fault} A source is known once a "
                "release that names it under ledger.source is published; the one that "
                "comes later names the other, and both are judged together."
            )


def settle(config: ReleaseConfig) -> None:
    """Bring the reservations of a release in line with its journal."""
    ledger = open_ledger(config, to_read=True)
    if ledger.exists and ledger.publications(states=["reserved"]):
        settle_release(open_ledger(config), config.home)


def settle_release(ledger: "Ledger", home: Path) -> None:
    """Confirm what the journal of a release calls published; give up what has ended.

    A run that the journal does not name is left: it may be of another workspace.
    """
    stories = Journal(home).stories()
    for found in ledger.publications(states=["reserved"]):
        name = found.publication.name
        story = stories.get(name[1], []) if name[0] == home.name else []
        if any(event["event"] == "published" for event in story):
            ledger.confirm(name)
        elif story and story[-1]["event"] in FINISHED and not _is_there(story):
            ledger.give_up(name)


def settle_dead(ledger: "Ledger", home: Path, name: tuple[str, str]) -> None:
    """End the reservation of a run at which nobody is any more.

    What readers may have seen counts as published; a run that is taken up again
    reserves anew.
    """
    there = _is_there(Journal(home).stories().get(name[1], []))
    ledger.confirm(name) if there else ledger.give_up(name)


def _is_there(story: list[dict[str, Any]]) -> bool:
    """Whether a run that was given up left a version that readers may have seen."""
    places = {event["version"] for event in story if "version" in event}
    return any((Path(place) / "manifest.json").is_file() for place in places)


def find_ledger(
    place: str | os.PathLike[str] = ".", *, to_read: bool = True
) -> tuple["Ledger", Path]:
    """The ledger of a release file, or of a workspace, and that workspace.

    Parameters
    ----------
    place : path
        A release file, a workspace, or a folder with the workspace ``.anon``.
    to_read : bool
        Whether nothing will be written.

    Raises
    ------
    ConfigurationError
        If there is no ledger.
    """
    given = Path(place)
    if given.is_file():
        config = read_config(given)
        workspace, url = workspace_of(config), ledger_url(config)
    else:
        default = ReleaseConfig.model_fields["workspace"].default
        inner = given / default
        workspace = inner if (inner / FOLDER).is_dir() else given
        url = default_url(workspace)
    if isinstance(url, Path) and not url.is_file():
        raise ConfigurationError(
            f"{given}: there is no ledger here; name a release file that was run, or "
            f"its workspace, or set {VARIABLE}."
        )
    return open_at(workspace, url, to_read=to_read), workspace


def unrecorded(ledger: "Ledger", workspace: Path) -> list[tuple[str, str]]:
    """Release and run of what journals call published and the ledger does not have."""
    recorded = {found.publication.name for found in ledger.publications()}
    return [name for name in published_stories(workspace) if name not in recorded]


def lacking_beside(
    ledger: "Ledger", workspace: Path, publication: "Publication"
) -> list[tuple[str, str]]:
    """Those of them that may hold the same persons as a publication."""
    known = ledger.publications(states=["reserved", "published"])
    recorded = {found.publication.name for found in known}
    sources = set(sources_of(publication))
    return [
        name
        for name, story in published_stories(workspace).items()
        if name != publication.name
        and name not in recorded
        and (
            name[0] == publication.release
            or not sources.isdisjoint(_noted_sources(story))
        )
    ]


def unknown_in_target(
    ledger: "Ledger", config: ReleaseConfig, publication: "Publication"
) -> list[tuple[str, str]]:
    """Versions that readers of the target see, and the ledger does not have.

    The workspace may have been lost with the ledger and all journals, as that of a
    container is, and what was published is there still.
    """
    shown = versions_in_target(config)
    if config.target.database is not None:
        from anon_transformers.release._public_table import versions_in_database

        shown |= versions_in_database(config)
    if config.target.store is not None:
        from anon_transformers.release._public_store import version_in_store

        shown |= version_in_store(config)
    known = ledger.publications(states=["reserved", "published"])
    recorded = {found.publication.name for found in known} | {publication.name}
    return sorted({(config.name, version) for version in shown} - recorded)


def _noted_sources(story: list[dict[str, Any]]) -> set[str]:
    """By what the source of a run is known; nothing in journals of before."""
    noted = [event.get(SOURCES) for event in story]
    return {str(each) for one in noted if isinstance(one, list) for each in one}


def sources_of(publication: "Publication") -> list[str]:
    """What a journal notes of a source: ids, and no path."""
    shared = publication.shares_persons_with
    return sorted({publication.source_id, *shared, *publication.places})


def published_stories(
    workspace: Path,
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The events of every published run, by release and run."""
    return {
        (file.parent.name, run): story
        for file in sorted(workspace.glob("*/journal.jsonl"))
        for run, story in Journal(file.parent).stories().items()
        if any(event["event"] == "published" for event in story)
    }

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

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release._config import (
    BUNDLED,
    FILE_KINDS,
    ReleaseConfig,
    is_address,
    read_config,
    refused_under,
)
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
from anon_transformers.release._verification import RETIRED_KEYS, SIGNING_KEY

if TYPE_CHECKING:
    from anon_transformers.ledger import Ledger, Publication, RecordedPublication

FOLDER = ".ledger"
"""In a workspace; no release has a name that begins with a dot."""
FILE = "ledger.sqlite"
VARIABLE = "ANON_LEDGER_URL"
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
        return stated.ledger.source, f"name:{stated.ledger.source}"
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
    if source.kind not in FILE_KINDS:
        parts.append(source.kind)
        parts.append(json.dumps(source.options, sort_keys=True, default=str))
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
    return ", ".join(names) or source.kind, f"id:{digest}"


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
        shares_persons_with=_shared_sources(config),
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
    )
    found = ledger.publications(mine)
    return [one for one in found if one.publication.name != mine.name]


def _shared_sources(config: ReleaseConfig) -> list[str]:
    """Ids of other sources that are declared to hold some of the same persons."""
    together = config.composition
    shared = () if together is None else together.shares_persons_with
    return [f"name:{name}" for name in shared]


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
    return [
        (file.parent.name, run)
        for file in sorted(workspace.glob("*/journal.jsonl"))
        for run, story in Journal(file.parent).stories().items()
        if any(event["event"] == "published" for event in story)
        and (file.parent.name, run) not in recorded
    ]

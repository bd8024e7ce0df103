"""Last step: let readers see the candidate, whole and at once.

A version is written beside the others under a name that starts with a dot, then
renamed, and only then does ``current`` move to it, in one step of the file system; it
stays where it is if a newer period is published. The
journal names each of these folders and files before it is made.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import GateError, ReleaseError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._build import check_threshold
from anon_transformers.release._composition import Together
from anon_transformers.release._config import read_config
from anon_transformers.release._forms import Candidate, form_of
from anon_transformers.release._ledger import (
    SOURCES,
    open_ledger,
    publication_of,
    settle,
    sources_of,
)
from anon_transformers.release._log import stage, tell
from anon_transformers.release._manifest import make_manifest
from anon_transformers.release._private_report import keep_private_report
from anon_transformers.release._public_promise import PublicPromise
from anon_transformers.release._public_store import (
    follow_in_store,
    refuse_foreign_store,
)
from anon_transformers.release._public_table import shown_in_database
from anon_transformers.release._quarantine import quarantine
from anon_transformers.release._reserve import Reservation
from anon_transformers.release._run import (
    CANDIDATE,
    Run,
    files_of,
    hash_of,
    home_key,
    is_plain,
    json_text,
    locked,
    of_period,
    remove_run,
    sha256,
    write_text,
)
from anon_transformers.release._steps import Location, discreet
from anon_transformers.release._target import (
    VERSIONS,
    follow,
    open_target,
    own_versions,
    point_at_newest,
    read_manifest,
    refuse_expired,
    refuse_foreign_target,
    remove_drafts,
    remove_old_versions,
    sync,
    versions_beside,
)
from anon_transformers.release._tighten import tighten
from anon_transformers.release._under_way import held
from anon_transformers.release._verification import (
    PLACE,
    SIGNATURE,
    SIGNED,
    SIGNING_KEY,
    signature_of,
)

if TYPE_CHECKING:
    from anon_transformers.ledger import Publication

BESIDE = ("manifest.json", "validation.json", "validation.html")
"""What a version holds beside its tables."""


@discreet
def publish(location: Location) -> str:
    """Publish exactly the bytes that were validated.

    Doing it again changes nothing. When it is done, the run's private folder is gone.

    Parameters
    ----------
    location : str
        The run's private folder.

    Returns
    -------
    str
        Folder of the published version.

    Raises
    ------
    GateError
        If another release of the same persons was published meanwhile, and both
        together tell too much. The candidate then lies in quarantine.
    """
    run = Run(location)
    with held(run.folder):
        for event in run.journal.stories().get(run.id, []):
            if event["event"] == "published":
                if run.can_be_read:  # else it was confirmed before it was removed
                    # Another run noted that, and may have come no further.
                    with locked(run.config.target_root):
                        follow(run.config)
                    settle(run.config)
                keep_private_report(run)
                remove_run(run.folder)
                tell(version=run.id, again="was published before")
                tell(private_data="removed")
                return event["version"]
        with run.refused_if_gone():
            version, faults = publish_run(run)
        if faults:
            place = quarantine(run, form_of(run.config))
            tell(private_data="removed")
            raise GateError(
                f"{run.config.title}: {'; '.join(faults)}. The candidate lies in "
                f"{place}.",
                faults,
            )
        keep_private_report(run)
        remove_run(run.folder)
        tell(private_data="removed")
    return str(version)


def publish_run(run: Run) -> tuple[Path, list[str]]:
    """Write the version of a run, and let readers see it.

    It is reserved in the ledger before, and confirmed there afterwards. By then nobody
    else can publish these persons; if somebody did since the candidate was judged, it
    is judged again, and what refuses it is returned.
    """
    tell(run.config.title, version=run.id)
    stage("checking that it was judged as it is")
    candidate, verdict = run.read_candidate(), run.read_verdict()
    if not verdict["passed"] or verdict["sha256"] != hash_of(candidate):
        raise ReleaseError(f"run {run.id} was not validated as it is.")
    refuse_loosened(run)
    config = run.config
    # Before the target is locked: a run that starts locks them in this order, too.
    key = home_key(config.home, SIGNING_KEY)
    version = config.path(config.target.path) / VERSIONS / run.id
    form = form_of(config.at_rung(candidate.get("rung", 0)))
    ledger, publication = open_ledger(config), publication_of(run, candidate, verdict)
    reservation = Reservation(config, ledger, publication)
    together = Together(form, Candidate.read(run), publication, ledger)
    while True:
        reservation.wait()
        # Before the target is touched: a folder of nothing would tell of the try.
        if faults := together.new_faults():
            return version, faults
        open_target(config)
        with locked(config.target_root):
            refuse_foreign_target(config)
            refuse_foreign_store(config)
            refuse_expired(config, ReleaseError)
            remove_drafts(config, run.journal)
            if os.path.lexists(version):
                _refuse_another(version, run, candidate, verdict)
            # Last of all that may refuse: whoever is refused reserves nothing.
            if reservation.reserve():
                if faults := together.new_faults():
                    reservation.give_up()
                    return version, faults
                together.remember()
                stage("writing the version")
                notes = _notes(run, candidate, verdict, key)
                _let_readers_see(version, run, candidate, notes, publication)
                reservation.confirm()
                break
    tell(bytes=sum_of_bytes(version, candidate))
    return version, []


def _let_readers_see(
    version: Path,
    run: Run,
    candidate: dict[str, Any],
    notes: Mapping[str, str],
    publication: "Publication",
) -> None:
    """Note in the journal what is written, write it, and move the links to it."""
    config, about = run.config, of_period(run.config.period)
    draft = f".{run.id}-{secrets.token_hex(3)}"
    files = [*BESIDE, *(file["data"] for file in files_of(candidate))]
    hashes = {file["data"]: file["sha256"] for file in files_of(candidate)}
    hashes["validation.html"] = sha256(run.path("validation.html"))
    for name, text in notes.items():
        hashes[name] = hashlib.sha256(text.encode()).hexdigest()
    run.journal.write(
        run.id, "publishing", version=str(version), draft=draft, files=files,
        sha256=hashes, **{SOURCES: sources_of(publication)}, **about,
    )  # fmt: skip
    manifest = read_manifest(version) or json.loads(notes["manifest.json"])
    beside = versions_beside(config, run.journal, run.id)
    promise = partial(PublicPromise.of_run, run)
    place = run.path(CANDIDATE)
    with shown_in_database(config, place, run.id, manifest, beside, promise):
        if not version.is_dir():
            _write_version(version, draft, run, candidate, notes)
        point_at_newest(config, run.journal, run.id, draft)
        tell(versions_removed=remove_old_versions(config, newest=run.id))
    follow_in_store(config, version)
    run.journal.write(run.id, "published", version=str(version), **about)


def sum_of_bytes(folder: Path, candidate: dict[str, Any]) -> int:
    """How large the tables of a candidate are."""
    tables = [folder / file["data"] for file in files_of(candidate)]
    return sum(table.stat().st_size for table in tables)


def refuse_loosened(run: Run) -> None:
    """Refuse a candidate that was judged by less than the release file asks for now.

    The file, or one that it names, may have been tightened while the run was on its
    way.
    """
    run.refuse_changed_files()
    asked, config = read_config(run.file), run.stated
    in_force = {threshold.id: threshold for threshold in run.thresholds}
    # As a run notes them, where a date is a text.
    now, then = asked.model_dump(mode="json"), config.model_dump(mode="json")
    keys = ("source", "roles", "hierarchies", "anonymizer", "target", "suite")
    for key in (*keys, "on_refusal", "pseudonyms", "composition", "recoding"):
        if now[key] != then[key]:
            raise ReleaseError(
                f"run {run.id}: {key} in {run.file} changed after it was loaded; start "
                "the release again."
            )
    for threshold in asked.thresholds:
        judged = in_force.get(threshold.id)
        same = judged is not None and (judged.kind, judged.name, _words(judged)) == (
            threshold.kind, threshold.name, _words(threshold)
        )  # fmt: skip
        if judged is None or not same:
            raise ReleaseError(
                f"run {run.id} was not judged by {threshold.id}, which {run.file} asks "
                "for now; start the release again."
            )
        numbers = {threshold.key(key): n for key, n in judged.numbers().items()}
        tighten((threshold,), numbers, {threshold.id: check_threshold(threshold)})


def _words(threshold: Threshold) -> dict[str, Any]:
    """Parameters that are no numbers."""
    numbers = threshold.numbers()
    return {key: word for key, word in threshold.params.items() if key not in numbers}


def _refuse_another(
    version: Path, run: Run, candidate: dict[str, Any], verdict: dict[str, Any]
) -> None:
    """Refuse a version of this name that is not what this run would write."""
    there = read_manifest(version)
    wanted = make_manifest(run, candidate, verdict, there.get("bytes", 0))
    same = ("release", "sha256", "promised", "schema", "nodes")
    known = own_versions(run.config, run.journal)
    hashes = frozenset[tuple[str, str]]().union(
        *(each.hashes for each in known if each.run == run.id)
    )
    if (
        not is_plain(version)
        or any(there.get(key) != wanted.get(key) for key in same)
        or ("manifest.json", sha256(version / "manifest.json")) not in hashes
        or not all(
            (version / file["data"]).is_file()
            and sha256(version / file["data"]) == file["sha256"]
            for file in files_of(candidate)
        )
    ):
        raise ReleaseError(
            f"{version} is there already, and is not what run {run.id} would publish."
        )


def _notes(
    run: Run, candidate: dict[str, Any], verdict: dict[str, Any], key: bytes
) -> dict[str, str]:
    """What is written beside the tables, by file name; the manifest is signed."""
    n_bytes = sum_of_bytes(run.path(CANDIDATE), candidate)
    manifest = make_manifest(run, candidate, verdict, n_bytes)
    judged = json_text(verdict)
    manifest[PLACE] = place_of(run)
    manifest[SIGNED] = {
        "validation.json": hashlib.sha256(judged.encode()).hexdigest(),
        "validation.html": sha256(run.path("validation.html")),
    }
    manifest[SIGNATURE] = signature_of(manifest, key)
    return {"validation.json": judged, "manifest.json": json_text(manifest)}


def place_of(run: Run) -> str:
    """The folder of a version, from the one that all periods share."""
    config = run.config
    below = config.path(config.target.path).relative_to(config.target_root)
    return (below / VERSIONS / run.id).as_posix()


def _write_version(
    version: Path,
    draft: str,
    run: Run,
    candidate: dict[str, Any],
    notes: Mapping[str, str],
) -> None:
    staging = version.with_name(draft)
    staging.mkdir()
    for file in files_of(candidate):
        copy = staging / file["data"]
        shutil.copyfile(run.path("candidate") / file["data"], copy)
        if sha256(copy) != file["sha256"]:
            raise ReleaseError(
                f"run {run.id}: the candidate changed while it was copied."
            )
    shutil.copyfile(run.path("validation.html"), staging / "validation.html")
    for name, text in notes.items():
        write_text(staging / name, text)
    for path in staging.iterdir():
        sync(path)
    sync(staging)
    staging.rename(version)
    sync(version.parent)

"""``anon validate``: judge a file or a published release."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from anon_transformers.cli._assignments import name_and_assignments
from anon_transformers.cli._columns import (
    Missing,
    QuasiIdentifiers,
    Sensitive,
    repeated,
)
from anon_transformers.cli._dialects import (
    Dialect,
    Encoding,
    OriginalEncoding,
    OriginalSeparator,
    Separator,
    find_dialect,
)
from anon_transformers.cli._hierarchy_files import (
    HierarchyFiles,
    UnknownValues,
    read_hierarchies,
)
from anon_transformers.cli._published import read_release, references_of
from anon_transformers.cli._tables import FILES, TableReader, typed_texts
from anon_transformers.cli.output import (
    BROKEN_PROMISE,
    JsonFlag,
    format_number,
    handle_errors,
    print_json,
    print_table,
    show_status,
)
from anon_transformers.exceptions import ConfigurationError

Place = Annotated[
    Path,
    typer.Argument(help=f"A file ({FILES}), or the folder of a published release."),
]
Persons = Annotated[
    str | None,
    typer.Option(
        "--subject",
        metavar="COLUMN",
        help="Column of the file that tells persons apart, so that they are counted.",
    ),
]
K = Annotated[
    int | None,
    typer.Option(
        "--k", "-k", help="Rows (persons, with --subject) that share each combination."
    ),
]
Thresholds = Annotated[
    list[str] | None,
    repeated(
        "--threshold",
        "-t",
        metavar="NAME,KEY=VALUE,…",
        help="Any registered model or metric, such as [bold]k-anonymity,k=5[/bold] or "
        "[bold]average-risk,max=0.1[/bold]",
    ),
]
Original = Annotated[
    Path | None,
    typer.Option(
        "--original",
        metavar="FILE",
        help="The table before anything was suppressed, for t-closeness and the like.",
    ),
]
Nodes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Of a graph, whose edges are judged: the table of its nodes.",
    ),
]
SuppressionLabel = Annotated[str, typer.Option(help="Label of a suppressed cell.")]
Workspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="FOLDER",
        help="Of a release: its private folder, to check the signature of the manifest "
        "([bold].anon[/bold] beside the release file, unless that says otherwise).",
    ),
]
Strictly = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Of a release: exit code 1 also when a threshold cannot be judged again.",
    ),
]
OfPeriod = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="PERIOD",
        help="Of a release with periods: the one to judge, such as "
        "[bold]2026-10[/bold]; by default what [bold]current[/bold] leads to.",
    ),
]
NOT_AGAIN = "not judged again"
COUNTS_PERSONS = "This release counts persons"
AT_RELEASE = "At release"
HELD = "thresholds held at release"
NO_HIERARCHIES = "the hierarchies that it is measured by are not published"
NO_PERSONS = "persons cannot be counted"
GIVE_ORIGINAL = (
    "give it with --original FILE, or ask for it as it is released: "
    "-t MODEL,…,reference=released"
)


@handle_errors
def validate(
    path: Place,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    subject: Persons = None,
    k: K = None,
    thresholds: Thresholds = None,
    original: Original = None,
    nodes: Nodes = None,
    hierarchies: HierarchyFiles = None,
    suppression_label: SuppressionLabel = "*",
    separator: Separator = ",",
    encoding: Encoding = "utf-8",
    original_separator: OriginalSeparator = None,
    original_encoding: OriginalEncoding = None,
    missing: Missing = None,
    workspace: Workspace = None,
    period: OfPeriod = None,
    strict: Strictly = False,
    json_output: JsonFlag = False,
) -> None:
    """Judge a table by thresholds; exit code 1 when one is broken or cannot be judged.

    The folder of a published release is judged by the thresholds in its manifest, or by
    those you name, and its files are compared with their hashes. One that counts
    persons, and the loss of a run, cannot be judged again from what is published: what
    can be verified is, and the rest is listed as not judged again. That is exit code 0,
    or 1 with [bold]--strict[/bold] and for thresholds that you name. t-closeness
    compares classes with the table before anything was suppressed: give it with
    [bold]--original[/bold], or ask for [bold]t-closeness,t=0.2,reference=released[/].
    Models of graphs judge an edge table by its first two columns, unless two others are
    named with -q.

    [bold]anon validate safe.csv -q age -q zip --k 5 -t average-risk,max=0.2[/bold]
    """
    path = _of_period(path, period)
    asked = [_threshold(text) for text in thresholds or []]
    asked += [] if k is None else [{"model": "k-anonymity", "k": k}]
    own, roles = Dialect(separator, encoding), [quasi_identifiers, sensitive, subject]
    reader = TableReader(missing, [*typed_texts(roles, asked)])
    verified = _verify(path, workspace)
    if path.is_dir():
        if subject is not None:
            raise ConfigurationError("--subject: a release says itself who is counted.")
        frame, options = read_release(verified.folder)
        reader.declare(frame.columns)
    else:
        needed = [*typed_texts(roles)]
        frame = reader.read(path, own, needed, as_text=quasi_identifiers or ())
        options = {"sensitive": sensitive or [], "suppression_label": suppression_label}
        options["subject"] = subject
    if quasi_identifiers:
        options["quasi_identifiers"] = quasi_identifiers
    elif "quasi_identifiers" not in options:
        options["quasi_identifiers"] = _ends(frame, asked)
    if original is not None:
        stated = (original_separator, original_encoding, "--original")
        dialect = find_dialect(original, own, *stated)
        before = reader.read(original, dialect, options["sensitive"])
        options["references"] = references_of(before, options["sensitive"])
    if nodes is not None:
        options["nodes"] = reader.read(nodes, find_dialect(nodes, own))
    options["hierarchies"] = read_hierarchies(
        hierarchies or [], UnknownValues.error, encoding
    )
    named, held = bool(asked), _held_unseen(options.get("checks", []))
    smallest = _smallest_class(frame, options) if verified else None
    result = _judge(frame, asked or options.pop("thresholds", []), options)
    held = frozenset() if named else held
    verdict = TableVerdict(result, verified, held, smallest, strict)
    _print_report(path, verdict, json_output)
    if not verdict.passed:
        raise typer.Exit(BROKEN_PROMISE)


def _of_period(path: Path, period: str | None) -> Path:
    """The folder of the newest version of a period, or what was named."""
    if period is None:
        return path
    if not path.is_dir():
        raise ConfigurationError("--period: only a release has periods.")
    from anon_transformers.release._period import Period
    from anon_transformers.release._reading import newest_version

    return newest_version(path, Period.read(period))


def _verify(path: Path, workspace: Path | None) -> Any:
    """What the files of a release are, beside its table; None for a plain table."""
    if path.is_dir():
        from anon_transformers.release import verify_published

        return verify_published(path, workspace)
    if workspace is not None:
        raise ConfigurationError("--workspace: only a release has a signature.")
    return None


def _held_unseen(checks: list[dict[str, Any]]) -> frozenset[str]:
    """Thresholds that held at release by evidence that was not published.

    What the published table shows has its level in the manifest, and is judged again;
    the loss needs the hierarchies, too.
    """
    return frozenset(
        c["id"]
        for c in checks
        if c["passed"] and ("observed" not in c or c["name"] == "loss")
    )


def _smallest_class(frame: Any, options: dict[str, Any]) -> int | None:
    """Rows of the smallest class, where persons were counted: they are no more."""
    from anon_transformers.gx._judging import Scope

    if options.get("subject") is None:
        return None
    scope = Scope(
        options["quasi_identifiers"], suppression_label=options["suppression_label"]
    )
    return int(scope.classes(frame).sizes.min())


@dataclass(frozen=True)
class TableVerdict:
    """What was judged of a table, and what else was verified of a release.

    Attributes
    ----------
    result : GateResult
        What the gate says.
    verified : Verification or None
        Of a release: its files and its signature.
    held_unseen : frozenset of str
        Thresholds that held at release by evidence that was not published.
    smallest : int or None
        Rows of the smallest class, of a release that counts persons.
    strict : bool
        Whether what cannot be judged again is no pass.
    """

    result: Any
    verified: Any = None
    held_unseen: frozenset[str] = frozenset()
    smallest: int | None = None
    strict: bool = False

    def is_unknown(self, check: Any) -> bool:
        """Whether nobody can judge it again from what is published."""
        gone = check.observed is None or check.reason == NO_PERSONS
        return self.verified is not None and not check.passed and gone

    @property
    def not_again(self) -> list[Any]:
        """Checks that held at release, and cannot be judged again."""
        return [
            check
            for check in self.result.checks
            if self.is_unknown(check) and check.id in self.held_unseen
        ]

    @property
    def faults(self) -> list[str]:
        """Everything that is broken, or could not be judged though it should be."""
        faults = [] if self.verified is None else list(self.verified.faults)
        again = self.not_again
        faults += [
            f"{check.id}: {check.reason or 'it does not hold'}"
            for check in self.result.checks
            if not check.passed and check not in again
        ]
        for check in self.result.checks:
            k = check.params.get("k") if check.name == "k-anonymity" else None
            if self.smallest is not None and k is not None and self.smallest < k:
                faults.append(
                    f"{check.id}: a class has {self.smallest} rows, and so fewer than "
                    f"{k} persons"
                )
        # Neither a check nor anything that is gone says why.
        if not self.result.passed and all(c.passed for c in self.result.checks):
            faults += self.result.reasons or ["it does not hold"]
        return faults

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return not self.faults and not (self.strict and self.not_again)

    @property
    def is_verified(self) -> bool:
        """Whether nothing rests on the word of a manifest that nobody checked.

        What is not judged again is as good as the signature of the manifest.
        """
        signed = self.verified is not None and self.verified.signature == "holds"
        return not self.faults and (signed or not self.not_again)

    @property
    def title(self) -> str:
        """The verdict in a word or two."""
        again = len(self.not_again)
        if again and not self.faults:
            found = "verified" if self.is_verified else "agrees with its manifest"
            return f"{found}; {again} of {len(self.result.checks)} {HELD}, {NOT_AGAIN}"
        return "failed" if self.faults else "passed"

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: ``passed`` is what the exit code says.

        That of a check is None if it held at release and cannot be judged again.
        """
        shown = {**self.result.to_dict(), "passed": self.passed}
        if self.verified is None:
            return shown
        again = {check.id for check in self.not_again}
        for check in shown["checks"]:
            if check["id"] in again:
                check["passed"] = None
        told = shown["reasons"]  # of a pass they say what was not judged again
        shown["reasons"] = [] if self.passed else [*dict.fromkeys(told + self.faults)]
        of_release = {
            "verified": self.is_verified,
            "not_judged_again": [check.id for check in self.not_again],
            "notes": told if self.passed else [],
            "smallest_class_rows": self.smallest,
            **self.verified.to_dict(),
        }
        return {**shown, "release": of_release}


def _threshold(text: str) -> dict[str, Any]:
    """Read ``NAME,KEY=VALUE,…``; a registered metric's name makes it a metric."""
    from anon_transformers.registry import registry

    name, params = name_and_assignments("threshold", text)
    found = registry()
    if name in found.attacks and name not in found.privacy_models:
        raise ConfigurationError(
            f"--threshold: {name!r} is an attack; see what it exposes with: "
            f"anon attack FILE -a {name}"
        )
    kind = "metric" if name in found.metrics else "model"
    return {kind: name, **params}


def _ends(frame: Any, asked: list[dict[str, Any]]) -> list[str]:
    """The columns of an edge table that name nodes, if all thresholds are of graphs."""
    from anon_transformers.registry import registry

    registered = {**registry().privacy_models, **registry().metrics}
    names = [str(t.get("model", t.get("metric"))) for t in asked]
    # A name that nobody knows is reported when it is looked up.
    kinds = {registered[name].evidence for name in names if name in registered}
    if not asked or kinds - {"graph"}:
        raise ConfigurationError("name the quasi-identifiers with -q COLUMN.")
    return list(frame.columns[:2])


def _judge(frame: Any, asked: list[dict[str, Any]], options: dict[str, Any]) -> Any:
    from anon_transformers.gx._judging import PrivateEvidence, Scope
    from anon_transformers.gx.gate import run_gate
    from anon_transformers.release import Threshold
    from anon_transformers.release._anonymizer import refuse_unjudgeable
    from anon_transformers.release._build import check_threshold
    from anon_transformers.release._table_numbers import counts_rows

    if not asked:
        raise ConfigurationError("name a threshold: --k 5, or -t NAME,KEY=VALUE.")
    options.pop("thresholds", None)
    measured = options.pop("checks", [])
    known = PrivateEvidence(
        options.pop("references", None),
        options.pop("hierarchies"),
        nodes=options.pop("nodes", None),
        swapped=options.pop("swapped", False),
    )
    try:
        thresholds = [Threshold.read(t) for t in asked]
    except ConfigurationError as error:
        raise ConfigurationError(f"--threshold: {error}") from None
    for threshold in thresholds:
        if threshold.kind != "attack":  # its private inputs are gone; the gate says so
            check_threshold(threshold)
    refuse_unjudgeable(
        thresholds, Scope(options["quasi_identifiers"], options["sensitive"])
    )
    subject, of_rows = options["subject"], dict[str, Any]()
    with show_status(f"judging {len(frame):,} rows"):
        result = run_gate(frame, thresholds=thresholds, evidence=known, **options)
        if subject in {None, *frame.columns}:
            return _as_measured(_in_options(result), measured)
        rows_count = [t for t in thresholds if counts_rows(t)]
        if rows_count:
            rows = {**options, "subject": None}
            seen = run_gate(frame, thresholds=rows_count, evidence=known, **rows)
            of_rows = {check.id: check for check in seen.checks}
    return _without_persons(_in_options(result), subject, measured, of_rows)


def _in_options(result: Any) -> Any:
    """Say what helps in the words of this command."""
    from anon_transformers.privacy._sensitive_model import GIVE_INPUT
    from anon_transformers.privacy._t_closeness import GIVE_HIERARCHY

    def reworded(text: str | None) -> str | None:
        if text is None:
            return None
        text = text.replace(GIVE_INPUT, GIVE_ORIGINAL)
        return text.replace(GIVE_HIERARCHY, "--hierarchy COLUMN=FILE")

    return replace(
        result,
        checks=tuple(replace(c, reason=reworded(c.reason)) for c in result.checks),
        reasons=tuple(map(reworded, result.reasons)),
    )


def _as_measured(result: Any, measured: list[dict[str, Any]]) -> Any:
    """Say what a release was published with where its evidence is gone since.

    It stays a failure: nobody can judge it again.
    """
    held = {check["id"] for check in measured if check["passed"]}
    reasons = [
        f"{AT_RELEASE}, {check.id} held: {check.sentence}"
        for check in result.checks
        if check.observed is None and check.id in held
    ]
    return replace(result, reasons=(*result.reasons, *reasons))


def _why_not(check: Any) -> str:
    """Why a threshold of a release that counts persons is not judged again."""
    return NO_HIERARCHIES if check.name == "loss" else NO_PERSONS


def _without_persons(
    result: Any,
    subject: str,
    measured: list[dict[str, Any]],
    of_rows: Mapping[str, Any],
) -> Any:
    """Say why a release that counts persons is no pass, and what it was published with.

    Whose rows are one person's is private evidence, which is removed at publication.
    What is of rows (``of_rows``, by id) is judged by them.
    """
    return replace(
        result,
        passed=all(check.id in of_rows for check in result.checks)
        and all(check.passed for check in of_rows.values()),
        checks=tuple(
            of_rows.get(c.id) or replace(c, passed=False, reason=_why_not(c))
            for c in result.checks
        ),
        reasons=(
            f"{COUNTS_PERSONS} (subject {subject!r}). Whose rows are one "
            "person's is not published, so no promise about them can be judged again.",
            *(
                f"{AT_RELEASE}, {check['id']} held: {check['sentence']}"
                for check in measured
                if check["passed"] and check["id"] not in of_rows
            ),
        ),
    )


def _print_report(path: Path, verdict: TableVerdict, json_output: bool) -> None:
    """Print the verdict; of a release, what needs what is not published, too."""
    if json_output:
        print_json(verdict.to_dict())
        return
    result = verdict.result
    rows = [
        (
            check.id,
            check.sentence,
            format_number(check.observed, "not evaluated"),
            "passed"
            if check.passed
            else _failed(
                check.reason,
                verdict.is_unknown(check),
                check.id in verdict.held_unseen,
            ),
        )
        for check in result.checks
    ]
    title = f"{path}: {verdict.title}"
    if verdict.verified is not None:
        typer.echo(title)
        _print_verified(verdict)
        title = "Thresholds"
    print_table(title, ["threshold", "asked", "measured", "verdict"], rows)
    # A reason is long, and often that of several thresholds.
    of_reason: dict[str, list[str]] = {}
    for check in filter(verdict.is_unknown, result.checks):
        if check.reason:
            of_reason.setdefault(check.reason, []).append(check.id)
    told = {f"{id_}: {reason}" for reason, ids in of_reason.items() for id_ in ids}
    for reason, ids in of_reason.items():
        whole = [r for r in result.reasons if r.startswith(COUNTS_PERSONS)]
        why = whole[0] if whole and reason == NO_PERSONS else reason
        told.add(why)
        typer.echo(f"- {', '.join(ids)}: {NOT_AGAIN}: {why}")
    if verdict.held_unseen:  # the table says so
        told |= {r for r in result.reasons if r.startswith(AT_RELEASE)}
    for reason in result.reasons:
        if reason not in told:
            typer.echo(f"- {reason}")


def _print_verified(verdict: TableVerdict) -> None:
    """Print what was verified of a release beside its thresholds."""
    found = verdict.verified
    told = found.to_dict()
    period = f" of period {told['period']}" if told["period"] else ""
    typer.echo(f"- {told['name']}, version {told['version']}{period}.")
    same = found.n_files - len(found.changed_files)
    typer.echo(f"- {same} of {found.n_files} files are what the manifest says.")
    where = ""
    if found.signature == "not checked":
        where = " (--workspace FOLDER), and anybody may have written it"
    typer.echo(f"- The signature of the manifest: {found.signature}{where}.")
    if found.newer_version is not None:
        typer.echo(f"- A newer version was published: {found.newer_version}.")
    if verdict.smallest is not None:
        typer.echo(f"- The smallest class has {verdict.smallest} rows.")
    of_checks = {f"{check.id}: {check.reason}" for check in verdict.result.checks}
    for fault in verdict.faults:
        if fault not in of_checks:
            typer.echo(f"- {fault}.")


def _failed(reason: str | None, unknown: bool, held: bool) -> Text:
    """The verdict, with its reason unless it is printed below the table."""
    if unknown:
        text = f"held at release, {NOT_AGAIN}" if held else NOT_AGAIN
        return Text(text, style="yellow")
    return Text.assemble(("failed", "red"), f" {reason or ''}")

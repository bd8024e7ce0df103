"""A release file from a table, to be read and changed by a person."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from anon_transformers._data.columns import to_text
from anon_transformers._data.dates import DateFormat
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx._suites import suite_for
from anon_transformers.gx._threshold import Threshold
from anon_transformers.hierarchies import Suggestion, suggest_hierarchy
from anon_transformers.hierarchies._suggest import FROM_FREQUENCIES
from anon_transformers.privacy import DistinctLDiversity
from anon_transformers.proposals._missing import known_cells
from anon_transformers.proposals._rare_values import rare_left_out, without_rare
from anon_transformers.proposals._roles import (
    WITH_COMMAS,
    ColumnProposal,
    Progress,
    Rest,
    TableProposal,
    propose_table,
)
from anon_transformers.proposals._scores import (
    MOST_ROWS,
    expected_loss,
    score_hierarchies,
)
from anon_transformers.registry import registry
from anon_transformers.release._file_kinds import SUFFIXES
from anon_transformers.release._files import as_kind
from anon_transformers.release._period import Template

K = 5
L = 2
MOST_SUPPRESSED = 0.05
"""Share of the rows that may go, for values that no hierarchy has."""
USUAL_LOSS = 0.9
"""Most loss where it could not be tried what a release of the table loses."""
NEWEST = {"periods": 1}
"""Periods that stay public: of persons, two tell more than each alone."""
ACCEPTED = 'composition: {accept_unjudged: "…"}'
"""What leaves periods unjudged together: a person decides that, and says why."""
SHOWN_ROLES = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "insensitive",
    "dropped",
)
_NO_ID = re.compile(r"[^A-Za-z0-9]+")
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class ProposedRelease:
    """A release file, its hierarchies and its suite, before they are written.

    Attributes
    ----------
    name : str
        Name of the release.
    table : TableProposal
        Roles and reasons.
    suggestions : dict of column to Suggestion
        Hierarchies of the quasi-identifiers, with reasons and scores.
    content : dict
        The release file.
    text : str
        The release file as YAML, with the reasons as comments.
    loss : float or None
        What some rows of the table lost; None where that could not be tried.
    """

    name: str
    table: TableProposal
    suggestions: Mapping[str, Suggestion]
    content: Mapping[str, Any]
    text: str
    loss: float | None = None

    def reason_for(self, threshold: Mapping[str, Any]) -> str:
        """Why a threshold of the release file is proposed, and its number."""
        return " ".join(_why(threshold, self.loss)) or _why_model(threshold)

    @property
    def unsure(self) -> list[str]:
        """Columns that are published in a role of low certainty."""
        return _unsure(self.table)

    @property
    def by_frequency(self) -> list[str]:
        """Columns whose hierarchy joins values by how often they occur."""
        found = self.suggestions.items()
        return [column for column, one in found if FROM_FREQUENCIES in one.reason]

    @property
    def trees(self) -> dict[str, str]:
        """Where hierarchies of columns go that no builder makes, by column."""
        return _trees(self.name, self.suggestions)

    @property
    def files(self) -> list[str]:
        """Everything that is written, from the folder that it is written to."""
        own = [f"releases/{self.name}.yaml", f"expectations/{self.name}.json"]
        return [*own, *self.trees.values()]

    def write(self, folder: Path, *, force: bool = False) -> list[Path]:
        """Write all files; refuses to overwrite one unless that is asked for.

        Raises
        ------
        ConfigurationError
            If a file is there already; nothing is written then.
        """
        there = [path for path in self.files if (folder / path).exists()]
        if there and not force:
            raise ConfigurationError(
                f"{folder}: {', '.join(there)} is there already; --force overwrites it."
            )
        release, suite = (folder / path for path in self.files[:2])
        for path in _former_trees(release, folder, self.name) - {*self.files}:
            (folder / path).unlink()
        for path in self.files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        release.write_text(self.text, encoding="utf-8")
        stated = [Threshold.read(one) for one in self.content["thresholds"]]
        made = json.dumps(suite_for(self.name, stated), indent=2)
        suite.write_text(f"{made}\n", encoding="utf-8")
        for column, path in self.trees.items():
            self.suggestions[column].hierarchy.to_csv(folder / path)
        return [folder / path for path in self.files]


def propose_release(
    frame: pd.DataFrame,
    source: Mapping[str, Any],
    name: str,
    *,
    stated: Mapping[str, str] | None = None,
    missing: Sequence[str] | None = None,
    dates: Mapping[str, Mapping[str, Any]] | None = None,
    rest: Rest = "propose",
    n_periods: int = 1,
    typed: bool = False,
    scores: bool = True,
    progress: Progress | None = None,
) -> ProposedRelease:
    """Propose a whole release of a table: roles, types, hierarchies, thresholds.

    Parameters
    ----------
    frame : data frame
        The table; of a CSV file every cell as it is written.
    source : mapping
        Where a release finds it, as under ``source`` of a release file. Its path may
        hold a period, or be a list.
    name : str
        Name of the release.
    stated, missing, dates, rest : optional
        As for :func:`propose_table`.
    n_periods : int, default=1
        Of how many periods the table is, each of which will be a release.
    typed : bool, default=False
        Whether the source knows the types of its columns, as Parquet files do: the
        release states none then.
    scores : bool, default=True
        Whether to measure how much loss each hierarchy saves.
    progress : callable, optional
        Called with how many columns are done, how many there are, and the next one.

    Examples
    --------
    >>> people = pd.DataFrame({"age": ["34", "35", "?", "61"], "sex": [*"mfmf"]})
    >>> made = propose_release(people, {"path": "../people.csv"}, "p", scores=False)
    >>> made.content["source"]
    {'path': '../people.csv', 'missing': ['?'], 'columns': {'age': 'integer', \
'sex': 'text'}}
    >>> made.content["hierarchies"]["age"]
    {'kind': 'intervals', 'widths': [5, 10, 50]}
    """
    table = propose_table(
        frame,
        stated=stated,
        missing=missing,
        dates=dates,
        rest=rest,
        progress=progress,
    )
    known = _known_columns(frame, table, dates or {}, typed)
    suggestions = _suggestions(known, table, scores, progress)
    loss = _expected_loss(known, table, suggestions, n_periods)
    content = _content(source, table, suggestions, name, typed)
    content |= _together(source, table, known)
    content["thresholds"] += _bounds(loss, bool(_trees(name, suggestions)))
    text = _text(content, table, suggestions, loss)
    return ProposedRelease(name, table, suggestions, content, text, loss)


def release_name(given: str) -> str:
    """A name that a release may have, from that of a file.

    The suffix of a format is left out, also of one that a plugin reads.

    Examples
    --------
    >>> release_name("my people (2).csv.gz"), release_name("_x")
    ('my-people-2', 'x')
    """
    stem = given.rsplit("/", maxsplit=1)[-1]
    for ending in (".gz", ".bz2"):
        stem = stem.removesuffix(ending)
    before, _, ending = stem.rpartition(".")
    if before and ending.lower() in {*SUFFIXES, "txt", *registry().readers}:
        stem = before
    return _STRANGE.sub("-", stem).strip("-_.") or "table"


def _known_columns(
    frame: pd.DataFrame,
    table: TableProposal,
    dates: Mapping[str, Mapping[str, Any]],
    typed: bool,
) -> pd.DataFrame:
    """What quasi-identifiers, sensitive columns and the subject hold, marks left out.

    Read as dates, or with a decimal comma, a column has other values.
    """
    columns = [*table.of_role("quasi_identifiers"), *table.of_role("sensitive")]
    known = {name: known_cells(frame[name], table.missing) for name in columns}
    for name in dates:
        if name in known:
            known[name] = _read_dates(known[name], dates[name])
    for one in table.columns:
        if not typed and one.column in known and one.source_kind == WITH_COMMAS:
            known[one.column] = as_kind(known[one.column], WITH_COMMAS)
    if table.subject is not None:
        known[table.subject] = frame[table.subject]
    return pd.DataFrame(known)


def _suggestions(
    known: pd.DataFrame,
    table: TableProposal,
    scores: bool,
    progress: Progress | None,
) -> dict[str, Suggestion]:
    columns = table.of_role("quasi_identifiers")
    subject = table.subject
    persons = None if subject is None else known[subject]
    found = {}
    for done, name in enumerate(columns):
        if progress is not None:
            progress(done, len(columns), name)
        if known[name].notna().any():
            one = suggest_hierarchy(known[name], subject=persons)
            found[name], known[name] = without_rare(one, known[name], persons, K)
    if not scores:
        return found
    trees = {name: one.hierarchy for name, one in found.items()}
    by_column = score_hierarchies(known, trees, k=K, subject=subject, progress=progress)
    return {name: replace(s, score=by_column.get(name)) for name, s in found.items()}


def _diverse(table: TableProposal) -> list[str]:
    """Sensitive columns that can be diverse at all."""
    by_name = {p.column: p for p in table.columns}
    return [c for c in table.of_role("sensitive") if by_name[c].n_values >= L]


def _expected_loss(
    known: pd.DataFrame,
    table: TableProposal,
    suggestions: Mapping[str, Suggestion],
    n_periods: int,
) -> float | None:
    """Loss of the release that is proposed, tried on some of its rows.

    Of a period there are fewer rows, which are less alike.
    """
    sensitive = _diverse(table)
    return expected_loss(
        known,
        {name: one.hierarchy for name, one in suggestions.items()},
        [DistinctLDiversity(L, sensitive=name) for name in sensitive],
        sensitive=sensitive,
        k=K,
        subject=table.subject,
        most_rows=min(MOST_ROWS, -(-len(known) // n_periods)),
    )


def _bounds(loss: float | None, may_suppress: bool) -> list[dict[str, Any]]:
    """Thresholds of what a release may cost.

    Examples
    --------
    >>> _bounds(0.7, may_suppress=False)
    [{'metric': 'loss', 'max': 0.85}]
    """
    # At most half of what labels still told may go.
    most = USUAL_LOSS if loss is None else math.ceil(50 * (1 + loss)) / 100
    bounds: list[dict[str, Any]] = [{"metric": "loss", "max": most}]
    if may_suppress:
        bounds.append({"metric": "suppressed-share", "max": MOST_SUPPRESSED})
    return bounds


def _read_dates(series: pd.Series, stated: Mapping[str, Any]) -> pd.Series:
    """Dates as the release will read them; what is written otherwise is left out."""
    written = DateFormat(stated["date"], stated.get("last_year"))
    texts = to_text(series)
    moments = {text: written.read(text) for text in texts.dropna().unique()}
    return texts.map({t: m.date().isoformat() for t, m in moments.items() if m})


def _trees(name: str, suggestions: Mapping[str, Suggestion]) -> dict[str, str]:
    taken: set[str] = set()
    paths = {}
    for column, one in suggestions.items():
        if one.stated is not None:
            continue
        stem = _STRANGE.sub("-", column).strip("-.") or "column"
        # Two columns may be one name to a file system that ignores case.
        while stem.lower() in taken:
            stem += "-2"
        taken.add(stem.lower())
        paths[column] = f"hierarchies/{name}/{stem}.csv"
    return paths


def _former_trees(release: Path, folder: Path, name: str) -> set[str]:
    """Hierarchies that an overwritten file names, of those that are proposed for it.

    Files that it does not name are somebody else's, wherever they lie.
    """
    try:
        content = yaml.safe_load(release.read_text(encoding="utf-8"))
        stated = content["hierarchies"].values()
    except (OSError, ValueError, yaml.YAMLError, TypeError, KeyError, AttributeError):
        return set()
    named = [one.get("path") if isinstance(one, Mapping) else one for one in stated]
    own = re.compile(rf"\.\./(hierarchies/{re.escape(name)}/[^/]+\.csv)")
    found = [own.fullmatch(path) for path in named if isinstance(path, str)]
    paths = [match[1] for match in found if match is not None]
    return {path for path in paths if (folder / path).is_file()}


def _content(
    source: Mapping[str, Any],
    table: TableProposal,
    suggestions: Mapping[str, Suggestion],
    name: str,
    typed: bool,
) -> dict[str, Any]:
    stated = dict(source)
    kinds = {
        p.column: p.source_kind for p in table.columns if p.source_kind is not None
    }
    if not typed:
        if table.missing:
            stated["missing"] = list(table.missing)
        if kinds:
            stated["columns"] = kinds
    roles: dict[str, Any] = {}
    if table.subject is not None:
        roles["subject"] = table.subject
    for role in SHOWN_ROLES:
        if table.of_role(role):
            roles[role] = table.of_role(role)
    trees = _trees(name, suggestions)
    hierarchies = {
        column: one.stated
        if one.stated is not None
        else {"path": f"../{trees[column]}", "unknown": "suppress"}
        for column, one in suggestions.items()
    }
    anonymizer: dict[str, Any] = {"name": "mondrian"}
    if trees:
        anonymizer["suppression_limit"] = MOST_SUPPRESSED
    target: dict[str, Any] = {"path": f"../build/releases/{name}", "format": "csv"}
    if table.subject is not None and _holds_period(source):
        target["retention"] = dict(NEWEST)
    return {
        "source": stated,
        "roles": roles,
        "hierarchies": hierarchies,
        "anonymizer": anonymizer,
        "thresholds": [{"model": "k-anonymity", "k": K}, *_of_values(table)],
        "suite": f"../expectations/{name}.json",
        "target": target,
        "workspace": "../.anon",
    }


def _together(
    source: Mapping[str, Any], table: TableProposal, known: pd.DataFrame
) -> dict[str, Any]:
    """How periods are judged together; without a subject a person must decide."""
    if table.subject is None or not _holds_period(source):
        return {}
    held = {
        column: "changing" if _changes(known, table.subject, column) else "permanent"
        for column in _diverse(table)
    }
    return {"composition": {"k": K, **({"sensitive": held} if held else {})}}


def _changes(known: pd.DataFrame, subject: str, column: str) -> bool:
    """Whether somebody has several values of a column."""
    pairs = known[[subject, column]].dropna().drop_duplicates()
    return bool(pairs[subject].duplicated().any())


def _holds_period(source: Mapping[str, Any]) -> bool:
    path = source["path"]
    return isinstance(path, str) and Template(path).holds_period


def _of_values(table: TableProposal) -> list[dict[str, Any]]:
    """Thresholds of the sensitive columns; of several, each has its name."""
    columns = _diverse(table)
    found, taken = [], set()
    for column in columns:
        stated = {"model": "distinct-l-diversity", "l": L, "sensitive": column}
        if len(columns) == 1:
            return [stated]
        stem = f"l-diversity-of-{_NO_ID.sub('-', column).strip('-') or 'column'}"
        while stem.lower() in taken:
            stem += "-2"
        taken.add(stem.lower())
        found.append({"id": stem, **stated})
    return found


def _text(
    content: Mapping[str, Any],
    table: TableProposal,
    suggestions: Mapping[str, Suggestion],
    loss: float | None,
) -> str:
    """The file with its reasons; a parser reads the content back."""
    by_column = {p.column: p for p in table.columns}
    lines = [f"# {line}".rstrip() for line in _review(table, suggestions, content)]
    lines += ["source:", *_block(content["source"]), "", "roles:"]
    for role, named in content["roles"].items():
        if role == "subject":
            lines.append(f"  subject: {_scalar(named)}  # {_said(by_column[named])}")
            continue
        lines.append(f"  {role}:")
        lines += [f"    - {_scalar(c)}  # {_said(by_column[c])}" for c in named]
    if content["hierarchies"]:
        lines += ["", *_about_unknown(content), "hierarchies:"]
    for column, stated in content["hierarchies"].items():
        shown = f"  {_scalar(column)}: {_scalar(stated)}"
        lines.append(f"{shown}  # {_of_tree(suggestions[column])}")
    lines += ["", "anonymizer:", *_block(content["anonymizer"])]
    lines += ["", "# The anonymizer gets these as its goal; the gate judges by them."]
    lines.append("thresholds:")
    for one in content["thresholds"]:
        lines += [f"  # {why}" for why in _why(one, loss)]
        lines.append(f"  - {_scalar(one)}")
    lines += _about_periods(content)
    lines += ["", "# It judges the thresholds above; leave it out if you change them."]
    lines += [f"suite: {_scalar(content['suite'])}", "", "target:"]
    target = dict(content["target"])
    retention = target.pop("retention", None)
    lines += _block(target)
    if retention is not None:
        lines += [
            "  # Who has two periods learns more of a person than from each alone:",
            "  # only the newest stays public.",
            f"  retention: {_scalar(retention)}",
        ]
    lines += ["", f"workspace: {_scalar(content['workspace'])}"]
    return "\n".join(lines) + "\n"


def _about_periods(content: Mapping[str, Any]) -> list[str]:
    """What periods may tell together: judged, or left to a person."""
    if not _holds_period(content["source"]):
        return []
    lines = [
        "",
        "# Whoever has two periods sees who joined, left and moved.",
    ]
    if "composition" not in content:
        return [
            *lines,
            "# Nobody is told apart here: the file is refused until a person decides.",
            "# Name roles.subject, and periods are judged together; or say why they",
            "# need not be, in words that stand in every manifest:",
            f"# {ACCEPTED}",
        ]
    return [
        *lines,
        "# All periods are judged together. The ledger keeps who was in which class,",
        "# under a secret that the environment of every run has, always the same:",
        "#   export ANON_LEDGER_KEY=$(openssl rand -hex 32)",
        "# Decide of every sensitive column: permanent where a person's value stays,",
        "# and a period in which one changed is refused; otherwise changing. Where",
        "# most persons come and leave alone, as in a table of visits, no k holds for",
        "# several periods. A person may leave the judgement out, with a reason that",
        "# stands in every manifest, in place of this section:",
        f"# {ACCEPTED}",
        "composition:",
        *_block(content["composition"]),
    ]


def _about_unknown(content: Mapping[str, Any]) -> list[str]:
    limit = content["anonymizer"].get("suppression_limit")
    if limit is None:
        return []
    return [
        "# A later table may hold values that no hierarchy file has, and nobody",
        "# knows how rare they are. unknown: suppress hides the rows that hold one,",
        f"# and stops the release where more than {limit:.0%} of the rows would go",
        "# (suppression_limit): add the values to the files then, or propose all",
        "# anew from all tables. error stops at the first such row; root hides the",
        "# cell alone, without limit.",
    ]


def _why(threshold: Mapping[str, Any], loss: float | None) -> list[str]:
    """Why a bound of a metric is proposed."""
    if threshold.get("metric") == "loss":
        if loss is None:
            return ["Labels that tell less are not worth publishing."]
        return [
            f"Some rows of the table lost {loss:.2f}. A release that loses half of the",
            "rest as well is refused: look what has changed in the source.",
        ]
    if threshold.get("metric") == "suppressed-share":
        return ["Rows that say nothing, of whatever cause; as under anonymizer."]
    return []


def _why_model(threshold: Mapping[str, Any]) -> str:
    """What a proposed privacy model promises."""
    if "sensitive" in threshold:
        return (
            f"Nobody's {threshold['sensitive']} is known from their group alone: every "
            f"group holds {threshold['l']} values of it. It is where one starts."
        )
    return (
        f"Nobody is in a group of fewer than {threshold['k']}. It is where one starts."
    )


def _unsure(table: TableProposal) -> list[str]:
    """Columns of low certainty, but for those that are dropped: nobody sees them."""
    return [
        p.column for p in table.columns if p.confidence == "low" and p.role != "dropped"
    ]


def _review(
    table: TableProposal,
    suggestions: Mapping[str, Suggestion],
    content: Mapping[str, Any],
) -> list[str]:
    """What a person must decide, for nothing here can."""
    persons = "" if table.n_persons is None else f" of {table.n_persons:,} persons"
    unsure = _unsure(table)
    rare = [c for c, s in suggestions.items() if FROM_FREQUENCIES in s.reason]
    lines = [
        f"Proposed from a table of {table.n_rows:,} rows{persons}. It is a start, and "
        "no judgment.",
        "A person must review, before anything is published:",
        "* roles: an intruder may know more than names and values show. High, medium",
        "  and low say how sure a proposal is.",
    ]
    if unsure:
        lines.append(
            f"* {len(unsure)} columns of low certainty: sensitive or dropped may be "
            "right."
        )
    if table.subject is not None:
        lines.append("* subject: is one value one person? Persons are counted by it.")
    else:
        lines.append("* persons: no column repeats as persons would; rows are counted.")
    if rare:
        lines.append(
            f"* {len(rare)} hierarchies join rare values: their labels tell what is "
            "rare in this table."
        )
    left_out = [c for c, s in suggestions.items() if rare_left_out(s)]
    if left_out:
        lines += [
            f"* values that fewer than {K} hold are not in the hierarchies of",
            f"  {', '.join(left_out)}: rows that hold one are suppressed, and hide the",
            "  column of nobody else. Add them to the files if they must be shown.",
        ]
    if "retention" in content["target"]:
        lines.append("* retention: how many periods may be public at a time.")
    if _holds_period(content["source"]):
        lines.append("* composition: what periods may tell together.")
    lines += [
        f"* thresholds: k = {K}"
        + (f" and l = {L} are" if table.of_role("sensitive") else " is")
        + " where one starts; see anon compare for what they cost.",
        "",
    ]
    return lines


def _said(one: ColumnProposal) -> str:
    return f"{one.confidence}: {one.kind}. {one.reason}"


def _of_tree(one: Suggestion) -> str:
    score = "" if one.score is None else f" Saves {one.score:+.4f} of loss at k = {K}."
    # What the values are stands beside the role.
    how = one.reason.rpartition("; ")[2]
    return f"{how[0].upper()}{how[1:]}.{score}"


def _block(stated: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in stated.items():
        if isinstance(value, dict) and key == "columns":
            lines.append(f"  {key}:")
            lines += [f"    {_scalar(c)}: {_scalar(k)}" for c, k in value.items()]
        else:
            lines.append(f"  {_scalar(key)}: {_scalar(value)}")
    return lines


def _scalar(value: Any) -> str:
    """One line of YAML, in flow style."""
    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=10**9, allow_unicode=True
    )
    return text.removesuffix("\n").removesuffix("\n...").strip()

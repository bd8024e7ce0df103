"""Hierarchies of a project: what the file states, what the table needs, and edits.

Every edit makes another hierarchy, which the library checks before it is kept.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder
from anon_transformers.release import ReleaseConfig
from anon_transformers.studio._columns import roles_of
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._page import words_of
from anon_transformers.studio._profile import (
    CountedValues,
    TableProfile,
    dates_of,
    profile_of,
    read_cells,
)
from anon_transformers.studio._project import Content, Project, write_privately
from anon_transformers.studio._source import source_of
from anon_transformers.studio._tree_edits import Rows
from anon_transformers.studio._trees import keep_tree

ROOT = "*"
SUGGEST = "hierarchies"
"""Kind of the job; settings are suggested by one of another kind."""
WORK = "anon_transformers.studio._hierarchies:suggest"
RARE = 5
"""A value that fewer rows, or persons, hold is counted and never shown."""
MOST_LISTED = 50
MOST_DIGITS = 100
"""Of a number of intervals."""
KEPT_OPTIONS = ("unknown", "normalizer")
"""What stays of a stated hierarchy when its levels are edited."""
ENDINGS = {"integer": ".0", "number": ".0", "date": "T00:00:00"}
"""Two spellings of one value, which a release takes for one."""


def columns_of(content: Mapping[str, Any]) -> list[str]:
    """Columns that may have a hierarchy: quasi-identifiers, and what has one."""
    roles = roles_of(content)
    stated = content.get("hierarchies") or {}
    return [
        column
        for column, role in roles.items()
        if role in ("quasi_identifiers", "both") or column in stated
    ]


def stated_of(content: Mapping[str, Any], column: str) -> dict[str, Any] | None:
    """How the file states the hierarchy of a column: a path or a kind, and options."""
    found = (content.get("hierarchies") or {}).get(column)
    if found is None:
        return None
    return {"path": found} if isinstance(found, str) else dict(found)


def describe(stated: Mapping[str, Any] | None) -> str:
    """A stated hierarchy in words.

    Examples
    --------
    >>> describe({"kind": "intervals", "widths": [5, 10]})
    'intervals: widths 5, 10'
    >>> describe({"path": "../hierarchies/sex-0a1b.csv"}), describe(None)
    ('file sex-0a1b.csv', 'none')
    """
    if stated is None:
        return "none"
    if "path" in stated:
        return f"file {str(stated['path']).rsplit('/', 1)[-1]}"
    options = [
        f"{name} {_plain(value)}" for name, value in stated.items() if name != "kind"
    ]
    return f"{stated.get('kind')}: {'; '.join(options)}".rstrip(": ")


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        several = any(isinstance(one, (list, tuple)) for one in value)
        return (" / " if several else ", ").join(map(_plain, value))
    return str(value)


def rows_to_edit(project: Project, column: str, counts: CountedValues) -> Rows:
    """Rows of the hierarchy that the file states, for the values of the table.

    Where it states none, values are shown whole or not at all.
    """
    stated = stated_of(project.content, column)
    if stated is None:
        return tuple((value, ROOT) for value in in_order(counts.values))
    # The policy for unknown values would add a row.
    own = {key: value for key, value in stated.items() if key != "unknown"}
    return build_stated(project, column, own, counts).rows


def build_stated(
    project: Project, column: str, stated: Mapping[str, Any], counts: CountedValues
) -> Hierarchy:
    """Read or build a hierarchy as a release would."""
    from anon_transformers.release._build import make_hierarchies

    config = _config(project, column, stated)
    made = make_hierarchies(config, [column])[column]
    if isinstance(made, HierarchyBuilder):
        return made.build(in_order(counts.values))
    return made


def in_order(values: Sequence[str]) -> list[str]:
    """Values as people list them: numbers by size, others by their letters.

    Examples
    --------
    >>> in_order(["10", "9"]), in_order(["b", "10", "a"])
    (['9', '10'], ['10', 'a', 'b'])
    """
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def _config(project: Project, column: str, stated: Mapping[str, Any]) -> ReleaseConfig:
    """A configuration with this hierarchy, though the file may be no release yet."""
    from pydantic import ValidationError

    from anon_transformers.release._strict import explain

    content = project.content
    least = {
        "source": {"path": "unused.csv"},
        "roles": {"quasi_identifiers": [column]},
        "hierarchies": {column: dict(stated)},
        "thresholds": [{"model": "k-anonymity", "k": 2}],
        "target": {"path": "unused"},
        "name": "table",
        "folder": str(project.file.parent),
    }
    # Whether rows may be suppressed decides how ranges are written.
    method = content.get("anonymizer") if project.fault is None else None
    try:
        return ReleaseConfig.model_validate(
            {**least, "anonymizer": method or {"name": "mondrian"}}
        )
    except ValidationError as error:
        raise ConfigurationError(explain(error)) from None


@dataclass(frozen=True)
class Completeness:
    """Values of the table that a hierarchy lacks.

    Attributes
    ----------
    values, rows : int
        How many values lack an entry, and in how many rows.
    listed : list of tuple
        Those that many hold, with how many rows hold each.
    more : int
        How many of these are not listed.
    rare_values, rare_rows : int
        Those that few hold, which nobody lists.
    """

    values: int
    rows: int
    listed: list[tuple[str, int]]
    more: int
    rare_values: int
    rare_rows: int

    @property
    def is_whole(self) -> bool:
        """Whether every value has an entry."""
        return not self.values


def lacking(tree: Hierarchy, counts: CountedValues, kind: Any) -> list[int]:
    """Positions of values that the hierarchy does not have."""
    from anon_transformers._data.columns import respelled

    places, _ = tree.meet(counts.values)
    lost = [at for at, place in enumerate(places.tolist()) if place < 0]
    ending = ENDINGS.get(kind) if isinstance(kind, str) else None
    if isinstance(kind, Mapping) and "date" in kind:
        ending = ENDINGS["date"]
    if ending is None:
        return lost
    return [at for at in lost if respelled(counts.values[at], ending) not in tree]


def completeness(tree: Hierarchy, counts: CountedValues, kind: Any) -> Completeness:
    """Compare a hierarchy with the table."""
    lost = lacking(tree, counts, kind)
    rare = {at for at in lost if counts.holders[at] < RARE}
    common = [at for at in lost if at not in rare]
    return Completeness(
        values=len(lost),
        rows=sum(counts.rows[at] for at in lost),
        listed=[(counts.values[at], counts.rows[at]) for at in common[:MOST_LISTED]],
        more=max(len(common) - MOST_LISTED, 0),
        rare_values=len(rare),
        rare_rows=sum(counts.rows[at] for at in rare),
    )


@dataclass(frozen=True)
class HierarchyView:
    """The hierarchy of a column as a page shows it.

    Attributes
    ----------
    column, words : str
        The column; the hierarchy in words.
    tree : Hierarchy or None
        None, if there is none or it cannot be made.
    fault : str
        Why it cannot be made.
    whole : Completeness or None
        What it lacks.
    stated : dict or None
        How the file states it.
    """

    column: str
    words: str
    tree: Hierarchy | None
    fault: str
    whole: Completeness | None
    stated: Mapping[str, Any] | None = None

    def is_stated_as(self, given: Any) -> bool:
        """Whether the file states this, short or long."""
        return self.stated == ({"path": given} if isinstance(given, str) else given)

    @property
    def groups(self) -> list[int]:
        """How many labels each level has, from the values up."""
        if self.tree is None:
            return []
        return [len(self.tree.level(at).labels) for at in range(self.tree.n_levels)]


_VIEWS: dict[tuple[Any, ...], HierarchyView] = {}
MOST_VIEWS = 64


def view(project: Project, profile: TableProfile, column: str) -> HierarchyView:
    """The hierarchy of a column; made once for each state of the files."""
    stated = stated_of(project.content, column)
    key = (project.file, project.state, profile.folder, column, _stamp(project, stated))
    if key not in _VIEWS:
        if len(_VIEWS) >= MOST_VIEWS:
            _VIEWS.clear()
        _VIEWS[key] = _view(project, profile, column, stated)
    return _VIEWS[key]


def _stamp(project: Project, stated: Mapping[str, Any] | None) -> int:
    """When the file of a hierarchy was written; 0 where there is none."""
    file = project.file.parent / str((stated or {}).get("path", ""))
    return file.stat().st_mtime_ns if file.is_file() else 0


def _view(
    project: Project, profile: TableProfile, column: str, stated: dict[str, Any] | None
) -> HierarchyView:
    tree: Hierarchy | None = None
    whole: Completeness | None = None
    fault = ""
    try:
        counts = profile.counts(column)
        if stated is not None:
            tree = build_stated(project, column, stated, counts)
            whole = completeness(tree, counts, kind_of(profile, column))
    except (ConfigurationError, DataError, ParameterError, OSError) as error:
        tree, fault = None, words_of(error)
    return HierarchyView(column, describe(stated), tree, fault, whole, stated)


def kind_of(profile: TableProfile, column: str) -> Any:
    """What cells of a column are read as."""
    return next((c["type"] for c in profile.columns if c["name"] == column), None)


def read_text(project: Project, given: str | bytes, encoding: str) -> Hierarchy:
    """A hierarchy as ARX writes it: semicolons, no header; checked by the library."""
    with _scratch(project) as file:
        if isinstance(given, str):
            write_privately(file, given)
            encoding = "utf-8"
        else:
            file.write_bytes(given)
        try:
            return Hierarchy.read_csv(file, encoding=encoding)
        except DataError as error:
            raise DataError(str(error).replace(f"{file}: ", "")) from None


def text_of(project: Project, tree: Hierarchy) -> str:
    """The file of a hierarchy, as ARX reads it."""
    with _scratch(project) as file:
        tree.to_csv(file)
        return file.read_text(encoding="utf-8")


@contextmanager
def _scratch(project: Project) -> Iterator[Path]:
    """A private file that is gone afterwards."""
    folder = project.results_folder("hierarchy")
    file = folder / f"{secrets.token_hex(8)}.csv"
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def state_rows(project: Project, column: str, rows: Iterable[Sequence[str]]) -> Any:
    """Check edited rows, keep them in a file, and say how the release names it."""
    return state_tree(project, column, Hierarchy(rows))


def state_tree(project: Project, column: str, tree: Hierarchy) -> Any:
    """Keep a hierarchy in a file; options of the one before stay."""
    before = stated_of(project.content, column) or {}
    path = keep_tree(project, column, tree)
    options = {key: before[key] for key in KEPT_OPTIONS if key in before}
    return {"path": path, **options} if options else path


def set_hierarchy(content: Content, column: str, stated: Any) -> None:
    """State the hierarchy of a column; None removes it."""
    all_of_them = dict(content.get("hierarchies") or {})
    if stated is None:
        all_of_them.pop(column, None)
    else:
        all_of_them[column] = stated
    content["hierarchies"] = all_of_them


def numbers_in(text: str) -> list[int | float]:
    """Numbers of a field, with commas or blanks between them.

    Examples
    --------
    >>> numbers_in("5, 10 50.5")
    [5, 10, 50.5]
    """
    found: list[int | float] = []
    for part in text.replace(",", " ").split():
        try:
            exact = Decimal(part)
        except ArithmeticError:
            raise ParameterError("numbers are written as in: 5, 10, 50.") from None
        if not exact.is_finite():
            raise ParameterError("numbers are written as in: 5, 10, 50.")
        # All digits of 1e3000000, or of 1e-300 in a chart, would take hours.
        if exact and abs(exact.adjusted()) > MOST_DIGITS:
            raise ParameterError(
                f"numbers have at most {MOST_DIGITS} digits before and after the point."
            )
        whole = exact == exact.to_integral_value()
        found.append(int(exact) if whole else float(exact))
    return found


def intervals_of(form: Mapping[str, Any]) -> dict[str, Any]:
    """Intervals as a release file states them, from the fields of the form."""
    how, text = str(form.get("how", "widths")), str(form.get("numbers", ""))
    stated: dict[str, Any] = {"kind": "intervals"}
    if how == "cuts":
        lines = [numbers_in(line) for line in text.splitlines() if line.strip()]
        stated["cuts"] = lines
    else:
        stated["widths"] = numbers_in(text)
    start = numbers_in(str(form.get("start", "")))
    if start and start[0]:
        stated["start"] = start[0]
    return stated


def suggest(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Suggest a hierarchy for each quasi-identifier, with reason and score (a job)."""
    from anon_transformers.proposals import propose_release

    source = source_of(project)
    progress(0, 0, "reading the table")
    cells = read_cells(source)
    content = project.content
    roles = roles_of(content)
    stated = {
        str(column): "quasi_identifiers"
        if roles.get(str(column)) == "both"
        else roles.get(str(column)) or "dropped"
        for column in cells.columns
    }
    made = propose_release(
        cells,
        content["source"],
        project.name,
        stated=stated,
        missing=source.missing if source.is_csv else None,
        dates=dates_of(source) if source.is_csv else None,
        typed=not source.is_csv,
        progress=progress,
    )
    return {
        column: {
            "reason": one.reason,
            "score": one.score,
            "kind": one.kind,
            "levels": one.hierarchy.n_levels,
            "stated": one.stated
            if one.stated is not None
            else keep_tree(project, column, one.hierarchy),
        }
        for column, one in made.suggestions.items()
    }


def profile_now(project: Project) -> TableProfile | None:
    """The profile of the table as it is read now."""
    return profile_of(project, source_of(project))

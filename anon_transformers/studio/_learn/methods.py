"""The worked example of an anonymizer: ten rows before and after, and how it went.

What is drawn depends on what a class extends, so that a plugin's variant of a method of
ours, and whatever anonymizes graphs, gets a picture too; any other class gets tables.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.registry import registry
from anon_transformers.studio._drawings import (
    Drawing,
    LatticeNode,
    curves,
    lattice,
    links,
    plane,
)
from anon_transformers.studio._learn.graphs import show_graphs
from anon_transformers.studio._learn.lesson import Knob, Lesson, Sheet, turn
from anon_transformers.studio._learn.people import (
    NAME,
    SENSITIVE,
    TWO_NUMBERS,
    WITH_CODES,
    builders,
    friendships,
    persons,
)

if TYPE_CHECKING:
    import pandas as pd

Given = Callable[[str], str | None]
FIRST: Mapping[str, float] = {
    "k": 2,
    "p": 0.3,
    "tolerance": 0.3,
    "eps_lambda": 0.5,
    "eps_mu": 0.3,
}
"""Numbers that examples turn, with values at which something is seen on ten rows."""
SEED = 1
"""Examples look the same each time; a release takes fresh entropy."""
ORDER = "class"
"""Column of an example that names the class of a row."""


def method_lesson(name: str, given: Given) -> Lesson:
    """The example of a registered anonymizer.

    Parameters
    ----------
    name : str
        Its registered name.
    given : callable
        What the address sets a number to, or None.
    """
    cls = registry().anonymizers[name]
    lesson = Lesson(knobs_of(cls))
    with warnings.catch_warnings():
        # Ten rows are no release; what a release is warned of, its own pages say.
        warnings.simplefilter("ignore")
        try:
            lesson.knobs = turn(lesson.knobs, given)
            _KINDS[cls.kind](cls, lesson)
        except AnonymizationError as error:
            lesson.say(str(error), warns=True)
        except Exception as error:  # a plugin's class may raise anything
            lesson.say(f"The example failed with {type(error).__name__}.", warns=True)
    return lesson


def knobs_of(cls: Any) -> list[Knob]:
    """The numbers of a method that its example turns: k, or how much may change."""
    return [
        Knob(name, FIRST[name])
        for name, parameter in inspect.signature(cls).parameters.items()
        if name in FIRST and isinstance(parameter.default, int | float)
    ]


def make(cls: Any, columns: Sequence[str], values: Mapping[str, Any]) -> Any:
    """An estimator for the ten persons, with what its class takes."""
    offered = {
        "quasi_identifiers": list(columns),
        "sensitive": [SENSITIVE],
        "identifiers": [NAME],
        "random_state": SEED,
        "keep_memberships": True,
        "keep_links": True,
        "keep_mapping": True,
        **values,
    }
    takes = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in offered.items() if name in takes})


def table_of(columns: Sequence[str]) -> "pd.DataFrame":
    """The ten persons with these quasi-identifiers."""
    return persons()[[NAME, *columns, SENSITIVE]]


def classes_of(
    published: "pd.DataFrame", columns: Sequence[str], mask: Any
) -> list[int]:
    """The class of each of the ten; -1 where the row is suppressed."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = iter(published[list(columns)].astype(str).itertuples(index=False, name=None))
    dropped = len(published) < len(mask)
    found = []
    for is_hidden in mask:
        if is_hidden and dropped:
            found.append(-1)
            continue
        row = next(rows)
        found.append(-1 if is_hidden else numbers.setdefault(row, len(numbers)))
    return found


def in_order(groups: Sequence[int]) -> list[int]:
    """Numbers of groups, in the order in which they are met."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in groups]


def sheet_of(
    title: str, frame: "pd.DataFrame", classes: Sequence[int], *, named: bool = False
) -> Sheet:
    """A table with the class of each row in color, and if asked in letters."""
    from anon_transformers.studio._drawings import letter

    rows = [list(row) for row in frame.astype(object).itertuples(index=False)]
    columns = [str(name) for name in frame.columns]
    if named:
        columns.append(ORDER)
        for row, number in zip(rows, classes, strict=True):
            row.append(letter(number) if number >= 0 else "suppressed")
    return Sheet(title, columns, rows, list(classes))


def hierarchy_sheets(anonymizer: Any, frame: "pd.DataFrame") -> list[Sheet]:
    """For each column the levels that its values climb."""
    sheets = []
    for name, tree in (getattr(anonymizer, "hierarchies_", None) or {}).items():
        held = set(map(str, frame[name]))
        rows = [list(row) for row in tree.rows if row[0] in held]
        heads = ["level 0", *(f"level {n}" for n in range(1, tree.n_levels))]
        sheets.append(Sheet(f"Hierarchy of {name}", heads, rows))
    return sheets


def _table_lesson(cls: Any, lesson: Lesson) -> None:
    columns, anonymizer, published = _protect(cls, lesson.values)
    frame = table_of(columns)
    mask = list(anonymizer.suppressed_mask_)
    classes = classes_of(published, columns, mask)
    kept = [n for n in classes if n >= 0] if len(published) < len(frame) else classes
    lesson.parts.append(sheet_of("The table", frame, classes))
    trees = hierarchy_sheets(anonymizer, frame)
    lesson.parts += trees
    for drawn in _DRAWN:
        if drawn in {base.__name__ for base in cls.__mro__}:
            _DRAWN[drawn](lesson, anonymizer, frame, published, classes)
            break
    after = sheet_of("What is published", published, kept, named=True)
    lesson.parts.append(after)
    lesson.say(_summary(anonymizer.report_))
    if cls.uses_hierarchies and not trees:
        lesson.say("The columns of this example are numbers: they need no hierarchy.")


def _summary(report: Any) -> str:
    classes, risk = report.classes, report.risk["highest-risk"]
    return (
        f"Classes: {classes['count']:.0f}, the smallest of {classes['smallest']:.0f} "
        f"rows. Rows suppressed: {report.suppressed_rows}. Loss: {report.loss:.2f} "
        f"(0: nothing, 1: everything). The highest risk of a kept row: {risk:.2f}."
    )


def _protect(
    cls: Any, values: Mapping[str, Any]
) -> tuple[tuple[str, ...], Any, "pd.DataFrame"]:
    """Protect the columns that a method can take; those of its picture first."""
    bases = {base.__name__ for base in cls.__mro__}
    fitting = [_COLUMNS[name] for name in _COLUMNS if name in bases]
    choices = fitting or [WITH_CODES, TWO_NUMBERS, WITH_CODES[1:], WITH_CODES[:1]]
    for columns in choices:
        more = {}
        if cls.uses_hierarchies and (fitting and columns == WITH_CODES):
            more["hierarchies"] = builders()
        anonymizer = make(cls, columns, {**more, **values})
        try:
            return columns, anonymizer, anonymizer.fit_transform(table_of(columns))
        except AnonymizationError:
            if columns == choices[-1]:
                raise
    raise AssertionError("there is always a choice")


def _draw_boxes(
    lesson: Lesson, anonymizer: Any, frame: Any, published: Any, classes: list[int]
) -> None:
    title = "Each box holds the persons of a class; its sides are what is published."
    lesson.draw(plane(title, TWO_NUMBERS, _points(frame, classes)))


def _draw_groups(
    lesson: Lesson, anonymizer: Any, frame: Any, published: Any, classes: list[int]
) -> None:
    centers = {
        number: tuple(float(published[name].iloc[row]) for name in TWO_NUMBERS)
        for row, number in enumerate(classes)
    }
    title = "Each person is published as the center of the group: the diamond."
    drawing = plane(title, TWO_NUMBERS, _points(frame, classes), centers)  # type: ignore[arg-type]
    lesson.draw(drawing)


def _points(frame: Any, classes: list[int]) -> list[tuple[str, float, float, int]]:
    names, x, y = (frame[name].tolist() for name in (NAME, *TWO_NUMBERS))
    return list(zip(names, x, y, classes, strict=True))


def _draw_climb(
    lesson: Lesson, anonymizer: Any, frame: Any, published: Any, classes: list[int]
) -> None:
    trace = anonymizer.report_.details["trace"]
    columns = list(trace[0]["levels"])
    heads = ["step", *(f"level of {name}" for name in columns)]
    heads += [f"values of {name}" for name in columns]
    heads += ["rows in small classes", "climbs next"]
    rows = [
        [
            number,
            *step["levels"].values(),
            *step["distinct"].values(),
            step["violating"],
            step["generalized"] or "none: it stops",
        ]
        for number, step in enumerate(trace)
    ]
    title = "The column with most values climbs, until few rows are left over"
    lesson.parts.append(Sheet(title, heads, rows))


def _draw_lattice(
    lesson: Lesson, anonymizer: Any, frame: Any, published: Any, classes: list[int]
) -> None:
    found = anonymizer.solutions(frame)
    nodes = [
        LatticeNode(tuple(levels), bool(fits), float(loss) if fits else None)
        for levels, fits, loss in zip(
            found.levels.to_numpy().tolist(),
            found.table["fits"],
            found.table["loss"],
            strict=True,
        )
    ]
    taken = tuple(anonymizer.levels_.values())
    title = (
        f"All levels of {' and '.join(WITH_CODES)}, the exact table at the bottom. "
        "Filled: the promise is kept. Dashed: it is not. Gold: least is lost."
    )
    lesson.draw(lattice(title, WITH_CODES, nodes, best=taken))


def _draw_sets(
    lesson: Lesson, anonymizer: Any, frame: Any, published: Any, classes: list[int]
) -> None:
    lesson.draw(membership_curves(anonymizer, frame))


def membership_curves(anonymizer: Any, frame: Any) -> Drawing:
    """How far the ten belong to the sets of their age."""
    column = WITH_CODES[0]
    degrees = {
        name[0]: anonymizer.degrees_[:, number].tolist()
        for number, name in enumerate(anonymizer.class_names_)
    }
    title = f"Degrees of the ten in the sets of {column}; only the names are published."
    return curves(title, column, frame[column].tolist(), degrees, frame[NAME].tolist())


def _swap_lesson(cls: Any, lesson: Lesson) -> None:
    anonymizer = make(cls, TWO_NUMBERS, lesson.values)
    groups = show_swaps(lesson, anonymizer, table_of(TWO_NUMBERS))
    smallest = min(map(groups.count, groups))
    lesson.say(f"The smallest group has {smallest} rows. No value was changed.")


def show_swaps(lesson: Lesson, anonymizer: Any, frame: "pd.DataFrame") -> list[int]:
    """Add the ten before and after a swap; the group of each."""
    published = anonymizer.fit_transform(frame)
    (columns, came_from) = next(iter(anonymizer.permutations_.items()))
    groups = in_order(anonymizer.labels_[columns].tolist())
    lesson.parts.append(sheet_of("The table", frame, groups))
    title = f"Whose {', '.join(columns)} each person was given: lines stay in a group."
    cells = frame[list(columns)].astype(str).agg(", ".join, axis=1).tolist()
    lesson.draw(links(title, frame[NAME].tolist(), cells, came_from.tolist(), groups))
    lesson.parts.append(sheet_of("What is published", published, groups, named=True))
    return groups


def _graph_lesson(cls: Any, lesson: Lesson) -> None:
    anonymizer = make(cls, (), lesson.values)
    edges = friendships()
    published = anonymizer.fit_transform(edges)
    show_graphs(lesson, edges, published, anonymizer.mapping_)
    report = anonymizer.report_
    lesson.say(f"Loss: {report.loss:.0%} {anonymizer.loss_means}.")
    if not report.loss:
        lesson.say("Nothing but the names was changed.")


_KINDS: Mapping[str, Callable[[Any, Lesson], None]] = {
    "table": _table_lesson,
    "linked": _swap_lesson,
    "graph": _graph_lesson,
}
_DRAWN: Mapping[str, Callable[..., None]] = {
    "MondrianAnonymizer": _draw_boxes,
    "MDAVAnonymizer": _draw_groups,
    "DataflyAnonymizer": _draw_climb,
    "FullDomainAnonymizer": _draw_lattice,
    "SetRecoder": _draw_sets,
}
"""By the name of the class or of one that it extends."""
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "MondrianAnonymizer": TWO_NUMBERS,
    "MDAVAnonymizer": TWO_NUMBERS,
    "DataflyAnonymizer": WITH_CODES,
    "FullDomainAnonymizer": WITH_CODES,
    "SetRecoder": WITH_CODES[:1],
}

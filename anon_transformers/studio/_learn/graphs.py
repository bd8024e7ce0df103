"""A graph of ten friends, before and after: as tables, and drawn."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.studio._drawings import Drawing, network
from anon_transformers.studio._learn.lesson import Lesson, Sheet

if TYPE_CHECKING:
    import pandas as pd


def show_graphs(
    lesson: Lesson, edges: "pd.DataFrame", result: Any, mapping: Mapping[Any, Any]
) -> None:
    """Add the tables and drawings of a graph before and after.

    Parameters
    ----------
    lesson : Lesson
        What they are added to.
    edges : DataFrame
        The graph before.
    result : DataFrame, or pair of DataFrame
        What a method returned: edges, or edges and nodes.
    mapping : mapping of name to name
        The published name of each person, which is not published.
    """
    tables = result if isinstance(result, tuple) else (result,)
    lesson.parts.append(_sheet("The table: who is a friend of whom", edges))
    for drawing in draw_both(edges, tables[0], mapping):
        lesson.draw(drawing)
    title = "What is published: edges"
    if tables[0].iloc[:, 1].isna().any():
        title += "; a node without any has no friend"
    titles = (title, "What is published: nodes")
    lesson.parts += [_sheet(*one) for one in zip(titles, tables, strict=False)]


def draw_both(
    edges: "pd.DataFrame", published: "pd.DataFrame", mapping: Mapping[Any, Any]
) -> tuple[Drawing, Drawing]:
    """The graph before and after.

    Where every node is still one node, both are drawn in the same places, with the
    names of before: readers of the published graph do not know them.
    """
    names = [str(name) for name in mapping]
    before = _numbered(edges, {name: n for n, name in enumerate(mapping)})
    new = list(mapping.values())
    one_to_one = len(set(new)) == len(new)
    old_title = "The graph before; in each node its number of friends."
    if one_to_one:
        places = {name: n for n, name in enumerate(new)}
        added = sorted(_nodes_of(published) - set(places), key=str)
        places |= {name: len(names) + n for n, name in enumerate(added)}
        shown = [*names, *("new node" for _ in added)]
        after = _numbered(published, places)
        title = (
            "After: thick edges are new, dashed ones are gone. Published nodes have "
            "random names."
        )
        return (
            network(old_title, names, before),
            network(title, shown, after, before),
        )
    heads = sorted(set(new), key=str)
    members = {
        head: [str(old) for old in mapping if mapping[old] == head] for head in heads
    }
    shown = [" + ".join(members[head]) for head in heads]
    after = _numbered(published, {name: n for n, name in enumerate(heads)})
    title = (
        "After: each node stands for as many persons as it says; their names are not "
        "published."
    )
    sizes = [len(members[head]) for head in heads]
    return (
        network(old_title, names, before),
        network(title, shown, after, known=False, numbers=sizes),
    )


def _sheet(title: str, frame: "pd.DataFrame") -> Sheet:
    cells = frame.astype(object).where(frame.notna(), None)
    return Sheet(
        title, [str(name) for name in frame.columns], cells.to_numpy().tolist()
    )


def _joined(edges: "pd.DataFrame") -> "pd.DataFrame":
    """The rows that are edges: a node without any has a row with one end."""
    return edges.iloc[:, :2].dropna()


def _nodes_of(edges: "pd.DataFrame") -> set[Any]:
    ends = _joined(edges)
    return set(ends.iloc[:, 0]) | set(ends.iloc[:, 1])


def _numbered(
    edges: "pd.DataFrame", places: Mapping[Any, int]
) -> list[tuple[int, int]]:
    ends = _joined(edges).itertuples(index=False, name=None)
    return [(places[one], places[two]) for one, two in ends]

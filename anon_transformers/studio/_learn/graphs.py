"""A graph of ten friends, before and after."""

from typing import TYPE_CHECKING, Any

from anon_transformers.studio._drawings import Drawing, network

if TYPE_CHECKING:
    import pandas as pd


def open_edges(published: Any) -> "pd.DataFrame":
    """The edges of what a method returned: a table of edges, or a pair of tables."""
    return published[0] if isinstance(published, tuple) else published


def draw_both(
    edges: "pd.DataFrame", published: "pd.DataFrame", mapping: dict[Any, Any]
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
        "After: each node stands for several persons, whose names are not published."
    )
    return (
        network(old_title, names, before),
        network(title, shown, after, known=False),
    )


def _nodes_of(edges: "pd.DataFrame") -> set[Any]:
    return set(edges.iloc[:, 0]) | set(edges.iloc[:, 1])


def _numbered(edges: "pd.DataFrame", places: dict[Any, int]) -> list[tuple[int, int]]:
    ends = edges.iloc[:, :2].itertuples(index=False, name=None)
    return [(places[one], places[two]) for one, two in ends]

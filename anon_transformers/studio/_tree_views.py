"""A hierarchy as a page draws it: as nested groups, and as cuts in a distribution."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

from anon_transformers.figures import Chart
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.studio._hierarchies import RARE
from anon_transformers.studio._profile import ColumnCounts

MOST_LEAVES = 500
"""Values that a tree shows; of a larger one, these and how many more there are."""
N_BINS = 40
MOST_CUTS = 60
"""Cuts of a level that are drawn; more of them would be a wall."""
TAIL = 0.99
FAR = 3
"""So many times further than 99 % of the rows, larger numbers share the last bar."""
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 220, 50, 40


@dataclass
class TreeNode:
    """A group, or a value.

    Attributes
    ----------
    level : int
        0 for a value.
    label : str
        Its published text.
    values, rows : int
        Values below it; rows that hold these. Rows are None where few hold a value.
    children : list of TreeNode
        What is below it, as far as it is shown.
    hidden : int
        Values below it that are not shown.
    """

    level: int
    label: str
    values: int
    rows: int | None
    children: list["TreeNode"] = field(default_factory=list)
    hidden: int = 0

    @property
    def address(self) -> str:
        """How forms name it."""
        return f"{self.level}:{self.label}"


def nested(tree: Hierarchy, counts: ColumnCounts) -> TreeNode:
    """The root, with everything below it."""
    import numpy as np

    n_leaves = len(tree.leaves)
    rows = np.zeros(n_leaves, dtype=np.int64)
    holders = np.zeros(n_leaves, dtype=np.int64)
    places, _ = tree.meet(counts.values)
    known = places >= 0
    np.add.at(rows, places[known], np.array(counts.rows, dtype=np.int64)[known])
    np.add.at(holders, places[known], np.array(counts.holders, dtype=np.int64)[known])
    levels = [tree.level(at) for at in range(tree.n_levels)]
    sums = [
        np.bincount(one.codes, weights=rows, minlength=len(one.labels))
        for one in levels
    ]

    def node(level: int, leaf: int) -> TreeNode:
        code = int(levels[level].codes[leaf])
        many = level > 0 or holders[leaf] >= RARE or not holders[leaf]
        held = int(sums[level][code]) if many else None
        below = int(levels[level].leaf_counts[code])
        return TreeNode(level, str(levels[level].labels[code]), below, held)

    top = tree.n_levels - 1
    root = node(top, 0)
    path = [root]
    for leaf in range(min(n_leaves, MOST_LEAVES)):
        path = path[: _shared(levels, path, leaf)]
        for level in range(top - len(path), -1, -1):
            child = node(level, leaf)
            path[-1].children.append(child)
            path.append(child)
    _count_hidden(root)
    return root


def _shared(levels: Sequence[Any], path: Sequence[TreeNode], leaf: int) -> int:
    """How many groups of a path, from the root on, a leaf is below."""
    if len(path) == 1 or leaf == 0:
        return 1
    top = len(levels) - 1
    shared = 1
    while shared < len(path):
        level = levels[top - shared]
        if level.codes[leaf] != level.codes[leaf - 1]:
            break
        shared += 1
    return shared


def _count_hidden(node: TreeNode) -> None:
    """Note how many values below a group are not shown."""
    for child in node.children:
        _count_hidden(child)
    if node.level > 0:
        node.hidden = node.values - sum(child.values for child in node.children)


def distribution(
    column: str, counts: ColumnCounts, stated: Mapping[str, Any] | None
) -> Chart | None:
    """Draw how the numbers of a column are spread, and where intervals cut them.

    Parameters
    ----------
    column : str
        Its name.
    counts : ColumnCounts
        Its values.
    stated : mapping or None
        Intervals as a release file states them; others have no cuts to draw.

    Returns
    -------
    Chart or None
        None if values are no numbers.
    """
    try:
        numbers = [float(value) for value in counts.values]
    except ValueError:
        return None
    if not numbers or not all(map(math.isfinite, numbers)):
        return None
    low, last, is_cut = _range(numbers, counts.rows)
    width, n_bins = _bins(numbers, low, last)
    high = low + width * n_bins
    heights = [0] * n_bins
    for number, rows in zip(numbers, counts.rows, strict=True):
        heights[min(int((number - low) / width), n_bins - 1)] += rows
    levels = _cuts(stated, low, high)
    title = f"Distribution of {column}"
    if levels:
        title += f", cut at {len(levels)} levels"
    edges = [low + at * width for at in range(n_bins + 1)]
    labels = [f"{_short(a)} to below {_short(b)}" for a, b in pairwise(edges)]
    labels[-1] = f"{_short(edges[-2])} and more" if is_cut else labels[-1]
    svg = _svg(title, heights, low, high, levels)
    shown = tuple(zip(labels, heights, strict=True))
    return Chart(svg, title, ("number", "rows"), shown)


def _bins(numbers: Sequence[float], low: float, last: float) -> tuple[float, int]:
    """Width and number of bars; of whole numbers, each bar has equally many."""
    if all(number.is_integer() for number in numbers):
        width = math.ceil((last - low + 1) / N_BINS)
        return float(width), math.ceil((last - low + 1) / width)
    return (last - low) / N_BINS or 1.0, N_BINS


def _range(numbers: Sequence[float], rows: Sequence[int]) -> tuple[float, float, bool]:
    """What is drawn, and whether larger numbers are in the last bar."""
    ordered = sorted(zip(numbers, rows, strict=True))
    total, held, most = sum(rows), 0, ordered[-1][0]
    low, high = ordered[0][0], most
    for number, count in ordered:
        held += count
        if held >= TAIL * total:
            if most - low > FAR * (number - low) > 0:
                high = number
            break
    return low, high, high < most


def _cuts(
    stated: Mapping[str, Any] | None, low: float, high: float
) -> list[tuple[str, list[float]]]:
    """For each level its name and the cuts inside of what is drawn."""
    if stated is None or stated.get("kind") != "intervals":
        return []
    if stated.get("cuts"):
        return [
            (f"level {at}", [float(cut) for cut in level if low < float(cut) < high])
            for at, level in enumerate(stated["cuts"], 1)
        ]
    start = float(stated.get("start", 0))
    levels: list[tuple[str, list[float]]] = []
    for at, width in enumerate(map(float, stated.get("widths", ())), 1):
        first = math.floor((low - start) / width) + 1
        count = math.ceil((high - start) / width) - first
        name = f"level {at}: {_short(width)} wide"
        if count > MOST_CUTS:
            levels.append((f"{name} (too many to draw)", []))
            continue
        levels.append((name, [start + (first + n) * width for n in range(count)]))
    return levels


def _short(number: float) -> str:
    return f"{number:,.6g}"


def _svg(
    title: str,
    heights: Sequence[int],
    low: float,
    high: float,
    levels: Sequence[tuple[str, Sequence[float]]],
) -> str:
    drawn_width, drawn_height = WIDTH - LEFT - 10, HEIGHT - BOTTOM - 10
    bar, most = drawn_width / len(heights), max(heights) or 1
    base = HEIGHT - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" '
        f'height="{HEIGHT + 18 * len(levels)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT + 18 * len(levels)}" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
    ]
    for at, rows in enumerate(heights):
        tall = drawn_height * rows / most
        parts.append(
            f'<rect x="{LEFT + at * bar:.1f}" y="{base - tall:.1f}" '
            f'width="{bar - 1:.1f}" height="{tall:.1f}" fill="#7fa6c4">'
            f"<title>{rows:,} rows</title></rect>"
        )
    span = (high - low) or 1.0
    for at, (name, cuts) in enumerate(levels):
        colour, thick = COLOURS[at % len(COLOURS)], 1 + at
        for cut in cuts:
            x = LEFT + drawn_width * (cut - low) / span
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{10 + 8 * at}" y2="{base + 5}" '
                f'stroke="{colour}" stroke-width="{thick}"/>'
            )
        y = HEIGHT + 18 * at
        parts.append(
            f'<line x1="{LEFT}" x2="{LEFT + 20}" y1="{y}" y2="{y}" stroke="{colour}" '
            f'stroke-width="{thick}"/><text x="{LEFT + 26}" y="{y + 4}" '
            f'font-size="12" fill="#1c2430">{escape(name)}</text>'
        )
    texts = [
        (LEFT, base + 18, "start", _short(low)),
        (WIDTH - 10, base + 18, "end", _short(high)),
        (LEFT - 6, 18, "end", f"{most:,}"),
        (LEFT - 6, base, "end", "0"),
    ]
    parts += [
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="12" '
        f'fill="#55606e">{escape(text)}</text>'
        for x, y, anchor, text in texts
    ]
    return "".join([*parts, "</svg>"])


COLOURS = ("#b4541a", "#7a1f6b", "#11683a", "#1c2430")

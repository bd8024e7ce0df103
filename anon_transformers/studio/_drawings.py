"""Pictures of small examples, as SVG: no style sheet, no script, every text escaped."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

COLORS = ("#1d4f73", "#b3541e", "#2f6b3a", "#7b3f8c", "#8a6d00", "#00707a", "#a3164b",
          "#555555", "#4257b2", "#6b4a2f")  # fmt: skip
INK, QUIET, FAINT, LINE = "#1c2430", "#55606e", "#a9b4c0", "#d5dce4"
WIDTH, HEIGHT, EDGE = 440, 320, 44
TICKS = 5
BESIDE = 12
"""Letters of a name that has room beside its node."""
HALO = {
    "font_size": 12, "stroke": "#ffffff", "stroke_width": 3, "paint_order": "stroke",
}  # fmt: skip
"""Names that stay readable on lines."""


def letter(number: int) -> str:
    """Name of a class: A, B, …, Z, then by number.

    Examples
    --------
    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '27')
    """
    return chr(ord("A") + number) if number < 26 else str(number + 1)  # noqa: PLR2004


def color(number: int) -> str:
    """Color of a class."""
    return COLORS[number % len(COLORS)]


@dataclass(frozen=True)
class Drawing:
    """A picture, and the same in a table for those who cannot see it."""

    svg: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass
class Canvas:
    """Collects the elements of a picture."""

    title: str
    width: float = WIDTH
    height: float = HEIGHT
    _parts: list[Markup] = field(default_factory=list)

    def add(self, tag: str, text: Any = None, **attributes: Any) -> None:
        """An element; ``_`` in names of attributes is a hyphen."""
        given = [
            Markup(' {}="{}"').format(name.strip("_").replace("_", "-"), _number(value))
            for name, value in attributes.items()
        ]
        body = Markup("") if text is None else escape(text)
        opened = Markup("<") + Markup(tag) + Markup("").join(given)
        self._parts.append(opened + Markup(">") + body + Markup(f"</{tag}>"))

    def text(self, x: float, y: float, said: Any, **attributes: Any) -> None:
        """Words at a place."""
        given = {"font_size": 13, "fill": INK, **attributes}
        self.add("text", said, x=x, y=y, **given)

    def line(self, x1: float, y1: float, x2: float, y2: float, **how: Any) -> None:
        """A line."""
        given = {"stroke": QUIET, "stroke_width": 1.5, **how}
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **given)

    def link(self, address: str) -> None:
        """Open a link around what follows, until :meth:`unlink`."""
        self._parts.append(Markup('<a href="{}">').format(address))

    def unlink(self) -> None:
        """Close the link."""
        self._parts.append(Markup("</a>"))

    def group(self, hint: str) -> None:
        """Open a group with a hint, until :meth:`ungroup`."""
        self._parts.append(Markup("<g><title>{}</title>").format(hint))

    def ungroup(self) -> None:
        """Close the group."""
        self._parts.append(Markup("</g>"))

    def svg(self) -> str:
        """The picture."""
        head = Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{}" height="{}" '
            'viewBox="0 0 {} {}" font-family="system-ui, sans-serif"><title>{}</title>'
        ).format(*map(_number, (self.width, self.height) * 2), self.title)
        return str(head + Markup("\n").join(self._parts) + Markup("</svg>"))


def _number(value: Any) -> Any:
    return f"{value:.5g}" if isinstance(value, float) else value


@dataclass(frozen=True)
class Scale:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> "Scale":
        """A scale with some room on both sides."""
        low, high = min(values), max(values)
        room = 0.08 * (high - low or 1.0)
        return cls(low - room, high + room, start, end)

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """A few round numbers."""
        step = 10 ** math.floor(math.log10((self.high - self.low) / TICKS))
        factor = next(
            f for f in (1, 2, 5, 10) if (self.high - self.low) / (f * step) <= TICKS + 1
        )
        step *= factor
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step) + 1)]


def _axes(canvas: Canvas, x: Scale, y: Scale, names: Sequence[str]) -> None:
    for tick in x.ticks():
        at = x(tick)
        canvas.line(at, y.start, at, y.end, stroke=LINE, stroke_width=1)
        canvas.text(at, y.start + 16, f"{tick:g}", text_anchor="middle", fill=QUIET)
    for tick in y.ticks():
        at = y(tick)
        canvas.line(x.start, at, x.end, at, stroke=LINE, stroke_width=1)
        canvas.text(x.start - 6, at + 4, f"{tick:g}", text_anchor="end", fill=QUIET)
    canvas.text(x.end, y.start + 32, names[0], text_anchor="end")
    canvas.text(4, y.end - 12, names[1])


def plane(
    title: str,
    names: Sequence[str],
    points: Sequence[tuple[str, float, float, int]],
    centers: Mapping[int, tuple[float, float]] | None = None,
) -> Drawing:
    """Persons by two numbers, with the box of each class or a line to its center.

    Parameters
    ----------
    title : str
        What is seen.
    names : two str
        The columns.
    points : sequence of (person, x, y, class)
        A class of -1 is suppressed.
    centers : mapping of class to (x, y), optional
        What is published of each class; boxes are drawn without.
    """
    canvas = Canvas(title)
    reach = list((centers or {}).values())
    x = Scale.of([p[1] for p in points] + [c[0] for c in reach], EDGE, WIDTH - 12)
    y = Scale.of([p[2] for p in points] + [c[1] for c in reach], HEIGHT - EDGE, 24)
    _axes(canvas, x, y, names)
    for number in sorted({p[3] for p in points if p[3] >= 0}):
        members = [p for p in points if p[3] == number]
        if centers is None:
            _box(canvas, number, [x(p[1]) for p in members], [y(p[2]) for p in members])
            continue
        at = x(centers[number][0]), y(centers[number][1])
        for member in members:
            canvas.line(x(member[1]), y(member[2]), *at, stroke=color(number))
        canvas.add(
            "path",
            d=f"M{at[0]:.1f} {at[1] - 7:.1f}l7 7l-7 7l-7 -7z",
            fill=color(number),
        )
        canvas.text(
            at[0] + 9, at[1] + 5, letter(number), fill=color(number), font_weight="bold"
        )
    for person, px, py, number in points:
        fill = color(number) if number >= 0 else "#ffffff"
        canvas.add("circle", cx=x(px), cy=y(py), r=4, fill=fill, stroke=INK)
        canvas.text(x(px) + 6, y(py) - 5, person, fill=QUIET, **HALO)
    rows = [
        [p[0], p[1], p[2], letter(p[3]) if p[3] >= 0 else "suppressed"] for p in points
    ]
    return Drawing(canvas.svg(), title, ["person", *names, "class"], rows)


def _box(canvas: Canvas, number: int, xs: list[float], ys: list[float]) -> None:
    left, top = min(xs) - 5, min(ys) - 5
    canvas.add(
        "rect", x=left, y=top, width=max(xs) - left + 5, height=max(ys) - top + 5, rx=4,
        fill=color(number), fill_opacity=0.13, stroke=color(number), stroke_width=2,
    )  # fmt: skip
    # In a corner: the middle may be somebody's place.
    canvas.text(
        max(xs) - 7, top + 17, letter(number), fill=color(number), font_weight="bold",
        text_anchor="middle",
    )  # fmt: skip


def curves(
    title: str,
    name: str,
    values: Sequence[float],
    degrees: Mapping[str, Sequence[float]],
    persons: Sequence[str],
) -> Drawing:
    """How far each person belongs to each set, along one column."""
    legend = _legend(list(degrees))
    # Below the names there is room for the name of the axis.
    head = LEGEND * (legend[-1][1] + 1) + 14 if legend else 0
    canvas = Canvas(title, height=HEIGHT - 84 + head)
    x = Scale.of(values, EDGE, WIDTH - 12)
    y = Scale(0.0, 1.0, canvas.height - EDGE, head + 16)
    _axes(canvas, x, y, [name, "degree"])
    order = sorted(range(len(values)), key=lambda at: values[at])
    sharp = all(degree in (0, 1) for of_set in degrees.values() for degree in of_set)
    for number, (label, of_set) in enumerate(degrees.items()):
        points = [(x(values[at]), y(of_set[at])) for at in order]
        canvas.add(
            "polyline",
            points=" ".join(f"{a:.1f},{b:.1f}" for a, b in _path(points, sharp)),
            fill="none",
            stroke=color(number),
            stroke_width=2.5,
        )
        for place in points:
            canvas.add("circle", cx=place[0], cy=place[1], r=3, fill=color(number))
        left, row = legend[number]
        canvas.text(
            left, LEGEND * (row + 1), label, fill=color(number), font_weight="bold"
        )
    rows = [
        [persons[at], values[at], *(of_set[at] for of_set in degrees.values())]
        for at in order
    ]
    return Drawing(canvas.svg(), title, ["person", name, *degrees], rows)


def _path(points: list[tuple[float, float]], sharp: bool) -> list[tuple[float, float]]:
    """The line through the points; sets that one is in or not have steps."""
    if not sharp:
        return points
    path = points[:1]
    for (x, y), (next_x, next_y) in pairwise(points):
        path += [((x + next_x) / 2, y), ((x + next_x) / 2, next_y), (next_x, next_y)]
    return path


LEGEND = 18
"""Height of a line of names."""


def _legend(labels: Sequence[str]) -> list[tuple[float, int]]:
    """Where each name stands, and in which line, so that none lies on another."""
    places, left, row = [], float(EDGE), 0
    for label in labels:
        width = 8.5 * len(label) + 16
        if left > EDGE and left + width > WIDTH:
            left, row = float(EDGE), row + 1
        places.append((left, row))
        left += width
    return places


def links(
    title: str,
    persons: Sequence[str],
    cells: Sequence[str],
    came_from: Sequence[int],
    groups: Sequence[int],
) -> Drawing:
    """Whose cell every person got: lines from rows to rows."""
    row = 26
    canvas = Canvas(title, height=row * (len(persons) + 1) + 10)
    left, right = 150, 300
    canvas.text(left, 16, "own cell", text_anchor="end", fill=QUIET)
    canvas.text(right, 16, "published beside", fill=QUIET)
    place = [row * (number + 1) + 14 for number in range(len(persons))]
    for to, source in enumerate(came_from):
        canvas.line(
            left + 8,
            place[source] - 4,
            right - 8,
            place[to] - 4,
            stroke=color(groups[to]),
            stroke_width=2,
        )
    for number, person in enumerate(persons):
        shade = color(groups[number])
        canvas.text(
            left,
            place[number],
            f"{person}: {cells[number]}",
            text_anchor="end",
            fill=shade,
        )
        canvas.text(right, place[number], person, fill=shade)
    rows = [
        [
            person,
            letter(groups[to]),
            cells[to],
            cells[came_from[to]],
            persons[came_from[to]],
        ]
        for to, person in enumerate(persons)
    ]
    return Drawing(
        canvas.svg(),
        title,
        ["person", "group", "own cell", "published cell", "whose it was"],
        rows,
    )


def network(
    title: str,
    nodes: Sequence[str],
    edges: Sequence[tuple[int, int]],
    others: Sequence[tuple[int, int]] = (),
    *,
    known: bool = True,
    numbers: Sequence[int] | None = None,
) -> Drawing:
    """A graph on a circle.

    Parameters
    ----------
    title : str
        What is seen.
    nodes : sequence of str
        What stands at each node.
    edges, others : sequences of pairs
        What is drawn, and the edges of the other graph: what is in one alone is marked.
    known : bool
        Whether the nodes of both are the same.
    numbers : sequence of int, optional
        What stands in each node; otherwise its number of edges.
    """
    canvas = Canvas(title, height=330)
    middle, radius = (WIDTH / 2, 168.0), 128.0
    turn = 2 * math.pi / max(len(nodes), 1)
    at = [
        (
            middle[0] + radius * math.sin(n * turn),
            middle[1] - radius * math.cos(n * turn),
        )
        for n in range(len(nodes))
    ]
    here, there = set(map(_pair, edges)), set(map(_pair, others))
    for one, two in sorted(here):
        new = known and there and (one, two) not in there
        canvas.line(
            *at[one],
            *at[two],
            stroke=COLORS[1] if new else QUIET,
            stroke_width=3 if new else 1.5,
        )
    for one, two in sorted(there - here) if known else ():
        canvas.line(*at[one], *at[two], stroke=COLORS[0], stroke_dasharray="4 5")
    if numbers is None:
        numbers = [sum(n in pair for pair in here) for n in range(len(nodes))]
    for number, (name, (x, y)) in enumerate(zip(nodes, at, strict=True)):
        canvas.add(
            "circle", cx=x, cy=y, r=13, fill="#ffffff", stroke=INK, stroke_width=1.5
        )
        canvas.text(x, y + 4.5, numbers[number], text_anchor="middle")
        side = (
            "start" if x > middle[0] + 5 else "end" if x < middle[0] - 5 else "middle"
        )
        if len(name) > BESIDE:  # it would run out of the picture
            side = "middle"
        shift = {"start": 18, "end": -18, "middle": 0}[side]
        canvas.text(
            x + shift,
            y + (4 if shift else (-18 if y < middle[1] else 28)),
            name,
            text_anchor=side,
            **HALO,
        )
    rows = [[nodes[one], nodes[two]] for one, two in sorted(here)]
    return Drawing(canvas.svg(), title, ["one end", "other end"], rows)


def _pair(edge: tuple[int, int]) -> tuple[int, int]:
    return min(edge), max(edge)


NODE = (58, 30, 54)
"""Width of a node of a lattice with its gap, its height, and from layer to layer."""
SMALL_NODE = (20, 14, 34)
MANY_NODES = 80
"""Nodes from which their levels stand in the hint alone."""


@dataclass(frozen=True)
class LatticeNode:
    """A node of a lattice: its levels, whether it fits, and what it loses."""

    levels: tuple[int, ...]
    fits: bool
    loss: float | None = None

    @property
    def name(self) -> str:
        """Its levels, as addresses and pictures write them."""
        return ",".join(map(str, self.levels))

    @property
    def says(self) -> str:
        """What it is, in words."""
        if not self.fits:
            return "does not keep the promise"
        return "keeps the promise" + (
            "" if self.loss is None else f", loss {self.loss:.4g}"
        )


def lattice(
    title: str,
    columns: Sequence[str],
    nodes: Sequence[LatticeNode],
    *,
    best: tuple[int, ...] | None = None,
    applied: tuple[int, ...] | None = None,
    address: str | None = None,
) -> Drawing:
    """All nodes in layers, the most exact table at the bottom.

    Parameters
    ----------
    title : str
        What is seen.
    columns : sequence of str
        The quasi-identifiers, in the order of the levels.
    nodes : sequence of LatticeNode
        All of them.
    best, applied : levels, optional
        Which one loses least, and which one the release applies.
    address : str, optional
        Where a click on a node leads, before its levels.
    """
    many = len(nodes) > MANY_NODES
    wide, tall, step = SMALL_NODE if many else NODE
    layers: dict[int, list[LatticeNode]] = {}
    for node in nodes:
        layers.setdefault(sum(node.levels), []).append(node)
    width = max(WIDTH, wide * max(map(len, layers.values())) + 20)
    canvas = Canvas(title, width, step * len(layers) + 10)
    at = {
        node.levels: (
            width / 2 + (place - (len(layer) - 1) / 2) * wide,
            canvas.height - step * (height - min(layers)) - step / 2,
        )
        for height, layer in layers.items()
        for place, node in enumerate(layer)
    }
    for levels, (x, y) in at.items():
        for above in _above(levels):
            if above in at:
                canvas.line(x, y, *at[above], stroke=FAINT, stroke_width=1)
    for node in nodes:
        _lattice_node(
            canvas,
            node,
            (*at[node.levels], wide - 6, tall),
            marks=(node.levels == best, node.levels == applied),
            address=None if address is None else f"{address}{node.name}",
            labelled=not many,
        )
    rows = [
        [
            *node.levels,
            node.fits,
            node.loss,
            _words(node.levels == best, node.levels == applied),
        ]
        for node in nodes
    ]
    named = [*columns, "keeps the promise", "loss", "mark"]
    return Drawing(canvas.svg(), title, named, rows)


def _above(levels: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*levels[:a], levels[a] + 1, *levels[a + 1 :]) for a in range(len(levels))]


def _words(best: bool, applied: bool) -> str:
    return ", ".join(
        word for word, is_so in (("optimum", best), ("applied", applied)) if is_so
    )


def _lattice_node(
    canvas: Canvas,
    node: LatticeNode,
    box: tuple[float, float, float, float],
    *,
    marks: tuple[bool, bool],
    address: str | None,
    labelled: bool,
) -> None:
    x, y, wide, tall = box
    best, applied = marks
    fill = "#ffffff" if not node.fits else "#f0b429" if best else "#cfe6d4"
    if address is not None:
        canvas.link(address)
    canvas.group(f"{node.name}: {node.says}" + _after(_words(*marks)))
    canvas.add(
        "rect", x=x - wide / 2, y=y - tall / 2, width=wide, height=tall, rx=5,
        fill=fill,
        stroke=COLORS[1] if applied else INK if node.fits else QUIET,
        stroke_width=4 if applied else 1.5,
        stroke_dasharray="none" if node.fits else "3 3",
    )  # fmt: skip
    if labelled:
        size = 13 if len(node.levels) <= 4 else 9  # noqa: PLR2004
        canvas.text(x, y + 4, node.name, text_anchor="middle", font_size=size)
    canvas.ungroup()
    if address is not None:
        canvas.unlink()


def _after(words: str) -> str:
    return f" ({words})" if words else ""

"""A chart: one SVG text that a page can hold, and the numbers that it shows."""

import hashlib
import re
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from anon_transformers.figures._matplotlib import need_matplotlib

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
INK, QUIET, LINE = "#1c2430", "#55606e", "#d5dce4"
SETTINGS: Mapping[str, Any] = {
    # Texts stay texts: they can be read aloud, searched and copied.
    "svg.fonttype": "none",
    # Names of clips and markers come from this salt instead of a random one.
    "svg.hashsalt": "anon-transformers",
    # A name such as "$x$" is a name and no formula.
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.titlesize": 10,
    "grid.color": LINE,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "legend.frameon": False,
}
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
LONGEST_TEXT = 28
"""Letters of a name on a chart; its table has the whole name."""
_DRAWING = threading.Lock()
"""Settings of matplotlib are those of the process: one chart is drawn at a time."""

FAMILY = r"font-family: [^;]*"
"""The list of a machine's fonts; every browser has one family of the kind."""
LONG_NUMBER = r"(\.\d\d)\d+"
"""More digits of a place than anybody sees."""

Cell = str | int | float | None


@dataclass(frozen=True)
class Chart:
    """A drawing and the numbers that it shows.

    Attributes
    ----------
    svg : str
        The drawing as an ``<svg>`` element that may stand in an HTML page: every text
        is escaped, there is no style sheet, no script and no reference that leaves it.
    title : str
        What it shows.
    columns : tuple of str
        Heads of the table of its numbers.
    rows : tuple of tuple
        The numbers.

    Examples
    --------
    >>> from anon_transformers.figures import bar_chart
    >>> chart = bar_chart("Classes by size", ["5-9", "10-19"], [12, 3])
    >>> chart.rows
    (('5-9', 12), ('10-19', 3))
    >>> chart.svg.startswith("<svg") and "<style" not in chart.svg
    True
    """

    svg: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def draw_chart(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    draw: Callable[[Any, Any], Mapping[str, str] | None],
    size: tuple[float, float] = (5.0, 3.1),
) -> Chart:
    """Draw a chart.

    Parameters
    ----------
    title : str
        What it shows; stands in the drawing for those who hear it or hover.
    columns, rows : sequences
        The numbers, as a table.
    draw : callable
        Called with matplotlib's figure and its axes; returns what to say of marked
        parts when the mouse is over them, by the id that they were given.
    size : pair of float
        Width and height in inches.
    """
    hints = {}
    matplotlib = need_matplotlib()
    with _DRAWING, matplotlib.rc_context(dict(SETTINGS)), warnings.catch_warnings():
        # The browser draws the letters, whichever this machine's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        from matplotlib.figure import Figure

        # Without pyplot there is no window system and nothing that stays behind.
        figure = Figure(figsize=size, layout="constrained")
        hints = dict(draw(figure, figure.add_subplot()) or {})
        file = BytesIO()
        figure.savefig(file, format="svg", metadata=dict(NO_METADATA), transparent=True)
    svg = _finish(file.getvalue(), title, hints)
    return Chart(svg, title, tuple(columns), tuple(tuple(row) for row in rows))


def on_chart(text: Any, longest: int = LONGEST_TEXT) -> str:
    r"""A name as a chart shows it: short, in one line, without control characters.

    Examples
    --------
    >>> on_chart("a\x00b\nc"), on_chart("occupation", longest=5)
    ('a�b c', 'occu…')
    """
    line = " ".join(str(text).split())
    line = _legal(line)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _legal(text: str) -> str:
    """The text without what no XML file can hold."""
    legal = r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    return re.sub(legal, "\N{REPLACEMENT CHARACTER}", text)


def _finish(svg: bytes, title: str, hints: Mapping[str, str]) -> str:
    """Make matplotlib's file a part of a page."""
    root = ET.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata"):
                parent.remove(child)
    mark = f"c{hashlib.sha256(svg + title.encode('utf-8', 'replace')).hexdigest()[:10]}"
    for element in root.iter():
        _rename(element, mark)
        said = hints.get(element.get("id", "").removeprefix(f"{mark}-"))
        if said is not None:
            _say(element, said)
    width, height = root.get("viewBox", "0 0 360 223").split()[2:]
    # The size on paper and screen; a page may make it smaller.
    root.set("width", f"{float(width) * 4 / 3:.0f}")
    root.set("height", f"{float(height) * 4 / 3:.0f}")
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    root.set("role", "img")
    root.set("aria-label", _legal(title))
    _say(root, title)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    root.attrib.pop("version", None)
    root.set("xmlns", SVG)
    return ET.tostring(root, encoding="unicode").strip()


def _rename(element: ET.Element, mark: str) -> None:
    """Let ids be those of this chart alone, and references follow them."""
    if "id" in element.attrib:
        element.set("id", f"{mark}-{element.get('id')}")
    if LINK in element.attrib:
        element.set("href", f"#{mark}-{element.attrib.pop(LINK).removeprefix('#')}")
    for name in ("clip-path", "style"):
        if name in element.attrib:
            given = element.get(name, "").replace("url(#", f"url(#{mark}-")
            element.set(name, re.sub(FAMILY, "font-family: sans-serif", given))
    for name in ("d", "x", "y", "transform"):
        if name in element.attrib:
            element.set(name, re.sub(LONG_NUMBER, r"\1", element.get(name, "")))


def _say(element: ET.Element, text: str) -> None:
    title = ET.Element(f"{{{SVG}}}title")
    title.text = _legal(text)
    title.tail = "\n"
    element.insert(0, title)

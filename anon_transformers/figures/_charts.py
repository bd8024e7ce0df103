"""The charts that pages and reports are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

from anon_transformers.figures._chart import (
    LETTER,
    LONGEST_TEXT,
    Cell,
    Chart,
    draw_chart,
    on_chart,
)

BEFORE, AFTER = "#c46a1b", "#1d4f73"
PALETTE = (AFTER, BEFORE, "#11683a", "#7b3f98", "#a31621", "#4d6b8a", "#7a5200")
MARKERS = "osD^vPX"
WIDE = 50
"""From this ratio of the largest to the smallest number on, an axis is logarithmic."""
MOST_UPRIGHT = 44
"""Letters of all labels together that fit below upright bars."""
BAR_INCHES = 0.27
SIZE = (5.0, 3.1)
MANY = 12
"""From so many points on a line their markers are small."""

Number = int | float | None


def bar_chart(
    title: str,
    labels: Sequence[str],
    values: Sequence[Number],
    *,
    label_name: str = "",
    value_name: str = "",
) -> Chart:
    """Draw one bar per label; upright where the labels are short.

    Parameters
    ----------
    title : str
        What the chart shows.
    labels : sequence of str
        One per bar.
    values : sequence of number or None
        None draws no bar.
    label_name, value_name : str
        Beside the axes, and at the head of the table.

    Returns
    -------
    Chart

    Examples
    --------
    >>> bar_chart("Loss", ["age"], [0.25], label_name="column").columns
    ('column', 'value')
    """
    rows = list(zip(labels, values, strict=True))
    columns = (label_name or "label", value_name or "value")
    return _bars(title, columns, rows, (AFTER,), label_name, value_name)


def before_after_chart(
    title: str,
    labels: Sequence[str],
    before: Sequence[Number],
    after: Sequence[Number],
    *,
    label_name: str = "",
    value_name: str = "",
    names: tuple[str, str] = ("source", "published"),
) -> Chart:
    """Draw two bars per label: as it was, and as it is published.

    Parameters
    ----------
    title, labels, label_name, value_name
        As of :func:`bar_chart`.
    before, after : sequence of number or None
        One of each per label.
    names : pair of str
        What they are called.

    Returns
    -------
    Chart

    Examples
    --------
    >>> before_after_chart("Risk", ["highest"], [1.0], [0.2]).columns
    ('label', 'source', 'published')
    """
    rows = list(zip(labels, before, after, strict=True))
    columns = (label_name or "label", *names)
    return _bars(title, columns, rows, (BEFORE, AFTER), label_name, value_name)


def line_chart(
    title: str,
    x: Sequence[Number],
    lines: Mapping[str, Sequence[Number]],
    *,
    x_name: str = "x",
    y_name: str = "",
) -> Chart:
    """Draw one line per name over the same numbers.

    An axis whose numbers are far apart is logarithmic.

    Parameters
    ----------
    title : str
        What the chart shows.
    x : sequence of number
        Where the points are.
    lines : mapping of str to sequence
        Height of each point; None where there is none.
    x_name, y_name : str
        Beside the axes.

    Returns
    -------
    Chart

    Examples
    --------
    >>> chart = line_chart("Loss", [2, 5], {"mondrian": [0.1, None]}, x_name="k")
    >>> chart.columns, chart.rows
    (('k', 'mondrian'), ((2, 0.1), (5, None)))
    """
    return _lines(title, x, lines, x_name, y_name, steps=False)


def step_chart(
    title: str,
    x: Sequence[Number],
    lines: Mapping[str, Sequence[Number]],
    *,
    x_name: str = "x",
    y_name: str = "",
) -> Chart:
    """Draw curves that hold their height up to each x and then jump.

    Parameters
    ----------
    title, x, lines, x_name, y_name
        As of :func:`line_chart`.

    Returns
    -------
    Chart

    Examples
    --------
    >>> step_chart("Loss", [2, 5], {"optimum": [0.1, 0.4]}, x_name="k").columns
    ('k', 'optimum')
    """
    return _lines(title, x, lines, x_name, y_name, steps=True)


def matrix_chart(
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[Number]],
    *,
    least: float = -1.0,
    most: float = 1.0,
) -> Chart:
    """Draw a square of numbers between two limits, each in a colour of its own.

    Parameters
    ----------
    title : str
        What the chart shows.
    names : sequence of str
        Of the lines and of the columns.
    values : sequence of sequence
        One line each; None leaves a field empty.
    least, most : float
        Limits of the colours.

    Returns
    -------
    Chart

    Examples
    --------
    >>> matrix_chart("Correlation", ["a", "b"], [[1, 0.5], [0.5, 1]]).rows[0]
    ('a', 1, 0.5)
    """
    rows = [(name, *line) for name, line in zip(names, values, strict=True)]

    def draw(figure: Any, axes: Any) -> Mapping[str, str]:
        from matplotlib import colormaps
        from matplotlib.patches import Rectangle

        colours, hints = colormaps["RdBu"], {}
        for line, row in enumerate(values):
            for column, value in enumerate(row):
                if value is None:
                    continue
                part = f"cell-{line}-{column}"
                share = (value - least) / ((most - least) or 1.0)
                axes.add_patch(
                    Rectangle((column, line), 1, 1, gid=part,
                              facecolor=colours(1.0 - share))
                )  # fmt: skip
                dark = abs(share - 0.5) > 0.35  # noqa: PLR2004
                axes.text(
                    column + 0.5, line + 0.5, f"{value:.2f}", fontsize=8,
                    ha="center", va="center", color="w" if dark else "k",
                )  # fmt: skip
                hints[part] = f"{names[line]}, {names[column]}: {value:.4g}"
        places, short = [at + 0.5 for at in range(len(names))], _short(names, 16)
        axes.set_xlim(0, len(names) or 1)
        axes.set_ylim(len(names) or 1, 0)
        axes.set_xticks(places, short, rotation=90)
        axes.set_yticks(places, short)
        axes.grid(visible=False)
        return hints

    side = 0.42 * max(len(names), 1)
    beside = 0.25 + LETTER * max(map(len, _short(names, 16)), default=0)
    return draw_chart(
        title, ("", *names), rows, draw,
        (side + beside + 0.1, side + beside + 0.1), (beside, 0.1, 0.1, beside),
    )  # fmt: skip


def _bars(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    colours: Sequence[str],
    label_name: str,
    value_name: str,
) -> Chart:
    """Groups of bars, one colour per column of numbers."""
    labels = _short([row[0] for row in rows])
    upright = sum(map(len, labels)) <= MOST_UPRIGHT and len(labels) <= MANY
    width = 0.8 / len(colours)

    def draw(figure: Any, axes: Any) -> Mapping[str, str]:
        hints, handles = {}, []
        for at, colour in enumerate(colours):
            shift = (at - (len(colours) - 1) / 2) * width
            known = [(n, row[at + 1]) for n, row in enumerate(rows)]
            known = [(n, value) for n, value in known if value is not None]
            make = axes.bar if upright else axes.barh
            bars = make([n + shift for n, _ in known], [v for _, v in known], width,
                        color=colour)  # fmt: skip
            for (n, value), bar in zip(known, bars, strict=True):
                bar.set_gid(f"bar-{at}-{n}")
                said = f"{columns[at + 1]}: " if len(colours) > 1 else ""
                hints[f"bar-{at}-{n}"] = f"{rows[n][0]}: {said}{_said(value)}"
            handles.append(bars)
        _label_bars(axes, labels, upright, on_chart(label_name), on_chart(value_name))
        if len(colours) > 1:
            _legend(figure, handles, columns[1:])
        return hints

    above = 0.15 if len(colours) == 1 else _legend_size(columns[1:])[1]
    if upright:
        return draw_chart(title, columns, rows, draw, SIZE, (0.8, 0.15, above, 0.55))
    tall = BAR_INCHES * len(rows) * (1 if len(colours) == 1 else 1.5)
    beside = 0.2 + LETTER * max(map(len, labels), default=0)
    size = (SIZE[0], max(tall, 0.6) + above + 0.5)
    return draw_chart(title, columns, rows, draw, size, (beside, 0.2, above, 0.5))


def _label_bars(
    axes: Any, labels: Sequence[str], upright: bool, below: str, beside: str
) -> None:
    places = list(range(len(labels)))
    if upright:
        axes.set_xticks(places, labels)
        axes.set(xlabel=below, ylabel=beside)
        axes.grid(visible=False, axis="x")
    else:
        axes.set_yticks(places, labels)
        axes.invert_yaxis()  # the first one on top, as in the table
        axes.set(xlabel=beside)
        axes.grid(visible=False, axis="y")


def _lines(
    title: str,
    x: Sequence[Number],
    lines: Mapping[str, Sequence[Number]],
    x_name: str,
    y_name: str,
    *,
    steps: bool,
) -> Chart:
    rows: list[tuple[Cell, ...]] = list(zip(x, *lines.values(), strict=True))

    def draw(figure: Any, axes: Any) -> Mapping[str, str]:
        hints, handles = {}, []
        for at, (name, heights) in enumerate(lines.items()):
            points = [
                (one, height)
                for one, height in zip(x, heights, strict=True)
                if one is not None and height is not None
            ]
            (line,) = axes.plot(
                [one for one, _ in points],
                [height for _, height in points],
                color=PALETTE[at % len(PALETTE)],
                # A line that lies under another one still shows.
                alpha=0.85,
                gid=f"line-{at}",
                **_looks(at, len(points), steps),
            )
            handles.append(line)
            hints[f"line-{at}"] = str(name)
        axes.set(xlabel=on_chart(x_name), ylabel=on_chart(y_name))
        known = [y for line in lines.values() for y in line if y is not None]
        _scale(axes, [one for one in x if one is not None], known)
        if len(lines) > 1:
            _legend(figure, handles, list(lines))
        return hints

    above = _legend_size(list(lines))[1] if len(lines) > 1 else 0.15
    return draw_chart(
        title, (x_name, *lines), rows, draw, SIZE, (0.8, 0.15, above, 0.55)
    )


def _looks(at: int, n_points: int, steps: bool) -> dict[str, Any]:
    if steps:
        return {"drawstyle": "steps-pre"}
    size = 3 if n_points > MANY else 5
    return {"marker": MARKERS[at % len(MARKERS)], "markersize": size}


def _scale(axes: Any, xs: Sequence[float], ys: Sequence[float]) -> None:
    """Logarithmic where numbers are far apart, down to a zero if there is one."""
    # A share, such as t, is read as it is.
    if _is_wide(xs, 10) and max(xs) > 1:
        axes.set_xscale("log")
        _write_plainly(axes.xaxis)
    if 0 < len(set(xs)) <= MANY:
        axes.set_xticks(sorted(set(xs)), [f"{one:g}" for one in sorted(set(xs))])
        axes.minorticks_off()
    elif all(isinstance(one, int) for one in xs) and axes.get_xscale() == "linear":
        axes.xaxis.get_major_locator().set_params(integer=True)
    above = [y for y in ys if y > 0]
    if _is_wide(above, WIDE):
        if min(ys) > 0:
            axes.set_yscale("log")
            _write_plainly(axes.yaxis)
        elif min(ys) == 0:
            axes.set_yscale("symlog", linthresh=min(above))
            axes.set_ylim(0, 3 * max(above))
            _write_plainly(axes.yaxis)
    elif ys and min(ys) >= 0:
        axes.set_ylim(0, 1.06 * max(ys) or 1.0)


def _write_plainly(axis: Any) -> None:
    """Numbers of a logarithmic axis as they are, without powers."""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")


def _is_wide(numbers: Sequence[float], ratio: float) -> bool:
    return bool(numbers) and min(numbers) > 0 and max(numbers) >= ratio * min(numbers)


def _legend(figure: Any, handles: Sequence[Any], names: Sequence[str]) -> None:
    places = list(map(str, range(len(names))))
    ncols, _ = _legend_size(names)
    made = figure.legend(handles, places, loc="upper center", ncols=ncols,
                         borderaxespad=0.0)  # fmt: skip
    # Set afterwards: matplotlib leaves out a name that begins with an underscore.
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set_text(on_chart(name))


def _legend_size(names: Sequence[str]) -> tuple[int, float]:
    """Names side by side, and inches that all of them take."""
    longest = max((len(on_chart(name)) for name in names), default=0)
    fit = max(1, int((SIZE[0] - 0.2) / (0.65 + LETTER * longest)))
    n_rows = -(-len(names) // min(fit, len(names) or 1))
    return min(fit, len(names) or 1), 0.15 + 0.19 * n_rows


def _short(names: Sequence[Any], longest: int = LONGEST_TEXT) -> list[str]:
    return [on_chart(name, longest) for name in names]


def _said(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"

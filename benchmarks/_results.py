"""Keep the last result of a benchmark: the numbers as JSON, a page to read."""

import json
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name, measured, sections):
    """Write ``results/<name>.json`` and, from headed tables, ``results/<name>.md``.

    Gives back the page.
    """
    RESULTS.mkdir(exist_ok=True)
    measured = json.loads(json.dumps(measured), parse_float=_rounded)
    text = json.dumps(measured, indent=2, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    parts = [f"# {name.capitalize()}: the last result"]
    parts += [", ".join(f"{key} {value}" for key, value in measured["machine"].items())]
    for heading, rows in sections.items():
        parts += [f"## {heading}", markdown_table(rows)]
    page = "\n\n".join(parts) + "\n"
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    return page


def markdown_table(rows):
    """Table of dicts that have the same keys."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(row.values() for row in rows)]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def number(value, digits=2, unit=""):
    """Text of a number; a dash if there is none."""
    return "-" if value is None else f"{value:,.{digits}f}{unit}"


def percent(value):
    """Text of a share; a dash if there is none."""
    return number(None if value is None else 100 * value, 2, " %")


def case_cells(case):
    """One measured case (see the benchmarks) as the cells of a line."""
    stopped = case.get("stopped_after")
    over = "" if stopped is None else "> "
    seconds = case.get("seconds", stopped)
    ratio = None if seconds is None else seconds / case["yardstick_seconds"]
    return {
        "rows × columns": f"{case['rows']:,} × {case['columns']}",
        "method": case["method"],
        "by": case["by"],
        "seconds": case.get("note") or over + number(seconds, 3),
        "× group-by": over + number(ratio),
        "time / n log n": number(case.get("growth")),
        "step": number(case.get("growth_step")),
        "classes": number(case.get("classes"), 0),
        "NCP": percent(case.get("ncp")),
    }


def memory_cells(case):
    """Memory of one case as the cells of a line."""
    return {
        "rows × columns": f"{case['rows']:,} × {case['columns']}",
        "method": case["method"],
        "frame, MB": number(case["frame_bytes"] / 1e6, 0),
        "peak growth, MB": number(case["growth_bytes"] / 1e6, 0),
        "× frame": number(case["ratio"]),
    }


def _rounded(text):
    return float(f"{float(text):.4g}")

"""Time one peer on one table, and print what it took and gave as JSON.

``benchmarks/_peers.py`` starts this file under the Python of ``.venv-peers``; it
imports nothing of this project. The first argument names the peer, the second a folder
with ``table.csv`` and ``task.json``.
"""

import contextlib
import importlib.metadata
import json
import signal
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

WARM_UP_ROWS = 1000
LONG_ENOUGH = 20  # seconds after which a run is not repeated


def anonypy(frame, task):
    """Strict Mondrian; texts are categories, and a constant is the sensitive column."""
    from anonypy import Preserver

    table = frame.assign(constant="")
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype("category")
    preserver = Preserver(table, task["columns"], "constant")
    return pd.DataFrame(preserver.anonymize_k_anonymity(task["k"]))


def anonypy_result(published, frame, task):
    """Classes and loss; a class is a line that says how many rows it has."""
    boxes = published.explode(task["columns"])
    losses = {}
    for name in task["columns"]:
        if pd.api.types.is_numeric_dtype(frame[name]):
            ends = boxes[name].str.split("-")
            width = ends.str[-1].astype(float) - ends.str[0].astype(float)
            shares = width / (frame[name].max() - frame[name].min())
        else:
            shares = boxes[name].str.count(",") / (frame[name].nunique() - 1)
        losses[name] = float(np.average(shares, weights=boxes["count"]))
    classes = len(boxes.drop_duplicates(task["columns"]))
    return {"classes": classes, "column_losses": losses}


def anjana(frame, task):
    """Greedy full-domain generalization; it may suppress k rows, as ours may."""
    from anjana.anonymity import k_anonymity

    return k_anonymity(
        frame.astype(str),
        [],
        task["columns"],
        task["k"],
        100 * task["k"] / len(frame),
        _level_tables(task),
    )


def anjana_result(published, frame, task):
    """Classes and loss; a suppressed row costs 1."""
    suppressed = 1 - len(published) / len(frame)
    losses = {}
    for name, levels in _level_tables(task).items():
        level = next(v for v in levels.values() if set(published[name]) <= set(v))
        leaves = published[name].map(Counter(level))
        share = float(((leaves - 1) / (len(level) - 1)).mean())
        losses[name] = suppressed + (1 - suppressed) * share
    classes = published.groupby(task["columns"]).ngroups
    return {"classes": classes, "column_losses": losses}


def _level_tables(task):
    return {
        name: dict(enumerate(np.array(rows, dtype=object).T))
        for name, rows in task["hierarchies"].items()
    }


def pycanon(frame, task):
    """Size of the smallest class."""
    from pycanon.anonymity import k_anonymity

    return k_anonymity(frame, task["columns"])


def pycanon_result(smallest, frame, task):
    """The answer, to compare with ours."""
    return {"k": int(smallest)}


def pycanon_judges(frame, task):
    """k, l and t of a table."""
    from pycanon.anonymity import k_anonymity, l_diversity, t_closeness

    sensitive = [name for name in frame.columns if name not in task["columns"]]
    return (
        k_anonymity(frame, task["columns"]),
        l_diversity(frame, task["columns"], sensitive),
        t_closeness(frame, task["columns"], sensitive),
    )


def pycanon_levels(answers, frame, task):
    """The answers, to compare with ours."""
    return dict(zip("klt", map(float, answers), strict=True))


PEERS = {
    "pycanon, k l t": (pycanon_judges, pycanon_levels),
    "anonypy": (anonypy, anonypy_result),
    "anjana": (anjana, anjana_result),
    "pycanon": (pycanon, pycanon_result),
}


def _stop(*_):
    raise TimeoutError


def timed(action, frame, task):
    """Median seconds of a few runs (one, if it is long) and the last result."""
    action(frame.head(WARM_UP_ROWS), task)
    signal.signal(signal.SIGALRM, _stop)
    seconds = []
    while len(seconds) < task["repeats"] and sum(seconds) < LONG_ENOUGH:
        signal.alarm(task["limit"])
        started = time.perf_counter()
        result = action(frame, task)
        seconds.append(time.perf_counter() - started)
        signal.alarm(0)
    return statistics.median(seconds), result


def main(peer, folder):
    """Read, run, and say what came of it."""
    task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(folder / "table.csv", keep_default_na=False)
    action, result_of = PEERS[peer]
    told = {"version": importlib.metadata.version(peer.split(",")[0])}
    # Peers print; only the last line is ours.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            seconds, result = timed(action, frame, task)
            told |= {"seconds": seconds, **result_of(result, frame, task)}
        except TimeoutError:
            told["stopped_after"] = task["limit"]
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

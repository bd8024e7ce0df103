"""Read the corpus, put its questions to a library, and compare the answers.

This file needs nothing but pandas, so that any project can take it along. A library is
asked through an adapter: an object with any of the methods

* ``judge(frame, case, question)``: the answer to a question about ``frame``;
* ``prepare(frame, case, asked)``: the arguments of an anonymization, and
  ``publish(arguments)``: the table that it publishes;
* ``labels(values, width)``: labels of ranges of that width.

Each gives None for what the library cannot be asked. An error counts as a refusal.
"""

import copy
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent
REFUSED = "refused"
MARK = "*"
TOLERANCE = 1e-9


def read_cases() -> list[dict[str, Any]]:
    """All cases, in their order."""
    return json.loads((HERE / "cases.json").read_text(encoding="utf-8"))["cases"]


def read_table(case: dict[str, Any]) -> pd.DataFrame:
    """The table of a case, with its types and its index.

    A field is a text as it stands, and missing if it is empty.
    """
    frame = pd.read_csv(
        HERE / case["table"], dtype=object, keep_default_na=False, na_values=[""]
    )
    for name, dtype in case.get("dtypes", {}).items():
        if isinstance(dtype, dict):
            frame[name] = frame[name].astype(pd.CategoricalDtype(**dtype))
        elif "int" in dtype.lower() or "float" in dtype.lower():
            numbers = pd.to_numeric(frame[name])
            frame[name] = numbers.astype("Int64").astype(dtype)
        else:
            frame[name] = frame[name].astype(dtype)
    if "index" in case:
        frame.index = pd.Index(case["index"])
    return frame


def ask(adapter: Any, case: dict[str, Any], question: dict[str, Any]) -> Any:
    """The answer of a library: plain values, None, or "refused" and why."""
    try:
        frame = read_table(case)
    except (ImportError, NameError):  # this pandas has no Arrow
        return None
    if question["question"] == "published":
        return _published(adapter, frame, case, question)
    if question["question"] == "labels cover their values":
        return _labels(adapter, frame, case, question)
    if not hasattr(adapter, "judge"):
        return None
    return _answer_of(adapter.judge, frame, case, question)


def refused(answer: Any) -> bool:
    """Whether an answer is none."""
    return isinstance(answer, str) and answer.startswith(REFUSED)


def _answer_of(call, *arguments):
    """What a library gives back; its errors are refusals."""
    try:
        return call(*arguments)
    except Exception as error:
        return f"{REFUSED}: {type(error).__name__}"


def agrees(answer: Any, truth: Any) -> bool:
    """Whether an answer is right."""
    if isinstance(truth, dict) and "any_of" in truth:
        return any(agrees(answer, one) for one in truth["any_of"])
    if truth == REFUSED or refused(answer):
        return truth == REFUSED and refused(answer)
    if isinstance(truth, dict):
        above = answer >= truth.get("at_least", float("-inf")) - TOLERANCE
        return bool(above and answer <= truth.get("at_most", float("inf")) + TOLERANCE)
    if isinstance(truth, bool) or not isinstance(truth, int | float):
        return bool(answer == truth)
    return bool(abs(answer - truth) <= TOLERANCE)


def _published(adapter, frame, case, question):
    if not hasattr(adapter, "publish"):
        return None
    arguments = adapter.prepare(frame, case, question["asked"])
    if arguments is None:
        return None
    before = copy.deepcopy(arguments)
    published = _answer_of(adapter.publish, arguments)
    if refused(published):
        return published
    if not len(published):
        return f"{REFUSED}: an empty table"
    if question["fact"] == "arguments unchanged":
        return alike(arguments, before)
    if question["fact"] == "second call alike":
        return alike(_answer_of(adapter.publish, arguments), published)
    return FACTS[question["fact"]](published, frame, case)


def _labels(adapter, frame, case, question):
    if not hasattr(adapter, "labels"):
        return None
    values = frame[case["quasi_identifiers"][0]].tolist()
    labels = _answer_of(adapter.labels, values, question["width"])
    if refused(labels):
        return labels
    return all(covers(label, value) for label, value in zip(labels, values))  # noqa: B905


def covers(label: str, value: float) -> bool:
    """Whether a number lies between the brackets of a label."""
    left, low, high, right = re.fullmatch(
        r"([\[(])(.+), (.+)([\])])", str(label)
    ).groups()
    above = value > float(low) if left == "(" else value >= float(low)
    return above and (value < float(high) if right == ")" else value <= float(high))


def alike(one: Any, other: Any) -> bool:
    """Whether two arguments are of one type and hold the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, pd.DataFrame | pd.Series):
        return one.equals(other)
    return bool(pd.Series(one).equals(pd.Series(other)))


def texts(series: pd.Series) -> list[Any]:
    """Cells as texts; a missing one is None."""
    missing = series.isna().tolist()
    cells = [None if m else str(c) for m, c in zip(missing, series.tolist())]  # noqa: B905
    return [cell or None for cell in cells]


def classes(table: pd.DataFrame, case: dict[str, Any]) -> dict[Any, list[Any]]:
    """The sensitive values of every class, by its quasi-identifiers."""
    keys = zip(*(texts(table[name]) for name in case["quasi_identifiers"]))  # noqa: B905
    sensitive = case.get("sensitive")
    values = texts(table[sensitive]) if sensitive else [None] * len(table)
    found = defaultdict(list)
    for key, value in zip(keys, values):  # noqa: B905
        found[key].append(value)
    return dict(found)


def _kept(table, case):
    return {k: v for k, v in classes(table, case).items() if set(k) != {MARK}}


def _smallest(table, frame, case):
    return min(map(len, classes(table, case).values()))


def _smallest_kept(table, frame, case):
    return min(map(len, _kept(table, case).values()))


def _distinct(table, frame, case):
    found = classes(table, case).values()
    return min(len({v for v in values if v is not None}) for values in found)


def _distance(table, frame, case):
    """Largest equal-distance of a class from the input; missing is a value."""
    whole = Counter(texts(frame[case["sensitive"]]))
    n = sum(whole.values())
    largest = 0.0
    for values in classes(table, case).values():
        own = Counter(values)
        gaps = [abs(own[v] / len(values) - whole[v] / n) for v in {*own, *whole}]
        largest = max(largest, sum(gaps) / 2)
    return largest


def _row_numbers(table, frame, case):
    """Whether a column that was not there counts rows."""
    added = [name for name in table.columns if name not in frame.columns]
    return any(table[name].is_unique and len(table) > 1 for name in added)


def _as_they_were(table, frame, case):
    """Values that no hierarchy has, and that were published nevertheless."""
    out = []
    for name, rows in case.get("hierarchies", {}).items():
        unknown = set(texts(frame[name])) - {row[0] for row in rows}
        out += sorted(unknown & set(texts(table[name])))
    return out


FACTS = {
    "k": _smallest,
    "k of kept rows": _smallest_kept,
    "distinct-l": _distinct,
    "t": _distance,
    "rows": lambda table, frame, case: len(table),
    "columns": lambda table, frame, case: list(table.columns),
    "row numbers": _row_numbers,
    "values published as they were": _as_they_were,
}

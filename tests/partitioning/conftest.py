"""A table with every kind of column, and a reader of published labels."""

import json

import numpy as np
import pandas as pd
import pytest

from anon_transformers.hierarchies import Hierarchy

LANDS = [
    ("at", "alps", "*"),
    ("ch", "alps", "*"),
    ("es", "iberia", "*"),
    ("pt", "iberia", "*"),
    ("fr", "france", "*"),
]
GRADES = ["low", "mid", "high", "top"]
KNOWN = ["age", "pay", "sex", "land", "grade", "flag", "born"]


def make_people(seed, n_rows, missing=0.0):
    """Random people; each known cell is missing with the given chance."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 60, n_rows),
            "pay": rng.normal(0, 1000, n_rows).round(1),
            "sex": rng.choice(["f", "m", "x, y"], n_rows),
            "land": rng.choice([row[0] for row in LANDS], n_rows),
            "grade": pd.Categorical(
                rng.choice(GRADES, n_rows), categories=GRADES, ordered=True
            ),
            "flag": pd.Series(rng.random(n_rows) < 0.3, dtype="boolean"),
            "born": pd.Timestamp("1980-01-01")
            + pd.to_timedelta(rng.integers(0, 9000, n_rows), unit="D"),
            "job": rng.choice(list("ABCD"), n_rows),
            "note": rng.normal(size=n_rows),
        }
    )
    for name in KNOWN if missing else []:
        frame[name] = frame[name].mask(rng.random(n_rows) < missing)
    return frame


def _parts(label):
    """Pieces of a label: single values, ends of a range, members of a set."""
    if label[:1] not in "[{":
        return [json.loads(label) if label.startswith('"') else label]
    decoder, pieces, at, end = json.JSONDecoder(), [], 1, len(label) - 1
    while at < end:
        if label[at] == '"':
            piece, at = decoder.raw_decode(label, at)
        else:
            stop = label.find(", ", at, end)
            stop = end if stop < 0 else stop
            piece, at = label[at:stop], stop
        pieces.append(piece)
        at += 2
    return pieces


def covers(name, label, cell):
    """Whether a published label of column ``name`` may stand for ``cell``."""
    if pd.isna(label):
        return pd.isna(cell)
    open_to_missing = label.endswith(" or missing")
    if pd.isna(cell):
        return open_to_missing
    text = label.removesuffix(" or missing")
    parts = _parts(text)
    if name == "land":
        return text in next(row for row in LANDS if row[0] == cell)
    if name in {"sex", "flag"}:
        return str(cell) in parts
    low, high = parts[0], parts[-1]
    if name == "grade":
        return GRADES.index(low) <= GRADES.index(cell) <= GRADES.index(high)
    if name == "born":
        return low <= cell.strftime("%Y-%m-%d") <= high
    return float(low) <= cell <= float(high)


def loss_share(name, label, column):
    """Share of the domain that a label covers, for a column without missing cells."""
    parts = _parts(label)
    if name == "land":
        under = sum(label in row for row in LANDS)
        return (under - 1) / (len(LANDS) - 1)
    if name in {"sex", "flag"}:
        return (len(parts) - 1) / (column.nunique() - 1)
    if name == "grade":
        order = [grade for grade in GRADES if grade in set(column)]
        return (order.index(parts[-1]) - order.index(parts[0])) / (len(order) - 1)
    if name == "born":
        low, high = pd.Timestamp(parts[0]), pd.Timestamp(parts[-1])
        return (high - low) / (column.max() - column.min())
    return (float(parts[-1]) - float(parts[0])) / float(column.max() - column.min())


class Oracle:
    """What the tests of this folder share."""

    known = KNOWN
    hierarchies = {"land": Hierarchy(LANDS)}  # noqa: RUF012 - read only
    people = staticmethod(make_people)
    covers = staticmethod(covers)
    loss_share = staticmethod(loss_share)


@pytest.fixture(scope="session")
def oracle():
    return Oracle

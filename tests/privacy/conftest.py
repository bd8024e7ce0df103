"""Tables with sensitive columns, their evidence, and slow ways to count them."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, distribution
from anon_transformers.hierarchies import Hierarchy

TREE = Hierarchy.from_groups({"low": ["a", "b"], "high": {"top": ["c"], "end": ["d"]}})


@st.composite
def tables(draw, values=("a", "b", "c", "d", None), min_rows=1, max_rows=24):
    """Rows of a class, two sensitive values, and as many persons of a population."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 3),
                st.sampled_from(values),
                st.sampled_from(["x", "y", None]),
            ),
            min_size=min_rows,
            max_size=max_rows,
        )
    )
    frame = pd.DataFrame(rows, columns=["q", "s", "u"])
    frame = frame.astype({"s": object, "u": object})
    index = draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    return frame.set_axis(index, axis=0)


def evidence(frame, sensitive=("s",), lost=(), population=None):
    """Classes of a published frame; ``lost`` are rows of the input beside it."""
    references = {
        name: distribution(pd.concat([frame[name], pd.Series(lost, dtype=object)]))
        for name in sensitive
    }
    trees = {"s": TREE} if "s" in sensitive else None
    return Classes.from_frame(
        frame,
        ["q"],
        list(sensitive),
        references=references,
        hierarchies=trees,
        population=population,
    )


def ranked(frame):
    """The same rows where the order of the alphabet is stated."""
    letters = {"s": list("abcd"), "u": list("xy")}
    return frame.assign(
        **{
            name: pd.Categorical(frame[name], letters[name], ordered=True)
            for name in letters.keys() & set(frame)
        }
    )


def class_counts(frame, sensitive="s", known=("q",)):
    """A Counter of values (None: missing) for each class, by first appearance."""
    found = defaultdict(Counter)
    for row in range(len(frame)):
        key = tuple(_plain(frame[name].iloc[row]) for name in known)
        found[key][_plain(frame[sensitive].iloc[row])] += 1
    return dict(found)


def _plain(cell):
    return None if pd.isna(cell) else cell


class Tools:
    tables = staticmethod(tables)
    evidence = staticmethod(evidence)
    ranked = staticmethod(ranked)
    class_counts = staticmethod(class_counts)
    tree = TREE


@pytest.fixture(scope="session")
def tools():
    return Tools


@pytest.fixture(scope="session")
def table_of():
    """A frame of classes given as texts: one letter a row, a dot for a missing one."""

    def build(*classes):
        rows = [(q, None if s == "." else s) for q, c in enumerate(classes) for s in c]
        return pd.DataFrame(rows, columns=["q", "s"]).astype({"s": object})

    return build


@pytest.fixture(scope="session")
def merges():
    """Random ways to join the classes of some evidence."""

    def draw(data, classes):
        n_groups = data.draw(st.integers(1, classes.n_classes))
        into = data.draw(
            st.lists(
                st.integers(0, n_groups - 1),
                min_size=classes.n_classes,
                max_size=classes.n_classes,
            )
        )
        return np.array(into), n_groups

    return draw

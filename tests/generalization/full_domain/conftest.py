"""A slow search that looks at every node, and what tests draw."""

import itertools
import math
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer, Hierarchy
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)

ZIP = Hierarchy(
    [
        (f"{i}", f"{i // 2 * 2}x", "low" if i < 4 else "high", "*")  # eight codes
        for i in range(8)
    ]
)
JOB = Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
SEX = Hierarchy([("f", "*"), ("m", "*")])
TREES = {"zip": ZIP, "job": JOB, "sex": SEX}
NAMES = list(TREES)
TOP = tuple(tree.n_levels - 1 for tree in TREES.values())
rows = st.lists(
    st.tuples(
        st.sampled_from([*"01234567", None]),
        st.sampled_from("abc"),
        st.sampled_from("fm"),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=24,
)


def frame_of(drawn):
    return pd.DataFrame(drawn, columns=[*NAMES, "ill"], dtype=object)


STRANGE = "strange"
"""Label of a value that a hierarchy does not have."""


def labels_at(frame, node):
    """Each column at its level, cell by cell; a missing one is None below the root."""
    out = {}
    for name, level in zip(NAMES, node, strict=True):
        tree = TREES[name]
        up = {row[0]: row[level] for row in tree.rows}
        root = level == tree.n_levels - 1
        out[name] = [
            up.get(v, STRANGE) if v is not None else ("*" if root else None)
            for v in frame[name]
        ]
    return out


def share_of(name, label, level):
    tree = TREES[name]
    if label is None:
        return 0.0
    below = sum(row[level] == label for row in tree.rows)
    return (below - 1) / (len(tree.rows) - 1)


def passes(model, values, everything):
    """One class by one model, by the definitions."""
    counts = sorted((values.count(v) for v in set(values)), reverse=True)
    if isinstance(model, DistinctLDiversity):
        return len(counts) >= model.l
    shares = [c / len(values) for c in counts]
    if isinstance(model, EntropyLDiversity):
        return -sum(p * math.log(p) for p in shares) >= math.log(model.l) - 1e-9
    if isinstance(model, RecursiveCLDiversity):
        return counts[0] < model.c * sum(counts[model.l - 1 :])
    assert isinstance(model, TCloseness)
    apart = sum(
        abs(values.count(v) / len(values) - everything.count(v) / len(everything))
        for v in set(everything)
    )
    return apart / 2 <= model.t + 1e-9


def slow_node(frame, node, k, models, loss, weights=(1, 1, 1), mask=False):
    """Loss, suppressed rows and kept classes of one node."""
    labels, n = labels_at(frame, node), len(frame)
    kept = slow_classes(frame, labels, k, models)
    gone = n - sum(map(len, kept.values()))
    while mask and kept and 0 < gone < k:
        # The suppressed rows are a class too: the smallest one joins them.
        least = min(kept, key=lambda key: (len(kept[key]), [str(x) for x in key[::-1]]))
        gone += len(kept.pop(least))
    if loss == "discernibility":
        total = sum(len(m) ** 2 for m in kept.values()) + gone * n
        return total / n**2, gone, kept
    if loss == "average-class-size":
        return 1 / max(len(kept) + (gone > 0), 1), gone, kept
    means = slow_means(frame, node, labels, kept, loss)
    shares = [weight / sum(weights) for weight in weights]
    if loss == "domain-share":
        joined = math.prod((1 + m) ** w for m, w in zip(means, shares, strict=True)) - 1
        return joined, gone, kept
    return sum(m * w for m, w in zip(means, shares, strict=True)), gone, kept


def slow_classes(frame, labels, k, models):
    """Rows of every class that may be published, by its labels."""
    classes = {}
    for row, key in enumerate(zip(*labels.values(), strict=True)):
        classes.setdefault(key, []).append(row)
    ill = frame["ill"].tolist()
    return {
        key: members
        for key, members in classes.items()
        if len(members) >= k
        and STRANGE not in key
        and all(passes(m, [ill[r] for r in members], ill) for m in models)
    }


def slow_means(frame, node, labels, kept, loss):
    """Mean cost of a cell of each column; a suppressed one costs 1."""
    n, shown = len(frame), {row for members in kept.values() for row in members}
    means = []
    for a, name in enumerate(NAMES):
        if loss == "entropy":
            most = sum(_bits(frame, name, None, None, r) for r in range(n))
            hidden = sum(
                _bits(frame, name, labels[name], labels[name][r], r)
                if r in shown
                else _bits(frame, name, None, None, r)
                for r in range(n)
            )
            means.append(hidden / most if most else 1 - len(shown) / n)
            continue
        cost = n - len(shown)
        for key, members in kept.items():
            cost += sum(_cost(frame, name, key[a], node[a], r, loss) for r in members)
        means.append(cost / n)
    return means


def _cost(frame, name, label, level, row, loss):
    if loss == "precision":
        return 0.0 if label is None else level / (TREES[name].n_levels - 1)
    return share_of(name, label, level) if loss == "domain-share" else 0.0


def _bits(frame, name, column, label, row):
    """Bits that the label of a row hides; without one, all of them."""
    cells = frame[name].tolist()
    mine = cells.count(cells[row])
    others = len(cells) if column is None else column.count(label)
    return math.log2(others / mine)


def slow_search(frame, k, models, limit, loss, *, marks=False, **options):
    """Rank and node of every one that fits, best first, by looking at all.

    A table of nothing but ``marks`` is no result, though it fits by definition.
    """
    found = []
    for node in itertools.product(*(range(t.n_levels) for t in TREES.values())):
        cost, gone, kept = slow_node(frame, node, k, models, loss, **options)
        if node == TOP and not marks:
            continue
        if kept and gone / len(frame) <= limit:
            found.append((round(cost, 9), gone, sum(node), node))
    return sorted(found)


def lowest(nodes):
    """Those that no other one lies below."""
    return {
        node
        for node in nodes
        if not any(
            other != node and all(o <= n for o, n in zip(other, node, strict=True))
            for other in nodes
        )
    }


def anonymizer(**options):
    defaults = {"hierarchies": TREES, "sensitive": ["ill"], "suppression": "drop"}
    return FullDomainAnonymizer(NAMES, **{**defaults, **options})


model_lists = st.sampled_from(
    [
        [],
        [DistinctLDiversity(2)],
        [EntropyLDiversity(1.5)],
        [RecursiveCLDiversity(c=2.0, l=2)],
        [TCloseness(0.4)],
    ]
)
losses = st.sampled_from(
    ["domain-share", "precision", "entropy", "discernibility", "average-class-size"]
)
limits = st.sampled_from([0.0, 0.2, 0.5, 1.0])


@pytest.fixture(scope="session")
def slow():
    """The slow search and what belongs to it."""
    return SimpleNamespace(
        trees=TREES,
        names=NAMES,
        top=TOP,
        frame_of=frame_of,
        search=slow_search,
        lowest=lowest,
        anonymizer=anonymizer,
    )


@pytest.fixture(scope="session")
def draws():
    """Strategies of tables and requests."""
    return SimpleNamespace(
        rows=rows,
        models=model_lists,
        losses=losses,
        limits=limits,
        ks=st.integers(1, 5),
    )

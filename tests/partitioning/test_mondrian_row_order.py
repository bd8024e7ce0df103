"""Mondrian: neither the order of the rows nor their index shows in the output."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import InfeasibleError
from anon_transformers.partitioning import MondrianAnonymizer

cells = st.one_of(st.none(), st.integers(0, 3))
people = st.lists(
    st.tuples(cells, cells, st.sampled_from("abc"), st.integers(0, 6)),
    min_size=1,
    max_size=40,
)
KNOWN, ALL = ["x", "y"], ["x", "y", "job", "who"]
strict_options = st.fixed_dictionaries(
    {
        "output": st.sampled_from(["interval", "center"]),
        "boxes": st.sampled_from(["tight", "cuts"]),
        "tie_side": st.sampled_from(["left", "both"]),
        "on_failed_cut": st.sampled_from(["next_attribute", "stop"]),
    }
)
relaxed_options = st.fixed_dictionaries(
    {
        "mode": st.just("relaxed"),
        "duplicates": st.just("ignore"),
        "output": st.sampled_from(["interval", "center"]),
        "n_jobs": st.sampled_from([1, 2]),
    }
)


def make_table(rows):
    table = pd.DataFrame(rows, columns=ALL)
    # Thirds have no exact double: a sum of them shows its order.
    table["y"] = pd.to_numeric(table["y"]).astype(float) / 3
    return table.assign(
        x=pd.to_numeric(table["x"]).astype(float), who=table["who"].astype(str)
    )


def publish(table, k, asked, model, **options):
    """The published table, or None where the promise cannot be kept."""
    done = MondrianAnonymizer(
        KNOWN,
        k=k,
        sensitive=["job"],
        subject="who" if "subject" in asked else None,
        identifiers=None if "subject" in asked else ["who"],
        models=[model(2)] if "model" in asked else None,
        **options,
    )
    try:
        return done.fit_transform(table)
    except InfeasibleError:
        return None


def shuffled(table, seed):
    """The same rows in another order, under another index; and that order."""
    order = np.random.default_rng(seed).permutation(len(table))
    names = [f"row {at}" for at in order]
    return table.iloc[order].set_axis(names, axis=0), order


asked = st.sets(st.sampled_from(["subject", "model"]))
ks = st.integers(1, 4)
pytestmark = pytest.mark.filterwarnings(
    "ignore::anon_transformers.exceptions.RepeatedIdentifierWarning"
)
seeds = st.integers(0, 999)


@given(rows=people, k=ks, asked=asked, options=strict_options, seed=seeds)
def test_strict_cuts_publish_a_row_the_same_wherever_it_stands(
    distinct_values, rows, k, asked, options, seed
):
    table = make_table(rows)
    other, order = shuffled(table, seed)
    one = publish(table, k, asked, distinct_values, **options)
    two = publish(other, k, asked, distinct_values, **options)
    if one is None:
        assert two is None
        return
    pd.testing.assert_frame_equal(
        one.iloc[order].reset_index(drop=True), two, check_exact=True
    )


@given(rows=people, k=ks, options=relaxed_options, seed=seeds)
def test_relaxed_cuts_draw_the_same_boxes_in_another_order(
    distinct_values, rows, k, options, seed
):
    table = make_table(rows)
    other, order = shuffled(table, seed)
    one = publish(table, k, (), distinct_values, **options)
    two = publish(other, k, (), distinct_values, **options)
    if one is None:
        assert two is None
        return
    # Chance decides which of several equal rows gets which of their boxes.
    found = [
        Counter(zip(*(t[name].astype(str) for name in KNOWN), *known, strict=True))
        for t, rows_ in ((one, table), (two, other))
        for known in [[rows_[name].astype(str) for name in KNOWN]]
    ]
    assert found[0] == found[1]
    same = table.duplicated(KNOWN, keep=False).to_numpy()
    for at, was in enumerate(order):
        if not same[was]:
            assert one.iloc[was].astype(str).equals(two.iloc[at].astype(str))


def test_the_sizes_of_relaxed_classes_do_not_depend_on_the_order(class_sizes_of):
    rows = [[1, 1], [0, 0], [2, 0], [1, 1], [2, 1], [0, 2], [2, 0], [1, 0], [2, 0],
            [0, 0], [0, 0], [0, 2], [0, 0]]  # fmt: skip
    order = [4, 8, 9, 11, 7, 6, 5, 1, 10, 12, 2, 3, 0]
    sizes = []
    for table in (pd.DataFrame(rows), pd.DataFrame(rows).iloc[order]):
        done = MondrianAnonymizer(k=2, mode="relaxed", duplicates="ignore")
        found = class_sizes_of(done.fit_transform(table), [0, 1])
        sizes.append(sorted(found.values()))
    assert sizes[0] == sizes[1]


@given(rows=people, k=ks, mode=st.sampled_from(["strict", "relaxed"]), seed=seeds)
def test_untouched_columns_stay_with_their_rows(rows, k, mode, seed):
    table = make_table(rows)
    if len(table) < k:
        return
    noise = np.random.default_rng(seed).normal(size=len(table))
    table = table.assign(note=noise).set_axis(range(7, 7 + len(table)), axis=0)
    out = MondrianAnonymizer(
        KNOWN, k=k, mode=mode, duplicates="ignore", sensitive=["job"]
    ).fit_transform(table)
    assert isinstance(out.index, pd.RangeIndex)
    assert out["note"].to_numpy().tobytes() == noise.tobytes()
    for name in ("job", "who"):
        assert out[name].tolist() == table[name].tolist()


@given(seed=seeds, mode=st.sampled_from(["strict", "relaxed"]))
def test_a_mean_does_not_show_in_which_order_it_was_summed(seed, mode):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.normal(size=20).round(3), "y": rng.normal(size=20)})
    other, order = shuffled(table, seed + 1)
    one, two = (
        MondrianAnonymizer(k=5, mode=mode, output="center").fit_transform(rows)
        for rows in (table, other)
    )
    assert one.iloc[order].to_numpy().tolist() == two.to_numpy().tolist()

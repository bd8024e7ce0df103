"""Tables on which a search once went wrong."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers import FullDomainAnonymizer, Hierarchy
from anon_transformers.privacy import DistinctLDiversity, TCloseness


def test_rows_that_cannot_be_coded_are_bounded_once(slow):
    rng = np.random.default_rng(7)
    n_rows = int(rng.integers(8, 30))
    zips = rng.choice([*"01234567", "zz"], n_rows, p=[0.1] * 8 + [0.2])
    frame = pd.DataFrame({"zip": zips, "job": rng.choice([*"abc"], n_rows)})
    trees = {
        name: Hierarchy(slow.trees[name].rows, unknown="suppress") for name in frame
    }
    options = {"hierarchies": trees, "suppression_limit": 1.0, "suppression": "drop"}
    found = FullDomainAnonymizer(k=3, **options).fit(frame)
    better = FullDomainAnonymizer(k=3, **options, levels={"zip": 2}).fit(frame)
    assert found.loss_ <= better.loss_
    assert found.loss_ == pytest.approx(
        FullDomainAnonymizer(**options).frontier(frame).at(3)["loss"]
    )


@pytest.mark.parametrize(
    ("rows", "model", "limit", "loss"),
    [
        (
            "0afu 0afv 0afu 0amu 0bfv 0cfu 2afv 2bmw 3cmv 6afu 7afv 4amv 4amv 4bmw "
            "0afu",
            TCloseness(0.4), 0.5, "precision",
        ),
        ("0afu 0afv 0afw 0amu 0bfv 0cfu 2afv", DistinctLDiversity(2), 0.2, "entropy"),
    ],
    ids=["suppressed rows", "levels"],
)  # fmt: skip
def test_losses_that_differ_by_rounding_are_equal(slow, rows, model, limit, loss):
    frame = slow.frame_of([tuple(row) for row in rows.split()])
    cost, gone, height, node = slow.search(frame, 2, [model], limit, loss)[0]
    made = slow.anonymizer(k=2, models=[model], suppression_limit=limit, loss=loss)
    made.fit(frame)
    assert made.loss_ == pytest.approx(cost)
    assert (made.n_suppressed_, sum(made.levels_.values())) == (gone, height)
    assert tuple(made.levels_.values()) == node


@pytest.mark.parametrize("search", ["samarati", "incognito"])
def test_minimal_nodes_that_cannot_be_masked_are_not_the_end(slow, search):
    frame = pd.DataFrame({"job": list("aaaaabbbbbc"), "zip": "0"})
    made = FullDomainAnonymizer(
        k=3,
        hierarchies={name: slow.trees[name] for name in frame},
        suppression_limit=0.1,
        search=search,
    ).fit(frame)
    assert made.levels_ == {"job": 2, "zip": 0}

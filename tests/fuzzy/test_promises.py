"""Fuzzy promises hold for what readers see, too."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.fuzzy import FuzzyCMeansRecoder, FuzzyPartitionRecoder
from anon_transformers.privacy import (
    DistinctLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    QAnonymity,
)


def table(ages, ill):
    return pd.DataFrame({"age": ages, "ill": list(ill)})


def drawn(n_sets, models, **params):
    return FuzzyPartitionRecoder(
        ["age"], n_sets=n_sets, k=5, models=models, sensitive=["ill"], **params
    )


MASKED = table(
    [0] * 10 + [50] * 3 + [100] * 10 + [150] * 3, "xy" * 5 + "zzz" + "xy" * 5 + "zzz"
)


@pytest.mark.parametrize("suppression", ["mask", "blank"])
def test_suppressed_rows_are_a_class_like_any_other(suppression):
    recoder = drawn(
        4,
        [QAnonymity(5), FuzzyLDiversity(2)],
        suppression_limit=0.5,
        suppression=suppression,
    )
    with pytest.raises(InfeasibleError, match="fuzzy-l-diversity"):
        recoder.fit_transform(MASKED)


def test_rows_that_are_dropped_are_no_class():
    recoder = drawn(4, [FuzzyLDiversity(2)], suppression_limit=0.5, suppression="drop")
    published = recoder.fit_transform(MASKED)
    assert len(published) == 20
    assert published.groupby("age")["ill"].nunique().min() == 2


def test_a_row_between_two_sets_makes_only_one_of_them_diverse():
    ties = table([0] * 5 + [5] * 2 + [10] * 5, "xyxyx" + "ww" + "zzzzz")
    with pytest.raises(InfeasibleError, match="fuzzy-l-diversity"):
        drawn(2, [FuzzyLDiversity(2)]).fit_transform(ties)


@pytest.mark.parametrize(
    "model",
    [
        FuzzyLDiversity(2, cardinality="sigma"),
        FuzzyTCloseness(0.45, cardinality="sigma"),
    ],
)
def test_many_small_degrees_represent_nothing(model):
    apart = table([*range(60), *range(200, 260)], "x" * 60 + "y" * 60)
    recoder = FuzzyCMeansRecoder(
        ["age"], n_sets=2, m=3, k=5, models=[model], sensitive=["ill"], random_state=0
    )
    with pytest.raises(InfeasibleError, match=model.name):
        recoder.fit_transform(apart)


@pytest.mark.parametrize(
    "model",
    [QAnonymity(30, aggregation="mean"), FuzzyTCloseness(0.9, reduce="min")],
)
def test_readings_of_the_source_are_no_promise(model):
    with pytest.raises(ParameterError, match="for published numbers"):
        drawn(2, [model]).fit_transform(table(range(40), "xy" * 20))


def test_persons_are_not_counted_by_degrees():
    frame = table(range(40), "xy" * 20).assign(who=np.arange(40) % 7)
    with pytest.raises(ParameterError, match="counts rows"):
        drawn(2, [QAnonymity(5)], subject="who").fit_transform(frame)


@pytest.mark.parametrize("seed", range(20))
def test_grouped_lists_keep_what_was_promised_of_the_labels(seed):
    rng = np.random.default_rng(seed)
    frame = table(rng.integers(0, 40, 60), rng.choice(list("xyz"), 60))
    recoder = FuzzyCMeansRecoder(
        ["age"],
        n_sets=3,
        m=3,
        k=3,
        models=[DistinctLDiversity(3)],
        sensitive=["ill"],
        random_state=seed,
    )
    try:
        recoder.fit(frame)
    except InfeasibleError:
        return
    assert recoder.publish_grouped(frame)["ill"].map(len).min() >= 3


def test_the_name_of_incomplete_rows_is_taken():
    frame = table(range(40), "xy" * 20)
    with pytest.raises(ParameterError, match="rows without a value"):
        drawn(2, [], labels=["missing", "High"]).fit_transform(frame)


def test_sets_that_did_not_come_to_rest_are_told():
    frame = table([*range(20), *range(50, 70)], "xy" * 20)
    recoder = FuzzyCMeansRecoder(["age"], n_sets=2, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        recoder.fit(frame)

"""What all recoders have in common: promises, missing values, private evidence."""

import pickle

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.columns import encode
from anon_transformers.base import TableAnonymizer
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.fuzzy import (
    FuzzyCMeansRecoder,
    FuzzyPartitionRecoder,
    GlobalRecoder,
    GustafsonKesselRecoder,
    KMeansRecoder,
    grouped_table,
)
from anon_transformers.fuzzy._coding import MOST_DEGREES
from anon_transformers.fuzzy._naming import ordered_names
from anon_transformers.fuzzy._scaling import ScaledAxis
from anon_transformers.privacy import (
    DistinctLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    QAnonymity,
)
from anon_transformers.registry import registry

CLASSES = {
    "k-means": KMeansRecoder,
    "global-recode": GlobalRecoder,
    "fuzzy-c-means": FuzzyCMeansRecoder,
    "gustafson-kessel": GustafsonKesselRecoder,
    "fuzzy-partition": FuzzyPartitionRecoder,
}
every = pytest.mark.parametrize("cls", CLASSES.values(), ids=list(CLASSES))
jointly = pytest.mark.parametrize(
    "cls", [KMeansRecoder, FuzzyCMeansRecoder, GustafsonKesselRecoder]
)


def make(cls, *args, **params):
    seeded = "random_state" in cls().get_params()
    return cls(*args, **({"random_state": 0} if seeded else {}), **params)


@pytest.fixture
def people():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 90).astype(float),
            "pay": rng.normal(3000, 800, 90).round(),
            "ill": rng.choice(list("abcd"), 90),
        }
    )


def test_they_are_registered():
    for name, cls in CLASSES.items():
        assert registry().anonymizers[name] is cls
        assert cls.model_evidence == ("classes", "memberships")
    assert TableAnonymizer.model_evidence == ("classes",)


@every
def test_crisp_and_fuzzy_promises_are_kept_and_told(cls, people):
    models = [QAnonymity(5), DistinctLDiversity(3), FuzzyLDiversity(2)]
    recoder = make(cls, ["age"], sensitive=["ill"], k=8, models=models, max_sets=5)
    published = recoder.fit_transform(people[["age", "ill"]])
    assert published.groupby("age").size().min() >= 8
    assert published.groupby("age")["ill"].nunique().min() >= 3
    found = [verdict["model"] for verdict in recoder.report_.models]
    assert found == [
        "k-anonymity",
        "distinct-l-diversity",
        "q-anonymity",
        "fuzzy-l-diversity",
    ]
    assert all(verdict["passed"] for verdict in recoder.report_.models)


@every
def test_a_fuzzy_promise_that_breaks_is_infeasible(cls, people):
    recoder = make(cls, ["age"], n_sets=4, k=1, models=[QAnonymity(60)])
    with pytest.raises(
        InfeasibleError, match=r"n_sets=\{'age': 4\}.*q-anonymity.*level"
    ):
        recoder.fit(people[["age"]])


def test_crisp_degrees_are_judged_as_classes(people):
    # Properties 21 and 24: with 0 and 1, fuzzy levels are the crisp ones.
    models = [QAnonymity(1), FuzzyLDiversity(1), DistinctLDiversity(1)]
    recoder = GlobalRecoder(
        ["age", "pay"], n_sets=2, sensitive=["ill"], k=2, models=models
    ).fit(people)
    levels = {m["model"]: m["level"] for m in recoder.report_.models}
    assert levels["q-anonymity"] == levels["k-anonymity"]
    assert levels["fuzzy-l-diversity"] == levels["distinct-l-diversity"]


def test_degrees_are_judged_without_suppressed_rows(people):
    # One row far away has a set of its own, and is suppressed.
    table = pd.concat(
        [people, pd.DataFrame({"age": [900.0], "pay": [3000.0], "ill": ["z"]})],
        ignore_index=True,
    )
    recoder = KMeansRecoder(
        ["age"],
        n_sets=3,
        sensitive=["ill"],
        k=5,
        models=[QAnonymity(5), FuzzyTCloseness(1.0)],
        suppression="drop",
        suppression_limit=0.05,
        random_state=0,
        keep_memberships=True,
    )
    published = recoder.fit_transform(table[["age", "ill"]])
    assert len(published) == 90
    assert recoder.degrees_.shape == (91, 3)
    assert "z" not in set(published["ill"])


@every
def test_a_missing_value_is_a_set_of_its_own(cls, people):
    table = people.assign(age=people["age"].mask(np.arange(90) < 9))
    recoder = make(cls, ["age"], n_sets=2, k=5, keep_memberships=True)
    published = recoder.fit_transform(table[["age"]])
    assert published["age"].isna().tolist() == table["age"].isna().tolist()
    assert recoder.degrees_.shape == (90, 3)
    assert recoder.degrees_[:9].tolist() == [[0, 0, 1]] * 9
    assert not recoder.degrees_[9:, 2].any()
    assert recoder.class_names_[2] == (None,)


@jointly
def test_rows_with_a_gap_are_one_joint_set(cls, people):
    table = people[["age", "pay"]].copy()
    table.loc[:3, "age"] = np.nan
    table.loc[4:6, "pay"] = np.nan
    recoder = make(cls, n_sets=2, coding="joint", k=5, keep_memberships=True)
    published = recoder.fit_transform(table)
    assert (published["age"] == published["pay"]).all()
    assert published["age"].tolist()[:7] == ["missing"] * 7
    assert (published["age"][7:] != "missing").all()
    assert recoder.class_names_[-1] == ("missing", "missing")
    assert recoder.degrees_[:7, -1].tolist() == [1] * 7


@jointly
def test_joint_sets_need_a_row_without_gaps(cls):
    table = pd.DataFrame({"x": [1.0, None] * 3, "y": [None, 2.0] * 3})
    with pytest.raises(DataError, match="each of 6 rows lacks one"):
        make(cls, coding="joint", k=1).fit(table)


@every
def test_nothing_private_is_kept_unless_asked_for(cls, people):
    recoder = make(cls, ["age"], n_sets=3, k=2).fit(people[["age"]])
    for name in ("degrees_", "class_names_", "centers_", "norms_"):
        assert not hasattr(recoder, name)
    held = pickle.dumps(recoder)
    kept = make(cls, ["age"], n_sets=3, k=2, keep_memberships=True)
    kept.fit(people[["age"]])
    assert len(pickle.dumps(kept)) - len(held) > kept.degrees_.nbytes / 2
    kept.set_params(keep_memberships=False).fit(people[["age"]])
    assert not hasattr(kept, "degrees_")


def test_a_fit_that_fails_leaves_nothing(people):
    recoder = make(KMeansRecoder, ["age"], n_sets=3, k=2, keep_memberships=True)
    recoder.fit(people[["age"]])
    with pytest.raises(InfeasibleError):
        recoder.set_params(k=80).fit(people[["age"]])
    assert not hasattr(recoder, "report_")
    assert not hasattr(recoder, "degrees_")


@every
def test_names_of_ones_own(cls, people):
    names = {"age": ["young", "old"]}
    recoder = make(cls, ["age"], labels=names, k=2)
    found = recoder.fit_transform(people[["age"]])["age"]
    assert set(found) == {"young", "old"}
    low, high = (people["age"][found == name] for name in names["age"])
    assert low.max() < high.min()


def test_names_must_fit(people):
    with pytest.raises(DataError, match="3 sets are named for column 'x', which has 2"):
        GlobalRecoder(labels=["a", "b", "c"], k=1).fit(pd.DataFrame({"x": [1, 2]}))
    with pytest.raises(ParameterError, match="labels: unknown column 'z'"):
        GlobalRecoder(["age"], labels={"z": ["a", "b"]}).fit(people[["age"]])
    with pytest.raises(DataError, match="suppression label"):
        GlobalRecoder(["age"], labels=["*", "b"]).fit(people[["age"]])


def test_default_names():
    for n_sets in range(1, 13):
        assert len(set(ordered_names(n_sets))) == n_sets
    assert ordered_names(8)[7] == "set 8"


@pytest.mark.parametrize("cls", list(CLASSES.values())[:4])
def test_columns_of_other_kinds_are_refused(cls, people):
    for column in (
        people["ill"],
        people["ill"].astype(pd.CategoricalDtype(list("abcd"), ordered=True)),
        people["age"] > 40,
    ):
        table = pd.DataFrame({"odd": column})
        with pytest.raises(DataError, match=r"column 'odd' holds .*categories"):
            make(cls).fit(table)


@every
def test_objects_are_refused_by_type(cls):
    table = pd.DataFrame({"odd": [{"a": 1}, "x", "y"]}, dtype=object)
    with pytest.raises(TypeError, match=r"'odd'.* in 1 rows"):
        make(cls, k=1).fit(table)


@every
@pytest.mark.parametrize(
    "values", [[3.0] * 6, [1.0, 2.0] * 3, [None] * 6], ids=["constant", "two", "none"]
)
def test_fewer_values_than_sets(cls, values):
    table = pd.DataFrame({"x": values, "y": [1, 2, 3, 4, 5, 6]}, dtype=float)
    recoder = make(cls, n_sets={"x": 4, "y": 2}, k=1)
    published = recoder.fit_transform(table)
    distinct = table["x"].nunique()
    assert published["x"].nunique() == distinct
    assert recoder.report_.details["n_sets"] == {"x": max(distinct, 1), "y": 2}
    assert published.equals(recoder.transform(table))


@every
def test_a_table_of_equal_rows(cls):
    table = pd.DataFrame({"x": [4.0] * 5})
    assert make(cls, k=5).fit_transform(table)["x"].nunique() == 1


@jointly
def test_numbers_too_large_for_distances(cls):
    table = pd.DataFrame({"x": [1e150, 1.0, 2.0]})
    with pytest.raises(DataError, match="column 'x' holds numbers beyond"):
        make(cls, k=1).fit(table)


def test_axes_count_without_a_wrong_digit():
    first = 2**62
    axis = ScaledAxis.of(encode(pd.Series([first, first + 8])), "range")
    assert axis.place_values(np.array([first + 2, first - 8])).tolist() == [0.25, -1.0]
    assert axis.back(np.array([0.5])).tolist() == [first + 4]
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-05"]))
    assert ScaledAxis.of(encode(days), None).place_values(days.to_numpy()).tolist() == [
        0,
        4,
    ]


@every
def test_a_batch_is_judged_by_its_labels(cls, people):
    recoder = make(cls, ["age"], n_sets=2, k=5)
    published = recoder.fit_transform(people[["age"]])
    assert [verdict.passed for verdict in recoder.check(published)] == [True]
    recoder = make(cls, ["age"], n_sets=2, k=5, models=[QAnonymity(2)])
    published = recoder.fit_transform(people[["age"]])
    with pytest.raises(NotEvaluable, match="q-anonymity judges degrees"):
        recoder.check(published)


def test_too_many_product_classes():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 8)), columns=list("abcdefgh"))
    recoder = GlobalRecoder(n_sets=12, k=1, keep_memberships=True)
    assert MOST_DEGREES < 40 * 12**8
    with pytest.raises(DataError, match="product classes, too many"):
        recoder.fit(table)


def test_grouped_table_lists_values_at_one_half():
    rows = Memberships.from_frame(
        [[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [1.0, 0.0, 0.0]],
        pd.DataFrame({"ill": ["flu", "cold", None]}),
        ["ill"],
    )
    names = [("Low", "a"), ("High", "a"), ("High", "b")]
    found = grouped_table(rows, names, ["age", "town"])
    assert found.to_dict("list") == {
        "age": ["Low", "High"],
        "town": ["a", "a"],
        "ill": [["flu"], ["cold", "flu"]],
    }
    with pytest.raises(ParameterError, match="2 names for 3 sets"):
        grouped_table(rows, names[:2], ["age", "town"])


@every
def test_grouped_publication(cls, people):
    recoder = make(cls, ["age"], n_sets=3, k=5, sensitive=["ill"])
    rows = recoder.fit_transform(people[["age", "ill"]])
    grouped = recoder.publish_grouped(people[["age", "ill"]])
    assert list(grouped.columns) == ["age", "ill"]
    assert set(grouped["age"]) == set(rows["age"])
    for label, listed in zip(grouped["age"], grouped["ill"], strict=True):
        # At one half a row belongs to no other set by more.
        assert set(listed) <= set(rows["ill"][rows["age"] == label])

"""MDAV: groups, centers, promises, and the numbers it must match."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import MDAVAnonymizer
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    judge,
)

LANDS = [
    ("at", "alps", "*"),
    ("ch", "alps", "*"),
    ("es", "iberia", "*"),
    ("pt", "iberia", "*"),
    ("fr", "france", "*"),
]
GRADES = ["low", "mid", "high", "top"]
KNOWN = ["age", "pay", "sex", "land", "grade", "flag", "born"]
EIA = ["UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH"]
FILES = {
    "census_13": ("casc_census.csv", []),
    "tarragona_13": ("casc_tarragona.csv", []),
    "eia_10": ("casc_eia.csv", EIA),
    "eia_11_UTILITYID_plus_10": ("casc_eia.csv", EIA[1:]),
}


def make_people(seed, n_rows, missing=0.0):
    """Random people with every kind of column."""
    rng = np.random.default_rng(seed)
    days = pd.to_timedelta(rng.integers(0, 9000, n_rows), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 60, n_rows),
            "pay": rng.normal(0, 1000, n_rows).round(1),
            "sex": rng.choice(["f", "m", "x"], n_rows),
            "land": rng.choice([row[0] for row in LANDS], n_rows),
            "grade": pd.Categorical(rng.choice(GRADES, n_rows), GRADES, ordered=True),
            "flag": pd.Series(rng.random(n_rows) < 0.3, dtype="boolean"),
            "born": pd.Timestamp("1980-01-01") + days,
            "job": rng.choice(list("AABBCD"), n_rows),
            "who": rng.integers(0, max(n_rows // 2, 1), n_rows),
        }
    )
    for name in KNOWN if missing else []:
        frame[name] = frame[name].mask(rng.random(n_rows) < missing)
    return frame


@pytest.fixture(scope="module")
def vectors(root):
    path = root / "tests/data/vectors/probabilistic.json"
    stated = json.loads(path.read_text(encoding="utf-8"))
    return {vector["name"]: vector for vector in stated["vectors"]}


@pytest.fixture(scope="module")
def casc(root):
    def read(name):
        file, dropped = FILES[name]
        return pd.read_csv(root / "tests/data" / file).drop(columns=dropped)

    return read


def groups_of(fitted):
    """Rows of each group, in the order of the groups."""
    labels = fitted.labels_
    return [np.flatnonzero(labels == at).tolist() for at in range(labels.max() + 1)]


class TestNumbersOfTheSpecification:
    @pytest.mark.parametrize(
        "name", ["mdav_1d_9_records", "mdav_2d_10_records", "mdav_2d_8_records",
                 "mdav_2d_5_records"]
    )  # fmt: skip
    def test_small_tables(self, vectors, name):
        vector = vectors[name]
        rows = np.array(vector["input"]["X"], dtype=float)
        rows = rows.reshape(len(rows), -1)
        done = MDAVAnonymizer(k=3, standardize=False)
        out = done.fit_transform(rows)
        groups = vector["expected"]["groups_in_order"]
        assert groups_of(done) == groups
        for group in groups:
            np.testing.assert_allclose(
                out[group], [rows[group].mean(axis=0)] * len(group)
            )

    @pytest.mark.parametrize(("standardize", "key"), [(False, "raw"), (True, "zscore")])
    def test_the_scale_decides(self, vectors, standardize, key):
        vector = vectors["mdav_scale_sensitivity"]
        done = MDAVAnonymizer(k=2, standardize=standardize).fit(vector["input"]["X"])
        assert groups_of(done) == vector["expected"][f"groups_{key}"]

    @pytest.mark.parametrize("name", FILES)
    @pytest.mark.parametrize("k", [3, 4, 5, 10])
    def test_the_loss_on_the_reference_files(self, vectors, casc, name, k):
        expected = vectors["mdav_information_loss_benchmark"]["expected"][name][str(k)]
        done = MDAVAnonymizer(k=k).fit(casc(name))
        assert 100 * done.information_loss_ == pytest.approx(expected, abs=1e-6)
        assert done.group_sizes_.min() >= k
        assert done.group_sizes_.max() < 2 * k

    @pytest.mark.parametrize("name", ["census_13", "tarragona_13", "eia_10"])
    def test_refined_groups_lose_less(self, casc, name):
        plain = MDAVAnonymizer(k=3).fit(casc(name))
        refined = MDAVAnonymizer(k=3, refine=True).fit(casc(name))
        assert refined.information_loss_ < plain.information_loss_
        assert refined.group_sizes_.min() >= 3

    def test_the_published_table_v(self, vectors, casc):
        table = casc("eia_10")
        pairs = np.triu_indices(10)  # the zeros of the diagonal with them
        before = np.corrcoef(table.to_numpy(float), rowvar=False)[pairs]
        for k, mean, spread, *_ in vectors["table_V_reproduction"]["expected"]["rows"]:
            out = MDAVAnonymizer(k=int(k), standardize=False).fit_transform(table)
            after = np.corrcoef(out.to_numpy(float), rowvar=False)[pairs]
            away = np.abs(after - before)
            assert away.mean() == pytest.approx(mean, rel=1e-4)
            assert away.std() == pytest.approx(spread, rel=1e-4)


class TestWhatIsPublished:
    def test_a_small_table_of_every_kind(self):
        people = pd.DataFrame(
            {
                "age": [20, 22, 27, 60, 64, 62],
                "score": [1, None, 3, None, None, 5],
                "grade": pd.Categorical(
                    ["low", "mid", "top", "top", "high", "top"], GRADES, ordered=True
                ),
                "sex": ["f", "m", "f", None, None, "m"],
                "born": pd.to_datetime(["2000-01-01", "2000-01-02", "2000-01-06"] * 2),
                "job": list("abcabc"),
            }
        )
        done = MDAVAnonymizer(k=3, sensitive=["job"], standardize=False)
        out = done.fit_transform(people)
        assert sorted(groups_of(done)) == [[0, 1, 2], [3, 4, 5]]
        assert out["age"].tolist() == [23] * 3 + [62] * 3
        assert out["score"][:3].tolist() == [2] * 3
        assert out["score"][3:].isna().all()
        assert out["grade"].tolist() == ["mid"] * 3 + ["top"] * 3
        assert out["sex"].tolist()[:3] == ["f"] * 3
        assert out["sex"][3:].isna().all()
        assert (out["born"] == pd.Timestamp("2000-01-03")).all()
        assert out["job"].tolist() == people["job"].tolist()

    def test_types(self):
        people = make_people(1, 60, 0.1)
        out = MDAVAnonymizer(KNOWN, k=4, sensitive=["job"]).fit_transform(people)
        assert out["age"].dtype == out["pay"].dtype == np.float64
        assert out["born"].dtype == people["born"].dtype
        for name in ("sex", "land", "grade", "flag"):
            assert set(out[name].dropna()) <= set(people[name].dropna().astype(str))
        assert out["job"].equals(people["job"])

    def test_the_mean_of_a_numeric_column_stays(self, casc):
        table = casc("census_13")
        out = MDAVAnonymizer(k=7).fit_transform(table)
        np.testing.assert_allclose(out.mean(), table.mean())
        assert (out.var() < table.var()).all()

    def test_arrays_and_frames_of_other_libraries(self):
        polars = pytest.importorskip("polars")
        people = make_people(2, 80)[["age", "pay", "sex"]]
        out = MDAVAnonymizer(k=3).fit_transform(people)
        as_array = MDAVAnonymizer(k=3).fit_transform(people[["age", "pay"]].to_numpy())
        assert isinstance(as_array, np.ndarray)
        assert as_array.dtype == np.float64
        other = MDAVAnonymizer(k=3).fit_transform(polars.from_pandas(people))
        assert isinstance(other, polars.DataFrame)
        assert other["age"].to_list() == out["age"].tolist()
        assert other["sex"].to_list() == out["sex"].tolist()

    def test_groups_with_one_center_are_one_class(self):
        done = MDAVAnonymizer(k=2)
        out = done.fit_transform(pd.DataFrame({"x": list("aaaaab")}))
        assert len(done.group_sizes_) == 3
        assert (out["x"] == "a").all()
        assert done.k_effective_ == 6

    @pytest.mark.parametrize(
        "cells",
        [
            np.array([-128, 127, 0, 5], dtype=np.int8),
            [2**62, 2**62 + 2, -(2**62), 4 - 2**62],
            [True, False, True, False],
            [None] * 4,
            [np.nan] * 4,
            [7] * 4,
            ["same"] * 4,
            [0.1] * 4,
            [1e308, -1e308, 1.0, 2.0],
            [5e-324, 0.0, 1e-320, 0.0],
        ],
    )
    @pytest.mark.parametrize("standardize", [True, False])
    def test_odd_columns(self, cells, standardize):
        table = pd.DataFrame({"x": cells, "y": [1, 2, 1, 2]})
        done = MDAVAnonymizer(k=2, standardize=standardize)
        out = done.fit_transform(table)
        assert out.groupby(["x", "y"], dropna=False).size().min() >= 2
        assert 0 <= done.information_loss_ <= 1
        assert done.report_.classes["smallest"] >= 2

    def test_a_table_where_nothing_differs_loses_nothing(self):
        done = MDAVAnonymizer(k=3).fit([[0.1, 0.7]] * 7)
        assert done.information_loss_ == 0
        assert done.k_effective_ == 7


MODELS = [
    DistinctLDiversity(l=2, sensitive="job"),
    EntropyLDiversity(l=1.5, sensitive="job"),
    RecursiveCLDiversity(c=2, l=2, sensitive="job"),
    TCloseness(t=0.3, sensitive="job"),
]


class TestPromises:
    @given(
        seed=st.integers(0, 10**6),
        n_rows=st.integers(12, 60),
        k=st.integers(1, 6),
        missing=st.sampled_from([0.0, 0.3]),
        model=st.sampled_from([None, *MODELS]),
        by_person=st.booleans(),
        options=st.fixed_dictionaries(
            {
                "standardize": st.booleans(),
                "algorithm": st.sampled_from(["exact", "fast"]),
                "refine": st.booleans(),
            }
        ),
    )
    @pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.WithoutKWarning")
    def test_every_class_keeps_every_model(
        self, seed, n_rows, k, missing, model, by_person, options
    ):
        people = make_people(seed, n_rows, missing)
        done = MDAVAnonymizer(
            KNOWN,
            k=k,
            models=None if model is None else [model],
            sensitive=["job"],
            hierarchies={"land": Hierarchy(LANDS)},
            subject="who" if by_person else None,
            **options,
        )
        who = people["who"] if by_person else None
        several = people.groupby("who")["job"].nunique().max() > 1
        if by_person and several and isinstance(model, TCloseness):
            with pytest.raises(NotEvaluable, match="one value per person"):
                done.fit(people)
            return
        try:
            out = done.fit_transform(people)
        except InfeasibleError:
            assert not self.can_be_kept(people, k, model, by_person)
            return
        classes = Classes.from_frame(
            out.assign(who=people["who"]),
            KNOWN,
            ["job"],
            "who" if by_person else None,
            references={"job": distribution(people["job"], who)},
            reference_persons=people["who"].nunique() if by_person else None,
        )
        assert judge(KAnonymity(k), classes).passed
        assert model is None or judge(model, classes).passed
        assert done.k_effective_ == classes.sizes.min()
        assert not done.n_suppressed_
        np.testing.assert_array_equal(np.bincount(done.labels_), done.group_sizes_)

    def can_be_kept(self, people, k, model, by_person):
        """Whether the whole table as one class keeps the promise."""
        whole = Classes.from_frame(
            people.assign(all=1), ["all"], ["job"], "who" if by_person else None
        )
        return all(judge(m, whole).passed for m in (KAnonymity(k), model) if m)

    def test_merging_costs_no_more_than_it_must(self):
        people = pd.DataFrame(
            {"x": [0, 1, 10, 11, 50, 51], "job": ["a", "a", "a", "b", "a", "b"]}
        )
        done = MDAVAnonymizer(
            ["x"], k=2, sensitive=["job"], models=[DistinctLDiversity(l=2)]
        )
        assert done.fit_transform(people)["x"].tolist() == [5.5] * 4 + [50.5] * 2

    def test_persons_are_counted(self):
        people = pd.DataFrame({"x": [1, 2, 10, 11, 12, 13], "who": list("aabcde")})
        done = MDAVAnonymizer(["x"], k=2, subject="who")
        out = done.fit_transform(people)
        persons = people["who"].groupby(out["x"]).nunique()
        assert persons.min() >= 2
        assert done.k_effective_ == persons.min()

    def test_what_a_hierarchy_does_not_know_is_suppressed(self):
        tree = Hierarchy(LANDS, unknown="suppress")
        people = pd.DataFrame({"land": ["at", "ch", "xx", "es", "yy", "pt"]})
        done = MDAVAnonymizer(
            ["land"], k=2, hierarchies={"land": tree}, suppression_limit=0.4
        )
        out = done.fit_transform(people)
        assert out["land"].tolist() == ["at", "at", "*", "es", "*", "es"]
        assert done.labels_[[2, 4]].tolist() == [-1, -1]
        assert done.recode(people)["land"].tolist() == out["land"].tolist()
        with pytest.raises(InfeasibleError):
            MDAVAnonymizer(["land"], k=2, hierarchies={"land": tree}).fit(people)


class TestRefusals:
    def test_too_few_rows(self):
        with pytest.raises(InfeasibleError, match="has 4 rows"):
            MDAVAnonymizer(k=5).fit([[1], [2], [3], [4]])

    def test_infinite_numbers(self):
        with pytest.raises(DataError, match="infinite"):
            MDAVAnonymizer(k=2).fit(pd.DataFrame({"x": [1.0, np.inf, 2.0]}))

    @pytest.mark.parametrize(
        ("key", "value"),
        [("algorithm", "exakt"), ("standardize", "no"), ("refine", None)],
    )
    def test_options_that_do_not_exist(self, key, value):
        with pytest.raises(ParameterError, match=f"{key}: unknown option '{value}'"):
            MDAVAnonymizer(k=2, **{key: value}).fit([[1], [2]])

    def test_models_that_merging_may_lose(self, distinct_values):
        class Lost(distinct_values):
            merging = "none"

        with pytest.raises(ParameterError, match="may be lost when groups merge"):
            MDAVAnonymizer(k=2, models=[Lost(2)]).fit([[1], [2]])

    def test_there_is_no_transform(self):
        done = MDAVAnonymizer(k=2).fit([[1], [2]])
        assert not hasattr(done, "transform")
        with pytest.raises(
            AttributeError, match="has no attribute 'transform'"
        ) as raised:
            _ = done.transform
        assert "bound to the rows it saw" in str(raised.value)

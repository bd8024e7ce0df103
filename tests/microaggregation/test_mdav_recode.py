"""MDAV: other rows, row order, pickles, and life inside scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from anon_transformers import MDAVAnonymizer
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import DistinctLDiversity
from anon_transformers.registry import registry
from anon_transformers.testing import check_anonymizer, expected_failed_checks

TREE = Hierarchy([("at", "alps", "*"), ("ch", "alps", "*"), ("es", "iberia", "*")])
KNOWN = ["age", "pay", "sex", "land"]


def make_people(seed, n_rows, missing=0.1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 60, n_rows),
            "pay": rng.normal(0, 1000, n_rows).round(1),
            "sex": rng.choice(["f", "m", "x"], n_rows),
            "land": rng.choice(["at", "ch", "es"], n_rows),
            "job": rng.choice(list("AABBCD"), n_rows),
        }
    )
    for name in KNOWN:
        frame[name] = frame[name].mask(rng.random(n_rows) < missing)
    return frame


class TestRecode:
    def test_numbers_go_to_the_nearest_center(self):
        rng = np.random.default_rng(0)
        table, others = rng.normal(size=(200, 3)), rng.normal(0, 2, size=(300, 3))
        done = MDAVAnonymizer(k=7)
        out = done.fit_transform(table)
        mean, spread = table.mean(axis=0), table.std(axis=0)
        centers = np.unique(out, axis=0)
        away = (((others - mean) / spread)[:, None] - (centers - mean) / spread) ** 2
        expected = centers[away.sum(axis=2).argmin(axis=1)]
        np.testing.assert_allclose(done.recode(others), expected, rtol=1e-12)

    @pytest.mark.parametrize("standardize", [True, False])
    def test_mixed_rows_go_to_the_nearest_mean_of_rows(self, standardize):
        people, others = make_people(1, 150), make_people(2, 100)
        done = MDAVAnonymizer(
            KNOWN, k=5, standardize=standardize, hierarchies={"land": TREE}
        )
        out = done.fit_transform(people)
        found = done.recode(others)
        # Fitted in one table, those rows are placed by values that both share.
        alone = pd.concat([people, others], ignore_index=True)
        points = done._space.place(
            [c.encode_more(alone[c.name]) for c in done._columns]
        )
        fitted, more = points[: len(people)], points[len(people) :]
        means = np.stack(
            [
                fitted[done.labels_ == at].mean(axis=0)
                for at in range(len(done.centers_))
            ]
        )
        np.testing.assert_allclose(done.centers_, means, atol=1e-12)
        nearest = ((more[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        first = [np.flatnonzero(done.labels_ == at)[0] for at in nearest]
        expected = out[KNOWN].iloc[first].reset_index(drop=True)
        pd.testing.assert_frame_equal(found[KNOWN], expected)
        assert found["job"].equals(others["job"])

    def test_the_first_line_says_what_it_does_not_promise(self):
        assert "promising nothing" in MDAVAnonymizer.recode.__doc__.splitlines()[0]

    def test_it_needs_a_fit_and_the_same_columns(self):
        with pytest.raises(NotFittedError):
            MDAVAnonymizer(k=2).recode([[1]])
        done = MDAVAnonymizer(k=2).fit(pd.DataFrame({"x": [1, 2, 3]}))
        with pytest.raises(DataError, match="fitted as number"):
            done.recode(pd.DataFrame({"x": ["a"]}))

    def test_categories_that_were_not_fitted(self):
        people = pd.DataFrame({"x": [1, 1, 9, 9], "sex": ["f", "f", "m", "m"]})
        done = MDAVAnonymizer(k=2).fit(people)
        out = done.recode(pd.DataFrame({"x": [2, 8], "sex": ["new", None]}))
        assert out["x"].tolist() == [1, 9]
        assert out["sex"].tolist() == ["f", "m"]

    def test_set_output_is_kept(self):
        done = MDAVAnonymizer(k=2).set_output(transform="pandas")
        done.fit(np.array([[1.0], [2.0]]))
        assert done.recode(np.array([[5.0]])).columns.tolist() == ["x0"]


class TestRowOrder:
    def test_without_ties_it_shows_nowhere(self):
        rng = np.random.default_rng(3)
        table = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
        order = rng.permutation(len(table))
        one = MDAVAnonymizer(k=4).fit_transform(table)
        other = MDAVAnonymizer(k=4).fit_transform(table.iloc[order])
        pd.testing.assert_frame_equal(other, one.iloc[order].reset_index(drop=True))

    def test_the_index_shows_nowhere(self):
        people = make_people(4, 60)
        out = MDAVAnonymizer(KNOWN, k=3).fit_transform(
            people.set_axis(range(60, 0, -1))
        )
        assert isinstance(out.index, pd.RangeIndex)
        pd.testing.assert_frame_equal(
            out, MDAVAnonymizer(KNOWN, k=3).fit_transform(people)
        )


class TestWhatIsKept:
    def test_a_pickle_recodes_the_same(self):
        people = make_people(5, 90)
        done = MDAVAnonymizer(KNOWN, k=4, hierarchies={"land": TREE}).fit(people)
        again = pickle.loads(pickle.dumps(done))
        pd.testing.assert_frame_equal(again.recode(people), done.recode(people))
        assert again.report_ == done.report_

    def test_no_row_is_kept(self):
        """Of a row nothing stays but its group and whether it was suppressed."""
        n_rows = 4000
        rng = np.random.default_rng(6)
        table = rng.integers(0, 9, size=(n_rows, 3))
        done = MDAVAnonymizer(k=200).fit(table)
        held = {
            name: part
            for name, part in vars(done).items()
            if len(pickle.dumps(part)) > n_rows // 2
        }
        assert set(held) == {"labels_", "suppressed_mask_"}

    def test_two_fits_of_one_table_agree(self):
        people = make_people(7, 90)
        done = MDAVAnonymizer(KNOWN, k=4)
        pd.testing.assert_frame_equal(
            done.fit_transform(people), done.fit_transform(people)
        )

    def test_the_report_tells_the_loss(self):
        people = make_people(8, 90)
        done = MDAVAnonymizer(KNOWN, k=4).fit(people)
        details = done.report_.details
        assert details["groups"] == len(done.group_sizes_)
        assert details["information_loss"] == done.information_loss_
        assert details["sse"] / details["sst"] == pytest.approx(done.information_loss_)
        assert details["sst"] == pytest.approx(len(people) * len(KNOWN))


class TestInsideScikitLearn:
    def test_it_is_registered(self):
        assert registry().anonymizers["mdav"] is MDAVAnonymizer

    @pytest.mark.parametrize("k", [1, 5])
    def test_no_check_is_excused(self, k):
        estimator = MDAVAnonymizer(k=k)
        assert expected_failed_checks(estimator) == {}
        check_estimator(estimator, on_skip=None)

    def test_the_contract_with_a_further_model(self):
        check_anonymizer(MDAVAnonymizer(k=3, models=[DistinctLDiversity(l=3)]))

    def test_clones_are_unfitted_twins(self):
        done = MDAVAnonymizer(["age"], k=7, refine=True).fit(make_people(9, 30))
        twin = clone(done)
        assert twin.get_params() == done.get_params()
        assert not hasattr(twin, "k_effective_")

    def test_it_ends_a_pipeline_and_nothing_follows_it(self):
        table = make_people(10, 80, missing=0)[["age", "pay"]]
        ends = make_pipeline(StandardScaler(), MDAVAnonymizer(k=5))
        out = ends.fit_transform(table)
        assert np.unique(out, axis=0, return_counts=True)[1].min() >= 5
        followed = make_pipeline(MDAVAnonymizer(k=5), StandardScaler())
        with pytest.raises(TypeError, match="transform"):
            followed.fit_transform(table)

"""What every table anonymizer gets from its base, seen through a small one."""

import json
import pickle
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from anon_transformers import MondrianAnonymizer
from anon_transformers.base import PublishedColumn, TableAnonymizer
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import (
    DataError,
    ExtraSuppressionWarning,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import KAnonymity, TCloseness


class DecadeRecoder(TableAnonymizer):
    """Numbers to decades, whatever that does to small classes: they are suppressed."""

    @classmethod
    def test_instances(cls):
        return [cls(k=2)]

    def _learn(self, table, models):
        self.decades_ = [
            np.unique(column.values // 10) for column in table.quasi_identifiers
        ]

    def _recode(self, table):
        published = []
        for column, decades in zip(table.quasi_identifiers, self.decades_, strict=True):
            decade = np.append(column.values // 10, -1)[column.codes]
            inside = (column.codes >= 0) & (column.codes < column.missing_code)
            inside &= True if column.exact is None else column.exact
            codes = np.where(inside, np.searchsorted(decades, decade), -1)
            labels = np.array([f"{10 * int(d)}s" for d in decades], dtype=object)
            published.append(PublishedColumn(codes, labels, np.full(len(labels), 0.1)))
        return published


def people():
    return pd.DataFrame(
        {
            "name": ["Ann", "Bob", "Cyd", "Dan", "Eve", "Flo", "Gus"],
            "age": [21, 25, 22, 33, 34, 48, 61],
            "job": list("abcabca"),
            "note": [1.5, None, 2.5, 3.5, 4.5, 5.5, 6.5],
        },
        index=list("tuvwxyz"),
    )


def recoder(**options):
    given = {"k": 2, "sensitive": ["job"], "identifiers": ["name"], **options}
    return DecadeRecoder(["age"], **given)


class TestSuppression:
    def test_masked_rows_stay_with_the_mark(self):
        done = recoder(suppression_limit=0.3)
        out = done.fit_transform(people())
        assert out["age"].tolist() == ["20s"] * 3 + ["30s"] * 2 + ["*", "*"]
        assert out["job"].tolist() == list("abcabca")
        assert done.n_suppressed_ == 2
        assert done.n_extra_suppressed_ == 0
        assert done.suppressed_mask_.tolist() == [False] * 5 + [True] * 2

    def test_dropped_rows_are_gone(self):
        done = recoder(suppression_limit=0.3, suppression="drop")
        out = done.fit_transform(people())
        assert out["age"].tolist() == ["20s"] * 3 + ["30s"] * 2
        assert out["note"].tolist()[2:] == [2.5, 3.5, 4.5]
        assert done.n_suppressed_ == 2

    def test_blanked_rows_lose_their_sensitive_cells_too(self):
        done = recoder(suppression_limit=0.3, suppression="blank")
        out = done.fit_transform(people())
        assert out["age"].tolist()[5:] == ["*", "*"]
        assert out["job"].isna().tolist() == [False] * 5 + [True] * 2
        assert out["note"].tolist()[5:] == [5.5, 6.5]

    def test_the_smallest_class_goes_so_that_the_mark_holds_k(self):
        table = people().iloc[:6]
        done = recoder(suppression_limit=0.5)
        with pytest.warns(
            ExtraSuppressionWarning, match=r"^3 rows .* 1 breaks the .* with 2 rows"
        ):
            out = done.fit_transform(table)
        assert out["age"].tolist() == ["20s"] * 3 + ["*"] * 3
        assert (done.n_suppressed_, done.n_extra_suppressed_) == (3, 2)

    def test_another_mark(self):
        out = recoder(suppression_limit=0.3, suppression_label="-").fit_transform(
            people()
        )
        assert out["age"].tolist()[5:] == ["-", "-"]

    def test_beyond_the_limit_it_is_infeasible(self):
        with pytest.raises(InfeasibleError, match=r"suppress 2 of 7 .*=0\.2 allows 1"):
            recoder(suppression_limit=0.2).fit(people())

    def test_nobody_kept_is_infeasible_at_any_limit(self):
        with pytest.raises(InfeasibleError):
            recoder(k=4, suppression_limit=1.0).fit(people())

    def test_persons_count_with_a_subject(self):
        table = people().assign(name=list("ppqqrst"))
        done = DecadeRecoder(
            ["age"], k=2, subject="name", suppression_limit=0.3, suppression="drop"
        )
        out = done.fit_transform(table)
        assert out["age"].tolist() == ["20s"] * 3 + ["30s"] * 2
        assert "name" not in out
        assert done.report_.risk["highest-risk"] == 0.5
        with pytest.raises(InfeasibleError):
            done.set_params(k=3).fit(table)


class TestTransform:
    def test_it_equals_fit_transform_on_the_fitted_table(self):
        for suppression in ("mask", "drop", "blank"):
            options = {"suppression_limit": 0.3, "suppression": suppression}
            one = recoder(**options).fit_transform(people())
            other = recoder(**options).fit(people()).transform(people())
            pd.testing.assert_frame_equal(one, other)

    def test_unapproved_and_uncovered_rows_are_suppressed(self):
        done = recoder(suppression_limit=0.3).fit(people())
        more = people().iloc[[0, 1, 2, 3]].assign(age=[22, 48, 99, 3])
        # 48 was suppressed; 99 and 3 were never seen.
        assert done.transform(more)["age"].tolist() == ["20s", "*", "*", "*"]

    def test_a_row_is_recoded_whatever_comes_with_it(self):
        done = recoder(suppression_limit=0.3).fit(people())
        whole = done.transform(people())
        for row in range(len(whole)):
            alone = done.transform(people().iloc[[row]])
            assert alone.iloc[0].equals(whole.iloc[row])

    def test_before_fit_it_raises(self):
        with pytest.raises(NotFittedError):
            recoder().transform(people())

    def test_after_a_fit_that_fails_it_raises(self):
        done = recoder(suppression_limit=0.3).fit(people())
        with pytest.raises(InfeasibleError):
            done.set_params(k=7).fit(people())
        with pytest.raises(NotFittedError):
            done.transform(people())
        with pytest.raises(NotFittedError):
            done.check(people())

    def test_a_first_fit_that_fails_is_no_fit(self):
        done = recoder(k=7)
        with pytest.raises(InfeasibleError):
            done.fit(people())
        with pytest.raises(NotFittedError):
            done.transform(people())

    def test_arrays_after_frames_go_by_position(self):
        done = DecadeRecoder(["age"], k=2).fit(
            pd.DataFrame({"age": [21, 22], "n": [1, 2]})
        )
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            out = done.transform(np.array([[22, 7]]))
        assert out.tolist() == [["20s", 7]]

    def test_frames_after_arrays_go_by_position(self):
        done = DecadeRecoder([1], k=2).fit(np.array([[5, 21], [6, 22]]))
        with pytest.warns(UserWarning, match="fitted without feature names"):
            out = done.transform(pd.DataFrame({"n": [7], "age": [22]}))
        assert out.iloc[0].tolist() == [7, "20s"]

    def test_other_columns_are_refused(self):
        done = recoder(suppression_limit=0.3).fit(people())
        with pytest.raises(ValueError, match="feature names"):
            done.transform(people().rename(columns={"age": "years"}))

    def test_an_empty_batch_is_refused(self):
        done = recoder(suppression_limit=0.3).fit(people())
        with pytest.raises(DataError, match="empty"):
            done.transform(people().iloc[:0])


class TestOutput:
    def test_neither_identifiers_nor_index_are_published(self):
        out = recoder(suppression_limit=0.3).fit_transform(people())
        assert list(out.columns) == ["age", "job", "note"]
        assert isinstance(out.index, pd.RangeIndex)
        assert out.index.name is None
        assert "Ann" not in out.to_csv()

    def test_the_index_of_a_dropped_row_does_not_show(self):
        out = recoder(suppression_limit=0.3, suppression="drop").fit_transform(people())
        assert out.index.tolist() == list(range(5))

    def test_with_set_output_the_index_is_that_of_the_input(self):
        done = recoder(suppression_limit=0.3).set_output(transform="pandas")
        assert done.fit_transform(people()).index.tolist() == list("tuvwxyz")
        assert done.transform(people()).index.tolist() == list("tuvwxyz")

    def test_attributes_of_the_frame_are_not_published(self):
        table = people()
        table.attrs["source"] = "Ann"
        assert recoder(suppression_limit=0.3).fit_transform(table).attrs == {}

    def test_other_columns_are_the_same_bit_by_bit(self):
        table = people()
        out = recoder(suppression_limit=0.3).fit_transform(table)
        assert out["note"].to_numpy().tobytes() == table["note"].to_numpy().tobytes()
        assert out["job"].dtype == table["job"].dtype

    def test_the_input_is_not_changed(self):
        table, before = people(), people()
        recoder(suppression_limit=0.3, suppression="blank").fit_transform(table)
        pd.testing.assert_frame_equal(table, before)

    def test_the_output_does_not_share_memory_with_the_input(self):
        table = people()
        out = recoder(suppression_limit=0.3).fit_transform(table)
        out.loc[0, "note"] = -1.0
        assert table["note"].iloc[0] == 1.5

    def test_names_of_the_published_columns(self):
        done = recoder(suppression_limit=0.3).fit(people())
        assert done.get_feature_names_out().tolist() == ["age", "job", "note"]
        array = DecadeRecoder([1], k=2, identifiers=[0]).fit(
            np.array([[5, 21], [6, 22]])
        )
        assert array.get_feature_names_out().tolist() == ["x1"]

    def test_an_array_comes_back_as_an_array(self):
        out = DecadeRecoder([0], k=2).fit_transform([[21, 1.5], [22, 2.5]])
        assert out.tolist() == [["20s", 1.5], ["20s", 2.5]]

    def test_a_polars_frame_comes_back_as_one(self):
        polars = pytest.importorskip("polars")
        table = polars.from_pandas(people())
        out = recoder(suppression_limit=0.3, suppression="drop").fit_transform(table)
        assert out.columns == ["age", "job", "note"]
        assert out["note"].to_list() == table["note"].to_list()[:5]
        assert out["age"].to_list() == ["20s"] * 3 + ["30s"] * 2

    def test_a_repeated_index_does_no_harm(self):
        table = people().set_axis([0, 0, 1, 1, 2, 2, 3])
        out = recoder(suppression_limit=0.3, suppression="blank").fit_transform(table)
        assert out["age"].tolist()[5:] == ["*", "*"]


class TestReport:
    def test_it_counts_what_was_published(self, class_sizes_of):
        done = recoder(suppression_limit=0.3)
        sizes = class_sizes_of(done.fit_transform(people()), ["age"])
        report = done.report_
        assert sizes == {("20s",): 3, ("30s",): 2, ("*",): 2}
        assert report.method == "DecadeRecoder"
        assert (report.rows, report.suppressed_rows) == (7, 2)
        assert report.classes["count"] == 2
        assert report.classes["kept_rows"] == 5
        assert report.column_losses == {"age": pytest.approx((5 * 0.1 + 2) / 7)}
        assert report.loss == pytest.approx((5 * 0.1 + 2) / 7)
        assert report.risk["average-risk"] == pytest.approx(2 / 5)
        assert report.risk["highest-risk"] == 0.5
        assert report.seconds > 0

    def test_it_can_be_written_as_json_and_holds_no_cell(self):
        done = recoder(suppression_limit=0.3).fit(people())
        message = json.dumps(asdict(done.report_))
        assert not any(name in message for name in people()["name"])
        assert "20s" not in message


class TestCheck:
    def test_its_own_table_passes(self):
        done = recoder(suppression_limit=0.3)
        (verdict,) = done.check(done.fit_transform(people()))
        assert verdict.passed
        assert verdict.model == KAnonymity(2)

    def test_a_batch_that_is_too_small_fails(self):
        done = recoder(suppression_limit=0.3).fit(people())
        assert not done.check(done.transform(people().iloc[:4]))[0].passed

    def test_a_batch_may_hold_more_rows_than_were_fitted(self):
        done = recoder(suppression_limit=0.3, models=[TCloseness(0.9)]).fit(people())
        batch = done.transform(people())
        once, thrice = done.check(batch), done.check(pd.concat([batch] * 3))
        assert [v.level for v in thrice] == [3 * once[0].level, once[1].level]

    def test_every_model_is_asked(self, distinct_values):
        done = recoder(suppression_limit=0.3, models=[distinct_values(2)])
        verdicts = done.fit(people()).check(done.transform(people()))
        assert [verdict.level for verdict in verdicts] == [2, 2]

    def test_arrays_and_other_frames_are_judged_too(self):
        done = DecadeRecoder([0], k=2).fit([[21, 1], [22, 2], [31, 3], [32, 4]])
        assert done.check(done.transform([[21, 1], [22, 2]]))[0].passed
        assert not done.check(done.transform([[21, 1]]))[0].passed

    def test_an_empty_batch_cannot_be_judged(self):
        done = recoder(suppression_limit=0.3).fit(people())
        with pytest.raises(NotEvaluable):
            done.check(done.transform(people()).iloc[:0])

    def test_without_the_subject_persons_cannot_be_judged(self):
        table = people().assign(name=list("ppqqrst"))
        done = DecadeRecoder(
            ["age"], k=2, subject="name", suppression_limit=0.3, suppression="drop"
        )
        out = done.fit_transform(table)
        with pytest.raises(NotEvaluable, match="without column 'name'"):
            done.check(out)
        assert done.check(out.assign(name=list("ppqqr")))[0].passed
        assert not done.check(out.assign(name=list("ppprr")))[0].passed


class TestParameters:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"k": 0}, "k must be a whole number of at least 1, got 0"),
            ({"k": 2.5}, r"k must be a whole number of at least 1, got 2\.5"),
            ({"suppression": "hide"}, "suppression: .*'hide'.*'blank', 'drop', 'mask'"),
            ({"suppression_limit": 1.5}, r"suppression_limit .* 0 to 1, .*got 1\.5"),
            ({"suppression_limit": -0.1}, "suppression_limit must be a share"),
            ({"suppression_limit": float("nan")}, "suppression_limit must be a share"),
            ({"suppression_limit": "10%"}, "suppression_limit must be a share"),
            ({"suppression_label": ""}, "suppression_label must be a text"),
            ({"suppression_label": 5}, "suppression_label must be a text"),
            ({"hierarchies": {"age": Hierarchy([("1", "*")])}}, "uses no hierarchies"),
            ({"models": ["k-anonymity"]}, "models: 'k-anonymity' is no model"),
            ({"models": [KAnonymity]}, "models: .*KAnonymity.* is no model"),
        ],
    )  # fmt: skip
    def test_a_wrong_one_is_named_with_its_choices(self, options, said):
        with pytest.raises(ParameterError, match=said):
            recoder(**options).fit(people())

    def test_the_constructor_only_stores(self):
        done = DecadeRecoder("nonsense", k=-1, suppression=5)
        assert done.get_params()["k"] == -1
        assert clone(done).suppression == 5

    def test_the_mark_in_the_data_is_refused_without_the_row(self):
        table = pd.DataFrame({"age": [20, 20, 30, 30]})
        with pytest.raises(
            DataError, match="'age' holds the suppression label '20' in 2"
        ):
            DecadeRecoder(k=2, suppression_label="20").fit(table)

    def test_a_pickled_one_recodes_alike(self):
        done = recoder(suppression_limit=0.3).fit(people())
        again = pickle.loads(pickle.dumps(done))
        pd.testing.assert_frame_equal(
            again.transform(people()), done.transform(people())
        )

    def test_the_pickle_holds_no_identifier(self):
        done = recoder(suppression_limit=0.3).fit(people())
        assert not any(name.encode() in pickle.dumps(done) for name in people()["name"])


def test_evidence_of_the_published_table_agrees_with_the_report():
    done = recoder(suppression_limit=0.3)
    classes = Classes.from_frame(done.fit_transform(people()), ["age"])
    assert classes.rows[classes.suppressed] == done.report_.suppressed_rows
    assert classes.kept().n_classes == done.report_.classes["count"]


@pytest.mark.parametrize("suppression", ["mask", "drop", "blank"])
def test_untouched_texts_keep_their_type(suppression):
    index = pd.Index(["x", "x", "y", "y"])  # labels need not be unique
    texts = {"note": list("abcd"), "job": list("abab")}
    table = pd.DataFrame({"age": [20, 21, 40, 41], **texts}, index=index)
    table = table.astype(dict.fromkeys(texts, object))
    anonymizer = MondrianAnonymizer(
        ["age"], k=2, sensitive=["job"], suppression=suppression
    )
    published = anonymizer.fit_transform(table)
    assert published[["note", "job"]].dtypes.tolist() == [object, object]
    assert published["note"].tolist() == list("abcd")

"""Given levels, local recoding, weights and mistakes."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    WithoutKWarning,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import DistinctLDiversity, TCloseness

# k = 1 with models of sensitive values is drawn too.
pytestmark = pytest.mark.filterwarnings(
    "ignore::anon_transformers.exceptions.WithoutKWarning"
)


class TestGivenLevels:
    def test_they_are_applied(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u"), ("1", "b", "f", "u")])
        made = slow.anonymizer(k=2, levels={"zip": 2, "job": 1})
        out = made.fit_transform(frame)
        assert out["zip"].tolist() == ["low", "low"]
        assert out["job"].tolist() == ["ab", "ab"]
        assert out["sex"].tolist() == ["f", "f"]

    def test_levels_that_do_not_do_are_refused(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u"), ("7", "b", "f", "u")])
        with pytest.raises(InfeasibleError, match="these levels do not keep"):
            slow.anonymizer(k=2, levels={"zip": 1}).fit(frame)
        with pytest.raises(ParameterError, match="levels, zip: 9 is no level"):
            slow.anonymizer(k=2, levels={"zip": 9}).fit(frame)
        with pytest.raises(ParameterError, match=r"levels: .*'zap'"):
            slow.anonymizer(k=2, levels={"zap": 1}).fit(frame)


class TestLocalRecoding:
    @settings(deadline=None, max_examples=60)
    @given(data=st.data())
    def test_it_never_loses_more_and_keeps_the_promise(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        k = data.draw(st.integers(1, 4))
        models = data.draw(draws.models)
        limit = data.draw(draws.limits)
        frame = slow.frame_of(drawn)
        plain = slow.anonymizer(k=k, models=models, suppression_limit=limit)
        local = slow.anonymizer(
            k=k, models=models, suppression_limit=limit, local_recoding=True
        )
        try:
            plain.fit(frame)
        except InfeasibleError:
            return
        out = local.fit_transform(frame)
        assert local.n_suppressed_ / len(frame) <= limit
        assert all(verdict["passed"] for verdict in local.report_.models)
        if limit == 1.0:
            assert local.report_.loss <= plain.report_.loss + 1e-12
        pd.testing.assert_frame_equal(out, local.transform(frame))

    def test_a_row_that_stands_out_is_generalized_alone(self, slow):
        drawn = [("0", "a", "f", "u")] * 40 + [(zip_, "a", "f", "u") for zip_ in "46"]
        made = slow.anonymizer(k=2, suppression_limit=0.0, local_recoding=True)
        out = made.fit_transform(slow.frame_of(drawn))
        assert out["zip"].tolist() == ["0"] * 40 + ["high"] * 2
        assert made.report_.details["passes"] == 2


def test_minimal_nodes_are_those_of_the_whole_table(slow):
    drawn = [("0", "a", "f", "u")] * 5 + [("4", "b", "m", "u")] * 2
    found = [
        slow.anonymizer(
            k=3, suppression_limit=0.3, find_minimal=True, local_recoding=local
        )
        .fit(slow.frame_of(drawn))
        .minimal_nodes_
        for local in (False, True)
    ]
    assert found[0] == found[1]


class TestParameters:
    def test_weights_move_the_optimum(self, slow):
        drawn = [("0", "a", "f", "u"), ("0", "b", "m", "u")] * 3
        frame = slow.frame_of(drawn)
        heavy_sex = slow.anonymizer(k=4, weights={"sex": 100, "job": 0.1}).fit(frame)
        assert heavy_sex.levels_["sex"] == 1
        drawn = [("0", "a", "f", "u"), ("0", "b", "f", "u"), ("1", "a", "f", "u")] * 2
        drawn += [("1", "b", "f", "u")] * 2
        keep_zip = slow.anonymizer(k=4, weights={"zip": 100}).fit(slow.frame_of(drawn))
        keep_job = slow.anonymizer(k=4, weights={"job": 100}).fit(slow.frame_of(drawn))
        assert keep_zip.levels_ == {"zip": 0, "job": 1, "sex": 0}
        assert keep_job.levels_ == {"zip": 1, "job": 0, "sex": 0}

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"loss": "precison"}, "'precision'"),
            ({"search": "best"}, "'optimal'"),
            ({"weights": {"zap": 1}}, "weights: .*'zap'"),
            (
                {"weights": {"zip": -1}},
                "weights, zip: must be a number of at least 0, got -1",
            ),
            (
                {"weights": {"zip": 0, "job": 0, "sex": 0}},
                "at least one column must count",
            ),
            (
                {"weights": {"zip": float("inf")}},
                "must be a number of at least 0, got inf",
            ),
            ({"weights": [1, 2]}, "weights must map"),
            ({"time_limit": "a"}, "time_limit must be a number above 0, got 'a'"),
            ({"levels": {"zip": True}}, "is no level"),
            ({"time_limit": 0}, "time_limit must be a number above 0, got 0"),
            (
                {"models": [TCloseness(0.2, reference="released")]},
                "use reference='input'",
            ),
        ],
    )
    def test_mistakes_are_told(self, slow, options, message):
        frame = slow.frame_of([("0", "a", "f", "u")] * 4)
        with pytest.raises(ParameterError, match=message):
            slow.anonymizer(k=2, **options).fit(frame)

    def test_an_infeasible_request_tells_the_best_level(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u"), ("1", "b", "m", "v")] * 4)
        with pytest.raises(InfeasibleError, match="'ill' has 2 distinct values"):
            slow.anonymizer(k=2, models=[DistinctLDiversity(3)]).fit(frame)
        with pytest.raises(
            InfeasibleError, match=r"t-closeness\(.*t=0\.1.*\) reaches 0\.5; k-anony"
        ):
            slow.anonymizer(k=2, models=[TCloseness(0.1)], levels={}).fit(frame)

    def test_a_table_of_marks_is_told_apart_from_what_can_be_reached(self):
        """Only the node that hides everything has classes of two rows."""
        frame = pd.DataFrame({"a": list("wxyz"), "b": list("pqrs")})
        with pytest.raises(InfeasibleError) as caught:
            FullDomainAnonymizer(k=2).fit(frame)
        said = str(caught.value)
        assert "k-anonymity(k=2) reaches 1 at best." in said
        assert "reaches 4" not in said
        assert "No class that shows something keeps it, whatever the limit." in said
        assert (
            "would keep it (k-anonymity(k=2) 4), but such a table shows nothing" in said
        )

    @pytest.mark.parametrize(("limit", "reached"), [(0.0, 1), (0.25, 3), (0.3, 3)])
    def test_what_is_reached_is_that_of_nodes_that_show_something(self, limit, reached):
        """Groupby at every node but the top, without as many rows as may go."""
        frame = pd.DataFrame({"a": list("vvvw"), "b": list("pppq")})
        trees = {
            name: Hierarchy.from_mapping({v: ["*"] for v in set(frame[name])})
            for name in frame
        }
        shown = []
        for columns in (["a"], ["b"], ["a", "b"]):
            sizes = frame.groupby(columns).size().sort_values(ascending=False)
            enough = sizes.cumsum() >= len(frame) * (1 - limit)
            shown.append(sizes[enough].iloc[0])
        assert max(shown) == reached
        with pytest.raises(InfeasibleError, match=f"reaches {reached} at best"):
            FullDomainAnonymizer(k=4, hierarchies=trees, suppression_limit=limit).fit(
                frame
            )

    @pytest.mark.parametrize("levels", [None, {"a": 0, "b": 0}])
    def test_suppressed_rows_that_are_too_few_are_told(self, levels):
        """Of four rows one may be suppressed: three are left, and the one is alone."""
        frame = pd.DataFrame({"a": list("vvvw"), "b": list("pppq")})
        trees = {
            name: Hierarchy.from_mapping({v: ["*"] for v in set(frame[name])})
            for name in frame
        }
        made = FullDomainAnonymizer(
            k=2, hierarchies=trees, suppression_limit=0.25, levels=levels
        )
        with pytest.raises(InfeasibleError) as caught:
            made.fit(frame)
        said = str(caught.value)
        # The three that are kept reach more than is asked: that is no obstacle.
        assert "reaches 3" not in said
        assert "without 1 of 4 rows, which the limit allows, the classes keep" in said
        assert "k-anonymity(k=2) reaches 1 there. With suppression='drop'" in said
        assert len(made.set_params(suppression="drop").fit_transform(frame)) == 3

    def test_a_limit_that_is_in_the_way_is_told(self):
        frame = pd.DataFrame({"a": list("vvvwx")})
        tree = Hierarchy.from_mapping({v: ["*"] for v in "vwx"})
        made = FullDomainAnonymizer(k=2, hierarchies={"a": tree}, suppression_limit=0.2)
        said = "The limit is in the way: at least 2 of 5 rows would be suppressed, and"
        with pytest.raises(InfeasibleError, match=f"{said} it allows 1"):
            made.fit(frame)
        assert made.set_params(suppression_limit=0.4).fit(frame).n_suppressed_ == 2

    def test_stated_levels_that_show_nothing_are_told(self):
        frame = pd.DataFrame({"a": list("vvww")})
        tree = Hierarchy.from_mapping({v: ["*"] for v in "vw"})
        made = FullDomainAnonymizer(k=2, hierarchies={"a": tree}, levels={"a": 1})
        with pytest.raises(InfeasibleError) as caught:
            made.fit(frame)
        assert "They put the suppression label everywhere" in str(caught.value)
        assert "reaches" not in str(caught.value)

    def test_models_that_hold_one_by_one_are_told_to_fail_together(self):
        """Classes of one column are large, and those of the other diverse."""
        frame = pd.DataFrame(
            {"a": list("vvvvwwww"), "b": list("pqrspqrs"), "ill": list("xxxxyyyy")}
        )
        trees = {name: {v: ["*"] for v in set(frame[name])} for name in ("a", "b")}
        made = FullDomainAnonymizer(
            k=4,
            models=[DistinctLDiversity(2)],
            quasi_identifiers=["a", "b"],
            sensitive=["ill"],
            hierarchies={n: Hierarchy.from_mapping(t) for n, t in trees.items()},
        )
        together = r"Each of .*k=4.*l=2.* could be kept by itself, but not all at once"
        with pytest.raises(InfeasibleError, match=together):
            made.fit(frame)
        with pytest.raises(InfeasibleError) as caught:
            made.set_params(levels={"a": 0, "b": 1}).fit(frame)
        said = str(caught.value)
        assert "multiple='each', l=2) reaches 1; k-anonymity(k=4) could be" in said
        assert "No class that shows something keeps it" in said

    def test_values_that_hierarchies_lack_are_what_is_in_the_way(self):
        frame = pd.DataFrame({"a": list("vvvvwwwwxxxx"), "b": list("ppqq") * 3})
        rows = [("v", "g", "*"), ("w", "g", "*")]
        made = FullDomainAnonymizer(
            k=2,
            hierarchies={
                "a": Hierarchy(rows, unknown="suppress"),
                "b": Hierarchy([("p", "*"), ("q", "*")]),
            },
            suppression_limit=0.05,
        )
        with pytest.raises(InfeasibleError) as caught:
            made.fit(frame)
        said = str(caught.value)
        assert "4 of 12 rows are suppressed at every node, and it allows 0." in said
        assert "column 'a' in 4 rows" in said
        assert "reaches" not in said

    def test_values_without_persons_are_warned_of(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u"), ("0", "a", "f", "v")] * 4)
        with pytest.warns(WithoutKWarning, match="ask for k"):
            slow.anonymizer(k=1, models=[DistinctLDiversity(2)]).fit(frame)

    def test_a_column_without_a_hierarchy_gets_a_suggested_one(self, slow):
        frame = pd.DataFrame({"age": [21, 22, 38, 39], "zip": list("0123")})
        made = FullDomainAnonymizer(k=2, hierarchies={"zip": slow.trees["zip"]}).fit(
            frame
        )
        assert set(made.hierarchies_) == {"age", "zip"}
        out = made.transform(frame)
        assert out.groupby(["age", "zip"]).size().min() >= 2

    def test_too_many_nodes_are_left_to_the_heuristic(self, slow):
        frame = pd.DataFrame({f"c{i}": ["1", "2" if i else "1"] for i in range(30)})
        with pytest.raises(ParameterError, match="search='heuristic'"):
            FullDomainAnonymizer(k=2).fit(frame)
        out = FullDomainAnonymizer(k=2, search="heuristic", time_limit=0.2)
        assert out.fit_transform(frame).drop_duplicates().shape[0] == 1

    def test_a_progress_bar_goes_to_standard_error(self, slow, capsys):
        frame = slow.frame_of([("0", "a", "f", "u"), ("1", "b", "m", "v")] * 4)
        slow.anonymizer(k=2, verbose=True).fit(frame)
        assert capsys.readouterr().out == ""

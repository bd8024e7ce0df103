"""Comparisons: numbers of single runs, the grid, errors in their cells."""

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import pytest

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers.base import TableAnonymizer
from anon_transformers.datasets import make_dependent, make_independent
from anon_transformers.exceptions import (
    DuplicatesWarning,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.experiments import compare
from anon_transformers.experiments._grid import line_name
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.registry import registry

TWO = {"mondrian": MondrianAnonymizer(), "datafly": DataflyAnonymizer()}


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [20 + i % 17 for i in range(60)],
            "zip": [500 + i % 7 for i in range(60)],
            "job": ["a", "b", "c"] * 20,
        }
    )


def test_numbers_are_those_of_the_single_runs(people):
    found = compare(people, TWO, {"k": [2, 6]}, quasi_identifiers=["age", "zip"])
    assert found["method"].tolist() == ["mondrian"] * 2 + ["datafly"] * 2
    assert found["k"].tolist() == [2, 6, 2, 6]
    for row in found.to_dict("records"):
        single = type(TWO[row["method"]])(["age", "zip"], k=row["k"])
        out = single.fit_transform(people)
        kept = out[~single.suppressed_mask_]
        sizes = kept.groupby(["age", "zip"]).size()
        assert row["classes"] == len(sizes)
        assert (row["smallest"], row["largest"]) == (sizes.min(), sizes.max())
        assert row["mean"] == pytest.approx(sizes.mean())
        assert row["variance"] == pytest.approx(sizes.var(ddof=0))
        assert row["suppressed_rows"] == single.n_suppressed_
        assert row["kept_rows"] == len(single.suppressed_mask_) - single.n_suppressed_
        assert row["loss"] == pytest.approx(single.report_.loss)
        assert row["average_risk"] == pytest.approx(len(sizes) / len(kept))
        assert row["highest_risk"] == pytest.approx(1 / sizes.min())
        assert row["seconds"] > 0
        assert row["error"] is None


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DuplicatesWarning")
def test_a_parameter_of_one_method_leaves_the_others_alone(people):
    grid = {"k": [2, 3], "mondrian.mode": ["strict", "relaxed"]}
    found = compare(people, TWO, grid, quasi_identifiers=["age"])
    by_method = found.groupby("method")["parameters"].apply(list).to_dict()
    assert by_method["datafly"] == [{"k": 2}, {"k": 3}]
    assert by_method["mondrian"] == [
        {"k": k, "mode": mode} for k in (2, 3) for mode in ("strict", "relaxed")
    ]


def test_the_own_list_of_a_method_goes_first(people):
    found = compare(people, TWO, {"k": [2], "datafly.k": [9]})
    assert found["k"].tolist() == [2, 9]


def test_a_list_of_grids_is_their_union(people):
    grids = [{"k": [2, 3]}, {"k": [3], "mondrian.mode": ["relaxed"]}]
    found = compare(people, TWO, grids)
    assert found["parameters"].tolist() == [
        {"k": 2}, {"k": 3}, {"k": 3, "mode": "relaxed"}, {"k": 2}, {"k": 3},
    ]  # fmt: skip


def test_methods_go_by_their_registered_names(people, declared):
    found = compare(people, ["mondrian", "datafly"], {"k": [4]})
    assert found["method"].tolist() == ["mondrian", "datafly"]
    assert found["smallest"].min() >= 4


def test_instances_keep_their_own_parameters():
    table = make_dependent(4, 2)
    relaxed = MondrianAnonymizer(k=2, mode="relaxed")
    found = compare(table, [relaxed])
    assert found["method"].tolist() == ["MondrianAnonymizer"]
    assert found["k"].tolist() == [2]
    assert found["classes"].tolist() == [8]
    assert not hasattr(relaxed, "report_")


def test_hierarchies_go_to_those_who_use_them():
    class Plain(MondrianAnonymizer):
        uses_hierarchies = False

    table = pd.DataFrame({"pet": ["cat", "cow", "cod", "eel"] * 3})
    tree = Hierarchy.from_groups({"mammal": ["cat", "cow"], "fish": ["cod", "eel"]})
    methods = {"datafly": DataflyAnonymizer(), "plain": Plain()}
    found = compare(table, methods, {"k": [4]}, hierarchies={"pet": tree})
    assert found["error"].isna().all()
    assert found["classes"].tolist() == [2, 2]


def test_progress_is_told_before_every_run_and_at_the_end(people):
    seen = []
    compare(people, TWO, {"k": [2, 3]}, progress=lambda *now: seen.append(now))
    assert seen == [
        (0, 4, "mondrian"), (1, 4, "mondrian"), (2, 4, "datafly"), (3, 4, "datafly"),
        (4, 4, ""),
    ]  # fmt: skip


def test_an_infeasible_run_has_its_error_in_place_of_numbers(people):
    found = compare(people, TWO, {"k": [3, 61]})
    failed = found[found["k"] == 61]
    assert failed["error"].str.contains("has 60 rows").all()
    assert failed["classes"].isna().all()
    assert failed["loss"].isna().all()
    assert found[found["k"] == 3]["error"].isna().all()


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DuplicatesWarning")
def test_a_combination_that_is_illegal_does_not_stop_the_others(people):
    grid = {"k": [3], "mode": ["strict", "relaxed"], "boxes": ["tight", "cuts"]}
    found = compare(people[["age"]], {"mondrian": MondrianAnonymizer()}, grid)
    assert found["error"].notna().sum() == 1
    assert "boxes='cuts'" in found["error"].dropna().iloc[0]


def test_nothing_but_infeasible_runs_is_a_result_too(people):
    found = compare(people, TWO, {"k": [61]})
    assert found["error"].notna().all()


def test_a_fault_of_every_run_is_raised(people):
    with pytest.raises(ParameterError, match="did you mean 'age'"):
        compare(people, TWO, {"k": [2]}, quasi_identifiers=["agee"])


def test_other_errors_are_not_swallowed(people, monkeypatch):
    def explode(self, table, models):
        raise ZeroDivisionError

    monkeypatch.setattr(MondrianAnonymizer, "_learn", explode)
    with pytest.raises(ZeroDivisionError):
        compare(people, TWO, {"k": [2]})


@pytest.mark.parametrize(
    ("methods", "grid", "message"),
    [
        pytest.param([], None, "at least one", id="no-method"),
        pytest.param(["mondrain"], None, "did you mean 'mondrian'", id="method"),
        pytest.param([MondrianAnonymizer(), MondrianAnonymizer()], None, "twice",
                     id="twice"),
        pytest.param({"odd": object()}, None, "does not anonymize tables", id="odd"),
        pytest.param(TWO, {"mode": ["strict"]}, "datafly: unknown .* METHOD.mode",
                     id="parameter-of-one"),
        pytest.param(TWO, {"mondrian.mod": ["strict"]}, "did you mean 'mode'",
                     id="parameter"),
        pytest.param(TWO, {"mondrain.mode": ["strict"]}, "did you mean 'mondrian'",
                     id="owner"),
        pytest.param(TWO, {"k": 5}, "grid: k needs a list", id="no-list"),
        pytest.param(TWO, {"k": []}, "grid: k needs a list", id="empty-list"),
        pytest.param(TWO, {"datafly.stop_rule": "at_most_k"}, "needs a list",
                     id="text"),
    ],
)  # fmt: skip
def test_refusals_come_before_any_run(people, declared, methods, grid, message):
    ran = []
    with pytest.raises(ParameterError, match=message):
        compare(people, methods, grid, progress=lambda *now: ran.append(now))
    assert ran == []


def test_lines_of_a_plot_are_named_by_all_but_k():
    assert line_name("datafly", {"k": 3}) == "datafly"
    assert line_name("m", {"mode": "strict", "k": 3, "boxes": "cuts"}) == (
        "m mode=strict boxes=cuts"
    )


def test_a_plugin_class_is_compared_like_the_others():
    class Whole(TableAnonymizer):
        """Everything in one class."""

        @classmethod
        def test_instances(cls):
            return [cls()]

        def _learn(self, table, models):
            self.learnt_ = True

        def _recode(self, table):
            import numpy as np

            from anon_transformers.base import PublishedColumn

            everything = np.array(["all"], dtype=object)
            return [
                PublishedColumn(
                    np.zeros(table.n_rows, np.int32), everything, np.array([1.0])
                )
                for _ in table.quasi_identifiers
            ]

    found = compare(make_independent(9, 2), {"whole": Whole()}, {"k": [9, 10]})
    assert found["classes"].tolist() == [1, pd.NA]
    assert found["loss"].iloc[0] == 1.0
    assert "level 9" in found["error"].iloc[1]


def test_a_warning_is_given_once_a_run():
    twins = pd.DataFrame({"x": [1, 1, 2, 2, 3, 3]})
    with pytest.warns(DuplicatesWarning) as caught:
        compare(twins, ["mondrian"], {"k": [2, 3], "mode": ["relaxed"]})
    assert len(caught) == 2


# Further numbers, by metrics of anybody.


@dataclass(frozen=True)
class LonelyShare:
    """Share of the classes that hold one row."""

    below: int = 2
    name: ClassVar[str] = "lonely-share"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence):
        return float((evidence.sizes < self.below).mean())


class Vague(LonelyShare):
    name = "vague"
    evidence = "memberships"


class TestMetrics:
    """Numbers that were asked for stand beside those of every run."""

    @pytest.fixture(autouse=True)
    def registered(self):
        catalog = registry().metrics
        catalog.add("lonely-share", LonelyShare, "a-stranger")
        yield
        catalog.remove("lonely-share")

    def test_a_number_of_the_published_table(self, people):
        found = compare(
            people,
            {"mondrian": MondrianAnonymizer()},
            {"k": [1, 4, 61]},
            quasi_identifiers=["age", "zip"],
            metrics=["lonely-share", "average-risk", "suppressed-share"],
        )
        assert list(found.columns[-4:]) == [
            "lonely-share",
            "average-risk",
            "suppressed-share",
            "error",
        ]
        assert found["average-risk"].iloc[:2].tolist() == pytest.approx(
            found["average_risk"].iloc[:2].tolist()
        )
        assert found["lonely-share"].iloc[0] > found["lonely-share"].iloc[1] == 0
        assert found["lonely-share"].isna().tolist() == [False, False, True]
        assert found.attrs["metrics"] == [*found.columns[-4:-1]]

    def test_metrics_may_be_made_and_have_names_of_ones_own(self, people):
        found = compare(
            people,
            ["mondrian"],
            {"k": [2]},
            quasi_identifiers=["age"],
            metrics={"below 3": LonelyShare(below=3), "below 99": LonelyShare(99)},
        )
        assert found["below 99"].tolist() == [1.0]

    def test_rows_that_were_dropped_are_left_out_and_persons_are_counted(self):
        table = pd.DataFrame({"land": list("aaab"), "who": [1, 1, 2, 3]})
        found = compare(
            table,
            {"datafly": DataflyAnonymizer(suppression="drop", suppression_limit=1)},
            {"k": [2]},
            quasi_identifiers=["land"],
            subject="who",
            metrics=["highest-risk", "average-class-size"],
        )
        assert found["suppressed_rows"].tolist() == [1]
        assert found["highest-risk"].tolist() == [1 / 2]
        assert found["average-class-size"].tolist() == [3.0]

    def test_tables_are_compared_row_by_row(self, people):
        found = compare(
            people,
            {"center": MondrianAnonymizer(output="center")},
            {"k": [1, 30]},
            quasi_identifiers=["age"],
            metrics=["squared-error-share"],
        )
        assert found["squared-error-share"].iloc[0] == pytest.approx(0, abs=1e-9)
        assert found["squared-error-share"].iloc[1] > 0

    @pytest.mark.parametrize(
        ("metrics", "error", "message"),
        [
            (["lonely-shore"], ParameterError, "did you mean 'lonely-share'"),
            ("loss", ParameterError, "must be a list"),
            (["loss", "loss"], ParameterError, "loss stands twice"),
            (["edge-cost"], ParameterError, "measures graphs"),
            (["marketer-risk"], NotEvaluable, "metrics, marketer-risk: .*population"),
            ([Vague()], NotEvaluable, "metrics, vague: it needs the degrees"),
        ],
    )
    def test_what_cannot_be_measured_is_told(self, people, metrics, error, message):
        if "edge-cost" in metrics:
            pytest.importorskip("anon_transformers_graphs")
        with pytest.raises(error, match=message):
            compare(people, ["mondrian"], {"k": [2]}, metrics=metrics)

    def test_a_stranger_that_fails_quotes_no_cell(self, people):
        class Quotes(LonelyShare):
            def measure(self, evidence):
                raise KeyError("Zebedee-the-secret")

        with pytest.raises(NotEvaluable, match=r"could not be evaluated: KeyError\.$"):
            compare(people, ["mondrian"], {"k": [2]}, metrics=[Quotes()])

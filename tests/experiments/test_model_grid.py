"""Thresholds of privacy models as parameters of a comparison."""

import pandas as pd
import pytest

from anon_transformers import DataflyAnonymizer, FullDomainAnonymizer
from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import compare
from anon_transformers.experiments._grid import cells
from anon_transformers.experiments._plots import PLOTS, comparison_panels
from anon_transformers.privacy import KAnonymity, RecursiveCLDiversity, TCloseness

pytestmark = pytest.mark.usefixtures("declared")


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [20 + i % 17 for i in range(120)],
            "job": ["a", "b", "c", "a"] * 30,
        }
    )


FULL = FullDomainAnonymizer(suppression_limit=0.5)
TWO = {"full": FULL, "datafly": DataflyAnonymizer(suppression_limit=0.5)}


def run(people, methods, grid):
    return compare(people, methods, grid, sensitive=["job"])


def test_a_threshold_is_a_promise_of_every_method():
    grid = {"k": [2, 5], "t-closeness.t": [0.1, 0.3]}
    made = cells(TWO, grid, {})
    assert len(made) == 2 * 2 * 2
    for cell in made:
        assert cell.anonymizer.models == [
            TCloseness(t=cell.parameters["t-closeness.t"])
        ]
        assert cell.anonymizer.k == cell.parameters["k"]
    assert TWO["full"].models is None


def test_parameters_of_one_model_make_one_model():
    grid = {
        "recursive-cl-diversity.c": [2, 4],
        "recursive-cl-diversity.l": [2, 3],
        "t-closeness.t": [0.5],
    }
    made = cells({"full": FULL}, grid, {})
    assert [cell.anonymizer.models for cell in made] == [
        [RecursiveCLDiversity(c=c, l=l), TCloseness(t=0.5)]
        for c in (2, 4)
        for l in (2, 3)  # noqa: E741
    ]


def test_models_of_an_instance_stay():
    own = FullDomainAnonymizer(models=[KAnonymity(3)])
    (cell,) = cells({"full": own}, {"t-closeness.t": [0.5]}, {})
    assert cell.anonymizer.models == [KAnonymity(3), TCloseness(t=0.5)]
    grid = {"t-closeness.t": [0.5], "models": [[KAnonymity(4)]]}
    (cell,) = cells({"full": own}, grid, {})
    assert cell.anonymizer.models == [KAnonymity(4), TCloseness(t=0.5)]


def test_numbers_are_those_of_the_single_runs(people):
    found = run(people, {"full": FULL}, {"k": [3], "t-closeness.t": [0.05, 0.4]})
    for row in found.to_dict("records"):
        single = FullDomainAnonymizer(
            k=3,
            models=[TCloseness(t=row["parameters"]["t-closeness.t"])],
            sensitive=["job"],
            suppression_limit=0.5,
        ).fit(people)
        assert row["loss"] == pytest.approx(single.report_.loss)
        assert row["classes"] == single.report_.classes["count"]
    assert found["loss"].is_monotonic_decreasing
    assert "models" not in found.attrs["about"]["fixed for full"]


def test_plots_go_against_the_threshold_where_k_is_the_same(people):
    found = run(people, TWO, {"k": [3], "t-closeness.t": [0.4, 0.1]})
    panels = comparison_panels(found)
    assert [p.name for p in panels] == [f"{name}-t-closeness-t" for name in PLOTS]
    assert {p.x_label for p in panels} == {"t"}
    assert panels[0].data["x"].tolist() == [0.4, 0.1] * 2
    assert set(panels[0].data["line"]) == {"full k=3", "datafly k=3"}


def test_plots_go_against_k_and_every_threshold_that_varies(people):
    grid = {"k": [2, 3], "t-closeness.t": [0.4, 0.6], "t-closeness.distance": ["equal"]}
    found = run(people, {"full": FULL}, grid)
    panels = {p.name: p for p in comparison_panels(found)}
    assert set(panels) == {*PLOTS, *(f"{name}-t-closeness-t" for name in PLOTS)}
    assert set(panels["loss"].data["line"]) == {
        f"full t-closeness.distance=equal t-closeness.t={t}" for t in (0.4, 0.6)
    }
    assert set(panels["loss-t-closeness-t"].data["line"]) == {
        f"full k={k} t-closeness.distance=equal" for k in (2, 3)
    }


def test_one_threshold_is_no_axis(people):
    found = run(people, {"full": FULL}, {"k": [2, 3], "t-closeness.t": [0.5]})
    assert [p.name for p in comparison_panels(found)] == list(PLOTS)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        pytest.param({"t-closenes.t": [0.1]}, "did you mean 't-closeness'", id="model"),
        pytest.param({"t-closeness.tt": [0.1]}, "t-closeness: unknown parameter 'tt'",
                     id="parameter"),
        pytest.param({"recursive-cl-diversity.c": [4]},
                     "recursive-cl-diversity.l needs a list", id="required"),
        pytest.param({"t-closeness.t": 0.1}, "t-closeness.t needs a list", id="list"),
        pytest.param({"t-closeness.t": [2]}, "t must", id="value"),
    ],
)  # fmt: skip
def test_refusals_come_before_any_run(people, grid, message):
    ran = []
    with pytest.raises(ParameterError, match=message):
        compare(
            people, {"full": FULL}, grid, sensitive=["job"],
            progress=lambda *now: ran.append(now),
        )  # fmt: skip
    assert ran == []

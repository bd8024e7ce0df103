"""Statistics: the table beside its source, sweeps, the grid that ships, downloads."""

import csv
import re
from io import StringIO

import numpy as np
import pytest

from anon_transformers.studio._statistics import grid_charts, measure, read_grid, sweep

pytest.importorskip("matplotlib", reason="the plots extra")

ROLES = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["disease"],
    "insensitive": ["town"],
    "identifiers": ["id"],
}


SOURCE = {"path": "../data/people.csv", "columns": {"age": "integer"}}


def quiet(*told):
    """Nobody is told."""


@pytest.fixture
def people(studio):
    content = {"roles": ROLES, "anonymizer": mondrian(), "source": SOURCE}
    return studio.project(content)


def mondrian():
    return {"name": "mondrian", "step": {"age": 1}, "domain": {"sex": ["f", "m"]}}


def page_of(project):
    return f"/p/{project.id}/statistics/"


def take(studio, project, **form):
    page = page_of(project)
    return studio.post(f"{page}measure", form, came_from=page)


def test_the_page_says_that_nothing_was_taken_yet(studio, people):
    answer = studio.get(page_of(people))
    assert answer.status_code == 200
    assert "No statistics were taken yet; the table is protected first" in answer.text
    studio.check_accessible(answer)


def test_statistics_are_shown_with_charts_and_tables(studio, people):
    answer = take(studio, people, target="disease")
    found = people.result("statistics").found
    assert found["unit"] == "rows"
    assert found["risk"]["before"]["highest-risk"] == 1.0
    assert found["risk"]["after"]["highest-risk"] <= 0.5
    assert sum(step["rows"] for step in found["class_sizes"]["after"]) == 8
    assert answer.text.count("<svg") == len(found["charts"]) == 11
    assert "Mean of the middles" in answer.text
    assert found["accuracy"]["target"] == "disease"
    studio.check_accessible(answer)
    for place in ("classes", "distributions", "correlations", "queries", "sweep"):
        assert f'<a href="#{place}">' in answer.text
        assert f'<h2 id="{place}">' in answer.text
    text = studio.text(answer)
    assert "Prosecutor knows that a certain person is in the table" in text
    assert "Rows whose cell is * are left out, except where the most frequent" in text
    queries = answer.text.partition('<h2 id="queries">')[2].partition("<h2")[0]
    mode = queries.partition("<td>Most frequent</td>")[2].partition("</tr>")[0]
    assert mode.count('<td class="number">') == 3


def test_the_same_statistics_come_of_the_same_table(people):
    one, other = (measure(people, {}, quiet) for _ in range(2))
    assert one == other


def test_numbers_of_an_earlier_state_are_called_so(studio, people):
    take(studio, people)
    people.edit("k", lambda content: content.update(
        thresholds=[{"model": "k-anonymity", "k": 4}]))  # fmt: skip
    assert "numbers are of an earlier state" in studio.get(page_of(people)).text
    answer = take(studio, people)
    assert "numbers are of an earlier state" not in answer.text
    assert people.result("statistics").found["risk"]["after"]["highest-risk"] <= 0.25


def test_persons_are_counted_where_a_subject_is_set(studio):
    rows = "".join(
        f"P{i // 2},{30 + i // 2},{'fm'[i % 4 // 2]},flu\n" for i in range(16)
    )
    project = studio.project(
        {
            "roles": {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"],
                      "subject": "who"},
            "anonymizer": mondrian(),
            "source": SOURCE,
        },
        "who,age,sex,disease\n" + rows,
    )  # fmt: skip
    found = measure(project, {}, quiet)
    assert found["unit"] == "persons"
    assert sum(step["rows"] for step in found["class_sizes"]["before"]) == 8
    assert found["risk"]["after"]["highest-risk"] <= 0.5


def test_every_chart_is_a_file(studio, people):
    answer = take(studio, people)
    links = re.findall(r'href="(/p/[^"]+\.(?:csv|svg))"', answer.text)
    assert len(links) == 2 * len(people.result("statistics").found["charts"])
    for link in links:
        file = studio.get(link)
        assert file.status_code == 200
        assert "attachment" in file.headers["content-disposition"]
        if link.endswith(".svg"):
            assert file.text.startswith("<svg")
        else:
            name = link.rpartition("/")[2].removesuffix(".csv")
            chart = people.result("statistics").found["charts"][name]
            head, *rows = csv.reader(StringIO(file.text))
            assert head == [str(column) for column in chart["columns"]]
            assert rows == [["" if cell is None else str(cell) for cell in row]
                            for row in chart["rows"]]  # fmt: skip


@pytest.mark.parametrize(
    "rest", ["statistics/none.csv", "statistics/risk.exe", "protect/risk.csv",
             "grid-k/loss.csv", "grid-x/loss.csv"],
)  # fmt: skip
def test_no_other_file_is_given(studio, people, rest):
    take(studio, people)
    assert studio.get(page_of(people) + rest).status_code == 404


def test_the_private_report_has_the_pictures_of_the_page(studio, people):
    take(studio, people)
    charts = people.result("statistics").found["charts"]
    here = f"/p/{people.id}/release/"
    studio.post(f"{here}run", came_from=here)
    run = people.result("release").found["run"]
    report = studio.get(f"{here}private/{run}").text
    for name in ("class-sizes", "risk"):
        assert charts[name]["svg"] in report, name


def test_hostile_names_and_values_stay_texts(studio):
    odd = studio.hostile
    rows = "".join(f"{30 + i},{odd},=1+{i % 2}\n" for i in range(8))
    project = studio.project(
        {
            "roles": {"quasi_identifiers": ["age"], "insensitive": [odd],
                      "sensitive": ["=cmd"]},
            "anonymizer": {"name": "mondrian", "step": {"age": 1}},
            "source": SOURCE,
        },
        f"age,{odd},=cmd\n{rows}",
    )  # fmt: skip
    answer = take(studio, project)
    assert "<script>alert" not in answer.text
    assert answer.text.count("&lt;script&gt;") > 2
    charts = project.result("statistics").found["charts"]
    (name,) = [n for n, one in charts.items() if one["title"].startswith("=cmd")]
    file = studio.get(f"{page_of(project)}statistics/{name}.csv").text
    assert file.startswith("'=cmd,")
    assert not re.search(r"^=", file, re.M)


def test_a_sweep_draws_what_k_costs(studio, people):
    page = page_of(people)
    answer = studio.post(
        f"{page}sweep", {"over": "k", "values": "2, 4 9"}, came_from=page
    )
    swept = people.result("sweep").found
    assert [x for x, why in swept["refused"]] == [9]
    classes = swept["charts"]["classes"]["rows"]
    assert classes[0][0] == 2
    assert classes[0][1] >= classes[1][1] >= 1
    assert classes[2] == [9, None]
    assert "Number of classes against k" in answer.text
    assert "Why there is no result" in answer.text


def test_a_sweep_draws_all_statistics_against_the_parameter(studio):
    ages = (34, 35, 36, 49, 51, 52, 70, 90)
    rows = [f"{age},{'fm'[age % 2]},{'flu' if age < 50 else 'cold'}" for age in ages]
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]}
    # Without ends, the lowest and the highest box have no middle.
    bounded = mondrian() | {"domain": {"sex": ["f", "m"], "age": [30, 99]}}
    project = studio.project(
        {"roles": roles, "anonymizer": bounded, "source": SOURCE},
        "\n".join(["age,sex,disease", *rows, ""]),
    )
    page = page_of(project)
    asked = {"over": "k", "values": "2, 4 9", "target": "disease"}
    answer = studio.post(f"{page}sweep", asked, came_from=page)
    charts = project.result("sweep").found["charts"]
    of_k = {
        name: [dict(zip(one["columns"], row, strict=True)) for row in one["rows"]]
        for name, one in charts.items()
    }
    assert all([row["k"] for row in rows] == [2, 4, 9] for rows in of_k.values())
    assert [row["mondrian"] for row in of_k["records-at-risk"]] == [1.0, 1.0, None]
    assert of_k["accuracy"][2]["published"] is None
    assert "disease predicted by" in studio.text(answer)
    # What one k gives in a sweep, a run of the file with that k gives.
    project.edit("k", lambda content: content.update(
        thresholds=[{"model": "k-anonymity", "k": 4}]))  # fmt: skip
    alone = measure(project, {"target": "disease"}, quiet)
    four = {
        name: {n: v for n, v in rows[1].items() if n != "k"}
        for name, rows in of_k.items()
    }
    assert four["accuracy"]["published"] == alone["accuracy"]["published"]
    assert four["highest-risk"]["mondrian"] == alone["risk"]["after"]["highest-risk"]
    moved = {name: share for name, share in alone["changes"].items() if share}
    assert four["changes"] == moved
    assert four["column-losses"] == pytest.approx(alone["column_losses"])
    (mean,) = [row for row in alone["queries"]["age"] if row[0] == "mean middle"]
    assert four["query-errors"]["age"] == pytest.approx(abs(mean[3] / mean[1]))
    sides = (alone["associations"][side] for side in ("before", "after"))
    before, after = map(np.array, sides)
    pairs = np.triu_indices(3, 1)
    assert four["associations"]["mondrian"] == pytest.approx(
        np.abs(before - after)[pairs].mean()
    )


@pytest.mark.parametrize(("over", "values"), [("l", [1, 2]), ("t", [0.5, 1.0])])
def test_a_sweep_goes_over_l_and_t(people, over, values):
    found = sweep(people, {"over": over, "values": values}, quiet)
    assert [row[0] for row in found["charts"]["classes"]["rows"]] == values
    assert found["charts"]["classes"]["rows"][-1][1] >= 1


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"over": "q"}, "over: choose one of k, l, t."),
        ({"over": "k", "values": "2, x"}, "k must be a whole number, got 'x'."),
        ({"over": "t", "values": "high"}, "t must be a number, got"),
        ({"over": "k", "values": " ".join(["2"] * 31)}, "give 1 to 30 numbers"),
    ],
)
def test_a_wrong_sweep_says_what_is_legal(studio, people, form, why):
    page = page_of(people)
    answer = studio.post(f"{page}sweep", form, came_from=page)
    assert why in studio.text(answer)
    assert people.result("sweep") is None


def test_a_target_that_is_no_column_is_refused(studio, people):
    answer = take(studio, people, target="age")
    assert "no sensitive or insensitive column" in studio.text(answer)


def test_the_adult_project_opens_with_its_grid(studio):
    project = studio.adult()
    for over in ("k", "l", "t", "x"):
        answer = studio.get(f"{page_of(project)}?grid={over}")
        assert answer.text.count("<svg") == 8
    studio.check_accessible(answer)
    file = studio.get(f"{page_of(project)}grid-k/classes.csv")
    assert file.text.splitlines()[:2] == ["k,k-anonymity", "2,1394"]


def test_the_grid_is_that_of_the_source():
    runs = read_grid()["runs"]
    (two,) = [r for r in runs if r["method"] == "k-anonymity" and r["k"] == 2]
    assert (two["largest"], two["suppressed"]) == (1250, 1971)
    assert two["loss"] == pytest.approx(10.755107672663634)
    assert dict(grid_charts("k")["highest-risk"].rows)[2] == 0.5
    loss = dict(grid_charts("k")["loss"].rows)
    assert loss[2] == pytest.approx(0.10755107672663634)
    assert len(grid_charts("l")["loss"].columns) > 2

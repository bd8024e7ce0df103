"""Explore: every node, every k, and another node by a click."""

import re

import pytest

from anon_transformers import FullDomainAnonymizer
from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.experiments import release_methods
from anon_transformers.studio import _explore as explore

ROLES = {
    "identifiers": ["id"],
    "quasi_identifiers": ["age", "sex", "town"],
    "sensitive": ["disease"],
}
TREES = {
    "age": {"kind": "intervals", "widths": [10, 40]},
    "sex": {"kind": "masking", "length": 1},
    "town": {"kind": "masking", "length": 4},
}


@pytest.fixture
def project(studio):
    return studio.project(
        {
            "roles": ROLES,
            "hierarchies": TREES,
            "anonymizer": {"name": "full-domain", "suppression_limit": 0.25},
        }
    )


def page_of(project):
    return f"/p/{project.id}/explore/"


def click(studio, project, what, data=None):
    return studio.post(f"{page_of(project)}{what}", data, page_of(project))


def test_the_file_is_a_release(project):
    assert project.fault is None


def test_bounds_that_no_node_is_judged_by_are_named(studio, project):
    said = "Whether average-risk holds, too, shows when Protect makes the table"
    assert said not in studio.text(click(studio, project, "lattice"))
    bound = {"metric": "average-risk", "max": 0.9}
    project.edit("bound", lambda c: c["thresholds"].append(bound))
    assert said in studio.text(studio.get(page_of(project)))


def test_nodes_are_judged_as_the_release_judges_them(studio, project):
    answer = click(studio, project, "lattice")
    studio.check_accessible(answer)
    survey = explore.survey_of(project)
    opened = release_methods(project.file, ["full-domain"])
    method = opened.methods["full-domain"]
    assert isinstance(method, FullDomainAnonymizer)
    fitting = 0
    for row in range(len(survey.nodes)):
        levels = dict(zip(survey.columns, survey.levels_of(row), strict=True))
        one = release_methods(project.file, ["full-domain"]).methods["full-domain"]
        one.set_params(levels=levels)
        if survey.nodes["fits"].iloc[row]:
            one.fit(opened.frame)
            assert one.loss_ == pytest.approx(survey.nodes["loss"].iloc[row])
            assert one.n_suppressed_ == survey.nodes["suppressed_rows"].iloc[row]
            fitting += 1
        else:
            with pytest.raises(InfeasibleError):
                one.fit(opened.frame)
    assert 0 < fitting < len(survey.nodes)
    found = method.fit(opened.frame)
    assert survey.best == tuple(found.levels_.values())
    assert f"{fitting} of {len(survey.nodes)} nodes" in studio.text(answer)


def test_nodes_are_drawn_and_lead_to_themselves(studio, project):
    page = click(studio, project, "lattice").text
    survey = explore.survey_of(project)
    (picture,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert picture.count("<rect") == len(survey.nodes)
    best = ",".join(map(str, survey.best))
    assert f'href="{page_of(project)}?node={best}"' in picture
    shown = studio.get(f"{page_of(project)}?node={best}")
    assert f"Node {best}" in studio.text(shown)
    assert "Apply these levels" in shown.text
    studio.check_accessible(shown)


def test_many_nodes_are_a_list(studio, project, monkeypatch):
    from anon_transformers.studio.pages import explore as page

    monkeypatch.setattr(page, "MOST_DRAWN", 5)
    monkeypatch.setattr(page, "LINES", 2)
    answer = click(studio, project, "lattice")
    assert "<svg" not in answer.text
    assert "too many nodes to draw" in answer.text
    losses = []
    pages = int(re.search(r"page 1 of (\d+)", answer.text)[1])
    assert pages > 1
    for number in range(1, pages + 1):
        text = studio.get(f"{page_of(project)}?page={number}").text
        losses += re.findall(r'<a href="\?node=([\d,]+)&amp;', text)
    survey = explore.survey_of(project)
    rows = [survey.find(tuple(map(int, name.split(",")))) for name in losses]
    assert len(rows) == survey.nodes["fits"].sum() == len(set(rows))
    assert survey.nodes["loss"].iloc[rows].is_monotonic_increasing


def test_a_click_applies_another_node_and_undo_takes_it_back(studio, project):
    click(studio, project, "lattice")
    survey = explore.survey_of(project)
    fitting = survey.nodes.index[survey.nodes["fits"]].tolist()
    other = next(
        levels
        for levels in map(survey.levels_of, reversed(fitting))
        if levels != survey.best
    )
    name = ",".join(map(str, other))
    data = {"node": name, "column": survey.columns}
    answer = click(studio, project, "apply", data)
    assert project.content["anonymizer"]["levels"] == dict(
        zip(survey.columns, other, strict=True)
    )
    assert project.fault is None
    text = studio.text(answer)
    assert f"The release applies {name}" in text
    assert "earlier state" not in text  # the nodes are what they were
    from anon_transformers.studio._protected import protect

    made = protect(project, {}, lambda *told: None)
    assert made["details"]["levels"] == project.content["anonymizer"]["levels"]
    click(studio, project, "search")
    assert "levels" not in project.content["anonymizer"]
    studio.post(f"/p/{project.id}/undo", came_from=page_of(project))
    assert "levels" in project.content["anonymizer"]


def test_another_change_makes_the_nodes_old(studio, project):
    click(studio, project, "lattice")
    assert explore.survey_of(project).current
    project.edit(
        "k", lambda content: content["thresholds"].__setitem__(
            0, {"model": "k-anonymity", "k": 3}
        )
    )  # fmt: skip
    assert not explore.survey_of(project).current
    shown = studio.get(page_of(project) + "?node=1,1,1")
    assert "earlier state" in shown.text
    assert 'class="passed"' not in shown.text and 'class="failed"' not in shown.text
    assert "Kept every promise then." in studio.text(shown)


@pytest.mark.parametrize(
    "node", ["", "1", "a,b,c", "1,1,1,1", "<script>,1,1", "-1,0,0"]
)
def test_what_is_no_node_is_refused_and_not_shown(studio, project, node):
    click(studio, project, "lattice")
    data = {"node": node, "column": ["age", "sex", "town"]}
    answer = click(studio, project, "apply", data)
    assert "one level for each quasi-identifier" in studio.text(answer)
    assert "levels" not in project.content["anonymizer"]
    shown = studio.get(page_of(project), params={"node": node, "page": node})
    assert shown.status_code == 200
    assert "<script>" not in shown.text.replace('<script src="', "")


def test_levels_that_a_hierarchy_lacks_are_told_by_the_run(studio, project):
    data = {"node": "9,9,9", "column": ["age", "sex", "town"]}
    click(studio, project, "apply", data)
    from anon_transformers.studio._protected import protect

    with pytest.raises(DataError, match="is no level from 0 to"):
        protect(project, {}, lambda *told: None)


def test_the_curve_is_that_of_frontier(studio, project):
    answer = click(
        studio, project, "frontier", {"max_k": "6", "suppression_limit": "0"}
    )
    studio.check_accessible(answer)
    opened = release_methods(project.file, ["full-domain"])
    method = opened.methods["full-domain"].set_params(suppression_limit=0)
    curve = method.frontier(opened.frame, max_k=6)
    found = project.result(explore.FRONTIER).found
    assert [one["k_to"] for one in found["ranges"]] == curve.table["k_to"].tolist()
    assert [one["loss"] for one in found["ranges"]] == curve.table["loss"].tolist()
    assert [
        one["levels"] for one in found["ranges"]
    ] == curve.levels.to_numpy().tolist()
    assert "<svg" in answer.text


def test_a_curve_is_of_the_file_that_it_read(project):
    def progress(done, total, at):
        if at == "done":
            project.edit("k", lambda c: c["thresholds"][0].update(k=3))

    params = {"max_k": 3, "suppression_limit": 0}
    project.keep_work(
        explore.FRONTIER,
        params,
        lambda: explore.draw_frontier(project, params, progress),
    )
    result = project.result(explore.FRONTIER)
    assert not explore.is_current(project, result)
    project.move(-1)
    assert explore.is_current(project, result)


def test_a_look_that_is_cut_off_leaves_the_nodes_before(studio, project, monkeypatch):
    click(studio, project, "lattice")
    before = explore.survey_of(project)

    def cut(frame, file):
        file.write_bytes(b"PAR1")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("pandas.DataFrame.to_parquet", cut)
        page = click(studio, project, "lattice")
    assert page.status_code == 200
    assert explore.survey_of(project).nodes.equals(before.nodes)
    click(studio, project, "lattice")
    folder = project.result(explore.LATTICE).folder
    assert len(list(folder.glob("*.parquet"))) <= 2  # the one before, and the new one


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"max_k": "many", "suppression_limit": "0"},
            "max_k must be a whole number, got 'many'.",
        ),
        ({"max_k": "0", "suppression_limit": "0"}, "k must be a whole number"),
        ({"max_k": "5", "suppression_limit": "-1"}, "suppression_limit"),
    ],
)
def test_a_curve_of_nonsense_is_refused(studio, project, data, said):
    assert said in studio.text(click(studio, project, "frontier", data))


def test_another_method_has_the_curve_and_a_way_to_switch(studio):
    project = studio.project(
        {
            "roles": ROLES,
            "hierarchies": TREES,
            "anonymizer": {
                "name": "mondrian",
                "step": {"age": 5},
                "suppression": "drop",
            },
        }
    )
    page = studio.get(page_of(project))
    assert "Look at every node" not in page.text
    assert "made by mondrian" in studio.text(page)
    with pytest.raises(ParameterError, match="only full-domain"):
        explore.look_at_nodes(project, {}, lambda *told: None)
    answer = click(
        studio, project, "frontier", {"max_k": "4", "suppression_limit": "0"}
    )
    assert "<svg" in answer.text
    assert "Apply" not in answer.text
    refused = click(
        studio, project, "apply", {"node": "0,0,0", "column": ["a", "b", "c"]}
    )
    assert "switch to it first" in studio.text(refused)
    click(studio, project, "switch")
    assert project.content["anonymizer"] == {
        "name": "full-domain",
        "suppression": "drop",
    }
    assert project.fault is None


def test_names_of_columns_are_escaped(studio):
    name = studio.hostile
    table = studio.people.replace("town", name)
    roles = {**ROLES, "quasi_identifiers": ["age", "sex", name]}
    trees = {"age": TREES["age"], "sex": TREES["sex"], name: TREES["town"]}
    project = studio.project(
        {"roles": roles, "hierarchies": trees, "anonymizer": {"name": "full-domain"}},
        table,
    )
    click(studio, project, "lattice")
    answer = click(
        studio, project, "frontier", {"max_k": "4", "suppression_limit": "0"}
    )
    assert explore.survey_of(project).columns[-1] == name
    assert name not in answer.text


@pytest.mark.slow
def test_the_worker_looks_at_every_node(real_studio):
    project = real_studio.project(
        {"roles": ROLES, "hierarchies": TREES, "anonymizer": {"name": "full-domain"}}
    )
    click(real_studio, project, "lattice")
    job = real_studio.wait(project, explore.LATTICE)
    assert job.state == "done", job.reason
    assert explore.survey_of(project) is not None

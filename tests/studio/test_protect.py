"""Protect: every click edits the file; a run, its table before and after, advice."""

import re
from html import unescape

import pytest

from anon_transformers.studio._goals import PRESETS, offers, stated_thresholds
from anon_transformers.studio._protected import Keeper, _kept, protect, protected_of
from anon_transformers.studio._rows import excerpt
from anon_transformers.studio._yaml import dump

ROLES = {
    "quasi_identifiers": ["age", "sex", "town"],
    "sensitive": ["disease"],
    "identifiers": ["id"],
}
MONDRIAN = {
    "name": "mondrian",
    "step": {"age": 5},
    "domain": {"sex": ["f", "m"], "town": ["Bonn", "Ulm"]},
}
FULL_DOMAIN = {"name": "full-domain", "levels": {"age": 1, "sex": 1, "town": 1}}
HIERARCHIES = {
    "age": {"kind": "intervals", "widths": [20]},
    "sex": {"kind": "masking", "length": 1},
    "town": {"kind": "masking", "length": 4, "step": 4},
}


@pytest.fixture
def project(studio):
    """Eight persons, Mondrian, k 2."""
    return studio.project({"roles": ROLES, "anonymizer": MONDRIAN})


def page_of(project, rest=""):
    return f"/p/{project.id}/protect/{rest}"


def post(studio, project, rest, **form):
    return studio.post(page_of(project, rest), form, page_of(project))


def run(studio, project):
    return post(studio, project, "run")


def test_a_run_shows_verdict_numbers_and_both_tables(studio, project):
    shown = run(studio, project)
    text = studio.text(shown)
    assert "✓ Every threshold holds" in text
    assert re.search(r"Rows of the source 8 Rows that are published 8", text)
    assert "k-anonymity" in text and "✓ holds" in text
    assert "≠" in text and "Ulm" in text
    studio.check_accessible(shown)


def test_the_same_rows_stand_beside_each_other(studio, project):
    run(studio, project)
    found = excerpt(project.result("protect"), 4, count=2, first=["town"])
    assert found.numbers == [5, 6]
    assert [cells[0].text for cells in found.before] == ["Ulm", "Ulm"]
    assert found.columns_before[:2] == ["town", "id"]
    assert "id" not in found.columns_after
    disease = found.columns_after.index("disease")
    assert [cells[disease].text for cells in found.after] == ["cold", "flu"]
    assert not any(cells[disease].changed for cells in found.after)
    age = found.columns_after.index("age")
    assert all(cells[age].changed for cells in found.after)


def test_a_page_of_rows_beyond_the_end_is_the_last_one(studio, project):
    run(studio, project)
    result = project.result("protect")
    assert excerpt(result, 10**6, count=3).numbers == [7, 8]
    shown = studio.text(studio.get(page_of(project, "?row=999")))
    assert "Rows 1 to 8 of 8" in shown


def test_rows_that_are_left_out_are_said_to_be(studio):
    content = {
        "roles": ROLES,
        "hierarchies": HIERARCHIES,
        "source": {"path": "../data/people.csv", "columns": {"age": "number"}},
        "anonymizer": {**FULL_DOMAIN, "suppression": "drop", "suppression_limit": 0.5},
        "thresholds": [{"model": "k-anonymity", "k": 3}],
    }
    table = studio.people + "9,80,m,Ulm,flu\n"
    project = studio.project(content, table)
    shown = run(studio, project)
    assert "left out" in studio.text(shown)
    protected = protected_of(project)
    assert len(protected.source) == 9 and len(protected.published) < 9
    gone = set(protected.source.index) - set(protected.published.index)
    assert protected.result.found["suppressed_rows"] == len(gone)


def test_a_change_of_the_file_makes_the_result_stale(studio, project):
    run(studio, project)
    shown = post(studio, project, "preset", preset="k5")
    assert "these numbers are of an earlier state" in studio.text(shown)


def test_a_column_that_tells_persons_apart_is_changed_where_the_link_leads(
    studio, project
):
    project.edit(
        "published", lambda c: c["roles"].update(identifiers=[], insensitive=["id"])
    )  # fmt: skip
    shown = run(studio, project)
    assert "accept it (accept_unique)" in studio.text(shown)
    data = f"/p/{project.id}/data/"
    assert f'<a href="{data}">Roles and kinds of columns</a>.' in shown.text
    assert "apart (accept_unique)" in studio.text(studio.get(data))


def test_a_result_of_an_earlier_file_has_no_tick_and_no_colour(studio, project):
    first = run(studio, project)
    assert 'class="passed"' in first.text and "✓" in first.text
    changed = post(studio, project, "preset", preset="k5")
    # k 5 of eight persons: there is no such table, and the older one stays.
    post(studio, project, "threshold", at="0", kind="model", name="k-anonymity",
         **{"p-k": "100000"})  # fmt: skip
    refused = run(studio, project)
    assert "No table was made" in studio.text(refused)
    for shown in (changed, refused):
        text = studio.text(shown)
        assert "✓" not in text and 'class="passed"' not in shown.text
        assert "Every threshold held then." in text
        assert "would publish" not in text and "✓ holds" not in text
        assert "Result of an earlier run" in text
        assert "As it would have been published" in text


def test_a_job_that_is_cancelled_leaves_the_older_table_with_its_numbers(
    studio, project, monkeypatch
):
    run(studio, project)
    before = studio.text(studio.get(page_of(project))).rpartition("What must hold")[0]

    def killed(self, made, name=""):
        (self._folder / f"{self.tables}-published.parquet").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Keeper, "keep_published", killed)
        protect(project, {}, lambda *told: None)
    after = studio.text(studio.get(page_of(project))).rpartition("What must hold")[0]
    assert after == before and "Before and after" in after
    run(studio, project)
    kept = sorted(file.name for file in project.result("protect").folder.glob("*.p*"))
    assert len(kept) == 4  # of this run and of the one before it; what was cut is gone


# The method.


def test_all_methods_of_tables_are_offered_with_why_some_do_not_fit(studio, project):
    found = {one.name: one.refusal for one in offers(project)}
    assert {"mondrian", "datafly", "full-domain", "mdav", "group-swap"} <= set(found)
    assert "k-degree" not in found
    assert found["mondrian"] == ""
    assert "probabilistic-k-anonymity" in found["group-swap"]
    shown = studio.text(studio.get(page_of(project)))
    assert "Not with this file as it is: thresholds: group-swap swaps cells" in shown


def test_another_method_keeps_what_is_suppressed(studio, project):
    def change(content):
        content["anonymizer"]["suppression_limit"] = 0.1

    project.edit("limit", change)
    post(studio, project, "method", name="full-domain")
    stated = {"name": "full-domain", "suppression_limit": 0.1}
    assert project.content["anonymizer"] == stated
    studio.post(f"/p/{project.id}/undo", came_from=page_of(project))
    assert project.content["anonymizer"]["name"] == "mondrian"


def test_an_unknown_method_is_refused(studio, project):
    shown = post(studio, project, "method", name="mondrain")
    assert "did you mean 'mondrian'?" in studio.text(shown)
    assert project.content["anonymizer"] == MONDRIAN


def parameters(page, **changed):
    """The form of the method as a browser would send it, with some inputs changed."""
    form = re.search(r'<form method="post" action="[^"]*parameters">.*?</form>', page,
                     re.DOTALL)[0]  # fmt: skip
    found = {}
    for tag in re.findall(r"<input\b[^>]*>", form):
        name, value = (
            re.search(rf'\b{a}="([^"]*)"', tag)[1] for a in ("name", "value")
        )
        if 'type="checkbox"' not in tag or "checked" in tag:
            found[name] = unescape(value)
    for name, inner in re.findall(r'<select[^>]*name="([^"]*)">(.*?)</select>', form,
                                  re.DOTALL):  # fmt: skip
        chosen = re.search(r'value="([^"]*)" selected', inner)
        found[name] = unescape(chosen[1]) if chosen else ""
    return {**found, **{f"p-{key}": value for key, value in changed.items()}}


def test_parameters_are_stated_where_they_differ(studio, project):
    page = studio.get(page_of(project)).text
    assert studio.post(page_of(project, "parameters"), parameters(page)).status_code
    assert project.content["anonymizer"] == MONDRIAN
    form = parameters(page, tie_side="left", suppression_limit="0.25")
    studio.post(page_of(project, "parameters"), form, page_of(project))
    stated = {**MONDRIAN, "tie_side": "left", "suppression_limit": 0.25}
    assert project.content["anonymizer"] == stated


def test_a_wrong_parameter_gives_the_words_of_the_library(studio, project):
    page = studio.get(page_of(project)).text
    for changed, words in (
        ({"suppression_limit": "2.5"}, "suppression_limit"),
        ({"step": "null"}, "step: null lets cuts lie halfway"),
        ({"n_jobs": "many"}, "n_jobs must be a whole number, got 'many'."),
        ({"mode": "wild"}, "unknown mode 'wild'"),
    ):
        form = parameters(page, **changed)
        shown = studio.post(page_of(project, "parameters"), form, page_of(project))
        assert words in studio.text(shown).partition("Show YAML")[0], changed
    assert project.content["anonymizer"] == MONDRIAN


def test_what_is_no_field_stays_in_the_file(studio, project):
    def change(content):
        content["anonymizer"]["k"] = 4

    project.edit("own k", change)
    page = studio.get(page_of(project))
    assert "The file states k for the method itself" in studio.text(page)
    form = parameters(page.text, tie_side="left")
    studio.post(page_of(project, "parameters"), form, page_of(project))
    assert project.content["anonymizer"]["k"] == 4


# Thresholds.


def test_a_threshold_is_added_changed_and_removed(studio, project):
    shown = studio.get(page_of(project, "?add=model:distinct-l-diversity"))
    assert "New: distinct-l-diversity" in studio.text(shown)
    studio.check_accessible(shown)
    new = {"kind": "model", "name": "distinct-l-diversity", "at": "-1"}
    post(studio, project, "threshold", **new, **{"p-l": "2"})
    assert project.content["thresholds"][1:] == [
        {"model": "distinct-l-diversity", "l": 2}
    ]
    changed = {**new, "at": "1", "p-l": "3", "p-sensitive": "disease"}
    post(studio, project, "threshold", **changed)
    assert project.content["thresholds"][1] == {
        "model": "distinct-l-diversity",
        "l": 3,
        "sensitive": "disease",
    }
    post(studio, project, "remove", **{**new, "at": "1"})
    assert project.content["thresholds"] == [{"model": "k-anonymity", "k": 2}]


def test_what_occurs_twice_gets_an_id(studio, project):
    new = {"kind": "metric", "name": "records-at-risk", "at": "-1"}
    post(studio, project, "threshold", **new, **{"p-max": "0.5"})
    post(studio, project, "threshold", **new, **{"p-max": "0", "p-threshold": "0.5"})
    assert project.content["thresholds"][1:] == [
        {"metric": "records-at-risk", "max": 0.5},
        {"metric": "records-at-risk", "max": 0, "threshold": 0.5,
         "id": "records-at-risk-2"},
    ]  # fmt: skip
    assert project.fault is None
    twice = {**new, "at": "2", "p-max": "0", "p-id": "k-anonymity"}
    shown = post(studio, project, "threshold", **twice)
    assert "'k-anonymity' is given twice" in studio.text(shown)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"kind": "model", "name": "k-anonymity", "p-k": "0"}, "at least 1, got 0"),
        ({"kind": "model", "name": "k-anonymity"}, "needs the parameter 'k'"),
        ({"kind": "model", "name": "t-closeness", "p-t": "2"}, "at most 1, got 2"),
        ({"kind": "metric", "name": "loss"}, "a metric needs min or max"),
        ({"kind": "model", "name": "k-anonimity"}, "did you mean 'k-anonymity'?"),
        ({"kind": "model", "name": "k-map", "p-k": "2"}, "needs a population"),
        ({"kind": "<b>", "name": "x"}, "a threshold is a model, a metric or an attack"),
    ],
)
def test_a_wrong_threshold_gives_the_words_of_the_library(studio, project, form, words):
    before = project.text
    shown = post(studio, project, "threshold", at="-1", **form)
    assert words in studio.text(shown).partition("Show YAML")[0]
    assert project.text == before


def test_a_form_of_an_earlier_list_changes_nothing(studio, project):
    old = {"kind": "model", "name": "t-closeness", "at": "0", "p-t": "0.5"}
    for rest in ("threshold", "remove"):
        shown = post(studio, project, rest, **old)
        assert "the list was changed meanwhile" in studio.text(shown)
    assert project.content["thresholds"] == [{"model": "k-anonymity", "k": 2}]


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_presets_are_legal_releases(studio, project, preset):
    post(studio, project, "preset", preset=preset.name)
    stated = stated_thresholds(project.content)
    assert project.fault is None and not any(one.fault for one in stated)
    assert project.config.thresholds[0].params["k"] == preset.k


def test_a_preset_of_a_swap_has_the_model_of_swaps(studio, project):
    post(studio, project, "method", name="group-swap")
    post(studio, project, "preset", preset="k5")
    assert project.content["thresholds"] == [
        {"model": "probabilistic-k-anonymity", "k": 5}
    ]


# What does not pass.


def test_impossible_thresholds_say_why_and_what_would_pass(studio, project):
    new = {"kind": "model", "name": "distinct-l-diversity", "at": "-1", "p-l": "3"}
    post(studio, project, "threshold", **new)
    shown = run(studio, project)
    text = studio.text(shown)
    assert "No table was made" in text and "distinct-l-diversity" in text
    assert shown.text.count("What would pass?") == 1
    shown = post(studio, project, "suggest", seconds="5")
    assert "Settings that pass: each was tried" in studio.text(shown)
    studio.check_accessible(shown)
    found = project.result("suggest").found["settings"]
    number = next(n for n, one in enumerate(found) if one["loosens"])
    post(studio, project, "apply", number=str(number))
    assert project.content["thresholds"][1]["l"] == 2
    assert "✓ Every threshold holds" in studio.text(run(studio, project))


def test_a_suggestion_of_an_earlier_file_is_not_applied(studio, project):
    post(studio, project, "suggest", seconds="5")
    post(studio, project, "preset", preset="k5")
    before = project.text
    shown = post(studio, project, "apply", number="0")
    assert "of an earlier state of the file" in studio.text(shown)
    assert project.text == before


@pytest.mark.parametrize("seconds", ["", "0", "4000", "ten"])
def test_suggestions_take_a_sensible_time(studio, project, seconds):
    shown = post(studio, project, "suggest", seconds=seconds)
    assert "seconds must be a whole number from 1 to 3600" in studio.text(shown)


def test_a_broken_gate_keeps_its_table_and_its_reasons(studio, project):
    new = {"kind": "metric", "name": "loss", "at": "-1", "p-max": "0"}
    post(studio, project, "threshold", **new)
    text = studio.text(run(studio, project))
    assert "✗ A release would not publish this table." in text
    assert "✗ broken" in text and "The thresholds do not hold" in text


# A file that is not whole, and hostile names.


def test_a_file_without_roles_is_shown_and_cannot_be_run(studio):
    project = studio.upload()
    shown = studio.get(page_of(project))
    assert shown.status_code == 200
    assert "It cannot be run yet" in studio.text(shown)


@pytest.mark.parametrize(
    "content",
    [
        {"thresholds": "all"},
        {"thresholds": [3, {"model": "gone-with-its-plugin"}, {}]},
        {"anonymizer": "mondrian"},
        {"anonymizer": {"name": "gone"}},
        {"roles": [1], "anonymizer": None},
    ],
)
def test_odd_files_are_shown(studio, content):
    project = studio.project({"roles": ROLES, **content})
    assert studio.get(page_of(project)).status_code == 200


def test_hostile_names_and_values_are_escaped(studio):
    name = studio.hostile
    table = studio.people.replace("town", name).replace("Ulm", f"{name}x")
    roles = {**ROLES, "quasi_identifiers": ["age", "sex", name]}
    steps = {"name": "mondrian", "step": {"age": 5}}
    domain = {"sex": ["f", "m"], name: ["Bonn", f"{name}x"]}
    content = {"roles": roles, "anonymizer": {**steps, "domain": domain}}
    project = studio.project(content, table)
    shown = run(studio, project)
    assert "Before and after" in shown.text
    assert "<script>alert" not in shown.text
    assert "&lt;script&gt;alert" in shown.text


def test_the_source_is_read_once_for_the_same_file(studio, project):
    def told(*what):
        return None

    protect(project, {}, told)
    (first,) = _kept.values()
    post(studio, project, "preset", preset="k5")
    assert protect(project, {}, told)["source_rows"] == 8
    assert next(iter(_kept.values())) is first
    file = project.folder / "data" / "people.csv"
    file.write_text(file.read_text() + "9,34,f,Ulm,flu\n")
    assert protect(project, {}, told)["source_rows"] == 9


@pytest.mark.slow
def test_a_run_in_the_worker_process(real_studio):
    project = real_studio.project({"roles": ROLES, "anonymizer": MONDRIAN})
    post(real_studio, project, "run")
    assert real_studio.wait(project, "protect", 900).state == "done"
    shown = real_studio.text(real_studio.get(page_of(project)))
    assert "✓ Every threshold holds" in shown


def test_the_file_is_what_was_clicked(studio, project):
    post(studio, project, "preset", preset="k5-t02")
    assert project.text == dump(project.content)
    assert "t-closeness" in studio.get(page_of(project)).text


def test_a_run_tells_how_far_it_is(studio, project):
    told = []
    protect(project, {}, lambda *facts: told.append(facts))
    shares = [done for done, _, _ in told]
    assert shares == sorted(shares) and told[-1] == (100, 100, "done")
    said = [at for _, _, at in told]
    assert said[0] == "reading the table" and "mondrian at work" in said
    assert "judging by the thresholds" in said


def test_a_search_tells_how_far_it_is(studio):
    content = {
        "roles": ROLES,
        "hierarchies": HIERARCHIES,
        "source": {"path": "../data/people.csv", "columns": {"age": "number"}},
        "anonymizer": {"name": "full-domain"},
    }
    told = []
    protect(studio.project(content), {}, lambda *facts: told.append(facts))
    assert any("full-domain at work, " in at for _, _, at in told)


def test_the_script_is_told_the_whole_next_address(studio, project):
    script = {"x-studio-script": "1"}
    answer = studio.post(
        page_of(project, "preset"), {"preset": "k5"}, page_of(project), headers=script
    )
    assert answer.status_code == 204
    assert answer.headers["x-studio-next"] == page_of(project)
    form = {"max_k": "3", "suppression_limit": "0"}
    answer = studio.post(f"/p/{project.id}/explore/frontier", form, headers=script)
    job = answer.headers["x-studio-next"]
    over = studio.get(job, headers=script)
    assert over.headers["x-studio-next"] == f"/p/{project.id}/explore/#curve"


def test_one_form_saves_all_thresholds(studio, project):
    two = [{"model": "k-anonymity", "k": 2}, {"metric": "average-risk", "max": 0.5}]
    project.edit("two", lambda content: content.update(thresholds=two))
    shown = studio.get(page_of(project))
    studio.check_accessible(shown)
    form = {"t0-of": "model:k-anonymity", "t1-of": "metric:average-risk",
            "t0-p-k": "3", "t1-p-max": "0.4"}  # fmt: skip
    for name in form:
        assert f'name="{name}"' in shown.text
    post(studio, project, "thresholds", **form)
    wanted = [{"model": "k-anonymity", "k": 3}, {"metric": "average-risk", "max": 0.4}]
    assert project.content["thresholds"] == wanted
    # To remove one keeps what was written into the other.
    post(studio, project, "thresholds", **{**form, "t0-p-k": "4", "remove": "1"})
    assert project.content["thresholds"] == [{"model": "k-anonymity", "k": 4}]
    # A form that was shown before, and one that the library refuses, change nothing.
    again = post(studio, project, "thresholds", **form)
    assert "the list was changed meanwhile" in studio.text(again)
    post(studio, project, "thresholds",
         **{"t0-of": "model:k-anonymity", "t0-p-k": "-1"})  # fmt: skip
    assert project.content["thresholds"] == [{"model": "k-anonymity", "k": 4}]


def test_a_swap_gets_the_threshold_that_it_needs_by_a_button(studio, project):
    shown = studio.get(page_of(project))
    assert "Add probabilistic-k-anonymity, and take group-swap" in studio.text(shown)
    post(studio, project, "k-model", needs="group-swap")
    asked = {"model": "probabilistic-k-anonymity", "k": 2}
    assert asked in project.content["thresholds"]
    assert project.content["anonymizer"] == {"name": "group-swap"}


def test_pages_say_what_comes_next_and_where_to_mend(studio, project):
    for page, after in (("data", "hierarchies"), ("hierarchies", "protect"),
                        ("protect", "statistics"), ("statistics", "attack"),
                        ("attack", "release")):  # fmt: skip
        shown = studio.get(f"/p/{project.id}/{page}/")
        line = shown.text.partition('<p class="next">')[2].partition("</p>")[0]
        assert f'href="/p/{project.id}/{after}/"' in line
    project.edit("none", lambda c: c["roles"].update(quasi_identifiers=[]))
    shown = studio.get(page_of(project)).text
    fault = shown.partition("It cannot be run yet")[2].partition("</p>")[0]
    assert f'href="/p/{project.id}/data/"' in fault


def test_sentences_name_many_columns_once(studio, project):
    text = studio.text(run(studio, project))
    asked = "Every combination of the quasi-identifiers must be shared by at least 2"
    assert asked in text

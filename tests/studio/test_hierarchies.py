"""Hierarchies: what the file states, what the table needs, and every edit of them."""

import re

import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.studio import _hierarchies as trees
from anon_transformers.studio import _tree_edits as edits
from anon_transformers.studio._profile import CountedValues
from anon_transformers.studio._tree_views import distribution, nested

ANIMALS = "cat;mammal;*\ncow;mammal;*\ncod;fish;*\n"
TABLE = "pet,age\n" + "".join(
    f"{pet},{20 + n % 40}\n" for pet in ("cat", "cow", "cod") for n in range(40)
)


@pytest.fixture
def project(studio):
    made = studio.project(
        {
            "roles": {"quasi_identifiers": ["pet", "age"]},
            "hierarchies": {
                "pet": "../hierarchies/pets.csv",
                "age": {"kind": "intervals", "widths": [5, 10]},
            },
        },
        TABLE,
        "pets",
    )
    (made.folder / "hierarchies").mkdir()
    (made.folder / "hierarchies" / "pets.csv").write_text(ANIMALS)
    studio.get(f"/p/{made.id}/data/")
    return made


def here(project, column=None, **more):
    asked = "&".join(f"{k}={v}" for k, v in {"column": column, **more}.items() if v)
    return f"/p/{project.id}/hierarchies/{'?' + asked if asked else ''}"


def send(studio, project, act, column="pet", files=None, **fields):
    return studio.post(
        f"{here(project)}{act}",
        {"column": column, **fields},
        came_from=here(project, column),
        files=files,
    )


def rows(project, column="pet"):
    """What the release would read."""
    counts = trees.profile_now(project).counts(column)
    return set(trees.rows_to_edit(project, column, counts))


# What the page shows.


def test_columns_with_their_levels(studio, project):
    page = studio.get(here(project))
    text = studio.text(page)
    assert page.status_code == 200
    assert "file pets.csv" in text
    assert "intervals: widths 5, 10" in text
    assert "3 → 2 → 1" in text
    assert "40 → 8 → 4 → 1" in text
    assert "Every value of the table has an entry." in text
    studio.check_accessible(page)
    studio.check_accessible(studio.get(here(project, "age")))


def test_the_tree_is_nested_with_counts(studio, project):
    counts = CountedValues(["cat", "cod", "cow"], [7, 3, 90], [7, 3, 90])
    tree = Hierarchy(
        [("cat", "mammal", "*"), ("cow", "mammal", "*"), ("cod", "fish", "*")]
    )
    root = nested(tree, counts)
    assert (root.label, root.values, root.rows) == ("*", 3, 100)
    mammal, fish = root.children
    assert (mammal.label, mammal.values, mammal.rows) == ("mammal", 2, 97)
    assert [(leaf.label, leaf.rows) for leaf in mammal.children] == [
        ("cat", 7),
        ("cow", 90),
    ]
    assert fish.children[0].rows is None  # few hold it
    assert fish.children[0].address == "0:cod"


def test_a_deep_tree_is_nested_as_its_rows_say():
    given = [("a", "A", "X", "*"), ("b", "A", "X", "*"), ("c", "B", "X", "*"),
             ("d", "D", "Y", "*"), ("e", "D", "Y", "*")]  # fmt: skip
    root = nested(Hierarchy(given), CountedValues([], [], []))

    def walk(node, above):
        if not node.children:
            yield (node.label, *above)
        for child in node.children:
            yield from walk(child, (node.label, *above))

    assert list(walk(root, ())) == given


def test_of_a_large_tree_some_values_are_shown(monkeypatch):
    monkeypatch.setattr("anon_transformers.studio._tree_views.MOST_LEAVES", 3)
    given = [(f"{n}", "low" if n < 2 else "high", "*") for n in range(9)]
    root = nested(Hierarchy(given), CountedValues([], [], []))
    low, high = root.children
    assert (low.hidden, high.hidden, root.hidden) == (0, 6, 0)


def test_no_quasi_identifier_leads_to_the_data(studio):
    project = studio.upload()
    page = studio.get(here(project))
    assert "No column is a quasi-identifier yet" in page.text
    bad = studio.upload("bad.csv", "a,b\n1\n")
    assert studio.get(here(bad)).url.path == f"/p/{bad.id}/data/"


def test_adult_has_its_bundled_hierarchies(studio):
    project = studio.adult()
    page = studio.get(here(project, "native-country"))
    assert page.url.path == f"/p/{project.id}/hierarchies/"
    text = studio.text(page)
    assert "file native-country.csv" in text
    assert "Every value of the table has an entry." in text
    assert text.count("none") >= 8


def test_a_hierarchy_that_cannot_be_read_is_said(studio, project):
    (project.folder / "hierarchies" / "pets.csv").write_text("cat;mammal;*\ncow;*\n")
    page = studio.get(here(project, "pet"))
    assert "has 2 levels, the first row has 3" in studio.text(page)
    (project.folder / "hierarchies" / "pets.csv").unlink()
    assert "cannot be read" in studio.text(studio.get(here(project, "pet")))


def test_hostile_labels_are_escaped(studio, project):
    bad = studio.hostile
    text = f'cat;"{bad}";*\ncow;"{bad}";*\ncod;"a""b";*\n{bad};"a""b";*\n'
    send(studio, project, "table", text=text)
    page = studio.get(here(project, "pet", node="1:%3Cscript%3Ealert(1)%3C/script%3E"))
    assert "<script>alert" not in page.text
    assert page.text.count("&lt;script&gt;alert(1)") >= 3
    send(studio, project, "rename", node=f"1:{bad}", name="mammal")
    assert ("cat", "mammal", "*") in rows(project)


# Completeness against the table.


def test_values_without_an_entry_are_counted_and_rare_ones_not_listed(studio, project):
    (project.folder / "hierarchies" / "pets.csv").write_text(
        "cat;mammal;*\ncow;mammal;*\n"
    )
    file = project.folder / "data" / "pets.csv"
    file.write_text(TABLE + "unicorn,20\nunicorn,21\n")
    page = studio.get(here(project, "pet"))
    text = studio.text(page)
    assert "2 values in 42 rows" in text
    assert "1 of them are rare (fewer than 5 rows each, 2 rows together)" in text
    assert "cod" in text
    assert "unicorn" not in text
    send(studio, project, "complete", group="fish")
    assert ("unicorn", "fish", "*") in rows(project)
    assert (
        "Every value of the table has an entry."
        in studio.get(here(project, "pet")).text
    )


def test_persons_decide_what_is_rare():
    counts = CountedValues(["a", "b"], [50, 50], [2, 40])
    found = trees.completeness(Hierarchy([("x", "*")]), counts, "text")
    assert found.listed == [("b", 50)]
    assert (found.rare_values, found.rare_rows, found.rows) == (1, 50, 100)


def test_two_spellings_of_a_number_are_one_value():
    counts = CountedValues(["20", "21"], [9, 9], [9, 9])
    tree = Hierarchy([("20.0", "*")])
    assert trees.completeness(tree, counts, "number").listed == [("21", 9)]
    assert trees.completeness(tree, counts, "text").values == 2


# Edits: each writes another file, so that it can be undone.


def test_an_edit_writes_a_new_file_and_undo_goes_back(studio, project):
    before = project.content["hierarchies"]["pet"]
    page = send(studio, project, "rename", node="1:fish", name="fishes")
    after = project.content["hierarchies"]["pet"]
    assert page.url.path == f"/p/{project.id}/hierarchies/"
    assert re.fullmatch(r"\.\./hierarchies/pet-[0-9a-f]{10}\.csv", after)
    assert ("cod", "fishes", "*") in rows(project)
    assert (project.folder / "hierarchies" / "pets.csv").read_text() == ANIMALS
    studio.post(f"/p/{project.id}/undo")
    assert project.content["hierarchies"]["pet"] == before
    assert ("cod", "fish", "*") in rows(project)
    studio.post(f"/p/{project.id}/redo")
    assert ("cod", "fishes", "*") in rows(project)


def test_a_value_moves_to_another_group_or_a_new_one(studio, project):
    send(studio, project, "move", node="0:cow", group="fish")
    assert rows(project) == {
        ("cat", "mammal", "*"),
        ("cow", "fish", "*"),
        ("cod", "fish", "*"),
    }
    send(studio, project, "move", node="0:cow", group="cattle")
    assert ("cow", "cattle", "*") in rows(project)


def test_a_group_moves_with_all_that_is_in_it():
    given = (("a", "A", "X", "*"), ("b", "B", "Y", "*"), ("c", "A", "X", "*"))
    moved = edits.move(given, 1, "A", "Y")
    assert moved == (("a", "A", "Y", "*"), ("b", "B", "Y", "*"), ("c", "A", "Y", "*"))
    with pytest.raises(ParameterError, match="the root alone"):
        edits.move(given, 2, "X", "*")


def test_a_level_is_added_and_removed(studio, project):
    send(studio, project, "add-level")
    assert ("cat", "mammal", "mammal", "*") in rows(project)
    send(studio, project, "remove-level", level="1")
    assert ("cat", "mammal", "*") in rows(project)
    page = send(studio, project, "remove-level", level="9")
    assert "choose a level between them" in studio.text(page)


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("rename", {"node": "1:bird", "name": "x"}, "there is no such value or group"),
        ("rename", {"node": "1:fish", "name": "  "}, "give the group a name"),
        ("rename", {"node": "0:cat", "name": "x"}, "only groups have names"),
        ("rename", {"node": "nonsense", "name": "x"}, "choose a value or a group"),
        ("rename", {"node": "7:fish", "name": "x"}, "there is no such level"),
        ("move", {"node": "1:fish", "group": "x"}, "the root alone"),
        ("table", {"text": ""}, "at least one row"),
        ("table", {"text": "cat;mammal;*\ncow;*\n"}, "has 2 levels"),
        ("table", {"text": "cat;mammal;*\ncow;mammal;x\n"}, "row 2 of the hierarchy"),
        ("table", {"text": 'cat;"mammal;*\n'}, "cannot be read as CSV"),
        ("intervals", {"numbers": "5, 7"}, "multiple"),
        ("intervals", {"numbers": "five"}, "numbers are written as in"),
        ("intervals", {"numbers": ""}, "give one of widths, cuts and quantiles"),
        ("builder", {"kind": "nonsense"}, "unknown option"),
        ("builder", {"kind": "masking", "options": "side: up"}, "side"),
        (
            "builder",
            {"kind": "masking", "options": "]["},
            "parameters are written as in",
        ),
        (
            "builder",
            {"kind": "masking", "options": "a"},
            "parameters are written as in",
        ),
        ("builder", {"kind": "dates"}, "date"),
        ("unknown", {"unknown": "guess"}, "unknown option"),
        ("import", {}, "choose a file"),
        ("use", {}, "there is no suggestion"),
    ],
)
def test_what_the_library_refuses_is_said_and_nothing_is_stated(
    studio, project, name, fields, said
):
    before = project.text
    page = send(studio, project, name, **fields)
    assert said in studio.text(page)
    assert project.text == before


def test_a_column_that_is_no_quasi_identifier_has_none(studio, project):
    page = send(studio, project, "table", column="other", text=ANIMALS)
    assert "no quasi-identifier" in studio.text(page)


def test_the_table_and_the_file_are_the_same(studio, project):
    page = studio.get(here(project, "pet"))
    assert "cat;mammal;*" in page.text
    send(studio, project, "table", text="cat;a;*\r\ncow;a;*\r\ncod;b;*\r\n")
    assert ("cod", "b", "*") in rows(project)
    given = studio.get(f"{here(project)}export?column=pet")
    assert given.headers["content-type"].startswith("text/csv")
    assert given.headers["content-disposition"] == 'attachment; filename="pet.csv"'
    assert given.text == "cat;a;*\ncow;a;*\ncod;b;*\n"
    assert studio.get(f"{here(project)}export?column=no").status_code == 404
    text = "cat;süß;*\ncow;süß;*\ncod;x;*\n".encode("latin-1")
    page = send(studio, project, "import", files={"file": ("x.csv", text)})
    assert "it is not UTF-8 text" in studio.text(page)
    files = {"file": ("x.csv", text)}
    send(studio, project, "import", files=files, encoding="latin-1")
    assert ("cat", "süß", "*") in rows(project)
    left = project.folder / ".studio" / project.name / "results" / "hierarchy"
    assert not list(left.iterdir())


def test_intervals_are_tried_before_they_are_stated(studio, project):
    before = project.text
    page = studio.get(here(project, "age", numbers="10,20", how="widths"))
    assert "Tried, not stated yet" in page.text
    assert "40 → 4 → 2 → 1" in studio.text(page)
    page = studio.get(here(project, "age", numbers="10,15", how="widths"))
    assert "multiple" in studio.text(page)
    assert project.text == before
    cuts = "25, 35, 45\n35\n"
    send(studio, project, "intervals", "age", how="cuts", numbers=cuts)
    assert project.content["hierarchies"]["age"] == {
        "kind": "intervals",
        "cuts": [[25, 35, 45], [35]],
    }
    send(studio, project, "intervals", "age", how="widths", numbers="5", start="1")
    stated = {"kind": "intervals", "widths": [5], "start": 1}
    assert project.content["hierarchies"]["age"] == stated


def test_the_picture_has_the_cuts_of_each_level():
    counts = CountedValues([str(n) for n in range(20, 60)], [2] * 40, [2] * 40)
    stated = {"kind": "intervals", "widths": [5, 10]}
    picture = distribution("<age>", counts, stated)
    assert picture.svg.count("<rect") == 40
    # 25, 30, …, 55 and 30, 40, 50, and a line of the legend for each
    assert picture.svg.count("<line") == 7 + 3 + 2
    assert "<age>" not in picture.svg
    assert sum(rows for _, rows in picture.rows) == 80
    assert distribution("pet", CountedValues(["cat"], [1], [1]), None) is None
    many = distribution("age", counts, {"kind": "intervals", "widths": [0.01]})
    assert "too many to draw" in many.svg


def test_numbers_that_are_far_away_share_a_bar():
    values = [*map(str, range(1000)), "1000000"]
    picture = distribution(
        "income", CountedValues(values, [1] * 1001, [1] * 1001), None
    )
    assert picture.rows[-1][0].endswith("and more")
    assert sum(rows for _, rows in picture.rows) == 1001


def test_a_builder_and_what_becomes_of_unknown_values(studio, project):
    options = "side: left\n"
    send(studio, project, "builder", kind="masking", options=options)
    assert project.content["hierarchies"]["pet"] == {"side": "left", "kind": "masking"}
    send(studio, project, "unknown", unknown="suppress")
    assert project.content["hierarchies"]["pet"]["unknown"] == "suppress"
    send(studio, project, "table", text=ANIMALS)  # the policy stays
    stated = project.content["hierarchies"]["pet"]
    assert stated["unknown"] == "suppress"
    send(studio, project, "unknown", unknown="root")
    send(studio, project, "rename", node="1:fish", name="fishes")
    assert rows(project) == {
        ("cat", "mammal", "*"), ("cow", "mammal", "*"), ("cod", "fishes", "*"),
    }  # fmt: skip
    send(studio, project, "unknown", unknown="error")
    assert isinstance(project.content["hierarchies"]["pet"], str)
    send(studio, project, "remove")
    assert "pet" not in project.content["hierarchies"]
    page = send(studio, project, "unknown", unknown="root")
    assert "has no hierarchy yet" in studio.text(page)


def test_a_tree_begins_with_values_and_the_root(studio, project):
    send(studio, project, "remove")
    send(studio, project, "add-level")
    send(studio, project, "move", node="0:cat", group="mammal")
    assert ("cat", "mammal", "*") in rows(project)


# Suggestions.


def test_suggestions_have_a_reason_and_a_score(studio, project):
    studio.post(f"{here(project)}suggest", came_from=here(project))
    found = project.result("hierarchies").found
    assert studio.get(f"/p/{project.id}/protect/").status_code == 200
    assert found["age"]["stated"]["kind"] == "intervals"
    assert isinstance(found["age"]["score"], float)
    before = project.text
    page = studio.get(here(project))
    assert "of loss at k = 5" in page.text
    assert project.text == before  # nothing is stated yet
    send(studio, project, "use", "age")
    assert project.content["hierarchies"]["age"] == found["age"]["stated"]
    page = studio.get(here(project))
    assert "in use" in page.text
    assert "Use the suggestion for age" not in page.text
    send(studio, project, "remove", "pet")
    studio.post(f"{here(project)}use", came_from=here(project))
    assert project.content["hierarchies"]["pet"] == found["pet"]["stated"]
    assert project.edits[0][-1] == "suggested hierarchy: 1 columns"


def test_edited_hierarchies_make_a_release(studio, project):
    from anon_transformers.studio._protected import protect

    send(studio, project, "rename", node="1:fish", name="fishes")
    found = protect(project, {}, lambda *told: None)
    assert found["passed"]


def test_a_hierarchy_by_frequency_says_that_a_person_should_edit_it(studio):
    content = {
        "roles": {"quasi_identifiers": ["town", "sex"], "dropped": ["id", "age"]},
        "hierarchies": {"town": "../hierarchies/t.csv", "sex": "../hierarchies/s.csv"},
    }
    project = studio.project(content)
    folder = project.folder / "hierarchies"
    folder.mkdir()
    label = "other values (each below 20 %)"
    (folder / "t.csv").write_text(f"Ulm;{label};*\nBonn;{label};*\n")
    (folder / "s.csv").write_text("f;any;*\nm;any;*\n")
    here = f"/p/{project.id}/hierarchies/"
    town = studio.text(studio.get(f"{here}?column=town"))
    assert "groups by how often values occur, not by what they mean" in town
    assert label in town
    sex = studio.text(studio.get(f"{here}?column=sex"))
    assert "groups by how often values occur" not in sex

"""What holds on every page: the file as YAML and Python, and texts that stay texts."""

import pytest

pytest.importorskip("matplotlib", reason="the plots extra")

ODD = "<script>alert(1)</script>"
ROLES = {
    "quasi_identifiers": ["age", ODD],
    "sensitive": [f"{ODD}ill"],
    "identifiers": ["id"],
}
CITIES = (ODD, f'"{ODD}""&"')
TABLE = f"id,age,{ODD},{ODD}ill\n" + "".join(
    f"{n},{30 + n},{CITIES[n % 2]},{(ODD, 'flu')[n // 2 % 2]}\n" for n in range(8)
)
WORK = {
    "protect": ("run", {}),
    "statistics": ("measure", {}),
    "attack": ("run", {}),
    "compare": ("run", {"methods": ["mondrian"], "k": "2"}),
    "release": ("run", {}),
}
"""The form that fills a page."""


@pytest.fixture
def project(studio):
    domain = {ODD: sorted({ODD, f'{ODD}"&'})}
    source = {"path": "../data/people.csv", "columns": {"age": "integer"}}
    return studio.project(
        {
            "roles": ROLES,
            "source": source,
            "anonymizer": {"name": "mondrian", "step": {"age": 1}, "domain": domain},
        },
        TABLE,
    )


def pages_of(studio):
    return [page.name for page in studio.studio.pages if page.of_project]


def test_the_file_stands_on_every_page_as_yaml_and_as_python(studio, project):
    names = pages_of(studio)
    assert {"data", "hierarchies", *WORK} <= set(names)
    for name in names:
        page = studio.get(f"/p/{project.id}/{name}/")
        assert page.status_code == 200, name
        yaml, python = page.text.partition("Show Python")[::2]
        assert "sensitive:" in yaml.partition("Show YAML")[2], name
        assert "run_release(file)" in python, name
        studio.check_accessible(page)


@pytest.mark.parametrize("name", WORK)
def test_hostile_names_and_cells_stay_texts_when_there_is_something_to_show(
    studio, project, name
):
    here = f"/p/{project.id}/{name}/"
    form, given = WORK[name]
    page = studio.post(f"{here}{form}", given, came_from=here)
    assert page.url.path == here
    assert project.result(name) is not None, studio.text(page)
    # An attack names no column; all others do, above the file itself.
    shown = page.text if name == "attack" else page.text.partition("Show YAML")[0]
    assert "&lt;script&gt;alert(1)" in shown
    assert page.text.count("<script") == 1  # its own, in the head

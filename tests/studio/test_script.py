"""Show Python: a script that does what the release file says."""

import pytest

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


def read_meetings(path):
    raise AssertionError("nothing is read")


read_meetings.kind = "graph"


def run(script):
    held = {}
    exec(compile(script, "script", "exec"), held)
    return held


def test_the_script_protects_and_publishes(studio, capsys):
    project = studio.project({"roles": ROLES, "anonymizer": MONDRIAN})
    held = run(project.python)
    assert len(held["table"]) == 8
    assert held["table"].groupby(ROLES["quasi_identifiers"]).size().min() >= 2
    published = project.folder / "published" / "people"
    assert list(published.rglob("manifest.json"))
    assert "loss" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        pytest.param(
            {"path": "../data/{period:%Y-%m}.csv"},
            [
                "made = release_methods(file, ['mondrian'], period='",
                "run_release(file,",
            ],
            id="periods",
        ),
        pytest.param(
            {"kind": "graph", "edges": "../data/edges.csv"},
            ["run_release('"],
            id="graph",
        ),
        pytest.param(
            {"kind": "meetings", "path": "../data/club"},
            ["run_release('"],
            id="graph-of-a-plugin",
        ),
        pytest.param(
            {"kind": "broken", "path": "../data/club"},
            ["made = release_methods(file, ['mondrian'])", "run_release(file)"],
            id="reader-that-cannot-be-had",
        ),
    ],
)
def test_the_script_is_of_what_the_release_is(studio, registered, source, lines):
    registered("readers", "meetings", read_meetings)
    registered("readers", "broken", "not_there:read", summary="Read.")
    project = studio.project({"roles": ROLES, "source": source})
    compile(project.python, "script", "exec")
    found = [line for line in project.python.splitlines() if "release" in line]
    calls = [line for line in found if "(" in line]
    assert len(calls) == len(lines)
    for call, beginning in zip(calls, lines, strict=True):
        assert call.startswith(beginning)


def test_a_file_that_is_no_release_has_a_script_too(studio):
    project = studio.upload()
    assert project.fault is not None
    assert "run_release(file)" in project.python

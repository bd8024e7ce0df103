"""What readers of a release see of runs that published nothing: nothing."""

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import AnonymizationError, GateError
from anon_transformers.release import anonymize, load, publish, validate
from tests.release.months import persons

pytestmark = pytest.mark.gx
HEADER = ["name", "town", "job"]
DRAWN = 6
"""Letters at the end of the name of a version that are drawn."""


def tried(monthly, rows, header=HEADER):
    """The version that a scheduler publishes; None if it is refused."""
    monthly.write_rows([header, *rows])
    try:
        return publish(validate(anonymize(load(monthly.file, "scheduled"))))
    except AnonymizationError:
        return None


def states(folder):
    """All that a reader can ask of a folder, its files and links: also when."""
    places = [folder, *sorted(folder.rglob("*"))]
    return {
        place: (
            s.st_ino,
            s.st_mode,
            s.st_nlink,
            s.st_size,
            s.st_mtime_ns,
            s.st_ctime_ns,
        )
        for place in places
        for s in [place.lstat()]
    }


def test_a_refused_run_leaves_the_target_as_it_was(monthly):
    assert tried(monthly, persons(12)) is not None
    before = states(monthly.target)
    assert tried(monthly, persons(13)) is None  # by the gate: somebody came alone
    assert tried(monthly, persons(2)) is None  # by the method: too few
    assert tried(monthly, [row[:2] for row in persons(12)], HEADER[:2]) is None
    assert states(monthly.target) == before


@pytest.mark.parametrize(
    "rows", [persons(13), [[*row, "?"] for row in persons(12)]], ids=["gate", "load"]
)
def test_the_name_of_a_version_does_not_tell_how_often_it_was_tried(monthly, rows):
    header = [*HEADER, "other"][: len(rows[0])]
    first = tried(monthly, persons(12))
    assert tried(monthly, rows, header) is None
    second = tried(monthly, persons(12))
    names = [Path(version).name for version in (first, second)]
    assert names[0] != names[1]
    assert names[0][:-DRAWN] == names[1][:-DRAWN]


def test_a_first_run_that_is_refused_when_it_publishes_leaves_no_target(monthly):
    monthly.publish(persons(6))
    second = monthly.file.with_name("second.yaml")
    second.write_text(monthly.file.read_text().replace("path: out", "path: more"))
    monthly.write_rows([HEADER, *persons(9)])
    candidate = validate(anonymize(load(second)))
    monthly.publish([*persons(6), *persons(3, first=7)])
    with pytest.raises(GateError, match="persons are not protected"):
        publish(candidate)
    assert not (monthly.folder / "more").exists()

"""A refusal by earlier tables names what helps, and no other setting is tried."""

import pytest

pytest.importorskip("great_expectations")

from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import GateError
from anon_transformers.release import advise, load
from tests.release.months import persons, refused

pytestmark = pytest.mark.gx
SEVERAL = [
    *persons(6),
    *persons(6, "b"),
    *([name, "b", job] for name, _, job in persons(1)),
]
JOINED = [*persons(7), *persons(6, "b")]
MOVED = [
    *([name, "b", job] for name, _, job in persons(1)),
    *persons(6)[1:],
    *persons(6, "b"),
]


def write(monthly, rows):
    monthly.write_rows([["name", "town", "job"], *rows])
    return monthly.file


def test_persons_in_several_classes_are_told_of_one_row_each(monthly):
    said = refused(monthly, SEVERAL)
    assert "make one row per person before the release" in said
    assert "composition.accept_unjudged with your reason" in said
    advice = advise(write(monthly, SEVERAL))
    assert not advice.passes
    assert advice.tried == ()
    assert "make one row per person" in advice.refusal[0]
    assert advice.why_untried


def test_who_came_alone_is_told_of_cells_that_stay(monthly):
    monthly.publish([*persons(6), *persons(6, "b")])
    assert "'recoding: reuse' publishes later tables" in refused(monthly, JOINED)
    advice = advise(write(monthly, JOINED))
    assert [one.words for one in advice.tried] == ["recoding: reuse"]
    (setting,) = advice.settings
    assert setting.change == {"recoding": "reuse"}
    # It was tried: a release that states it is published.
    monthly.write(**setting.change)
    monthly.publish(JOINED)


def test_cells_that_stay_are_not_advised_where_nobody_knows_who_is_there(monthly):
    lenient = {"sensitive": {"job": "permanent"}, "presence": "unknown"}
    monthly.write(composition=lenient)
    monthly.publish([*persons(6), *persons(6, "b")])
    said = refused(monthly, MOVED)
    assert "composition: with the 1 release before it, 1 of 12 persons" in said
    assert "recoding: reuse" not in said
    assert "state a larger k under anonymizer" in said
    assert "composition.accept_unjudged with your reason" in said
    advice = advise(write(monthly, MOVED))
    assert advice.tried == ()
    assert "state a larger k under anonymizer" in advice.refusal[0]


def test_what_is_tried_gives_no_warning_of_a_run(monthly, caplog):
    """A run gives it once; of ten settings it would stand there ten times."""
    monthly.publish([*persons(6), *persons(6, "b")])
    strangers = [*persons(6, first=20), *persons(2, "b", first=20)]
    monthly.write(anonymizer={"name": "full-domain", "levels": {"town": 0}})
    assert "Nobody in this table" not in caplog.text
    advice = advise(write(monthly, strangers))
    assert advice.tried
    assert "Nobody in this table" not in caplog.text
    monthly.write()
    monthly.publish(persons(6, first=20))
    assert "Nobody in this table" in caplog.text


def test_what_is_stated_already_is_not_suggested(monthly):
    monthly.write(recoding="reuse")
    said = refused(monthly, SEVERAL)
    assert "make one row per person" in said
    assert "recoding: reuse" not in said
    assert advise(write(monthly, SEVERAL)).tried == ()


def test_a_threshold_that_is_broken_too_is_still_looked_into(monthly):
    monthly.write(anonymizer={"name": "full-domain", "levels": {"town": 0}})
    advice = advise(write(monthly, [*persons(6), *persons(2, "b")]))
    assert advice.tried
    assert advice.why_untried == ""


@pytest.mark.parametrize("rows", [SEVERAL, [*persons(6), *persons(1, "b")]])
def test_the_command_is_named_where_settings_may_help(monthly, rows):
    monthly.write(anonymizer={"name": "full-domain", "levels": {"town": 0}})
    done = CliRunner().invoke(app, ["release", str(write(monthly, rows))])
    assert done.exit_code == 1
    assert ("--suggest" in done.output) == (rows is not SEVERAL)


def test_a_refusal_keeps_its_reasons(monthly):
    from anon_transformers.release import anonymize, validate

    with pytest.raises(GateError) as caught:
        validate(anonymize(load(write(monthly, SEVERAL))))
    (reason,) = caught.value.reasons
    assert reason.startswith("composition: 1 persons have rows in several classes")

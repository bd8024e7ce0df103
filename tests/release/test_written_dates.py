"""Dates in other orders, and texts in an order, as a release file states them."""

import pandas as pd
import pytest

from anon_transformers.exceptions import AnonymizationError, DataError, ParameterError
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._files import read_csv

DAYS = pd.date_range("1950-01-15", periods=40, freq="321D")
ROLES = {"quasi_identifiers": ["born"], "sensitive": ["ill"]}


def written(release, pattern, **changes):
    """A release of 40 persons whose days of birth are written so."""
    rows = [["born", "ill"]]
    rows += [[day.strftime(pattern), "abcd"[n % 4]] for n, day in enumerate(DAYS)]
    release.write_rows(rows)
    release.write(
        **{
            "roles": ROLES,
            "anonymizer": {"name": "mondrian", "step": {"born": "year"}},
            "thresholds": [{"model": "k-anonymity", "k": 4}],
            **changes,
        }
    )
    return release


def released(release):
    publish(validate(anonymize(load(release.file))))
    return read_published(release.target, labels="text")


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("%d/%m/%Y", {"date": "%d/%m/%Y"}),
        ("%m/%d/%Y", {"date": "%m/%d/%Y"}),
        ("%d/%m/%y", {"date": "%d/%m/%y", "last_year": 2025}),
        ("%d %b %Y", {"date": "%d %b %Y"}),
        ("%Y-%m-%d", "date"),
    ],
)
def test_they_are_published_as_iso_dates(release, pattern, kind):
    source = {"path": "people.csv", "columns": {"born": kind}}
    table = released(written(release, pattern, source=source))
    assert len(table) == 40
    ends = pd.to_datetime(table["born"].str.findall(r"\d{4}-\d\d-\d\d").explode())
    assert (ends.dt.day_of_year == 1).all()
    assert ends.min().year > DAYS[0].year
    assert ends.max().year <= DAYS[-1].year
    assert table.groupby("born").size().min() >= 4


def test_a_type_of_datafly_is_stated_as_a_hierarchy(release):
    datafly = {"name": "datafly", "suppression_limit": 0}
    written(release, "%d/%m/%Y", anonymizer={**datafly, "types": {"born": "date"}})
    message = release.refusal(DataError)
    assert "types of datafly" in message
    assert "hierarchies: {born: {kind: by-data-type, type: date}}" in message
    release.write(
        anonymizer=datafly,
        hierarchies={"born": {"kind": "by-data-type", "type": "date"}},
    )
    assert len(released(release)) == 40


@pytest.mark.parametrize("column", ["born", "ill"])
@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%d.%m.%y", "%d %b %Y"])
def test_without_a_statement_nothing_is_loaded(release, pattern, column):
    changes = {}
    if column == "ill":
        roles = {"quasi_identifiers": ["ill"], "sensitive": ["born"]}
        roles["accept_unique"] = ["born"]
        method = {"name": "mondrian", "domain": {"ill": [*"abcd"]}}
        changes = {"roles": roles, "anonymizer": method}
    written(release, pattern, **changes)
    with pytest.raises(DataError, match="column 'born' holds texts that look like"):
        load(release.file)
    assert release.nothing_written()


def test_texts_that_are_stated_to_be_texts_are_released_as_such(release):
    source = {"path": "people.csv", "columns": {"born": "text"}}
    listed = {"born": sorted(day.strftime("%d/%m/%Y") for day in DAYS)}
    method = {"name": "mondrian", "domain": listed}
    table = released(written(release, "%d/%m/%Y", source=source, anonymizer=method))
    assert len(table) == 40
    assert table["born"].str.startswith("{").all()


def test_a_hierarchy_is_a_statement_too(release):
    trees = {"born": {"kind": "by-data-type", "type": "date"}}
    method = {"name": "full-domain", "suppression_limit": 4}
    written(release, "%d/%m/%Y", hierarchies=trees, anonymizer=method)
    assert set(released(release)["born"]) <= {"1950", "1960", "1970", "1980"}


def test_a_cell_that_is_no_such_date_stops_the_release(release):
    source = {"path": "people.csv", "columns": {"born": {"date": "%m/%d/%Y"}}}
    written(release, "%d/%m/%Y", source=source)
    count = sum(day.day > 12 for day in DAYS)
    with pytest.raises(
        DataError, match=f"'born' holds values in {count} rows"
    ) as error:
        load(release.file)
    assert "/19" not in str(error.value)
    assert release.nothing_written()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ({"date": "%d/%m/%y"}, "columns, born: last_year says which years"),
        ({"date": "%d/%m"}, "columns, born: a format of dates needs"),
        ({"dates": "%d/%m/%Y"}, "columns, born: unknown key 'dates'.*'date'"),
        ({"last_year": 2025}, "columns, born: say one of date"),
        ({"date": "%d/%m/%Y", "order": ["a"]}, "columns, born: say one of date"),
        ({}, "columns, born: say one of date"),
        ({"order": "abc"}, "columns, born: order must be a list of texts"),
        ({"order": [1, 2]}, "columns, born: order must be a list of texts"),
        ({"order": ["a", "a"]}, "columns, born: order holds a text twice"),
        ("dat", "column 'born': unknown kind 'dat'"),
    ],
)
def test_kinds_that_are_none_are_refused_by_name(release, kind, said):
    source = {"path": "people.csv", "columns": {"born": kind}}
    written(release, "%d/%m/%Y", source=source)
    with pytest.raises(ParameterError, match=said):
        load(release.file)
    assert release.nothing_written()


MODELS = [
    {"model": "k-anonymity", "k": 4},
    {"model": "t-closeness", "t": 0.9, "distance": "ordered"},
]
ORDER = {"born": {"date": "%d/%m/%Y"}, "ill": {"order": ["d", "b", "a", "c"]}}


class TestOrder:
    def test_ordered_t_on_texts_is_refused_before_anything_is_made(self, release):
        source = {"path": "people.csv", "columns": {"born": {"date": "%d/%m/%Y"}}}
        written(release, "%d/%m/%Y", source=source, thresholds=MODELS)
        with pytest.raises(AnonymizationError, match="column 'ill' holds texts"):
            anonymize(load(release.file))
        assert not release.target.exists()

    def test_a_stated_order_reaches_the_gate_through_a_csv_file(self, release):
        source = {"path": "people.csv", "columns": ORDER}
        written(release, "%d/%m/%Y", source=source, thresholds=MODELS)
        table = released(release)
        assert table["ill"].cat.categories.tolist() == ["d", "b", "a", "c"]
        assert table["ill"].cat.ordered

    def test_a_value_that_the_order_does_not_have(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("ill\na\nb\n\nz\nz\n")
        with pytest.raises(
            DataError, match="'ill' holds values in 2 rows that its order"
        ):
            read_csv(path, columns={"ill": {"order": ["b", "a"]}})
        path.write_text("ill,x\na,1\nb,1\n,1\n")
        read = read_csv(path, columns={"ill": {"order": ["b", "a"]}})["ill"]
        assert read.cat.codes.tolist() == [1, 0, -1]

"""Labels are made of values of their column, whoever made them."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers import MondrianAnonymizer
from anon_transformers.exceptions import GateError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release import read_published, run_release
from anon_transformers.release._faults import label_faults

pytestmark = pytest.mark.gx
TOWNS = {"007": "Berlin", "008": "Hamburg", "110": "Munich"}


def raw_rows(X, rows):
    """Everything that a stranger knows of some rows, in words."""
    cells = zip(X["age"].iloc[rows], X["job"].iloc[rows], strict=True)
    return [f"age {age} works as {job}" for age, job in cells]


def in_sets(X, rows):
    towns = sorted(set(X["zip"].iloc[rows]))
    return "{" + ", ".join([*towns, *raw_rows(X, rows)]) + "}"


def at_ends(X, rows):
    return f"[A, z {' and '.join(raw_rows(X, rows))}]"


def at_one_end(X, rows):
    return f">= A{' and '.join(raw_rows(X, rows))}"


def released(release, registered, label):
    class Lying(MondrianAnonymizer):
        def fit_transform(self, X, y=None):
            table = super().fit_transform(X)
            zips = table["zip"].astype(object)
            for rows in table.groupby(["age", "zip"]).indices.values():
                zips.iloc[rows] = label(X, rows)
            return table.assign(zip=zips)

    text = release.source.read_text()
    for code, town in TOWNS.items():
        text = text.replace(f",{code},", f",{town},")
    release.source.write_text(text)
    registered("anonymizers", "lying", Lying)
    domain = {"zip": [*TOWNS.values(), "Ulm"]}
    release.write(anonymizer=release.mondrian(name="lying", domain=domain))
    return run_release(release.file)


@pytest.mark.parametrize("label", [in_sets, at_ends, at_one_end])
def test_rows_in_labels_are_refused(release, registered, label):
    with pytest.raises(
        GateError, match="column 'zip' holds labels in 40 rows"
    ) as error:
        released(release, registered, label)
    assert "works as" not in str(error.value)
    assert not (release.target / "current").exists()


@pytest.mark.parametrize(
    "label",
    [
        "{Berlin, Hamburg, Munich, Ulm}",
        "[Berlin, Ulm]",
        "{Berlin, Hamburg, Munich} or missing",
    ],
)
def test_a_stated_list_has_more_values_than_the_source(release, registered, label):
    released(release, registered, lambda X, rows: label)
    assert set(read_published(release.target, labels="text")["zip"]) == {label}


def faults(values, label, hierarchy=None, stated=()):
    source = pd.DataFrame({"a": values})
    table = pd.DataFrame({"a": [label] * len(source)})
    rows = np.arange(len(source))
    return label_faults(source, table, rows, {"a": hierarchy}, "*", {"a": stated})


DAYS = pd.to_datetime(["2020-01-05", "2020-03-01"])
WRITTEN = ["2020-01-05", "2020-03-01"]


@pytest.mark.parametrize(
    ("values", "label", "stated"),
    [
        (["a", "b"], "[a, b]", ()),
        (["a", "b"], "[a, c]", ["c"]),
        (["a", "b"], "any", ()),
        (["x, y", "b"], '{"x, y", b}', ()),
        (["{x}", "{x}"], '"{x}"', ()),
        ([20, 30], "[17.5, 31)", ()),
        ([20, 30], "{20, 30}", ()),
        (["007", "008"], "[1, 9]", ()),
        (DAYS, "[2020-01-01, 2021-01-01)", ()),
        (DAYS, ">= 2020-01-01", ()),
        (DAYS.tz_localize("Europe/Berlin"), "< 2021-01-01 00:00:00+01:00", ()),
        (WRITTEN, "[2020-01-01, 2020-12-31]", ()),
        (["a", "b"], "*", ()),
    ],
)
def test_labels_of_values_and_bounds_pass(values, label, stated):
    assert faults(values, label, stated=stated) == []


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (["a", "b"], "{a, b, c}"),
        (["a", "b"], "[a, c]"),
        (["a", "b"], '[a, "c, d"]'),
        ([20, 30], "{20, 30, Anna}"),
        (DAYS, "[2020-01-01 Anna, 2021-01-01)"),
        (WRITTEN, "[2020-01-01, 2021-01-01 Anna]"),
        (["a", "b"], "{a, b, c} or missing"),
    ],
)
def test_labels_of_anything_else_are_refused(values, label):
    assert "in 2 rows" in faults(values, label)[0]


def test_a_hierarchy_has_names_and_no_sets():
    tree = Hierarchy.from_groups({"letter": ["a", "b"]})
    assert faults(["a", "b"], "letter", tree) == []
    assert "in 2 rows" in faults(["a", "b"], "{a, b}", tree)[0]

import hashlib
import subprocess
import sys

import pandas as pd
import pytest

from anon_transformers import datasets
from anon_transformers.datasets import (
    bundled_path,
    load_adult,
    load_adult_hierarchies,
)
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.hierarchies import Hierarchy

COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.fixture(scope="module")
def adult():
    return load_adult()


@pytest.fixture(scope="module")
def hierarchies():
    return load_adult_hierarchies()


def test_the_table_has_the_published_shape(adult):
    assert adult.shape == (30_162, 9)
    assert list(adult.columns) == COLUMNS


def test_only_age_is_a_number(adult):
    assert adult["age"].dtype == "int64"
    text = adult.drop(columns="age")
    assert all(pd.api.types.is_string_dtype(dtype) for dtype in text.dtypes)


def test_no_cell_is_missing(adult):
    assert not adult.isna().any(axis=None)
    assert not adult.isin(["", "?", "*"]).any(axis=None)


def test_known_counts_hold(adult):
    # Counted in the text of the file, without a CSV reader.
    assert adult["sex"].value_counts().to_dict() == {"Male": 20_380, "Female": 9_782}
    assert adult["salary-class"].value_counts().to_dict() == {
        "<=50K": 22_654,
        ">50K": 7_508,
    }
    assert (adult["age"].min(), adult["age"].max()) == (17, 90)


def test_the_file_is_the_one_that_was_bundled():
    digest = hashlib.sha256(bundled_path("adult/adult.csv.gz").read_bytes())
    assert digest.hexdigest() == (
        "0c9e04954dff264af247727671a891868a9cdfa55de7b47b1260b53da72f01d3"
    )


def test_every_column_has_a_hierarchy_that_covers_it(adult, hierarchies):
    assert list(hierarchies) == COLUMNS
    for name, hierarchy in hierarchies.items():
        assert set(adult[name].astype(str)) <= set(hierarchy.leaves), name


def test_the_levels_are_those_of_the_published_lattice(hierarchies):
    # All but occupation: 2 * 5 * 2 * 3 * 4 * 3 * 3 * 2 nodes.
    nodes = 1
    for name, hierarchy in hierarchies.items():
        nodes *= hierarchy.n_levels if name != "occupation" else 1
    assert nodes == 4_320


def test_age_groups_are_shifted_as_published(hierarchies):
    rows = {row[0]: row for row in hierarchies["age"].rows}
    assert len(rows) == 100
    assert "0-19" in rows["20"]
    assert "20-39" in rows["21"]


def test_our_own_ranges_of_ages_hold_the_ages_they_name(adult):
    tree = Hierarchy.read_csv(bundled_path("adult/age-ranges.csv"))
    assert set(adult["age"].astype(str)) <= set(tree.leaves)
    for age, *ranges, root in tree.rows:
        assert root == "*"
        for low, high in (label.split("-") for label in ranges):
            assert int(low) <= int(age) <= int(high)


def test_folders_are_found_too():
    assert len(list(bundled_path("adult/hierarchies").iterdir())) == 9


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../_adult.py",
        "adult/../adult/adult.csv.gz",
        "adult/../../__init__.py",
        str(bundled_path("adult/adult.csv.gz")),
    ],
)
def test_names_that_leave_the_folder_are_refused(name):
    with pytest.raises(ConfigurationError, match="unknown bundled data"):
        bundled_path(name)


def test_a_misspelled_name_is_told_the_nearest_one():
    with pytest.raises(
        ConfigurationError, match=r"did you mean 'adult/adult\.csv\.gz'"
    ):
        bundled_path("adult/adlut.csv.gz")


def test_what_is_exported_is_there_and_nothing_else():
    assert dir(datasets) == sorted(datasets.__all__)
    with pytest.raises(AttributeError, match="load_iris"):
        _ = datasets.load_iris


def test_finding_a_file_loads_no_pandas():
    code = (
        "import sys; from anon_transformers.datasets import bundled_path; "
        "bundled_path('adult/adult.csv.gz'); sys.exit('pandas' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], check=False)
    assert found.returncode == 0

"""The Census table and what was computed of it with the right definitions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DATA = Path(__file__).parents[1] / "data"
# Where the source's clusters start: three sets, two columns.
START = np.array([[0.9501, 0.4860], [0.2311, 0.8913], [0.6068, 0.7621]])


@pytest.fixture(scope="session")
def census():
    return pd.read_csv(DATA / "casc_census.csv")


@pytest.fixture(scope="session")
def recomputed():
    """Expected numbers of a method, by pair of columns."""
    table = pd.read_csv(DATA / "vectors" / "fuzzy_recomputed.csv")

    def of(method, coding="independent"):
        chosen = table[(table["method"] == method) & (table["coding"] == coding)]
        assert len(chosen) == 55
        return list(chosen.itertuples())

    return of


@pytest.fixture(scope="session")
def start():
    return START

"""Names of tables that differ by a date alone."""

import pytest

from anon_transformers.proposals._periods import find_period_path


@pytest.mark.parametrize(
    ("paths", "path", "periods"),
    [
        (["2026-10.csv", "2026-09.csv"], "{period:%Y-%m}.csv", ("2026-09", "2026-10")),
        (["a_202609.csv", "a_202610.csv"], "a_{period:%Y%m}.csv",
         ("2026-09", "2026-10")),
        (["in/2025/x.csv", "in/2026/x.csv"], "in/{period:%Y}/x.csv", ("2025", "2026")),
        (["x-20261001.csv", "x-20261002.csv"], "x-{period:%Y%m%d}.csv",
         ("2026-10-01", "2026-10-02")),
        (["d{{x}}/2026_09.csv", "d{{x}}/2026_10.csv"], "d{{x}}/{period:%Y_%m}.csv",
         ("2026-09", "2026-10")),
    ],
)  # fmt: skip
def test_one_path_of_all_periods(paths, path, periods):
    found = find_period_path(paths)
    assert (found.path, found.periods) == (path, periods)


@pytest.mark.parametrize(
    "paths",
    [
        ["2026-09.csv"],
        ["2026-09.csv", "2026-09.csv"],
        ["north.csv", "south.csv"],
        ["a-2026-09.csv", "b-2026-10.csv"],
        ["2026-09.csv", "2026-13.csv"],
        ["2026-09.csv", "2026-10.csv.gz"],
        ["2026-09.csv", "2026-10-05.csv"],
        ["2026/2026-09.csv", "2026/2026-10.csv"],
        ["2026-09-to-2026-10.csv", "2026-10-to-2026-11.csv"],
        ["part[1]-2026-09.csv", "part[1]-2026-10.csv"],
        ["id-12026091.csv", "id-12026101.csv"],
    ],
    ids=str,
)
def test_where_it_is_not_sure(paths):
    assert find_period_path(paths) is None

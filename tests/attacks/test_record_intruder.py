"""The intruder with the original table: scenarios, scales, orders, exposure."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers.attacks import RecordIntruder
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.microaggregation import GroupSwapper, MDAVAnonymizer

DATA = Path(__file__).parents[1] / "data"
KNOWN = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX"]
SECRET = ["TAXINC", "INTVAL", "FICA"]


@pytest.fixture(scope="module")
def census():
    return pd.read_csv(DATA / "casc_census.csv")[[*KNOWN, *SECRET]]


def attack(release, original, known=KNOWN, sensitive=SECRET, **options):
    return RecordIntruder(**options).run(
        release, original=original, quasi_identifiers=known, sensitive=sensitive
    )


@pytest.mark.parametrize("linkage", ["distance", "rank"])
@pytest.mark.parametrize("scenario", ["uninformed", "informed"])
def test_a_table_as_it_is_exposes_everybody(census, scenario, linkage):
    report = attack(census, census, scenario=scenario, linkage=linkage)
    assert report.exposed == report.rows == 1080
    assert report.details["share"] == 1
    assert report.details["low"] > 0.99
    assert report.details["columns_left_out"] == []


@pytest.mark.parametrize("linkage", ["distance", "rank"])
def test_k_anonymous_tables_keep_what_they_promise(census, linkage):
    """A centroid that is nearest is that of k rows at least."""
    masked = MDAVAnonymizer(KNOWN, k=5, sensitive=SECRET).fit_transform(census)
    boxed = MondrianAnonymizer(KNOWN, k=5, sensitive=SECRET).fit_transform(census)
    for release in (masked, boxed):
        report = attack(release, census, linkage=linkage)
        assert report.exposed == 0
        assert 0 < report.details["share"] <= 0.2
        assert report.details["columns_known"] == KNOWN
        assert attack(release, census, linkage=linkage, k=5).exposed == 0
    found = attack(masked, census, linkage=linkage, k=6)
    # Too few are found for a promise of 6 to be broken beyond chance, or more are.
    assert (found.exposed > 0) == (found.details["low"] > 1 / 6)


def test_swapped_quasi_identifiers_give_one_in_k(census):
    swapper = GroupSwapper(
        KNOWN, k=5, sensitive=SECRET, scenario="uninformed", random_state=1
    )
    release = swapper.fit_transform(census)
    report = attack(release, census, k=5)
    assert report.details["share"] == pytest.approx(0.2, abs=0.04)
    assert report.details["low"] < 0.2 < report.details["high"]
    assert report.exposed == 0
    # Without a promise the rows that kept their place count.
    same = (release[KNOWN] == census[KNOWN]).all(axis=1).sum()
    assert attack(release, census).exposed == same


def test_a_swapped_secret_is_no_secret_of_the_row_it_stands_in(census):
    """Rows are found by what did not move; what is read there is somebody else's."""
    swapper = GroupSwapper(KNOWN, k=5, sensitive=["TAXINC"], random_state=1)
    table = census[[*KNOWN, "TAXINC"]]
    release = swapper.fit_transform(table)
    for scenario in ("uninformed", "informed"):
        report = attack(release, table, sensitive=["TAXINC"], scenario=scenario)
        unique = ~table["TAXINC"].duplicated(keep=False)
        stayed = (release["TAXINC"] == table["TAXINC"]) & unique
        assert report.exposed == stayed.sum()
        assert report.details["share"] == pytest.approx(0.2, abs=0.04)
    found = report.details["columns"]["TAXINC"]
    assert found["values"] == pytest.approx(report.details["share"], abs=0.01)


def test_informed_intruders_are_one_a_column(census):
    noise = np.random.default_rng(0).normal(0, 0.4, census.shape)
    release = census + noise * census.std().to_numpy()
    release["TAXINC"] = census["TAXINC"]
    report = attack(release, census, scenario="informed")
    columns = report.details["columns"]
    assert list(columns) == SECRET
    for name, found in columns.items():
        assert name not in found["columns_known"]
        assert len(found["columns_known"]) == len(census.columns) - 1
        assert found["low"] <= found["share"] <= found["high"]
    # Who knows the column that was not masked finds more than who does not.
    assert columns["FICA"]["share"] > columns["TAXINC"]["share"] > 0.2
    assert columns["FICA"]["found_by"] == ["TAXINC"]
    assert columns["TAXINC"]["found_by"] == columns["TAXINC"]["columns_known"]
    assert columns["TAXINC"]["low"] < columns["TAXINC"]["share"] < 1
    assert report.details["share"] == max(f["share"] for f in columns.values())
    uninformed = attack(release, census).details["share"]
    assert uninformed < columns["FICA"]["share"]


@pytest.mark.parametrize("alike", [True, False])
def test_columns_that_moved_alike_lead_to_each_other(alike):
    """By all columns together the own row is found; by one alone, the own cell."""
    rng = np.random.default_rng(0)
    pay, rent = rng.permutation(600), rng.permutation(600)
    original = pd.DataFrame(rng.normal(size=(600, 9)), columns=[*"abcdefghi"])
    original = original.assign(age=np.arange(600) // 6, pay=pay, rent=rent)
    one, other = (np.lexsort((rng.random(600), original["age"])) for _ in range(2))
    release = original.assign(pay=pay[one], rent=rent[one if alike else other])
    report = attack(release, original, ["age"], ["pay", "rent"], scenario="informed")
    found = report.details["columns"]["pay"]
    if alike:
        assert (found["share"], found["found_by"]) == (1, ["rent"])
        assert report.exposed == 600
    else:
        assert report.details["share"] == pytest.approx(1 / 6, abs=0.05)
        broken = attack(release, original, ["age"], ["pay", "rent"], k=6,
                        scenario="informed")  # fmt: skip
        assert broken.exposed == 0


def test_the_interval_is_wide_enough_for_all_that_was_tried(census):
    wide, narrow = (
        attack(census[:50], census[:50], sensitive=[], scenario=scenario).details
        for scenario in ("informed", "uninformed")
    )
    assert wide["share"] == narrow["share"] == 1
    assert wide["low"] < narrow["low"]


def test_a_key_tells_who_is_who_in_any_order(census):
    original = census.assign(id=np.arange(1080) * 7)
    release = original.sample(900, random_state=0)
    report = attack(release, original, key="id")
    assert report.exposed == report.rows == 900
    assert "id" not in report.details["columns_known"]
    informed = attack(release, original, key="id", scenario="informed")
    assert "id" not in informed.details["columns_known"]
    wrong = release.assign(id=release["id"].to_numpy()[::-1])
    assert attack(wrong, original, sensitive=[], key="id").exposed < 10
    # The cells that are read are the person's own, whatever the key says of the row.
    assert attack(wrong, original, sensitive=["TAXINC"], key="id").exposed > 800


def test_rows_are_not_taken_for_persons_without_a_sign(census):
    shuffled = census.sample(frac=1, random_state=0)
    for release in (shuffled, census[:1000], census.assign(**dict.fromkeys(census, 1))):
        with pytest.raises(NotEvaluable, match="key=COLUMN"):
            attack(release, census)
    flat = census.assign(**dict.fromkeys(KNOWN, 1), TAXINC=1, INTVAL=1)
    assert attack(flat.assign(AGI=census["AGI"]), census).exposed > 0


@pytest.mark.parametrize(
    ("release", "original", "message"),
    [
        ([1, 1], [1, 2], "repeats in 1 rows of the release"),
        ([1, 2], [1, 1], "repeats in 1 rows of the original"),
        ([1, 3], [1, 2], "1 rows of the release have a key"),
    ],
)
def test_a_bad_key_is_refused(release, original, message):
    table = pd.DataFrame({"q": [5, 6], "s": [7, 8]})
    with pytest.raises(DataError, match=message):
        attack(table.assign(id=release), table.assign(id=original), ["q"], ["s"],
               key="id")  # fmt: skip
    with pytest.raises(DataError, match="unknown column 'id'"):
        attack(table, table, ["q"], ["s"], key="id")


def test_published_labels_are_read_and_what_cannot_be_is_told():
    n = 40
    original = pd.DataFrame(
        {
            "age": range(20, 20 + n),
            "born": pd.date_range("1960-01-01", periods=n, freq="300D"),
            "city": [f"c{i % 8}" for i in range(n)],
            "job": ["x", "y"] * (n // 2),
            "ill": range(n),
        }
    )
    starts = [20 + 5 * (i // 5) for i in range(n)]
    release = pd.DataFrame(
        {
            "age": [f"[{low}, {low + 4}]" for low in starts],
            "born": [f"[{d}, {d}]" for d in original["born"].dt.strftime("%Y-%m-%d")],
            "city": original["city"],
            "job": ["*"] * n,
            "ill": range(n),
        }
    )
    by_age = attack(release, original, ["age", "job"], ["ill"])
    assert by_age.details["columns_left_out"] == ["job"]
    assert by_age.details["share"] == pytest.approx(0.2)
    assert by_age.exposed == 0
    by_both = attack(release, original, ["age", "city"], ["ill"])
    assert by_both.exposed == n
    assert attack(release, original, ["born"], ["ill"]).exposed == n
    # As a command line reads them: every quasi-identifier a text.
    texts = original.astype({"age": str})
    assert (
        attack(release, texts, ["age"], ["ill"]).details["share"]
        == by_age.details["share"]
    )
    assert attack(texts, texts, ["age"], ["ill"]).exposed == n
    with pytest.raises(NotEvaluable, match="no column that the intruder knows"):
        attack(release, original, ["job"], ["ill"])


def test_suppressed_rows_are_found_by_what_is_left():
    original = pd.DataFrame({"age": [20, 30, 40, 50], "s": list("abcd")})
    release = original.assign(age=["20", "30", "*", "*"])
    report = attack(release, original, ["age"], ["s"])
    assert report.exposed == 2
    assert report.exposed_suppressed == 0


def test_without_a_secret_the_row_itself_is_found(census):
    report = attack(census, census, sensitive=[])
    assert list(report.details["columns"]) == ["row"]
    assert report.details["values"] is None
    assert report.exposed == 1080


def test_the_promise_decides_what_counts_as_exposed():
    """Pairs: everybody is found with a chance of one half."""
    original = pd.DataFrame({"age": np.arange(200) // 2, "s": range(200)})
    assert attack(original, original, ["age"], ["s"]).exposed == 0
    assert attack(original, original, ["age"], ["s"], k=2).exposed == 0
    assert attack(original, original, ["age"], ["s"], k=3).exposed == 200
    # Too sure an interval is too wide to break a promise.
    narrow = original[:10]
    assert attack(narrow, narrow, ["age"], ["s"], k=3).exposed == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scenario": "informd"}, "did you mean 'informed'"),
        ({"linkage": "euclid"}, "unknown option"),
        ({"k": 0}, "k must be"),
        ({"k": 2.5}, "k must be"),
        ({"confidence": 1}, "confidence must be a number .* below 1, got 1"),
        ({"confidence": 2}, "confidence must be a number of at least 0 and below 1"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        RecordIntruder(**options)


def test_what_to_do_depends_on_whether_cells_were_swapped(census):
    masked = MDAVAnonymizer(KNOWN, k=5, sensitive=SECRET).fit_transform(census)
    assert attack(masked, census).remedy == RecordIntruder.remedy
    for scenario in ("informed", "uninformed"):
        swapper = GroupSwapper(KNOWN, sensitive=SECRET, scenario=scenario)
        release = swapper.fit_transform(census)
        message = attack(release, census).remedy
        assert "name the k that was promised" in message
        assert "swap cells" not in message
        assert "a larger k" in attack(release, census, k=5).remedy


def test_the_column_that_fares_worst_is_named(census):
    release = census.assign(TAXINC=census["TAXINC"].to_numpy()[::-1])
    details = attack(release, census).details
    assert details["column"] != "TAXINC"
    assert details["share"] == details["columns"][details["column"]]["share"] == 1
    assert attack(census, census, sensitive=[]).details["column"] is None

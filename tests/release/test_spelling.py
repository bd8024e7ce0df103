"""How published values are written tells nothing of rows that are not published."""

import json
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.columns import to_text
from anon_transformers.exceptions import DataError
from anon_transformers.metrics._cell_faults import cell_faults, moved_faults
from anon_transformers.release import (
    anonymize,
    load,
    measure_published,
    publish,
    read_published,
    validate,
)

yaml = pytest.importorskip("yaml")

WIDTHS = {"kind": "intervals", "widths": [10, 20, 40]}
CUTS = {"kind": "intervals", "cuts": [[30, 40, 50, 90], [40]]}
FEW, MANY = np.repeat([20, 30, 40], 40), np.repeat(np.arange(20, 60), 3)
DAYS = pd.to_datetime(np.repeat(["2020-01-01", "2020-02-01", "2021-01-01"], 40))
DAY, HOUR = pd.Timestamp("1950-01-01"), pd.Timestamp("1950-01-01 10:00")
FAR = [1095, 2095, 3095, 4095]
LONG_AGO = list(pd.to_datetime([f"18{year}-01-01" for year in (10, 30, 50, 70)]))
OF_THE_RUN = ("version", "place", "published", "files", "signature")
"""What differs from run to run: names, times, and hashes of what holds these."""
TENS = ["[20, 30)", "[30, 40)", "[40, 50)", "[50, 60)"]
NUMBERS = ["20", "30", "40"]


@pytest.fixture
def same_order(monkeypatch):
    """Rows in one order, so that files can be compared byte by byte."""
    draw = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed=0: draw(seed))


def write_release(
    folder, kept, outliers, tree, *, suppression="drop", source="csv", target="csv"
):
    """A release of rows in classes of 3 or 40, and of five persons without one."""
    folder.mkdir()
    known = pd.Series([*kept, *outliers])
    table = pd.DataFrame({"known": known, "ill": "flu"})
    columns = {"known": "number"} if known.dtype == "float64" else {}
    file = folder / f"people.{source}"
    csv = source == "csv"
    table.to_csv(file, index=False) if csv else table.to_parquet(file)
    content = {
        "source": {"path": file.name, **({"columns": columns} if csv else {})},
        "roles": {"quasi_identifiers": ["known"], "sensitive": ["ill"]},
        "hierarchies": {"known": tree},
        "anonymizer": {
            "name": "full-domain",
            "suppression": suppression,
            "suppression_limit": 0.05,
        },
        "thresholds": [{"model": "k-anonymity", "k": 5}],
        "target": {"path": "out", "format": target},
    }
    path = folder / "people.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def published(path):
    """Bytes of the data, and the manifest without what differs from run to run."""
    publish(validate(anonymize(load(path))))
    place = path.parent / "out" / "current"
    manifest = json.loads((place / "manifest.json").read_text())
    kept = {key: manifest[key] for key in manifest if key not in OF_THE_RUN}
    return (place / manifest["data"]).read_bytes(), kept


@pytest.mark.parametrize(
    ("target", "suppression"),
    [
        ("csv", "drop"),
        ("parquet", "mask"),
        pytest.param("csv", "mask", marks=pytest.mark.slow),
        pytest.param("parquet", "drop", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "source, kept, others, two, tree, labels",
    [
        ("csv", FEW, FAR, (95, 95.5), WIDTHS, NUMBERS),
        ("parquet", FEW, FAR, (95, 95.5), WIDTHS, NUMBERS),
        ("csv", MANY, FAR, (95, 95.5), WIDTHS, TENS),
        ("parquet", DAYS, LONG_AGO, (DAY, HOUR), {"kind": "dates"}, ["2020-01-01"]),
    ],
    ids=["numbers", "numbers of Parquet", "ranges", "dates"],
)
@pytest.mark.usefixtures("same_order")
def test_a_suppressed_value_shows_nowhere(
    tmp_path, source, kept, others, two, tree, labels, target, suppression
):
    how = {"source": source, "target": target, "suppression": suppression}
    files = [
        write_release(tmp_path / str(at), kept, [*others, last], tree, **how)
        for at, last in enumerate(two)
    ]
    first, second = map(published, files)
    assert first == second
    table = read_published(files[1].parent / "out", labels="text")
    assert len(table) == len(kept) + (5 if suppression == "mask" else 0)
    assert set(labels) <= set(table["known"])
    measured = measure_published(files[1].parent / "out", files[1])
    assert measured["rows"] == second[1]["measured"]["rows"]
    assert measured["classes"] == second[1]["measured"]["classes"]


@pytest.mark.usefixtures("same_order")
def test_a_published_value_is_written_as_it_is(tmp_path):
    kept = np.repeat([20, 30, 40.5], 40)
    path = write_release(tmp_path / "a", kept, [*FAR, 95], WIDTHS)
    published(path)
    table = read_published(path.parent / "out", labels="text")
    assert sorted(set(table["known"])) == ["20", "30", "40.5"]


def test_ranges_of_whole_numbers_can_be_stated(tmp_path):
    path = write_release(tmp_path / "a", MANY, [*FAR, 95], {**WIDTHS, "whole": True})
    published(path)
    table = read_published(path.parent / "out", labels="text")
    assert sorted(set(table["known"]))[:2] == ["[20, 29]", "[30, 39]"]


def test_a_stated_range_refuses_other_numbers_by_column_and_count(tmp_path):
    path = write_release(tmp_path / "a", MANY, [*FAR, 95.5], {**WIDTHS, "whole": True})
    with pytest.raises(DataError, match=r"'known'.* 1 values are not") as caught:
        anonymize(load(path))
    assert "95" not in str(caught.value)


def test_without_suppression_ranges_go_by_the_values(tmp_path):
    path = write_release(tmp_path / "a", MANY, [], WIDTHS)
    content = yaml.safe_load(path.read_text())
    content["anonymizer"]["suppression_limit"] = 0
    path.write_text(yaml.safe_dump(content))
    published(path)
    table = read_published(path.parent / "out", labels="text")
    assert sorted(set(table["known"]))[:2] == ["[20, 29]", "[30, 39]"]


@pytest.mark.parametrize("tree", [WIDTHS, CUTS], ids=["widths", "cuts"])
def test_what_a_file_does_not_state_is_half_open(tmp_path, tree):
    path = write_release(tmp_path / "a", MANY, [*FAR, 95], tree)
    published(path)
    assert "[30, 40)" in set(
        read_published(path.parent / "out", labels="text")["known"]
    )


def test_cells_are_compared_whatever_the_dropped_row_held():
    source = pd.DataFrame({"when": [*DAYS[:3], HOUR]})
    table, rows = source.iloc[:3], np.arange(3)
    assert to_text(source["when"])[0] != to_text(table["when"])[0]
    hidden = np.zeros(3, dtype=bool)
    assert moved_faults(source, table, rows, ["when"], hidden) == []
    assert cell_faults(source, table, ["when"]) == []
    moved = table.assign(when=[DAY, *DAYS[1:3]])
    assert len(moved_faults(source, moved, rows, ["when"], hidden)) == 1
    assert len(cell_faults(source, moved, ["when"])) == 1


def test_cells_are_compared_whatever_an_emptied_row_held():
    source = pd.DataFrame({"when": [*DAYS[:3], HOUR]})
    table = source.assign(when=source["when"].mask(source["when"] == HOUR))
    hidden = np.array([False, False, False, True])
    assert moved_faults(source, table, np.arange(4), ["when"], hidden) == []
    shown = np.zeros(4, dtype=bool)
    assert len(moved_faults(source, table, np.arange(4), ["when"], shown)) == 1


PAYS = [50, 60, 70, 80] * 30
MONTHS = [f"2020-0{month}-01" for month in (1, 2, 3, 4)] * 30
DROPPED = {
    # name of the dropped cell: what all others are, and this one, in two sources
    "the same kind": (PAYS, 50, 90),
    "missing": (PAYS, 50, None),
    "fraction": (PAYS, 50, 50.5),
    "too large": (PAYS, 50, 2**63),
    "text": (PAYS, 50, "x"),
    "whole floats": ([f"{pay}.0" for pay in PAYS], "50.0", "50"),
    "the only one": ([None] * 120, 50, None),
    "category": (PAYS, 50, 50.5),
    "category and missing": (PAYS, 50, None),
    "ordered category": (PAYS, 50, 50.5),
    "category of dates": (pd.to_datetime(MONTHS), DAY, HOUR),
    "ordered category of dates": (pd.to_datetime(MONTHS), DAY, HOUR),
    "decimals": ([Decimal(pay) for pay in PAYS], Decimal(50), Decimal("50.5")),
    "truth": ([True, False] * 60, True, None),
    "nanoseconds of durations": (
        pd.to_timedelta(np.resize([1, 2, 3], 120), unit="h").as_unit("us"),
        pd.Timedelta(hours=1),
        pd.Timedelta(1, unit="ns"),
    ),
    "nanoseconds": (
        pd.to_datetime(MONTHS),
        DAY,
        pd.Timestamp("2020-01-01 10:00:00.000000001"),
    ),
}
EVERYWHERE = ["the same kind", "missing", "fraction", "text", "category"]
OF_PARQUET = ["category", "decimals", "nanoseconds"]


def write_kept(folder, role, cells, *, source, target, ordered=None):
    """A release whose last five rows are dropped, with a column that is kept."""
    column = pd.Series(cells)
    if ordered is not None:
        # As one type: what pandas makes of all values.
        column = column.astype(pd.CategoricalDtype(sorted({*cells} - {None}), ordered))
    outliers = [*FAR, 95]
    path = write_release(folder, FEW, outliers, WIDTHS, source=source, target=target)
    file = folder / f"people.{source}"
    table = pd.DataFrame({"known": [*FEW, *outliers], "kept": column})
    table.to_csv(file, index=False) if source == "csv" else table.to_parquet(file)
    content = yaml.safe_load(path.read_text())
    content["roles"] = {
        "quasi_identifiers": ["known"],
        role: ["kept"],
        "accept_unique": ["kept"],
    }
    if role == "sensitive":
        content["thresholds"].append({"model": "t-closeness", "t": 0.5})
    path.write_text(yaml.safe_dump(content))
    return path


MOMENTS = ["2020-01-01T10:00:00", "2020-01-02T11:00:00", "2020-01-03T12:00:00"]
ZONED = [f"{moment}+00:00" for moment in MOMENTS]
WHOLE = ["1", "2", "3"]
HUGE = "18446744073709551615"
NANOSECONDS = "2020-01-01T10:00:00.123456789"


def write_texts(folder, columns, kept, dropped, *, target="csv", role="insensitive"):
    """A release of 60 rows with a column of texts, and of one more that is dropped."""
    folder.mkdir()
    cells = [dropped, *np.resize(kept, 60)]
    table = pd.DataFrame({"age": [1095, *np.repeat([20, 30, 40], 20)], "note": cells})
    table.assign(ill="flu").to_csv(folder / "people.csv", index=False)
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    roles[role] = [*roles.get(role, []), "note"]
    if role == "insensitive" and not any(kept):
        roles["accept_unique"] = ["note"]  # by the one who is dropped
    trees = {"age": {**WIDTHS, "whole": True}}
    if role == "quasi_identifiers":
        trees["note"] = {"kind": "masking", "length": 12}
    drop = {"suppression": "drop", "suppression_limit": 0.05}
    content = {
        "source": {"path": "people.csv", "columns": columns},
        "roles": roles,
        "hierarchies": trees,
        "anonymizer": {"name": "full-domain", **drop},
        "thresholds": [{"model": "k-anonymity", "k": 5}],
        "target": {"path": "out", "format": target},
    }
    path = folder / "people.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


@pytest.mark.parametrize(
    "source, target, role, dropped",
    [
        (source, target, role, dropped)
        for source, target in product(("csv", "parquet"), repeat=2)
        for role, dropped in product(("sensitive", "insensitive"), DROPPED)
        if not (source == "csv" and any(word in dropped for word in OF_PARQUET))
        and not (source == "parquet" and dropped == "text")
        and (dropped in EVERYWHERE or (target, role) == ("parquet", "sensitive"))
    ],
)
@pytest.mark.usefixtures("same_order")
def test_a_kept_column_is_what_its_published_cells_are(
    tmp_path, source, target, role, dropped
):
    kept, *two = DROPPED[dropped]
    ordered = dropped.startswith("ordered") if "category" in dropped else None
    found = []
    for at, last in enumerate(two):
        cells = [*kept, *kept[:4], last]
        if source == "csv":
            cells = ["" if cell is None else str(cell) for cell in cells]
        how = {"source": source, "target": target, "ordered": ordered}
        path = write_kept(tmp_path / str(at), role, cells, **how)
        found.append(published(path))
    assert found[0] == found[1]
    assert found[0][1]["measured"]["rows"] == len(kept)
    if dropped == "fraction":
        assert found[0][1]["schema"]["kept"] == "integer"


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
@pytest.mark.parametrize(
    "kept, two, kind",
    [
        (PAYS, (50, "x"), "integer"),
        ([float(pay) for pay in PAYS], (50.0, "x"), "integer"),
        ([float(pay) for pay in PAYS], (50.0, None), "integer"),
        ([f"{pay}.0" for pay in PAYS], ("50.0", "x"), "number"),
        ([f"0{pay}" for pay in PAYS], ("050", "1"), "text"),
        ([True, False] * 60, (True, None), "text"),
    ],
    ids=["whole", "floats", "missing", "texts", "codes", "truth"],
)
@pytest.mark.usefixtures("same_order")
def test_readers_of_plugins_tell_no_more(tmp_path, registered, role, kept, two, kind):
    found, frames = [], []
    registered("readers", "typed", lambda: frames[-1])
    for at, last in enumerate(two):
        cells = [*kept, *kept[:4], last]
        path = write_kept(tmp_path / str(at), role, MONTHS + MONTHS[:5], source="csv",
                          target="parquet")  # fmt: skip
        kept_cells = pd.Series(cells, dtype=object)
        if not any(isinstance(cell, str) for cell in cells):
            kept_cells = kept_cells.infer_objects()
        frames.append(pd.DataFrame({"known": [*FEW, *FAR, 95], "kept": kept_cells}))
        content = yaml.safe_load(path.read_text())
        content["source"] = {"kind": "typed"}
        path.write_text(yaml.safe_dump(content))
        found.append(published(path))
    assert found[0] == found[1]
    assert found[0][1]["schema"]["kept"] == kind


@pytest.mark.usefixtures("same_order")
def test_a_stated_kind_stays(tmp_path):
    path = write_kept(
        tmp_path / "a", "sensitive", [*PAYS, *PAYS[:5]], source="csv", target="csv"
    )
    content = yaml.safe_load(path.read_text())
    content["source"]["columns"] = {"kept": "number"}
    path.write_text(yaml.safe_dump(content))
    data, manifest = published(path)
    assert manifest["schema"]["kept"] == "number"
    assert b"50.0" in data


@pytest.mark.parametrize("target", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("kind", "kept", "dropped"),
    [
        ("date", MOMENTS, (MOMENTS[0], NANOSECONDS)),
        ("date", MOMENTS, (MOMENTS[0], "1500-01-01T10:00:00")),
        ("date", MOMENTS, (MOMENTS[0], "2020-01-01")),
        ("date", MOMENTS, (MOMENTS[0], "")),
        ("date", ZONED, (ZONED[0], "2020-01-01T10:00:00+05:30")),
        ("date", ZONED, (ZONED[0], "2020-01-01T10:00:00.123456789Z")),
        ("date", [""], (MOMENTS[0], ZONED[0])),
        ("integer", WHOLE, (WHOLE[0], HUGE)),
        ("integer", WHOLE, (WHOLE[0], "")),
        ("integer", ["1", "", "3"], (WHOLE[0], HUGE)),
        ("number", WHOLE, (WHOLE[0], "1e300")),
        ({"date": "%d/%m/%Y"}, ["01/02/2020"], ("01/02/2020", "01/02/0001")),
    ],
)
@pytest.mark.usefixtures("same_order")
def test_a_dropped_cell_of_a_stated_kind_shows_nowhere(
    tmp_path, kind, kept, dropped, target
):
    first, second = (
        published(write_texts(tmp_path / str(at), {"note": kind}, kept, cell,
                              target=target))
        for at, cell in enumerate(dropped)
    )  # fmt: skip
    assert first == second


def test_a_finer_unit_is_kept_where_a_published_cell_needs_it(tmp_path):
    kept, columns = [MOMENTS[0], NANOSECONDS], {"note": "date"}
    path = write_texts(tmp_path / "a", columns, kept, MOMENTS[0], target="parquet")
    published(path)
    found = read_published(path.parent / "out", labels="text")["note"]
    assert set(to_text(found)) == set(kept)
    path = write_texts(tmp_path / "b", {"note": "integer"}, [HUGE, "3"], "3",
                       target="parquet")  # fmt: skip
    published(path)
    assert set(to_text(read_published(path.parent / "out", labels="text")["note"])) == {
        HUGE,
        "3",
    }


@pytest.mark.parametrize("first", [MOMENTS[0], ZONED[0]])
@pytest.mark.parametrize("other", ["2020-01-05T10:00:00Z", "2020-01-05T10:00:00-03"])
def test_moments_with_and_without_a_zone_are_refused_by_their_count(
    tmp_path, first, other
):
    path = write_texts(tmp_path / "a", {"note": "date"}, [*MOMENTS, other], first)
    message = r"'note' holds times without a zone in 4[56] rows beside times with one"
    with pytest.raises(DataError, match=message):
        load(path)


@pytest.mark.parametrize("kept", [["1.50", "2.50", "3.00"], ["1.5", "3.0"], ["1e-5"]])
@pytest.mark.parametrize("dropped", ["2.5", "high", ""])
@pytest.mark.usefixtures("same_order")
def test_labels_of_numbers_do_not_tell_of_a_dropped_text(tmp_path, kept, dropped):
    how = {"role": "quasi_identifiers"}
    with pytest.raises(DataError, match=r"'note' holds numbers with .*note: number"):
        load(write_texts(tmp_path / "a", {}, kept, dropped, **how))
    stated = {"note": "text"}
    first = published(write_texts(tmp_path / "b", stated, kept, dropped, **how))
    assert first == published(write_texts(tmp_path / "c", stated, kept, "", **how))
    assert kept[0] in first[0].decode()
    path = write_texts(tmp_path / "d", {"note": "number"}, kept, dropped, **how)
    if dropped == "high":
        with pytest.raises(DataError, match="in 1 rows that are no number"):
            load(path)
        return
    first = published(path)
    path = write_texts(tmp_path / "e", {"note": "number"}, kept, "7", **how)
    assert first == published(path)


@pytest.mark.parametrize("kept", [WHOLE, ["a", "b"], ["2020-01-01"], ["007", "7"]])
@pytest.mark.usefixtures("same_order")
def test_other_labels_need_no_stated_kind(tmp_path, kept):
    how = {"role": "quasi_identifiers"}
    first, second = (
        published(write_texts(tmp_path / cell, {}, kept, cell, **how))
        for cell in (kept[0], "high")
    )
    assert first == second


def test_where_no_row_is_suppressed_numbers_are_taken_for_numbers(tmp_path):
    path = write_release(tmp_path / "a", np.repeat([1.5, 2.5], 20), [], WIDTHS)
    content = yaml.safe_load(path.read_text())
    content["source"].pop("columns")
    content["anonymizer"]["suppression_limit"] = 0
    path.write_text(yaml.safe_dump(content))
    published(path)
    assert set(read_published(path.parent / "out", labels="text")["known"]) == {
        "1.5",
        "2.5",
    }


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_moments_of_a_zone_may_be_published(tmp_path, target):
    moments = pd.to_datetime([f"{month} 10:00" for month in MONTHS + MONTHS[:5]])
    moments = moments.tz_localize("Europe/Vienna")
    path = write_kept(
        tmp_path / "a", "insensitive", moments, source="parquet", target=target
    )
    published(path)
    found = read_published(path.parent / "out", labels="text")["kept"]
    assert sorted(found) == sorted(moments[:120])

"""Rules of HIPAA safe harbor: worked cells, and judges written apart from the rules."""

from datetime import date

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.policies import PublishedCells
from anon_transformers.policies._safe_harbor import (
    NoIdentifiers,
    OldestTogether,
    ThreeDigitZips,
    YearsOnly,
)

YEAR = 2026


def found(rule, table, **known):
    """Rows that break a rule, by column."""
    cells = PublishedCells(pd.DataFrame(table, dtype=object), YEAR, **known)
    return {fault.column: fault.rows for fault in rule.faults(cells)}


@pytest.mark.parametrize(
    ("label", "breaks"),
    [
        ("89", False), ("90", True), ("89.5", False), ("90.5", True), ("17", False),
        ("[85, 89]", False), ("[85, 90[", False), ("[85, 90)", False),
        ("[85, 90]", True), ("[80, 95]", True), ("[90, 120]", True),
        (">= 90", False), (">=90", False), ("90+", False), ("90 or older", False),
        (">89", False), ("> 90", True), (">= 95", True), (">= 80", False),
        ("<= 89", False), ("< 90", False), ("< 95", True), ("80-89", False),
        ("85-94", True), ("{88, 91}", True), ("{20, 30}", False), ("*", False),
        ("* or missing", False), ("[20, 29] or missing", False),
        (">= 90 or missing", False), ("ninety-one", True), ("old", True),
    ],
)  # fmt: skip
def test_ages_over_89_are_one_group(label, breaks):
    assert found(OldestTogether(), {"age": [label, "30"]}) == (
        {"age": 1} if breaks else {}
    )


AGES = range(131)


@st.composite
def age_labels(draw):
    """A label, and the ages that it stands for: built from them, not parsed."""
    kind = draw(st.sampled_from(["one", "closed", "half-open", "from", "below", "set"]))
    low, high = sorted(draw(st.lists(st.integers(0, 130), min_size=2, max_size=2)))
    if kind == "one":
        return str(low), {low}, False
    if kind == "closed":
        return f"[{low}, {high}]", set(range(low, high + 1)), False
    if kind == "half-open":
        high += 1
        return f"[{low}, {high}[", set(range(low, high)), False
    if kind == "from":
        text = draw(st.sampled_from([f">= {low}", f"{low}+", f">={low}"]))
        return text, {age for age in AGES if age >= low}, True
    if kind == "below":
        return f"<= {low}", {age for age in AGES if age <= low}, False
    return f"{{{low}, {high + 1}}}", {low, high + 1}, False


@given(st.lists(age_labels(), min_size=1, max_size=12))
def test_ages_by_a_judge_who_knows_what_labels_stand_for(labels):
    over = {age for age in AGES if age > 89}
    wrong = sum(
        any(age > 89 for age in ages) and not (endless and over <= ages)
        for _, ages, endless in labels
    )
    table = {"patientAge": [text for text, _, _ in labels]}
    assert found(OldestTogether(), table) == ({"patientAge": wrong} if wrong else {})


@pytest.mark.parametrize(
    ("label", "breaks"),
    [
        ("1937", False), ("1936", True), ("<= 1936", False), ("< 1937", False),
        ("<= 1930", True), ("[1930, 1939]", True), ("1930-1939", True),
        ("[1937, 1940]", False), ("[1930-01-01, 1939-12-31]", True),
        ("[1940-01-01, 1949-12-31]", False), ("<= 1945", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("column", ["birth_year", "dob", "yearOfBirth"])
def test_years_of_birth_that_tell_ages_over_89(column, label, breaks):
    assert bool(found(OldestTogether(), {column: [label]})) == breaks


def test_ages_elsewhere_are_judged_where_the_file_says_so():
    table = {"alter": ["93", "40"]}
    assert not found(OldestTogether(), table)
    assert found(OldestTogether(), table, kinds={"alter": "age"}) == {"alter": 1}
    assert not found(OldestTogether(), {"age": ["93"]}, kinds={"age": "none"})


RESTRICTED = [
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831",
    "878", "879", "884", "890", "893",
]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.integers(0, 99999).map("{:05}".format)
            | st.sampled_from(RESTRICTED).map("{}01".format),
            st.integers(0, 5),
            st.sampled_from(["", "*", "x", "#"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_zips_by_a_judge_who_knows_the_whole_code(given):
    """Kept digits of a zip code: three, unless few live there; fewer, if marked."""
    cells, wrong = [], 0
    for code, kept, mark in given:
        text = code[:kept] + mark * (5 - kept)
        if not text or text == "*":
            continue
        cells.append(text)
        if kept > 3:
            wrong += 1
        elif kept == 3:
            wrong += code[:3] in RESTRICTED
        else:
            wrong += mark == ""  # 36 may be 036
    table = {"home_zip": cells}
    assert found(ThreeDigitZips(), table) == ({"home_zip": wrong} if wrong else {})


@pytest.mark.parametrize("prefix", RESTRICTED)
def test_an_area_of_few_is_000(prefix):
    assert found(ThreeDigitZips(), {"zip": [prefix, "000", "100"]}) == {"zip": 1}


def test_zips_of_other_forms():
    rule = ThreeDigitZips()
    assert found(rule, {"zip": ["{021, 022}", "{021, 036}", "*", None]}) == {"zip": 1}
    assert found(rule, {"zip": ["[021, 040]"]}) == {"zip": 1}
    assert found(rule, {"area": ["12345-6789", "12345"]}) == {"area": 1}
    assert found(rule, {"plz": ["12345"]}, kinds={"plz": "zip"}) == {"plz": 1}
    numbers = pd.DataFrame({"zip": [123, 36]})  # which 036 becomes in a number column
    assert [f.rows for f in rule.faults(PublishedCells(numbers, YEAR))] == [1]


@given(
    st.lists(
        st.tuples(
            st.dates(date(1850, 1, 1), date(2026, 12, 31)),
            st.sampled_from(
                ["%Y-%m-%d", "%Y-%m", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d %b %Y",
                 "%B %Y", "%Y-%m-%dT%H:%M", "year", "decade", "years", "quarter"]
            ),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["admission", "visit_date"]),
)  # fmt: skip
def test_dates_by_a_judge_who_knows_how_each_was_written(dates, column):
    cells, wrong = [], 0
    for day, how in dates:
        coarse = {
            "year": str(day.year),
            "decade": f"{day.year // 10 * 10}-{day.year // 10 * 10 + 9}",
            "years": f"[{day.year}-01-01, {day.year + 3}-12-31]",
        }
        if how in coarse:
            cells.append(coarse[how])
            continue
        wrong += 1
        quarter = f"{day.year}-Q{(day.month + 2) // 3}"
        cells.append(quarter if how == "quarter" else day.strftime(how))
    assert found(YearsOnly(), {column: cells}) == ({column: wrong} if wrong else {})


def test_what_cannot_be_read_in_a_column_of_dates_breaks_the_rule():
    cells = {"date": ["spring", "03-15", "20010203", "2001", None, "*"]}
    assert found(YearsOnly(), cells) == {"date": 3}
    assert found(YearsOnly(), {"month": [3, 4]}) == {"month": 2}
    assert not found(YearsOnly(), {"season": ["spring", "2001", "12345"]})
    moments = pd.DataFrame({"seen": pd.to_datetime(["2001-02-03", "2002-03-04"])})
    assert [f.rows for f in YearsOnly().faults(PublishedCells(moments, YEAR))] == [2]
    part = {"seen": ["[2001-01-01, 2001-06-30]", "[2001-01-01, 2001-12-31]"]}
    assert found(YearsOnly(), part) == {"seen": 1}


IDENTIFIERS = {
    "mail": "ann.lee@example.org",
    "web": "https://example.org/ann",
    "www": "see www.example.org",
    "ip": "192.168.0.17",
    "ssn": "123-45-6789",
    "phone": "(555) 123-4567",
    "dashes": "555-123-4567",
    "international": "+49 30 1234567",
    "in a text": "write to ann@example.org today",
}
PLAIN = ["[20, 35]", "{a, b}", "2001-2009", "1.5", "3.14.15", "12-34", "a@b", "Private"]


@given(
    st.lists(
        st.sampled_from([*IDENTIFIERS.values()]).map(lambda text: (text, True))
        | st.sampled_from(PLAIN).map(lambda text: (text, False)),
        min_size=1,
        max_size=12,
    )
)
def test_cells_that_are_identifiers(cells):
    assert bool(found(NoIdentifiers(), {"x": [text for text, _ in cells]})) == any(
        is_one for _, is_one in cells
    )


@pytest.mark.parametrize("text", IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_each_way_of_writing_is_counted(text):
    assert found(NoIdentifiers(), {"note": [text, "none", text]}) == {"note": 2}


@pytest.mark.parametrize(
    "column",
    ["name", "last_name", "city", "county", "home_address", "phone", "fax_no", "email",
     "ssn", "MRN", "accountNumber", "license_no", "vin", "device", "url", "ip",
     "fingerprint", "photo", "patient_id", "uuid"],
)  # fmt: skip
def test_names_of_columns_that_are_identifiers(column):
    assert found(NoIdentifiers(), {column: ["a", "b", None]}) == {column: 2}
    assert not found(NoIdentifiers(), {column: ["a", "b"]}, kinds={column: "none"})


@pytest.mark.parametrize(
    "column",
    ["age", "sex", "race", "marital-status", "education-num", "native-country",
     "salary-class", "hours", "workclass", "state", "device_type", "diagnosis"],
)  # fmt: skip
def test_names_of_columns_that_are_none(column):
    assert not found(NoIdentifiers(), {column: ["a", "b"]})


def test_a_declared_identifier_that_is_published_is_found():
    known = {"identifiers": frozenset(["person"]), "kinds": {"person": "none"}}
    assert found(NoIdentifiers(), {"person": ["7f", "8a"]}, **known) == {"person": 2}


@pytest.mark.parametrize(
    "rule", [NoIdentifiers(), YearsOnly(), OldestTogether(), ThreeDigitZips()]
)
def test_no_cell_is_quoted(rule):
    secret = "zoe@example.org 1999-03-04"
    table = {"age": [secret], "zip": [secret], "date": [secret], "note": [secret]}
    cells = PublishedCells(pd.DataFrame(table), YEAR)
    said = " ".join(map(str, rule.faults(cells)))
    assert "1 rows" in said
    assert not any(word in said for word in ("zoe", "1999", "@"))

"""Values as people read them."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import MondrianAnonymizer
from anon_transformers._data.readings import (
    USUAL_MARKS,
    read_spellings,
    read_text,
    read_value,
    read_values,
    value_keys,
)
from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import (
    ParameterError,
    RepeatedIdentifierWarning,
    SpellingWarning,
)
from anon_transformers.privacy import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FuzzyLDiversity,
    FuzzyTCloseness,
    TCloseness,
)


def classes_of(values, q=None):
    frame = pd.DataFrame({"q": q or [1] * len(values), "s": list(values)})
    return Classes.from_frame(frame, ["q"], ["s"])


@pytest.mark.parametrize(
    ("values", "level"),
    [
        pytest.param(["50000", "50000.0", "50000.00"], 1, id="spellings-of-a-number"),
        pytest.param(["50,000", "50000", "+50000."], 1, id="thousands-and-sign"),
        pytest.param(["HIV", "NA", "nan", "NULL", "n/a", "-"], 1, id="marks"),
        pytest.param(["HIV", "hiv", " HIV ", "H\u200bIV"], 1, id="case-and-blanks"),
        pytest.param(["caf\u00e9", "cafe\u0301"], 1, id="composition"),
        pytest.param(["001", "1", "01"], 3, id="codes-with-zeros"),
        pytest.param(["1E50", "10e49", "J45"], 3, id="codes-with-an-e"),
        pytest.param(["flu", "cold"], 2, id="plain"),
        pytest.param(["12", "12.0", "about 12"], 1, id="nearly-numbers"),
        pytest.param(["12", "12.0", "over 12"], 2, id="more-than-a-number"),
        pytest.param(
            ["2020-01-02", "2020/01/02", "20200102", "2020-1-2"],
            1,
            id="days-as-numbers",
        ),
        pytest.param(["20200102", "20200103", "20209999"], 3, id="numbers-of-8-digits"),
        pytest.param(["2020-01-02", "20200103", "20200102"], 2, id="bare-days"),
        pytest.param(["2020-1-2 07:30", "2020/01/02T07:30:00"], 1, id="more-moments"),
        pytest.param(
            ["HIV", "<b>HIV</b>", "HIV<br>", "<p class='x'>HIV</p>", "H<i>IV</i>"],
            1,
            id="markup",
        ),
        pytest.param(
            ["HIV", "&lt;b&gt;HIV&lt;/b&gt;", "\uff1cb\uff1eHIV"], 1, id="hidden-markup"
        ),
        pytest.param(
            [
                "HIV",
                "HIV\u00b9",
                "HIV\u00b2",
                "HIV\u00b9\u2070",
                "HIV\u2122",
                "HIV\u00ae",
            ],
            1,
            id="footnotes",
        ),
        pytest.param(["10\u00b2", "10\u00b3", "10"], 3, id="powers-of-ten"),
        pytest.param(["5 m", "5 m\u00b2", "5m\u00b3"], 3, id="areas"),
        pytest.param(["HIV", "1. HIV", "2. HIV", "(3) HIV", "4) HIV"], 1, id="listed"),
        pytest.param(["1. HIV", "2. HIV", "flu"], 2, id="listed-beside-others"),
        pytest.param(["1. Grad", "2. Grad", "unknown"], 2, id="ordinals"),
        pytest.param(
            ["1. Mai 2020", "2. Mai 2020", "3. Mai 2020"], 3, id="days-of-May"
        ),
        pytest.param(["5. mg", "5 mg", "6 mg"], 2, id="a-point-before-a-unit"),
        pytest.param(
            ["5", "ca. 5", "approx. 5", "about 5", "~5", "ca.5", "ungef\u00e4hr 5"],
            1,
            id="about",
        ),
        pytest.param(["$5", "about $5", "approx. 5 USD"], 1, id="about-an-amount"),
        pytest.param(["7:30", "7h30", "07h30", "7 h 30"], 1, id="hours"),
        pytest.param(["50000", "50000.0", "007"], 2, id="beside-a-code"),
        pytest.param(["50000", "50000.0", "5e4", "60000", "70000"], 3, id="exponent"),
        pytest.param(["5e4", "50000", "5.0E4"], 1, id="exponents-beside-a-number"),
        pytest.param(["1e-05", "0.00001", "1.e-5", "0.00002"], 2, id="small-powers"),
        pytest.param(["HIV", "\uff28\uff29\uff36", "HIV\ufe0f"], 1, id="full-width"),
        pytest.param(["HIV", "HI\u034fV", "HIV\u2800", "HIV\x7f"], 1, id="invisible"),
        pytest.param(["HIV", "???", "...", "N/A", "*"], 1, id="says-nothing"),
        pytest.param(["+", "++", "a"], 3, id="signs"),
        pytest.param(["yes", "Y", "true", "1", "T"], 1, id="truth-words"),
        pytest.param(["yes", "Y", "no", "false", "0"], 2, id="truths-and-untruths"),
        pytest.param(["1", "0"], 2, id="codes-of-truth"),
        pytest.param(["1", "yes", "2"], 3, id="truth-words-beside-others"),
        pytest.param(["50 %", "50%", "50 percent", "50"], 1, id="percent"),
        pytest.param(["50 000", "50000", "50'000", "50\u2019000"], 1, id="thousands"),
        pytest.param(["50\u202f000", "50000", "50\u00a0000"], 1, id="narrow-blanks"),
        pytest.param(["50.000,00", "50000", "50 000,0"], 1, id="decimal-comma"),
        pytest.param(["1.234.567,5", "1,234,567.5", "1234567,5"], 1, id="millions"),
        pytest.param(["50.000", "50", "50000"], 2, id="ambiguous-thousands"),
        pytest.param(["$50,000", "50,000 $", "USD 50000", "50000"], 1, id="currency"),
        pytest.param(["$50", "\u20ac50", "50 EUR"], 2, id="two-currencies"),
        pytest.param(["-$50", "$-50", "- 50 usd", "$50"], 2, id="negative-amounts"),
        pytest.param(
            ["HIV", '"HIV"', "(HIV)", "HIV.", "\u00abHIV\u00bb"], 1, id="quotes"
        ),
        pytest.param(
            [
                "HIV-positive",
                "HIV positive",
                "HIV\u2010positive",
                "HIV\u2011positive",
                "HIV \u2013 positive",
                "HIV_positive",
            ],
            1,
            id="hyphens",
        ),
        pytest.param(["Crohn's", "Crohn\u2019s", "crohns"], 1, id="apostrophes"),
        pytest.param(["07:30", "7:30", "7:30 AM", "07:30:00"], 1, id="times"),
        pytest.param(["07:30", "7:30 pm", "19:30", "0:15", "12:15 AM"], 3, id="halves"),
        pytest.param(
            ["2020-01-02", "2020-01-02 00:00:00", "2020-01-02T00:00:00Z"], 1, id="days"
        ),
        pytest.param(
            ["2020-01-02", "2020-01-02 07:30", "2020-01-02T07:30:00", "2020-01-03"],
            3,
            id="moments",
        ),
        pytest.param(["50", "\u0665\u0660", "\u06f5\u06f0"], 1, id="other-digits"),
        pytest.param(
            [
                "HIV",
                "not stated",
                "n.k.",
                "refused",
                "undefined",
                "keine Angabe",
                "not applicable",
                "(unknown)",
                "N.A",
            ],
            1,
            id="more-marks",
        ),
        pytest.param(["HIV", "9999"], 2, id="a-number-is-no-mark"),
        pytest.param(["N", "a", "b"], 3, id="a-letter-is-no-mark"),
        pytest.param(["C++", "C", "C#"], 3, id="languages"),
        pytest.param(["A-", "A+", "A", "O-", "O+", "AB"], 6, id="blood-groups"),
        pytest.param(["(A-)", "A-", "A -"], 1, id="a-blood-group-in-brackets"),
        pytest.param(["<5", "5", ">5", "<=5"], 4, id="limits"),
        pytest.param(["<= 5", "\u22645", "<=5"], 1, id="one-limit"),
        pytest.param(["1.5", "15", "1,5"], 2, id="decimals"),
        pytest.param(["-5", "5", "\u22125"], 2, id="minus"),
        pytest.param(["2-3", "23", "2.3", "2/3", "2:3"], 5, id="between-digits"),
        pytest.param(["\U0001f600", "\U0001f622", "\u2642", "\u2640"], 4, id="symbols"),
        pytest.param(["\u0915\u093f", "\u0915\u0940"], 2, id="vowel-signs"),
    ],
)
def test_spellings_of_one_value_are_one_value(values, level):
    assert DistinctLDiversity(1).level(classes_of(values)) == level


def are_one(one, other, *beside):
    """Whether two texts of a column are one value to a reader."""
    codes = read_values([one, other, *beside])
    return codes is not None and codes[0] == codes[1] < codes[-1]


@pytest.mark.parametrize(
    "spellings",
    [
        ["5 mg", "5mg", "5.0 mg", "05 mg", "5 milligrams", "+5 MG"],
        ["5 mg/dl", "5mg/dl", "5.0 mg / dl"],
        ["5 drops daily", "5drops daily", "5.00 drops daily"],
        ["<5 mg", "< 5mg", "<5.0 mg"],
        ["- 5", "-5", "\u2212 5", "-5.0"],
        ["+ 5", "5"],
        [
            "5-10",
            "5 - 10",
            "5 to 10",
            "5\u201310",
            "5 \u2013 10",
            "5.0-10.0",
            "5 bis 10",
        ],
        ["5-10 mg", "5 - 10mg", "5 to 10 mg"],
        ["50 EUR", "50 euros", "\u20ac50", "50 \u20ac", "50 Euro", "EUR 50.00"],
        ["$50", "50 dollars", "50 USD", "US$ 50", "50 US dollars"],
        ["50 pounds", "\u00a350", "GBP 50"],
        ["50 z\u0142", "50 PLN", "50 zloty"],
        ["50k", "50000", "50 K", "50 thousand", "50 Tsd."],
        ["$50k", "50000 dollars", "USD 50,000"],
        ["$1.5m", "1.5 million dollars", "1,500,000 USD", "1.5 Mio. $"],
        ["H.I.V.", "HIV", "h. i. v.", "H.I.V", "H I V", "h i v"],
        ["M S", "MS", "m.s."],
        ["[5, 10]", "[5,10]", "[5 , 10]", "[ 5,10 ]"],
        ["\u2248 5 mg", "~5 mg", "~ 5mg", "\u223c5 mg"],
        ["flu&nbsp;A", "flu A", "flu&#32;A", "flu&#x20;a", "flu&amp;nbsp;A"],
        ["HIV1", "HIV 1", "HIV-1", "HIV\u20111", "HIV- 1"],
        ["B12", "B 12", "b-12"],
        ["Sj\u00f6gren", "Sjogren", "Sjo\u0308gren", "Sjoegren"],
        ["M\u00e9ni\u00e8re", "Meniere"],
        ["S\u00f8rensen", "Sorensen", "Soerensen"],
        ["5 \u00b5g", "5 \u03bcg", "5 mcg", "5ug"],
        ["3 years", "3 yrs", "3 year", "3 Jahre"],
    ],
)
def test_spellings_of_one_value(spellings):
    for one, other in combinations(spellings, 2):
        assert are_one(one, other, spellings[0], "flu", "gout"), (one, other)


@pytest.mark.parametrize(
    "values",
    [
        ["A-", "A+", "A", "AB", "A/B"],
        ["<5", "5", ">5", "<=5"],
        ["<5 mg", "5 mg", "50 mg"],
        ["C", "C++", "C#"],
        ["-5", "5", "5-"],
        ["1.5", "15", "1-5"],
        ["1.5 mg", "15 mg", "1-5 mg"],
        ["001", "1", "J45", "K20"],
        ["001A", "1A", "2B"],
        ["1E50", "10E49", "J45"],
        ["1E5", "100000", "J45", "K20"],
        ["5 mg", "5 g", "5 ml", "5 kg", "5 l"],
        ["5 EUR", "5 USD", "5 CHF", "5 kr"],
        ["50k", "50", "50m"],
        ["5-10", "510", "5-100", "10-5"],
        ["2020-01-02", "2020-01-03", "2020-0102"],
        ["HIV 1", "HIV 2", "HIV 12", "HIV"],
        ["change -5", "change 5"],
        ["poet", "pot", "blue", "blu"],
        ["stage 2a", "stage 2b", "stage 2"],
        ["2", "2a", "2b"],
        ["ND", "SD", "KA", "SO"],
        ["m", "male", "x"],
        ["vitamin b", "vitamin c", "b c d"],
        ["AT&T", "ATT", "R&D"],
        ["[5, 10]", "[5, 11]", "5.10"],
        ["\u0915\u0941", "\u0915\u0942", "\u0915"],
        ["value", "name", "ref"],
        ["none of these", "unknown virus", "no data loss", "not reported by police"],
        ["negative", "undetermined", "inconclusive", "other", "no", "never"],
    ],
)
def test_values_that_stay_different(values):
    for one, other in combinations(values, 2):
        rest = [value for value in values if value not in {one, other}]
        assert not are_one(one, other, *rest), (one, other)
    codes = read_values(values)
    assert codes is None or codes[-1] == len(values)


@pytest.mark.parametrize(
    "mark",
    """prefer not to say; not disclosed; don't know; Don\u2019t know; dont know
    do not know; no response; UNK; unknown (refused); not reported; not recorded
    no data; declined; blank; (blank); empty; +nan; -nan; NaN%; NaN %; #VALUE!; #REF!
    #DIV/0!; #NAME?; #NUM!; "#REF!"; not asked; not collected; withheld; undisclosed
    keine; k. A.; k.A.; s/o; n.d.; n/d; tbd; T.B.D.; unknown / not stated
    refused or unknown; NA - not available; prefer not to answer; declined to answer
    refused to answer; not provided; not given; unavailable; to be determined
    weiss nicht; Wei\u00df nicht; nicht bekannt; nicht angegeben; ohne Angabe
    entf\u00e4llt; verweigert; keine Antwort; inconnu; Inconnue; non renseign\u00e9
    NON RENSEIGNE; ne sait pas; sans r\u00e9ponse; non pr\u00e9cis\u00e9; desconocido
    no sabe; no contesta; NS/NC; no aplica; sin datos; sin informaci\u00f3n
    sin informacion; no disponible; xx; XXX; pending; does not apply; nothing
    not avail.; void; none recorded; NR; doesn\u2019t apply
    """.strip()
    .replace("\n", ";")
    .split(";"),
)
def test_marks_of_a_missing_value(mark):
    codes = read_values([mark, "HIV", "flu"])
    assert codes.tolist() == [2, 0, 1, 2]
    assert read_values([mark, "HIV", "flu"], []) is None


@pytest.mark.parametrize(
    ("texts", "one"),
    [
        pytest.param(["50000", "5e4", "on request"], True, id="one-text"),
        pytest.param(["50000", "5e4", "60000", "on request"], True, id="one-of-four"),
        pytest.param(["50000", "5e4", "x", "y"], False, id="two-of-four"),
        pytest.param(
            ["50000", "5e4", *map(str, range(36)), "x", "y"], True, id="95-percent"
        ),
        pytest.param(
            ["50000", "5e4", *map(str, range(35)), "x", "y"], False, id="below"
        ),
        pytest.param(["50000", "5e4", "NA", "refused", "?"], True, id="marks-left-out"),
        pytest.param(["050", "50", *map(str, range(20)), "x"], True, id="zeros"),
        pytest.param(["050", "50", "060", "070", "x"], False, id="codes"),
    ],
)
def test_a_stray_text_does_not_make_numbers_codes(texts, one):
    assert are_one(*texts) == one


def test_an_empty_list_of_marks_counts_every_text():
    classes = classes_of(["none", "mild", "severe"])
    assert DistinctLDiversity(3).level(classes) == 2
    assert DistinctLDiversity(3, missing_marks=[]).level(classes) == 3


def test_a_list_of_marks_adds_to_the_usual_ones():
    classes = classes_of(["HIV", "NA", "nan", "NULL", "do not ask"])
    assert DistinctLDiversity(1).level(classes) == 2
    assert DistinctLDiversity(1, missing_marks=["Do not ask!"]).level(classes) == 1


def test_marks_must_be_a_list_of_texts():
    with pytest.raises(ParameterError, match="missing_marks must be a list of texts"):
        DistinctLDiversity(2, missing_marks="NA")


def test_the_worse_of_the_two_readings_counts():
    # As they are, the shares agree with the table's; as they are read, they do not.
    values = ["a", "b", "A", "c"]
    q = [1, 1, 2, 2]
    classes = classes_of(values, q)
    assert DistinctLDiversity(2).satisfied(classes).all()
    assert AlphaKAnonymity(0.5, 2).satisfied(classes).all()
    as_they_are = TCloseness(1, reference="released").class_levels(classes)
    assert as_they_are == pytest.approx([0.5, 0.5])  # read: 0.25 each


def test_entropy_merges_spellings():
    classes = classes_of(["HIV", "hiv", "flu", "Flu"])
    assert EntropyLDiversity(1).level(classes) == pytest.approx(2)


def test_every_usual_mark_is_written_as_it_is_read():
    assert {read_text(mark) for mark in USUAL_MARKS} == set(USUAL_MARKS)


@given(st.text(max_size=12) | st.text("aB1.,:-+<>='()$% 0\u2010\u0665", max_size=12))
def test_reading_twice_is_reading_once(text):
    assert read_value(read_value(text)) == read_value(text)


@given(st.text("abcdefghij0123456789", min_size=1, max_size=12))
def test_plain_words_are_read_as_they_are(word):
    assert read_value(word) == read_text(word) == word


@given(st.text(max_size=8), st.text(max_size=8))
def test_what_is_one_text_is_one_value(one, other):
    # The value is read from the text that is seen: it never tells more apart.
    if read_text(one) == read_text(other):
        assert read_value(one) == read_value(other)


SPELLINGS = st.from_regex(
    r"\A[-+]?(0|[1-9][0-9]{0,2}(,[0-9]{3})?|0[0-9])(\.[0-9]{0,2})?(e[-+]?[0-9])?\Z"
)


@given(
    st.lists(
        SPELLINGS | st.text("01257.,e+-$% aN'", max_size=6), unique=True, max_size=8
    )
)
def test_one_spelling_is_one_value(texts):
    spelled, read = read_spellings(texts), read_values(texts)
    if spelled is None:
        return
    for one, other in combinations(range(len(texts)), 2):
        assert spelled[one] != spelled[other] or read[one] == read[other]


def test_labels_and_names_keep_their_signs():
    labels = ["[20, 30)", "[20, 30]", "20-30", "Mary-Ann", "Mary Ann", "7-1", "71"]
    assert read_spellings(labels) is None
    assert read_spellings(["NA", "na"]).tolist() == [0, 0, 1]


def test_a_value_to_protect_is_found_in_every_spelling():
    classes = classes_of(['"HIV"', "hiv", "HIV.", "flu"])
    assert AlphaKAnonymity(1, 1, value="HIV").level(classes) == pytest.approx(0.75)


@given(st.lists(st.text(max_size=6), unique=True, max_size=12))
def test_reading_only_joins_values(texts):
    codes = read_values(texts)
    if codes is None:
        return
    assert len(codes) == len(texts) + 1
    assert codes[-1] == codes.max()
    known = codes[:-1][codes[:-1] < codes[-1]]
    # Numbered in the order of their first text, so that an order of values is kept.
    first = [np.flatnonzero(codes == number)[0] for number in range(codes[-1])]
    assert set(known) == set(range(codes[-1]))
    assert first == sorted(first)


@given(st.lists(st.sampled_from(["a", "A", "b", "NA", "1", "1.0"]), min_size=1))
def test_reading_never_raises_the_number_of_values(values):
    level = DistinctLDiversity(1).level(classes_of(values))
    assert level <= len(set(values))
    read = {read_text(value) for value in values} - USUAL_MARKS
    assert level <= len(read)


def test_fuzzy_sets_are_judged_as_people_read_their_values():
    degrees = [[1, 0], [1, 0], [0, 1], [0, 1]]
    table = pd.DataFrame({"ill": ["HIV", "hiv", "flu", "NA"]})
    memberships = Memberships.from_frame(degrees, table, sensitive=["ill"])
    assert FuzzyLDiversity(l=1).level(memberships) == 1
    assert FuzzyLDiversity(l=1, missing_marks=[]).level(memberships) == 1
    assert FuzzyLDiversity(l=2).satisfied(memberships).tolist() == [False, False]
    # As they are 3/4 of the table are in neither set; as they are read, 1/2 are.
    assert FuzzyTCloseness(t=1).level(memberships) == pytest.approx(0.5)


def test_quasi_identifiers_that_differ_in_spelling_only_are_warned_of():
    frame = pd.DataFrame({"job": ["Nurse", "nurse", "Nurse", "nurse"]})
    with pytest.warns(SpellingWarning, match="2 texts are 1 values to a reader"):
        MondrianAnonymizer(["job"], k=2).fit(frame)


def test_a_repeated_identifier_without_subject_is_warned_of():
    frame = pd.DataFrame({"name": ["Ann", "Ann", "Bob", "Bob"], "age": [1, 1, 1, 1]})
    with pytest.warns(RepeatedIdentifierWarning, match="'name' repeats \\(2 values"):
        MondrianAnonymizer(["age"], k=2, identifiers=["name"]).fit(frame)
    found = MondrianAnonymizer(["age"], k=2, subject="name").fit(frame)
    assert found.report_.classes["smallest"] == 2


def test_of_many_repeated_identifiers_three_are_named_after_the_advice():
    frame = pd.DataFrame({"age": [1] * 12})
    for n in range(1, 8):
        frame[f"id{n}"] = [min(row, n) for row in range(12)]
    names = [f"id{n}" for n in range(1, 8)]
    with pytest.warns(RepeatedIdentifierWarning) as caught:
        MondrianAnonymizer(["age"], k=2, identifiers=names).fit(frame)
    message = str(caught[0].message)
    assert message.startswith("k counts rows")
    assert "such as subject='id7'. Here identifier 'id7' repeats (1 values" in message
    assert [name for name in names if f"{name!r} repeats" in message] == names[-3:]
    assert message.endswith("; and 4 more.")


def test_letters_for_sexes_where_there_is_nothing_else():
    assert read_values(["m", "F", "male", "Female"]).tolist() == [0, 1, 0, 1, 2]
    assert read_values(["f", "Female", "NA"]).tolist() == [0, 0, 1, 1]
    assert read_values(["f", "t", "female"]) is None


PIECES = [
    *["50000", "50000.0", "5e4", "050000", "50k", "$50,000", "50.000,00", "50 000 EUR"],
    *["1", "1.0", "01", "0", "yes", "Y", "t", "true", "no", "N", "False", "f", "m"],
    *["male", "Female", "20200102", "2020-01-02", "2020-01-02 00:00", "HIV-1", "hiv 1"],
    *["1. HIV", "(HIV)", "hiv", "Sj\u00f6gren", "Sjogren", "Sjoegren", "5 mg", "5.0mg"],
    *["<5", "< 5.0", "2b", "2 B", "5-10", "5 to 10", "flu", "[5,10]", "ca. 5", "5"],
]


@given(
    st.lists(st.sampled_from(PIECES) | SPELLINGS, unique=True, min_size=1, max_size=6),
    st.lists(st.sampled_from(PIECES) | SPELLINGS, unique=True, max_size=6),
)
def test_what_is_one_value_in_any_column_has_one_key(texts, beside):
    """Whichever texts stand beside them, in this table or in another one."""
    column = list(dict.fromkeys([*texts, *beside]))
    codes = read_values(column, marks=[])
    if codes is None:
        return
    keys = value_keys(texts) + value_keys(beside)
    found = dict(zip([*texts, *beside], keys, strict=True))
    for one, other in combinations(range(len(column)), 2):
        if codes[one] == codes[other]:
            assert found[column[one]] == found[column[other]]


@pytest.mark.parametrize(
    "values",
    [
        ["A-", "A+", "A", "AB", "A/B"],
        ["<5", "5", ">5", "<=5"],
        ["1.5", "15", "1-5", "-15"],
        ["2", "2a", "2b", "stage 2"],
        ["HIV 1", "HIV 2", "HIV 12", "HIV"],
        ["yes", "no", "maybe"],
        ["1. trimester", "2. trimester", "3. trimester"],
    ],
)
def test_keys_keep_values_apart(values):
    assert len(set(value_keys(values))) == len(values)

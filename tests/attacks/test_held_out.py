"""Singling out, linkability and inference, against a slow twin and a held-out part."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from anon_transformers import MondrianAnonymizer
from anon_transformers.attacks import Inference, Linkability, SinglingOut
from anon_transformers.attacks._excess import Excess
from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.testing import check_attack

ATTACKS = [SinglingOut, Linkability, Inference]
ROLES = {"quasi_identifiers": ["x", "y"], "sensitive": ["s"]}
NAMES = ["x", "y", "s"]


def cover(cell, value):
    if cell == "*":
        return True
    if "," not in cell:
        return cell == str(value)
    low, high = cell.strip("[]").split(", ")
    return int(low) <= value <= int(high)


def suppressed(row):
    return row[0] == row[1] == "*"


def fitting(release, person, columns):
    """Places of published rows that cover a person in some columns."""
    return [
        at
        for at, row in enumerate(release)
        if not all(row[j] == "*" for j in columns)
        and all(cover(row[j], person[j]) for j in columns)
    ]


def singled_out(release, table):
    """Of rows that are alone of their kind, whether they fit one row of a table."""
    found = {}
    for at, row in enumerate(release):
        if suppressed(row) or release.count(row) > 1:
            continue
        fits = sum(
            at in fitting([*release], p, (0, 1)) and p[2] == row[2] for p in table
        )
        found[at] = fits == 1
    return found


def guessed(release, table):
    chances = []
    for person in table:
        rows = fitting(release, person, (0, 1)) or range(len(release))
        chances.append(np.mean([release[at][2] == person[2] for at in rows]))
    return chances


def linked(release, table):
    chances = []
    for person in table:
        one, two = (fitting(release, person, (j,)) for j in (0, 1))
        both = [
            at for at in fitting(release, person, (0, 1)) if at in one and at in two
        ]
        chances.append(len(both) / max(len(one) * len(two), 1))
    return chances


person = st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from("ab"))
cell = st.sampled_from(["[0, 2]", "[3, 5]", "[1, 4]", "2"])


@st.composite
def tables(draw):
    n = draw(st.integers(3, 8))
    original = draw(st.lists(person, min_size=n, max_size=n))
    control = draw(st.lists(person, min_size=n, max_size=n))
    cells = draw(st.lists(st.tuples(cell, cell), min_size=n, max_size=n))
    release = [
        (*c, p[2]) if draw(st.integers(0, 5)) else ("*", "*", p[2])
        for c, p in zip(cells, original, strict=True)
    ]
    return release, original, control


def frame(rows):
    return pd.DataFrame(rows, columns=NAMES)


def run(attack, made):
    release, original, control = made
    return attack.run(
        frame(release).astype(object),
        original=frame(original),
        control=frame(control),
        show_values=True,
        **ROLES,
    )


@settings(max_examples=120, deadline=None)
@given(tables())
def test_descriptions_fit_as_a_reader_counts(made):
    release, original, control = made
    report = run(SinglingOut(), made)
    here, there = singled_out(release, original), singled_out(release, control)
    assert report.details["attempts"] == len(here)
    if here:
        assert report.details["success"]["share"] == np.mean(list(here.values()))
        assert report.details["control"]["share"] == np.mean(list(there.values()))
    proven = report.details["excess"]["low"] > 0
    expected = [at for at, hit in here.items() if hit] if proven else []
    assert report.exposed_records.index.tolist() == expected


@settings(max_examples=120, deadline=None)
@given(tables())
def test_guesses_are_those_of_all_rows_that_fit(made):
    release, original, control = made
    if not any(fitting(release, p, (0, 1)) for p in original):
        with pytest.raises(NotEvaluable):
            run(Inference(), made)
        return
    seen = run(Inference(), made).details["columns"]["s"]
    assert seen["success"]["share"] == pytest.approx(
        np.mean(guessed(release, original))
    )
    assert seen["control"]["share"] == pytest.approx(np.mean(guessed(release, control)))


@settings(max_examples=120, deadline=None)
@given(tables())
def test_links_are_those_of_all_pairs_of_rows(made):
    release, original, control = made
    chances = linked(release, original)
    if not any(chances):
        with pytest.raises(NotEvaluable):
            run(Linkability(), made)
        return
    seen = run(Linkability(), made).details
    assert seen["success"]["share"] == pytest.approx(np.mean(chances))
    assert seen["control"]["share"] == pytest.approx(np.mean(linked(release, control)))


@pytest.fixture(scope="module")
def halves():
    columns = ["age", "sex", "education", "workclass", "occupation"]
    people = load_adult()[columns].sample(6000, random_state=3)
    return people.iloc[:3000], people.iloc[3000:]


KNOWN = ["age", "sex", "education", "workclass"]


def on(release, original, control, attack):
    return attack().run(
        release,
        original=original,
        control=control,
        quasi_identifiers=KNOWN,
        sensitive=["occupation"],
    )


@pytest.mark.parametrize("attack", [SinglingOut, Inference])
def test_a_raw_table_is_exposed(halves, attack):
    original, control = halves
    report = on(original, original, control, attack)
    assert report.exposed > 300
    excess = (
        report.details["columns"]["occupation"]["excess"]
        if attack is Inference
        else report.details["excess"]
    )
    assert 0 < excess["low"] < excess["share"] <= excess["high"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_strangers_are_no_better_known_than_other_strangers(halves, attack):
    one, other = halves
    third = load_adult()[one.columns].drop(one.index).drop(other.index)
    report = on(third.sample(3000, random_state=1), one, other, attack)
    assert report.exposed == 0


def test_k_lowers_what_is_learned_beyond_the_control(halves):
    original, control = halves
    found = {}
    for k in (1, 20):
        method = MondrianAnonymizer(KNOWN, k=k, sensitive=["occupation"])
        release = method.fit_transform(original)
        found[k] = on(release, original, control, Inference).exposed
    assert found[20] < found[1] / 10


def test_parts_that_tell_persons_apart_are_linked_unless_k_hides_them():
    rng = np.random.default_rng(2)
    original, control = (
        pd.DataFrame(rng.integers(0, 9999, (500, 2)), columns=["x", "y"])
        for _ in range(2)
    )
    held = {"original": original, "control": control, "quasi_identifiers": ["x", "y"]}
    raw = Linkability().run(original, **held)
    apart = original["x"].map(original["x"].value_counts()) == 1
    apart &= original["y"].map(original["y"].value_counts()) == 1
    assert raw.exposed == apart.sum() > 400
    assert raw.details["control"]["share"] == 0
    safe = MondrianAnonymizer(k=5).fit_transform(original)
    assert Linkability().run(safe, **held).exposed == 0


@pytest.mark.parametrize(("attack", "control"), [(0.3, 0.3), (0.5, 0.2), (0.05, 0.02)])
def test_the_interval_holds_the_truth_as_often_as_it_says(attack, control):
    rng = np.random.default_rng(5)
    truth = (attack - control) / (1 - control)
    n, runs = 200, 400
    held = 0
    for _ in range(runs):
        hits = (rng.random((2, n)) < [[attack], [control]]).astype(float)
        excess = Excess.of(*hits, 0.95).excess
        held += excess.low <= truth <= excess.high
    assert binomtest(held, runs, 0.95, alternative="less").pvalue > 0.01


def test_what_cannot_be_compared_is_told(halves):
    original, control = halves
    with pytest.raises(NotEvaluable, match="rows"):
        on(original, original, control.iloc[:1000], SinglingOut)
    with pytest.raises(NotEvaluable, match="control has no column 'age'"):
        on(original, original, control.drop(columns="age"), Inference)
    with pytest.raises(NotEvaluable, match="control is empty"):
        on(original, original, control.iloc[:0], Linkability)
    with pytest.raises(NotEvaluable, match="needs control"):
        on(original, original, None, Linkability)
    with pytest.raises(ParameterError, match="confidence"):
        Inference(confidence=1.0)


def test_parts_of_what_is_known(halves):
    original, control = halves
    held = {"original": original, "control": control, "quasi_identifiers": KNOWN}
    report = Linkability(first=["sex"]).run(original, **held)
    assert report.details["second"] == ["age", "education", "workclass"]
    with pytest.raises(ParameterError, match="did you mean 'sex'"):
        Linkability(first=["sexx"]).run(original, **held)
    with pytest.raises(ParameterError, match="some of the quasi-identifiers"):
        Linkability(first=KNOWN).run(original, **held)


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_contract_of_attacks(attack):
    check_attack(attack)

"""Fuzzy t-closeness: mixtures, their distances, and the crisp case."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import FuzzyTCloseness, TCloseness, judge
from anon_transformers.privacy import _fuzzy_mixtures as mixtures

HALF = Fraction(1, 2)
LETTERS = ["a", "b", "c", "d"]
SETTINGS = [
    {},
    {"cardinality": "sigma"},
    {"class_distribution": "distinct"},
    {"table_distribution": "uniform"},
    {"class_distribution": "distinct", "table_distribution": "distinct_published"},
]


@st.composite
def cases(draw, values=tuple(LETTERS)):
    """Degrees in eighths and a sensitive value for each row."""
    n_sets = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    rows = draw(
        st.lists(st.tuples(eighths, st.sampled_from(values)), min_size=1, max_size=9)
    )
    degrees = [[Fraction(part, 8) for part in parts] for parts, _ in rows]
    return degrees, [value for _, value in rows]


def evidence_of(degrees, values, **options):
    cells = pd.Series(values, dtype=object)
    if set(values) <= {*LETTERS, None}:
        cells = pd.Categorical(values, sorted(LETTERS), ordered=True)
    frame = pd.DataFrame({"s": cells})
    return Memberships.from_frame(
        np.array(degrees, dtype=float), frame, ["s"], **options
    )


def count(own, cardinality):
    if cardinality == "sigma":
        return sum(own)
    return sum(d > HALF for d in own) + min(1, sum(d == HALF for d in own))


def shares_of(numbers):
    return [Fraction(n) / sum(numbers) for n in numbers]


def slow(degrees, values, support, model):
    """Mixture and reference of every row in fractions; None if a set has no values."""
    counts = [
        [
            count(
                [d[i] for d, v in zip(degrees, values, strict=True) if v == value],
                model.cardinality,
            )
            for value in support
        ]
        for i in range(len(degrees[0]))
    ]
    listed = [[Fraction(c >= 1) for c in row] for row in counts]
    sets = listed if model.class_distribution == "distinct" else counts
    whole = {
        "frequency": [values.count(value) for value in support],
        "uniform": [int(value in values) for value in support],
        "distinct_published": [
            sum(row[s] for row in listed) for s in range(len(support))
        ],
    }[model.table_distribution]
    held = [any(row[i] for row in degrees) for i in range(len(sets))]
    if any(here and not any(row) for here, row in zip(held, sets, strict=True)):
        return None
    shares = [
        shares_of(row) if any(row) else [Fraction(0)] * len(support) for row in sets
    ]
    mixed = [
        [
            sum(d * p[s] for d, p in zip(row, shares, strict=True))
            for s in range(len(support))
        ]
        for row in degrees
    ]
    return mixed, shares_of(whole)


def equal(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def ordered(p, q):
    steps = accumulate(a - b for a, b in zip(p, q, strict=True))
    return sum(abs(step) for step in steps) / max(len(p) - 1, 1)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("distance", [equal, ordered])
@given(case=cases())
def test_distances_are_those_of_the_definition(options, distance, case):
    degrees, values = case
    model = FuzzyTCloseness(0.25, distance.__name__, **options)
    evidence = evidence_of(degrees, values)
    found = slow(degrees, values, sorted(set(values)), model)
    if found is None:
        for ask in (model.satisfied, model.level):
            with pytest.raises(NotEvaluable, match="no distribution of 's'"):
                ask(evidence)
        return
    mixed, whole = found
    expected = [float(distance(p, whole)) for p in mixed]
    np.testing.assert_allclose(model.distances(evidence, "s"), expected, atol=1e-12)
    assert model.level(evidence) == pytest.approx(max(expected), abs=1e-12)
    passed = model.satisfied(evidence)
    assert passed.tolist() == [e <= 0.25 + 1e-12 for e in expected]
    nearest = FuzzyTCloseness(0.25, distance.__name__, "min", **options)
    assert nearest.level(evidence) == pytest.approx(min(expected), abs=1e-12)
    assert nearest.satisfied(evidence).tolist() == [min(expected) <= 0.25 + 1e-12]


def moved(p, q):
    """Least work by a linear program; the last value is a missing one."""
    m = len(p) - 1
    ranks = np.append(np.arange(m) / max(m - 1, 1), 0)
    costs = np.abs(ranks[:, None] - ranks)
    costs[m, :m] = costs[:m, m] = 1
    rows = np.kron(np.eye(m + 1), np.ones(m + 1))
    columns = np.kron(np.ones(m + 1), np.eye(m + 1))
    solved = linprog(
        costs.ravel(), A_eq=np.vstack((rows, columns)), b_eq=np.append(p, q)
    )
    return solved.fun


@settings(max_examples=25)
@given(case=cases(values=("a", "b", "c", None)))
def test_missing_values_are_one_apart_from_every_rank(case):
    degrees, values = case
    known = sorted(set(values) - {None})
    model = FuzzyTCloseness(1, "ordered", cardinality="sigma")
    mixed, whole = slow(degrees, values, [*known, None], model)
    expected = [moved(np.array(p, float), np.array(whole, float)) for p in mixed]
    evidence = evidence_of(degrees, values)
    np.testing.assert_allclose(model.distances(evidence, "s"), expected, atol=1e-9)
    assert model.level(evidence) == pytest.approx(max(expected), abs=1e-9)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@given(data=st.data())
def test_crisp_sets_are_t_closeness(tools, distance, data):
    frame = tools.ranked(data.draw(tools.tables()))
    lost = data.draw(st.lists(st.sampled_from(["a", "d", None]), max_size=5))
    classes = tools.evidence(frame, lost=lost)
    reference = pd.concat([frame["s"], pd.Series(lost, dtype=object)])
    rows = reference.groupby(reference, dropna=False).size().to_dict()
    evidence = Memberships.from_frame(
        np.eye(4)[frame["q"].to_numpy()],
        frame,
        ["s"],
        references={"s": {None if pd.isna(v) else v: n for v, n in rows.items()}},
        hierarchies={"s": tools.tree},
    )
    crisp = TCloseness(0.3, distance)
    by_class = crisp.distances(classes.sensitive["s"])
    for cardinality in ("non-fuzzy", "sigma"):
        fuzzy = FuzzyTCloseness(0.3, distance, cardinality=cardinality)
        found = fuzzy.distances(evidence, "s")
        np.testing.assert_allclose(found, by_class[classes.labels], atol=1e-9)
        assert fuzzy.level(evidence) == pytest.approx(crisp.level(classes), abs=1e-9)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@given(case=cases(values=("a", "b", "c", None)))
def test_mixing_brings_rows_nearer(distance, case):
    evidence = evidence_of(*case)
    model = FuzzyTCloseness(1, distance, cardinality="sigma")
    of_sets = model.set_distances(evidence, "s")
    bounds = evidence.degrees @ of_sets
    assert (model.distances(evidence, "s") <= bounds + 1e-9).all()
    assert model.level(evidence) <= of_sets.max() + 1e-9
    if (evidence.degrees[:, of_sets.argmax()] == 1).any():
        assert model.level(evidence) == pytest.approx(of_sets.max(), abs=1e-9)


@given(case=cases(), parts=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_sets_that_are_all_like_the_table(case, parts):
    _, values = case
    degrees = np.tile(np.array(parts) / sum(parts), (len(values), 1))
    for distance in ("equal", "ordered"):
        model = FuzzyTCloseness(0, distance, cardinality="sigma")
        evidence = evidence_of(degrees, values)
        assert model.level(evidence) == pytest.approx(0, abs=1e-12)
        assert judge(model, evidence).passed


@pytest.mark.parametrize("missing", [False, True])
def test_blocks_of_rows_give_what_all_rows_give(monkeypatch, missing):
    rng = np.random.default_rng(5)
    degrees = rng.dirichlet(np.full(4, 0.4), 300)
    values = rng.integers(0, 50, 300).astype(object)
    values[: 40 * missing] = None
    evidence = evidence_of(degrees, values)
    for distance in ("equal", "ordered"):
        whole = FuzzyTCloseness(1, distance).distances(evidence, "s")
        model = FuzzyTCloseness(np.median(whole), distance)
        passed = model.satisfied(evidence)
        assert passed.sum() == 150
        assert passed.tolist() == (whole <= model.t).tolist()
        monkeypatch.setattr(mixtures, "CELLS", 128)
        np.testing.assert_allclose(model.distances(evidence, "s"), whole, atol=1e-12)
        assert model.satisfied(evidence).tolist() == passed.tolist()
        assert model.level(evidence) == pytest.approx(whole.max())
        monkeypatch.undo()


def test_a_set_that_nobody_belongs_to_needs_no_distribution():
    evidence = evidence_of([[1, 0, 0], [0, 1, 0]], ["a", "b"])
    model = FuzzyTCloseness(1)
    assert model.level(evidence) == 0.5
    assert model.set_distances(evidence, "s").tolist() == [0.5, 0.5, 0]


def test_the_error_counts_sets_and_rows():
    evidence = evidence_of([[0.6, 0.4], [0.6, 0.4], [1, 0]], ["a", "b", "a"])
    with pytest.raises(NotEvaluable, match=r"1 of 2 sets .* 2 rows .*='sigma'"):
        FuzzyTCloseness(1).level(evidence)
    assert FuzzyTCloseness(1, cardinality="sigma").level(evidence) > 0


def test_ties_of_several_values_still_make_a_distribution():
    evidence = evidence_of([[0.5, 0.5], [0.5, 0.5]], ["a", "b"])
    assert FuzzyTCloseness(0).level(evidence) == 0


def test_every_sensitive_column_must_pass():
    frame = pd.DataFrame({"s": ["a", "b", "a", "b"], "u": ["x", "x", "y", "y"]})
    degrees = np.eye(2)[[0, 0, 1, 1]]
    evidence = Memberships.from_frame(degrees, frame, ["s", "u"])
    assert FuzzyTCloseness(0.1, sensitive="s").level(evidence) == 0
    assert FuzzyTCloseness(0.1).level(evidence) == 0.5
    assert not FuzzyTCloseness(0.1).satisfied(evidence).any()


def test_only_rows_by_frequency_and_the_farthest_are_more_than_a_reproduction():
    assert not FuzzyTCloseness(0.2, cardinality="sigma").reproduction_only
    assert FuzzyTCloseness(0.2).for_search
    for options in (*SETTINGS[2:], {"reduce": "min"}):
        assert FuzzyTCloseness(0.2, **options).reproduction_only
        assert not FuzzyTCloseness(0.2, **options).for_search


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t": 1.5}, "t must be a number"),
        ({"t": 0.2, "distance": "kl"}, "distance: unknown option"),
        ({"t": 0.2, "reduce": "mean"}, "reduce: unknown option"),
        ({"t": 0.2, "class_distribution": "uniform"}, "class_distribution: unknown"),
        ({"t": 0.2, "table_distribution": "distinct"}, "table_distribution: unknown"),
        ({"t": 0.2, "cardinality": "fuzzy"}, "cardinality: unknown option"),
    ],
)
def test_illegal_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        FuzzyTCloseness(**options)


def test_nothing_to_judge():
    with pytest.raises(NotEvaluable, match="the table is empty"):
        FuzzyTCloseness(0.2).satisfied(Memberships(np.empty((0, 2))))
    with pytest.raises(NotEvaluable, match="needs that of the sensitive column"):
        FuzzyTCloseness(0.2, "hierarchical").level(evidence_of([[1]], ["a"]))


def test_texts_have_no_rank():
    frame = pd.DataFrame({"s": ["low", "high", "low", "high"]})
    evidence = Memberships.from_frame(np.eye(2)[[0, 0, 1, 1]], frame, ["s"])
    assert FuzzyTCloseness(1).level(evidence) == 0
    model = FuzzyTCloseness(1, "ordered")
    for ask in (model.level, model.satisfied):
        with pytest.raises(NotEvaluable, match="column 's' holds texts"):
            ask(evidence)

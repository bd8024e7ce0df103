"""Risk against a population: counted person by person, or estimated from weights."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.metrics import (
    AverageJournalistRisk,
    AverageRisk,
    HighestJournalistRisk,
    MarketerRisk,
    RecordsAtJournalistRisk,
    journalist_risk,
    marketer_risk,
    match_population,
    measure,
    prosecutor_risk,
    weigh_population,
)

POPULATION_METRICS = [
    AverageJournalistRisk(),
    HighestJournalistRisk(),
    RecordsAtJournalistRisk(),
    MarketerRisk(),
]
samples = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "*"]), st.integers(0, 8)),
    min_size=1,
    max_size=30,
).filter(lambda rows: any(cell != "*" for cell, _ in rows))


def classes_of(cells):
    return Classes.from_frame(pd.DataFrame({"q": cells}), ["q"])


@given(samples, st.sampled_from([0.05, 0.1, 0.25, 0.5]))
def test_risks_are_those_of_the_definitions(rows, threshold):
    cells = [cell for cell, _ in rows]
    # Everybody of the sample is in the population, and some others are.
    behind = {c: sum(1 + more for x, more in rows if x == c) for c in set(cells)}
    sized = classes_of(cells)
    names = sorted(behind)  # the order of classes by first row does not matter here
    first = {c: sized.labels[cells.index(c)] for c in names}
    sizes = np.array([behind[c] for c in sorted(names, key=first.get)])
    sized = replace(sized, population_sizes=sizes)
    risks = [1 / behind[c] for c in cells if c != "*"]
    kept = {c for c in cells if c != "*"}
    others_way = len(kept) / sum(behind[c] for c in kept)
    found = journalist_risk(sized, threshold)
    assert found.average == pytest.approx(max(np.mean(risks), others_way))
    assert found.highest == max(risks)
    assert found.records_at_risk == pytest.approx(
        np.mean([risk > threshold for risk in risks])
    )
    assert marketer_risk(sized) == pytest.approx(np.mean(risks))
    known = prosecutor_risk(sized, threshold)
    # Who knows less finds less.
    assert marketer_risk(sized) <= found.average + 1e-12
    assert found.average <= known.average + 1e-12
    assert found.highest <= known.highest
    assert found.records_at_risk <= known.records_at_risk


def test_a_table_that_is_the_population_has_the_prosecutors_risk():
    classes = classes_of(list("aaab*"))
    whole = replace(classes, population_sizes=classes.sizes)
    assert marketer_risk(whole) == measure(AverageRisk(), classes) == 0.5
    assert journalist_risk(whole) == prosecutor_risk(classes)


@pytest.mark.parametrize("metric", POPULATION_METRICS)
class TestNotAvailable:
    def test_without_a_population(self, metric):
        with pytest.raises(NotEvaluable, match="not available: it needs a population"):
            measure(metric, classes_of(["a", "a"]))

    def test_without_rows(self, metric):
        empty = replace(classes_of(["*"]), population_sizes=np.array([5]))
        with pytest.raises(NotEvaluable, match="no row was kept"):
            measure(metric, empty)

    def test_with_a_population_that_lacks_the_sample(self, metric):
        few = replace(classes_of(["a", "a", "b"]), population_sizes=np.array([1, 1]))
        with pytest.raises(NotEvaluable, match="1 classes have more persons"):
            measure(metric, few)

    def test_with_rows_of_nobody(self, metric):
        frame = pd.DataFrame({"q": list("ab"), "who": ["p", None]})
        nobody = replace(
            Classes.from_frame(frame, ["q"], subject="who"),
            population_sizes=np.array([1, 1]),
        )
        with pytest.raises(NotEvaluable, match="no person"):
            measure(metric, nobody)


class TestWeights:
    @given(st.lists(st.tuples(st.sampled_from("ab*"), st.floats(1, 50)), min_size=1))
    def test_they_are_added_up_by_class(self, rows):
        cells, weights = zip(*rows, strict=True)
        classes = weigh_population(classes_of(list(cells)), np.array(weights))
        for cell, weight in zip(cells, classes.population_sizes[classes.labels],
                                strict=True):  # fmt: skip
            assert weight == pytest.approx(sum(w for c, w in rows if c == cell))

    def test_they_estimate_the_population_of_a_class(self):
        """Samples with known chances: the estimate is right on average."""
        rng = np.random.default_rng(0)
        population = np.repeat([0, 1, 2], [400, 100, 20])
        chance = np.array([0.1, 0.2, 0.5])[population]
        sums = np.zeros(3)
        for _ in range(300):
            drawn = rng.random(len(population)) < chance
            sample = pd.DataFrame({"q": population[drawn], "w": 1 / chance[drawn]})
            classes = Classes.from_frame(sample, ["q"])
            weighed = weigh_population(classes, sample["w"])
            groups = sample["q"].to_numpy()[np.unique(classes.labels, True)[1]]
            sums[groups] += weighed.population_sizes
        assert sums / 300 == pytest.approx([400, 100, 20], rel=0.03)

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1.0], "1 weights for 2 rows"),
            ([0.5, 2.0], "in 1 rows"),
            ([None, float("inf")], "in 2 rows"),
            (["secret", "2"], "in 1 rows"),
        ],
    )
    def test_they_are_checked(self, weights, message):
        with pytest.raises(DataError, match=message) as caught:
            weigh_population(classes_of(["a", "b"]), weights)
        assert "secret" not in str(caught.value)

    def test_they_need_rows(self):
        counted = Classes.from_counts(pd.DataFrame({"q": ["a"], "count": [3]}))
        with pytest.raises(NotEvaluable, match="built from counts"):
            weigh_population(counted, [1.0])

    def test_a_survey(self, root):
        """EU-SILC: the weights add up to Austria, and protect more than nothing."""
        file = root.parent / "shared" / "data" / "eusilc.csv.gz"
        if not file.exists():
            pytest.skip("the EU-SILC survey is not beside the repository")
        survey = pd.read_csv(file)
        known = ["db040", "hsize", "age", "rb090", "pb220a"]
        classes = weigh_population(Classes.from_frame(survey, known), survey["rb050"])
        total = classes.population_sizes.sum()
        assert total == pytest.approx(survey["rb050"].sum())
        assert 8_000_000 < total < 8_300_000
        sample, register = prosecutor_risk(classes), journalist_risk(classes)
        assert sample.highest == 1.0
        assert register.highest < 0.01 < sample.average
        assert register.records_at_risk == 0.0


class TestRegister:
    @given(
        st.lists(st.integers(0, 12), min_size=1, max_size=20),
        st.lists(st.integers(0, 15), max_size=30),
        st.sampled_from(["disjoint", "overlapping"]),
    )
    def test_persons_are_counted_one_by_one(self, sample, others, kind):
        step = 4 if kind == "disjoint" else 1
        ends = [(n // step * step, n // step * step + 3) for n in sample]
        published = pd.DataFrame(
            {"age": [f"[{a}, {b}]" for a, b in ends], "sex": ["*"] * len(ends)}
        )
        people = pd.DataFrame({"age": sample + others, "sex": "f"})
        names = ["age", "sex"]
        classes = Classes.from_frame(published, names)
        matched = match_population(classes, published, people, names)
        for (low, high), label in zip(ends, classes.labels, strict=True):
            behind = sum(low <= age <= high for age in people["age"])
            assert matched.population_sizes[label] == behind
        nobody = [n for n in people["age"] if not any(a <= n <= b for a, b in ends)]
        assert matched.population_outside == len(nobody)

    def test_hierarchies_say_what_a_label_stands_for(self, lands):
        published = pd.DataFrame({"land": ["Asia", "Europe", "*", None]})
        people = pd.DataFrame({"land": ["JP", "CN", "FR", None, "JP"]})
        classes = Classes.from_frame(published, ["land"])
        matched = match_population(
            classes, published, people, ["land"], {"land": lands}
        )
        assert matched.population_sizes[classes.labels].tolist() == [3, 1, 5, 1]

    def test_it_needs_the_columns(self):
        published = pd.DataFrame({"land": ["JP"]})
        classes = Classes.from_frame(published, ["land"])
        with pytest.raises(DataError, match="unknown column 'land'"):
            match_population(classes, published, pd.DataFrame({"x": [1]}), ["land"])
        with pytest.raises(DataError, match="0 rows for 1"):
            match_population(classes, published[:0], published, ["land"])


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(
        ParameterError, match="threshold must be a number of at least 0 and at most 1"
    ):
        RecordsAtJournalistRisk(threshold)

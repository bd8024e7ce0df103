"""GroupSwapper: what it promises, tells, keeps and refuses."""

import itertools
import json
import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from anon_transformers.exceptions import (
    DataError,
    DependenceWarning,
    InfeasibleError,
    ParameterError,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation import GroupSwapper
from anon_transformers.privacy import ProbabilisticKAnonymity, judge
from anon_transformers.privacy.probabilistic._disclosure import value_disclosure

DATA = Path(__file__).parents[1] / "data"
FILE = DATA / "vectors" / "probabilistic.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text())["vectors"]}
KNOWN = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX"]
WANTED = ["TAXINC", "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL"]


@pytest.fixture(scope="module")
def census():
    return pd.read_csv(DATA / "casc_census.csv")


def people(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"person-{row}" for row in range(n)],
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Vic", "Reus", "Olot"], n),
            "pay": rng.normal(size=n).round(2),
            "sick": rng.choice(["flu", "cold", "none"], n),
        }
    )


def swapper(**params):
    params = {"k": 3, "sensitive": ["pay", "sick"], "random_state": 0, **params}
    return GroupSwapper(["age", "town"], identifiers=["name"], **params)


class TestPromise:
    """Record hits of an intruder who knows everything but the value."""

    def test_tiny_groups_by_enumeration(self):
        """Every permutation is drawn, and the frequencies are the matrix."""
        vector = VECTORS["probability_matrix_uneven_groups_k2"]
        values = pd.DataFrame({"x": [1.0, 1.1, 5.0, 5.1, 5.2]})
        rng, n_draws = np.random.default_rng(8), 1500
        ranked = GroupSwapper(
            k=2, grouping="individual-ranking", random_state=rng, keep_links=True
        )
        seen, counts = set(), np.zeros((5, 5))
        for _ in range(n_draws):
            rows = ranked.fit(values).permutations_[("x",)]
            seen.add(tuple(rows.tolist()))
            counts[rows, np.arange(5)] += 1
        expected = np.array(
            [
                [float(Fraction(p)) for p in row]
                for row in vector["expected"]["matrix_as_fractions"]
            ]
        )
        every = {
            (*one, *other)
            for one in itertools.permutations([0, 1])
            for other in itertools.permutations([2, 3, 4])
        }
        assert seen == every
        assert len(every) == vector["expected"]["permutations_enumerated"]
        assert np.abs(counts / n_draws - expected).max() < 0.05

    @pytest.mark.parametrize(
        "row", VECTORS["simulated_naive_intruder_census"]["expected"]["rows"]
    )
    def test_the_naive_intruder_hits_once_a_group(self, census, row):
        k, _, share, _ = row
        runs, hits = 20, 0
        rng = np.random.default_rng(k)
        for _ in range(runs):
            done = GroupSwapper(
                KNOWN, k=k, sensitive=WANTED, scenario="uninformed",
                random_state=rng, keep_links=True,
            ).fit(census)  # fmt: skip
            (rows,) = done.permutations_.values()
            hits += (rows == np.arange(len(census))).sum()
        assert done.report_.risk["average-risk"] == pytest.approx(share, abs=1e-5)
        n_groups = share * len(census) * runs
        assert abs(hits - n_groups) < 5 * np.sqrt(n_groups)

    def test_values_are_disclosed_more_often_than_records(self, census):
        vector = VECTORS["value_level_exposure_census"]["expected"]["rows"]
        ranked = GroupSwapper(
            KNOWN, k=5, sensitive=WANTED, grouping="individual-ranking"
        ).fit(census)
        near = GroupSwapper(KNOWN, k=5, sensitive=WANTED).fit(census)
        for name, by_rank, constant, by_mdav in vector:
            found = ranked.report_.details
            assert found["value_disclosure"][name] == pytest.approx(by_rank, abs=6e-5)
            assert found["constant_groups"][name] == pytest.approx(constant, abs=6e-4)
            found = near.report_.details["value_disclosure"][name]
            assert found == pytest.approx(by_mdav, abs=6e-5)

    def test_the_judge_agrees(self, census):
        for params in ({}, {"grouping": "individual-ranking"}, {"order": "sequential"}):
            done = GroupSwapper(
                KNOWN, k=5, sensitive=WANTED, random_state=1, keep_links=True, **params
            )
            linkage = done.linkage(census, done.fit_transform(census))
            with pytest.warns(DependenceWarning):  # PEARNVAL = PTOTVAL - POTHVAL
                verdict = judge(ProbabilisticKAnonymity(5), linkage)
            assert verdict.passed
            assert verdict.level == done.k_effective_
            seen = done.report_.details["value_disclosure"]
            for name in WANTED:
                found = value_disclosure(linkage, name)[name].probability
                assert seen[name] == pytest.approx(found)

    def test_k_of_one_moves_nothing(self):
        table = people()
        output = swapper(k=1).fit_transform(table)
        assert output.equals(table.drop(columns="name"))

    def test_one_group_of_all_rows(self):
        done = swapper(k=40).fit(people())
        assert done.k_effective_ == 40
        assert {len(sizes) for sizes in done.group_sizes_.values()} == {1}

    def test_hierarchies_tell_which_rows_are_near(self):
        towns = ["Vic", "Olot", "Reus", "Salou"] * 2
        table = pd.DataFrame({"town": towns, "pay": range(8)})
        rows = [("Vic", "north", "*"), ("Olot", "north", "*"),
                ("Reus", "south", "*"), ("Salou", "south", "*")]  # fmt: skip
        params = {"k": 4, "sensitive": ["pay"], "random_state": 0}
        tree = {"town": Hierarchy(rows)}
        done = GroupSwapper(["town"], hierarchies=tree, **params).fit(table)
        north = table["town"].isin(["Vic", "Olot"])
        assert table.groupby(done.labels_[("pay",)])["town"].nunique().tolist() == [
            2,
            2,
        ]
        assert len(set(done.labels_[("pay",)][north])) == 1


class TestReport:
    def test_numbers_by_hand(self):
        table = pd.DataFrame({"x": [0.0, 2.0, 8.0, 10.0, 10.0], "y": list("aabbb")})
        done = GroupSwapper(
            ["y"], k=2, sensitive=["x"], grouping="individual-ranking",
            random_state=2,
        ).fit(table)  # fmt: skip
        report = done.report_
        # Of 2 rows 0.2 apart each is 0.1 from a drawn one; of 8, 10, 10 a third of
        # 0.4, of 0.2 and of 0.2.
        loss = (2 * 0.1 + 0.8 / 3) / 5
        assert report.column_losses == {"x": pytest.approx(loss)}
        assert report.loss == pytest.approx(loss)
        assert report.classes["count"] == 2
        assert (report.classes["smallest"], report.classes["largest"]) == (2, 3)
        assert report.risk == {"average-risk": 2 / 5, "highest-risk": 1 / 2}
        # 1/2 + 1/2, and 1/3 + 4/3.
        expected = (1 + 5 / 3) / 5
        found = report.details["value_disclosure"]
        assert found == {"x": pytest.approx(expected)}
        assert report.models == (
            {
                "model": "probabilistic-k-anonymity",
                "params": {"k": 2},
                "level": 2,
                "passed": True,
                "units": 2,
                "failing": 0,
            },
        )

    def test_texts_lose_all_or_nothing(self):
        done = swapper().fit(people())
        sick, labels = people()["sick"].to_numpy(), done.labels_[("sick",)]
        other = [
            (sick[labels == label] != own).mean()
            for own, label in zip(sick, labels, strict=True)
        ]
        assert done.report_.column_losses["sick"] == pytest.approx(np.mean(other))
        losses = list(done.report_.column_losses.values())
        assert done.report_.loss == pytest.approx(np.mean(losses))

    def test_the_permutation_makes_no_difference_to_it(self):
        reports = [swapper(random_state=seed).fit(people()).report_ for seed in (1, 2)]
        assert replace(reports[0], seconds=0) == replace(reports[1], seconds=0)


class TestLinks:
    def test_links_are_kept_on_request_only(self):
        table = people()
        done = swapper()
        output = done.fit_transform(table)
        assert not hasattr(done, "permutations_")
        assert done.linkage(table, output).sources is None
        done.set_params(keep_links=True).fit(table)
        assert done.linkage(table, output).sources is not None
        done.set_params(keep_links=False).fit(table)
        assert not hasattr(done, "permutations_")

    def test_the_evidence_tells_what_moved(self):
        table, done = people(), swapper(keep_links=True)
        linkage = done.linkage(table, done.fit_transform(table))
        assert linkage.moved == (("pay",), ("sick",))
        assert linkage.untouched == ["age", "town"]
        assert linkage.wanted == ("pay", "sick")
        assert (linkage.group_sizes("pay") == done.group_sizes_[("pay",)]).all()
        for (name,), rows in linkage.sources.items():
            moved = linkage.original[name].to_numpy()[rows]
            assert (linkage.published[name] == moved).all()

    def test_a_pickle_holds_no_cell_and_no_permutation(self):
        table = people().assign(pay=[f"pay-{row}" for row in range(40)])
        done = swapper(grouping="individual-ranking").fit(table)
        kept = pickle.dumps(done)
        assert not any(cell.encode() in kept for cell in table["pay"])
        assert not any(cell.encode() in kept for cell in table["name"])
        assert not hasattr(pickle.loads(kept), "permutations_")
        linked = clone(done).set_params(keep_links=True).fit(table)
        again = pickle.loads(pickle.dumps(linked))
        for names, rows in linked.permutations_.items():
            assert (again.permutations_[names] == rows).all()
            assert rows.tobytes() not in kept

    def test_nothing_is_linked_before_fit(self):
        with pytest.raises(NotFittedError):
            swapper().linkage(people(), people())

    def test_a_failed_fit_leaves_nothing_that_passes_for_fitted(self):
        done = swapper(keep_links=True).fit(people())
        with pytest.raises(InfeasibleError):
            done.fit(people(2))
        assert not hasattr(done, "permutations_")
        with pytest.raises(NotFittedError):
            done.linkage(people(2), people(2))


class TestRandomness:
    def test_a_seed_is_the_permutation(self):
        one, same = (swapper(random_state=5).fit_transform(people()) for _ in range(2))
        assert one.equals(same)
        assert not one.equals(swapper(random_state=6).fit_transform(people()))

    def test_without_a_seed_two_runs_differ(self):
        one, other = (swapper(random_state=None) for _ in range(2))
        assert not one.fit_transform(people()).equals(other.fit_transform(people()))

    def test_a_generator_goes_on(self):
        done = swapper(random_state=np.random.default_rng(0))
        assert not done.fit_transform(people()).equals(done.fit_transform(people()))

    def test_columns_are_permuted_independently(self):
        table = pd.DataFrame({"x": range(40), "y": range(40)})
        done = GroupSwapper(
            k=40, grouping="individual-ranking", random_state=0, keep_links=True
        ).fit(table)
        one, other = done.permutations_.values()
        assert Counter((one == other).tolist())[True] < 10


class TestOutput:
    def test_the_index_is_fresh_unless_it_is_asked_for(self):
        table = people().set_index("name")
        done = GroupSwapper(["age", "town"], k=3, sensitive=["pay"], random_state=0)
        assert done.fit_transform(table).index.equals(pd.RangeIndex(40))
        done.set_output(transform="pandas")
        assert done.fit_transform(table).index.equals(table.index)

    def test_an_index_with_repeated_labels(self):
        table = people().set_index(np.zeros(40, dtype=int))
        assert len(swapper().fit_transform(table)) == 40

    def test_attributes_of_the_table_are_not_published(self):
        table = people()
        table.attrs["source"] = "private"
        assert swapper().fit_transform(table).attrs == {}

    def test_the_output_shares_no_memory_with_the_input(self):
        table = people()
        output = swapper().fit_transform(table)
        output.loc[:, "age"] = -1
        assert (table["age"] > 0).all()

    def test_other_rows_have_no_rule(self):
        done = swapper().fit(people())
        assert not hasattr(done, "transform")
        with pytest.raises(AttributeError, match="no attribute 'transform'") as raised:
            done.transform(people())
        assert "bound to the rows it saw" in str(raised.value)


class TestRefusals:
    @pytest.mark.parametrize("k", [0, -1, 2.5, True, None])
    def test_k_is_a_whole_number(self, k):
        with pytest.raises(ParameterError, match="k must be a whole number"):
            swapper(k=k).fit(people())

    def test_k_beyond_the_table(self):
        with pytest.raises(InfeasibleError, match=r"k=41.*has 40 rows"):
            swapper(k=41).fit(people())

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("grouping", "knn"),
            ("scenario", "informd"),
            ("order", "random"),
            ("ir_method", "mda"),
            ("algorithm", "slow"),
            ("standardize", "yes"),
            ("keep_links", "no"),
        ],
    )
    def test_unknown_choices_name_key_and_value(self, key, value):
        with pytest.raises(ParameterError, match=f"{key}.*{value}.*[Cc]hoices"):
            swapper(**{key: value}).fit(people())

    @pytest.mark.parametrize("seed", [-1, "dice", 1.5])
    def test_a_seed_is_no_text(self, seed):
        with pytest.raises(ParameterError, match="random_state"):
            swapper(random_state=seed).fit(people())

    def test_roles_are_disjoint(self):
        with pytest.raises(ParameterError, match="'name' is declared as"):
            swapper(sensitive=["name"]).fit(people())

    def test_something_must_be_sensitive(self):
        with pytest.raises(ParameterError, match="sensitive is empty"):
            swapper(sensitive=[]).fit(people())

    def test_a_person_has_one_row(self):
        table = people().assign(name=["twin", "twin"] + [f"p{i}" for i in range(38)])
        done = GroupSwapper(["age"], k=2, sensitive=["pay"], subject="name")
        with pytest.raises(DataError, match="several rows for 1 persons") as raised:
            done.fit(table)
        assert "twin" not in str(raised.value)
        output = done.fit_transform(people())
        assert "name" not in output

    def test_a_hierarchy_needs_a_column(self):
        tree = {"twn": Hierarchy([("Vic", "*")])}
        with pytest.raises(ParameterError, match="hierarchies: unknown column 'twn'"):
            swapper(hierarchies=tree).fit(people())

    @pytest.mark.parametrize("unknown", ["error", "suppress"])
    def test_values_that_a_hierarchy_does_not_know(self, unknown):
        tree = {"town": Hierarchy([("Vic", "*"), ("Reus", "*")], unknown=unknown)}
        count = (people()["town"] == "Olot").sum()
        with pytest.raises(DataError, match=f"'town' holds values in {count} rows"):
            swapper(hierarchies=tree).fit(people())

    @pytest.mark.parametrize("grouping", ["mdav", "individual-ranking"])
    def test_infinite_numbers(self, grouping):
        table = people().assign(pay=[np.inf] * 2 + [1.0] * 38)
        with pytest.raises(DataError, match="'pay' holds infinite numbers in 2 rows"):
            swapper(grouping=grouping).fit(table)


class TestGroupsAreChecked:
    """A subclass that groups wrongly is found out before anything is published."""

    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (np.arange(40) // 2, "20 of 20 groups hold fewer than k=3"),
            (np.where(np.arange(40) < 3, 0, 2), "1 of 3 groups"),
            (np.full(40, -1), "no partition of 40 rows"),
            (np.zeros(39, dtype=int), "no partition of 40 rows"),
            (np.zeros(40), "no partition of 40 rows"),
        ],
    )
    def test_bad_groups_are_infeasible(self, labels, message):
        class Wrong(GroupSwapper):
            def _group(self, table, moving):
                return labels

        done = Wrong(["age"], k=3, sensitive=["pay"])
        with pytest.raises(InfeasibleError, match=message):
            done.fit_transform(people())

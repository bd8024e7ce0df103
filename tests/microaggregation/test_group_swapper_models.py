"""GroupSwapper: models of the sensitive values inside the groups."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation import GroupSwapper
from anon_transformers.privacy import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    QAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from anon_transformers.testing import check_anonymizer

GROUPINGS = ("mdav", "individual-ranking")


def patients(n=120, seed=0):
    """Neighbors in age have the same illness, so that groups of near rows agree."""
    rng = np.random.default_rng(seed)
    age = np.sort(rng.integers(18, 90, n))
    return pd.DataFrame(
        {
            "age": age,
            "town": rng.choice(["Vic", "Reus", "Olot"], n),
            "ill": np.array(["flu", "cold", "gout", "asthma"])[(age - 18) // 18],
            "pay": rng.integers(1, 40, n) * 100,
        }
    )


def swapper(models, **params):
    params = {"k": 3, "sensitive": ["ill"], "random_state": 0, **params}
    return GroupSwapper(["age"], models=models, **params)


def cells_by_group(done, table, name):
    """Values of one column in each group that hides it; the slow, obvious way."""
    found = []
    for columns, labels in done.labels_.items():
        if name in columns or done.scenario == "uninformed":
            for label in sorted(set(labels.tolist())):
                found.append(table.loc[labels == label, name].tolist())
    return found


def distance(cells, everything):
    """Half the sum of the differences of shares: t-closeness with equal distances."""
    here, there = Counter(cells), Counter(everything)
    return 0.5 * sum(
        abs(here[value] / len(cells) - count / len(everything))
        for value, count in there.items()
    )


def recursive(cells, c, l):  # noqa: E741
    counts = sorted(Counter(cells).values(), reverse=True)
    return counts[0] < c * sum(counts[l - 1 :])


class TestPromise:
    def test_groups_of_near_rows_are_not_diverse_by_themselves(self):
        table = patients()
        done = swapper(None).fit(table)
        assert min(len(set(c)) for c in cells_by_group(done, table, "ill")) == 1

    @pytest.mark.parametrize("grouping", GROUPINGS)
    @pytest.mark.parametrize("order", ["independent", "sequential"])
    def test_every_group_holds_l_values(self, grouping, order):
        table = patients()
        done = swapper(
            [DistinctLDiversity(l=3)],
            sensitive=["ill", "pay"],
            grouping=grouping,
            order=order,
        )
        output = done.fit_transform(table)
        for name in ("ill", "pay"):
            # The groups of one column hold as before what they publish.
            for held in (table, output):
                groups = cells_by_group(done, held, name)
                assert min(len(set(cells)) for cells in groups) >= 3
                assert min(map(len, groups)) >= 3

    def test_every_group_is_near_the_table(self):
        table = patients()
        done = swapper([TCloseness(t=0.6)]).fit(table)
        groups = cells_by_group(done, table, "ill")
        assert max(distance(cells, table["ill"].tolist()) for cells in groups) <= 0.6
        assert len(groups) > 1

    def test_recursive_diversity(self):
        table = patients()
        done = swapper([RecursiveCLDiversity(c=3, l=2)]).fit(table)
        groups = cells_by_group(done, table, "ill")
        assert all(recursive(cells, 3, 2) for cells in groups)
        assert len(groups) > 1

    def test_a_model_of_one_column_leaves_the_groups_of_others(self):
        table = patients()
        plain = swapper(None, sensitive=["ill", "pay"]).fit(table)
        done = swapper(
            [DistinctLDiversity(l=3, sensitive="ill")], sensitive=["ill", "pay"]
        ).fit(table)
        assert (done.labels_[("pay",)] == plain.labels_[("pay",)]).all()
        assert done.labels_[("ill",)].max() < plain.labels_[("ill",)].max()

    def test_where_quasi_identifiers_move_their_groups_hold_what_stayed(self):
        table = patients()
        done = swapper([DistinctLDiversity(l=2)], scenario="uninformed")
        output = done.fit_transform(table)
        assert output["ill"].equals(table["ill"])
        groups = cells_by_group(done, output, "ill")
        assert min(len(set(cells)) for cells in groups) >= 2

    def test_models_that_hold_change_nothing(self):
        table = patients()
        plain = swapper(None, grouping="individual-ranking", sensitive=["pay"])
        asked = swapper(
            [DistinctLDiversity(l=1)], grouping="individual-ranking", sensitive=["pay"]
        )
        assert plain.fit_transform(table).equals(asked.fit_transform(table))

    def test_ranked_groups_join_their_neighbors_in_rank(self):
        """Whatever lies between them: differences of such numbers are none."""
        largest = np.finfo(float).max
        pay = [-largest, -largest, 0.0, 1.0, largest, largest, np.nan, np.nan]
        table = pd.DataFrame({"age": range(8), "pay": pay})
        done = GroupSwapper(
            ["age"],
            k=2,
            sensitive=["pay"],
            models=[DistinctLDiversity(l=2)],
            grouping="individual-ranking",
        ).fit(table)
        groups = cells_by_group(done, table, "pay")
        assert min(len(set(pd.Series(cells).dropna())) for cells in groups) >= 2
        assert len(groups) > 1

    def test_the_distance_of_a_hierarchy(self):
        rows = [
            ("flu", "lungs"),
            ("cold", "lungs"),
            ("gout", "rest"),
            ("asthma", "rest"),
        ]
        tree = Hierarchy([(*row, "*") for row in rows])
        done = swapper(
            [TCloseness(t=0.3, distance="hierarchical")], hierarchies={"ill": tree}
        ).fit(patients())
        assert done.report_.models[1]["level"] <= 0.3

    def test_the_report_tells_the_worst_group_of_all(self):
        table = patients()
        model = DistinctLDiversity(l=2)
        done = swapper([model, TCloseness(t=0.9)], sensitive=["ill", "pay"]).fit(table)
        found = [entry["model"] for entry in done.report_.models]
        assert found == [
            "probabilistic-k-anonymity",
            "distinct-l-diversity",
            "t-closeness",
        ]
        groups = [
            cells
            for name in ("ill", "pay")
            for cells in cells_by_group(done, table, name)
        ]
        entry = done.report_.models[1]
        assert entry["level"] == min(len(set(cells)) for cells in groups)
        assert entry["units"] == len(groups)
        assert entry["passed"]


class TestInfeasible:
    def test_a_level_that_no_group_reaches(self):
        with pytest.raises(
            InfeasibleError,
            match=r"distinct-l-diversity\(.*l=5\) .* level 4, 1 of 1 groups",
        ):
            swapper([DistinctLDiversity(l=5)]).fit_transform(patients())

    def test_the_whole_table_is_near_itself(self):
        done = swapper([TCloseness(t=0.0)]).fit(patients())
        assert done.group_sizes_[("ill",)].tolist() == [120]

    def test_groups_that_a_subclass_did_not_merge_are_found(self):
        """The groups are judged again after the cells moved."""

        class Careless(GroupSwapper):
            def _group(self, table, moving):
                return np.arange(table.n_rows) // 3

        asked = [DistinctLDiversity(l=3)]
        done = Careless(["age"], k=3, sensitive=["ill"], models=asked)
        with pytest.raises(InfeasibleError, match=r"does not hold.*groups fail"):
            done.fit_transform(patients())
        assert not hasattr(done, "report_")


class TestRefusals:
    def test_models_is_a_list(self):
        with pytest.raises(ParameterError, match="models must be a list"):
            swapper(DistinctLDiversity(l=2)).fit(patients())

    @pytest.mark.parametrize("model", [KAnonymity(k=4), QAnonymity(q=3)])
    def test_models_of_other_things_are_refused(self, model):
        with pytest.raises(ParameterError, match="models: "):
            swapper([model]).fit(patients())

    def test_a_model_that_may_be_lost_when_groups_merge(self):
        class Fragile(DistinctLDiversity):
            merging = "none"

        with pytest.raises(ParameterError, match="lost when groups merge"):
            swapper([Fragile(l=2)]).fit(patients())

    def test_a_reference_that_is_not_known_yet(self):
        with pytest.raises(ParameterError, match="reference='released'"):
            swapper([TCloseness(t=0.2, reference="released")]).fit(patients())

    def test_a_model_of_a_column_that_is_not_sensitive(self):
        with pytest.raises(ParameterError, match=r"models: .*'town'"):
            swapper([DistinctLDiversity(l=2, sensitive="town")]).fit(patients())


@pytest.mark.parametrize(
    "swapper",
    [
        GroupSwapper(k=2, models=[DistinctLDiversity(l=3)]),
        GroupSwapper(k=2, models=[TCloseness(t=0.3)], grouping="individual-ranking"),
        GroupSwapper(
            k=3,
            scenario="uninformed",
            models=[EntropyLDiversity(l=1.5), AlphaKAnonymity(alpha=0.7, k=4)],
        ),
    ],
    ids=["l", "t", "uninformed"],
)
def test_contract(swapper):
    check_anonymizer(swapper)


class TestBothRoles:
    """A column may be known to one intruder and wanted by another."""

    def test_it_is_swapped_and_groups_the_others(self):
        table = patients()
        both = swapper(None, sensitive=["ill", "pay"]).set_params(
            quasi_identifiers=["age", "pay"]
        )
        once = swapper(None, sensitive=["ill", "pay"])
        output = both.fit_transform(table)
        assert output.equals(once.fit_transform(table))
        assert list(both.labels_) == [("ill",), ("pay",)]
        assert both.roles_.quasi_identifiers == ("age", "pay")
        assert both.roles_.insensitive == ("town",)

    def test_every_column_may_be_both(self):
        table = patients()[["age", "pay"]]
        both = GroupSwapper(
            ["age", "pay"], k=3, sensitive=["age", "pay"], random_state=0
        )
        none = GroupSwapper(k=3, random_state=0)
        assert both.fit_transform(table).equals(none.fit_transform(table))

    def test_what_moves_with_the_quasi_identifiers_is_not_hidden_from_them(self):
        both = swapper(None, scenario="uninformed", sensitive=["ill", "age"])
        with pytest.raises(ParameterError, match=r"'age'.*scenario='informed'"):
            both.fit(patients())

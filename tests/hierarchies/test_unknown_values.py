"""Values that a hierarchy does not have, at fit and at transform."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import ByDataType, Hierarchy, Intervals
from anon_transformers.partitioning import MondrianAnonymizer

PETS = [("cat", "mammal", "*"), ("cow", "mammal", "*"), ("cod", "fish", "*")]
KNOWN = ["cat", "cat", "cow", "cow", "cod", "cod"]
SECRET = "s3cret"

every = pytest.mark.parametrize("anonymizer", [MondrianAnonymizer, DataflyAnonymizer])


def make(anonymizer, unknown, **options):
    tree = Hierarchy(PETS, unknown=unknown)
    options = {"suppression": "mask", **options}
    return anonymizer(k=2, hierarchies={"pet": tree}, **options)


def pets(*cells):
    return pd.DataFrame({"pet": cells, "n": ["1"] * len(cells)})


@every
class TestError:
    def test_at_fit(self, anonymizer):
        with pytest.raises(DataError, match="'pet' holds values in 2 rows") as caught:
            make(anonymizer, "error").fit(pets(*KNOWN, SECRET, SECRET))
        assert SECRET not in str(caught.value)

    def test_at_transform(self, anonymizer):
        done = make(anonymizer, "error").fit(pets(*KNOWN))
        with pytest.raises(DataError, match="'pet' holds values in 1 rows") as caught:
            done.transform(pets("cat", SECRET, None))
        assert SECRET not in str(caught.value)

    def test_so_does_a_builder_of_ones_own(self, anonymizer):
        done = anonymizer(k=2, hierarchies={"x": Intervals(widths=[5, 10])})
        done.fit(pd.DataFrame({"x": [1, 1, 9, 9]}))
        # No range of whole numbers is for it, whatever its rule goes on to take.
        with pytest.raises(DataError, match="'x' holds values in 1 rows"):
            done.transform(pd.DataFrame({"x": [1, 5.5]}))

    def test_a_builder_that_cannot_read_the_column_names_it(self, anonymizer):
        done = anonymizer(k=2, hierarchies={"pet": Intervals(widths=[5])})
        with pytest.raises(DataError, match=r"column 'pet': .* 3 values are none"):
            done.fit(pets(*KNOWN))


@every
class TestRoot:
    def test_at_fit(self, anonymizer):
        done = make(anonymizer, "root")
        out = done.fit_transform(pets(*KNOWN, "dog", "emu"))
        assert out["pet"].tolist() == [*KNOWN, "*", "*"]
        # The root tells nothing: it costs as much as a suppressed cell.
        assert done.report_.column_losses["pet"] == pytest.approx(2 / 8)
        assert done.n_suppressed_ == 0

    def test_too_few_of_them_join_others_below_a_common_ancestor(self, anonymizer):
        out = make(anonymizer, "root").fit_transform(pets(*KNOWN, "dog"))
        assert out["pet"].value_counts().min() >= 2
        assert out["pet"].iloc[-1] == "*"

    def test_at_transform(self, anonymizer):
        done = make(anonymizer, "root").fit(pets(*KNOWN, "dog", "emu"))
        assert done.transform(pets("yak", "cod"))["pet"].tolist() == ["*", "cod"]

    @pytest.mark.parametrize(
        "tree",
        [
            ByDataType("int", unknown="root"),
            ByDataType("double", unknown="root"),
            Hierarchy([("0", "0"), ("5", "0")], unknown="root"),
        ],
    )
    def test_the_root_of_numbers_is_not_the_number_it_looks_like(
        self, anonymizer, tree
    ):
        done = anonymizer(k=2, hierarchies={"x": tree}, suppression="mask")
        done.fit(pd.DataFrame({"x": [0, 0, 5, 5]}))
        out = done.transform(pd.DataFrame({"x": [0, 5, 777]}))
        assert out["x"].tolist() == ["0", "5", "*"]

    def test_so_are_numbers_that_are_strange_at_fit(self, anonymizer):
        tree = ByDataType("int", unknown="root").build(["11", "12"])
        done = anonymizer(k=2, hierarchies={"x": tree})
        out = done.fit_transform(pd.DataFrame({"x": [11, 11, 777, 888]}))
        assert out["x"].tolist() == ["11", "11", "*", "*"]
        assert done.n_suppressed_ == 0

    def test_at_transform_with_none_at_fit_it_is_no_approved_class(self, anonymizer):
        done = make(anonymizer, "root").fit(pets(*KNOWN))
        out = done.transform(pets("yak", "cod"))
        assert out.to_numpy().tolist() == [["*", "*"], ["cod", "1"]]


@every
class TestSuppress:
    def test_at_fit(self, anonymizer):
        done = make(anonymizer, "suppress", suppression_limit=0.25)
        out = done.fit_transform(pets(*KNOWN, "dog", "emu"))
        assert out["pet"].tolist() == [*KNOWN, "*", "*"]
        assert out["n"].tolist() == ["1"] * 6 + ["*"] * 2
        assert done.suppressed_mask_.tolist() == [False] * 6 + [True] * 2

    def test_within_the_limit_only(self, anonymizer):
        with pytest.raises(InfeasibleError, match=r"suppression_limit=0\.2"):
            make(anonymizer, "suppress", suppression_limit=0.2).fit(
                pets(*KNOWN, "dog", "emu")
            )

    def test_dropped(self, anonymizer):
        done = make(anonymizer, "suppress", suppression_limit=0.3, suppression="drop")
        assert done.fit_transform(pets("dog", *KNOWN))["pet"].tolist() == KNOWN

    def test_at_transform(self, anonymizer):
        done = make(anonymizer, "suppress").fit(pets(*KNOWN))
        out = done.transform(pets("yak", "cod"))
        assert out.to_numpy().tolist() == [["*", "*"], ["cod", "1"]]

    def test_nothing_but_strangers(self, anonymizer):
        with pytest.raises(InfeasibleError, match="has 0 rows, and 3 rows that a hier"):
            make(anonymizer, "suppress", suppression_limit=1.0).fit(pets(*"xyz"))


def test_the_stop_rule_of_datafly_does_not_count_them():
    # Four strangers are more than k = 2 rows, and no generalization would help them.
    table = pets(*KNOWN, "dog", "emu", "yak", "bee")
    for suppression in ("mask", "drop"):
        done = make(DataflyAnonymizer, "suppress", suppression=suppression).fit(table)
        assert done.levels_ == {"pet": 0, "n": 0}
        assert done.n_suppressed_ == 4


@every
def test_relaxed_or_not_a_normalizer_finds_what_is_typed_otherwise(anonymizer):
    tree = Hierarchy(PETS, normalizer="fold")
    cells = ["CAT", " cat", "Cow", "côw", "cod", "COD "]
    done = anonymizer(["pet"], k=2, hierarchies={"pet": tree})
    assert done.fit_transform(pets(*cells))["pet"].tolist() == KNOWN
    assert done.transform(pets("cÓd"))["pet"].tolist() == ["cod"]


@every
class TestSpelling:
    """A number is the same leaf however its column happens to be stored."""

    def test_whole_numbers_beside_others(self, anonymizer):
        done = anonymizer(
            k=2, hierarchies={"x": Intervals(widths=[5], unknown="suppress")}
        )
        done.fit(pd.DataFrame({"x": [1, 1, 9, 9]}))
        for batch in ([1, 9], [1.0, 9.0], [1.0, 9.0, 0.5], [1.0, 9.0, np.nan]):
            out = done.transform(pd.DataFrame({"x": batch}))["x"].tolist()
            assert out[:2] == ["1", "9"]
            assert out[2:] in ([], ["*"])

    def test_floats_at_fit(self, anonymizer):
        done = anonymizer(k=2, hierarchies={"x": Intervals(widths=[5])})
        done.fit(pd.DataFrame({"x": [1.0, 1.0, 9.5, 9.5]}))
        out = done.transform(pd.DataFrame({"x": [1, 1]}))["x"].tolist()
        assert out == ["1", "1"]

    def test_days_beside_moments(self, anonymizer):
        day, moment = pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01 12:00")
        table = pd.DataFrame({"x": [day, day, moment, moment]})
        done = anonymizer(k=2, hierarchies={"x": Hierarchy.suggest(table["x"])})
        out = done.fit(table).transform(table[:2])["x"].tolist()
        assert out == ["2020-01-01"] * 2

    def test_a_text_is_only_ever_itself(self, anonymizer):
        tree = Hierarchy([("1", "*"), ("2", "*")])
        done = anonymizer(k=1, hierarchies={"x": tree})
        with pytest.raises(DataError, match="values in 1 rows"):
            done.fit(pd.DataFrame({"x": ["1.0", "2"]}))

"""Mondrian: what becomes of rows that share all their quasi-identifiers."""

import warnings
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from anon_transformers.exceptions import DataError, DuplicatesWarning, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.partitioning import MondrianAnonymizer

MODES = ("strict", "relaxed")
both = pytest.mark.parametrize("mode", MODES)

# Rows 0, 1 and 4 are equal, rows 2 and 5 too; row 3 stands alone.
TWINS = pd.DataFrame({"age": [30, 30, 41, 52, 30, 41], "zip": list("aabbab")})


def mondrian(**options):
    return MondrianAnonymizer(["age", "zip"], k=2, **options)


def messages(anonymizer, table):
    """What is said about duplicates while it is fitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        anonymizer.fit(table)
    return [str(w.message) for w in caught if w.category is DuplicatesWarning]


class TestDefault:
    def test_relaxed_cuts_warn_with_a_count(self):
        with pytest.warns(DuplicatesWarning, match="5 rows share all their quasi-ide"):
            mondrian(mode="relaxed").fit(TWINS)

    def test_strict_cuts_do_not(self):
        assert messages(mondrian(), TWINS) == []

    @both
    def test_nothing_is_said_where_all_rows_differ(self, mode):
        alone = TWINS.assign(age=range(6))
        assert messages(mondrian(mode=mode, duplicates="warn"), alone) == []

    def test_the_warning_points_at_the_caller(self):
        with pytest.warns(DuplicatesWarning) as caught:
            mondrian(mode="relaxed").fit(TWINS)
        with pytest.warns(DuplicatesWarning) as piped:
            make_pipeline(mondrian(mode="relaxed")).fit_transform(TWINS)
        assert [w.filename for w in (*caught, *piped)] == [__file__] * 2


@both
class TestPolicies:
    def test_ignore(self, mode):
        assert messages(mondrian(mode=mode, duplicates="ignore"), TWINS) == []

    def test_warn(self, mode):
        (reported,) = messages(mondrian(mode=mode, duplicates="warn"), TWINS)
        assert "5 rows" in reported
        assert ("published differently" in reported) == (mode == "relaxed")

    def test_error(self, mode):
        done = mondrian(mode=mode, duplicates="error")
        with pytest.raises(DataError, match="5 rows share") as caught:
            done.fit(TWINS)
        assert "30" not in str(caught.value)
        assert not hasattr(done, "report_")

    def test_they_change_nothing_that_is_published(self, mode):
        one = mondrian(mode=mode, duplicates="ignore").fit_transform(TWINS)
        with pytest.warns(DuplicatesWarning):
            other = mondrian(mode=mode, duplicates="warn").fit_transform(TWINS)
        pd.testing.assert_frame_equal(one, other)


class TestWhatIsADuplicate:
    def test_other_columns_do_not_tell_rows_apart(self):
        table = TWINS.assign(note=range(6), who=list("abcdef"))
        (reported,) = messages(mondrian(mode="relaxed", subject="who"), table)
        assert "5 rows" in reported
        # Persons are counted: nothing is to be said about them.
        assert "persons" not in reported
        (reported,) = messages(mondrian(mode="relaxed"), table)
        assert "fewer persons" in reported

    def test_a_missing_value_is_a_value(self):
        table = pd.DataFrame({"age": [None, None, 3.0, 4.0], "zip": list("aabb")})
        (reported,) = messages(mondrian(mode="relaxed"), table)
        assert "2 rows" in reported

    def test_rows_that_a_hierarchy_does_not_know_are_not_counted(self):
        tree = Hierarchy([("a", "*"), ("b", "*")], unknown="suppress")
        table = pd.DataFrame({"age": [1, 2, 3, 9, 9], "zip": list("abaxx")})
        done = mondrian(
            mode="relaxed", hierarchies={"zip": tree}, suppression_limit=0.5
        )
        assert messages(done, table) == []

    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 4), st.sampled_from("ab")),
            min_size=2,
            max_size=30,
        ),
        mode=st.sampled_from(MODES),
    )
    def test_the_count_is_of_rows_with_a_twin(self, rows, mode):
        table = pd.DataFrame(rows, columns=["age", "zip"])
        counts = Counter(rows)
        expected = sum(counts[row] > 1 for row in rows)
        reported = messages(mondrian(mode=mode, duplicates="warn"), table)
        assert [int(text.split()[0]) for text in reported] == [expected] * bool(
            expected
        )


def test_a_policy_that_does_not_exist():
    with pytest.raises(
        ParameterError, match=r"duplicates: .*'drop'.*'error', 'ignore'"
    ):
        mondrian(duplicates="drop").fit(TWINS)

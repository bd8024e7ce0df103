"""Which classes go, which stay, and when it is refused."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.base._suppression import (
    SuppressionRules,
    content_ranks,
    suppress_classes,
)
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.privacy import AllOf, KAnonymity


def sized(*sizes, jobs=None, persons=None):
    """Classes of these sizes; ``jobs`` are the sensitive cells, row by row."""
    rows = pd.DataFrame({"q": np.repeat(np.arange(len(sizes)), sizes)})
    if jobs is not None:
        rows["job"] = list(jobs)
    if persons is not None:
        rows["who"] = list(persons)
    return Classes.from_frame(
        rows,
        ["q"],
        ["job"] if jobs is not None else [],
        "who" if persons is not None else None,
    )


def settled(classes, *models, limit=1.0, mode="mask", covered=None, marked=None):
    if covered is None:
        covered = np.ones(classes.n_classes, dtype=bool)
    if marked is None:
        marked = np.zeros(classes.n_classes, dtype=bool)
    return suppress_classes(
        classes,
        AllOf(models),
        SuppressionRules(limit, mode, "*"),
        covered=np.asarray(covered),
        marked=np.asarray(marked),
        ranks=lambda: np.arange(classes.n_classes),
    )


def test_nothing_goes_where_every_class_is_fine():
    done = settled(sized(3, 4), KAnonymity(3), limit=0.0)
    assert done.kept.tolist() == [True, True]
    assert done.n_extra_rows == 0
    assert done.published.suppressed is None
    assert [verdict.passed for verdict in done.verdicts] == [True]


@pytest.mark.parametrize(
    ("sizes", "k", "mode", "kept", "extra"),
    [
        pytest.param((5, 1, 2, 5), 3, "mask", [1, 0, 0, 1], 0, id="together enough"),
        pytest.param((5, 1, 4, 6), 3, "mask", [1, 0, 0, 1], 4, id="smallest goes too"),
        pytest.param((4, 1, 4, 6), 3, "mask", [0, 0, 1, 1], 4, id="first of equals"),
        pytest.param((5, 1, 4, 6), 3, "drop", [1, 0, 1, 1], 0, id="dropped"),
        pytest.param((5, 1, 4, 6), 3, "blank", [1, 0, 0, 1], 4, id="blank"),
        pytest.param((9, 1, 4, 4), 6, "mask", [1, 0, 0, 0], 0, id="no extra needed"),
        pytest.param((9, 1, 8, 7), 7, "mask", [1, 0, 1, 0], 7, id="one is enough"),
    ],
)
def test_worked_examples(sizes, k, mode, kept, extra):
    done = settled(sized(*sizes), KAnonymity(k), mode=mode)
    assert done.kept.astype(int).tolist() == kept
    assert done.n_extra_rows == extra


def test_masked_rows_are_one_published_class():
    done = settled(sized(5, 1, 2), KAnonymity(3))
    assert done.published.suppressed == 1
    assert done.published.rows.tolist() == [5, 3]


def test_dropped_rows_are_no_published_class():
    done = settled(sized(5, 1, 2), KAnonymity(3), mode="drop")
    assert done.published.suppressed is None
    assert done.published.rows.tolist() == [5]


def test_the_suppressed_class_must_satisfy_every_model(distinct_values):
    # The small class holds one job, so another class must join it under the mark.
    classes = sized(2, 4, 5, jobs="aa" + "abab" + "ababa")
    done = settled(classes, KAnonymity(2), distinct_values(2))
    assert done.kept.tolist() == [False, False, True]
    assert done.n_extra_rows == 4


def test_dropping_needs_no_diverse_mark(distinct_values):
    classes = sized(2, 4, 5, jobs="aa" + "abab" + "ababa")
    done = settled(classes, KAnonymity(2), distinct_values(2), mode="drop")
    assert done.kept.tolist() == [False, True, True]


def test_blanked_rows_show_no_sensitive_value():
    classes = sized(1, 1, 3, jobs="ab" + "aab")
    done = settled(classes, KAnonymity(2), mode="blank")
    column = done.published.sensitive["job"]
    assert column.counts.toarray().tolist() == [[2, 1, 0], [0, 0, 2]]
    assert column.reference.tolist() == [3, 2, 0]


def test_blanked_rows_are_not_diverse(distinct_values):
    classes = sized(1, 4, 4, jobs="a" + "abab" + "abab")
    with pytest.raises(InfeasibleError):
        settled(classes, distinct_values(2), mode="blank")


def test_blanked_rows_are_judged_as_blanked():
    class NoCertainty(KAnonymity):
        """No sensitive value fills a class."""

        def satisfied(self, evidence):
            (column,) = evidence.sensitive.values()
            most = column.counts[:, :-1].max(axis=1).toarray()
            return np.asarray(most < evidence.rows)

    classes = sized(2, 3, 5, jobs="aa" + "aab" + "ababa")
    assert settled(classes, NoCertainty(1), mode="blank").n_extra_rows == 0
    assert settled(classes, NoCertainty(1), mode="mask").n_extra_rows == 3


def test_persons_count_not_rows():
    classes = sized(4, 4, persons="pppp" + "pqrs")
    assert classes.sizes.tolist() == [1, 4]
    done = settled(classes, KAnonymity(2), mode="drop")
    assert done.kept.tolist() == [False, True]
    # The mark would hold one person: the other class would have to go as well.
    with pytest.raises(InfeasibleError):
        settled(classes, KAnonymity(2), mode="mask")


def test_what_the_rule_does_not_cover_always_goes():
    done = settled(sized(5, 6, 7), KAnonymity(3), covered=[True, False, True])
    assert done.kept.tolist() == [True, False, True]
    assert done.n_extra_rows == 0


class TestLimit:
    @pytest.mark.parametrize(
        ("gone", "total", "limit"),
        [
            (29, 100, 0.29),
            (57, 100, 0.57),
            (58, 100, 0.58),
            (1, 10, 0.1),
            (1, 3, 1 / 3),
        ],
    )
    def test_a_share_that_is_just_reached_is_allowed(self, gone, total, limit):
        classes = sized(*[1] * gone, total - gone)
        done = settled(classes, KAnonymity(2), limit=limit, mode="drop")
        assert done.published.rows.tolist() == [total - gone]

    @given(st.integers(1, 40), st.integers(1, 60))
    def test_one_row_beyond_the_limit_is_refused(self, gone, kept):
        total = gone + kept + 1
        classes = sized(*[1] * gone, kept + 1)
        with pytest.raises(InfeasibleError, match=f"allows {gone - 1}"):
            settled(classes, KAnonymity(2), limit=(gone - 1) / total, mode="drop")
        assert settled(classes, KAnonymity(2), limit=gone / total, mode="drop")

    def test_rows_that_go_for_the_mark_count_too(self):
        classes = sized(5, 1, 4)
        with pytest.raises(InfeasibleError) as caught:
            settled(classes, KAnonymity(3), limit=0.4)
        said = str(caught.value)
        assert "without 1 of 10 rows it would hold, but suppressed rows are" in said
        assert "k-anonymity(k=3) reaches 1 there" in said
        assert "suppress 5 of 10 rows, and suppression_limit=0.4 allows 4" in said
        assert "no kept class" not in said  # there is one
        assert settled(classes, KAnonymity(3), limit=0.5).n_extra_rows == 4

    def test_nothing_may_go_by_default(self):
        with pytest.raises(InfeasibleError):
            settled(sized(500, 1), KAnonymity(2), limit=0.0)


class TestRefusals:
    def test_the_message_has_model_level_and_limit(self):
        said = (
            "k-anonymity(k=3) does not hold: level 1, 2 of 3 classes fail; keeping the "
            "promise would suppress 2 of 12 rows, and suppression_limit=0.1 allows 1."
        )
        with pytest.raises(InfeasibleError, match=re.escape(said)) as caught:
            settled(sized(1, 10, 1), KAnonymity(3), limit=0.1)
        assert "no kept class" not in str(caught.value)  # there is one

    def test_the_first_model_that_fails_is_named(self, distinct_values):
        with pytest.raises(InfeasibleError, match=r"distinct-values\(l=2\).*level 1"):
            settled(
                sized(3, 3, jobs="aaa" + "abc"),
                KAnonymity(3),
                distinct_values(2),
                limit=0.1,
            )

    def test_uncovered_rows_are_told_as_such(self):
        with pytest.raises(InfeasibleError, match=r"does not cover every row.*2 of 5"):
            settled(sized(3, 2), KAnonymity(2), limit=0.0, covered=[True, False])

    @pytest.mark.parametrize("mode", ["mask", "drop", "blank"])
    def test_a_result_without_a_class_is_none(self, mode):
        with pytest.raises(InfeasibleError, match="no kept class"):
            settled(sized(1, 1, 1), KAnonymity(2), mode=mode)

    def test_no_class_is_left_when_the_mark_needs_the_last_one(self):
        with pytest.raises(InfeasibleError, match=r"6 of 6 rows.*no kept class"):
            settled(sized(1, 5), KAnonymity(3))

    def test_a_model_that_changes_its_mind_is_caught(self):
        class Fickle(KAnonymity):
            """Satisfied class by class, but not by the table as published."""

            def satisfied(self, evidence):
                one = evidence.n_classes == 1
                return np.full(evidence.n_classes, not one)

        with pytest.raises(InfeasibleError, match="as it would be published"):
            settled(sized(3, 3), Fickle(2), covered=[True, False], mode="drop")


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
    st.integers(1, 8),
    st.sampled_from(["mask", "drop", "blank"]),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
)
def test_whatever_is_settled_keeps_the_promise(sizes, k, mode, limit):
    classes = sized(*sizes)
    try:
        done = settled(classes, KAnonymity(k), limit=limit, mode=mode)
    except InfeasibleError:
        # Then even the least that must go is too much.
        small = [size for size in sizes if size < k]
        fine = sorted(size for size in sizes if size >= k)
        while mode != "drop" and 0 < sum(small) < k and fine:
            small.append(fine.pop(0))
        assert not fine or sum(small) / sum(sizes) > limit
        return
    gone = sum(size for size, kept in zip(sizes, done.kept, strict=True) if not kept)
    assert done.published.rows.min() >= k
    assert done.kept.any()
    assert gone / sum(sizes) <= limit
    assert done.published.rows.sum() == sum(sizes) - (gone if mode == "drop" else 0)
    extra = [size for size, kept in zip(sizes, done.kept, strict=True) if not kept]
    assert done.n_extra_rows == sum(size for size in extra if size >= k)
    if extra and max(extra) >= k:
        staying = [s for s, kept in zip(sizes, done.kept, strict=True) if kept]
        assert max(extra) <= min(staying)


class TestWhatShowsNothing:
    def test_it_is_read_as_suppressed(self):
        done = settled(sized(3, 4, 5), KAnonymity(3), limit=0.0, marked=None)
        assert done.published.suppressed is None
        marked = np.array([False, True, False])
        done = settled(sized(3, 4, 5), KAnonymity(3), limit=0.0, marked=marked)
        assert done.kept.tolist() == [True, True, True]
        assert done.published.suppressed == 2
        assert done.published.rows.tolist() == [3, 5, 4]

    def test_it_joins_the_suppressed_rows(self):
        marked = np.array([False, True, False])
        done = settled(sized(3, 4, 1), KAnonymity(1), limit=1.0, marked=marked)
        assert done.published.rows[done.published.suppressed] == 4
        covered = np.array([True, True, False])
        done = settled(sized(3, 4, 1), KAnonymity(1), marked=marked, covered=covered)
        assert done.published.rows[done.published.suppressed] == 5

    @pytest.mark.parametrize("mode", ["mask", "drop", "blank"])
    def test_a_table_of_nothing_else_is_no_result(self, mode):
        with pytest.raises(InfeasibleError, match="no kept class"):
            settled(
                sized(3, 4), KAnonymity(3), mode=mode, marked=np.array([True, True])
            )


def test_ties_are_broken_by_labels():
    labels = [np.array(["b", "a", None], dtype=object)] * 2
    codes = np.array([[0, 1, 1, 2], [0, 1, 0, -1]])
    ranks = content_ranks(codes, labels)
    assert ranks.tolist() == [
        sorted(range(4), key=lambda i: _texts(codes[:, i], labels)).index(i)
        for i in range(4)
    ]


def _texts(code, labels):
    """The second column decides first; a missing label comes before all texts."""
    texts = ["" if c < 0 else str(t[c]) for c, t in zip(code, labels, strict=True)]
    return texts[::-1]


@given(
    limit=st.one_of(
        st.floats(0, 1), st.sampled_from([0.29, 0.07, 0.57, 1 / 3, 0.1 + 0.2])
    ),
    n_rows=st.integers(1, 5000),
)
def test_a_share_allows_the_most_rows_that_are_no_larger_share(limit, n_rows):
    slow = max(gone for gone in range(n_rows + 1) if gone / n_rows <= limit)
    assert SuppressionRules(limit, "mask", "*").allowance(n_rows) == slow


@pytest.mark.parametrize(
    ("limit", "n_rows", "most"),
    [(1, 100, 1), (1.0, 100, 100), (3, 2, 2), (0, 9, 0), (np.int64(4), 9, 4)],
)
def test_a_whole_number_counts_rows(limit, n_rows, most):
    rules = SuppressionRules(limit, "mask", "*")
    rules.check()
    assert rules.allowance(n_rows) == most


@pytest.mark.parametrize("limit", [True, -1, 1.5, -0.1, float("nan"), "3", None, 1j])
def test_what_is_neither_a_share_nor_a_number_of_rows_is_refused(limit):
    with pytest.raises(ParameterError, match="suppression_limit must be a share"):
        SuppressionRules(limit, "mask", "*").check()


def test_a_count_of_rows_holds_to_the_row():
    classes = sized(5, 1, 2, 5)
    assert settled(classes, KAnonymity(3), limit=3).kept.tolist() == [1, 0, 0, 1]
    said = "suppress 3 of 13 rows, and suppression_limit=2 allows 2"
    with pytest.raises(InfeasibleError, match=re.escape(said)):
        settled(classes, KAnonymity(3), limit=2)


def test_a_count_is_of_rows_where_persons_are_told_apart():
    # One person with two rows: the two rows must be allowed, not the person.
    classes = sized(4, 2, jobs="abab" + "ab", persons="pqpq" + "rr")
    assert settled(classes, KAnonymity(2), limit=2, mode="drop").n_extra_rows == 0
    with pytest.raises(InfeasibleError, match="allows 1"):
        settled(classes, KAnonymity(2), limit=1, mode="drop")


def test_a_refusal_is_about_classes_that_the_rule_covers():
    # The class of 1 is suppressed anyway, whatever is asked for.
    with pytest.raises(InfeasibleError, match=r"level 5, 1 of 1 classes fail"):
        settled(sized(5, 1), KAnonymity(6), covered=[True, False], mode="drop")


class Telling(KAnonymity):
    """A model of a plugin that tells something of what it refuses."""

    told: Any = None

    def report(self, evidence):
        return self.told(evidence) if callable(self.told) else self.told


def refusal_of(told):
    model = type("Told", (Telling,), {"told": staticmethod(told)})(3)
    with pytest.raises(InfeasibleError) as refused:
        settled(sized(4, 4, persons="aabbccdd"), model, limit=0)
    return str(refused.value)


def test_what_a_model_tells_of_a_refusal_counts_persons():
    """Two persons a class have four rows, which no model sees."""

    def count(evidence):
        n_counted = int(evidence.rows.sum())
        return {"persons_exposed": n_counted, "persons_in_several_classes": n_counted}

    assert "4 of 4 persons in several classes" in refusal_of(count)


@pytest.mark.parametrize(
    "told",
    [
        None,
        "Anna",
        {"persons_exposed": 2},
        {"persons_exposed": "Anna", "persons_in_several_classes": 2},
        {"persons_exposed": True, "persons_in_several_classes": 2},
    ],
)
def test_a_strange_report_is_left_out_of_a_refusal(told):
    said = refusal_of(lambda evidence: told)
    assert "several classes" not in said and "Anna" not in said

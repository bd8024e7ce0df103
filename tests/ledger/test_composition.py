"""Releases judged together: cases by hand, and an intruder who tries everything."""

import json
import pickle

import numpy as np
import pytest

from anon_transformers.base import progress_heard_by
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.ledger import (
    Composition,
    PublishedClasses,
    judge_composition,
)

PERMANENT = {"ill": "permanent"}


def of(persons, values):
    """Values of persons, a letter each."""
    return dict(zip(persons, values, strict=True))


VALUES = of("abcdefgh", "xyxyxyxy")
# Each two of them cut eight persons into four pairs; all three into single persons.
HALVES = [{0: "abcd", 1: "efgh"}, {0: "abef", 1: "cdgh"}, {0: "aceg", 1: "bdfh"}]
OF_HALVES = of("abcdefgh", "xyyxyxxy")


def release(cells, values=VALUES, **options):
    """A release as {class: persons}; -1 is suppressed."""
    listed = [(person, cell) for cell, persons in cells.items() for person in persons]
    persons = [person for person, _ in listed]
    return PublishedClasses(
        persons,
        [cell for _, cell in listed],
        {"ill": [values[person] for person in persons]},
        **options,
    )


def judged(*releases, k=2, l=2, kind="permanent", **options):  # noqa: E741
    sensitive = {"ill": kind}
    return judge_composition(releases, k=k, l=l, sensitive=sensitive, **options)


def failing(report):
    """Persons by reason, where there are any."""
    return {n: c["persons"] for n, c in report.reasons.items() if c["persons"]}


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        pytest.param([{0: "abcd"}, {0: "abcde"}], {"joiners": 1}, id="lone-joiner"),
        pytest.param([{0: "abcd"}, {0: "abc"}], {"leavers": 1}, id="lone-leaver"),
        pytest.param(
            [{0: "abcd", 1: "efgh"}, {0: "abc", 1: "defgh"}],
            {"moved": 1},
            id="moved-quasi-identifier",
        ),
        pytest.param(
            [{0: "abcd", 1: "efgh"}, {0: "abce", 1: "dfgh"}],
            {"moved": 2},
            id="swap-between-two-classes",
        ),
        pytest.param(
            [{0: "abc", -1: "defgh"}, {0: "abcd", -1: "efgh"}],
            {"suppressed": 1},
            id="suppressed-then-published",
        ),
        pytest.param([{0: "abc", 1: "d"}], {"class": 1}, id="class-of-one"),
        pytest.param(
            # c returns alone, and d stays away alone.
            [{0: "abcd"}, {0: "ab"}, {0: "abc"}],
            {"joiners": 1, "leavers": 1},
            id="one-of-two-leavers-returns",
        ),
    ],
)  # fmt: skip
def test_a_lone_person_is_seen_in_groups_of_k(releases, expected):
    report = judged(*map(release, releases), l=1)
    assert not report.passed
    assert report.k_reached == 1
    assert failing(report) == expected


def test_k_joiners_pass():
    assert judged(release({0: "abcd"}), release({0: "abcdef"})).passed


def test_joiners_who_share_a_value_are_told_by_difference():
    report = judged(release({0: "abcd"}), release({0: "abcdeg"}))
    assert not report.passed
    assert (report.k_reached, report.l_reached) == (2, {"ill": 1})
    assert failing(report) == {"difference": 2}
    assert report.failing.tolist() == [False] * 4 + [True] * 2


@pytest.mark.parametrize("kind", ["permanent", "changing"])
def test_who_was_left_out_for_their_values_comes_alone_or_never(kind):
    """e and g were enough for k, and not shown: they are known to share a value."""
    left_out = {0: "abcd", -2: "eg"}
    assert judged(release(left_out), release({0: "abcd"}), kind=kind).passed
    values = {**VALUES, "h": "x"}
    later = release({0: "abcdegfh"}, values)
    report = judged(release(left_out), later, kind=kind)
    assert failing(report) == {"difference": 2}
    both = {0: "ab", -2: "eg", -3: "df"}
    assert judged(release(both), kind=kind).l_reached == {"ill": 2}
    together = judged(release(both), release({0: "ab", 1: "egdf"}), kind=kind)
    assert failing(together) == {"difference": 4}


def test_batches_that_were_left_out_may_have_large_numbers():
    far = {0: "ab", -2: "eg", -(10**9): "df"}
    report = judged(release(far), release({0: "ab", 1: "egdf"}))
    assert (report.groups, failing(report)) == (3, {"difference": 4})


def test_a_window_forgets_who_was_left_out():
    releases = [release({0: "abcd", -2: "eg"}), release({0: "abcdegf"})]
    assert not judged(*releases).passed
    assert judged(*releases, window=1).passed


def test_leavers_who_share_a_value_are_told_by_difference():
    report = judged(release({0: "abcdeg"}), release({0: "abcd"}))
    assert failing(report) == {"difference": 2}
    assert not report.failing.any()  # nobody who is there


def test_value_sets_that_meet_in_one_value():
    values = of("abcdefgh", "xyxyxzxz")
    cut_by_value = [{0: "abcd", 1: "efgh"}, {0: "aceg", 1: "bdfh"}]
    report = judged(*(release(cells, values) for cells in cut_by_value))
    # All of aceg have x. {x, y} and {y, z} meet in y, which b and d must have.
    assert failing(report) == {"class": 4, "intersection": 4}


def test_three_releases_tell_what_no_two_do():
    releases = [release(cells, OF_HALVES) for cells in HALVES]
    for left_out in range(3):
        assert judged(*(r for at, r in enumerate(releases) if at != left_out)).passed
    report = judged(*releases)
    assert not report.passed
    assert report.k_reached == 1
    assert failing(report) == {"moved": 8, "difference": 8}


def test_a_window_forgets_what_is_older():
    releases = [release(cells, OF_HALVES) for cells in HALVES]
    report = judged(*releases, window=2)
    assert report.passed
    assert (report.window, report.releases, report.persons) == (2, 2, 8)
    assert judged(*releases[1:]).to_dict() == {**report.to_dict(), "window": None}


def test_persons_outside_the_window_are_not_counted():
    report = judged(
        release({0: "ab"}), release({0: "cd"}), release({0: "cd"}), window=2
    )
    assert report.persons == 2
    assert report.passed


def test_unknown_presence_lets_joiners_and_leavers_pass_and_no_move():
    joiner = [release({0: "abcd"}), release({0: "abcde"})]
    assert not judged(*joiner).passed
    report = judged(*joiner, presence="unknown")
    assert report.passed
    assert report.presence == "unknown"
    assert judged(*joiner[::-1], presence="unknown").passed
    moved = [
        release({0: "abcd", 1: "efgh"}),
        release({0: "abc", 1: "defgh"}),
    ]
    assert failing(judged(*moved, presence="unknown")) == {"moved": 1, "difference": 1}


def test_suppressed_cells_that_show_nothing_ask_for_no_values():
    values = VALUES | dict.fromkeys("efgh", "x")
    cells = {0: "abcd", -1: "efgh"}
    assert failing(judged(release(cells, values))) == {"class": 4}
    assert judged(release(cells, values, suppressed_shown=False)).passed


def test_a_missing_value_is_no_value():
    assert judged(release({0: "ab"}, {"a": "x", "b": None})).l_reached == {"ill": 1}


def test_a_missing_value_of_a_permanent_column_may_become_known():
    first = release({0: "abc"}, {"a": "x", "b": "y", "c": None})
    second = release({0: "abc"}, {"a": "x", "b": "y", "c": "x"})
    assert judged(first, second).passed


@pytest.mark.parametrize("cells", [{0: "abcd"}, {0: "ab"}, {0: "abc"}])
def test_a_permanent_value_that_changed_is_not_evaluable(cells):
    changed = {**VALUES, "a": "z"}
    with pytest.raises(NotEvaluable, match=r"'ill' is declared permanent.*1 persons"):
        judged(release({0: "abcd"}), release(cells, changed))


def test_a_changing_value_may_change():
    changed = of("abcd", "yxzz")
    report = judged(
        release({0: "abcd"}), release({0: "abcd"}, changed), kind="changing"
    )
    assert report.passed


def test_a_changing_column_is_judged_in_each_release():
    alike = dict.fromkeys("abcd", "x")
    report = judged(release({0: "abcd"}, alike), release({0: "abcd"}), kind="changing")
    assert failing(report) == {"class": 4}


def test_leavers_of_a_changing_column_are_judged_by_difference():
    """Supposing that nobody changed, both who left have x."""
    first = release({0: "abcd"}, of("abcd", "xyxy"))
    second = release({0: "ab"}, of("ab", "yy"))
    alike = release({0: "abcd"}, of("abcd", "xyxx"))
    assert failing(judged(first, second, kind="changing", l=1)) == {}
    report = judged(alike, release({0: "ab"}, of("ab", "xy")), kind="changing")
    assert failing(report) == {"difference": 2}


def test_changing_values_where_presence_is_unknown_or_a_window_is_stated():
    later = of("abcdefgh", "yyxxyxuv")
    first = release({0: "abcdeg"})
    joiner = [release({0: "abcd"}), release({0: "abcde"}, later)]
    assert not judged(*joiner, kind="changing").passed
    assert judged(*joiner, kind="changing", presence="unknown").passed
    # e and g had one value in the first release, which a window forgets.
    divided = [first, *[release({0: "abcd", 1: "ef"}, later)] * 2]
    assert failing(judged(*divided, kind="changing", l=1)) == {
        "joiners": 1, "leavers": 1, "moved": 1,
    }  # fmt: skip
    divided = [first, *[release({0: "abcd", 1: "eg"}, later)] * 2]
    assert failing(judged(*divided, kind="changing")) == {"difference": 2}
    assert judged(*divided, kind="changing", window=2).passed


@pytest.mark.parametrize(
    "keys",
    [
        np.array([3, 9, -1, 0]),
        np.array([b"0123456789", b"abc", b"d", b"e"]),
        ["ann", "bob", b"ann", "eve"],
    ],
    ids=["whole", "digests", "texts"],
)
def test_keys_of_all_kinds_are_the_same_persons(keys):
    whole = PublishedClasses(keys, [0, 0, 1, 1])
    report = judge_composition([whole, PublishedClasses(keys[::-1], [7, 7, 2, 2])], k=2)
    assert (report.persons, report.groups, report.passed) == (4, 2, True)


def test_numbers_of_classes_may_be_large():
    many = PublishedClasses([1, 2, 3, 4], [10**12, 10**12, -1, -1])
    assert judge_composition([many, many], k=2).groups == 2


def test_a_report_is_written_without_persons():
    report = judged(release({0: "abcd"}), release({0: "abcde"}))
    assert "failing" not in report.to_dict()
    assert json.loads(json.dumps(report.to_dict()))["failing_persons"] == 1
    assert pickle.loads(pickle.dumps(report)).failing is None
    assert "array" not in repr(report)


def test_what_is_extended_stays_as_it_was():
    first = Composition(PERMANENT).extended(release({0: "abcd"}))
    before = first.report(2, 2).to_dict()
    first.extended(release({0: "abcde"}))
    assert first.report(2, 2).to_dict() == before


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: PublishedClasses([1, None], [0, 0]), DataError, "1 keys|2 keys"),
        (lambda: PublishedClasses([1, 2], [0]), DataError, "1 classes for 2 persons"),
        (lambda: PublishedClasses([1], [0.5]), DataError, "whole number per person"),
        (lambda: PublishedClasses([1], [0], {"ill": []}), DataError, "'ill' are 0"),
        (lambda: Composition(presence="no"), ParameterError, "'known', 'unknown'"),
        (lambda: Composition({"ill": "no"}), ParameterError, "sensitive: ill"),
        (lambda: Composition(window=0), ParameterError, "window"),
        (lambda: Composition().report(2), NotEvaluable, "no release holds"),
        (lambda: judged(release({0: "aab"})), DataError, "1 keys occur more than once"),
        (lambda: judged(release({0: "ab"}), l=None), NotEvaluable, "no l"),
        (
            lambda: judge_composition([release({0: "ab"})], k=2),
            NotEvaluable,
            "declared",
        ),
        (
            lambda: judged(PublishedClasses([1, 2], [0, 0])),
            NotEvaluable,
            "'ill' are not known",
        ),
        (
            lambda: judge_composition(
                [PublishedClasses([1], [0]), PublishedClasses(["a"], [0])], k=1
            ),
            DataError,
            "texts, in earlier releases as whole numbers",
        ),
    ],
)
def test_refusals(build, error, words):
    with pytest.raises(error, match=words):
        build()


@pytest.mark.parametrize("presence", ["known", "unknown"])
def test_each_release_is_a_share_of_the_judgement(presence):
    told = []
    releases = [release(cells, OF_HALVES) for cells in HALVES]
    with progress_heard_by(lambda share, found: told.append(share)):
        judged(*releases, presence=presence)
    assert told == sorted(told)
    assert {0.0, 0.25, 0.5, 0.75} < set(told)  # three releases, and what is said
    assert told[-1] == pytest.approx(1 - 1 / 12)

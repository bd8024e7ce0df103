"""Where persons are known, every count is of persons, in each class and each union."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MDAVAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers.base import PublishedColumn, TableAnonymizer
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import InfeasibleError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import AverageRisk, RecordsAtRisk, class_statistics
from anon_transformers.privacy import (
    AlphaKAnonymity,
    BeliefBound,
    BetaLikeness,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)

ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 2]),
        st.sampled_from([*"pqrst", None]),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from(["x", "y"]),
    ),
    min_size=1,
    max_size=25,
)


def frame_of(rows):
    # As objects, or a missing text would come back as another kind of nothing.
    frame = pd.DataFrame(rows, columns=["q", "who", "s", "z"], dtype=object)
    return frame.astype({"q": int})


def classes_of(frame, **options):
    return Classes.from_frame(frame, ["q"], ["s"], subject="who", **options)


def holders(rows):
    """Persons of some rows, by value: written down anew, row by row."""
    known = defaultdict(set)
    for who, value in rows:
        if who is not None and value is not None:
            known[value].add(who)
    everybody = {who for who, _ in rows if who is not None}
    lacking = {who for who, value in rows if who is not None and value is None}
    return dict(known), lacking, everybody


def pairs(frame):
    return list(zip(frame["who"], frame["s"], strict=True))


def by_class(frame):
    """Holders in each class, in the order in which classes are met."""
    groups = defaultdict(list)
    for row in frame.itertuples():
        groups[row.q].append((row.who, row.s))
    return [holders(rows) for rows in groups.values()]


def largest_share(known, unknown, everybody):
    """Of the persons who hold a value or may hold it, each counted once."""
    if not everybody:
        return 1.0
    return max(len(who | unknown) for who in (*known.values(), set())) / len(everybody)


def has_several(known):
    """Whether somebody has two values that are known."""
    held = [who for holding in known.values() for who in holding]
    return len(held) > len(set(held))


def may_have_several(known, unknown, everybody):
    """Whether somebody has two values, or one and a missing one."""
    return sum(map(len, known.values())) + len(unknown) > len(everybody)


def left_over(frame):
    """Values that each person's classes have in common, one person after the other.

    Of persons in several classes who show one value; a class that lacks this one, for
    the person's own cell is missing there, tells nothing.
    """
    frame = frame[frame["who"].notna()]
    shown = {q: set(part["s"].dropna()) for q, part in frame.groupby("q")}
    own = {who: set(part["s"].dropna()) for who, part in frame.groupby("who")}
    at = {who: set(part["q"]) for who, part in frame.groupby("who")}
    known_at = {
        who: set(part.loc[part["s"].notna(), "q"]) for who, part in frame.groupby("who")
    }
    several = [len(own[who]) > 1 for who in own if len(known_at[who]) > 1]
    if 2 * sum(several) > len(several):
        return {}
    found = {}
    for who, values in own.items():
        if len(values) != 1:
            continue
        telling = [q for q in at[who] if values <= shown[q]]
        if len(telling) > 1:
            found[who] = (set.intersection(*(shown[q] for q in telling)), telling)
    return found


def fewest_left(frame):
    """Fewest candidates of a person of each class, in the order of the classes."""
    found = left_over(frame)
    return [
        min((len(s) for s, at in found.values() if q in at), default=math.inf)
        for q in dict.fromkeys(frame["q"])
    ]


@given(rows=ROWS)
def test_counts_are_of_persons_who_hold_a_value_at_least_once(rows):
    frame = frame_of(rows)
    column = classes_of(frame).sensitive["s"]
    for at, (known, unknown, everybody) in enumerate(by_class(frame)):
        counts = [len(known.get(value, ())) for value in column.values]
        assert column.counts.toarray()[at].tolist() == [*counts, len(unknown)]
        assert column.totals[at] == len(everybody)
        assert column.several[at] == has_several(known)


@given(rows=ROWS, into=st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3))
def test_the_persons_of_a_union_are_counted_once(rows, into):
    frame = frame_of(rows)
    present = frame["q"].unique()
    merged = classes_of(frame).merge(np.array([into[q] for q in present]), 2)
    moved = frame.assign(q=[into[q] for q in frame["q"]])
    for target in (0, 1):
        part = moved[moved["q"] == target]
        known, unknown, everybody = holders(pairs(part))
        column = merged.sensitive["s"]
        counts = [len(known.get(value, ())) for value in column.values]
        assert column.counts.toarray()[target].tolist() == [*counts, len(unknown)]
        assert column.totals[target] == len(everybody) == merged.sizes[target]


@given(rows=ROWS)
def test_a_blanked_class_holds_persons_of_whom_nothing_is_known(rows):
    classes = classes_of(frame_of(rows)).blanked(0)
    column = classes.sensitive["s"]
    assert column.counts.toarray()[0].tolist() == [0] * column.missing + [
        classes.sizes[0]
    ]


@given(rows=ROWS)
def test_finer_classes_count_persons_too(rows):
    frame = frame_of(rows)
    classes = Classes.from_frame(frame, ["q"], ["s", "z"], subject="who")
    column, owner = classes.finer("s")
    groups = defaultdict(list)
    for row in frame.itertuples():
        if row.who is not None:
            groups[row.q, row.z].append((row.who, row.s))
    expected = sorted(
        [len(holders(rows)[0].get(value, ())) for value in column.values]
        for rows in groups.values()
    )
    assert sorted(column.counts.toarray()[:, :-1].tolist()) == expected
    assert len(owner) == len(groups)


@given(rows=ROWS)
def test_levels_are_those_of_shares_of_persons(rows):
    frame = frame_of(rows)
    classes = classes_of(frame)
    distinct = DistinctLDiversity(1).class_levels(classes)
    entropy = EntropyLDiversity(1).class_levels(classes)
    recursive = RecursiveCLDiversity(c=3, l=1).class_levels(classes)
    alpha = AlphaKAnonymity(1, 1).class_levels(classes)
    fewest = fewest_left(frame)
    for at, held in enumerate(by_class(frame)):
        known, unknown, _ = held
        share = largest_share(*held)
        cap = 1 / share if may_have_several(*held) else math.inf
        certain = may_have_several(*held) and share >= 1
        here = min(1, len(known)) if certain else len(known)
        assert distinct[at] == min(here, fewest[at])
        assert alpha[at] == pytest.approx(max(share, 1 / fewest[at]))
        assert entropy[at] == pytest.approx(
            min(effective(known, unknown), cap, fewest[at]), abs=1e-9
        )
        assert recursive[at] == math.floor(
            min(deepest(known, unknown, 3), cap + 1e-9, fewest[at])
        )


def completed(known, unknown):
    """Counts where all whose value is missing hold one value too, for each value."""
    for value in known:
        yield [len(who | unknown if v == value else who) for v, who in known.items()]


def effective(known, unknown):
    """The least exponential of the entropy, whatever the missing value is."""
    if not known:
        return 0.0
    return min(
        math.exp(-sum(n / sum(full) * math.log(n / sum(full)) for n in full))
        for full in completed(known, unknown)
    )


def deepest(known, unknown, c):
    """Largest l for which each completed count is below c (n_l + …), of known values.

    For l = 1 the sum is over all, completed as well.
    """
    counts = sorted(map(len, known.values()), reverse=True)
    most = max((len(who | unknown) for who in known.values()), default=0)
    fine = [
        rank for rank in range(2, len(counts) + 1) if most < c * sum(counts[rank - 1 :])
    ]
    if known and all(max(full) < c * sum(full) for full in completed(known, unknown)):
        fine.append(1)
    return max(fine, default=0)


def test_who_holds_a_value_and_lacks_another_is_counted_once():
    held = {"p": ["flu", None], "q": ["flu", None], "r": ["cold"], "t": ["hiv"]}
    classes = classes_of(visits(held))
    # p and q hold flu; both may hold cold beside it, as r does.
    assert AlphaKAnonymity(1, 1, value="flu").level(classes) == 2 / 4
    assert AlphaKAnonymity(1, 1, value="cold").level(classes) == 3 / 4
    assert AlphaKAnonymity(1, 1).level(classes) == 3 / 4
    assert BeliefBound(1).level(classes) == 3 / 4
    assert EntropyLDiversity(1).level(classes) == pytest.approx(4 / 3)
    assert RecursiveCLDiversity(c=3, l=1).level(classes) == 1


@given(rows=ROWS)
def test_gains_compare_shares_of_persons_with_those_of_the_whole_table(rows):
    frame = frame_of(rows)
    classes = classes_of(frame)
    gains = BetaLikeness(1, "basic", reference="released").class_levels(classes)
    known, unknown, everybody = holders(pairs(frame))
    whole = {value: len(who) / len(everybody) for value, who in known.items()}
    whole[None] = len(unknown) / max(len(everybody), 1)
    order, left = list(dict.fromkeys(frame["q"])), left_over(frame)
    for at, (here, lost, persons) in enumerate(by_class(frame)):
        shares = {value: len(who) / len(persons) for value, who in here.items()}
        if lost:
            shares[None] = len(lost) / len(persons)
        found = [
            share / whole[value] - 1 if whole[value] else math.inf
            for value, share in shares.items()
        ]
        alone = [s for s, q in left.values() if len(s) == 1 and order[at] in q]
        found += [1 / whole[value] - 1 for values in alone for value in values]
        assert gains[at] == pytest.approx(max([0, *found]))


def visits(values_by_person, q=1):
    return pd.DataFrame(
        [
            (q, who, value)
            for who, values in values_by_person.items()
            for value in values
        ],
        columns=["q", "who", "s"],
    )


def test_a_secret_of_four_in_five_persons_is_not_hidden_by_many_other_values():
    others = [f"cold {number}" for number in range(20)]
    held = {who: ["HIV", *others[4 * at : 4 * at + 4]] for at, who in enumerate("pqrs")}
    classes = classes_of(visits({**held, "t": others[16:]}))
    assert EntropyLDiversity(2).level(classes) == pytest.approx(5 / 4)
    assert RecursiveCLDiversity(c=10, l=2).level(classes) == 1
    assert AlphaKAnonymity(0.5, 5).level(classes) == pytest.approx(4 / 5)
    assert BeliefBound(0.5).level(classes) == pytest.approx(4 / 5)


def test_a_value_that_everybody_holds_leaves_no_diversity():
    classes = classes_of(visits({"p": ["HIV", "a"], "q": ["HIV", "b"]}))
    assert DistinctLDiversity(2).level(classes) == 1
    assert DistinctLDiversity(2).satisfied(classes).tolist() == [False]


def test_t_closeness_needs_one_value_per_person():
    several = classes_of(visits({"p": ["a", "b"], "q": ["a"]}))
    with pytest.raises(NotEvaluable, match="one value per person"):
        TCloseness(0.5, reference="released").level(several)
    one = classes_of(visits({"p": ["a", "a"], "q": ["b"]}))
    assert TCloseness(0.5, reference="released").level(one) == 0


def test_risk_and_class_statistics_count_persons():
    frame = pd.concat(
        [visits({"p": "a" * 8, "q": "b"}), visits(dict.fromkeys("rstu", "a"), q=2)]
    )
    classes = classes_of(frame)
    assert class_statistics(classes).smallest == 2
    assert class_statistics(classes).largest == 4
    assert class_statistics(classes).mean == 3
    assert AverageRisk().measure(classes) == pytest.approx(2 / 6)
    assert RecordsAtRisk(0.3).measure(classes) == pytest.approx(2 / 6)


def test_a_distribution_counts_persons_and_goes_with_them_as_reference():
    frame = visits({"p": ["a", "a", "b"], "q": ["b", None]})
    found = distribution(frame["s"], frame["who"])
    assert found == {"a": 1, "b": 2, None: 1}
    classes = classes_of(frame, references={"s": found}, reference_persons=2)
    model = BetaLikeness(1)
    assert model.level(classes) == 0


def test_a_search_does_not_rely_on_unions_where_persons_move():
    # Fine as they are, the two classes together show that both persons hold both.
    frame = pd.DataFrame(
        {"q": ["1", "1", "2", "2"], "who": [*"pqpq"], "s": [*"abba"], "w": [*"xxyy"]}
    )
    trees = {
        "q": Hierarchy.from_mapping({"1": "all", "2": "all"}),
        "w": Hierarchy.from_mapping({"x": "any", "y": "any"}),
    }
    found = FullDomainAnonymizer(
        ["q", "w"],
        k=2,
        models=[DistinctLDiversity(2)],
        sensitive=["s"],
        subject="who",
        hierarchies=trees,
    ).fit(frame)
    assert found.report_.loss == 0


@given(rows=ROWS)
def test_candidates_are_the_values_that_all_classes_of_a_person_have(rows):
    frame = frame_of(rows)
    column = classes_of(frame).sensitive["s"]
    expected = left_over(frame)
    left = column.candidates
    if not expected:
        assert left is None
        return
    sizes = sorted(len(values) for values, _ in expected.values())
    assert sorted(left.sizes.tolist()) == sizes
    order = list(dict.fromkeys(frame["q"]))
    counts = sorted((order.index(q), len(s)) for s, at in expected.values() for q in at)
    met = zip(left.owner.tolist(), left.sizes[left.person], strict=True)
    assert sorted(met) == counts


def test_candidates_are_counted_over_many_values():
    rng = np.random.default_rng(0)
    own = rng.integers(0, 300, 400)
    who = np.repeat(np.arange(400), 3)
    frame = pd.DataFrame({"q": rng.integers(0, 6, 1200), "who": who, "s": own[who]})
    left = classes_of(frame).sensitive["s"].candidates
    expected = sorted(len(values) for values, _ in left_over(frame).values())
    assert sorted(left.sizes.tolist()) == expected
    assert expected[0] < expected[-1]


def meetings():
    """Two classes of four persons and four values; p is in both, and only x is."""
    return pd.DataFrame(
        [
            *((1, who, value) for who, value in zip("pabc", "xyzw", strict=True)),
            *((2, who, value) for who, value in zip("pdef", "xtuv", strict=True)),
        ],
        columns=["q", "who", "s"],
    )


MODELS_OF_ONE = [
    DistinctLDiversity(2),
    EntropyLDiversity(2),
    RecursiveCLDiversity(c=4, l=2),
    AlphaKAnonymity(0.5, 2),
    AlphaKAnonymity(0.5, 2, value="x"),
    BetaLikeness(3, reference="released"),
    BeliefBound(0.9),
    BeliefBound(0.9, negative=0.0, reference="released"),
    TCloseness(0.6, reference="released"),
]


@pytest.mark.parametrize("model", MODELS_OF_ONE, ids=repr)
def test_one_value_that_all_classes_of_a_person_share_is_no_secret(model):
    frame = meetings()
    apart = classes_of(frame.assign(who=range(8)))
    if getattr(model, "negative", None) is None:
        assert model.satisfied(apart).all()
    assert not model.satisfied(classes_of(frame)).any()


def test_levels_tell_how_many_candidates_are_left():
    frame = pd.concat(
        [meetings(), pd.DataFrame([(2, "g", "y")], columns=["q", "who", "s"])]
    )
    classes = classes_of(frame)
    assert DistinctLDiversity(2).level(classes) == 2
    assert EntropyLDiversity(2).level(classes) == pytest.approx(2)
    assert RecursiveCLDiversity(c=4, l=2).level(classes) == 2
    assert AlphaKAnonymity(0.5, 2).level(classes) == pytest.approx(1 / 2)
    assert DistinctLDiversity(3).report(classes) == {
        "persons_in_several_classes": 1,
        "persons_exposed": 1,
    }
    assert DistinctLDiversity(2).report(classes) == {}


def test_certainty_is_as_far_from_the_table_as_a_class_of_this_value():
    frame = meetings()
    classes = classes_of(frame)
    whole = TCloseness(1, reference="released")
    # Of seven persons one holds x.
    assert whole.level(classes) == pytest.approx(6 / 7)
    beta = BetaLikeness(9, "basic", reference="released")
    assert beta.level(classes) == pytest.approx(6)


def test_a_value_of_each_visit_is_not_intersected():
    frame = meetings()
    frame.loc[frame["q"] == 2, "s"] = [*"tsuv"]
    assert classes_of(frame).sensitive["s"].candidates is None
    assert DistinctLDiversity(4).satisfied(classes_of(frame)).all()


def test_persons_in_one_class_have_no_candidates_to_count():
    frame = meetings().assign(who=range(8))
    assert classes_of(frame).sensitive["s"].candidates is None
    assert Classes.from_frame(frame, ["q"], ["s"]).sensitive["s"].candidates is None


def patients(n_persons=120, n_visits=4, seed=1):
    """Visits on any day in any ward; what a person has is the same at each."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(["HIV", "flu", "cold", "cancer", "asthma", "gout"], n_persons)
    who = np.repeat(np.arange(n_persons), n_visits)
    return pd.DataFrame(
        {
            "who": who,
            "day": rng.integers(1, 365, len(who)),
            "ward": rng.integers(1, 9, len(who)),
            "s": ill[who],
        }
    )


PROMISES = [
    [DistinctLDiversity(3), AlphaKAnonymity(0.5, 5)],
    [EntropyLDiversity(2)],
    [TCloseness(0.6)],
]


def fewest_of_published(published, who):
    """Fewest values that the published classes of a person have in common."""
    frame = published.assign(who=who, q=published.groupby(["day", "ward"]).ngroup())
    return min(len(values) for values, _ in left_over(frame).values())


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
@pytest.mark.parametrize("mode", ["strict", "relaxed"])
def test_mondrian_leaves_persons_in_several_boxes_enough_candidates(promise, mode):
    frame = patients()
    roles = {"quasi_identifiers": ["day", "ward"], "sensitive": ["s"], "subject": "who"}
    found = MondrianAnonymizer(
        k=5, models=promise, mode=mode, duplicates="ignore", **roles
    )
    published = found.fit_transform(frame)
    assert len(published.groupby(["day", "ward"])) > 1
    assert fewest_of_published(published, frame["who"]) >= getattr(promise[0], "l", 2)
    assert all(v.passed for v in found.check(published.assign(who=frame["who"])))


def test_datafly_full_domain_and_mdav_leave_enough_candidates():
    frame = patients(60)
    halves = {day: "early" if day < 180 else "late" for day in range(1, 365)}
    trees = {
        "day": Hierarchy.from_mapping({str(day): half for day, half in halves.items()}),
        "ward": Hierarchy.from_mapping(
            {str(w): "odd" if w % 2 else "even" for w in range(1, 9)}
        ),
    }
    for anonymizer in (
        DataflyAnonymizer(hierarchies=trees),
        FullDomainAnonymizer(hierarchies=trees),
        MDAVAnonymizer(),
    ):
        anonymizer.set_params(
            quasi_identifiers=["day", "ward"],
            k=5,
            sensitive=["s"],
            subject="who",
            models=[DistinctLDiversity(3)],
        )
        published = anonymizer.fit_transform(frame)
        sets = {
            who: set(zip(part["day"], part["ward"], strict=True))
            for who, part in published.groupby(frame["who"])
        }
        if max(map(len, sets.values())) > 1:
            assert fewest_of_published(published, frame["who"]) >= 3


class AsItIs(TableAnonymizer):
    """Publishes every value, whatever that does."""

    def _learn(self, table, models):
        self.learned_ = True

    def _recode(self, table):
        return [
            PublishedColumn(c.codes, c.texts(), np.full(len(c.values), 0.1))
            for c in table.quasi_identifiers
        ]


@pytest.mark.parametrize("suppression", ["mask", "drop", "blank"])
def test_what_exposes_persons_in_several_classes_is_infeasible_and_says_why(
    suppression,
):
    anonymizer = AsItIs(
        ["q"],
        k=2,
        models=[DistinctLDiversity(2)],
        sensitive=["s"],
        subject="who",
        suppression=suppression,
    )
    message = "1 of 1 persons in several classes .* one row per person"
    with pytest.raises(InfeasibleError, match=message):
        anonymizer.fit(meetings().astype({"q": str}))

"""Where the criterion passes, an intruder who tries everything finds nobody."""

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from anon_transformers.ledger import PublishedClasses, judge_composition
from tests.ledger.intruder import possible_values, told_apart


@st.composite
def histories(draw, kinds=("x", "y", "x", "y", "z")):
    """Persons with values and, for each release, an age or None and a way to cut."""
    n_persons = draw(st.integers(4, 8))
    values = draw(
        st.lists(st.sampled_from(kinds), min_size=n_persons, max_size=n_persons)
    )
    n_releases = draw(st.integers(2, 3))
    # Blocks of persons who mostly do the same, or hardly anything would ever pass.
    n_blocks = draw(st.integers(1, 4))
    blocks = draw(
        st.lists(st.integers(0, n_blocks - 1), min_size=n_persons, max_size=n_persons)
    )
    releases = []
    for _ in range(n_releases):
        age = st.sampled_from([10, None, 10, 20, 20, 30])
        ages = draw(st.lists(age, min_size=n_blocks, max_size=n_blocks))
        of_persons = [ages[block] for block in blocks]
        if draw(st.integers(0, 3)) == 0:
            of_persons[draw(st.integers(0, n_persons - 1))] = draw(age)
        cut = draw(st.sampled_from([15, 25, 25]))
        releases.append((of_persons, cut, draw(st.booleans()), draw(st.booleans())))
    return values, releases


def publish(values, releases):
    """Tables and register for the intruder, memberships for the criterion."""
    tables, register, memberships = [], [], []
    for ages, cut, suppress_high, shown in releases:
        cells = [
            None if age is None
            else (0, cut) if age <= cut
            else "*" if suppress_high
            else (cut + 1, 99)
            for age in ages
        ]  # fmt: skip
        there = [at for at, cell in enumerate(cells) if cell is not None]
        tables.append(
            [
                (cells[at], None if cells[at] == "*" and not shown else values[at])
                for at in reversed(there)
            ]
        )
        register.append({at: ages[at] for at in there})
        numbers = {(0, cut): 0, (cut + 1, 99): 1, "*": -1}
        memberships.append(
            PublishedClasses(
                np.array(there, dtype=np.int64),
                np.array([numbers[cells[at]] for at in there], dtype=np.int64),
                {"ill": [values[at] for at in there]},
                suppressed_shown=shown,
            )
        )
    return tables, register, memberships


@settings(max_examples=300, deadline=None)
@given(
    history=histories(),
    k=st.integers(1, 2),
    l=st.integers(2, 3),
    kind=st.sampled_from(["permanent", "changing"]),
)
def test_the_intruder_finds_nobody_where_the_criterion_passes(history, k, l, kind):  # noqa: E741
    tables, register, memberships = publish(*history)
    if not any(register):
        return
    sensitive = {"ill": kind}
    report = judge_composition(memberships, k=k, l=l, sensitive=sensitive)
    groups = told_apart(tables, register)
    assert report.k_reached == min(groups.values())
    assert report.groups == len(groups)
    possible = possible_values(tables, register)
    exposed = [name for name, found in possible.items() if len(found) < l]
    event(f"passed {report.passed}, intruder finds somebody {bool(exposed)}")
    if report.passed:
        assert not exposed
        assert min(groups.values()) >= k

"""An intruder who keeps every version of a series, and solves for what it tells.

It knows nothing of the library. It has the published rows of each month as (class,
value), and a register that says in which class each person of the table is. Of values
that stay it solves the equations of all tables for whole numbers: a person may have a
value if some solution gives it to somebody of their group. Of values that change it
subtracts the tables of any two months.
"""

from collections import Counter

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tests.ledger.changing_intruder import told_by_difference
from tests.release.recoding_intruder import covers, groups_of


def locate(rows, exact):
    """The class of each person; one whom several labels cover is in the narrower."""
    labels = {label for label, _ in rows}
    found = {}
    for person, value in exact.items():
        fitting = sorted(label for label in labels if covers(label, value))
        narrow = [label for label in fitting if label != "*"]
        assert len(narrow) <= 1
        found[person] = (narrow or fitting)[0]
    assert Counter(found.values()) == Counter(label for label, _ in rows)
    return found


def smallest_group(whereabouts):
    """Persons of the smallest group with the same classes in all months."""
    return min(map(len, groups_of(whereabouts).values()))


def possible_values(tables, whereabouts):
    """For each group of persons the values that one of them can have."""
    groups = groups_of(whereabouts)
    paths = list(groups)
    values = sorted({value for rows in tables for _, value in rows})
    equations, sums = [], []
    for at, path in enumerate(paths):
        line = np.zeros((len(paths), len(values)))
        line[at] = 1
        equations.append(line.ravel())
        sums.append(len(groups[path]))
    for month, rows in enumerate(tables):
        for (label, value), count in Counter(
            (label, value) for label in {c for c, _ in rows} for value in values
        ).items():
            line = np.zeros((len(paths), len(values)))
            for at, path in enumerate(paths):
                line[at, values.index(value)] = path[month] == label
            equations.append(line.ravel())
            sums.append(count * rows.count((label, value)))
    constraint = LinearConstraint(np.array(equations), sums, sums)
    found = {path: set() for path in paths}
    n_unknown = len(paths) * len(values)
    for at in range(n_unknown):
        path, value = paths[at // len(values)], values[at % len(values)]
        if value in found[path]:
            continue
        wanted = np.zeros(n_unknown)
        wanted[at] = -1
        solved = milp(
            wanted,
            constraints=constraint,
            integrality=np.ones(n_unknown),
            bounds=Bounds(0, np.inf),
        )
        assert solved.success
        solution = np.round(solved.x).reshape(len(paths), len(values))
        for each, counts in zip(paths, solution, strict=True):
            found[each] |= {values[v] for v in np.flatnonzero(counts)}
    return found


def true_differences(tables, whereabouts, truth):
    """Fewest values that any difference of two months tells, of those that are true."""
    fewest = np.inf
    for month, persons, rest in told_by_difference(tables, whereabouts):
        held = sorted(truth[month][person] for person in persons)
        if sorted(rest.elements()) == held:
            fewest = min(fewest, len(set(held)))
    return fewest

"""An intruder who keeps every version of a series, in plain Python.

It has the published rows of each month as texts, and a register of who is in each
table with exact quasi-identifiers. It reads labels by itself and knows nothing of the
library.
"""

from collections import Counter, defaultdict


def covers(label, value):
    """Whether a label of a cell covers an exact value."""
    if label in ("*", value):
        return True
    if label.startswith("{"):
        return value in [part.strip() for part in label.strip("{}").split(",")]
    if label.startswith(">= "):
        return float(value) >= float(label[3:])
    if label.startswith("< "):
        return float(value) < float(label[2:])
    if label[0] in "[(":
        low, high = (float(part) for part in label[1:-1].split(","))
        above = float(value) >= low if label[0] == "[" else float(value) > low
        below = float(value) <= high if label[-1] == "]" else float(value) < high
        return above and below
    return False


def find_everybody(table, register):
    """The class of each person of a table, by their exact values.

    Parameters
    ----------
    table : list of (labels, value)
        The published rows.
    register : dict of person to exact values
        Who is in it.
    """
    cells = sorted({labels for labels, _ in table})
    found = {}
    for person, values in register.items():
        fitting = [cell for cell in cells if all(map(covers, cell, values))]
        assert len(fitting) == 1, "cells are disjoint, and cover whom they hold"
        found[person] = fitting[0]
    sizes = Counter(found.values())
    assert sizes == Counter(labels for labels, _ in table)
    return found


def groups_of(whereabouts):
    """Persons with the same classes in all months; absent is a class."""
    everybody = {person for month in whereabouts for person in month}
    groups = defaultdict(set)
    for person in everybody:
        groups[tuple(month.get(person) for month in whereabouts)].add(person)
    return groups

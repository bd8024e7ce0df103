"""An intruder with many releases, who narrows what each set of persons can hold.

It knows nothing of the library. For each release it has the published rows as a
histogram per cell, how many of them are declared counterfeits, and who is in which
cell. Persons with the same cells share bounds: at least and at most so many of them
hold a value. Each histogram tightens the bounds, until nothing changes any more.
"""

from collections import Counter, defaultdict

import numpy as np


def narrowed(tables, counterfeits, whereabouts):
    """For each person how many values are left.

    Parameters
    ----------
    tables : list of dict of cell to Counter of values
    counterfeits : list of dict of cell to int
    whereabouts : list of dict of person to cell
    """
    paths = defaultdict(lambda: [None] * len(tables))
    for release, cells in enumerate(whereabouts):
        for person, cell in cells.items():
            paths[person][release] = cell
    paths = {person: tuple(path) for person, path in paths.items()}
    sizes = Counter(paths.values())
    groups = {path: at for at, path in enumerate(sizes)}
    in_class = defaultdict(list)
    for path, at in groups.items():
        for release, cell in enumerate(path):
            if cell is not None:
                in_class[release, cell].append(at)
    n_persons = list(sizes.values())
    for release, cells in enumerate(counterfeits):
        for cell, count in cells.items():
            if count:  # rows that can be anything
                in_class[release, cell].append(len(n_persons))
                n_persons.append(count)
    values = sorted(
        {v for table in tables for counts in table.values() for v in counts}
    )
    histograms = {
        (release, cell): np.array([counts[v] for v in values])
        for release, table in enumerate(tables)
        for cell, counts in table.items()
    }
    most = _tightened(np.array(n_persons), in_class, histograms, len(values))
    left = (most > 0).sum(axis=1)
    return {person: int(left[groups[path]]) for person, path in paths.items()}


def _tightened(sizes, in_class, histograms, n_values):
    least = np.zeros((len(sizes), n_values), dtype=int)
    most = np.repeat(sizes[:, None], n_values, axis=1)
    while True:
        before = least.sum(), most.sum()
        for place, members in in_class.items():
            low, high = least[members], most[members]
            total = histograms[place]
            most[members] = np.minimum(high, total - (low.sum(axis=0) - low))
            least[members] = np.maximum(low, total - (high.sum(axis=0) - high))
        rest_low = least.sum(axis=1, keepdims=True) - least
        rest_high = most.sum(axis=1, keepdims=True) - most
        most = np.minimum(most, sizes[:, None] - rest_low)
        least = np.maximum(least, sizes[:, None] - rest_high)
        if (least.sum(), most.sum()) == before:
            assert (least <= most).all()
            return most

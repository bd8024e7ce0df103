"""How many classes there are of each size."""

from itertools import count

import numpy as np

from anon_transformers.evidence import Classes


def size_histogram(classes: Classes) -> list[dict[str, int]]:
    """Count the kept classes by their size, in steps of 1, 2, 5, 10, 20 and so on.

    Parameters
    ----------
    classes : Classes
        Those of a published table; the suppressed rows are no class of it.

    Returns
    -------
    list of dict
        One entry per step, from the first that holds a class to the last: ``from`` and
        ``to``, the sizes it is about; ``classes``, how many have such a size; ``rows``,
        the rows (or persons, where these are known) in them.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20] * 3 + [30] * 12 + ["*"] * 9})
    >>> size_histogram(Classes.from_frame(table, ["age"]))
    [{'from': 2, 'to': 4, 'classes': 1, 'rows': 3}, \
{'from': 5, 'to': 9, 'classes': 0, 'rows': 0}, \
{'from': 10, 'to': 19, 'classes': 1, 'rows': 12}]
    """
    sizes = classes.kept().sizes
    if not len(sizes):
        return []
    starts = [0]
    for power in count():
        starts += [step * 10**power for step in (1, 2, 5)]
        if starts[-1] > sizes.max():
            break
    step = np.searchsorted(starts, sizes, side="right") - 1
    numbers = np.bincount(step, minlength=len(starts))
    rows = np.bincount(step, weights=sizes, minlength=len(starts))
    return [
        {
            "from": starts[at],
            "to": starts[at + 1] - 1,
            "classes": int(numbers[at]),
            "rows": int(rows[at]),
        }
        for at in range(int(step.min()), int(step.max()) + 1)
    ]

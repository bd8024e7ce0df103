"""Cells that cover rows: against sets, cell by cell."""

import numpy as np
import pytest

from anon_transformers._kernels.covering import are_covered, first_cells, mark_cells


def drawn(rng, n_cells, n_columns=2, n_labels=5, n_values=6):
    """Labels as sets of values, cells of labels, rows of values."""
    sets = [
        [set(np.flatnonzero(rng.random(n_values) < 0.5)) for _ in range(n_labels)]
        for _ in range(n_columns)
    ]
    cells = rng.integers(0, n_labels, (n_cells, n_columns))
    rows = rng.integers(0, n_values, (50, n_columns))
    return sets, cells, rows


def through_all_columns(sets, cells, rows, n_values=6):
    """The same as kernels number it."""
    column = np.arange(cells.shape[1])
    lines = [
        sorted(value + at * n_values for value in one)
        for at, labels in enumerate(sets)
        for one in labels
    ]
    indptr = np.cumsum([0, *map(len, lines)])
    values = np.array([value for line in lines for value in line], dtype=np.int64)
    n_labels = len(lines)
    marks = mark_cells(
        cells + column * len(sets[0]), indptr, values, n_labels, n_values * len(sets)
    )
    return marks, rows + column * n_values


@pytest.mark.parametrize("n_cells", [1, 3, 63, 64, 65, 200])
def test_the_same_as_looking_at_every_cell(n_cells):
    rng = np.random.default_rng(n_cells)
    sets, cells, rows = drawn(rng, n_cells)
    marks, numbered = through_all_columns(sets, cells, rows)
    asked = rng.integers(-1, n_cells, len(rows))

    def covers(cell, row):
        labels = zip(sets, cell, row, strict=True)
        return all(value in of[label] for of, label, value in labels)

    covering = [[c for c, cell in enumerate(cells) if covers(cell, r)] for r in rows]
    expected = [min(found, default=-1) for found in covering]
    assert first_cells(numbered, marks).tolist() == expected
    held = are_covered(numbered, asked, marks).tolist()
    assert held == [one in found for one, found in zip(asked, covering, strict=True)]
    assert n_cells < 3 or max(expected) > -1


def test_no_cell_covers_nothing():
    none = np.empty((0, 1), dtype=np.int64)
    nothing = np.zeros(2, dtype=np.int64)
    marks = mark_cells(none, nothing, nothing[:0], 1, 3)
    rows = np.array([[0], [2]])
    assert first_cells(rows, marks).tolist() == [-1, -1]
    assert not are_covered(rows, np.array([-1, -1]), marks).any()

"""Nearest points with all ties, against comparing everything with everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from anon_transformers._kernels.nearest import nearest_points


def compare_all(persons, person_codes, rows, row_codes):
    """The slow twin: every person with every row, in whole numbers."""
    found = []
    for person, codes in zip(persons.tolist(), person_codes.tolist(), strict=True):
        squares = [
            sum((a - b) ** 2 for a, b in zip(person, row, strict=True))
            + sum(a != b for a, b in zip(codes, other, strict=True))
            for row, other in zip(rows.tolist(), row_codes.tolist(), strict=True)
        ]
        found.append([at for at, s in enumerate(squares) if s == min(squares)])
    return found


@st.composite
def tables(draw):
    d, q = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    made = []
    for n in (draw(st.integers(1, 8)), draw(st.integers(1, 25))):
        whole = arrays.arrays(np.int64, (n, d), elements=st.integers(-3, 3))
        codes = arrays.arrays(np.int64, (n, q), elements=st.integers(0, 2))
        made += [draw(whole).astype(float), draw(codes)]
    return made


@given(tables())
def test_all_ties_are_found_and_nothing_else(made):
    start, found = nearest_points(*made)
    expected = compare_all(*made)
    assert [part.tolist() for part in np.split(found, start[1:-1])] == expected


@pytest.mark.parametrize("n_codes", [0, 2])
def test_random_numbers_have_one_nearest_row(n_codes):
    rng = np.random.default_rng(0)
    persons, rows = rng.normal(size=(50, 4)), rng.normal(size=(400, 4))
    codes = rng.integers(0, 3, (450, n_codes))
    start, found = nearest_points(persons, codes[:50], rows, codes[50:])
    squares = ((persons[:, None] - rows) ** 2).sum(axis=2)
    squares += (codes[:50, None] != codes[50:]).sum(axis=2)
    assert start.tolist() == list(range(51))
    assert (found == squares.argmin(axis=1)).all()

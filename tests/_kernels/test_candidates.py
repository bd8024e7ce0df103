"""What sets have in common, against Python's own sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels.candidates import count_common, to_blocks

VALUES = st.sampled_from([0, 1, 62, 63, 64, 65, 127, 128, 1000])
SETS = st.lists(st.sets(VALUES), min_size=1, max_size=6)


@given(sets=SETS, data=st.data())
def test_common_values_are_counted(sets, data):
    which = st.lists(st.integers(0, len(sets) - 1), min_size=1, max_size=5)
    asked = data.draw(st.lists(which, max_size=6))
    indptr = np.append(0, np.cumsum([len(one) for one in sets]))
    indices = np.array([v for one in sets for v in sorted(one)], dtype=np.int32)
    start = np.append(0, np.cumsum([len(members) for members in asked])).astype(int)
    members = np.array([m for one in asked for m in one], dtype=np.int64)
    found = count_common(start, members, *to_blocks(indptr, indices))
    expected = [len(set.intersection(*(sets[m] for m in one))) for one in asked]
    assert found.tolist() == expected

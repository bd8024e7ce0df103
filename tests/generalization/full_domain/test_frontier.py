"""Every k at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import ParameterError


class TestFrontier:
    @settings(deadline=None, max_examples=40)
    @given(data=st.data())
    def test_it_is_the_search_for_every_k(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        limit = data.draw(draws.limits)
        loss = data.draw(draws.losses)
        frame = slow.frame_of(drawn)
        curve = slow.anonymizer(suppression_limit=limit, loss=loss).frontier(frame)
        reachable = set()
        for low, high in curve.table[["k_from", "k_to"]].itertuples(index=False):
            reachable |= set(range(low, high + 1))
        for k in range(1, len(frame) + 1):
            found = slow.search(frame, k, [], limit, loss)
            assert bool(found) == (k in reachable)
            if found:
                assert curve.at(k)["loss"] == pytest.approx(found[0][0], abs=1e-8)
                assert curve.at(k)["suppressed_rows"] == found[0][1]

    def test_k_outside_the_curve_is_refused(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u")] * 3)
        with pytest.raises(ParameterError, match="from 1 to 3"):
            slow.anonymizer().frontier(frame).at(4)

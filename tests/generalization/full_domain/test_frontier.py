"""Every k at once."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.exceptions import InfeasibleError, ParameterError


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
        with pytest.raises(ParameterError, match="up to 3"):
            slow.anonymizer().frontier(frame).at(4)
        with pytest.raises(ParameterError, match="k must be a whole number"):
            slow.anonymizer().frontier(frame).at(2.5)

    @pytest.mark.parametrize("max_k", [0, -1, "a"])
    def test_a_largest_k_that_is_none_is_refused(self, slow, max_k):
        frame = slow.frame_of([("0", "a", "f", "u")] * 3)
        with pytest.raises(ParameterError, match="k must be a whole number"):
            slow.anonymizer().frontier(frame, max_k=max_k)

    @settings(deadline=None, max_examples=20)
    @given(data=st.data())
    def test_persons_are_counted(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        who = st.lists(st.integers(0, 3), min_size=len(drawn), max_size=len(drawn))
        frame = slow.frame_of(drawn).assign(who=data.draw(who))
        how = {
            "suppression_limit": data.draw(draws.limits),
            "loss": data.draw(draws.losses),
            "suppression": "drop",
            "subject": "who",
        }
        curve = slow.anonymizer(**how).frontier(frame)
        for k in range(1, 6):
            try:
                found = slow.anonymizer(k=k, **how).fit(frame)
            except InfeasibleError:
                with pytest.raises(ParameterError, match="says nothing"):
                    curve.at(k)
            else:
                assert curve.at(k)["loss"] == pytest.approx(found.loss_, abs=1e-8)

    def test_a_column_may_be_called_like_a_measure(self):
        frame = pd.DataFrame({"loss": [21, 22, 38, 39], "k_to": [1, 1, 1, 1]})
        curve = FullDomainAnonymizer().frontier(frame)
        assert curve.at(1)["loss"] == 0
        assert set(curve.at(2)["levels"]) == {"loss", "k_to"}

"""Other searches, and what each of them promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.privacy import TCloseness


class TestOtherSearches:
    @settings(deadline=None, max_examples=80)
    @given(data=st.data())
    def test_minimal_nodes_are_those_of_the_definition(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        k = data.draw(st.integers(1, 5))
        limit = data.draw(draws.limits)
        frame = slow.frame_of(drawn)
        mask = data.draw(st.booleans())
        ranked = slow.search(frame, k, [], limit, "domain-share", mask=mask)
        minimal = slow.lowest({found[3] for found in ranked})
        lowest = min((found[2] for found in ranked), default=0)
        for search in ("incognito", "samarati"):
            made = slow.anonymizer(
                k=k,
                suppression_limit=limit,
                search=search,
                find_minimal=True,
                suppression="mask" if mask else "drop",
            )
            if not ranked:
                with pytest.raises(InfeasibleError):
                    made.fit(frame)
                continue
            made.fit(frame)
            assert {tuple(n.values()) for n in made.minimal_nodes_} == minimal
            best = [found for found in ranked if found[2] == lowest]
            if search == "incognito":
                best = [found for found in ranked if found[3] in minimal]
            assert made.loss_ == pytest.approx(best[0][0], abs=1e-8)
            assert made.n_suppressed_ == best[0][1]

    @pytest.mark.parametrize("search", ["samarati", "incognito"])
    def test_they_refuse_models_that_their_pruning_would_miss(self, slow, search):
        frame = slow.frame_of([("0", "a", "f", "u"), ("1", "a", "f", "v")])
        made = slow.anonymizer(
            k=2, models=[TCloseness(0.1)], suppression_limit=0.5, search=search
        )
        with pytest.raises(ParameterError, match="search='optimal'"):
            made.fit(frame)

    @settings(deadline=None, max_examples=40)
    @given(data=st.data())
    def test_the_heuristic_tells_what_it_proved(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        k = data.draw(st.integers(1, 4))
        limit = data.draw(draws.limits)
        loss = data.draw(draws.losses)
        frame = slow.frame_of(drawn)
        found = slow.search(frame, k, [], limit, loss)
        made = slow.anonymizer(
            k=k, suppression_limit=limit, loss=loss, search="heuristic", time_limit=5
        )
        if not found:
            with pytest.raises(InfeasibleError):
                made.fit(frame)
            return
        made.fit(frame)
        # A lattice this small is gone through in time: the best node is found.
        assert made.loss_ == pytest.approx(found[0][0], abs=1e-8)
        assert made.bound_ <= made.loss_ + 1e-12
        assert made.proved_ == 1.0

    def test_a_heuristic_with_little_time_says_so_or_keeps_the_promise(self, slow):
        rng = np.random.default_rng(3)
        frame = slow.frame_of(
            [
                (
                    rng.choice([*"01234567"]),
                    rng.choice([*"abc"]),
                    rng.choice([*"fm"]),
                    "u",
                )
                for _ in range(200)
            ]
        )
        made = slow.anonymizer(
            k=5, search="heuristic", time_limit=1e-6, suppression_limit=0.1
        )
        try:
            out = made.fit_transform(frame)
        except InfeasibleError as error:
            assert "was found in time_limit=1e-06" in str(error)
            out = made.set_params(time_limit=1.0).fit_transform(frame)
        assert out.groupby(slow.names).size().min() >= 5
        assert 0 <= made.bound_ <= made.loss_
        assert 0 <= made.proved_ <= 1

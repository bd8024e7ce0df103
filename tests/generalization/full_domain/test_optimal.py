"""The node of least loss, against a slow search."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import Hierarchy
from anon_transformers.exceptions import InfeasibleError

# k = 1 with models of sensitive values is drawn too.
pytestmark = pytest.mark.filterwarnings(
    "ignore::anon_transformers.exceptions.WithoutKWarning"
)


class TestOptimal:
    @settings(deadline=None, max_examples=100)
    @given(data=st.data())
    def test_no_node_is_better(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        k = data.draw(st.integers(1, 5))
        models = data.draw(draws.models)
        limit = data.draw(draws.limits)
        loss = data.draw(draws.losses)
        frame = slow.frame_of(drawn)
        found = slow.search(frame, k, models, limit, loss)
        made = slow.anonymizer(k=k, models=models, suppression_limit=limit, loss=loss)
        if not found:
            with pytest.raises(InfeasibleError):
                made.fit(frame)
            return
        made.fit(frame)
        cost, gone, height, _node = found[0]
        levels = tuple(made.levels_.values())
        assert made.loss_ == pytest.approx(cost, abs=1e-8)
        assert made.n_suppressed_ == gone
        if len(found) == 1 or found[1][:3] != found[0][:3]:
            assert sum(levels) == height
        assert (made.loss_, made.bound_, made.proved_) == (made.loss_, made.loss_, 1.0)
        assert levels in {n for c, *_, n in found if abs(c - cost) < 1e-8}

    @settings(deadline=None, max_examples=80)
    @given(data=st.data())
    def test_nor_with_strangers_weights_or_masks(self, slow, draws, data):
        frame = slow.frame_of(data.draw(draws.rows))
        strange = data.draw(st.lists(st.booleans(), min_size=24, max_size=24))
        frame["zip"] = frame["zip"].mask(strange[: len(frame)], "unheard-of")
        k, limit = data.draw(st.integers(1, 5)), data.draw(draws.limits)
        loss = data.draw(st.sampled_from(["domain-share", "precision"]))
        weights = data.draw(st.tuples(*[st.sampled_from([0, 1, 3])] * 3).filter(any))
        mask = data.draw(st.booleans())
        options = {"weights": weights, "mask": mask}
        found = slow.search(frame, k, [], limit, loss, **options)
        made = slow.anonymizer(
            k=k,
            suppression_limit=limit,
            loss=loss,
            weights=dict(zip(slow.names, weights, strict=True)),
            suppression="mask" if mask else "drop",
            hierarchies={
                name: Hierarchy(tree.rows, unknown="suppress")
                for name, tree in slow.trees.items()
            },
        )
        if not found:
            with pytest.raises(InfeasibleError):
                made.fit(frame)
            return
        made.fit(frame)
        assert made.loss_ == pytest.approx(found[0][0], abs=1e-8)
        assert made.n_suppressed_ == found[0][1]

    @settings(deadline=None, max_examples=60)
    @given(data=st.data())
    def test_what_is_published_keeps_the_promise(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        k = data.draw(st.integers(1, 5))
        models = data.draw(draws.models)
        limit = data.draw(draws.limits)
        frame = slow.frame_of(drawn)
        for suppression in ("mask", "drop"):
            made = slow.anonymizer(
                k=k, models=models, suppression_limit=limit, suppression=suppression
            )
            try:
                out = made.fit_transform(frame)
            except InfeasibleError:
                continue
            assert all(verdict["passed"] for verdict in made.report_.models)
            assert made.n_suppressed_ / len(frame) <= limit
            sizes = out.groupby(slow.names, dropna=False).size()
            assert sizes.min() >= k
            pd.testing.assert_frame_equal(out, made.transform(frame))

    def test_ties_go_to_fewer_suppressed_rows_then_lower_levels(self, slow):
        frame = slow.frame_of([("0", "a", "f", "u"), ("1", "a", "f", "u")])
        made = slow.anonymizer(k=2).fit(frame)
        assert tuple(made.levels_.values()) == (1, 0, 0)

    @settings(deadline=None, max_examples=40)
    @given(data=st.data())
    def test_the_order_of_rows_does_not_matter(self, slow, draws, data):
        drawn = data.draw(draws.rows)
        order = data.draw(st.permutations(range(24)))
        limit = data.draw(draws.limits)
        frame = slow.frame_of(drawn)
        shuffled = frame.iloc[[i for i in order if i < len(frame)]]
        try:
            one = slow.anonymizer(k=2, suppression_limit=limit).fit(frame)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                slow.anonymizer(k=2, suppression_limit=limit).fit(shuffled)
            return
        other = slow.anonymizer(k=2, suppression_limit=limit).fit(shuffled)
        assert one.levels_ == other.levels_
        assert one.loss_ == pytest.approx(other.loss_, abs=1e-12)

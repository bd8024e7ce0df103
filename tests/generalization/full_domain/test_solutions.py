"""Every node of the lattice at once."""

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.generalization import _full_domain
from anon_transformers.hierarchies import Intervals, Masking
from anon_transformers.privacy import DistinctLDiversity


class TestSolutions:
    @settings(deadline=None, max_examples=15)
    @given(data=st.data())
    def test_each_node_is_what_its_levels_make(self, slow, draws, data):
        frame = slow.frame_of(data.draw(draws.rows))
        how = {
            "k": data.draw(st.integers(1, 3)),
            "suppression_limit": data.draw(draws.limits),
            "loss": data.draw(draws.losses),
        }
        assume(len(frame) >= how["k"])  # fewer are refused before there is a node
        found = slow.anonymizer(**how).solutions(frame)
        heights = found.levels.sum(axis=1)
        assert found.table["height"].tolist() == heights.tolist()
        assert heights.is_monotonic_increasing
        for levels, row in zip(
            found.levels.to_dict("records"), found.table.to_dict("records"), strict=True
        ):
            try:
                one = slow.anonymizer(**how, levels=levels).fit(frame)
            except InfeasibleError:
                assert not row["fits"]
                assert pd.isna(row["loss"])
                assert pd.isna(row["suppressed_rows"])
                continue
            assert row["fits"]
            assert row["loss"] == pytest.approx(one.loss_, abs=1e-9)
            assert row["suppressed_rows"] == one.n_suppressed_
        try:
            best = slow.anonymizer(**how).fit(frame)
        except InfeasibleError:
            assert found.best is None
        else:
            assert found.levels.iloc[found.best].to_dict() == best.levels_

    def test_models_decide_and_the_estimator_is_not_fitted(self):
        people = pd.DataFrame(
            {"age": [21, 22, 35, 36], "zip": ["11", "12", "21", "22"], "ill": [*"aabc"]}
        )
        anonymizer = FullDomainAnonymizer(
            ["age", "zip"],
            k=2,
            models=[DistinctLDiversity(l=2)],
            sensitive=["ill"],
            hierarchies={"age": Intervals(widths=[10]), "zip": Masking()},
        )
        told = []
        found = anonymizer.solutions(people, progress=lambda *said: told.append(said))
        assert found.highest == {"age": 2, "zip": 2}
        assert told[0] == (0.0, "")
        assert not hasattr(anonymizer, "levels_")
        fitting = found.levels[found.table["fits"]].to_dict("records")
        # Both twenties have the same illness: a decade tells it.
        assert fitting == []
        anonymizer.set_params(models=None)
        found = anonymizer.solutions(people)
        assert {"age": 1, "zip": 1} in found.levels[found.table["fits"]].to_dict(
            "records"
        )

    def test_too_many_nodes_are_refused(self, slow, monkeypatch):
        monkeypatch.setattr(_full_domain, "FEW_NODES", 3)
        frame = slow.frame_of([("0", "a", "f", "u")] * 3)
        with pytest.raises(ParameterError, match="up to 3 nodes"):
            slow.anonymizer(k=1).solutions(frame)

"""The searches against a slow one that looks at every node."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer, Hierarchy
from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)

ZIP = Hierarchy(
    [
        (f"{i}", f"{i // 2 * 2}x", "low" if i < 4 else "high", "*")  # eight codes
        for i in range(8)
    ]
)
JOB = Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
SEX = Hierarchy([("f", "*"), ("m", "*")])
TREES = {"zip": ZIP, "job": JOB, "sex": SEX}
NAMES = list(TREES)
rows = st.lists(
    st.tuples(
        st.sampled_from([*"01234567", None]),
        st.sampled_from("abc"),
        st.sampled_from("fm"),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=24,
)


def frame_of(drawn):
    return pd.DataFrame(drawn, columns=[*NAMES, "ill"], dtype=object)


def labels_at(frame, node):
    """Each column at its level, cell by cell; a missing one is None below the root."""
    out = {}
    for name, level in zip(NAMES, node, strict=True):
        tree = TREES[name]
        up = {row[0]: row[level] for row in tree.rows}
        root = level == tree.n_levels - 1
        out[name] = [
            up[v] if v is not None else ("*" if root else None) for v in frame[name]
        ]
    return out


def share_of(name, label, level):
    tree = TREES[name]
    if label is None:
        return 0.0
    below = sum(row[level] == label for row in tree.rows)
    return (below - 1) / (len(tree.rows) - 1)


def passes(model, values, everything):
    """One class by one model, by the definitions."""
    counts = sorted((values.count(v) for v in set(values)), reverse=True)
    if isinstance(model, DistinctLDiversity):
        return len(counts) >= model.l
    shares = [c / len(values) for c in counts]
    if isinstance(model, EntropyLDiversity):
        return -sum(p * math.log(p) for p in shares) >= math.log(model.l) - 1e-9
    if isinstance(model, RecursiveCLDiversity):
        return counts[0] < model.c * sum(counts[model.l - 1 :])
    assert isinstance(model, TCloseness)
    apart = sum(
        abs(values.count(v) / len(values) - everything.count(v) / len(everything))
        for v in set(everything)
    )
    return apart / 2 <= model.t + 1e-9


def slow_node(frame, node, k, models, loss):
    """Loss, suppressed rows and kept rows of one node."""
    labels = labels_at(frame, node)
    classes = {}
    for row, key in enumerate(zip(*labels.values(), strict=True)):
        classes.setdefault(key, []).append(row)
    ill = frame["ill"].tolist()
    kept = {
        key: members
        for key, members in classes.items()
        if len(members) >= k
        and all(passes(m, [ill[r] for r in members], ill) for m in models)
    }
    n = len(frame)
    gone = n - sum(map(len, kept.values()))
    if loss == "discernibility":
        total = sum(len(m) ** 2 for m in kept.values()) + gone * n
        return total / n**2, gone, kept
    if loss == "average-class-size":
        return 1 / max(len(kept) + (gone > 0), 1), gone, kept
    means = []
    for a, name in enumerate(NAMES):
        cost = float(gone)
        for key, members in kept.items():
            cost += sum(_cost(frame, name, key[a], node[a], r, loss) for r in members)
        if loss == "entropy":
            most = sum(_bits(frame, name, None, None, r) for r in range(n))
            hidden = sum(
                _bits(frame, name, None, None, r)
                if not any(r in m for m in kept.values())
                else _bits(frame, name, labels[name], labels[name][r], r)
                for r in range(n)
            )
            means.append(hidden / most if most else gone / n)
            continue
        means.append(cost / n)
    if loss == "domain-share":
        return math.prod(1 + m for m in means) ** (1 / len(means)) - 1, gone, kept
    return sum(means) / len(means), gone, kept


def _cost(frame, name, label, level, row, loss):
    if loss == "precision":
        return level / (TREES[name].n_levels - 1)
    return share_of(name, label, level) if loss == "domain-share" else 0.0


def _bits(frame, name, column, label, row):
    """Bits that the label of a row hides; without one, all of them."""
    cells = frame[name].tolist()
    mine = cells.count(cells[row])
    others = len(cells) if column is None else column.count(label)
    return math.log2(others / mine)


def slow_search(frame, k, models, limit, loss):
    """Rank and node of the best one, by looking at all."""
    found = []
    for node in itertools.product(*(range(t.n_levels) for t in TREES.values())):
        cost, gone, kept = slow_node(frame, node, k, models, loss)
        if kept and gone / len(frame) <= limit:
            found.append((round(cost, 9), gone, sum(node), node))
    return sorted(found)


def anonymizer(**options):
    defaults = {"hierarchies": TREES, "sensitive": ["ill"], "suppression": "drop"}
    return FullDomainAnonymizer(NAMES, **{**defaults, **options})


model_lists = st.sampled_from(
    [
        [],
        [DistinctLDiversity(2)],
        [EntropyLDiversity(1.5)],
        [RecursiveCLDiversity(c=2.0, l=2)],
        [TCloseness(0.4)],
    ]
)
losses = st.sampled_from(
    ["domain-share", "precision", "entropy", "discernibility", "average-class-size"]
)
limits = st.sampled_from([0.0, 0.2, 0.5, 1.0])


class TestOptimal:
    @settings(deadline=None, max_examples=100)
    @given(rows, st.integers(1, 5), model_lists, limits, losses)
    def test_no_node_is_better(self, drawn, k, models, limit, loss):
        frame = frame_of(drawn)
        found = slow_search(frame, k, models, limit, loss)
        made = anonymizer(k=k, models=models, suppression_limit=limit, loss=loss)
        if not found:
            with pytest.raises(InfeasibleError):
                made.fit(frame)
            return
        made.fit(frame)
        cost, gone, height, node = found[0]
        levels = tuple(made.levels_.values())
        assert made.loss_ == pytest.approx(cost, abs=1e-8)
        assert made.n_suppressed_ == gone
        if len(found) == 1 or found[1][:3] != found[0][:3]:
            assert sum(levels) == height
        assert (made.loss_, made.bound_, made.proved_) == (made.loss_, made.loss_, 1.0)
        assert levels in {n for c, *_, n in found if abs(c - cost) < 1e-8}

    @settings(deadline=None, max_examples=60)
    @given(rows, st.integers(1, 5), model_lists, limits)
    def test_what_is_published_keeps_the_promise(self, drawn, k, models, limit):
        frame = frame_of(drawn)
        for suppression in ("mask", "drop"):
            made = anonymizer(
                k=k, models=models, suppression_limit=limit, suppression=suppression
            )
            try:
                out = made.fit_transform(frame)
            except InfeasibleError:
                continue
            assert all(verdict["passed"] for verdict in made.report_.models)
            assert made.n_suppressed_ / len(frame) <= limit
            sizes = out.groupby(NAMES, dropna=False).size()
            assert sizes.min() >= k
            pd.testing.assert_frame_equal(out, made.transform(frame))

    def test_ties_go_to_fewer_suppressed_rows_then_lower_levels(self):
        frame = frame_of([("0", "a", "f", "u"), ("1", "a", "f", "u")])
        made = anonymizer(k=2).fit(frame)
        assert tuple(made.levels_.values()) == (1, 0, 0)

    @settings(deadline=None, max_examples=40)
    @given(rows, st.permutations(range(24)), limits)
    def test_the_order_of_rows_does_not_matter(self, drawn, order, limit):
        frame = frame_of(drawn)
        shuffled = frame.iloc[[i for i in order if i < len(frame)]]
        try:
            one = anonymizer(k=2, suppression_limit=limit).fit(frame)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                anonymizer(k=2, suppression_limit=limit).fit(shuffled)
            return
        other = anonymizer(k=2, suppression_limit=limit).fit(shuffled)
        assert one.levels_ == other.levels_
        assert one.loss_ == pytest.approx(other.loss_, abs=1e-12)


class TestOtherSearches:
    @settings(deadline=None, max_examples=80)
    @given(rows, st.integers(1, 5), limits)
    def test_minimal_nodes_are_those_of_the_definition(self, drawn, k, limit):
        frame = frame_of(drawn)
        fits = {found[3] for found in slow_search(frame, k, [], limit, "precision")}
        minimal = {
            node
            for node in fits
            if not any(
                other != node and all(o <= n for o, n in zip(other, node, strict=True))
                for other in fits
            )
        }
        for search in ("incognito", "samarati"):
            made = anonymizer(
                k=k, suppression_limit=limit, search=search, find_minimal=True
            )
            if not fits:
                with pytest.raises(InfeasibleError):
                    made.fit(frame)
                continue
            made.fit(frame)
            assert {tuple(n.values()) for n in made.minimal_nodes_} == minimal
            levels = tuple(made.levels_.values())
            assert levels in minimal
            if search == "samarati":
                assert sum(levels) == min(map(sum, minimal))
            ranked = {n: c for c, _, _, n in slow_search(frame, k, [], limit, "precision")}
            assert ranked[levels] <= 1

    @pytest.mark.parametrize("search", ["samarati", "incognito"])
    def test_they_refuse_models_that_their_pruning_would_miss(self, search):
        frame = frame_of([("0", "a", "f", "u"), ("1", "a", "f", "v")])
        made = anonymizer(
            k=1, models=[TCloseness(0.1)], suppression_limit=0.5, search=search
        )
        with pytest.raises(ParameterError, match="search='optimal'"):
            made.fit(frame)

    @settings(deadline=None, max_examples=40)
    @given(rows, st.integers(1, 4), limits, losses)
    def test_the_heuristic_tells_what_it_proved(self, drawn, k, limit, loss):
        frame = frame_of(drawn)
        found = slow_search(frame, k, [], limit, loss)
        made = anonymizer(
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

    def test_a_heuristic_without_time_still_keeps_the_promise(self):
        rng = np.random.default_rng(3)
        frame = frame_of(
            [
                (rng.choice([*"01234567"]), rng.choice([*"abc"]), rng.choice([*"fm"]), "u")
                for _ in range(200)
            ]
        )
        made = anonymizer(
            k=5, search="heuristic", time_limit=1e-6, suppression_limit=0.1
        )
        out = made.fit_transform(frame)
        assert out.groupby(NAMES).size().min() >= 5
        assert 0 <= made.bound_ <= made.loss_
        assert 0 <= made.proved_ <= 1


class TestFrontier:
    @settings(deadline=None, max_examples=40)
    @given(rows, limits, losses)
    def test_it_is_the_search_for_every_k(self, drawn, limit, loss):
        frame = frame_of(drawn)
        curve = anonymizer(suppression_limit=limit, loss=loss).frontier(frame)
        reachable = set()
        for low, high in curve.table[["k_from", "k_to"]].itertuples(index=False):
            reachable |= set(range(low, high + 1))
        for k in range(1, len(frame) + 1):
            found = slow_search(frame, k, [], limit, loss)
            assert bool(found) == (k in reachable)
            if found:
                assert curve.at(k)["loss"] == pytest.approx(found[0][0], abs=1e-8)
                assert curve.at(k)["suppressed_rows"] == found[0][1]

    def test_k_outside_the_curve_is_refused(self):
        frame = frame_of([("0", "a", "f", "u")] * 3)
        with pytest.raises(ParameterError, match="from 1 to 3"):
            anonymizer().frontier(frame).at(4)


class TestGivenLevels:
    def test_they_are_applied(self):
        frame = frame_of([("0", "a", "f", "u"), ("1", "b", "f", "u")])
        made = anonymizer(k=2, levels={"zip": 2, "job": 1})
        out = made.fit_transform(frame)
        assert out["zip"].tolist() == ["low", "low"]
        assert out["job"].tolist() == ["ab", "ab"]
        assert out["sex"].tolist() == ["f", "f"]

    def test_levels_that_do_not_do_are_refused(self):
        frame = frame_of([("0", "a", "f", "u"), ("7", "b", "f", "u")])
        with pytest.raises(InfeasibleError, match="these levels do not keep"):
            anonymizer(k=2, levels={"zip": 1}).fit(frame)
        with pytest.raises(ParameterError, match="levels, zip: 9 is no level"):
            anonymizer(k=2, levels={"zip": 9}).fit(frame)
        with pytest.raises(ParameterError, match="levels: .*'zap'"):
            anonymizer(k=2, levels={"zap": 1}).fit(frame)


class TestLocalRecoding:
    @settings(deadline=None, max_examples=60)
    @given(rows, st.integers(1, 4), model_lists, limits)
    def test_it_never_loses_more_and_keeps_the_promise(self, drawn, k, models, limit):
        frame = frame_of(drawn)
        plain = anonymizer(k=k, models=models, suppression_limit=limit)
        local = anonymizer(
            k=k, models=models, suppression_limit=limit, local_recoding=True
        )
        try:
            plain.fit(frame)
        except InfeasibleError:
            return
        out = local.fit_transform(frame)
        assert local.n_suppressed_ / len(frame) <= limit
        assert all(verdict["passed"] for verdict in local.report_.models)
        if limit == 1.0:
            assert local.report_.loss <= plain.report_.loss + 1e-12
        pd.testing.assert_frame_equal(out, local.transform(frame))

    def test_a_row_that_stands_out_is_generalized_alone(self):
        drawn = [("0", "a", "f", "u")] * 40 + [(zip_, "a", "f", "u") for zip_ in "46"]
        made = anonymizer(k=2, suppression_limit=0.0, local_recoding=True)
        out = made.fit_transform(frame_of(drawn))
        assert out["zip"].tolist() == ["0"] * 40 + ["high"] * 2
        assert made.report_.details["passes"] == 2


class TestParameters:
    def test_weights_move_the_optimum(self):
        drawn = [("0", "a", "f", "u"), ("0", "b", "m", "u")] * 3
        frame = frame_of(drawn)
        heavy_sex = anonymizer(k=4, weights={"sex": 100, "job": 0.1}).fit(frame)
        assert heavy_sex.levels_["sex"] == 1
        drawn = [("0", "a", "f", "u"), ("0", "b", "f", "u"), ("1", "a", "f", "u")] * 2
        drawn += [("1", "b", "f", "u")] * 2
        keep_zip = anonymizer(k=4, weights={"zip": 100}).fit(frame_of(drawn))
        keep_job = anonymizer(k=4, weights={"job": 100}).fit(frame_of(drawn))
        assert keep_zip.levels_ == {"zip": 0, "job": 1, "sex": 0}
        assert keep_job.levels_ == {"zip": 1, "job": 0, "sex": 0}

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"loss": "precison"}, "'precision'"),
            ({"search": "best"}, "'optimal'"),
            ({"weights": {"zap": 1}}, "weights: .*'zap'"),
            ({"weights": {"zip": -1}}, "weights, zip: -1 is below 0"),
            ({"weights": dict.fromkeys(NAMES, 0)}, "at least one column must count"),
            ({"time_limit": 0}, "time_limit must be above 0"),
            (
                {"models": [TCloseness(0.2, reference="released")]},
                "use reference='input'",
            ),
        ],
    )
    def test_mistakes_are_told(self, options, told):
        frame = frame_of([("0", "a", "f", "u")] * 4)
        with pytest.raises(ParameterError, match=told):
            anonymizer(k=2, **options).fit(frame)

    def test_an_infeasible_request_tells_the_best_level(self):
        frame = frame_of([("0", "a", "f", "u"), ("1", "b", "m", "v")] * 4)
        with pytest.raises(InfeasibleError, match="reaches 2 at best"):
            anonymizer(k=2, models=[DistinctLDiversity(3)]).fit(frame)

    def test_a_column_without_a_hierarchy_gets_a_suggested_one(self):
        frame = pd.DataFrame({"age": [21, 22, 38, 39], "zip": list("0123")})
        made = FullDomainAnonymizer(k=2, hierarchies={"zip": ZIP}).fit(frame)
        assert set(made.hierarchies_) == {"age", "zip"}
        out = made.transform(frame)
        assert out.groupby(["age", "zip"]).size().min() >= 2

    def test_too_many_nodes_are_left_to_the_heuristic(self):
        frame = pd.DataFrame({f"c{i}": ["1", "2"] for i in range(30)})
        with pytest.raises(ParameterError, match="search='heuristic'"):
            FullDomainAnonymizer(k=2).fit(frame)
        out = FullDomainAnonymizer(k=2, search="heuristic", time_limit=0.2)
        assert out.fit_transform(frame).drop_duplicates().shape[0] == 1

    def test_a_progress_bar_goes_to_standard_error(self, capsys):
        frame = frame_of([("0", "a", "f", "u"), ("1", "b", "m", "v")] * 4)
        anonymizer(k=2, verbose=True).fit(frame)
        assert capsys.readouterr().out == ""

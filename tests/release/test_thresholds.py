"""Trigger-time numbers may only ask for more than the file does."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")

from anon_transformers.exceptions import ConfigurationError, GateError
from anon_transformers.release import Threshold, load, run_release, tighten

WAYS = ("higher", "lower")


def stated(**params):
    return (Threshold.read(dict(model="k-anonymity", **params)),)


# ---------------------------------------------------------------- worked


@pytest.mark.parametrize(
    ("threshold", "key", "asked", "held"),
    [
        ({"model": "k-anonymity", "k": 5}, "k_anonymity_k", 6, True),
        ({"model": "k-anonymity", "k": 5}, "k_anonymity_k", 5, True),
        ({"model": "k-anonymity", "k": 5}, "k_anonymity_k", 4, False),
        ({"model": "l-diversity", "l": 2}, "l_diversity_l", 1.9, False),
        ({"model": "t-closeness", "t": 0.2}, "t_closeness_t", 0.1, True),
        ({"model": "t-closeness", "t": 0.2}, "t_closeness_t", 0.2000001, False),
        ({"model": "q-anonymity", "q": 5}, "q_anonymity_q", 4.999, False),
        ({"metric": "loss", "max": 0.5}, "loss_max", 0.4, True),
        ({"metric": "loss", "max": 0.5}, "loss_max", 0.6, False),
        ({"metric": "precision", "min": 0.5}, "precision_min", 0.6, True),
        ({"metric": "precision", "min": 0.5}, "precision_min", 0.4, False),
        ({"metric": "loss", "max": 0.5, "id": "my-id"}, "my_id_max", 0.4, True),
    ],
)
def test_only_more_may_be_asked(threshold, key, asked, held):
    asked_of = (Threshold.read(threshold),)
    if held:
        (tightened,) = tighten(asked_of, {key: asked})
        assert asked in tightened.params.values()
        assert tightened.id == asked_of[0].id
    else:
        with pytest.raises(ConfigurationError, match="may only tighten"):
            tighten(asked_of, {key: asked})


@pytest.mark.parametrize("asked", [np.int64(6), np.float32(6), Fraction(6)])
def test_numbers_of_other_types_are_written_as_plain_ones(asked):
    (tightened,) = tighten(stated(k=5), {"k_anonymity_k": asked})
    assert json.dumps(tightened.params) in {'{"k": 6}', '{"k": 6.0}'}


def test_nothing_given_changes_nothing():
    thresholds = (
        Threshold.read({"model": "k-anonymity", "k": 5}),
        Threshold.read({"metric": "loss", "max": 0.5, "min": 0.1}),
        Threshold.read({"model": "t-closeness", "t": 0.2, "sensitive": "job"}),
    )
    assert tighten(thresholds, None) == thresholds
    assert tighten(thresholds, {}) == thresholds
    assert tighten(thresholds, {}, {t.id: {} for t in thresholds}) == thresholds


def test_the_other_thresholds_stay_as_they_are():
    thresholds = (
        Threshold.read({"model": "k-anonymity", "k": 5, "id": "a"}),
        Threshold.read({"model": "k-anonymity", "k": 5, "id": "b"}),
    )
    first, second = tighten(thresholds, {"b_k": 9})
    assert (first.params, second.params) == ({"k": 5}, {"k": 9})


def test_an_equal_number_of_another_type_is_no_change():
    (held,) = tighten(stated(k=5), {"k_anonymity_k": 5.0})
    assert isinstance(held.params["k"], int)


# ---------------------------------------------------------------- properties

numbers = st.one_of(
    st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False)
)
anything = st.one_of(
    numbers,
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.just(10**400),
)


@given(
    parameters=st.dictionaries(
        st.sampled_from(["alpha", "beta", "gamma"]),
        st.tuples(numbers, st.sampled_from([*WAYS, None, "Higher", ""]), anything),
        min_size=1,
    )
)
def test_no_accepted_set_of_numbers_is_looser(parameters):
    """``parameters``: by name what is stated, which way is more, what is asked."""
    thresholds = stated(**{name: value for name, (value, *_) in parameters.items()})
    ways = {name: way for name, (_, way, _) in parameters.items() if way is not None}
    asked = {f"k_anonymity_{n}": value for n, (*_, value) in parameters.items()}
    try:
        (held,) = tighten(thresholds, asked, {"k-anonymity": ways})
    except ConfigurationError:
        return
    for name, (was, way, _) in parameters.items():
        now = held.params[name]
        assert not isinstance(now, bool)
        if now != was:
            assert way in WAYS
            assert now > was if way == "higher" else now < was


@given(k=st.integers(1, 50), more=st.integers(0, 50))
def test_every_tightening_is_accepted(k, more):
    (held,) = tighten(stated(k=k), {"k_anonymity_k": k + more})
    assert held.params == {"k": k + more}


@given(asked=st.one_of(anything, numbers))
def test_twice_tightened_is_as_tight_as_the_tighter(asked):
    first = tighten(stated(k=10), {"k_anonymity_k": 20})
    try:
        (held,) = tighten(first, {"k_anonymity_k": asked})
    except ConfigurationError:
        return
    assert held.params["k"] >= 20


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "asked",
    [math.nan, math.inf, -math.inf, True, False, "9", None, [9], {"k": 9}, 9j],
    ids=repr,
)
def test_what_is_no_number_is_refused(asked):
    with pytest.raises(ConfigurationError, match="must be a finite number"):
        tighten(stated(k=5), {"k_anonymity_k": asked})


@pytest.mark.parametrize(
    "key", ["k", "k_anonymty_k", "k-anonymity_k", "k_anonymity_l", "", "sensitive"]
)
def test_an_unknown_key_is_refused_with_the_nearest(key):
    with pytest.raises(ConfigurationError, match="unknown threshold") as caught:
        tighten(stated(k=5), {key: 9})
    assert "'k_anonymity_k'" in str(caught.value)


def test_a_text_of_a_threshold_cannot_be_changed():
    asked = (Threshold.read({"model": "t-closeness", "t": 0.2, "sensitive": "job"}),)
    with pytest.raises(ConfigurationError, match="unknown threshold"):
        tighten(asked, {"t_closeness_sensitive": "note"})


def test_a_bound_that_the_file_does_not_have_cannot_be_added():
    asked = (Threshold.read({"metric": "loss", "max": 0.5}),)
    with pytest.raises(ConfigurationError, match="unknown threshold"):
        tighten(asked, {"loss_min": 0.1})


def test_what_a_model_declares_goes_before_the_common_words():
    asked = (Threshold.read({"model": "odd", "k": 5, "id": "odd"}),)
    (held,) = tighten(asked, {"odd_k": 4}, {"odd": {"k": "lower"}})
    assert held.params == {"k": 4}
    with pytest.raises(ConfigurationError, match="would loosen"):
        tighten(asked, {"odd_k": 6}, {"odd": {"k": "lower"}})


@pytest.mark.parametrize("ways", [{}, {"odd": {}}, {"odd": {"k": "up"}}])
def test_what_a_model_does_not_declare_cannot_be_changed(ways):
    asked = (Threshold.read({"model": "odd", "k": 5, "id": "odd"}),)
    for value in (4, 6):
        with pytest.raises(ConfigurationError, match="cannot be changed"):
            tighten(asked, {"odd_k": value}, ways)


# ---------------------------------------------------------------- in a release


def loaded(release, **parameters):
    from anon_transformers.release._run import Run

    return {
        t.id: t.params for t in Run(load(release.file, None, parameters)).thresholds
    }


@pytest.fixture
def with_plugin_model(release, registered, distinct_values):
    """A release that also asks for a plugin's model, whose ``l`` goes up."""
    pytest.importorskip("great_expectations")
    registered("privacy_models", "distinct-values", distinct_values)
    asked = {"model": "distinct-values", "l": 2}
    release.write(thresholds=[*release.content["thresholds"], asked])
    return release


def test_a_run_keeps_the_numbers_in_force(with_plugin_model):
    held = loaded(with_plugin_model, distinct_values_l=3, loss_max=0.8)
    assert held["distinct-values"] == {"l": 3}
    assert held["loss"] == {"max": 0.8}
    assert held["k-anonymity"] == {"k": 3}


@pytest.mark.parametrize(
    "parameters",
    [
        {"distinct_values_l": 1},
        {"k_anonymity_k": 2},
        {"average_risk_max": 0.5},
        {"loss_max": 0.91},
        {"k_anonymity_k": 10, "loss_max": 1.0},
        {"k_anonymity_k": 3.5},
        {"distinct_values_l": math.nan},
    ],
)
def test_a_run_that_would_be_looser_does_not_start(with_plugin_model, parameters):
    with pytest.raises(ConfigurationError):
        load(with_plugin_model.file, None, parameters)
    assert with_plugin_model.nothing_written()


def test_a_plugin_may_say_that_less_is_more(release, registered, distinct_values):
    pytest.importorskip("great_expectations")
    backwards = type(
        "Backwards",
        (distinct_values,),
        {"name": "backwards", "tighter": {"l": "lower"}, "__module__": __name__},
    )
    registered("privacy_models", "backwards", backwards)
    k_3 = {"model": "k-anonymity", "k": 3}
    release.write(thresholds=[k_3, {"model": "backwards", "l": 2}])
    with pytest.raises(ConfigurationError, match="would loosen"):
        load(release.file, None, {"backwards_l": 3})
    asked = {"k-anonymity": {"k": 3}, "backwards": {"l": 1}}
    assert loaded(release, backwards_l=1) == asked


@pytest.mark.gx
def test_a_refusal_says_what_was_asked_and_reached_one_line_each(release):
    release.write(
        anonymizer=release.mondrian(k=2),
        thresholds=[
            {"model": "k-anonymity", "k": 9},
            {"metric": "average-risk", "max": 0.01},
        ],
    )
    with pytest.raises(GateError) as caught:
        run_release(release.file)
    name, of_k, of_risk, place = str(caught.value).splitlines()
    assert name == "people: refused for 2 reasons:"
    assert of_k.startswith("- k-anonymity: the level is ")
    assert of_k.endswith(" classes fail (asked for k=9)")
    assert of_risk.startswith("- average-risk: it is 0.")
    assert of_risk.endswith("above the max of 0.01")
    assert place.startswith("The candidate lies in ")

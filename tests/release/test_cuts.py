"""A release shows nobody's extreme unless it says so."""

import warnings

import pytest

from anon_transformers.exceptions import ConfigurationError, ExtremesWarning
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._build import extremes_of, make_anonymizer
from anon_transformers.release._config import read_config


def anonymizer_of(release, **params):
    release.write(anonymizer=params)
    config = read_config(release.file)
    return make_anonymizer(config, config.thresholds)


def report_of(release):
    return (release.target / "current" / "validation.html").read_text()


def test_mondrian_publishes_cuts_on_multiples_of_the_step(release):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExtremesWarning)
        run_release(release.file)
    table = read_published(release.target)
    ends = table["age"].str.extractall(r"(\d+)")[0].astype(int)
    assert len(ends)
    assert not (ends % 5).any()
    # Open at both ends, and categories as declared.
    assert table["age"].str.startswith("< ").any()
    assert table["age"].str.startswith(">= ").any()
    declared = {"007", "008", "110"}
    for label in set(table["zip"]):
        assert set(label.strip("{}").split(", ")) <= declared
    assert "What an extreme tells" not in report_of(release)


def test_the_library_itself_draws_tight_boxes_by_default(release):
    made = anonymizer_of(release, **release.mondrian())
    assert (made.boxes, type(made)().boxes) == ("cuts", "tight")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"step": {}}, "step: column 'age' has none, and no hierarchy"),
        ({"step": {}}, "step: {age: 5} for cuts at multiples of 5"),
        ({"step": {}}, "step: {age: month}"),
        ({"domain": {}}, "domain: {zip: [a, b, c]} with every category in its order"),
        ({"domain": None}, "column 'zip' has none"),
        ({"step": None}, "step: null lets cuts lie halfway"),
        ({"step": {"age": -5}}, "step, age: must be a number above 0"),
    ],
)
def test_what_would_show_a_persons_value_is_refused_before_the_run(
    release, changes, told
):
    release.write(anonymizer=release.mondrian(**changes))
    said = release.refusal()
    assert said.startswith("anonymizer mondrian: ")
    assert told in said


def test_a_hierarchy_is_as_good_as_a_step(release):
    release.write(
        anonymizer={"name": "mondrian"},
        hierarchies={
            "age": {"kind": "intervals", "widths": [10, 50]},
            "zip": {"kind": "masking", "length": 3},
        },
    )
    assert load(release.file)


def test_a_domain_alone_is_no_step_for_numbers(release):
    domain = {**release.mondrian()["domain"], "age": [0, 120]}
    release.write(anonymizer={"name": "mondrian", "domain": domain})
    with pytest.raises(ValueError, match="step: column 'age' has none"):
        run_release(release.file)


def test_values_outside_the_domain_are_counted_and_not_told(release):
    release.write(anonymizer=release.mondrian(domain={"zip": ["007", "008"]}))
    with pytest.raises(ValueError, match=r"'zip' holds values outside .* in \d+ rows"):
        run_release(release.file)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"name": "mondrian", "boxes": "tight"}, "lowest and the highest value"),
        ({"name": "mondrian", "mode": "relaxed", "duplicates": "ignore"},
         "lowest and the highest value"),
        ({"name": "mdav"}, "mean, the median or the most frequent"),
    ],
)  # fmt: skip
def test_a_method_without_cuts_warns_and_the_report_says_why(release, params, told):
    release.write(anonymizer={**params}, thresholds=[{"model": "k-anonymity", "k": 3}])
    location = load(release.file)
    with pytest.warns(ExtremesWarning, match=f"anonymizer {params['name']}: .*{told}"):
        anonymize(location)
    publish(validate(location))
    assert "What an extreme tells" in report_of(release)
    assert told in report_of(release)


@pytest.mark.parametrize(
    "params",
    [
        {"name": "group-swap"},
        {"name": "k-means"},
        {"name": "global-recode"},
        {"name": "mondrian", "output": "center", "step": {"age": 5, "zip": 1}},
    ],
)
def test_every_other_method_that_shows_values_says_so(release, params):
    roles = {**release.content["roles"], "quasi_identifiers": ["age"]}
    roles["insensitive"] = ["note", "zip"]
    threshold = (
        "probabilistic-k-anonymity" if "swap" in params["name"] else "k-anonymity"
    )
    release.write(roles=roles, thresholds=[{"model": threshold, "k": 3}])
    assert anonymizer_of(release, **params).extremes


@pytest.mark.parametrize("name", ["datafly", "full-domain", "fuzzy-c-means"])
def test_names_of_a_hierarchy_or_a_set_show_no_extreme(release, name):
    trees = {
        "age": {"kind": "intervals", "widths": [10, 50]},
        "zip": {"kind": "masking", "length": 3},
    }
    release.write(hierarchies=trees)
    assert not anonymizer_of(release, name=name).extremes


QUANTILES = {
    "age": {"kind": "intervals", "quantiles": [8, 4, 2]},
    "zip": {"kind": "masking", "length": 3},
}
TOLD = "hierarchies, age: Its ranges begin or end at values that persons have"


@pytest.mark.parametrize("name", ["datafly", "full-domain"])
def test_ranges_by_quantiles_show_values_of_persons(release, name):
    release.write(hierarchies=QUANTILES)
    made = anonymizer_of(release, name=name)
    assert not made.extremes
    assert extremes_of(made).startswith(TOLD)
    release.write(hierarchies={**QUANTILES, "age": {"kind": "masking", "length": 3}})
    assert not extremes_of(anonymizer_of(release, name=name))


def test_the_sentences_of_a_method_and_of_its_hierarchies_are_joined(release):
    release.write(hierarchies=QUANTILES)
    made = anonymizer_of(release, name="mondrian", boxes="tight")
    assert extremes_of(made).startswith(f"{made.extremes} {TOLD}")


def test_a_hierarchy_that_is_not_published_tells_nothing(release):
    roles = {**release.content["roles"], "quasi_identifiers": ["zip"]}
    roles["sensitive"] = ["job", "age"]
    release.write(roles=roles, hierarchies=QUANTILES)
    assert not extremes_of(anonymizer_of(release, name="datafly"))
    release.write(thresholds=[{"model": "probabilistic-k-anonymity", "k": 3}])
    swapper = anonymizer_of(release, name="group-swap")
    assert extremes_of(swapper) == swapper.extremes


def test_a_release_by_quantiles_warns_and_the_report_says_why(release):
    release.write(
        hierarchies=QUANTILES,
        anonymizer={"name": "datafly"},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    location = load(release.file)
    with pytest.warns(ExtremesWarning, match=f"anonymizer datafly: {TOLD}"):
        anonymize(location)
    publish(validate(location))
    assert "What an extreme tells" in report_of(release)
    assert TOLD in report_of(release)


@pytest.mark.parametrize("params", [{}, {"step": {"age": 5}}])
def test_ranges_by_quantiles_end_no_box(release, params):
    release.write(anonymizer={"name": "mondrian", **params}, hierarchies=QUANTILES)
    told = release.refusal()
    assert told.startswith("anonymizer mondrian: hierarchies, age: ")
    assert "widths or cuts" in told


def test_a_plugin_may_refuse_parameters_in_a_release(release, registered):
    from anon_transformers.exceptions import ParameterError
    from anon_transformers.partitioning import MondrianAnonymizer

    class Careful(MondrianAnonymizer):
        def _check_release(self):
            raise ParameterError("k: not like this")

    registered("anonymizers", "careful", Careful)
    with pytest.raises(ConfigurationError, match="careful: k: not like this"):
        anonymizer_of(release, **release.mondrian(name="careful"))

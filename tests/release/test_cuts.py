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
from anon_transformers.release._anonymizer import extremes_of, make_anonymizer
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
    table = read_published(release.target, labels="text")
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
    ("changes", "message"),
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
    release, changes, message
):
    release.write(anonymizer=release.mondrian(**changes))
    said = release.refusal()
    assert said.startswith("anonymizer mondrian: ")
    assert message in said


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
    ("params", "message"),
    [
        ({"name": "mondrian", "boxes": "tight"}, "lowest and the highest value"),
        ({"name": "mondrian", "mode": "relaxed", "duplicates": "ignore"},
         "lowest and the highest value"),
        ({"name": "mdav"}, "mean, the median or the most frequent"),
    ],
)  # fmt: skip
def test_a_method_without_cuts_warns_and_the_report_says_why(release, params, message):
    release.write(anonymizer={**params}, thresholds=[{"model": "k-anonymity", "k": 3}])
    location = load(release.file)
    with pytest.warns(
        ExtremesWarning, match=f"anonymizer {params['name']}: .*{message}"
    ):
        anonymize(location)
    publish(validate(location))
    assert "What an extreme tells" in report_of(release)
    assert message in report_of(release)


@pytest.mark.parametrize(
    "params",
    [
        {"name": "group-swap"},
        {"name": "k-means"},
        {"name": "global-recode"},
        {"name": "mondrian", "output": "center", "step": {"age": 5}},
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
    method = {"name": name, "suppression_limit": 0}
    made = anonymizer_of(release, **method)
    assert not made.extremes
    assert extremes_of(made).startswith(TOLD)
    release.write(hierarchies={**QUANTILES, "age": {"kind": "masking", "length": 3}})
    assert not extremes_of(anonymizer_of(release, **method))


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
        anonymizer={"name": "datafly", "suppression_limit": 0},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    location = load(release.file)
    with pytest.warns(ExtremesWarning, match=f"anonymizer datafly: {TOLD}"):
        anonymize(location)
    publish(validate(location))
    assert "What an extreme tells" in report_of(release)
    assert TOLD in report_of(release)


def test_ranges_by_quantiles_end_no_box(release):
    release.write(anonymizer={"name": "mondrian"}, hierarchies=QUANTILES)
    message = release.refusal()
    assert message.startswith("anonymizer mondrian: hierarchies, age: ")
    assert "widths or cuts" in message


# ------------------------------------------------- limits and suppressed rows


NUMBERS = ["age", "height"]
NAMED = {"n_sets": 3, "labels": ["low", "middle", "high"]}
SUPPRESSING = {"suppression": "drop", "suppression_limit": 0.2}


@pytest.fixture
def outlier(release):
    """A table in which one person stands apart, by a given age and height."""

    def write(age, height):
        around = [(30 + i % 30, 150 + i % 30, "abcd"[i % 4]) for i in range(300)]
        rows = [*around, (age, height, "a")]
        release.write_rows([[*NUMBERS, "ill"], *([str(c) for c in r] for r in rows)])
        return release

    roles = {"quasi_identifiers": NUMBERS, "sensitive": ["ill"]}
    release.write(roles=roles, thresholds=[{"model": "k-anonymity", "k": 5}])
    return write


@pytest.mark.parametrize(
    "params",
    [
        {"name": "global-recode"},
        {"name": "global-recode", "method": "equidistant"},
        {"name": "global-recode", "method": "log"},
        {"name": "k-means"},
        {"name": "k-means", "suppression": "mask"},
        {"name": "global-recode", "suppression_limit": 1},
    ],
    ids=str,
)
def test_limits_of_sets_may_be_those_of_suppressed_rows(outlier, params):
    release = outlier(17, 187)
    release.write(anonymizer={"n_sets": 3, **SUPPRESSING, **params})
    message = release.refusal()
    assert message.startswith(f"anonymizer {params['name']}: labels: ")
    assert "suppressed rows" in message
    assert "suppression_limit: 0" in message


@pytest.mark.parametrize("name", ["global-recode", "k-means"])
def test_names_for_some_columns_leave_the_limits_of_the_others(outlier, name):
    release = outlier(17, 187)
    some = {"n_sets": 3, "labels": {"age": NAMED["labels"]}}
    release.write(anonymizer={"name": name, **SUPPRESSING, **some})
    assert "labels: name the sets of every column" in release.refusal()
    assert anonymizer_of(release, name=name, **some).extremes
    every = {"n_sets": 3, "labels": dict.fromkeys(NUMBERS, NAMED["labels"])}
    made = anonymizer_of(release, name=name, **SUPPRESSING, **every)
    assert not made.extremes


@pytest.mark.parametrize(
    "params",
    [
        {"name": "global-recode", **NAMED},
        {"name": "k-means", **NAMED},
        {"name": "fuzzy-c-means", "n_sets": 3},
    ],
    ids=str,
)
def test_names_of_sets_tell_nothing_of_a_dropped_person(outlier, params):
    labels = []
    for age, height in ((17, 187), (19, 188)):
        outlier(age, height).write(anonymizer={**SUPPRESSING, **params})
        release = outlier(age, height)
        run_release(release.file)
        table = read_published(release.target, labels="text")
        assert len(table) == 300
        labels.append({name: set(table[name]) for name in NUMBERS})
    assert labels[0] == labels[1]


def test_sets_of_all_columns_together_have_names(outlier):
    release = outlier(17, 187)
    release.write(anonymizer={"name": "k-means", "coding": "joint", **SUPPRESSING})
    assert load(release.file)


MADE_OF_VALUES = {
    "quantiles": {"kind": "intervals", "quantiles": [4]},
    "longest": {"kind": "masking"},
    "guessed": {"kind": "by-data-type"},
    "shortest": {"kind": "by-data-type", "type": "string"},
    "decimals": {"kind": "by-data-type", "type": "double"},
}


@pytest.mark.parametrize(
    "params",
    [
        {"name": "full-domain"},
        {"name": "full-domain", "levels": {"age": 1, "height": 1}},
        {"name": "datafly"},
        {"name": "datafly", "suppression_limit": None},
        {"name": "mondrian", "boxes": "tight"},
    ],
    ids=str,
)
@pytest.mark.parametrize("tree", MADE_OF_VALUES.values(), ids=MADE_OF_VALUES)
def test_labels_made_of_all_values_may_be_those_of_suppressed_rows(
    outlier, params, tree
):
    release = outlier(17, 187)
    stated = {"kind": "intervals", "widths": [10, 50]}
    release.write(
        anonymizer={**SUPPRESSING, **params},
        hierarchies={"age": stated, "height": tree},
    )
    message = release.refusal()
    assert message.startswith(f"anonymizer {params['name']}: hierarchies, height: Its ")
    assert "suppressed rows" in message
    assert "suppression_limit: 0" in message
    release.write(anonymizer={**params, "suppression_limit": 0})
    assert load(release.file)


@pytest.mark.parametrize("name", ["full-domain", "datafly"])
def test_a_hierarchy_that_the_values_suggest_is_made_of_all_values(outlier, name):
    release = outlier(17, 187)
    stated = {"kind": "intervals", "widths": [10, 50]}
    release.write(anonymizer={"name": name, **SUPPRESSING}, hierarchies={"age": stated})
    message = release.refusal()
    assert message.startswith(f"anonymizer {name}: hierarchies, height: Its ")
    release.write(hierarchies={"age": stated, "height": stated})
    assert load(release.file)


@pytest.mark.parametrize("type_", ["int", "date", "char"])
def test_a_type_whose_labels_are_the_same_for_every_column_is_not_refused(
    outlier, type_
):
    release = outlier(17, 187)
    release.write(
        anonymizer={"name": "datafly", **SUPPRESSING},
        hierarchies={name: {"kind": "by-data-type", "type": type_} for name in NUMBERS},
    )
    assert load(release.file)
    release.write(
        anonymizer={
            "name": "datafly",
            "types": dict.fromkeys(NUMBERS, type_),
            **SUPPRESSING,
        },
        hierarchies=None,
    )
    assert load(release.file)


def test_a_hierarchy_that_sets_do_not_use_is_not_refused(outlier):
    release = outlier(17, 187)
    release.write(
        anonymizer={"name": "k-means", **SUPPRESSING, **NAMED},
        hierarchies={"age": MADE_OF_VALUES["quantiles"]},
    )
    assert load(release.file)


def test_a_plugin_may_refuse_parameters_in_a_release(release, registered):
    from anon_transformers.exceptions import ParameterError
    from anon_transformers.partitioning import MondrianAnonymizer

    class Careful(MondrianAnonymizer):
        def _check_release(self):
            raise ParameterError("k: not like this")

    registered("anonymizers", "careful", Careful)
    with pytest.raises(ConfigurationError, match="careful: k: not like this"):
        anonymizer_of(release, **release.mondrian(name="careful"))

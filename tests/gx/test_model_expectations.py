"""One expectation for every built-in model: what it asks, and what fails."""

import json
from dataclasses import MISSING, fields
from string import Template
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from great_expectations.compatibility.pydantic import ValidationError
from great_expectations.expectations.registry import (
    list_registered_expectation_implementations,
)

from anon_transformers import gx as ours
from anon_transformers.gx import PrivateEvidence, Threshold, expectations, run_gate
from anon_transformers.gx._expectation import PrivacyExpectation
from anon_transformers.gx._run import OUR_EXPECTATIONS
from anon_transformers.gx._sentences import (
    GENERAL,
    OWN_EXPECTATIONS,
    WITHOUT_EXPECTATION,
)
from anon_transformers.registry import registry

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

PEOPLE = pd.DataFrame(
    {
        "age": [20, 20, 30, 30, 30, 40, 40],
        "job": ["a", "b", "a", "a", "c", "b", "c"],
    }
)
SETS = pd.DataFrame(
    {"age": ["Low"] * 3 + ["High"] * 3, "job": ["a", "b", "a", "b", "b", "c"]}
)
POPULATION = PrivateEvidence(population=pd.concat([PEOPLE, PEOPLE])[["age"]])
INPUT = PrivateEvidence(references={"job": {"a": 3, "b": 2, "c": 2}})
DEGREES = PrivateEvidence(
    degrees=np.array(
        [[1.0, 0.0], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6], [0.1, 0.9], [0.0, 1.0]]
    )
)


def swapped():
    """Sixty groups of five neighbors, whose jobs went round inside each."""
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"age": range(300), "job": rng.normal(size=300)})
    groups = np.arange(300) // 5
    order = np.lexsort((rng.random(300), groups))
    published = original.assign(job=original["job"].to_numpy()[order])
    return published, PrivateEvidence(original=original, groups={"job": groups})


SWAPPED, LINKS = swapped()


class Case(NamedTuple):
    """What holds of a table, what does not, and the evidence it takes to say so."""

    expectation: Any
    holds: dict[str, Any]
    fails: dict[str, Any]
    evidence: PrivateEvidence | None = None
    table: pd.DataFrame = PEOPLE


# Shares of the jobs: (1/2, 1/2, 0), (2/3, 0, 1/3), (0, 1/2, 1/2); of all 3, 2, 2 of 7.
CASES = {
    "k-anonymity": Case(ours.ExpectTableToBeKAnonymous, {"k": 2}, {"k": 3}),
    "k-map": Case(ours.ExpectTableToBeKMapped, {"k": 4}, {"k": 5}, POPULATION),
    "delta-presence": Case(
        ours.ExpectTableToBeDeltaPresent,
        {"low": 0.25, "high": 0.5},
        {"low": 0.25, "high": 0.49},
        POPULATION,
    ),
    "alpha-k-anonymity": Case(
        ours.ExpectTableToBeAlphaKAnonymous,
        {"alpha": 0.67, "k": 2, "value": "a"},
        {"alpha": 0.66, "k": 2, "value": "a"},
    ),
    "distinct-l-diversity": Case(
        ours.ExpectTableToBeDistinctLDiverse, {"l": 2}, {"l": 3}
    ),
    "entropy-l-diversity": Case(
        # The entropy of (2/3, 1/3) is log 1.8899.
        ours.ExpectTableToBeEntropyLDiverse, {"l": 1.88}, {"l": 1.89}
    ),
    "recursive-cl-diversity": Case(
        ours.ExpectTableToBeRecursivelyDiverse, {"c": 2.1, "l": 2}, {"c": 2, "l": 2}
    ),
    "t-closeness": Case(
        ours.ExpectTableToBeTClose, {"t": 0.43}, {"t": 0.42}, INPUT
    ),
    "beta-likeness": Case(
        ours.ExpectTableToBeBetaLike, {"beta": 0.75}, {"beta": 0.74}, INPUT
    ),
    "belief-bound": Case(
        ours.ExpectTableToBeBeliefBounded,
        {"positive": 0.67, "missing_marks": ["?"]},
        {"positive": 0.67, "negative": 0.1},
        INPUT,
    ),
    "q-anonymity": Case(
        ours.ExpectTableToBeQAnonymous, {"q": 3}, {"q": 4}, DEGREES, SETS
    ),
    "fuzzy-l-diversity": Case(
        ours.ExpectTableToBeFuzzyLDiverse, {"l": 2}, {"l": 3}, DEGREES, SETS
    ),
    "fuzzy-t-closeness": Case(
        ours.ExpectTableToBeFuzzyTClose, {"t": 0.5}, {"t": 0.3}, DEGREES, SETS
    ),
    "probabilistic-k-anonymity": Case(
        ours.ExpectTableToBeProbabilisticallyKAnonymous,
        {"k": 5, "max_value_disclosure": 0.21},
        {"k": 6, "max_value_disclosure": 0.21},
        LINKS,
        SWAPPED,
    ),
}  # fmt: skip
every_model = pytest.mark.parametrize("name", CASES)


def columns(name):
    known = {"quasi_identifiers": ["age"]}
    return (
        {**known, "sensitive": ["job"]} if OWN_EXPECTATIONS[name].sensitive else known
    )


def make(name, **arguments):
    return CASES[name].expectation(**{**columns(name), **arguments})


@pytest.fixture
def ask(validate):
    """Evaluate an expectation with the evidence that it takes."""

    def run(name, asked, table=None, **parameters):
        case = CASES[name]
        with ours.private_evidence(case.evidence):
            table = case.table if table is None else table
            return validate(table, asked, **parameters)

    return run


@every_model
def test_it_passes_a_table_that_holds_it_and_fails_one_that_breaks_it(ask, name):
    for arguments, passed in ((CASES[name].holds, True), (CASES[name].fails, False)):
        result = ask(name, make(name, **arguments))
        assert result.success is passed, result
        assert result.result["details"]["judged"]["name"] == name
        assert (result.result["details"]["failing"] == 0) is passed


@every_model
def test_an_empty_table_fails(ask, name):
    result = ask(name, make(name, **CASES[name].holds), CASES[name].table.iloc[:0])
    assert result.success is False


@every_model
def test_a_table_without_the_column_fails(ask, name):
    table = CASES[name].table.drop(columns="age")
    assert ask(name, make(name, **CASES[name].holds), table).success is False


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].evidence is not None])
def test_without_its_evidence_it_fails(validate, name):
    result = validate(CASES[name].table, make(name, **CASES[name].fails))
    assert result.success is False
    reason = result.result["details"]["reason"]
    assert reason
    assert "could not be evaluated" not in reason
    assert result.exception_info["raised_exception"] is False


@every_model
def test_a_suite_keeps_it_as_json(name):
    suite = gx.ExpectationSuite("s", [make(name, **CASES[name].holds)])
    text = json.dumps(suite.to_json_dict())
    (stored,) = json.loads(text)["expectations"]
    assert stored["type"] == OWN_EXPECTATIONS[name].type
    assert stored["kwargs"] == {**columns(name), **CASES[name].holds}
    again = gx.ExpectationSuite(**json.loads(text))
    assert again.expectations == suite.expectations


@every_model
def test_every_argument_may_come_at_run_time(ask, name):
    for arguments, passed in ((CASES[name].holds, True), (CASES[name].fails, False)):
        given = {**columns(name), **arguments}
        asked = make(name, **{key: {"$PARAMETER": f"the_{key}"} for key in given})
        suite = gx.ExpectationSuite("s", [asked])
        named = {f"the_{key}": value for key, value in given.items()}
        (result,) = ask(name, suite, **named).results
        assert result.success is passed, result


@every_model
def test_data_docs_name_parameters_and_the_sensitive_column(name):
    asked = make(name, **CASES[name].holds)
    told = str(asked.sentence(asked.configuration.kwargs))
    assert told.endswith(".") and name not in told
    for value in CASES[name].holds.values():
        assert (value[0] if isinstance(value, list) else str(value)) in told
    if "$sensitive" in OWN_EXPECTATIONS[name].template:
        assert " job" in told
    (block,) = asked._prescriptive_renderer(configuration=asked.configuration)
    shown = block.to_json_dict()["string_template"]
    assert Template(shown["template"]).substitute(shown["params"]) == told
    asked.render()
    shown = asked.rendered_content[0].to_json_dict()["value"]
    parts = {key: part["value"] for key, part in shown["params"].items()}
    assert Template(shown["template"]).substitute(parts) == told


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        (
            "t-closeness",
            {"t": 0.2, "column": "pay"},
            "must spread pay as the whole table does",
        ),
        ("t-closeness", {"t": 0.2, "distance": "ordered"}, "(distance = ordered)."),
        ("k-anonymity", {"k": 2, "subject": "who"}, "by at least 2 persons."),
        ("k-anonymity", {"k": 2, "subject": {"$PARAMETER": "s"}}, "rows or persons."),
        ("k-anonymity", {"k": {"$PARAMETER": "least"}}, "by at least least rows."),
        ("belief-bound", {}, "within bounds."),
    ],
)
def test_what_else_a_sentence_says(name, given, told):
    asked = make(name, **given)
    assert told in str(asked.sentence(asked.configuration.kwargs))


@every_model
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kk": 1}, "unknown argument 'kk'"),
        (
            {"mostly": 0.9},
            "mostly has no meaning here: a privacy model holds",
        ),
        ({"ignore_row_if": "x"}, "ignore_row_if has no meaning here"),
        ({"column_list": ["x"]}, "column_list has no meaning here"),
    ],
)
def test_other_arguments_are_refused(name, wrong, message):
    with pytest.raises(ValidationError, match=message):
        make(name, **CASES[name].holds, **wrong)


@every_model
def test_thresholds_have_no_default(name):
    least = {f.name for f in fields(registry().privacy_models[name])
             if f.default is MISSING}  # fmt: skip
    for key in least:
        left = {k: v for k, v in CASES[name].holds.items() if k != key}
        with pytest.raises(ValidationError, match=f"{key}\n  field required"):
            make(name, **left)


ILLEGAL = [
    ("k-map", {"k": 0}, "at least 1"),
    ("k-map", {"k": "5"}, "not a valid integer"),
    ("delta-presence", {"low": 0.5, "high": 0.4}, "low must be at most high"),
    ("alpha-k-anonymity", {"alpha": 1.1, "k": 2}, "alpha must be"),
    ("distinct-l-diversity", {"l": 2.5}, "not a valid integer"),
    ("distinct-l-diversity", {"l": 2, "multiple": "all"}, "'each', 'extended'"),
    ("distinct-l-diversity", {"l": 2, "sensitive": ["job", "job"]}, "named twice"),
    ("distinct-l-diversity", {"l": 2, "missing_marks": "?"}, "not a valid list"),
    ("entropy-l-diversity", {"l": {"PARAMETER": "l"}}, "or a $PARAMETER"),
    ("recursive-cl-diversity", {"c": 0, "l": 2}, "c must be"),
    ("t-closeness", {"t": 1.5}, "t must be"),
    ("t-closeness", {"t": True}, "not a valid"),
    ("t-closeness", {"t": 0.5, "distance": "odd"}, "'equal'"),
    ("beta-likeness", {"beta": float("inf")}, "beta must be"),
    ("belief-bound", {"positive": 0}, "positive must be"),
    ("q-anonymity", {"q": 1, "aggregation": "sum"}, "'min'"),
    ("fuzzy-t-closeness", {"t": 0.5, "reduce": "mean"}, "'max'"),
    ("probabilistic-k-anonymity", {"k": 2, "max_excess_risk": 2}, "max_excess_risk"),
]


@pytest.mark.parametrize(("name", "given", "message"), ILLEGAL)
def test_what_the_model_refuses_is_refused_at_once(name, given, message):
    with pytest.raises(ValidationError) as caught:
        make(name, **given)
    assert message in str(caught.value)


# The table, the classes, the registry and the gate know the same.


def test_every_model_that_judges_a_table_has_its_expectation_or_a_reason():
    models = registry().privacy_models
    built_in = {name for name in models if models.owner(name) == "anon-transformers"}
    assert built_in == {*OWN_EXPECTATIONS, *WITHOUT_EXPECTATION}
    assert not {*OWN_EXPECTATIONS} & {*WITHOUT_EXPECTATION}
    assert {*CASES} == {*OWN_EXPECTATIONS}


@pytest.mark.parametrize("name", WITHOUT_EXPECTATION)
def test_a_model_without_one_judges_no_table(validate, name):
    (model, *_) = registry().privacy_models[name].test_instances()
    asked = ours.ExpectPrivacyModelToHold(
        model=name, params={"k": model.k}, quasi_identifiers=["age"]
    )
    assert validate(PEOPLE, asked).success is False


@every_model
def test_its_arguments_are_those_of_the_model(name):
    expectation = CASES[name].expectation
    params = {f.name: f.default for f in fields(registry().privacy_models[name])}
    arguments = expectation.arguments()
    assert {*arguments.values()} == {*params}
    for argument, param in arguments.items():
        declared = expectation.__fields__[argument]
        default = MISSING if declared.required else declared.default
        assert default == params[param], argument


def test_the_gate_and_great_expectations_know_them_all():
    of_models = {n: own.type for n, own in OWN_EXPECTATIONS.items()}
    named = {cls.model_name: kind for kind, cls in OUR_EXPECTATIONS.items()
             if hasattr(cls, "model_name")}  # fmt: skip
    assert named == of_models
    assert {*OUR_EXPECTATIONS} - {*of_models.values()} == {
        GENERAL,
        "expect_privacy_metric_to_be_between",
        "expect_privacy_attack_to_expose_at_most",
    }
    registered = list_registered_expectation_implementations()
    assert {*OUR_EXPECTATIONS} <= {*registered}
    # Base classes are none.
    of_ours = {cls.__name__ for cls in _below(PrivacyExpectation)}
    for base in of_ours - {cls.__name__ for cls in OUR_EXPECTATIONS.values()}:
        assert not any(base.lower() == kind.replace("_", "") for kind in registered)
    assert {cls.__name__ for cls in OUR_EXPECTATIONS.values()} <= {*ours.__all__}
    assert {*expectations.__all__} <= {*ours.__all__}


def _below(cls):
    for child in cls.__subclasses__():
        yield child
        yield from _below(child)


@every_model
def test_a_gate_asks_by_it(name):
    case, known = CASES[name], {"quasi_identifiers": ["age"], "sensitive": ["job"]}
    for given, passed in ((case.holds, True), (case.fails, False)):
        wanted = Threshold("asked", "model", name, given)
        suite = ours.suite_for("s", [wanted])
        assert suite["expectations"][0]["type"] == OWN_EXPECTATIONS[name].type
        result = run_gate(
            case.table,
            thresholds=[wanted],
            suite=suite,
            evidence=case.evidence,
            **known,
        )
        assert result.passed is passed, result.reasons
        (check,) = result.checks
        assert check.observed is not None
        assert check.sentence == str(
            case.expectation.sentence({**columns(name), **given})
        )

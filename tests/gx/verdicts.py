"""Every expectation, asked about every table of the corpus, on every engine."""

import great_expectations as gx_core
import pandas as pd
import pytest

from anon_transformers import gx
from anon_transformers.evidence import distribution
from anon_transformers.gx import PrivateEvidence, private_evidence
from anon_transformers.registry import registry
from tests.engines.test_corpus import corpus

CASES = corpus.read_cases()
ABOUT_CLASSES = {
    gx.ExpectTableToBeKAnonymous: {"k": 2},
    gx.ExpectTableToBeKMapped: {"k": 4},
    gx.ExpectTableToBeDeltaPresent: {"low": 0.0, "high": 0.5},
    gx.ExpectTableToBeAlphaKAnonymous: {"alpha": 0.5, "k": 2},
    gx.ExpectTableToBeDistinctLDiverse: {"l": 2},
    gx.ExpectTableToBeEntropyLDiverse: {"l": 1.5},
    gx.ExpectTableToBeRecursivelyDiverse: {"c": 2.0, "l": 2},
    gx.ExpectTableToBeTClose: {"t": 0.3},
    gx.ExpectTableToBeBetaLike: {"beta": 0.5},
    gx.ExpectTableToBeBeliefBounded: {"positive": 0.3},
}
"""What is judged by counts alone, with parameters that only some tables meet."""
OTHERS = {
    gx.ExpectTableToBeQAnonymous: {"q": 2},
    gx.ExpectTableToBeFuzzyLDiverse: {"l": 2},
    gx.ExpectTableToBeFuzzyTClose: {"t": 0.3},
    gx.ExpectTableToBeProbabilisticallyKAnonymous: {"k": 2},
}
"""Expectations that need the rows, and evidence that nobody hands over here."""
SUBJECTS = [
    pytest.param(None, id="rows"),
    pytest.param("person", id="persons", marks=pytest.mark.slow),
]
ATTACK = "unique-combinations"


def metrics(of_classes):
    """Metrics that are taken of classes; or one for each other kind of evidence."""
    catalog = registry().of_thresholds("metric")
    kinds = {name: catalog[name].evidence for name in sorted(catalog)}
    if of_classes:
        return [name for name, kind in kinds.items() if kind == "classes"]
    others = {kind: name for name, kind in kinds.items() if kind != "classes"}
    return sorted(others.values())


def expectations(case, subject=None):
    """By a name for each: what is judged by counts, and what is not."""
    scope = {"quasi_identifiers": case["quasi_identifiers"]}
    scope |= {} if subject is None else {"subject": subject}
    sensitive = [case["sensitive"]] if "sensitive" in case else []
    found = {}
    for asked, params in (ABOUT_CLASSES | OTHERS).items():
        if "sensitive" not in asked.__fields__:
            found[asked.model_name] = asked(**params, **scope)
        elif sensitive:
            found[asked.model_name] = asked(**params, **scope, sensitive=sensitive)
        if "reference" in asked.__fields__ and sensitive:
            found[f"{asked.model_name} released"] = asked(
                **params, **scope, sensitive=sensitive, reference="released"
            )
    if sensitive:
        scope["sensitive"] = sensitive
        found["ordered"] = gx.ExpectTableToBeTClose(
            t=0.3, distance="ordered", reference="released", **scope
        )
        found["model"] = gx.ExpectPrivacyModelToHold(
            model="entropy-l-diversity", params={"l": 1}, **scope
        )
    for name in metrics(True) + metrics(False):
        found[name] = gx.ExpectPrivacyMetricToBeBetween(
            metric=name, max_value=0.5, **scope
        )
    found["attack"] = gx.ExpectPrivacyAttackToExposeAtMost(
        attack=ATTACK, max_value=0.99, **scope
    )
    return found


def needs_rows():
    """Names of what no engine can judge by counts."""
    return {asked.model_name for asked in OTHERS} | {*metrics(False), "attack"}


def evidence(frame, case):
    """What only the maker of a release knows: each person twice in the population."""
    people = frame[case["quasi_identifiers"]]
    references = {}
    if "sensitive" in case:
        references = {case["sensitive"]: distribution(frame[case["sensitive"]])}
    return PrivateEvidence(
        references=references, population=pd.concat([people, people])
    )


def verdicts(batch, asked, private):
    """What is found of a batch: success, the number and the details, by name."""
    suite = gx_core.ExpectationSuite(name="all")
    for name, expectation in asked.items():
        suite.add_expectation(expectation.copy(update={"meta": {"asked": name}}))
    with private_evidence(private):
        result = batch.validate(suite)
    found = {}
    for one in result.results:
        assert not one.exception_info["raised_exception"], one.exception_info
        name = one.expectation_config.meta["asked"]
        details = one.result["details"]
        found[name] = rounded((one.success, one.result["observed_value"], details))
    assert found.keys() == asked.keys()
    return found


def rounded(held):
    """The same without digits that depend on the order in which numbers are added."""
    if isinstance(held, dict):
        return {key: rounded(value) for key, value in held.items()}
    if isinstance(held, list | tuple):
        return [rounded(value) for value in held]
    return float(f"{held:.9g}") if isinstance(held, float) else held


def of_frame(context, frame):
    """A batch of a data frame."""
    source = context.data_sources.add_or_update_pandas("frames")
    asset = source.add_dataframe_asset("people")
    whole = asset.add_batch_definition_whole_dataframe("all")
    return whole.get_batch(batch_parameters={"dataframe": frame})


def of_table(source):
    """A batch of the table ``people`` of an SQL data source."""
    asset = source.add_table_asset("people", table_name="people")
    return asset.add_batch_definition_whole_table("all").get_batch()


def with_persons(frame):
    """The frame with a column of persons, each of whom has two rows that follow."""
    return frame.assign(person=[f"p{at // 2}" for at in range(len(frame))])


def assert_alike(context, case, subject, puts):
    """Engines judge the table of a case as a data frame is judged, and right.

    Each of ``puts`` brings a frame to an engine, and gives its batch there.
    """
    frame = with_persons(corpus.read_table(case))
    private, asked = evidence(frame, case), expectations(case, subject)
    here = verdicts(of_frame(context, frame), asked, private)
    elsewhere = needs_rows() & asked.keys()
    expected = {name: found for name, found in here.items() if name not in elsewhere}
    for put in puts:
        there = verdicts(put(frame), asked, private)
        for name in elsewhere:
            success, observed, details = there.pop(name)
            assert not success
            assert observed is None
            assert details["reason"]
        assert there == expected
        if subject is None:
            assert_right(there, case)


def assert_right(found, case):
    """The numbers are those of the corpus, which others worked out."""
    names = {
        "k": "k-anonymity",
        "distinct-l": "distinct-l-diversity",
        "entropy-l": "entropy-l-diversity",
        "t": "t-closeness released",
    }
    for question in case["ask"]:
        kind = question["question"]
        name = "ordered" if question.get("distance") == "ordered" else names.get(kind)
        if name is not None:
            assert corpus.agrees(found[name][1], question["answer"]), question

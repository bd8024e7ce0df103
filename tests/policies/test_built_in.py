"""The built-in policies: bounds, contract, and the command that shows them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.policies import Citation, Policy
from anon_transformers.policies._safe_harbor import RESTRICTED_ZIPS
from anon_transformers.registry import registry
from anon_transformers.release._policies import find_policy
from anon_transformers.testing import check_policy, policy_checks

# By the documents that docs/releases/policies.md cites.
SIZES = {
    "ema-0070": 11,
    "health-canada-prci": 11,
    "ontario-11": 11,
    "ontario-15": 15,
    "ontario-20": 20,
    "public-use-20": 20,
}
NO_NUMBER = ("hipaa-safe-harbor", "wp216")


def run(*arguments):
    return CliRunner().invoke(app, ["policies", *arguments])


def test_what_is_built_in():
    assert set(registry().policies) == {*SIZES, *NO_NUMBER}


@pytest.mark.parametrize(("name", "k"), SIZES.items())
def test_sizes_of_classes(name, k):
    assert find_policy(name).thresholds == ({"model": "k-anonymity", "k": k},)


def test_a_risk_of_0_09_is_one_of_eleven_as_it_is_rounded():
    assert round(1 / 11, 2) == 0.09
    assert 1 / 11 > 0.09 > 1 / 12


@pytest.mark.parametrize("name", NO_NUMBER)
def test_no_number_is_invented(name):
    assert not find_policy(name).thresholds


def test_the_three_criteria_are_asked_for():
    assert find_policy("wp216").checks == ("singling-out", "linkability", "inference")


@pytest.mark.parametrize("name", [*SIZES, *NO_NUMBER])
def test_the_contract(name):
    check_policy(find_policy(name))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "Bad Name"}, "lower case"),
        ({"version": ""}, "version"),
        ({"claims": "Complies with the law."}, "never compliance"),
        ({"citations": ()}, "cites"),
        ({"citations": (Citation("a", "b", 2020, "nowhere"),)}, "address"),
        ({"thresholds": ()}, "asks for"),
        ({"thresholds": ({"model": "k-anonimity", "k": 5},)}, "registered"),
        ({"attestations": {"names": ""}}, "Attestations"),
        ({"not_claimed": "nothing"}, "sentence"),
    ],
)
def test_a_broken_policy_is_found(change, said):
    with pytest.raises(AssertionError, match=said):
        check_policy(replace(find_policy("ontario-11"), **change))


def test_something_else_is_no_policy():
    with pytest.raises(AssertionError, match="is a Policy"):
        check_policy(object())
    assert len(list(policy_checks(find_policy("wp216")))) == 7


def test_the_list():
    done = run()
    assert done.exit_code == 0
    assert all(name in done.stdout for name in SIZES)
    told = json.loads(run("--json").stdout)
    assert {one["name"]: one["version"] for one in told} == dict.fromkeys(
        registry().policies, "1"
    )


def test_one_is_shown_with_its_source_and_what_it_does_not_claim():
    policy = find_policy("hipaa-safe-harbor")
    done = run("show", "hipaa-safe-harbor")
    assert done.exit_code == 0
    shown = " ".join(done.stdout.replace("│", " ").split())
    for text in ("does not claim", "164.514", "no-actual-knowledge"):
        assert text in shown
    told = json.loads(run("show", "hipaa-safe-harbor", "--json").stdout)
    assert told == policy.to_dict()
    assert "claims no compliance" in told["note"]


def test_an_unknown_one_is_refused():
    done = run("show", "ontario-12")
    assert done.exit_code != 0
    assert "ontario-11" in done.stderr


def test_a_policy_cannot_be_changed():
    policy = find_policy("ontario-11")
    assert isinstance(policy, Policy)
    with pytest.raises(AttributeError):
        policy.version = "2"


PAGE = " ".join(
    (Path(__file__).parents[2] / "docs/releases/policies.md").read_text().split()
)


@pytest.mark.parametrize("name", [*SIZES, *NO_NUMBER])
def test_every_source_stands_in_the_docs(name):
    assert f"`{name}`" in PAGE
    for citation in find_policy(name).citations:
        assert citation.address in PAGE
        assert str(citation.year) in PAGE
        for part in citation.title.split(": "):
            assert part.partition(" (")[0] in PAGE


def test_the_restricted_areas_are_those_that_the_docs_list():
    listed = PAGE.partition("census of 2000: ")[2].partition(". ")[0]
    assert set(re.findall(r"\d{3}", listed)) == RESTRICTED_ZIPS
    assert len(RESTRICTED_ZIPS) == 17


def test_what_is_attested_stands_in_the_docs():
    policy = find_policy("hipaa-safe-harbor")
    assert f"attest: [{', '.join(policy.attestations)}]" in PAGE
    assert all(f"`{rule.name}`" in PAGE for rule in policy.rules)

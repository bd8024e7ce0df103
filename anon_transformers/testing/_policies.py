"""The contract of policies."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anon_transformers.exceptions import ParameterError, PluginError
from anon_transformers.registry import KINDS, Catalog, registry
from anon_transformers.testing._contract import Check, bind, require, run

PARTS = (
    "name", "version", "title", "claims", "not_claimed", "citations", "thresholds",
    "checks", "rules", "attestations",
)  # fmt: skip
SENTENCES = ("title", "claims", "not_claimed")


def policy_checks(policy: Any) -> Iterator[Check]:
    """Yield the contract checks of a policy, by name.

    Parameters
    ----------
    policy : Policy
        As it is registered.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    yield from bind(policy, [policy], lambda _: CHECKS)


def check_policy(policy: Any, *, verbose: bool = False) -> None:
    """Check a policy against the contract.

    Parameters
    ----------
    policy : Policy
        As it is registered.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.registry import registry
    >>> from anon_transformers.testing import check_policy
    >>> check_policy(registry().policies["ontario-15"])
    """
    run(policy, policy_checks(policy), verbose=verbose)


def check_is_a_policy(policy: Any) -> None:
    """A Policy of the library, which cannot be changed."""
    lacking = [part for part in PARTS if not hasattr(policy, part)]
    sentence = "A policy is a Policy of anon_transformers.policies."
    require(not lacking, sentence, f"a {type(policy).__name__}")
    try:
        policy.name = policy.name
    except AttributeError:
        return
    raise AssertionError("A policy cannot be changed. Found: it can.")


def check_words(policy: Any) -> None:
    """A legal name, a version, and sentences that say what it claims and what not."""
    sentence = "Names in configurations are lower case with hyphens."
    try:
        Catalog(KINDS["policies"]).add(policy.name, policy, owner=policy.name)
    except PluginError as error:
        raise AssertionError(f"{sentence} Found: {error}") from None
    stated = isinstance(policy.version, str) and policy.version.strip()
    require(stated, "A policy has a version, a text.", repr(policy.version))
    for part in SENTENCES:
        text = getattr(policy, part)
        require(
            isinstance(text, str) and text.endswith("."),
            f"{part} of a policy is a sentence.",
            repr(text),
        )
    told = f"{policy.title} {policy.claims}".lower()
    sentence = "A policy claims thresholds and checks, and never compliance."
    require("complian" not in told and "complies" not in told, sentence, "it does")


def check_citations(policy: Any) -> None:
    """Somebody asked for it in public."""
    sentence = "A policy cites at least one public document, with year and address."
    require(policy.citations, sentence, "none")
    for citation in policy.citations:
        whole = citation.title and citation.publisher and type(citation.year) is int
        require(whole, sentence, repr(citation))
        require(citation.address.startswith("https://"), sentence, citation.address)


def check_asks_for_something(policy: Any) -> None:
    """A policy that asks for nothing would be an empty claim."""
    asked = policy.thresholds or policy.checks or policy.rules
    require(asked, "A policy asks for thresholds, checks or rules.", "none of them")


def check_thresholds(policy: Any) -> None:
    """Each can be built, and can be tightened."""
    for threshold in policy.asked:
        catalog = registry().of_thresholds(threshold.kind)
        sentence = "Thresholds of a policy name registered models and metrics."
        try:
            made = catalog.build(threshold.name, threshold.own_params)
        except ParameterError as error:
            raise AssertionError(f"{sentence} Found: {error}") from None
        ways = getattr(made, "tighter", {}) if threshold.kind == "model" else BOUNDS
        unsure = [param for param in threshold.numbers() if param not in ways]
        sentence = "A file can tighten every number: the model says which way."
        require(not unsure or threshold.kind == "metric", sentence, repr(unsure))


def check_rules(policy: Any) -> None:
    """Each has a name and a sentence, and finds nothing in a table without columns."""
    for rule in policy.rules:
        legal = isinstance(rule.name, str) and rule.name
        require(legal, "A rule has a name.", repr(rule.name))
        told = isinstance(rule.sentence, str) and rule.sentence.endswith(".")
        require(told, "A rule says in a sentence what it demands.", repr(rule.sentence))
        require(callable(getattr(rule, "faults", None)), "A rule has faults().", "none")


def check_attestations(policy: Any) -> None:
    """A word, and the sentence that it stands for."""
    given = policy.attestations
    sentence = "Attestations are words with the sentences that they stand for."
    require(isinstance(given, Mapping), sentence, type(given).__name__)
    for word, said in given.items():
        require(isinstance(said, str) and said.endswith("."), sentence, repr(word))


BOUNDS = {"min": "higher", "max": "lower"}
CHECKS: tuple[Callable[[Any], None], ...] = (
    check_is_a_policy,
    check_words,
    check_citations,
    check_asks_for_something,
    check_thresholds,
    check_rules,
    check_attestations,
)

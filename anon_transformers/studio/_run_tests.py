"""The three tests of the thesis on the bundled Adult census.

k-anonymity alone, with recursive (c, l)-diversity, and with t-closeness of occupations
by their hierarchy; eight quasi-identifiers, and as many rows suppressed as lowers the
loss. Roles are those of the published experiments, whatever the file of the project
states; with their hierarchy of the age, the numbers are theirs too.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import (
    AnonymizationError,
    ParameterError,
    check_choice,
)
from anon_transformers.parameters import real, whole
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._forms import INPUT
from anon_transformers.release._resolve import resolve
from anon_transformers.release._trials import Trials, private_trials
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._project import Project
from anon_transformers.studio._protected import Keeper, judged, read_tables

if TYPE_CHECKING:
    import pandas as pd

TESTS = "tests"
"""Kind of the job, and of its result."""
WORK = "anon_transformers.studio._run_tests:run_tests"
PERSONS, OCCUPATIONS = 30_162, 14
"""Rows of the census, and how many occupations there are: no k or l can be larger."""
SENSITIVE, QUERIED = "occupation", "age"
QUASI_IDENTIFIERS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
METHODS: Mapping[str, Mapping[str, Any]] = {
    "full-domain": {"suppression": "drop", "suppression_limit": 1.0},
    "datafly": {},
    "mondrian": {},
}
"""Methods that can be tested, the one of the thesis first, and their parameters."""
AGES = {"ranges": "age-ranges.csv", "published": "hierarchies/age.csv"}
"""Hierarchies of the age: right ones, and those of the published experiments, whose
labels are off by one (a person of 20 is published as 15-19)."""
NAMES = {"k": "k", "l": "k + (c, l)", "t": "k + t"}
"""The tests, and what pages call them."""


def thresholds_of(test: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a test asks for.

    Examples
    --------
    >>> thresholds_of("l", {"k": 5, "c": 4, "l": 2})[1]
    {'model': 'recursive-cl-diversity', 'c': 4, 'l': 2, 'sensitive': 'occupation'}
    """
    asked: list[dict[str, Any]] = [{"model": "k-anonymity", "k": params["k"]}]
    if test == "l":
        of = {"c": params["c"], "l": params["l"], "sensitive": SENSITIVE}
        asked.append({"model": "recursive-cl-diversity", **of})
    if test == "t":
        of = {"t": params["t"], "distance": "hierarchical", "sensitive": SENSITIVE}
        asked.append({"model": "t-closeness", **of})
    return asked


def checked(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the tests within their limits.

    Raises
    ------
    ParameterError
        With the parameter and its limits.
    """
    k, least_l = whole("k", params.get("k"), 2), whole("l", params.get("l"))
    for key, given, most, of in (
        ("k", k, PERSONS, "persons"),
        ("l", least_l, OCCUPATIONS, "occupations"),
    ):
        if given > most:
            raise ParameterError(f"{key} must be at most {most}, the number of {of}.")
    check_choice("method", params.get("method"), tuple(METHODS))
    ages, tests = params.get("ages", "ranges"), list(params.get("tests") or NAMES)
    check_choice("ages", ages, tuple(AGES))
    for test in tests:
        check_choice("tests", test, tuple(NAMES))
    return {
        "method": params["method"],
        "ages": ages,
        "tests": tests,
        "k": k,
        "c": real("c", params.get("c"), 0, above=True),
        "l": least_l,
        "t": real("t", params.get("t"), 0, 1),
    }


def run_tests(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run the tests that are asked for, one after another (a job)."""
    asked = checked(params)
    tests = asked["tests"]
    progress(0, len(tests) + 1, "reading the census")
    config = tested(project.config, asked, "k")
    tables = read_tables(config)
    found: dict[str, Any] = {}
    keeper = Keeper(project, TESTS)
    keeper.keep_source(tables[INPUT])
    with private_trials(config, tables) as trials:
        for number, test in enumerate(tests, 1):
            progress(number, len(tests) + 1, f"{asked['method']}: {NAMES[test]}")
            stated = tested(config, asked, test)
            found[test] = _tested(keeper, trials, stated, test, tables[INPUT])
    progress(len(tests) + 1, len(tests) + 1, "done")
    return {**asked, "tests": found, "tables": keeper.tables}


def tested(config: ReleaseConfig, asked: Mapping[str, Any], test: str) -> ReleaseConfig:
    """The release with the roles of the thesis, a method, and what a test asks for."""
    method = asked["method"]
    folder = "bundled:adult"
    files = {name: f"{folder}/hierarchies/{name}.csv" for name in QUASI_IDENTIFIERS}
    files |= {QUERIED: f"{folder}/{AGES[asked['ages']]}"}
    files |= {SENSITIVE: f"{folder}/hierarchies/{SENSITIVE}.csv"}
    keys = {
        "roles": {
            "quasi_identifiers": list(QUASI_IDENTIFIERS),
            "sensitive": [SENSITIVE],
        },
        "hierarchies": files,
        "anonymizer": {"name": method, **METHODS[method]},
        "thresholds": thresholds_of(test, asked),
        "suite": None,
        "on_refusal": "refuse",
    }
    return resolve(config.stated.with_keys(keys))


def _tested(
    keeper: Keeper,
    trials: Trials,
    config: ReleaseConfig,
    test: str,
    source: "pd.DataFrame",
) -> dict[str, Any]:
    """What a test came to; why there is no table, if there is none."""
    try:
        found, made = judged(trials, config)
    except AnonymizationError as error:
        return {"refusal": str(error)}
    assert made.candidate is not None
    keeper.keep_published(made, f"{test}-")
    label = made.candidate.suppression_label
    answers = query_answers(source, made.candidate.tables[0], label)
    return {**found, "answers": answers}


def query_answers(
    source: "pd.DataFrame", published: "pd.DataFrame", label: str
) -> dict[str, Any]:
    """Aggregate queries on age, before and after; empty if the labels are no ranges."""
    from anon_transformers.metrics import aggregate_query_error

    try:
        found = aggregate_query_error(
            source[QUERIED], published[QUERIED], suppression_label=label
        )
    except AnonymizationError:
        return {}
    return {name: asdict(answer) for name, answer in found.items()}

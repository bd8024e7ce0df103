"""The traps of the corpus, set in every engine: the answers are the same."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.exceptions import AnonymizationError
from tests.engines.conftest import KINDS, collect, put, rows

CORPUS = Path(__file__).parents[1] / "corpus"


def load(name):
    file = CORPUS / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"corpus_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


corpus, ours = load("corpus"), load("ours")
OF_PUBLISHED = {"published", "labels cover their values"}
ASKED = [
    pytest.param(case, question, id=f"{case['id']}-{number}")
    for case in corpus.read_cases()
    for number, question in enumerate(case["ask"], start=1)
]
JUDGED = [p for p in ASKED if p.values[1]["question"] not in OF_PUBLISHED]
# Methods that generalize whole columns need a case with hierarchies.
PUBLISHED = [
    pytest.param(*asked.values, method, id=f"{asked.id}-{method}")
    for asked in ASKED
    for method in sorted(ours.METHODS)
    if asked.values[1]["question"] == "published"
    and (method == "mondrian" or "hierarchies" in asked.values[0])
]


def judged(case, question, table):
    """The answer of our models; a refusal is one, too."""
    try:
        return ours.Ours().judge(table, case, question)
    except AnonymizationError as error:
        return type(error).__name__


def published(case, asked, method, table):
    adapter = ours.Ours(method)
    try:
        made = adapter.publish(adapter.prepare(table, case, asked))
        return rows(made if isinstance(made, pd.DataFrame) else collect(made))
    except AnonymizationError as error:
        return str(error)


def assert_judged_alike(case, question, put):
    """Models judge what ``put`` makes of the table as they judge the table."""
    frame = corpus.read_table(case).reset_index(drop=True)
    answer = judged(case, question, put(frame))
    assert answer == judged(case, question, frame)
    assert corpus.agrees(answer, question["answer"]), answer


def assert_published_alike(case, question, method, put):
    """A method makes of what ``put`` makes of the table what it makes of the table."""
    frame = corpus.read_table(case).reset_index(drop=True)
    found = published(case, question["asked"], method, put(frame))
    assert found == published(case, question["asked"], method, frame)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("case", "question"), JUDGED)
def test_a_table_is_judged_alike_wherever_it_lives(case, question, kind):
    frame = corpus.read_table(case)
    table = put(frame, kind)
    answer = judged(case, question, table)
    assert answer == judged(case, question, collect(table))
    assert answer == judged(case, question, frame)
    assert corpus.agrees(answer, question["answer"]), answer


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("case", "question", "method"), PUBLISHED)
def test_a_table_is_published_alike_wherever_it_lives(case, question, method, kind):
    frame = corpus.read_table(case)
    table = put(frame, kind)
    found = published(case, question["asked"], method, table)
    assert found == published(case, question["asked"], method, collect(table))
    assert found == published(case, question["asked"], method, frame)

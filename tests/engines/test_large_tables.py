"""Real tables, in every engine as in memory."""

from pathlib import Path

import pandas as pd
import pytest

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.evidence import Classes
from anon_transformers.hierarchies import Masking
from anon_transformers.privacy import DistinctLDiversity, EntropyLDiversity, KAnonymity
from tests.engines.conftest import KINDS, collect, put, rows
from tests.engines.test_estimators import assert_alike, fit_both

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[3] / "shared" / "data"


def adult():
    columns = ["age", "education", "marital-status", "race", "sex"]
    trees = load_adult_hierarchies()
    return load_adult(), columns, "occupation", {n: trees[n] for n in columns}, None


def read_shared(name, **options):
    file = SHARED / name
    if not file.exists():
        pytest.skip(f"the table {name} is not part of this repository")
    return pd.read_csv(file, **options)


def fars():
    frame = read_shared("fars.csv.gz", low_memory=False).head(40_000)
    columns = list(frame.columns[:5])
    trees = {name: Masking(unknown="root") for name in columns}
    return frame, columns, frame.columns[-1], trees, None


def diabetes130():
    frame = read_shared("diabetes130.csv.gz", low_memory=False)
    columns = ["race", "gender", "age"]
    trees = {name: Masking(unknown="root") for name in columns}
    return frame, columns, "readmitted", trees, "patient_nbr"


TABLES = [adult, fars, diabetes130]


def columns_of(table):
    """A real table with the columns that are used, and how."""
    frame, columns, sensitive, trees, subject = table()
    kept = [*columns, sensitive, *([] if subject is None else [subject])]
    return frame[kept], columns, sensitive, trees, subject


def learned_alike(frame, columns, sensitive, trees, subject, held):
    """Methods learn of a table in an engine what they learn of the frame."""
    options = {"sensitive": [sensitive], "subject": subject}
    for method in (
        MondrianAnonymizer(columns, k=5, models=[DistinctLDiversity(2)], **options),
        DataflyAnonymizer(columns, k=5, hierarchies=trees, **options),
        FullDomainAnonymizer(
            columns, k=5, hierarchies=trees, suppression_limit=0.05, **options
        ),
    ):
        whole, published, counted, recoded = fit_both(method, held, frame)
        assert_alike(whole, counted)
        assert rows(collect(recoded)) == rows(published)
        passed = [verdict.passed for verdict in counted.check(held)]
        assert passed == [verdict.passed for verdict in whole.check(frame)]


def judged_alike(frame, columns, sensitive, subject, held):
    """Models judge a table in an engine as they judge the frame."""
    one, other = (
        Classes.from_frame(t, columns, [sensitive], subject) for t in (frame, held)
    )
    assert sorted(one.sizes) == sorted(other.sizes)
    for model in (KAnonymity(1), DistinctLDiversity(1), EntropyLDiversity(1.0)):
        assert model.level(other) == pytest.approx(model.level(one))


def assert_alike_there(table, put):
    """What ``put`` makes of a real table is judged and learned of as the table is."""
    frame, columns, sensitive, trees, subject = columns_of(table)
    held = put(frame)
    judged_alike(frame, columns, sensitive, subject, held)
    learned_alike(frame, columns, sensitive, trees, subject, held)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", TABLES)
def test_methods_learn_the_same_of_real_tables(table, kind):
    frame, *roles = columns_of(table)
    learned_alike(frame, *roles, put(frame, kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", TABLES)
def test_models_judge_real_tables_alike(table, kind):
    frame, columns, sensitive, _, subject = columns_of(table)
    judged_alike(frame, columns, sensitive, subject, put(frame, kind))

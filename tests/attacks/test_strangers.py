"""Attacks that cannot match anything say so, and do not clear a release."""

import pandas as pd
import pytest

from anon_transformers.attacks import ComplementaryRelease, LinkageAttack
from anon_transformers.exceptions import NotEvaluable

RELEASE = pd.DataFrame(
    {
        "school": ["High", "Low", "High", "*"],
        "age": ["20", "30", "40", "*"],
        "ill": list("abca"),
    }
)


def test_a_suppressed_row_is_no_value_in_common():
    register = pd.DataFrame(
        {"school": ["BA", "MA"], "age": ["20", "30"], "who": [1, 2]}
    )
    known = {"quasi_identifiers": ["school", "age"], "sensitive": ["ill"]}
    with pytest.raises(NotEvaluable, match="'school' has no value in common"):
        LinkageAttack().run(RELEASE, external=register, **known)


def test_nor_is_it_in_another_release():
    other = RELEASE.assign(school=["BA", "MA", "BA", "*"])
    known = {"quasi_identifiers": ["school", "age"], "sensitive": ["ill"]}
    with pytest.raises(NotEvaluable, match="'school' has no value in common"):
        ComplementaryRelease(on="ill").run(RELEASE, other=other, **known)

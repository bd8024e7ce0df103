"""How a proposal judges periods together."""

import pandas as pd
import pytest
import yaml

from anon_transformers.proposals import propose_release

VISITS = pd.DataFrame(
    {
        "who": [f"p{n // 2}" for n in range(80)],
        "age": [str(20 + n // 2 % 10) for n in range(80)],
        "job": ["baker" if n // 2 % 2 else "smith" for n in range(80)],
        "ill": ["flu" if n % 2 else "cold" for n in range(80)],
    }
)
ROLES = {
    "who": "subject",
    "age": "quasi_identifiers",
    "job": "sensitive",
    "ill": "sensitive",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        # Everybody had two illnesses, and one job.
        ("in-{period:%Y-%m}.csv", {"job": "permanent", "ill": "changing"}),
        ("in.csv", None),
    ],
)
def test_what_the_table_shows_to_change_is_changing(path, expected):
    made = propose_release(VISITS, {"path": path}, "in", stated=ROLES, scores=False)
    stated = yaml.safe_load(made.text)
    assert stated == made.content
    assert stated.get("composition", {}).get("sensitive") == expected

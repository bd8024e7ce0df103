"""The contract of anonymizers, with options that are too slow for wide tables."""

import pytest

from anon_transformers import FullDomainAnonymizer
from anon_transformers.privacy import DistinctLDiversity, TCloseness
from anon_transformers.testing import check_anonymizer


@pytest.mark.parametrize(
    "options",
    [
        {"suppression_limit": 0.5, "local_recoding": True},
        {"suppression_limit": 0.5, "suppression": "drop", "loss": "discernibility"},
        {"suppression_limit": 0.5, "models": [DistinctLDiversity(2), TCloseness(0.6)]},
    ],
    ids=["local", "dropping", "models"],
)
def test_options_keep_the_contract(options):
    check_anonymizer(FullDomainAnonymizer(k=2, **options))

"""Everything that this distribution registers keeps the contract of its kind."""

import pytest

from anon_transformers.registry import registry
from anon_transformers.testing import (
    anonymizer_checks,
    metric_checks,
    privacy_model_checks,
)

OWNER = "anon-transformers-graphs"


def owned(catalog, checks):
    found = getattr(registry(), catalog)
    return [
        pytest.param(check, id=f"{name}-{check_name}")
        for name, cls in found.items()
        if found.owner(name) == OWNER
        for check_name, check in checks(cls)
    ]


@pytest.mark.parametrize("check", owned("anonymizers", anonymizer_checks))
def test_anonymizers_keep_the_contract(check):
    check()


@pytest.mark.parametrize("check", owned("privacy_models", privacy_model_checks))
def test_models_keep_the_contract(check):
    check()


@pytest.mark.parametrize("check", owned("metrics", metric_checks))
def test_metrics_keep_the_contract(check):
    check()

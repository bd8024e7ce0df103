"""The contract checks of anonymizers: the built-in ones pass, broken ones fail."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import AllOf, KAnonymity
from anon_transformers.registry import HOME, registry
from anon_transformers.testing import (
    anonymizer_checks,
    check_anonymizer,
    check_privacy_model,
)
from tests.testing.instances import sorted_by_instance

BUILT_IN = [
    check
    for name, cls in registry().anonymizers.items()
    if registry().anonymizers.owner(name) == HOME
    for check in sorted_by_instance(name, anonymizer_checks(cls))
]


@pytest.mark.parametrize("check", BUILT_IN)
def test_registered_anonymizers_keep_the_contract(check):
    check()


class Spoiled(MondrianAnonymizer):
    """Spoils the table after Mondrian has made it."""

    def fit_transform(self, X, y=None, **fit_params):
        output = super().fit_transform(X, y, **fit_params)
        return self.spoil(output, X) if isinstance(X, pd.DataFrame) else output


class PublishesIdentifier(Spoiled):
    def spoil(self, output, X):
        name = self.identifiers[0]
        kept = X[name].to_numpy()[: len(output)]
        return output.assign(**{name: kept})


class CopiesParameter(MondrianAnonymizer):
    def __init__(self, quasi_identifiers=None, **params):
        super().__init__(quasi_identifiers, **params)


@dataclass(frozen=True)
class DistinctValues:
    """A class holds ``l`` different sensitive values."""

    l: int  # noqa: E741
    sensitive: str | None = None
    name: ClassVar[str] = "distinct-values"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"l": "higher"}

    def _distinct(self, evidence):
        columns = evidence.sensitive_columns(self.sensitive)
        counts = [(c.counts.toarray()[:, :-1] > 0).sum(axis=1) for c in columns]
        return np.min(counts, axis=0)

    def satisfied(self, evidence):
        return self._distinct(evidence) >= self.l

    def level(self, evidence):
        return int(self._distinct(evidence).min())


class IgnoresModels(MondrianAnonymizer):
    _hooks = frozenset({"_promise"})

    def _promise(self):
        return AllOf((KAnonymity(self.k),))


def test_further_models_are_judged():
    models = [DistinctValues(l=2)]
    check_privacy_model(models[0])
    check_anonymizer(MondrianAnonymizer(k=2, models=models))
    with pytest.raises(AssertionError, match=r"DistinctValues\(l=2.* reaches level 1"):
        dict(anonymizer_checks(IgnoresModels(k=2, models=models)))[
            "check_every_model_holds"
        ]()


def test_all_failures_are_told_at_once():
    with pytest.raises(AssertionError) as reported:
        check_anonymizer(PublishesIdentifier(k=2))
    message = str(reported.value)
    assert "PublishesIdentifier(k=2) fails " in message
    lines = message.splitlines()
    assert any(
        line.startswith("- Identifiers are dropped.")
        and line.endswith("(in check_identifiers_are_gone)")
        for line in lines
    )
    assert any("(in check_columns_are_those_of_the_input)" in line for line in lines)


class Crashes(Spoiled):
    def spoil(self, output, X):
        raise LookupError("lost")


def test_a_crash_is_told_as_one():
    with pytest.raises(AssertionError, match="raised LookupError: lost"):
        check_anonymizer(Crashes(k=2))


def test_a_constructor_that_takes_anything_fails():
    with pytest.raises(AssertionError, match="constructor with"):
        dict(anonymizer_checks(CopiesParameter(k=2)))["check_constructor"]()


class StoresACopy(MondrianAnonymizer):
    def __init__(
        self,
        quasi_identifiers=None,
        *,
        k=5,
        models=None,
        sensitive=None,
        identifiers=None,
        hierarchies=None,
        subject=None,
        suppression_limit=0.0,
        suppression="mask",
    ):
        super().__init__(quasi_identifiers, k=k, models=list(models or ()))


def test_a_constructor_that_changes_a_parameter_fails():
    with pytest.raises(AssertionError, match="modifies parameter models"):
        dict(anonymizer_checks(StoresACopy(k=2)))["check_constructor"]()


def test_parameters_that_are_too_hard_are_told():
    with pytest.raises(AssertionError, match="parameters under which the table"):
        dict(anonymizer_checks(MondrianAnonymizer(k=1000)))["check_report"]()


class OfNoKind(MondrianAnonymizer):
    kind = "tabel"


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'table'"):
        check_anonymizer(OfNoKind(k=2))


class Noisy(MondrianAnonymizer):
    publishes = "noise"


def test_noise_is_told_what_it_can_be_used_for():
    with pytest.raises(ParameterError, match=r"Noisy: no privacy model judges.*apply"):
        check_anonymizer(Noisy(k=2))


class NamesNone(MondrianAnonymizer):
    @classmethod
    def test_instances(cls):
        return []


def test_a_class_must_name_instances():
    with pytest.raises(AssertionError, match="names the configurations"):
        check_anonymizer(NamesNone)


class OnlyNumbers(MondrianAnonymizer):
    """Says by its tags that it takes neither texts nor missing values."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        tags.input_tags.allow_nan = False
        return tags

    def fit_transform(self, X, y=None, **fit_params):
        frame = pd.DataFrame(X)
        known = frame[self.quasi_identifiers or list(frame.columns)]
        if known.isna().any(axis=None):
            raise DataError("missing values are refused.")
        assert known.select_dtypes(exclude=["number", "bool"]).empty
        return super().fit_transform(X, y, **fit_params)


def test_tags_narrow_the_tables_that_are_tried():
    checks = dict(anonymizer_checks(OnlyNumbers(k=2)))
    checks["check_every_class_has_k_rows"]()
    checks["check_missing_values_are_published_or_refused"]()

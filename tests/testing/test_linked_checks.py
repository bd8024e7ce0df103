"""The contract of swappers: ours keep it, broken ones are found out."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers.base import LinkedAnonymizer
from anon_transformers.microaggregation import GroupSwapper
from anon_transformers.privacy import DistinctLDiversity
from anon_transformers.testing import (
    anonymizer_checks,
    check_anonymizer,
    expected_failed_checks,
)


class RowBlocks(LinkedAnonymizer):
    """The smallest swapper there may be: neighbors in the table are a group."""

    _hooks = frozenset({"_fit", "_generator", "_judge", "_report", "_swap"})

    @classmethod
    def test_instances(cls):
        return [cls(k=2)]

    def _group(self, table, moving):
        rows = np.arange(table.n_rows) // self.k
        return np.minimum(rows, table.n_rows // self.k - 1)


UNINFORMED = [
    GroupSwapper(k=3, scenario="uninformed"),
    GroupSwapper(k=2, scenario="uninformed", algorithm="fast", standardize=False),
]


@pytest.mark.parametrize("swapper", UNINFORMED)
def test_swappers_whose_roles_must_be_declared_keep_the_contract(swapper):
    check_anonymizer(swapper)


def test_a_plugin_needs_nothing_but_groups():
    check_anonymizer(RowBlocks)


@parametrize_with_checks(
    [RowBlocks(k=2)],
    expected_failed_checks=expected_failed_checks,
    xfail_strict=True,
)
def test_a_plugin_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_swappers_are_excused_from_nothing():
    assert expected_failed_checks(GroupSwapper()) == {}


class Spoiled(RowBlocks):
    """Spoils the table after it was made."""

    def fit_transform(self, X, y=None):
        output = super().fit_transform(X, y)
        return self.spoil(output, X) if isinstance(X, pd.DataFrame) else output


class ChangesACell(Spoiled):
    def spoil(self, output, X):
        name = self.sensitive[0]
        return output.assign(**{name: output[name].sort_values(ignore_index=True)})


class MovesAnotherColumn(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[0]
        return output.assign(
            **{name: output[name].sample(frac=1, random_state=0).array}
        )


class ChangesAType(Spoiled):
    def spoil(self, output, X):
        return output.assign(
            **{self.sensitive[0]: output[self.sensitive[0]].astype(float)}
        )


class CarriesAttributes(Spoiled):
    def spoil(self, output, X):
        output.attrs = dict(X.attrs) or {"rows": len(X)}
        return output


class PublishesIndex(Spoiled):
    def spoil(self, output, X):
        return output.set_axis(X.index)


class PublishesIdentifier(Spoiled):
    def spoil(self, output, X):
        return output.assign(**{self.identifiers[0]: X[self.identifiers[0]].array})


class DropsARow(Spoiled):
    def spoil(self, output, X):
        return output.iloc[:-1]


class SmallGroups(RowBlocks):
    def _fit(self, X):
        found = super()._fit(X)
        for names, labels in self.labels_.items():
            self.labels_[names] = np.append(labels[:-1], labels.max() + 1)
        return found


class MovesBetweenGroups(RowBlocks):
    def _fit(self, X):
        found = super()._fit(X)
        for names in self.labels_:
            self.labels_[names] = np.roll(self.labels_[names], 1)
        return found


class KeepsLinksAlways(RowBlocks):
    def _fit(self, X):
        found = super()._fit(X)
        self.permutations_ = found[1]
        return found


class KeepsTheTable(RowBlocks):
    def _fit(self, X):
        self.table_ = X
        return super()._fit(X)


class WrongLinks(RowBlocks):
    def linkage(self, original, published):
        linkage = super().linkage(original, published)
        for names, rows in (linkage.sources or {}).items():
            labels = self.labels_[names]
            one, other = np.flatnonzero(labels == labels[0])[:2]
            rows[[one, other]] = rows[[other, one]]
        return linkage


class NeverKeepsACell(RowBlocks):
    """Draws until nobody has their own cell, as if that were safer."""

    def _swap(self, frame, trees):
        sources, passes = super()._swap(frame, trees)
        for names, labels in self.labels_.items():
            order = np.argsort(labels, kind="stable")
            groups = np.split(order, np.cumsum(np.bincount(labels))[:-1])
            turned = np.concatenate([np.roll(rows, 1) for rows in groups])
            sources[names][order] = turned
        return sources, passes


class MovesNothing(RowBlocks):
    def _swap(self, frame, trees):
        sources, passes = super()._swap(frame, trees)
        return {names: np.arange(len(frame)) for names in sources}, passes


class SameForEverySeed(RowBlocks):
    def _generator(self):
        super()._generator()
        return np.random.default_rng(0)


class GlobalRandomness(RowBlocks):
    def _generator(self):
        super()._generator()
        return np.random.default_rng(np.random.randint(1000))  # noqa: NPY002


class HasATransform(RowBlocks):
    row_bound = False

    def transform(self, X):
        return self.fit_transform(X)


class IgnoresPersons(RowBlocks):
    def _fit(self, X):
        subject, self.subject = self.subject, None
        hidden, self.identifiers = self.identifiers, [*self.identifiers, subject]
        if subject is None:
            self.identifiers = hidden
        try:
            return super()._fit(X)
        finally:
            self.subject, self.identifiers = subject, hidden


class IgnoresModels(RowBlocks):
    """Takes models, and neither groups nor judges by them."""

    def _judge(self, table, sources):
        return []


class FlattersItself(RowBlocks):
    def _report(self, *found):
        report = super()._report(*found)
        disclosed = dict.fromkeys(report.details["value_disclosure"], 0.01)
        report.details["value_disclosure"] = disclosed
        return report


class TellsLowRisk(RowBlocks):
    def _report(self, *found):
        report = super()._report(*found)
        report.risk["highest-risk"] = 0.001
        return report


class AcceptsAnyK(RowBlocks):
    def _check_parameters(self):
        self._generator()


BROKEN = [
    (ChangesACell, "check_cells_stay_in_their_group", "other cells in"),
    (MovesAnotherColumn, "check_untouched_columns_stay", "changed column"),
    (ChangesAType, "check_types_are_kept", "float64 instead of int64"),
    (CarriesAttributes, "check_no_attributes_are_carried", "DataFrame.attrs"),
    (PublishesIndex, "check_index_is_fresh", "numbered afresh"),
    (PublishesIdentifier, "check_identifiers_are_gone", "Identifiers are dropped"),
    (DropsARow, "check_rows_are_kept", "119 rows instead of 120"),
    (SmallGroups, "check_groups_have_k_rows", "a group of 1 rows, k=2"),
    (MovesBetweenGroups, "check_cells_stay_in_their_group", "other cells in"),
    (MovesBetweenGroups, "check_links_are_given_on_request", "in other groups"),
    (KeepsLinksAlways, "check_links_are_private", "permutations_"),
    (KeepsTheTable, "check_links_are_private", "cells in a pickle"),
    (WrongLinks, "check_links_are_given_on_request", "came from other rows"),
    (NeverKeepsACell, "check_permutations_are_random", "0 rows in"),
    (MovesNothing, "check_permutations_are_random", "rows in 1920 groups"),
    (MovesNothing, "check_links_pass_the_judge", "level 1 instead of k=2"),
    (SameForEverySeed, "check_permutations_are_random", "one table for 8 seeds"),
    (GlobalRandomness, "check_reproducible", "two tables from one input"),
    (GlobalRandomness, "check_global_randomness_is_left_alone", "other numbers"),
    (HasATransform, "check_is_row_bound", "row_bound=False"),
    (IgnoresPersons, "check_persons_have_one_row", "a table and no error"),
    (FlattersItself, "check_report_of_links", "0.01 for"),
    (TellsLowRisk, "check_report_of_links", "highest-risk"),
    (AcceptsAnyK, "check_bad_parameters_are_refused", "Found: RuntimeWarning"),
]


@pytest.mark.parametrize(("cls", "name", "message"), BROKEN)
def test_a_broken_swapper_fails(cls, name, message):
    check = dict(anonymizer_checks(cls(k=2)))[name]
    with pytest.raises(AssertionError, match=re.escape(message)):
        check()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("check_every_model_holds_in_the_groups", "reaches level 1 in the groups"),
        ("check_models_beyond_the_groups_are_infeasible", "a table and no error"),
        ("check_report_of_links", "other numbers in ['passed']"),
    ],
)
def test_a_swapper_that_breaks_its_models_fails(name, message):
    careless = IgnoresModels(k=2, models=[DistinctLDiversity(l=3)])
    with pytest.raises(AssertionError, match=re.escape(message)):
        dict(anonymizer_checks(careless))[name]()

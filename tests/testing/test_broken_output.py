"""An anonymizer that publishes what it must not, or breaks its promise, fails."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.testing import anonymizer_checks


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


class HidesIdentifierInAColumn(Spoiled):
    def spoil(self, output, X):
        last = output.columns[-1]
        return output.assign(**{last: X[self.identifiers[0]].to_numpy()[: len(output)]})


class AddsAColumn(Spoiled):
    def spoil(self, output, X):
        return output.assign(box=0)


class MovesColumns(Spoiled):
    def spoil(self, output, X):
        return output[output.columns[::-1]]


class PublishesIndex(Spoiled):
    def spoil(self, output, X):
        return output.set_axis(X.index[: len(output)])


class PublishesIndexAsSensitive(Spoiled):
    def spoil(self, output, X):
        return output.assign(**{self.sensitive[0]: X.index[: len(output)]})


class PublishesRowNumbers(Spoiled):
    def spoil(self, output, X):
        numbers = [f"row {row + 1}" for row in range(len(output))]
        return output.assign(**{output.columns[-1]: numbers})


class PublishesOrder(Spoiled):
    def spoil(self, output, X):
        rising = np.cumsum(np.linspace(0.5, 0.7, len(output)))
        return output.assign(**{output.columns[-1]: rising})


class LeavesASmallClass(Spoiled):
    def spoil(self, output, X):
        cells = output[self.quasi_identifiers[0]].astype(object)
        cells.iloc[0] = "[-1, -1]"
        return output.assign(**{self.quasi_identifiers[0]: cells})


class AddsNoise(Spoiled):
    """Noise on numbers, under the word that does not say so."""

    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        drawn = np.random.default_rng(0).integers(100, 200, len(output))
        return output.assign(**{name: drawn})


class AddsNoiseToCenters(AddsNoise):
    publishes = "centers"


class DrawsCategories(Spoiled):
    """Post-randomization (PRAM): each category becomes another one at random."""

    def spoil(self, output, X):
        if "city" not in X:
            return output
        drawn = np.random.default_rng(0).permutation(X["city"].to_numpy())
        return output.assign(city=drawn[: len(output)])


class PublishesAnything(MondrianAnonymizer):
    publishes = "lables"


class AppendsBlanks(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[0]
        cells = output[name].astype(object).fillna("").tolist()
        padded = [f"{cell}{' ' * row}" for row, cell in enumerate(cells)]
        return output.assign(**{name: padded})


class AppendsDigits(Spoiled):
    def spoil(self, output, X):
        name = "x"
        if name not in output:
            return output
        digits = pd.Series(np.arange(len(output)) * 1e-12)
        return output.assign(**{name: output[name] + digits})


class Tagged(str):
    """Reads like a label, and carries the original value."""


class CarriesObjects(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        cells = pd.Series([Tagged(cell) for cell in output[name]], dtype=object)
        return output.assign(**{name: cells})


class KeepsCategories(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[0]
        cells = output[name].astype("category").cat.add_categories(["original value"])
        return output.assign(**{name: cells})


class KeepsAttrs(Spoiled):
    def spoil(self, output, X):
        output.attrs = dict(X.attrs)
        return output


class ReversesSensitive(Spoiled):
    def spoil(self, output, X):
        name = self.sensitive[0]
        return output.assign(**{name: output[name].to_numpy()[::-1]})


class ChangesType(Spoiled):
    def spoil(self, output, X):
        name = self.sensitive[0]
        return output.assign(**{name: output[name].astype(float)})


class ShufflesRows(Spoiled):
    def spoil(self, output, X):
        return output.sample(frac=1, random_state=0).reset_index(drop=True)


class DropsMissing(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        if isinstance(X, pd.DataFrame):
            gaps = X[self.quasi_identifiers].isna().sum(axis=1)
            X = X[gaps < max(gaps.max(), 1)]
        return super().fit_transform(X, y, **fit_params)


class MiscountsSuppressed(Spoiled):
    def spoil(self, output, X):
        self.n_suppressed_ += 1
        return output


class MarksRowsUntold(Spoiled):
    def spoil(self, output, X):
        marked = output[self.quasi_identifiers].astype(object)
        marked.iloc[:10] = self.suppression_label
        return output.assign(**{name: marked[name] for name in marked})


class LiesInItsReport(Spoiled):
    def spoil(self, output, X):
        better = {**self.report_.classes, "smallest": 10**6}
        self.report_ = replace(self.report_, classes=better)
        return output


class ReportsNumpyNumbers(Spoiled):
    def spoil(self, output, X):
        self.report_ = replace(self.report_, loss=np.float32(self.report_.loss))
        return output


class ReportsCells(Spoiled):
    def spoil(self, output, X):
        cell = str(X[self.identifiers[0]].iloc[0])
        self.report_ = replace(self.report_, details={"first": cell})
        return output


OF_ROWS = "check_cells_are_what_they_are_said_to_be"
BROKEN = [
    (AddsNoise, OF_ROWS, r'at random says publishes="noise".*holds labels in 120 rows'),
    (AddsNoiseToCenters, OF_ROWS, "outside the values of their class"),
    (DrawsCategories, OF_ROWS, "do not cover.*the first is '.*' for the value '"),
    (PublishesAnything, OF_ROWS, "publishes is one of .* Found: 'lables'"),
    (PublishesIdentifier, "check_identifiers_are_gone", "Identifiers are dropped"),
    (HidesIdentifierInAColumn, "check_identifiers_are_gone", "values of an identifier"),
    (AddsAColumn, "check_columns_are_those_of_the_input", "no helper column"),
    (MovesColumns, "check_columns_are_those_of_the_input", "in their order"),
    (PublishesIndex, "check_index_is_fresh", "original index is not published"),
    (PublishesIndexAsSensitive, "check_row_order_is_not_published", "index labels"),
    (PublishesRowNumbers, "check_row_order_is_not_published", "row numbers"),
    (PublishesOrder, "check_row_order_is_not_published", "rise or fall"),
    (LeavesASmallClass, "check_every_class_has_k_rows", "fewer than k=2 rows"),
    (LeavesASmallClass, "check_every_model_holds", "satisfies every model"),
    (AppendsBlanks, "check_no_value_is_finer_than_its_class", "finer than its class"),
    (AppendsDigits, "check_no_value_is_finer_than_its_class", "finer than its class"),
    (CarriesObjects, "check_cells_hide_nothing", "cells of type .*Tagged"),
    (KeepsCategories, "check_cells_hide_nothing", "1 unused categories"),
    (KeepsAttrs, "check_cells_hide_nothing", "DataFrame.attrs"),
    (ReversesSensitive, "check_untouched_columns_stay", "changed column 'salary'"),
    (ChangesType, "check_untouched_columns_stay", "another dtype: column 'salary'"),
    (ShufflesRows, "check_untouched_columns_stay", "row by row"),
    (DropsMissing, "check_rows_are_kept", "row count is kept"),
    (LiesInItsReport, "check_report", "'smallest': \\(1000000, 2\\)"),
    (ReportsNumpyNumbers, "check_report", "plain numbers"),
    (ReportsCells, "check_report", "no cell of the table"),
    (MiscountsSuppressed, "check_suppressed_rows_agree", "0 rows in the mask"),
    (MarksRowsUntold, "check_suppressed_rows_agree", "marked rows outside the mask"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_anonymizer_fails(broken, check, message):
    output = "center" if broken is AppendsDigits else "interval"
    checks = dict(anonymizer_checks(broken(k=2, output=output)))
    with pytest.raises(AssertionError, match=message):
        checks[check]()

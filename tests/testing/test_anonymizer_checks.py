"""The contract checks of anonymizers: the built-in ones pass, broken ones fail."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import AllOf, KAnonymity
from anon_transformers.registry import registry
from anon_transformers.testing import anonymizer_checks, check_anonymizer

BUILT_IN = [
    pytest.param(check, id=f"{name}-{check_name}")
    for name, cls in registry().anonymizers.items()
    for check_name, check in anonymizer_checks(cls)
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
            known = X[self.quasi_identifiers]
            X = X[known.isna().sum(axis=1) < known.isna().sum(axis=1).max()]
        return super().fit_transform(X, y, **fit_params)


class UsesGlobalRandomness(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        drawn = np.random.randint(10**6)  # noqa: NPY002
        return output.assign(**{name: output[name].astype(str) + f" ({drawn})"})


class SeedsGlobalRandomness(Spoiled):
    def spoil(self, output, X):
        np.random.seed(0)  # noqa: NPY002
        return output


class MutatesCells(Spoiled):
    def spoil(self, output, X):
        X.iloc[0] = X.iloc[1]
        return output


class MutatesIndex(Spoiled):
    def spoil(self, output, X):
        X.reset_index(drop=True, inplace=True)
        return output


class SharesState(Spoiled):
    seen: dict = {}  # noqa: RUF012

    def spoil(self, output, X):
        return self.seen.setdefault(X.shape, output)


class SetsParameter(Spoiled):
    def spoil(self, output, X):
        self.k = self.k + 0.0
        return output


class CopiesParameter(MondrianAnonymizer):
    def __init__(self, quasi_identifiers=None, **params):
        super().__init__(quasi_identifiers, **params)


class TransformsOtherwise(MondrianAnonymizer):
    def transform(self, X):
        output = super().transform(X)
        if not isinstance(output, pd.DataFrame):
            return output
        return output.assign(**{output.columns[0]: output.iloc[:, 0].astype(str) + "!"})


class TransformsByBatch(MondrianAnonymizer):
    def transform(self, X):
        output = super().transform(X)
        if not isinstance(output, pd.DataFrame):
            return output
        return output.assign(**{output.columns[0]: f"{len(output)} rows"})


class CountsRowsForPersons(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        if self.subject is None:
            return super().fit_transform(X, y, **fit_params)
        return super().fit_transform(X.assign(**{self.subject: range(len(X))}))


class IgnoresModels(MondrianAnonymizer):
    def _promise(self):
        return AllOf((KAnonymity(1), KAnonymity(1)))


class ReturnsAWeakerTable(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        try:
            return super().fit_transform(X, y, **fit_params)
        except InfeasibleError:
            return X


class TellsCells(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        try:
            return super().fit_transform(X, y, **fit_params)
        except DataError as error:
            raise DataError(f"{error} See {X['name'].iloc[0]}.") from None
        except InfeasibleError as error:
            raise InfeasibleError(f"{error} See {X.index[0]}.") from None


class RaisesAnything(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        try:
            return super().fit_transform(X, y, **fit_params)
        except ValueError:
            raise KeyError("oops") from None


class TakesAnEmptyTable(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        return super().fit_transform(X, y, **fit_params) if len(X) else X


class TakesTheMark(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        if isinstance(X, pd.DataFrame):
            X = X.replace(self.suppression_label, "other")
        return super().fit_transform(X, y, **fit_params)


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


class MiscountsSuppressed(Spoiled):
    def spoil(self, output, X):
        self.n_suppressed_ += 1
        return output


class MarksRowsUntold(Spoiled):
    def spoil(self, output, X):
        marked = output[self.quasi_identifiers].astype(object)
        marked.iloc[:10] = self.suppression_label
        return output.assign(**{name: marked[name] for name in marked})


BROKEN = [
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
    (UsesGlobalRandomness, "check_reproducible", "only from random_state"),
    (
        UsesGlobalRandomness,
        "check_global_randomness_is_left_alone",
        "neither used nor seeded",
    ),
    (
        SeedsGlobalRandomness,
        "check_global_randomness_is_left_alone",
        "neither used nor seeded",
    ),
    (MutatesCells, "check_input_is_not_mutated", "input is not mutated"),
    (MutatesIndex, "check_input_is_not_mutated", "input is not mutated"),
    (SharesState, "check_no_state_is_shared", "No state is shared"),
    (SetsParameter, "check_fit_leaves_parameters_alone", "fit changes no parameter"),
    (
        TransformsOtherwise,
        "check_transform_repeats_fit_transform",
        "equals fit_transform",
    ),
    (TransformsOtherwise, "check_transform_goes_row_by_row", "not approved at fit"),
    (TransformsByBatch, "check_transform_goes_row_by_row", "not approved at fit"),
    (CountsRowsForPersons, "check_k_counts_subjects", "k persons, not rows"),
    (IgnoresModels, "check_every_model_holds", "satisfies every model"),
    (
        ReturnsAWeakerTable,
        "check_k_beyond_the_table_is_infeasible",
        "no weaker table is returned",
    ),
    (TellsCells, "check_k_beyond_the_table_is_infeasible", "never a cell's value"),
    (TellsCells, "check_empty_table_is_refused", "IndexError"),
    (RaisesAnything, "check_bad_parameters_are_refused", "Found: KeyError"),
    (RaisesAnything, "check_unknown_columns_are_refused", "Found: KeyError"),
    (RaisesAnything, "check_two_roles_for_a_column_are_refused", "Found: KeyError"),
    (TakesAnEmptyTable, "check_empty_table_is_refused", "a table and no error"),
    (TakesTheMark, "check_mark_in_the_input_is_refused", "a table and no error"),
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


def test_all_failures_are_told_at_once():
    with pytest.raises(AssertionError) as told:
        check_anonymizer(PublishesIdentifier(k=2))
    message = str(told.value)
    assert "PublishesIdentifier(k=2) fails " in message
    assert "check_identifiers_are_gone: Identifiers are dropped." in message
    assert "check_columns_are_those_of_the_input: " in message


class Crashes(Spoiled):
    def spoil(self, output, X):
        raise LookupError("lost")


def test_a_crash_is_told_as_one():
    with pytest.raises(AssertionError, match="raised LookupError: 'lost'|lost"):
        check_anonymizer(Crashes(k=2))


def test_a_constructor_that_takes_anything_fails():
    with pytest.raises(AssertionError, match="constructor with"):
        dict(anonymizer_checks(CopiesParameter(k=2)))["check_constructor"]()


class StoresACopy(MondrianAnonymizer):
    def __init__(self, quasi_identifiers=None, *, k=5, models=()):
        super().__init__(quasi_identifiers, k=k, models=list(models))


def test_a_constructor_that_changes_a_parameter_fails():
    with pytest.raises(AssertionError, match="is a scikit-learn estimator"):
        dict(anonymizer_checks(StoresACopy(k=2)))["check_constructor"]()


def test_parameters_that_are_too_hard_are_told():
    with pytest.raises(AssertionError, match="parameters under which the table"):
        dict(anonymizer_checks(MondrianAnonymizer(k=1000)))["check_report"]()


class OfNoKind(MondrianAnonymizer):
    kind = "tabel"


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'table'"):
        check_anonymizer(OfNoKind(k=2))


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

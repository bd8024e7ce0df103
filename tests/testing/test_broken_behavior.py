"""An anonymizer that misbehaves as an estimator, or refuses badly, fails."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, InfeasibleError
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.testing import anonymizer_checks


class Spoiled(MondrianAnonymizer):
    """Spoils the table after Mondrian has made it."""

    def fit_transform(self, X, y=None, **fit_params):
        output = super().fit_transform(X, y, **fit_params)
        return self.spoil(output, X) if isinstance(X, pd.DataFrame) else output


class UsesGlobalRandomness(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        drawn = np.random.randint(10**6)  # noqa: NPY002
        return output.assign(**{name: output[name].astype(str) + f" ({drawn})"})


class UsesFreshEntropy(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        drawn = np.random.default_rng().integers(10**6)
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
        X.index = range(len(X))
        return output


class SharesState(Spoiled):
    seen: dict = {}  # noqa: RUF012

    def spoil(self, output, X):
        return self.seen.setdefault(X.shape, output)


class HidesWhatItHasNot(Spoiled):
    private_parameters = ("init",)


class HidesLetters(Spoiled):
    private_parameters = "k"


class HidesTransform(MondrianAnonymizer):
    pass


HidesTransform.transform = property(lambda self: self.no_such_attribute)


class IsBoundInWords(MondrianAnonymizer):
    row_bound = "no"


class SetsParameter(Spoiled):
    def spoil(self, output, X):
        self.k = self.k + 0.0
        return output


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


class TransformsBySize(MondrianAnonymizer):
    def transform(self, X):
        output = super().transform(X)
        if not isinstance(output, pd.DataFrame) or len(output) > 100:
            return output
        hidden = dict.fromkeys(self.quasi_identifiers, self.suppression_label)
        return output.assign(**hidden)


class CountsRowsForPersons(MondrianAnonymizer):
    def fit_transform(self, X, y=None, **fit_params):
        if self.subject is None:
            return super().fit_transform(X, y, **fit_params)
        return super().fit_transform(X.assign(**{self.subject: range(len(X))}))


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


class TiesBySource(MDAVAnonymizer):
    _hooks = frozenset({"_tie_order"})

    def _tie_order(self, n_rows, rng, subject=None):
        return np.arange(n_rows)


class TiesBySecret(MDAVAnonymizer):
    _hooks = frozenset({"_tie_order"})

    def _learn(self, table, models):
        self._secret = table.sensitive[0].codes
        return super()._learn(table, models)

    def _tie_order(self, n_rows, rng, subject=None):
        return np.argsort(self._secret, kind="stable")


class RuleOfTheFirstRow(Spoiled):
    def spoil(self, output, X):
        name = self.quasi_identifiers[0]
        return output.assign(**{name: output[name] + f" ({X[name].iloc[0]})"})


BROKEN = [
    (UsesFreshEntropy, "check_reproducible", "only from random_state"),
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
    (HidesWhatItHasNot, "check_private_parameters", r"no parameter \['init'\]"),
    (HidesLetters, "check_private_parameters", "a str, no tuple"),
    (HidesTransform, "check_row_bound_is_declared", "row_bound=False and no transform"),
    (IsBoundInWords, "check_row_bound_is_declared", "row_bound='no'"),
    (SetsParameter, "check_fit_leaves_parameters_alone", "fit changes no parameter"),
    (
        TransformsOtherwise,
        "check_transform_repeats_fit_transform",
        "equals fit_transform",
    ),
    (TransformsOtherwise, "check_transform_goes_row_by_row", "not approved at fit"),
    (TransformsBySize, "check_transform_goes_row_by_row", "change with their batch"),
    (TransformsByBatch, "check_transform_goes_row_by_row", "not approved at fit"),
    (CountsRowsForPersons, "check_k_counts_subjects", "k persons, not rows"),
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
    *(
        (broken, "check_ties_do_not_sort_by_the_sensitive_value", "fall by chance")
        for broken in (TiesBySource, TiesBySecret)
    ),
    (
        RuleOfTheFirstRow,
        "check_rules_do_not_depend_on_the_order_of_rows",
        "published otherwise after a shuffle",
    ),
    (TakesTheMark, "check_label_in_the_input_is_refused", "a table and no error"),
]


@pytest.mark.parametrize(
    ("broken", "check", "message"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN],
)
def test_a_broken_anonymizer_fails(broken, check, message):
    checks = dict(anonymizer_checks(broken(k=2)))
    with pytest.raises(AssertionError, match=message):
        checks[check]()


class Seeded(Spoiled):
    """Draws from ``random_state``, as it should."""

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
        random_state=None,
    ):
        super().__init__(
            quasi_identifiers,
            k=k,
            models=models,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            subject=subject,
            suppression_limit=suppression_limit,
            suppression=suppression,
        )
        self.random_state = random_state

    def spoil(self, output, X):
        name = self.quasi_identifiers[-1]
        drawn = np.random.default_rng(self.random_state).integers(10**6)
        return output.assign(**{name: output[name].astype(str) + f" ({drawn})"})


def test_an_anonymizer_that_draws_from_random_state_is_reproducible():
    checks = dict(anonymizer_checks(Seeded(k=2)))
    checks["check_constructor"]()
    checks["check_reproducible"]()
    checks["check_global_randomness_is_left_alone"]()

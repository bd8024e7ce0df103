"""Columns, and pairs of them, that tell persons apart."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, GateError, TellingColumnsWarning
from anon_transformers.release import run_release
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifying_columns import (
    identified_shares,
    identifying_faults,
)
from tests.release.test_faults import of_rows, rows_of


def test_values_that_occur_exactly_twice_tell_persons_apart(release):
    rows = rows_of(code=[i // 2 for i in range(60)])
    of_rows(release, rows, insensitive=["code"])
    assert "fewer than 3 do (limit 5%)" in release.refusal(DataError)
    of_rows(release, rows, insensitive=["code"], small_group=2)
    run_release(release.file)


def test_all_columns_that_tell_persons_apart_are_told_at_once(release):
    numbers = range(60)
    rows = rows_of(
        code=[f"c{i}" for i in numbers],
        badge=[f"b{i}" for i in numbers],
        file=[f"f{i}" for i in numbers],
        floor=[i % 8 for i in numbers],
        room=[i // 8 for i in numbers],
    )
    insensitive = ["code", "badge", "floor", "room"]
    of_rows(release, rows, insensitive=insensitive, sensitive=["file"])
    told = release.refusal(DataError).splitlines()
    assert [line.split(" column")[0] for line in told] == [
        "insensitive", "insensitive", "sensitive", "insensitive"
    ]  # fmt: skip
    for line, name in zip(
        told, ["'code'", "'badge'", "'file'", "'floor' and 'room'"], strict=True
    ):
        assert name in line


def test_a_column_that_few_rows_fill_tells_those_apart(release):
    mail = [f"p{i}@example.org" if i < 4 else "" for i in range(120)]
    rows = rows_of(mail=mail)
    of_rows(release, rows, insensitive=["mail"])
    message = release.refusal(DataError)
    assert "'mail', where it is filled: 100% of the rows" in message
    of_rows(release, rows, insensitive=["mail"], accept_unique=["mail"])
    run_release(release.file)


@pytest.mark.parametrize(
    "mark", ["", "none", "None", "-", "n/a", "N.A.", "unknown", "NULL"]
)
def test_a_column_is_filled_as_people_read_it(mark):
    mail = [f"p{i}@example.org" for i in range(40)] + [mark] * 960
    table = pd.DataFrame({"mail": mail, "other": ["x", "y"] * 500})
    roles = DeclaredRoles(insensitive=("mail", "other"))
    (fault,) = identifying_faults(table, roles)
    assert "'mail', where it is filled: 100% of the rows" in fault


def test_a_column_is_filled_beside_marks_that_are_stated(release):
    mail = [f"p{i}@example.org" if i < 4 else "geheim" for i in range(120)]
    rows = rows_of(mail=mail)
    of_rows(release, rows, sensitive=["mail"])
    diverse = {"model": "distinct-l-diversity", "l": 1, "sensitive": "mail"}
    thresholds = [{"model": "k-anonymity", "k": 3}]
    release.write(thresholds=[*thresholds, {**diverse, "missing_marks": ["geheim"]}])
    assert "'mail', where it is filled: 100% of the rows" in release.refusal(DataError)
    release.write(thresholds=[*thresholds, diverse])
    run_release(release.file)


@pytest.mark.parametrize("mark", [None, "-"])
@pytest.mark.parametrize("more", [0, 4])
def test_a_pair_that_few_rows_fill_tells_those_apart(mark, more):
    user = [f"u{i % 6}" for i in range(36)] + [mark] * 964
    domain = [f"d{i // 6}.org" for i in range(36)] + [mark] * 964
    domain[36 : 36 + more] = ["d0.org"] * more
    table = pd.DataFrame({"user": user, "domain": domain})
    roles = DeclaredRoles(insensitive=("user", "domain"))
    shares = []
    (fault,) = identifying_faults(table, roles, on_share=shares.append)
    # Of the rows where both are filled, whatever one of them says of others.
    assert "together, where they are filled: 100% of the rows" in fault
    assert shares == [1.0]
    accepted = roles.model_copy(update={"accept_unique": (("user", "domain"),)})
    assert identifying_faults(table, accepted) == []


def test_a_pair_that_few_persons_fill_tells_those_apart():
    who = np.repeat(np.arange(1000), 2)
    user = [f"u{i // 2 % 6}" for i in range(72)] + [None] * 1928
    domain = [f"d{i // 12}.org" for i in range(72)] + [None] * 1928
    table = pd.DataFrame({"user": user, "domain": domain})
    roles = DeclaredRoles(insensitive=("user", "domain"), subject="who")
    (fault,) = identifying_faults(table, roles, pd.Series(who))
    assert "together, where they are filled: 100% of the persons" in fault


def test_a_pair_of_which_one_column_is_filled_is_judged_by_all_rows():
    flag = ["y"] * 10 + [None] * 990
    table = pd.DataFrame({"flag": flag, "ward": [f"w{i % 10}" for i in range(1000)]})
    assert identifying_faults(table, DeclaredRoles(insensitive=("flag", "ward"))) == []


@pytest.mark.parametrize("filler", [0, -1, 9_999_999, "none given", "no phone"])
def test_what_most_hold_stands_for_an_unknown_value(filler):
    phones = [555_0100 + i for i in range(24)] + [filler] * 576
    table = pd.DataFrame({"phone": phones})
    roles = DeclaredRoles(insensitive=("phone",))
    (fault,) = identifying_faults(table, roles)
    assert "'phone', where it is filled: 100% of the rows" in fault
    # Three rare answers beside the one of most are no column of numbers of persons.
    rare = ["yes"] * 2 + ["maybe"] + ["refused it"] + ["no"] * 596
    assert identifying_faults(pd.DataFrame({"phone": rare}), roles) == []


def test_a_full_column_does_not_hide_a_sparse_one():
    first = [f"f{i % 6}" for i in range(24)] + [None] * 576
    last = [f"l{i // 6 % 25}" for i in range(600)]
    table = pd.DataFrame({"first": first, "last": last})
    (fault,) = identifying_faults(table, DeclaredRoles(insensitive=("first", "last")))
    assert "together, where they are filled: 100% of the rows" in fault


def test_a_pair_of_columns_may_tell_what_neither_does_alone(release):
    rows = rows_of(day=[i % 8 for i in range(64)], ward=[i // 8 for i in range(64)])
    of_rows(release, rows, insensitive=["day", "ward"])
    assert "'day' and 'ward' together: 100% of the rows" in release.refusal(DataError)
    of_rows(release, rows, insensitive=["day", "ward"], accept_unique=["day"])
    assert "'day' and 'ward' together" in release.refusal(DataError)
    accepted = [["ward", "day"]]
    of_rows(release, rows, insensitive=["day", "ward"], accept_unique=accepted)
    with pytest.warns(TellingColumnsWarning, match="together tell 100% of the rows"):
        run_release(release.file)


def test_three_columns_together_warn(release):
    n = 216
    columns = {"a": [i % 6 for i in range(n)], "b": [i // 6 % 6 for i in range(n)],
               "c": [i // 36 for i in range(n)]}  # fmt: skip
    of_rows(release, rows_of(**columns), insensitive=list(columns))
    with pytest.warns(TellingColumnsWarning, match="tell 100% of the rows apart"):
        run_release(release.file)


def test_a_sensitive_column_that_is_nearly_unique_is_refused(release):
    rows = rows_of(account=range(60))
    of_rows(release, rows, sensitive=["account"])
    assert "sensitive column 'account': 100%" in release.refusal(DataError)
    of_rows(release, rows, sensitive=["account"], accept_unique=["account"])
    run_release(release.file)


def test_telling_columns_are_judged_on_the_candidate(release):
    # Of 100 rows 4 are told apart; 30 others are dropped, and 4 of 70 are too many.
    ages = ["20"] * 70 + [str(30 + i) for i in range(30)]
    notes = ["a", "b", "c", "d"] + ["n"] * 96
    release.write_rows([["age", "note"], *map(list, zip(ages, notes, strict=True))])
    release.write(
        roles={"quasi_identifiers": ["age"], "insensitive": ["note"]},
        hierarchies={"age": {"kind": "intervals", "widths": [50]}},
        anonymizer={
            "name": "datafly",
            "suppression": "drop",
            "suppression_limit": 0.4,
        },
        thresholds=[{"model": "k-anonymity", "k": 5}],
    )
    with pytest.raises(GateError, match="'note': 6% of the rows hold values that"):
        run_release(release.file)


@pytest.mark.parametrize("seed", range(5))
def test_the_share_that_is_told_apart_by_a_plain_count(seed):
    from anon_transformers._data.columns import identify

    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 6, 40), "b": rng.integers(0, 4, 40)})
    who = rng.integers(0, 15, 40)
    holders = {}
    for pair, person in zip(frame.itertuples(index=False), who, strict=True):
        holders.setdefault(tuple(pair), set()).add(person)
    apart = set().union(*(people for people in holders.values() if len(people) < 3))
    columns = [identify(frame[name]) for name in frame]
    everywhere = np.ones(40, dtype=bool)
    shares = identified_shares(columns, who, small_group=3, filled=everywhere)
    assert shares == pytest.approx((len(apart) / len(set(who)),) * 2)

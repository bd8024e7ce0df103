"""A swap hides nothing where a column that stayed gives what was swapped."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers.exceptions import DependenceWarning, GateError
from anon_transformers.release import anonymize, load, publish, read_published, validate
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._swap_dependences import given_share, swap_faults

CODES = {"HIV": "B20", "flu": "J10", "cold": "J00", "cancer": "C50"}
ROLES = {
    "quasi_identifiers": ["age", "weight"],
    "sensitive": ["ill"],
    "identifiers": ["name"],
    "insensitive": ["icd"],
}


def patients(wrong=0.0, n_rows=600):
    rng = np.random.default_rng(1)
    ill = rng.choice(list(CODES), n_rows)
    recorded = np.where(
        rng.random(n_rows) < wrong, rng.choice(list(CODES), n_rows), ill
    )
    return pd.DataFrame(
        {
            "name": [f"NAMEMARK{row}" for row in range(n_rows)],
            "age": rng.integers(20, 90, n_rows),
            "weight": rng.normal(75, 12, n_rows).round(1),
            "ill": ill,
            "icd": pd.Series(recorded).map(CODES),
        }
    )


def swap(release, table, scenario="informed", **roles):
    table.to_csv(release.source, index=False)
    release.write(
        roles={**ROLES, **roles},
        anonymizer={"name": "group-swap", "scenario": scenario},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 5}],
    )
    return release.file


def run(file):
    return publish(validate(anonymize(load(file))))


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
@pytest.mark.parametrize("wrong", [0.0, 0.03])
def test_a_column_that_gives_what_is_swapped_is_refused(release, wrong):
    file = swap(release, patients(wrong))
    with pytest.raises(GateError, match="'ill' was swapped, and what stayed gives it"):
        run(file)
    assert not (release.target / "current").exists()


def test_a_set_that_is_accepted_is_published(release):
    file = swap(release, patients(), accept_unique=[["icd", "ill"]])
    with pytest.warns(DependenceWarning):
        folder = run(file)
    assert len(read_published(folder)) == 600


def test_a_column_that_says_little_of_it_is_published(release):
    assert len(read_published(run(swap(release, patients(wrong=0.5))))) == 600


def test_a_quasi_identifier_that_is_swapped_and_given_is_refused(release):
    table = patients(wrong=1.0).assign(decade=lambda frame: frame["age"] // 10)
    table["icd"] = table["decade"].map(lambda decade: f"ward {decade}")
    table = table.drop(columns="weight")
    file = swap(release, table, "uninformed", quasi_identifiers=["age", "decade"])
    with pytest.raises(GateError, match="'decade' was swapped, and what stayed"):
        run(file)


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
def test_a_linear_function_of_what_stayed_is_refused(release):
    table = patients(wrong=1.0)
    table["pay"] = 100 * table["age"] + table["weight"]
    file = swap(release, table, sensitive=["ill", "pay"])
    with pytest.raises(GateError, match=r"'pay' was swapped.*'age', 'weight'"):
        run(file)


# However values are written.


def spelled(values, seed=0):
    """The same values in mixed case, with blanks and with signs."""
    rng = np.random.default_rng(seed)
    ways = (str, str.lower, str.upper, " {}.".format)
    return [ways[rng.integers(4)](value) for value in values]


def faults_of(table, roles=None, moved=("ill",), subject=None):
    declared = DeclaredRoles(**{**ROLES, **(roles or {})})
    return swap_faults(table, declared, moved, subject)


@pytest.mark.parametrize("column", ["ill", "icd"])
@pytest.mark.parametrize("unknown", [0, 200])
def test_spellings_do_not_hide_what_is_given(column, unknown):
    table = patients()
    table[column] = spelled(table[column])
    table.loc[: unknown - 1, "ill"] = spelled(["unknown"] * unknown)
    (fault,) = faults_of(table)
    assert "'ill' was swapped, and what stayed gives it: 'icd'" in fault
    table["icd"] = np.random.default_rng(2).permutation(table["icd"])
    assert faults_of(table) == []


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
def test_spellings_do_not_bring_a_swap_through_the_gate(release):
    table = patients()
    table["ill"] = spelled(table["ill"])
    with pytest.raises(GateError, match="'ill' was swapped, and what stayed gives it"):
        run(swap(release, table))


def salaries(n_rows=600):
    rng = np.random.default_rng(3)
    net = rng.integers(1000, 9000, n_rows)
    return pd.DataFrame(
        {"age": rng.integers(20, 70, n_rows), "net": net, "gross": 2 * net + 100}
    )


PAID = {
    "quasi_identifiers": ["age", "net"], "sensitive": ["gross"], "insensitive": [],
}  # fmt: skip
ONE_DAY = pd.Timedelta(days=1)


def one_unknown(numbers):
    return numbers.astype(str).where(numbers.index > 0, "unknown")


def some_wrong(numbers):
    return numbers.where(numbers.index % 24 > 0, numbers + 1000 + numbers.index)


WRITTEN = {
    "dollars": lambda numbers: numbers.map("${:,}".format),
    "a unit": lambda numbers: numbers.map("{} USD".format),
    "another unit": lambda numbers: numbers.map("about {} crowns".format),
    "many gaps": lambda numbers: numbers.where(numbers.index % 2 > 0),
    "one unknown": one_unknown,
    "one that cannot be read": lambda n: one_unknown(n).replace("unknown", "see file"),
    "days": lambda numbers: pd.Timestamp("1990-01-01") + numbers * ONE_DAY,
    "texts of days": lambda n: WRITTEN["days"](n).dt.strftime("%Y-%m-%d"),
    "days in another order": lambda n: WRITTEN["days"](n).dt.strftime("%d/%m/%Y"),
    "some wrong": some_wrong,
    "some wrong in dollars": lambda n: some_wrong(n).map("${:,}".format),
}


@pytest.mark.parametrize("way", WRITTEN)
def test_a_linear_function_is_found_however_it_is_written(way):
    table = salaries().assign(gross=lambda frame: WRITTEN[way](frame["gross"]))
    (fault,) = faults_of(table, PAID, ["gross"])
    assert "'gross' was swapped, and what stayed gives it: 'net'. " in fault
    table["gross"] = np.random.default_rng(2).permutation(table["gross"])
    assert faults_of(table, PAID, ["gross"]) == []


@pytest.mark.parametrize("way", ["dollars", "texts of days"])
def test_what_gives_it_may_be_written_otherwise_too(way):
    table = salaries().assign(net=lambda frame: WRITTEN[way](frame["net"]))
    (fault,) = faults_of(table, PAID, ["gross"])
    assert "'net'" in fault


@pytest.mark.filterwarnings("ignore::anon_transformers.exceptions.DependenceWarning")
@pytest.mark.parametrize("way", ["dollars", "one unknown", "some wrong"])
def test_a_gate_refuses_amounts_that_are_given(release, way):
    table = salaries().assign(gross=lambda frame: WRITTEN[way](frame["gross"]))
    file = swap(release, table, **PAID, identifiers=[])
    with pytest.raises(GateError, match="'gross' was swapped") as caught:
        run(file)
    assert "unknown" not in str(caught.value)


@pytest.mark.parametrize(("broken", "n_faults"), [(29, 1), (40, 0)])
def test_a_linear_function_may_give_95_percent_of_the_rows(broken, n_faults):
    table = salaries()
    table.loc[: broken - 1, "gross"] += 1000 + 7 * np.arange(broken) ** 2
    assert len(faults_of(table, PAID, ["gross"])) == n_faults


def test_a_linear_function_is_judged_by_persons():
    """One person with many odd rows is one person."""
    table = salaries()
    table.loc[:59, "gross"] += 1000 + 7 * np.arange(60) ** 2
    subject = pd.Series(np.maximum(np.arange(600) - 59, 0))
    assert faults_of(table, PAID, ["gross"]) == []
    assert len(faults_of(table, PAID, ["gross"], subject)) == 1


@pytest.mark.parametrize(
    "rule",
    [
        lambda hours, wage: hours * wage,
        lambda hours, wage: 7 * wage / hours,
        lambda hours, wage: wage**2 / hours,
    ],
    ids=["product", "ratio", "power"],
)
def test_products_and_ratios_are_given_too(rule):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {"age": rng.uniform(20, 60, 300), "net": rng.uniform(9, 99, 300)}
    )
    table["gross"] = rule(table["age"], table["net"])
    (fault,) = faults_of(table, PAID, ["gross"])
    assert "'gross' was swapped, and what stayed gives it: 'age', 'net'. " in fault
    table["gross"] = rng.permutation(table["gross"])
    assert faults_of(table, PAID, ["gross"]) == []


@pytest.mark.parametrize("odd", [0, -40])
def test_one_row_without_a_logarithm_hides_no_product(odd):
    rng = np.random.default_rng(3)
    age, net = rng.uniform(20, 60, 300), rng.uniform(9, 99, 300)
    age[7] = odd
    table = pd.DataFrame({"age": age, "net": net, "gross": age * net})
    assert len(faults_of(table, PAID, ["gross"])) == 1


def test_a_number_that_nearly_all_hold_is_no_linear_function():
    table = salaries()
    rng = np.random.default_rng(0)
    table["gross"] = np.where(rng.random(600) < 0.04, rng.integers(1, 9000, 600), 0)
    assert faults_of(table, PAID, ["gross"]) == []
    table["gross"] = np.where(table["age"] < 25, 2 * table["net"] + 100, 0)
    assert faults_of(table, PAID, ["gross"]) == []


# Shares.


def slow_share(values, given_by, persons, small_group):
    """By sets of persons, one group after the other."""
    held = set(zip(persons, given_by, values, strict=True))
    large = {
        group
        for group in given_by
        if len({p for p, g, _ in held if g == group}) >= small_group
    }
    inside = [(g, v) for _, g, v in held if g in large]
    if not inside:
        return 0.0
    hits = sum(
        max(sum((g, v) == (group, value) for g, v in inside) for value in set(values))
        for group in large
    )
    guessed = max(sum(v == value for _, v in inside) for value in set(values))
    rest = len(inside) - guessed
    return min(hits / len(held), (hits - guessed) / rest if rest else 0.0)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.sampled_from("xyz")),
        min_size=1,
        max_size=20,
    ),
    st.booleans(),
    st.integers(2, 3),
)
def test_the_share_is_that_of_the_slow_way(rows, named, small_group):
    persons = [row[0] for row in rows] if named else list(range(len(rows)))
    given_by, values = [row[1] for row in rows], [row[2] for row in rows]
    found = given_share(
        identify(pd.Series(values)),
        identify(pd.Series(given_by)),
        np.array(persons) if named else None,
        small_group,
    )
    assert found == pytest.approx(slow_share(values, given_by, persons, small_group))


def test_a_value_that_nearly_all_hold_is_given_by_nothing():
    rng = np.random.default_rng(0)
    rare = identify(pd.Series(np.where(rng.random(900) < 0.02, "yes", "no")))
    town = identify(pd.Series(rng.integers(0, 30, 900)))
    assert given_share(rare, town, None, 3) < 0.2


def pay_by_grade_and_step(n_rows=1200, broken=0.0, cells=36):
    """Pay that a table of six grades and six steps gives, and neither of them alone."""
    rng = np.random.default_rng(0)
    grade, step = rng.integers(0, 6, n_rows), rng.integers(0, 6, n_rows)
    table = rng.permutation(36).reshape(6, 6) % cells
    pay = np.where(rng.random(n_rows) < broken, rng.integers(0, cells, n_rows), -1)
    pay = np.where(pay < 0, table[grade, step], pay)
    return pd.DataFrame(
        {
            "grade": [f"g{number}" for number in grade],
            "step": [f"s{number}" for number in step],
            "ward": [f"w{number}" for number in rng.integers(0, 4, n_rows)],
            "pay": [f"band {number}" for number in pay],
        }
    )


OF_TWO = DeclaredRoles(quasi_identifiers=("grade", "step", "ward"), sensitive=("pay",))


@pytest.mark.parametrize("broken, n_faults", [(0.0, 1), (0.03, 1), (0.3, 0)])
def test_a_table_of_two_columns_that_stayed_is_refused(broken, n_faults):
    faults = swap_faults(pay_by_grade_and_step(broken=broken), OF_TWO, {"pay"})
    assert len(faults) == n_faults
    assert all("what stayed gives it: 'grade', 'step'." in fault for fault in faults)


def test_a_table_of_two_columns_may_be_written_in_any_way():
    frame = pay_by_grade_and_step()
    other = np.arange(len(frame)) % 3
    for name in ("grade", "step"):
        ways = [frame[name], frame[name].str.upper(), " " + frame[name] + "."]
        frame[name] = np.choose(other, [way.to_numpy(dtype=object) for way in ways])
    assert len(swap_faults(frame, OF_TWO, {"pay"})) == 1


def test_a_table_of_two_columns_may_be_accepted():
    accepted = OF_TWO.model_copy(update={"accept_unique": (("grade", "step", "pay"),)})
    assert swap_faults(pay_by_grade_and_step(), accepted, {"pay"}) == []


def test_few_persons_of_a_pair_show_no_table():
    # Of each pair there are two persons: what they hold tells persons, not values.
    rng = np.random.default_rng(0)
    at = np.repeat(np.arange(400), 2)
    frame = pd.DataFrame(
        {"grade": at // 20, "step": at % 20, "ward": 1}, dtype=str
    ).assign(pay=rng.integers(0, 5, 400).repeat(2).astype(str))
    assert swap_faults(frame, OF_TWO, {"pay"}) == []
    smaller = OF_TWO.model_copy(update={"small_group": 2})
    assert len(swap_faults(frame, smaller, {"pay"})) == 1
    # As rows of 400 persons they are one each.
    assert swap_faults(frame, smaller, {"pay"}, pd.Series(at)) == []

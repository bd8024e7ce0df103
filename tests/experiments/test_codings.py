"""Codings side by side: criteria by hand, and wins, means and distances."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.experiments import compare_codings, write_codings
from anon_transformers.experiments._coding_criteria import coding_criteria
from anon_transformers.experiments._coding_summary import coding_summary

FOUR = [
    "independent:global-recode",
    "independent:fuzzy-c-means",
    "joint:k-means",
    "joint:gustafson-kessel",
]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 70, 240)
    return pd.DataFrame(
        {
            "age": age,
            "income": age * 500 + rng.integers(0, 30_000, 240),
            "weight": rng.integers(50, 100, 240),
            "pay": rng.integers(1, 9, 240),
            "job": rng.choice(["clerk", "cook", "smith"], 240),
        }
    )


@pytest.fixture(scope="module")
def found(people):
    known = ["age", "income", "weight"]
    return compare_codings(people, known, ["pay", "job"], codings=FOUR)


def test_all_pairs_by_all_codings(found):
    pairs = ["age, income", "age, weight", "income, weight"]
    seen = list(zip(found.runs["coding"], found.runs["method"], strict=True))
    assert found.runs["quasi_identifiers"].tolist() == [p for p in pairs for _ in FOUR]
    assert seen == [tuple(text.split(":")) for text in FOUR] * 3
    assert found.runs["error"].isna().all()
    assert found.runs["rows"].eq(240).all()
    independent = found.runs["coding"].eq("independent")
    assert found.runs["classes"].le(np.where(independent, 9, 3)).all()


def test_q_is_for_fuzzy_codings_only(found):
    fuzzy = found.runs["method"].isin(["fuzzy-c-means", "gustafson-kessel"])
    for name in ("q_mean", "q_min"):
        assert found.runs[name].notna().eq(fuzzy).all()
    assert (found.runs["q_min"] <= found.runs["q_mean"])[fuzzy].all()


def test_crisp_criteria_are_those_of_the_single_run(found, people):
    from anon_transformers.fuzzy import GlobalRecoder

    pair = ["age", "income"]
    out = GlobalRecoder(pair, n_sets=3, k=1).fit_transform(people[[*pair, "pay"]])
    groups = out.groupby(pair)
    run = found.runs.iloc[0]
    sizes = groups.size()
    assert run["classes"] == len(sizes)
    assert run["k"] == sizes.min()
    assert run["l pay"] == groups["pay"].nunique().min()
    whole = people["pay"].value_counts(normalize=True).sort_index()
    far = []
    for _, values in groups["pay"]:
        own = values.value_counts(normalize=True).reindex(whole.index, fill_value=0)
        far.append((own - whole).cumsum().abs().sum() / (len(whole) - 1))
    assert run["t pay"] == pytest.approx(max(far))


def test_fuzzy_criteria_by_hand():
    degrees = np.array([[1, 0], [0.75, 0.25], [0.75, 0.25], [0.25, 0.75], [0.25, 0.75]])
    table = pd.DataFrame({"set": list("aaabb"), "pay": [1, 2, 1, 3, 3]})
    found = coding_criteria(table, ["set"], ["pay"], degrees)
    assert (found["classes"], found["k"]) == (2, 2)
    # Three rows are possible to 0.75 in the first set, to 0.25 in the second.
    assert (found["q_min"], found["q_mean"]) == (2, 3)
    assert found["l pay"] == 1  # in the second set only 3 is represented
    first, second = np.array([2, 1, 0]) / 3, np.array([0, 0, 1])
    whole = np.array([2, 1, 2]) / 5
    mixed = degrees @ np.array([first, second])
    away = np.abs(np.cumsum(mixed - whole, axis=1)).sum(axis=1) / 2
    assert found["t pay"] == pytest.approx(away.max())


def test_the_source_takes_the_least_t_of_distinct_values():
    table = pd.DataFrame({"set": list("aaabbb"), "pay": [1, 1, 2, 2, 3, 3]})
    found = coding_criteria(table, ["set"], ["pay"], convention="source")
    # Published are 1, 2 and 2, 3: a quarter, a half, a quarter in the whole table.
    assert found["t pay"] == pytest.approx((1 / 4 + 1 / 4) / 2)
    right = coding_criteria(table, ["set"], ["pay"])
    assert right["t pay"] == pytest.approx((1 / 3 + 1 / 3) / 2)
    assert (found["l pay"], right["l pay"]) == (2, 2)


def test_the_source_leaves_l_and_t_out_where_k_is_one():
    table = pd.DataFrame({"set": list("aab"), "pay": [1, 2, 2]})
    found = coding_criteria(table, ["set"], ["pay"], convention="source")
    assert (found["k"], found["l pay"], found["t pay"]) == (1, None, None)
    assert coding_criteria(table, ["set"], ["pay"])["l pay"] == 1


def test_t_is_not_defined_where_a_class_has_no_row_by_half():
    degrees = np.array([[0.6, 0.4, 0.0], [0.6, 0.4, 0.0], [0.0, 0.4, 0.6]])
    table = pd.DataFrame({"set": list("aac"), "pay": [1, 2, 3]})
    found = coding_criteria(table, ["set"], ["pay"], degrees)
    assert found["t pay"] is None
    assert coding_criteria(table, ["set"], ["pay"], degrees, empty="keep")["q_min"] == 0
    assert found["q_min"] == 1  # a release does not show the set in the middle
    source = coding_criteria(table, ["set"], ["pay"], degrees, "source")
    assert (source["q_mean"], source["q_min"]) == (1, 1)  # never printed as 0


def test_rows_that_were_removed_count_in_the_whole_table():
    table = pd.DataFrame({"set": list("aabb"), "pay": [1, 2, 1, 2]})
    whole = pd.DataFrame({"pay": [1, 2, 1, 2, 2, 2]})
    assert coding_criteria(table, ["set"], ["pay"])["t pay"] == pytest.approx(0)
    found = coding_criteria(table, ["set"], ["pay"], whole=whole)
    assert found["t pay"] == pytest.approx(1 / 2 - 1 / 3)


def test_texts_are_all_alike_far_apart(found, people):
    run = found.runs.iloc[2]
    assert 0 < run["t job"] < 1
    swapped = people.assign(job=people["job"].map({"clerk": "z", "cook": "a"}))
    swapped["job"] = swapped["job"].fillna("k")
    other = compare_codings(
        swapped, ["age", "income"], ["job"], codings=["joint:k-means"]
    )
    assert other.runs.iloc[0]["t job"] == pytest.approx(run["t job"])


def test_wins_means_and_distances_by_hand():
    runs = pd.DataFrame(
        [
            ["joint", "a", "p", 5, 0.2], ["joint", "b", "p", 5, 0.1],
            ["joint", "a", "q", 7, 0.4], ["joint", "b", "q", 3, None],
            ["joint", "a", "r", 2, 0.3], ["joint", "b", "r", 8, 0.9],
        ],
        columns=["coding", "method", "quasi_identifiers", "k", "t pay"],
    )  # fmt: skip
    k = coding_summary(runs, ["k"]).set_index("method")
    assert k["wins"].to_dict() == {"a": 2, "b": 2}
    assert k["mean"].to_dict() == pytest.approx({"a": 14 / 3, "b": 16 / 3})
    assert k["distance"].to_dict() == {"a": 6, "b": 4}
    t = coding_summary(runs, ["t pay"]).set_index("method")
    assert t["compared"].tolist() == [2, 2]
    assert t["wins"].to_dict() == {"a": 1, "b": 1}
    every = coding_summary(runs, ["t pay"], complete=False).set_index("method")
    assert every["compared"].tolist() == [3, 3]
    assert every["wins"].to_dict() == {"a": 2, "b": 1}
    assert every["mean"]["b"] == pytest.approx(0.5)


def test_a_method_without_a_criterion_is_not_compared(found):
    summary = found.summary()
    q = summary[summary["criterion"] == "q_min"]
    assert set(q["method"]) == {"fuzzy-c-means", "gustafson-kessel"}
    wins = summary.groupby(["coding", "criterion"])["wins"].sum()
    compared = summary.groupby(["coding", "criterion"])["compared"].first()
    assert (wins >= compared).all()


def test_given_subsets_of_any_size(people):
    found = compare_codings(
        people, ["age", "income", "weight"], ["pay"],
        subsets=[["age"], ["age", "income", "weight"]],
        codings=["joint:fuzzy-c-means"], n_sets=4,
    )  # fmt: skip
    assert found.runs["quasi_identifiers"].tolist() == ["age", "age, income, weight"]
    assert found.runs["classes"].le(4).all()


def test_scaling_is_the_same_for_all_and_matters(people):
    asked = {"codings": ["joint:k-means"], "sensitive": ["pay"]}
    pair = ["age", "income"]
    wide = people.assign(age=people["age"] / 1e6)
    one = compare_codings(people, pair, **asked).runs
    assert one.equals(compare_codings(wide, pair, **asked).runs)
    raw = compare_codings(people, pair, scale=None, **asked).runs
    alone = compare_codings(
        people, pair, subsets=[["income"]], scale=None, **asked
    ).runs
    assert raw["k"].tolist() == alone["k"].tolist() != one["k"].tolist()


def test_the_same_seed_gives_the_same(people, found):
    known = ["age", "income", "weight"]
    again = compare_codings(people, known, ["pay", "job"], codings=FOUR)
    pd.testing.assert_frame_equal(again.runs, found.runs)


def test_a_run_that_fails_has_its_error(people):
    table = people.assign(name=[f"{i}-secret" for i in range(len(people))])
    found = compare_codings(
        table, ["age", "name"], ["pay"], subsets=[["age"], ["age", "name"]],
        codings=["joint:k-means"],
    )  # fmt: skip
    assert found.runs["error"].isna().tolist() == [True, False]
    assert pd.isna(found.runs["k"][1])
    assert "secret" not in found.runs["error"][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codings": ["k-means"]}, "independent:NAME"),
        ({"codings": ["both:k-means"]}, "codings: unknown option 'both'"),
        ({"codings": ["joint:k-mean"]}, "did you mean 'k-means'"),
        ({"codings": ["joint:mondrian"]}, "choose a recoder"),
        ({"codings": ["joint:global-recode"]}, "by itself"),
        ({"subsets": [["agee"]]}, "did you mean 'age'"),
        ({"subsets": [[]]}, "at least one"),
        ({"convention": "sauce"}, "did you mean 'source'"),
        ({"scale": "rang"}, "did you mean 'range'"),
        ({"n_sets": 0}, "n_sets"),
        ({"quasi_identifiers": ["age"]}, "got 1"),
    ],
)
def test_what_cannot_be_is_refused(people, options, message):
    given = {"quasi_identifiers": ["age", "income"], "sensitive": ["pay"], **options}
    with pytest.raises(ParameterError, match=message):
        compare_codings(people, **given)


def test_progress_is_told(people):
    said = []
    compare_codings(
        people, ["age", "income"], codings=FOUR[:2],
        progress=lambda *now: said.append(now),
    )  # fmt: skip
    assert said == [
        (0, 2, "independent:global-recode age, income"),
        (1, 2, "independent:fuzzy-c-means age, income"),
        (2, 2, ""),
    ]


def test_files_are_written(found, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    files = write_codings(found, tmp_path / "out", "people.csv")
    assert [file.name for file in files] == [
        "codings.html", "codings.csv", "codings-summary.csv",
        "codings-independent.png", "codings-joint.png",
    ]  # fmt: skip
    page = files[0].read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 2
    assert "promise nothing" not in page
    read = pd.read_csv(files[1]).drop(columns="error")
    kept = found.runs.drop(columns="error")
    pd.testing.assert_frame_equal(read, kept, check_dtype=False)

"""A column in coarser steps or one level up: tried, told with its loss, and true."""

import pandas as pd
import pytest
import yaml

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import GateError, InfeasibleError
from anon_transformers.partitioning._axes import doubled_step
from anon_transformers.release import advise, run_release
from anon_transformers.release._coarser import coarser
from anon_transformers.release._config import read_config

pytestmark = pytest.mark.gx

K = 3


def found_coarser(advice):
    (found,) = [s for s in advice.settings if s.kind == "coarser"]
    return found


def assert_true(release, found):
    """A run with exactly these keys passes, and its loss is the one that was told."""
    assert 0 < found.loss < 1
    assert not found.loosens
    release.write(**found.change)
    asked = release.content["thresholds"]
    assert len(found.reached) == len(asked)
    release.write(thresholds=[*asked, {"metric": "loss", "max": found.loss - 1e-6}])
    with pytest.raises(GateError):
        run_release(release.file)
    release.write(thresholds=[*asked, {"metric": "loss", "max": found.loss + 1e-6}])
    run_release(release.file)
    assert len(release.versions()) == 1


def value_of(words, *keys):
    """What stands behind these keys, read as YAML."""
    head = "".join(f"{key}: " for key in keys)
    assert words.startswith(head)
    return yaml.safe_load(words.removeprefix(head))


@pytest.fixture
def ages(release):
    """Three persons in every five years, of one sex each."""
    rows = [(age, "fm"[age // 10 % 2]) for age in range(20, 60, 5) for _ in range(K)]
    frame = pd.DataFrame(rows, columns=["age", "sex"])
    frame["job"] = [*"abc"] * (len(frame) // 3)
    frame.to_csv(release.source, index=False)
    release.write(
        roles={"quasi_identifiers": ["age", "sex"], "sensitive": ["job"]},
        anonymizer={
            "name": "mondrian",
            "k": K,
            "step": {"age": 5},
            "domain": {"sex": ["f", "m"]},
        },
        thresholds=[
            {"model": "k-anonymity", "k": K},
            {"metric": "average-risk", "max": 0.2},
        ],
    )
    return release


def test_a_doubled_step_passes_where_a_fine_one_does_not(ages):
    with pytest.raises(GateError):
        run_release(ages.file)
    advice = advise(ages.file)
    found = found_coarser(advice)
    # Six persons in every ten years: one of six is found on average.
    assert found.reached["average-risk"] == pytest.approx(1 / 6)
    assert value_of(found.words, "anonymizer", "step") == {"age": 10}
    assert found.change["anonymizer"]["step"] == {"age": 10}
    assert_true(ages, found)


@pytest.mark.parametrize(
    ("widths", "levels", "asked"),
    [
        ([5, 10, 20], {"levels": {"age": 1}}, {"age": 2}),
        ([10, 20], {}, {"age": 1, "sex": 0}),  # ages as they are, at first
    ],
)
def test_one_level_up_from_stated_levels_and_from_found_ones(
    ages, widths, levels, asked
):
    (ages.folder / "sex.csv").write_text("f;*\nm;*\n")
    hierarchies = {"age": {"kind": "intervals", "widths": widths}, "sex": "sex.csv"}
    anonymizer = {"name": "full-domain", **levels}
    ages.write(hierarchies=hierarchies, anonymizer=anonymizer)
    with pytest.raises(GateError):
        run_release(ages.file)
    found = found_coarser(advise(ages.file))
    assert value_of(found.words, "anonymizer", "levels") == asked
    assert found.change["anonymizer"] == {"name": "full-domain", "levels": asked}
    assert_true(ages, found)


def test_one_level_up_passes_where_stated_levels_make_no_candidate(ages):
    ages.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"], "dropped": ["sex"]},
        hierarchies={"age": {"kind": "intervals", "widths": [5, 10, 20]}},
        anonymizer={"name": "full-domain", "levels": {"age": 1}},
        thresholds=[{"model": "k-anonymity", "k": 2 * K}],
    )
    with pytest.raises(InfeasibleError):
        run_release(ages.file)
    found = found_coarser(advise(ages.file))
    assert value_of(found.words, "anonymizer", "levels") == {"age": 2}
    assert_true(ages, found)


def test_a_stated_builder_without_its_finest_level_passes(ages):
    ages.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"], "dropped": ["sex"]},
        hierarchies={"age": {"kind": "intervals", "widths": [5, 20]}},
        anonymizer={"name": "datafly", "k": K + 1, "suppression_limit": 0},
    )
    frame = pd.read_csv(ages.source)
    # One row more of each five years, beside them: a class of five years has four.
    frame = pd.concat(
        [frame, frame.drop_duplicates("age").assign(age=lambda f: f.age + 1)]
    )
    frame.to_csv(ages.source, index=False)
    with pytest.raises(GateError):
        run_release(ages.file)
    found = found_coarser(advise(ages.file))
    asked = value_of(found.words, "hierarchies")
    assert asked == {"age": {"kind": "intervals", "widths": [20]}}
    assert found.change["hierarchies"] == asked
    assert_true(ages, found)


def test_two_columns_are_tried_at_most_and_no_more(ages):
    frame = pd.read_csv(ages.source)
    for name in ("height", "weight"):
        frame[name] = range(len(frame))
    frame.to_csv(ages.source, index=False)
    names = ["age", "height", "weight"]
    ages.write(
        roles={"quasi_identifiers": names, "sensitive": ["job"], "dropped": ["sex"]},
        anonymizer={"name": "mondrian", "k": K, "step": dict.fromkeys(names, 1)},
        thresholds=[
            {"model": "k-anonymity", "k": K},
            {"metric": "average-risk", "max": 0.001},
        ],
    )
    tried = [one for one in advise(ages.file).tried if one.kind == "coarser"]
    assert len(tried) == 2
    assert not any(one.passed for one in tried)


@pytest.mark.parametrize(
    ("step", "next_one"),
    [
        (5, 10),
        (0.5, 1.0),
        ("day", "month"),
        ("month", "year"),
        ("year", "2 years"),
        ("5 years", "10 years"),
        ("1 month", "2 months"),
        ("monthly", None),
        ([5], None),
    ],
)
def test_the_next_coarser_step(step, next_one):
    assert doubled_step(step) == next_one


@pytest.mark.parametrize(
    ("hierarchy", "asked"),
    [
        (
            {"kind": "intervals", "widths": [5, 10]},
            {"kind": "intervals", "widths": [10]},
        ),
        ({"kind": "intervals", "widths": [5]}, None),
        (
            {"kind": "intervals", "cuts": [[5, 9], [9]]},
            {"kind": "intervals", "cuts": [[9]]},
        ),
        (
            {"kind": "dates"},
            {"kind": "dates", "parts": ["quarter", "year", "decade", "century"]},
        ),
        (
            {"kind": "masking", "length": 5},
            {"kind": "masking", "length": 5, "step": 2},
        ),
        ("sex.csv", None),
    ],
)
def test_what_a_file_can_state_of_a_hierarchy(ages, hierarchy, asked):
    (ages.folder / "sex.csv").write_text("f;*\nm;*\n")
    ages.write(hierarchies={"sex": hierarchy}, anonymizer={"name": "datafly"})
    told = [words for words, _ in coarser(read_config(ages.file), "sex", None)]
    stated = [value_of(words, "hierarchies") for words in told]
    assert stated == ([] if asked is None else [{"sex": asked}])


def test_a_column_at_the_top_of_its_file_goes_no_further(ages):
    (ages.folder / "sex.csv").write_text("f;*\nm;*\n")
    ages.write(hierarchies={"sex": "sex.csv"}, anonymizer={"name": "full-domain"})
    config = read_config(ages.file)
    assert not list(coarser(config, "sex", {"sex": 1}))
    ((words, _),) = coarser(config, "sex", {"sex": 0})
    assert value_of(words, "anonymizer", "levels") == {"sex": 1}
